// The guest's memory by messages: what the server asks, and waiting for the answer.
#include "emu/remote/channel.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <utility>

namespace spinup::remote {

namespace {

// A client that leaves so many questions unanswered does not mean to answer. Each was given up for
// a reset of the device, and no guest resets as often within the time that an answer takes.
constexpr std::size_t given_up_max = 1000;

bool refused(std::span<const u8> reply) { return (header_of(reply).flags & wire::error) != 0; }

bool answers(const wire::header& reply, const wire::header& question) {
    return reply.id == question.id && reply.command == question.command;
}

} // namespace

void channel::hand_out(incoming_message reply) {
    const wire::header h = header_of(reply.bytes);
    const auto asker = std::find_if(questions_.begin(), questions_.end(), [&h](const question* q) {
        return q->reply.empty() && answers(h, q->head);
    });
    if (asker != questions_.end()) {
        (*asker)->reply = std::move(reply.bytes);
        return;
    }
    const auto late = std::find_if(given_up_.begin(), given_up_.end(),
                                   [&h](const wire::header& q) { return answers(h, q); });
    if (late != given_up_.end())
        given_up_.erase(late);
    else
        close("a reply to nothing that was asked");
}

channel::woken channel::wait_for_socket(clock::time_point until) {
    const auto left = std::max(until - clock::now(), clock::duration::zero());
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec limit{whole.count(), (left - whole).count()};
    const int interests = wants_write() ? POLLIN | POLLOUT : POLLIN;
    std::array<pollfd, 2> p{
        {{socket_.get(), static_cast<short>(interests), 0}, {ends_.get(), POLLIN, 0}}};
    const int n = ::ppoll(p.data(), p.size(), &limit, nullptr);
    if (n == 0)
        return woken::by_time;
    if (n > 0 && p[1].revents != 0)
        return woken::by_signal;
    if (n > 0 && (p[0].revents & POLLOUT) != 0)
        write();
    return woken::by_socket;
}

std::optional<std::vector<u8>> channel::ask(clock::time_point until,
                                            const interruption& meanwhile) {
    question q{header_of(asking_), {}};
    ++next_id_;
    questions_.push_back(&q);
    send(asking_);
    bool wanted = true;
    std::size_t overtime = 0;
    while (open_ && wanted && q.reply.empty()) {
        if (auto m = pop()) {
            // What was there when the time was over still counts, but the client cannot buy more
            // time by talking of something else.
            if (clock::now() >= until)
                overtime += m->bytes.size();
            if (is_reply(*m))
                hand_out(std::move(*m));
            else if (overtime > kept_max)
                close("no answer from the client's memory in time");
            else
                wanted = meanwhile(std::move(*m));
            continue;
        }
        switch (wait_for_socket(until)) {
        case woken::by_socket:
            read();
            break;
        case woken::by_time:
            close("no answer from the client's memory in time");
            break;
        case woken::by_signal:
            wanted = false;
            break;
        }
    }
    questions_.erase(std::find(questions_.begin(), questions_.end(), &q));
    if (q.reply.empty()) {
        given_up_.push_back(q.head);
        if (given_up_.size() > given_up_max)
            close(fmt::format("more than {} questions without an answer", given_up_max));
        return std::nullopt;
    }
    return std::move(q.reply);
}

// The question is for 4 GiB and four bytes. Who counts in 64 bits refuses so much; QEMU's structure
// has 32 bits for the count, and gives four bytes.
bool channel::learn_layout(u64 address, clock::time_point until, const interruption& meanwhile) {
    constexpr u64 few = 4;
    asking_.clear();
    encode_dma_read(asking_, next_id_, address, (u64{1} << 32) | few);
    const auto reply = ask(until, meanwhile);
    if (!reply)
        return false;
    layout_ = refused(*reply) ? dma_layout::specified : dma_layout::count32;
    return true;
}

std::size_t channel::read_memory(u64 address, std::span<u8> into, const interruption& meanwhile) {
    const auto until = clock::now() + patience_;
    if (!layout_ && !learn_layout(address, until, meanwhile))
        return 0;
    const std::size_t n = std::min<std::size_t>(into.size(), max_transfer_);
    asking_.clear();
    encode_dma_read(asking_, next_id_, address, n);
    const auto reply = ask(until, meanwhile);
    if (!reply || refused(*reply))
        return 0;
    constexpr std::size_t head = sizeof(wire::header) + sizeof(wire::dma_access);
    if (reply->size() != head + n) {
        close(fmt::format("{} bytes in answer to a DMA_READ of {}", reply->size(), n));
        return 0;
    }
    std::memcpy(into.data(), reply->data() + sizeof(wire::header) + dma_data_offset(*layout_), n);
    return n;
}

std::size_t channel::write_memory(u64 address, std::span<const u8> from,
                                  const interruption& meanwhile) {
    const auto until = clock::now() + patience_;
    if (!layout_ && !learn_layout(address, until, meanwhile))
        return 0;
    const std::size_t n = std::min<std::size_t>(from.size(), max_transfer_);
    asking_.clear();
    encode_dma_write(asking_, next_id_, address, from.first(n), *layout_);
    // The specification's answer repeats address and count, QEMU's is a bare header.
    const auto reply = ask(until, meanwhile);
    return reply && !refused(*reply) ? n : 0;
}

} // namespace spinup::remote
