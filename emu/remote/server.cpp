#include "emu/remote/server.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <utility>

namespace spinup::remote {

namespace {

// One client is served; a second one must get far enough to be told so.
constexpr int backlog = 4;
constexpr mode_t socket_mode = 0600;
// Another server holds the folder's lock for some microseconds; but anyone may hold it for ever.
constexpr int lock_tries = 100;
constexpr std::chrono::milliseconds lock_pause{10};

user_error mistake(const std::string& path, std::string message, std::string hint) {
    return {{path, 0, 0}, std::move(message), std::move(hint)};
}

user_error failed(const std::string& path, std::string_view what) {
    return mistake(path, fmt::format("{}: {}", what, std::strerror(errno)), "");
}

/// The address of a path; nothing if it does not fit with its NUL.
std::optional<sockaddr_un> address_of(const std::string& path) {
    sockaddr_un a{};
    a.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof(a.sun_path))
        return std::nullopt;
    std::memcpy(a.sun_path, path.data(), path.size());
    return a;
}

template <class Call> int call(Call function, int fd, const sockaddr_un& a) {
    return function(fd, reinterpret_cast<const sockaddr*>(&a), sizeof(a));
}

/// What stands at the path is a socket. Removes it if nobody listens there any more.
status remove_stale(const std::string& path, const sockaddr_un& address) {
    // A datagram socket cannot connect to a listening stream socket, but it learns whether there is
    // one (EPROTOTYPE), and the other server never sees a client that leaves at once.
    const unique_fd probe{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    if (!probe)
        return failed(path, "no socket");
    if (call(::connect, probe.get(), address) == 0 || errno == EPROTOTYPE)
        return mistake(path, "somebody listens on this socket already",
                       "end the other server, or choose another path");
    if (errno != ECONNREFUSED)
        return failed(path, "cannot tell whether somebody listens on this socket");
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
        return failed(path, "cannot remove the socket that a server has left behind");
    return std::nullopt;
}

/// Servers that start at the same moment take their turns, or one could remove the socket that
/// another has just put in place of a stale one. The lock goes with the descriptor. Returns: none,
/// and errno, if the folder cannot be had, or not in a second.
unique_fd lock_folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    unique_fd out{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    for (int tries = 1; out && ::flock(out.get(), LOCK_EX | LOCK_NB) != 0; ++tries) {
        if (errno != EWOULDBLOCK || tries == lock_tries)
            return {};
        std::this_thread::sleep_for(lock_pause);
    }
    return out;
}

user_error bind_failed(const std::string& path) {
    if (errno == ENOENT)
        return mistake(path, "the folder does not exist", "create it, or choose another path");
    if (errno == EADDRINUSE)
        return mistake(path, "somebody has just created this file", "choose another path");
    if (errno == EWOULDBLOCK)
        return mistake(path, "somebody holds a lock on the folder of this socket",
                       "choose a folder of your own, or see lslocks(8)");
    return failed(path, "cannot create the socket");
}

} // namespace

result<server::listener> server::open(const std::string& path) {
    const auto address = address_of(path);
    if (!address)
        return mistake(path,
                       fmt::format("the path of a socket has 1 to {} bytes, this one {}",
                                   sizeof(sockaddr_un::sun_path) - 1, path.size()),
                       "choose a shorter one, for instance in /run or /tmp");
    const unique_fd lock = lock_folder_of(path);
    if (!lock)
        return bind_failed(path);
    struct stat found {};
    if (::lstat(path.c_str(), &found) == 0) {
        if (!S_ISSOCK(found.st_mode))
            return mistake(path, "is there and not a socket, so it stays",
                           "choose another path, or remove it");
        if (auto error = remove_stale(path, *address))
            return *error;
    }
    listener l{path, unique_fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)}};
    if (!l.socket)
        return failed(path, "no socket");
    // The file gets the mode of the socket at bind(), less the umask: it is never open to others.
    if (::fchmod(l.socket.get(), socket_mode) != 0)
        return failed(path, "cannot restrict the socket to its owner");
    if (call(::bind, l.socket.get(), *address) != 0)
        return bind_failed(path);
    struct stat made {};
    if (::lstat(path.c_str(), &made) != 0)
        return failed(path, "the socket is gone again");
    l.device = made.st_dev;
    l.inode = made.st_ino;
    if (::listen(l.socket.get(), backlog) != 0)
        return failed(path, "cannot listen");
    return l;
}

result<std::unique_ptr<server>> server::listen(const std::string& path, trace& log,
                                               const pci_identity& identity) {
    auto l = open(path);
    if (!l)
        return l.error();
    return std::unique_ptr<server>{new server{std::move(*l), log, identity}};
}

