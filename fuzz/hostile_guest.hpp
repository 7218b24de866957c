// A hostile guest: its VMM's half of the connection, as a list of choices. Most of what it does is
// in order, so that it gets far; each knob is turned wrongly once in a while.
#pragma once

#include "emu/time/virtual_timeline.hpp"
#include "fuzz/input.hpp"
#include "tests/support/one_disk.hpp"
#include "tests/support/vfio_client.hpp"

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace spinup::fuzz {

using namespace remote;
using test::bytes_of;
using test::vfio_client;
using wire::command;

inline constexpr u64 ram = 0x10000;
inline constexpr std::size_t ram_size = 256u << 10;
// Where the guest keeps port 0's structures.
inline constexpr u64 list = ram;
inline constexpr u64 received = ram + 0x2000;
inline constexpr u64 table = ram + 0x4000;
inline constexpr u64 data = ram + 0x8000;

/// Where the server listens: a folder that goes with the process.
const std::string& socket_path();

class hostile_guest {
  public:
    explicit hostile_guest(input in)
        : in_(in), memory_(ram_size, in_.below(2) == 0),
          server_(std::move(*server::listen(socket_path(), log_, {.ports = 2}))),
          machine_(line_, log_, server_->irq(), server_->dma(), 2) {
        server_->set_patience(duration::zero()); // what is not there already does not come
        server_->serve(machine_);
    }

    void run();

  private:
    static constexpr u32 steps_max = 200;
    // Each turn takes a message or a piece of one, and no socket holds as many.
    static constexpr u32 turns_max = 100'000;

    // The server's side.

    /// Returns: whether there was anything to do.
    bool turn();
    /// Until the server has nothing to do any more, which it must come to; and the answers.
    void settle();
    void take(const vfio_client::message& m);

    // The client's.

    void connect();
    void send(command c, std::span<const u8> payload, u32 flags = 0,
              std::span<const int> fds = {}) {
        const u16 id = client_->send(c, payload, flags, fds);
        if ((flags & wire::no_reply) == 0)
            expected_.emplace_back(id, c);
    }
    void write(u32 region, u64 offset, u32 value, bool posted) {
        send(command::region_write, vfio_client::write_of(region, offset, value),
             posted ? wire::no_reply : 0);
    }
    void put(u32 offset, u64 value) {
        write(wire::region_bar5, spec::port_offset(0, offset), static_cast<u32>(value), true);
    }
    template <class T> void poke(u64 address, const T& value) {
        // By pwrite, since the file may have been cut off under a mapping.
        [[maybe_unused]] const auto n =
            ::pwrite(memory_.fd(), &value, sizeof(value), static_cast<off_t>(address - ram));
    }
    u32 region() {
        constexpr std::array<u32, 8> usual{5, 5, 5, 5, 5, 7, 7, 7};
        return in_.rarely() ? in_.take<u32>() : usual[in_.below(8)];
    }
    u64 offset() {
        if (in_.rarely())
            return in_.take<u64>();
        return in_.rarely() ? in_.take<u16>() : in_.take<u16>() % 0x200u & ~3u;
    }
    u64 address() {
        switch (in_.below(8)) {
        case 0:
            return in_.take<u64>();
        case 1:
            return ram + ram_size - in_.below(64);
        case 2:
            return ram - in_.below(64);
        default:
            return ram + in_.take<u16>() * 8u % ram_size;
        }
    }

    void act();
    void read_region();
    void write_region();
    void start_port();
    void issue_command();
    void map();
    void unmap();
    void set_irqs();
    void ask_for_info();
    void raw_bytes();
    void cut_memory();
    void half_message();
    void big_message();
    void bad_header();
    void memory_answer();
    void answer(u16 id, command c, u64 address, std::span<const u8> bytes);
    void answer_first();
    /// The id of its next question but for that one.
    [[nodiscard]] u16 next_question() const { return std::max<u16>(asked_, 1); }
    void answers_ahead(const spec::command_header& header, const spec::fis_reg_h2d& fis);
    void reconnect();
    void second_client();
    void many_descriptors();
    void pass_time();
    unique_fd odd_descriptor();

    input in_;
    test::guest_memory memory_;
    virtual_timeline line_;
    trace_ring log_{line_};
    std::unique_ptr<server> server_;
    test::one_disk machine_;
    std::optional<vfio_client> client_;
    std::vector<pollable::interest> interests_;
    std::deque<std::pair<u16, command>> expected_;
    bool with_file_ = true; ///< the server can reach our memory by itself
    u16 asked_ = 0;         ///< how often it has asked for memory
    bool tracked_ = true;   ///< nothing was sent that may be taken for one message or for another
    bool lazy_ = false;     ///< leaves its answers unread
};

} // namespace spinup::fuzz
