// The server under a hostile guest, with an HBA and a disk behind it.
//
// Checked, beside what the sanitizers and CHECK see: every well-formed request gets one answer, in
// order, or the connection ends; the server is free again after the client has gone; no descriptor
// is left behind. Time is virtual, so an input always does the same.
#include "fuzz/hostile_guest.hpp"

#include <poll.h>
#include <spinup/base/check.hpp>

namespace spinup::fuzz {

const std::string& socket_path() {
    static const test::scratch_folder folder;
    static const std::string path = folder.file("s");
    return path;
}

void hostile_guest::run() {
    connect();
    for (u32 steps = 0; steps < steps_max && !in_.ended(); ++steps) {
        act();
        if (in_.below(4) != 0)
            settle();
    }
    lazy_ = false;
    settle();
    CHECK(!tracked_ || client_->closed() || expected_.empty());
    client_->disconnect();
    settle();
    CHECK(!server_->connected());
    CHECK(!machine_.hba().powered());
}

bool hostile_guest::turn() {
    interests_.clear();
    server_->interests(interests_);
    std::array<pollfd, 4> polls{};
    CHECK(interests_.size() <= polls.size());
    for (std::size_t i = 0; i < interests_.size(); ++i)
        polls[i] = {interests_[i].fd,
                    static_cast<short>(interests_[i].write ? POLLIN | POLLOUT : POLLIN), 0};
    const int ready = ::poll(polls.data(), interests_.size(), 0);
    line_.run_until(line_.now());
    for (std::size_t i = 0; i < interests_.size(); ++i)
        if (polls[i].revents != 0)
            server_->ready(polls[i].fd, (polls[i].revents & ~POLLOUT) != 0,
                           (polls[i].revents & POLLOUT) != 0);
    while (server_->step())
        line_.run_until(line_.now());
    return ready > 0;
}

void hostile_guest::settle() {
    u32 turns = 0;
    bool more = true;
    while (more) {
        while (turn())
            CHECK(++turns < turns_max);
        more = false;
        for (; !lazy_; more = true) {
            const auto m = client_->receive();
            if (!m)
                break;
            take(*m);
        }
    }
}

void hostile_guest::take(const vfio_client::message& m) {
    if ((m.head.flags & wire::type_mask) == wire::type_command) {
        const auto c = static_cast<command>(m.head.command);
        CHECK(c == command::dma_read || c == command::dma_write);
        CHECK(m.head.id == asked_++);
        return;
    }
    CHECK((m.head.flags & wire::type_mask) == wire::type_reply);
    CHECK(m.ok() || m.payload.empty());
    if (!tracked_)
        return;
    CHECK(!expected_.empty());
    CHECK(m.head.id == expected_.front().first);
    CHECK(m.head.command == static_cast<u16>(expected_.front().second));
    expected_.pop_front();
}

void hostile_guest::connect() {
    client_.emplace(test::connect_to(socket_path()), [this] { turn(); });
    expected_.clear();
    asked_ = 0;
    tracked_ = true;
    lazy_ = false;
    settle();
    if (in_.rarely())
        return;
    send(command::version, vfio_client::version_payload());
    with_file_ = in_.below(4) != 0;
    const int fd = memory_.fd();
    send(command::dma_map, bytes_of(wire::dma_map{32, 3, 0, ram, ram_size}), 0,
         {&fd, with_file_ ? 1u : 0u});
    write(wire::region_config, 4, 0x0406, false);
    settle();
}

} // namespace spinup::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::size_t before = spinup::fuzz::open_descriptors();
    spinup::fuzz::hostile_guest{{data, size}}.run();
    CHECK(spinup::fuzz::open_descriptors() == before);
    return 0;
}
