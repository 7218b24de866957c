// A vfio-user client of our own: what QEMU does to a server, and what it never would.
//
// It has one socket and no thread. While it waits for a reply it calls `turn`: in a test of one
// thread that is a turn of the server, in a thread of its own a wait for the socket.
#pragma once

#include "emu/remote/unique_fd.hpp"
#include "emu/remote/wire.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <optional>
#include <poll.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <utility>
#include <vector>

namespace spinup::test {

using remote::unique_fd;
namespace wire = remote::wire;

template <class T> std::span<const u8> bytes_of(const T& value) {
    return {reinterpret_cast<const u8*>(&value), sizeof(T)};
}
inline std::span<const u8> bytes_of(std::span<const u8> bytes) { return bytes; }
inline std::span<const u8> bytes_of(const std::vector<u8>& bytes) { return bytes; }
inline std::span<const u8> bytes_of(std::string_view text) {
    return {reinterpret_cast<const u8*>(text.data()), text.size()};
}
/// Structures, bytes and texts, one behind the other. Byte by byte: g++ 12 warns of copies of
/// impossible lengths otherwise, at -O3.
template <class... T> std::vector<u8> joined(const T&... parts) {
    std::vector<u8> out;
    const auto append = [&out](std::span<const u8> part) {
        for (const u8 b : part)
            out.push_back(b);
    };
    (append(bytes_of(parts)), ...);
    return out;
}

/// A guest's RAM: memory that can be passed on as a file descriptor.
class guest_memory {
  public:
    /// Sealed, as QEMU's: it cannot shrink any more.
    explicit guest_memory(std::size_t size, bool sealed = true)
        : size_(size), fd_(::memfd_create("guest", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
        if (::ftruncate(fd_.get(), static_cast<off_t>(size)) == 0)
            at_ = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
        if (sealed)
            ::fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK);
    }
    ~guest_memory() {
        if (at_ != MAP_FAILED)
            ::munmap(at_, size_);
    }
    guest_memory(const guest_memory&) = delete;
    guest_memory& operator=(const guest_memory&) = delete;

    [[nodiscard]] int fd() const { return fd_.get(); }
    [[nodiscard]] std::span<u8> bytes() { return {static_cast<u8*>(at_), size_}; }

  private:
    std::size_t size_;
    unique_fd fd_;
    void* at_ = MAP_FAILED;
};

/// Two ends of a connection: the server's does not block.
inline std::pair<unique_fd, unique_fd> socket_pair() {
    std::array<int, 2> fds{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds.data()) != 0)
        return {};
    return {unique_fd{fds[0]}, unique_fd{fds[1]}};
}

/// Invalid if nobody listens there.
inline unique_fd connect_to(const std::string& path) {
    unique_fd s{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    sockaddr_un a{};
    a.sun_family = AF_UNIX;
    std::memcpy(a.sun_path, path.data(), std::min(path.size(), sizeof(a.sun_path) - 1));
    if (::connect(s.get(), reinterpret_cast<const sockaddr*>(&a), sizeof(a)) != 0)
        s.reset();
    return s;
}

/// A new eventfd, and how often it was raised since the last look.
inline unique_fd new_eventfd() { return unique_fd{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)}; }
inline u64 raised(const unique_fd& eventfd) {
    u64 n = 0;
    return ::read(eventfd.get(), &n, sizeof(n)) == sizeof(n) ? n : 0;
}

class vfio_client {
  public:
    struct message {
        wire::header head{};
        std::vector<u8> payload;

        [[nodiscard]] bool ok() const { return (head.flags & wire::error) == 0; }
        [[nodiscard]] int error() const { return ok() ? 0 : static_cast<int>(head.error_number); }
        template <class T> [[nodiscard]] T as() const {
            T value{};
            std::memcpy(&value, payload.data(), std::min(sizeof(T), payload.size()));
            return value;
        }
    };

    vfio_client(unique_fd socket, std::function<void()> turn)
        : socket_(std::move(socket)), turn_(std::move(turn)) {}

    [[nodiscard]] int fd() const { return socket_.get(); }
    void disconnect() { socket_.reset(); }
    /// The server has closed the connection.
    [[nodiscard]] bool closed() const { return closed_; }

    /// All of the bytes, with the descriptors at the first. Gives up when the connection is closed.
    void send_raw(std::span<const u8> bytes, std::span<const int> fds = {}) {
        bool with_fds = !fds.empty();
        for (u32 tries = 0; !bytes.empty() && !closed_ && tries < turns_max;) {
            const ssize_t n = send_some(bytes, with_fds ? fds : std::span<const int>{});
            if (n > 0) {
                with_fds = false;
                bytes = bytes.subspan(static_cast<std::size_t>(n));
            } else if (n < 0 && errno == EAGAIN) {
                turn_();
                receive_bytes();
                ++tries;
            } else {
                closed_ = true;
            }
        }
    }

