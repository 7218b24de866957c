#include "emu/remote/channel.hpp"

#include "emu/remote/end_signals.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <utility>

namespace spinup::remote {

namespace {

/// The descriptors that a message brought. Takes ownership of all of them.
std::vector<unique_fd> received(msghdr& m) {
    std::vector<unique_fd> fds;
    for (cmsghdr* c = CMSG_FIRSTHDR(&m); c != nullptr; c = CMSG_NXTHDR(&m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
            fds.emplace_back(fd);
        }
    }
    return fds;
}

/// No message brings a socket for anything. Somebody who sends us their own end of the connection,
/// with half a message, would keep us from ever seeing them leave.
bool any_socket(const std::vector<unique_fd>& fds) {
    return std::any_of(fds.begin(), fds.end(), [](const unique_fd& fd) {
        struct stat s {};
        return ::fstat(fd.get(), &s) != 0 || S_ISSOCK(s.st_mode);
    });
}

} // namespace

bool is_reply(const incoming_message& m) {
    return (header_of(m.bytes).flags & wire::type_mask) == wire::type_reply;
}

channel::channel(unique_fd socket, duration patience)
    : socket_(std::move(socket)), patience_(patience) {
    const sigset_t ends = end_signals();
    ends_.reset(::signalfd(-1, &ends, SFD_NONBLOCK | SFD_CLOEXEC));
}

void channel::close(std::string why) {
    if (!open_)
        return;
    open_ = false;
    why_ = std::move(why);
    begin_ = tail_ = end_ = 0;
    fds_.clear();
    kept_.clear();
    kept_at_ = 0;
}

void channel::hung_up() {
    if (tail_ != end_) {
        close("the client closed the connection in the middle of a message");
        return;
    }
    // What came before is still good: posted writes need nobody who waits for an answer.
    open_ = false;
    left_ = true;
    why_ = "the client closed the connection";
}

bool channel::leaving() const {
    pollfd p{socket_.get(), POLLRDHUP, 0};
    return !open_ || ::poll(&p, 1, 0) == 1;
}

std::size_t channel::wanted() const {
    const std::size_t have = end_ - tail_;
    if (have < sizeof(wire::header))
        return probe - have;
    return header_of(std::span{in_}.subspan(tail_)).size - have + probe;
}

void channel::make_room(std::size_t bytes) {
    if (end_ + bytes <= in_.size())
        return;
    if (begin_ != 0) {
        std::memmove(in_.data(), in_.data() + begin_, end_ - begin_);
        tail_ -= begin_;
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ + bytes > in_.size())
        in_.resize(end_ + bytes);
}

bool channel::read() {
    while (open_) {
        const std::size_t want = wanted();
        make_room(want);
        iovec where{in_.data() + end_, want};
        alignas(cmsghdr) std::array<u8, CMSG_SPACE(sizeof(int) * wire::max_fds)> control;
        msghdr m{};
        m.msg_iov = &where;
        m.msg_iovlen = 1;
        m.msg_control = control.data();
        m.msg_controllen = control.size();
        const ssize_t n = ::recvmsg(socket_.get(), &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            if (errno == ECONNRESET)
                hung_up();
            else if (errno != EAGAIN)
                close(fmt::format("reading failed: {}", std::strerror(errno)));
            break;
        }
        std::vector<unique_fd> fds = received(m);
        if ((m.msg_flags & MSG_CTRUNC) != 0)
            close(fmt::format("more than {} file descriptors with a message", wire::max_fds));
        else if (any_socket(fds))
            close("a socket among the file descriptors of a message");
        else if (n == 0)
            hung_up();
        else
            arrived(static_cast<std::size_t>(n), std::move(fds));
        // Short: the socket is empty. A whole message: do that first, there may be much behind it.
        if (static_cast<std::size_t>(n) < want || begin_ != tail_)
            break;
    }
    return begin_ != tail_;
}

void channel::arrived(std::size_t bytes, std::vector<unique_fd> fds) {
    const std::size_t before = end_;
    end_ += bytes;
    std::optional<u64> started; // the last message that begins in these bytes
    for (;;) {
        if (tail_ >= before && tail_ < end_)
            started = arrived_;
        if (end_ - tail_ < sizeof(wire::header))
            break;
        const wire::header h = header_of(std::span{in_}.subspan(tail_));
        if (!plausible(h)) {
            close(fmt::format("a message of {} bytes, command {}, flags {:#x}", h.size, h.command,
                              h.flags));
            return;
        }
        if (end_ - tail_ < h.size)
            break;
        tail_ += h.size;
        ++arrived_;
    }
    if (fds.empty())
        return;
    if (started)
        fds_.push_back({*started, std::move(fds)});
    else
        close("file descriptors in the middle of a message");
}

std::vector<unique_fd> channel::take_fds() {
    std::vector<unique_fd> fds;
    if (!fds_.empty() && fds_.front().message == taken_) {
        fds = std::move(fds_.front().fds);
        fds_.pop_front();
    }
    ++taken_;
    return fds;
}

std::optional<incoming_message> channel::pop() {
    if (begin_ == tail_)
        return std::nullopt;
    incoming_message m{{}, take_fds()};
    const auto from = in_.begin() + static_cast<std::ptrdiff_t>(begin_);
    const u32 size = header_of(std::span{in_}.subspan(begin_)).size;
    m.bytes.assign(from, from + size);
    begin_ += size;
    if (begin_ == end_)
        begin_ = tail_ = end_ = 0;
    return m;
}

std::optional<incoming_message> channel::next() {
    while (auto m = pop()) {
        if (!is_reply(*m))
            return m;
        hand_out(std::move(*m));
    }
    return std::nullopt;
}

std::size_t channel::send_some(std::span<const u8> bytes) {
    std::size_t sent = 0;
    while (open_ && sent < bytes.size()) {
        const ssize_t n = ::send(socket_.get(), bytes.data() + sent, bytes.size() - sent,
                                 MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0) {
            sent += static_cast<std::size_t>(n);
        } else if (errno == EPIPE || errno == ECONNRESET) {
            hung_up();
        } else if (errno == EAGAIN) {
            break;
        } else if (errno != EINTR) {
            close(fmt::format("writing failed: {}", std::strerror(errno)));
        }
    }
    return sent;
}

void channel::send(std::span<const u8> bytes) {
    if (!open_)
        return;
    const std::size_t sent = wants_write() ? 0 : send_some(bytes);
    if (!open_ || sent == bytes.size())
        return;
    if (kept_.size() - kept_at_ + bytes.size() - sent > kept_max) {
        close(fmt::format("the client leaves more than {} bytes unread", kept_max));
        return;
    }
    kept_.insert(kept_.end(), bytes.begin() + static_cast<std::ptrdiff_t>(sent), bytes.end());
}

void channel::write() {
    if (!wants_write())
        return;
    kept_at_ += send_some(std::span{kept_}.subspan(kept_at_));
    // A client that is always a little behind must not make this grow: the sent part goes away.
    if (open_ && kept_at_ * 2 > kept_.size()) {
        kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(kept_at_));
        kept_at_ = 0;
    }
}

} // namespace spinup::remote
