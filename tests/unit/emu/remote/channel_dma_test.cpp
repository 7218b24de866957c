#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <numeric>
#include <poll.h>
#include <thread>

#include "connected_channel.hpp"

namespace spinup::remote {
namespace {

using namespace std::chrono_literals;
using test::bytes_of;
using test::vfio_client;
using bytes = std::vector<u8>;
using wire::command;
using ChannelDma = test::connected_channel;

// Without patience the answer must be there already, which needs no second thread.

TEST_F(ChannelDma, what_comes_before_an_answer_is_served_and_what_comes_behind_waits) {
    client->send_raw(posted(1));
    refuse_too_much();
    client->send_raw(posted(2));
    client->send_raw(data_reply(1, {1, 2, 3, 4}));
    client->send_raw(posted(3));
    bytes into(4);
    EXPECT_TRUE(c->read_memory(0x5000, into, serve));
    EXPECT_EQ(into, (bytes{1, 2, 3, 4}));
    EXPECT_EQ(served, 2u);
    all();
    while (auto m = c->next())
        stored.push_back(std::move(m->bytes));
    EXPECT_EQ(stored, (std::vector<bytes>{posted(1), posted(2), posted(3)}));
}

TEST_F(ChannelDma, who_is_served_meanwhile_may_need_memory_too) {
    refuse_too_much();
    client->send_raw(posted(1));
    client->send_raw(data_reply(1, {1, 1, 1, 1})); // of the outer question, before the inner's
    client->send_raw(data_reply(2, {2, 2, 2, 2}));
    bytes outer(4);
    bytes inner(4);
    EXPECT_TRUE(c->read_memory(0x5000, outer, [&](const incoming_message&) {
        EXPECT_TRUE(c->read_memory(0x6000, inner, serve));
        return true;
    }));
    EXPECT_EQ(outer, bytes(4, 1));
    EXPECT_EQ(inner, bytes(4, 2));
    EXPECT_TRUE(c->open());
}

TEST_F(ChannelDma, an_answer_that_was_given_up_may_still_come) {
    refuse_too_much();
    client->send_raw(posted(1));
    bytes into(4);
    EXPECT_FALSE(c->read_memory(0x5000, into, give_up));
    EXPECT_TRUE(c->open());
    client->send_raw(data_reply(1, {1, 2, 3, 4}));
    client->send_raw(posted(2));
    all();
    EXPECT_EQ(stored, std::vector<bytes>{posted(2)});
    EXPECT_TRUE(c->open());
    client->send_raw(data_reply(1, {1, 2, 3, 4})); // but once
    all();
    EXPECT_EQ(c->why(), "a reply to nothing that was asked");
}

TEST_F(ChannelDma, a_client_that_answers_nothing_cannot_have_it_given_up_for_ever) {
    bytes into(4);
    u32 asked = 0;
    for (; asked < 2000 && c->open(); ++asked) {
        client->send_raw(posted(1));
        EXPECT_FALSE(c->read_memory(0x5000, into, give_up));
    }
    EXPECT_EQ(c->why(), "more than 1000 questions without an answer");
    EXPECT_EQ(asked, 1001u);
}

TEST_F(ChannelDma, descriptors_of_messages_around_an_answer_stay_with_them) {
    const auto a = test::new_eventfd();
    const int fd = a.get();
    std::vector<std::size_t> fds;
    refuse_too_much();
    client->send_raw(mapping(), {&fd, 1});
    client->send_raw(vfio_client::build(1, command::dma_write, {}, wire::type_reply));
    client->send_raw(posted(1));
    client->send_raw(mapping(), {&fd, 1});
    EXPECT_TRUE(c->write_memory(0x5000, bytes(4), [&](const incoming_message& m) {
        fds.push_back(m.fds.size());
        return true;
    }));
    do
        while (auto m = c->next())
            fds.push_back(m->fds.size());
    while (c->read());
    EXPECT_EQ(fds, (std::vector<std::size_t>{1, 0, 1}));
}

TEST_F(ChannelDma, a_client_that_gives_four_bytes_for_four_gigabytes_has_QEMUs_layout) {
    client->send_raw(data_reply(0, {0, 0, 0, 0})); // what was asked for, modulo 2^32
    const wire::dma_access a{0x5000, 4};
    bytes reply(bytes_of(a).begin(), bytes_of(a).begin() + 12);
    reply.insert(reply.end(), {1, 2, 3, 4, 0, 0, 0, 0});
    client->send_raw(vfio_client::build(1, command::dma_read, reply, wire::type_reply));
    bytes into(4);
    EXPECT_TRUE(c->read_memory(0x5000, into, serve));
    EXPECT_EQ(into, (bytes{1, 2, 3, 4}));
    const auto question = client->receive();
    ASSERT_TRUE(question);
    EXPECT_EQ(question->as<wire::dma_access>().count, 0x1'0000'0004u);
}

TEST_F(ChannelDma, a_refusal_is_no_answer_but_no_end_either) {
    refuse_too_much();
    client->send_raw(vfio_client::build(1, command::dma_read, {}, wire::type_reply | wire::error));
    bytes into(4);
    EXPECT_FALSE(c->read_memory(0x5000, into, serve));
    EXPECT_TRUE(c->open());
}

TEST_F(ChannelDma, no_answer_in_time_ends_it) {
    bytes into(4);
    EXPECT_FALSE(c->read_memory(0x5000, into, serve));
    EXPECT_EQ(c->why(), "no answer from the client's memory in time");
    EXPECT_FALSE(c->read_memory(0x5000, into, serve)); // and does not wait again
}

TEST_F(ChannelDma, wrong_answers_end_it) {
    client->send_raw(vfio_client::build(77, command::dma_read, {}, wire::type_reply));
    bytes into(4);
    EXPECT_FALSE(c->read_memory(0x5000, into, serve));
    EXPECT_EQ(c->why(), "a reply to nothing that was asked");
}

TEST_F(ChannelDma, answers_of_a_wrong_size_end_it) {
    refuse_too_much();
    client->send_raw(vfio_client::build(1, command::dma_read, bytes(19), wire::type_reply));
    bytes into(4);
    EXPECT_FALSE(c->read_memory(0x5000, into, serve));
    EXPECT_EQ(c->why(), "35 bytes in answer to a DMA_READ of 4");
}

TEST_F(ChannelDma, talking_of_something_else_buys_no_time) {
    std::thread flood{[s = unique_fd{::dup(client->fd())}] {
        const bytes m = vfio_client::build(1, command::region_write, bytes(100'000));
        vfio_client v{unique_fd{::dup(s.get())}, [&s] {
                          pollfd p{s.get(), POLLOUT, 0};
                          ::poll(&p, 1, -1);
                      }};
        while (!v.closed())
            v.send_raw(m);
    }};
    bytes into(4);
    const channel::interruption wait_for_more = [this](const incoming_message&) {
        pollfd p{c->fd(), POLLIN, 0};
        ::poll(&p, 1, -1);
        return true;
    };
    pollfd p{c->fd(), POLLIN, 0};
    ::poll(&p, 1, -1);
    EXPECT_FALSE(c->read_memory(0x5000, into, wait_for_more));
    EXPECT_EQ(c->why(), "no answer from the client's memory in time");
    c.reset();
    flood.join();
}

TEST_F(ChannelDma, memory_is_moved_in_pieces_that_the_client_takes) {
    c.reset();
    auto [theirs, ours] = test::socket_pair();
    c.emplace(std::move(ours), 60s);
    c->set_max_transfer(4096);
    bytes guest(10'000);
    std::iota(guest.begin(), guest.end(), u8{1});
    const bytes before = guest;
    std::thread answers{[s = std::move(theirs), &guest]() mutable {
        const int fd = s.get();
        vfio_client v{std::move(s), [fd] {
                          pollfd p{fd, POLLIN, 0};
                          ::poll(&p, 1, -1);
                      }};
        v.offer_memory(0x10000, guest);
        EXPECT_FALSE(v.wait()); // nothing but requests for memory, until the end
    }};
    bytes copy(guest.size());
    EXPECT_EQ(c->read_memory(0x10000, copy, serve), 4096u);
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + 4096, copy.begin()));
    const bytes zeroes(10'000);
    EXPECT_EQ(c->write_memory(0x10000 + 5, zeroes, serve), 4096u);
    EXPECT_FALSE( // refused
        c->read_memory(0x10000 + guest.size() - 1, {copy.data(), 2}, serve));
    EXPECT_TRUE(c->open());
    c.reset();
    answers.join();
    bytes expected = before;
    std::fill_n(expected.begin() + 5, 4096, u8{0});
    EXPECT_EQ(guest, expected);
}

TEST_F(ChannelDma, a_client_that_leaves_during_dma_is_noticed_at_once) {
    c.reset();
    auto [theirs, ours] = test::socket_pair();
    c.emplace(std::move(ours), 60s);
    theirs.reset();
    bytes into(4);
    EXPECT_FALSE(c->read_memory(0x5000, into, serve));
    EXPECT_TRUE(c->left());
}

// As the loop holds them back, while it is not waiting itself.
TEST_F(ChannelDma, a_signal_to_end_ends_the_wait_but_not_the_connection) {
    c.reset();
    auto [theirs, ours] = test::socket_pair();
    c.emplace(std::move(ours), 60s);
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigset_t before;
    ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &term, &before), 0);
    ::raise(SIGTERM);
    bytes into(4);
    EXPECT_FALSE(c->read_memory(0x5000, into, serve));
    EXPECT_TRUE(c->open());
    const timespec now{};
    EXPECT_EQ(::sigtimedwait(&term, nullptr, &now), SIGTERM) << "it is still the loop's to take";
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

} // namespace
} // namespace spinup::remote