    static std::vector<u8> build(u16 id, wire::command command, std::span<const u8> payload,
                                 u32 flags = 0) {
        const wire::header h{id, static_cast<u16>(command),
                             static_cast<u32>(sizeof(wire::header) + payload.size()), flags, 0};
        return joined(h, payload);
    }

    /// Returns: the id.
    u16 send(wire::command command, std::span<const u8> payload = {}, u32 flags = 0,
             std::span<const int> fds = {}) {
        const u16 id = next_id_++;
        send_raw(build(id, command, payload, flags), fds);
        return id;
    }

    /// The next message that is there, if one is. Requests for memory are answered here.
    std::optional<message> receive() {
        for (;;) {
            receive_bytes();
            auto m = take();
            if (!m || !wants_memory(*m))
                return m;
            if (waits_ && as_qemu_)
                held_.push_back(std::move(*m));
            else
                answer_memory(*m);
        }
    }
    /// The next message, if it comes within the server's next turns.
    std::optional<message> wait() {
        for (u32 i = 0; i < turns_max; ++i) {
            if (auto m = receive())
                return m;
            if (closed_)
                break;
            turn_();
        }
        return std::nullopt;
    }
    /// Sends, and takes the next message for the answer; an error that no server gives if there is
    /// none or it is another's.
    message ask(wire::command command, std::span<const u8> payload = {},
                std::span<const int> fds = {}) {
        waits_ = true;
        const u16 id = send(command, payload, 0, fds);
        auto m = wait();
        waits_ = false;
        for (const message& asked : std::exchange(held_, {}))
            answer_memory(asked);
        if (m && m->head.id == id && m->head.command == static_cast<u16>(command) &&
            (m->head.flags & wire::type_mask) == wire::type_reply)
            return std::move(*m);
        message none;
        none.head.flags = wire::error;
        none.head.error_number = no_answer;
        return none;
    }
    static constexpr u32 no_answer = 99999;

    message version(std::string_view json = qemu_version, u16 major = 0, u16 minor = 0) {
        return ask(wire::command::version, version_payload(json, major, minor));
    }
    /// Returns: the errno.
    int map(u64 address, u64 size, std::optional<int> file, u64 offset = 0,
            u32 flags = wire::dma_readable | wire::dma_writable) {
        const wire::dma_map m{sizeof(m), flags, offset, address, size};
        const int fd = file.value_or(-1);
        return ask(wire::command::dma_map, bytes_of(m), {&fd, file ? 1u : 0u}).error();
    }
    int unmap(u64 address, u64 size, u32 flags = 0) {
        const wire::dma_unmap u{sizeof(u), flags, address, size};
        return ask(wire::command::dma_unmap, bytes_of(u)).error();
    }
    wire::device_info info() {
        const wire::device_info i{sizeof(i), 0, 0, 0};
        return ask(wire::command::device_get_info, bytes_of(i)).as<wire::device_info>();
    }
    wire::region_info region(u32 index) {
        const wire::region_info i{sizeof(i), 0, index, 0, 0, 0};
        return ask(wire::command::device_get_region_info, bytes_of(i)).as<wire::region_info>();
    }
    /// All ones if it is refused, as for a device that is not there.
    u32 read32(u32 region, u64 offset) {
        const wire::region_access a{offset, region, sizeof(u32)};
        const message m = ask(wire::command::region_read, bytes_of(a));
        u32 value = ~0u;
        if (m.ok() && m.payload.size() == sizeof(a) + sizeof(value))
            std::memcpy(&value, m.payload.data() + sizeof(a), sizeof(value));
        return value;
    }
    /// As QEMU writes a register: posted.
    void post32(u32 region, u64 offset, u32 value) {
        send(wire::command::region_write, write_of(region, offset, value), wire::no_reply);
    }
    int write32(u32 region, u64 offset, u32 value) {
        return ask(wire::command::region_write, write_of(region, offset, value)).error();
    }
    int set_irq(u32 index, const unique_fd& eventfd) {
        const wire::set_irqs s{sizeof(s), wire::set_data_eventfd | wire::set_action_trigger, index,
                               0, 1};
        const int fd = eventfd.get();
        return ask(wire::command::device_set_irqs, bytes_of(s), {&fd, 1}).error();
    }
    int reset() { return ask(wire::command::device_reset).error(); }

