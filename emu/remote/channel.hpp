// The connection to one client: whole messages in, with their descriptors; bytes out.
//
// Nothing here waits for the client, but for read_memory() and write_memory(): half a message stays
// in the buffer until the rest comes, replies that the socket does not take are kept, and a client
// that lets too many pile up is dropped. Who waits for memory must go on serving the client: QEMU's
// processors hold its big lock while they wait for a register, and its main loop, which answers for
// memory, needs that lock.
//
// Descriptors belong to the message whose first byte came with them. The kernel tells only which
// bytes they came with at the latest, so a read never reaches into two messages that are long
// enough to bring some: it ends at most `probe` bytes into the message after the one that it
// completes. That is the whole of a register's read, so one costs one system call.
#pragma once

#include "emu/remote/codec.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spinup::remote {

/// A message as it came.
struct incoming_message {
    std::vector<u8> bytes;
    std::vector<unique_fd> fds;
};
[[nodiscard]] bool is_reply(const incoming_message& m);

class channel {
  public:
    /// What QEMU itself gives an answer (3.7).
    static constexpr duration default_patience = std::chrono::seconds{5};
    /// What is kept for a client that does not read, or heard of one that does not answer: a few
    /// of the longest messages. QEMU has a handful of requests under way at a time, all short.
    static constexpr std::size_t kept_max = 4u << 20;

    /// Takes a connected, non-blocking stream socket.
    explicit channel(unique_fd socket, duration patience = default_patience);

    [[nodiscard]] int fd() const { return socket_.get(); }
    /// False after the client has gone, or has broken the protocol.
    [[nodiscard]] bool open() const { return open_; }
    /// Why it is closed, for people: "the client closed the connection", "a message of 3 bytes".
    [[nodiscard]] const std::string& why() const { return why_; }
    /// The client has closed it, between two messages.
    [[nodiscard]] bool left() const { return left_; }
    /// It has, or is about to be seen to have; messages of before may be left.
    [[nodiscard]] bool leaving() const;
    void close(std::string why);

    /// Reads what there is, or one message and the beginning of the next. True if next() may have a
    /// message.
    bool read();
    /// The next whole message, in order.
    std::optional<incoming_message> next();

    /// Sends, or keeps for when the socket is writable again.
    void send(std::span<const u8> bytes);
    /// Whether poll() should look for room to write.
    [[nodiscard]] bool wants_write() const { return open_ && kept_at_ < kept_.size(); }
    void write();

    /// How many bytes the client takes in one message (its VERSION).
    void set_max_transfer(u32 bytes) { max_transfer_ = bytes; }
    /// What becomes of a message that comes while an answer is awaited. It may ask for memory in
    /// turn. Returns: false if the answer is not worth waiting for any more.
    using interruption = std::function<bool(incoming_message)>;
    /// DMA through a message, for windows without a file. Waits for the client's answer.
    /// Returns: how many bytes were moved, which is as many as the client takes at once; 0 if it
    /// refuses, is gone, or does not answer in time (it is then closed), if `meanwhile` says so, or
    /// if one of end_signals() is held back and waits.
    [[nodiscard]] std::size_t read_memory(u64 address, std::span<u8> into,
                                          const interruption& meanwhile);
    [[nodiscard]] std::size_t write_memory(u64 address, std::span<const u8> from,
                                           const interruption& meanwhile);

  private:
    using clock = std::chrono::steady_clock;
    /// A message with REGION_READ's header and body: the shortest that a read may be sure of.
    static constexpr std::size_t probe = sizeof(wire::header) + sizeof(wire::region_access);

    struct descriptors {
        u64 message; ///< counted from the first of the connection
        std::vector<unique_fd> fds;
    };
    [[nodiscard]] std::size_t wanted() const;
    void make_room(std::size_t bytes);
    /// `bytes` more have come, and `fds` with them.
    void arrived(std::size_t bytes, std::vector<unique_fd> fds);
    /// Those of the message that next() is about to pass.
    std::vector<unique_fd> take_fds();

    void hung_up();
    /// Returns: how many of them the socket took.
    std::size_t send_some(std::span<const u8> bytes);
    /// The next message, also a reply.
    std::optional<incoming_message> pop();
    /// Gives a reply to who has asked. Closes the channel if nobody has.
    void hand_out(incoming_message reply);

    /// A message of ours whose reply is awaited. Lives on the stack of ask().
    struct question {
        wire::header head;
        std::vector<u8> reply; ///< empty: not yet
    };
    /// Sends what is in asking_, and waits. Returns: the reply, header included; nothing if none
    /// came or `meanwhile` gave it up.
    std::optional<std::vector<u8>> ask(clock::time_point until, const interruption& meanwhile);
    /// Finds out how the client counts bytes. Returns: false if it could not.
    bool learn_layout(u64 address, clock::time_point until, const interruption& meanwhile);
    enum class woken { by_socket, by_time, by_signal };
    woken wait_for_socket(clock::time_point until);

    unique_fd socket_;
    unique_fd ends_; ///< readable while one of end_signals() is held back
    bool open_ = true;
    bool left_ = false;
    std::string why_;
    const duration patience_;

    // [begin_, tail_) are whole messages, [tail_, end_) is the part of one.
    std::vector<u8> in_;
    std::size_t begin_ = 0;
    std::size_t tail_ = 0;
    std::size_t end_ = 0;
    u64 arrived_ = 0; ///< whole messages so far
    u64 taken_ = 0;   ///< of them, given out
    std::deque<descriptors> fds_;

    std::vector<u8> kept_;
    std::size_t kept_at_ = 0;

    u32 max_transfer_ = wire::max_data_transfer;
    std::optional<dma_layout> layout_; ///< nothing: not known yet
    u16 next_id_ = 0;
    std::vector<u8> asking_;
    std::vector<question*> questions_;
    std::vector<wire::header> given_up_; ///< replies to these may still come
};

} // namespace spinup::remote