server::server(listener ours, trace& log, const pci_identity& identity)
    : ours_(std::move(ours)), trace_(log), identity_(identity) {
    memory_.set_remote(this);
}

server::~server() {
    struct stat found {};
    if (::lstat(ours_.path.c_str(), &found) == 0 && found.st_dev == ours_.device &&
        found.st_ino == ours_.inode)
        ::unlink(ours_.path.c_str());
}

void server::serve(platform& machine) {
    device_.emplace(machine, trace_, memory_, interrupts_, identity_);
}

void server::interests(std::vector<interest>& into) const {
    if (!device_)
        return;
    // The client first: one that has left makes room for the next.
    if (channel_ && channel_->open())
        into.push_back({channel_->fd(), true, channel_->wants_write()});
    if (std::chrono::steady_clock::now() >= rests_until_)
        into.push_back({ours_.socket.get(), true, false});
}

void server::ready(int fd, bool readable, bool writable) {
    if (fd == ours_.socket.get()) {
        if (readable)
            accept();
        return;
    }
    if (!channel_ || fd != channel_->fd())
        return;
    if (writable)
        channel_->write();
    if (readable)
        channel_->read();
}

void server::accept() {
    // Once the last one's messages have been carried out there is room. The socket stays readable.
    if (channel_ && channel_->leaving())
        return;
    unique_fd client{::accept4(ours_.socket.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    // Somebody who waits keeps the socket readable. The loop's tick looks at it again later.
    if (!client && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
        rests_until_ = std::chrono::steady_clock::now() + rest_;
    if (!client || channel_)
        return;
    channel_.emplace(std::move(client), patience_);
    device_->attach();
}

bool server::step() {
    if (!channel_)
        return false;
    if (auto due = std::exchange(postponed_, std::nullopt)) {
        carry_out(due->what);
        return true;
    }
    if (auto message = channel_->next()) {
        auto what = decode(message->bytes, std::move(message->fds));
        carry_out(what);
        return true;
    }
    if (channel_->open())
        return false;
    drop_client();
    return true;
}

void server::drop_client() {
    trouble_ = channel_->left() ? std::string{} : channel_->why();
    // The device first: what it lets go of must not ask a client that is not there.
    channel_.reset();
    device_->detach();
    ++clients_gone_;
    rests_until_ = {}; // its descriptors are free again
}

// May be called from inside itself, by way of the HBA's memory.
void server::carry_out(decoded& what) {
    if (const auto* no = std::get_if<refusal>(&what)) {
        out_.clear();
        if (!no->posted)
            encode_error(out_, *no);
        channel_->send(out_);
        return;
    }
    auto& r = std::get<request>(what);
    const bool may_be_early = !r.posted && device_->writes_registers(r);
    const request* const outer = std::exchange(unanswered_, may_be_early ? &r : nullptr);
    const auto answer = device_->handle(r);
    const bool was_early = may_be_early && unanswered_ == nullptr;
    unanswered_ = outer;
    const auto* version = std::get_if<ask::version>(&r.body);
    if (version != nullptr && answer.error_number == 0)
        channel_->set_max_transfer(version->max_data_transfer);
    if (!was_early)
        reply(r, answer);
}

void server::reply(const request& to, const vfio_device::answer& answer) {
    if (to.posted)
        return;
    out_.clear();
    if (answer.error_number == 0)
        encode_reply(out_, to, answer.payload);
    else
        encode_error(out_, {to.id, static_cast<u16>(to.command), false, answer.error_number});
    channel_->send(out_);
}

// A client that waits for the write's answer may be the one who has to give us its memory.
bool server::may_ask() {
    if (!channel_ || postponed_)
        return false;
    if (const request* const write = std::exchange(unanswered_, nullptr))
        reply(*write, device_->answer_to_write(*write));
    return true;
}

bool server::meanwhile(incoming_message message) {
    auto what = decode(message.bytes, std::move(message.fds));
    const auto* r = std::get_if<request>(&what);
    if (r != nullptr && vfio_device::resets(*r))
        postponed_ = {std::move(message.bytes), std::move(what)};
    else
        carry_out(what);
    return !postponed_;
}

std::size_t server::read(u64 address, void* into, std::size_t bytes) {
    if (!may_ask())
        return 0;
    return channel_->read_memory(address, {static_cast<u8*>(into), bytes},
                                 [this](incoming_message m) { return meanwhile(std::move(m)); });
}

std::size_t server::write(u64 address, const void* from, std::size_t bytes) {
    if (!may_ask())
        return 0;
    return channel_->write_memory(address, {static_cast<const u8*>(from), bytes},
                                  [this](incoming_message m) { return meanwhile(std::move(m)); });
}

} // namespace spinup::remote