    /// From now on DMA_READ and DMA_WRITE are answered from here; others are refused.
    void offer_memory(u64 base, std::span<u8> bytes) {
        base_ = base;
        offered_ = bytes;
        offers_ = true;
    }
    /// As QEMU offers it: not while one of its own requests is unanswered, for the thread that
    /// waits holds the lock that memory needs; and with its layout of the messages.
    void answer_as_qemu() { as_qemu_ = true; }

    static std::vector<u8> write_of(u32 region, u64 offset, u32 value) {
        return joined(wire::region_access{offset, region, sizeof(value)}, value);
    }
    static std::vector<u8> version_payload(std::string_view json = qemu_version, u16 major = 0,
                                           u16 minor = 0) {
        return joined(wire::version{major, minor}, json, u8{0});
    }

    /// What QEMU 11.1 says.
    static constexpr std::string_view qemu_version =
        R"({"capabilities": {"pgsizes": 4096, "max_msg_fds": 16, "max_dma_maps": 65535, )"
        R"("max_data_xfer_size": 1048576, "migration": {"max_bitmap_size": 268435456, )"
        R"("pgsize": 4096}, "write_multiple": true}})";

  private:
    // A server answers in one turn, or in a few when messages come in pieces.
    static constexpr u32 turns_max = 10000;

    ssize_t send_some(std::span<const u8> bytes, std::span<const int> fds) {
        iovec where{const_cast<u8*>(bytes.data()), bytes.size()};
        std::vector<u8> control(CMSG_SPACE(fds.size_bytes()));
        msghdr m{};
        m.msg_iov = &where;
        m.msg_iovlen = 1;
        if (!fds.empty()) {
            m.msg_control = control.data();
            m.msg_controllen = control.size();
            cmsghdr* c = CMSG_FIRSTHDR(&m);
            c->cmsg_level = SOL_SOCKET;
            c->cmsg_type = SCM_RIGHTS;
            c->cmsg_len = CMSG_LEN(fds.size_bytes());
            std::memcpy(CMSG_DATA(c), fds.data(), fds.size_bytes());
        }
        return ::sendmsg(socket_.get(), &m, MSG_NOSIGNAL | MSG_DONTWAIT);
    }

    void receive_bytes() {
        std::array<u8, 65536> some;
        for (;;) {
            const ssize_t n = ::recv(socket_.get(), some.data(), some.size(), MSG_DONTWAIT);
            if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
                closed_ = true;
            if (n <= 0)
                return;
            in_.insert(in_.end(), some.begin(), some.begin() + n);
        }
    }

    std::optional<message> take() {
        message m;
        if (in_.size() < sizeof(m.head))
            return std::nullopt;
        std::memcpy(&m.head, in_.data(), sizeof(m.head));
        if (m.head.size < sizeof(m.head) || in_.size() < m.head.size)
            return std::nullopt;
        const auto end = in_.begin() + m.head.size;
        m.payload.assign(in_.begin() + sizeof(m.head), end);
        in_.erase(in_.begin(), end);
        return m;
    }

    [[nodiscard]] bool wants_memory(const message& m) const {
        const auto command = static_cast<wire::command>(m.head.command);
        return offers_ && (m.head.flags & wire::type_mask) == wire::type_command &&
               (command == wire::command::dma_read || command == wire::command::dma_write);
    }
    void answer_memory(const message& m) {
        const auto command = static_cast<wire::command>(m.head.command);
        auto a = m.as<wire::dma_access>();
        if (as_qemu_)
            a.count = static_cast<u32>(a.count);
        const u64 at = a.address - base_;
        if (a.address < base_ || at > offered_.size() || a.count > offered_.size() - at) {
            send_raw(build(m.head.id, command, {}, wire::type_reply | wire::error));
            return;
        }
        const auto place = offered_.subspan(at, a.count);
        const std::size_t data = as_qemu_ ? sizeof(u64) + sizeof(u32) : sizeof(a);
        std::vector<u8> payload(bytes_of(a).begin(), bytes_of(a).end());
        if (command == wire::command::dma_read) {
            payload.resize(sizeof(a) + a.count);
            std::copy(place.begin(), place.end(),
                      payload.begin() + static_cast<std::ptrdiff_t>(data));
        } else {
            std::copy_n(m.payload.begin() + static_cast<std::ptrdiff_t>(data), a.count,
                        place.begin());
            if (as_qemu_)
                payload.clear();
        }
        send_raw(build(m.head.id, command, payload, wire::type_reply));
    }

    unique_fd socket_;
    std::function<void()> turn_;
    std::vector<u8> in_;
    bool closed_ = false;
    u16 next_id_ = 1;
    bool offers_ = false;
    u64 base_ = 0;
    std::span<u8> offered_;
    bool as_qemu_ = false;
    bool waits_ = false;
    std::vector<message> held_;
};

} // namespace spinup::test
