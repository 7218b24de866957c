// A vfio-user server: one socket, one client at a time, one HBA.
//
//     wall_timeline line;
//     trace_ring log{line};
//     event_loop loop{line};
//     auto s = server::listen("/run/hba.sock", log, identity);       // or the user's mistake
//     machine::hardware hw{what, line, log, (*s)->irq(), (*s)->dma()};
//     (*s)->serve(platform_over(hw));
//     loop.add(**s);
//     loop.run(...);
//
// The socket has mode 0600. A path that is something else than a socket is not touched; a socket on
// which nobody listens any more is replaced; one on which somebody does is an error. Servers that
// start at once take turns, by a lock on the folder. The socket is unlinked when the server goes,
// if it is still ours.
//
// Memory by messages. While the HBA waits for an answer, the client is served on: registers are
// read and written, windows come and go. The HBA allows for that (hba.hpp). What would reset it
// waits, and the access to memory fails at once, as all that follow until the HBA has come to rest.
// A register write is answered before its effects ask for memory.
#pragma once

#include "emu/remote/channel.hpp"
#include "emu/remote/event_loop.hpp"
#include "emu/remote/vfio_device.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <spinup/base/result.hpp>

namespace spinup::remote {

class server final : public pollable, private remote_memory {
  public:
    static result<std::unique_ptr<server>> listen(const std::string& path, trace& log,
                                                  const pci_identity& identity);
    ~server();

    /// What the hardware is built with.
    [[nodiscard]] bus::irq_sink& irq() { return interrupts_; }
    [[nodiscard]] bus::dma& dma() { return memory_; }
    /// From now on clients are accepted. The machine must outlive the server's last step().
    void serve(platform& machine);
    /// How long a client may take over an answer from its memory.
    void set_patience(duration patience) { patience_ = patience; }
    /// How long no clients are taken after one could not be for want of descriptors or memory.
    /// Otherwise the one that waits would wake the loop again and again.
    void set_rest(duration rest) { rest_ = rest; }

    [[nodiscard]] const std::string& path() const { return ours_.path; }
    [[nodiscard]] bool connected() const { return channel_.has_value(); }
    /// Clients that have come and gone.
    [[nodiscard]] u32 clients_gone() const { return clients_gone_; }
    /// Why the last client's connection ended; empty if it closed the connection itself.
    [[nodiscard]] const std::string& trouble() const { return trouble_; }

    void interests(std::vector<interest>& into) const override;
    void ready(int fd, bool readable, bool writable) override;
    bool step() override;

  private:
    struct listener {
        std::string path;
        unique_fd socket;
        u64 device = 0; ///< with `inode`: the file that is ours
        u64 inode = 0;
    };
    server(listener ours, trace& log, const pci_identity& identity);
    static result<listener> open(const std::string& path);

    void accept();
    void drop_client();
    using decoded = std::variant<request, refusal>;
    struct postponed {
        std::vector<u8> bytes; ///< `what` has views of them
        decoded what;
    };
    void carry_out(decoded& what);
    void reply(const request& to, const vfio_device::answer& answer);
    /// Before the HBA's memory is asked for. Returns: false if there is no use.
    [[nodiscard]] bool may_ask();
    [[nodiscard]] bool meanwhile(incoming_message message);

    [[nodiscard]] std::size_t read(u64 address, void* into, std::size_t bytes) override;
    [[nodiscard]] std::size_t write(u64 address, const void* from, std::size_t bytes) override;

    listener ours_;
    trace& trace_;
    pci_identity identity_;
    dma_windows memory_;
    irq_eventfds interrupts_;
    std::optional<vfio_device> device_;
    std::optional<channel> channel_;
    duration patience_ = channel::default_patience;
    std::vector<u8> out_;
    const request* unanswered_ = nullptr; ///< a register write that is being carried out
    std::optional<postponed> postponed_;  ///< came while memory was awaited, and resets
    // An attempt a second costs nothing, and who waits for a place would wait longer for a guest.
    duration rest_ = std::chrono::seconds{1};
    std::chrono::steady_clock::time_point rests_until_{};
    u32 clients_gone_ = 0;
    std::string trouble_;
};

} // namespace spinup::remote
