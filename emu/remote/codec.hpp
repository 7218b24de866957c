// From the bytes of a message to a request that can be trusted in shape, and back.
//
// decode() checks everything that can be told from one message alone: sizes, flags that exclude
// each other, the number of file descriptors, JSON. What needs the device's state (does the region
// exist, is the range mapped) is vfio_device's. There is no input or output here.
#pragma once

#include "emu/remote/unique_fd.hpp"
#include "emu/remote/wire.hpp"

#include <span>
#include <string>
#include <variant>
#include <vector>

namespace spinup::remote {

namespace ask {

struct version {
    /// Bytes of the longest payload that the client can take in the reply: QEMU reads it into the
    /// buffer of its request (3.3).
    u32 reply_room = 0;
    /// The most data that it takes in one DMA_READ or DMA_WRITE.
    u32 max_data_transfer = wire::max_data_transfer;
};
struct dma_map {
    wire::dma_map what{};
    unique_fd file; ///< invalid: memory that is reached by messages, or not at all
};
struct dma_unmap {
    wire::dma_unmap what{};
};
struct device_info {};
struct region_info {
    u32 index = 0;
};
struct irq_info {
    u32 index = 0;
};
struct set_irqs {
    wire::set_irqs what{};
    std::span<const u8> flags;       ///< set_data_bool: `count` bytes
    std::vector<unique_fd> eventfds; ///< set_data_eventfd: `count` of them, or none to take away
};
struct region_read {
    wire::region_access what{};
};
struct region_write {
    wire::region_access what{};
    std::span<const u8> data; ///< `count` bytes
};
struct reset {};

} // namespace ask

/// Views point into the message that was decoded.
struct request {
    u16 id = 0;
    wire::command command{};
    bool posted = false; ///< no answer is wanted
    std::variant<ask::version, ask::dma_map, ask::dma_unmap, ask::device_info, ask::region_info,
                 ask::irq_info, ask::set_irqs, ask::region_read, ask::region_write, ask::reset>
        body;
};

/// What is wrong with a message, as the errno of the reply.
struct refusal {
    u16 id = 0;
    u16 command = 0;
    bool posted = false;
    int error_number = 0;
};

/// Requires: as many bytes as a header has.
wire::header header_of(std::span<const u8> message);

/// Takes the descriptors; what a refused message brought is closed. Requires: a whole message, a
/// header and as many bytes as it says.
std::variant<request, refusal> decode(std::span<const u8> message, std::vector<unique_fd> fds);

/// What a header alone says. The stream cannot be trusted any more if this is false: close it.
/// True for a command of the client's and for a reply to one of ours, of a size within limits.
bool plausible(const wire::header& h);

/// Replies. Appended to `out`, header included.
void encode_reply(std::vector<u8>& out, const request& to, std::span<const u8> payload);
void encode_error(std::vector<u8>& out, const refusal& what);
/// The server's half of VERSION, a whole payload: 0.0, then the limits as JSON, NUL included;
/// without the JSON if all of it would be longer than `room`. Every client of major 0 knows 0.0.
std::string version_reply(u32 room);
/// Where the data of a DMA message is. The specification counts it in 64 bits. QEMU's structure
/// (10.1 to 11.1) has 32 bits for the count and the data right behind them, and a length as if
/// there were 64: four bytes come after the data.
enum class dma_layout : u8 { specified, count32 };
/// Bytes from the end of the header.
[[nodiscard]] constexpr std::size_t dma_data_offset(dma_layout layout) {
    return sizeof(wire::dma_access) - (layout == dma_layout::count32 ? sizeof(u32) : 0);
}

/// A command of ours.
void encode_dma_read(std::vector<u8>& out, u16 id, u64 address, u64 count);
void encode_dma_write(std::vector<u8>& out, u16 id, u64 address, std::span<const u8> data,
                      dma_layout layout);

} // namespace spinup::remote
