#include "emu/remote/irq_eventfds.hpp"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

namespace spinup::remote {

namespace {

/// Files without a name and of no type: eventfds, and others that fail a write at once.
bool acceptable(const unique_fd& fd) {
    struct stat s {};
    if (::fstat(fd.get(), &s) != 0 || (s.st_mode & S_IFMT) != 0)
        return false;
    const int flags = ::fcntl(fd.get(), F_GETFL);
    return flags >= 0 && ::fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK) == 0;
}

void signal(const unique_fd& eventfd) {
    // Its owner may have made it block again, and have filled it.
    pollfd room{eventfd.get(), POLLOUT, 0};
    if (::poll(&room, 1, 0) != 1)
        return;
    const u64 one = 1;
    // It fails if the counter is at its limit, or if this is no eventfd after all. There is nobody
    // to tell in either case.
    [[maybe_unused]] const auto written = ::write(eventfd.get(), &one, sizeof(one));
}

} // namespace

void irq_eventfds::message() {
    if (msi_)
        signal(msi_);
    else if (masked_)
        due_ = true;
    else
        raise_intx();
}

void irq_eventfds::level(bool asserted) {
    asserted_ = asserted;
    if (asserted_ && !masked_)
        raise_intx();
}

void irq_eventfds::raise_intx() {
    if (!intx_)
        return;
    masked_ = true;
    due_ = false;
    signal(intx_);
}

int irq_eventfds::set_msi(unique_fd eventfd) {
    if (eventfd && !acceptable(eventfd))
        return EINVAL;
    msi_ = std::move(eventfd);
    return 0;
}

int irq_eventfds::set_intx(unique_fd eventfd) {
    if (eventfd && !acceptable(eventfd))
        return EINVAL;
    intx_ = std::move(eventfd);
    due_ = due_ && intx_;
    unmask_intx();
    return 0;
}

void irq_eventfds::unmask_intx() {
    masked_ = false;
    if (asserted_ || due_)
        raise_intx();
}

bool irq_eventfds::trigger_msi() {
    if (msi_)
        signal(msi_);
    return static_cast<bool>(msi_);
}

bool irq_eventfds::trigger_intx() {
    raise_intx();
    return static_cast<bool>(intx_);
}

void irq_eventfds::forget() {
    msi_.reset();
    intx_.reset();
    asserted_ = false;
    due_ = false;
    masked_ = false;
}

} // namespace spinup::remote
