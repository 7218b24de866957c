// What crosses the socket: headers and payloads of the vfio-user protocol, byte for byte.
//
// Standard: the vfio-user protocol specification 0.0 (QEMU docs/interop/vfio-user.rst); flags and
// payloads repeat those of Linux's VFIO (include/uapi/linux/vfio.h). What QEMU 11.1 really sends
// was recorded from a running server; section numbers are those of the fact sheet on vfio-user.
//
// Integers are little-endian, as the machine's own: the protocol is for one host. A server is only
// built for such machines.
#pragma once

#include <bit>
#include <spinup/base/units.hpp>

namespace spinup::remote::wire {

static_assert(std::endian::native == std::endian::little);

/// Commands. The server sends dma_read and dma_write, the client all the others.
enum class command : u16 {
    version = 1,
    dma_map = 2,
    dma_unmap = 3,
    device_get_info = 4,
    device_get_region_info = 5,
    device_get_region_io_fds = 6,
    device_get_irq_info = 7,
    device_set_irqs = 8,
    region_read = 9,
    region_write = 10,
    dma_read = 11,
    dma_write = 12,
    device_reset = 13,
    region_write_multi = 15,
    device_feature = 16,
};

// Header flags.
inline constexpr u32 type_mask = 0xF; ///< 0 command, 1 reply
inline constexpr u32 type_command = 0;
inline constexpr u32 type_reply = 1;
inline constexpr u32 no_reply = 1u << 4; ///< a posted command: no answer, not even an error
inline constexpr u32 error = 1u << 5;    ///< of a reply: `error_number` counts, no payload

struct header {
    u16 id;
    u16 command;
    u32 size; ///< of the whole message, this header included
    u32 flags;
    u32 error_number;
};
static_assert(sizeof(header) == 16);

/// VERSION; JSON text follows, NUL-terminated.
struct version {
    u16 major;
    u16 minor;
};

inline constexpr u32 dma_readable = 1u << 0;
inline constexpr u32 dma_writable = 1u << 1;
struct dma_map {
    u32 argsz;
    u32 flags;
    u64 offset; ///< in the file that comes along, if one does
    u64 address;
    u64 size;
};
static_assert(sizeof(dma_map) == 32);

inline constexpr u32 dma_unmap_all = 1u << 1;
struct dma_unmap {
    u32 argsz;
    u32 flags;
    u64 address;
    u64 size;
};
static_assert(sizeof(dma_unmap) == 24);

inline constexpr u32 device_reset_supported = 1u << 0;
inline constexpr u32 device_pci = 1u << 1;
struct device_info {
    u32 argsz;
    u32 flags;
    u32 num_regions;
    u32 num_irqs;
};
static_assert(sizeof(device_info) == 16);

inline constexpr u32 region_readable = 1u << 0;
inline constexpr u32 region_writable = 1u << 1;
struct region_info {
    u32 argsz;
    u32 flags;
    u32 index;
    u32 cap_offset;
    u64 size;
    u64 offset;
};
static_assert(sizeof(region_info) == 32);

/// VFIO's fixed indices of a PCI device. QEMU wants at least 8 regions and 3 interrupts (3.3).
inline constexpr u32 region_bar5 = 5;
inline constexpr u32 region_config = 7;
inline constexpr u32 region_count = 9;
inline constexpr u32 irq_intx = 0;
inline constexpr u32 irq_msi = 1;
inline constexpr u32 irq_count = 5;

inline constexpr u32 irq_eventfd = 1u << 0;
inline constexpr u32 irq_maskable = 1u << 1;
inline constexpr u32 irq_automasked = 1u << 2;
inline constexpr u32 irq_noresize = 1u << 3;
struct irq_info {
    u32 argsz;
    u32 flags;
    u32 index;
    u32 count;
};
static_assert(sizeof(irq_info) == 16);

// Flags of SET_IRQS: one of the data kinds, one of the actions.
inline constexpr u32 set_data_none = 1u << 0;
inline constexpr u32 set_data_bool = 1u << 1;
inline constexpr u32 set_data_eventfd = 1u << 2;
inline constexpr u32 set_action_mask = 1u << 3;
inline constexpr u32 set_action_unmask = 1u << 4;
inline constexpr u32 set_action_trigger = 1u << 5;
struct set_irqs {
    u32 argsz;
    u32 flags;
    u32 index;
    u32 start;
    u32 count;
};
static_assert(sizeof(set_irqs) == 20);

/// REGION_READ and REGION_WRITE; data follows a write and the reply of a read.
struct region_access {
    u64 offset;
    u32 region;
    u32 count;
};
static_assert(sizeof(region_access) == 16);

/// DMA_READ and DMA_WRITE, from the server; data follows a write and the reply of a read.
struct dma_access {
    u64 address;
    u64 count;
};
static_assert(sizeof(dma_access) == 16);

// Limits that this server announces, and holds a client to.
inline constexpr u32 max_data_transfer = 1u << 20;
/// Descriptors with one message. No request that succeeds brings more than one; QEMU was recorded
/// with this figure (3.3).
inline constexpr u32 max_fds = 8;
inline constexpr u32 max_message = sizeof(header) + sizeof(region_access) + max_data_transfer;
/// DMA windows a client may have at a time. QEMU used a dozen (3.3).
inline constexpr u32 max_windows = 1024;
/// Of them, those for which a file is kept open: a process may have 1024 descriptors by default
/// (getrlimit(2), RLIMIT_NOFILE), and serves several HBAs.
inline constexpr u32 max_window_files = 64;

} // namespace spinup::remote::wire
