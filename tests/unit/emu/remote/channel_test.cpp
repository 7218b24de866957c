#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

#include "connected_channel.hpp"

namespace spinup::remote {
namespace {

using namespace std::chrono_literals;
using test::bytes_of;
using test::vfio_client;
using bytes = std::vector<u8>;
using wire::command;

using Channel = test::connected_channel;

TEST_F(Channel, gives_whole_messages_in_order) {
    for (u32 i = 0; i < 20; ++i)
        client->send_raw(posted(i));
    all();
    ASSERT_EQ(stored.size(), 20u);
    for (u32 i = 0; i < 20; ++i)
        EXPECT_EQ(stored[i], posted(i));
    EXPECT_TRUE(c->open());
}

TEST_F(Channel, half_messages_wait_for_their_other_half) {
    const bytes stream = test::joined(posted(0), posted(1), posted(2));
    for (const u8 b : stream) {
        client->send_raw({&b, 1});
        all();
    }
    ASSERT_EQ(stored.size(), 3u);
    EXPECT_EQ(stored[2], posted(2));
}

TEST_F(Channel, the_longest_message_comes_whole) {
    bytes payload(sizeof(wire::region_access) + wire::max_data_transfer);
    std::iota(payload.begin(), payload.end(), u8{0});
    const bytes m = vfio_client::build(1, command::region_write, payload, wire::no_reply);
    // The socket does not hold a megabyte, so the client needs somebody who reads.
    vfio_client slow{unique_fd{::dup(client->fd())}, [&] { all(); }};
    slow.send_raw(m);
    slow.send_raw(posted(1));
    all();
    ASSERT_EQ(stored.size(), 2u);
    EXPECT_EQ(stored[0], m);
    EXPECT_EQ(stored[1], posted(1));
}

TEST_F(Channel, descriptors_belong_to_the_message_that_they_came_with) {
    const auto a = test::new_eventfd();
    const int fd = a.get();
    client->send_raw(posted(0));
    client->send_raw(mapping(), {&fd, 1});
    client->send_raw(mapping());
    client->send_raw(mapping(), {&fd, 1});
    client->send_raw(posted(1));
    const auto got = all();
    ASSERT_EQ(got.size(), 5u);
    for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_EQ(got[i].fds.size(), i == 1 || i == 3 ? 1u : 0u) << i;
}

TEST_F(Channel, descriptors_of_several_messages_in_one_write_belong_to_the_first) {
    const auto a = test::new_eventfd();
    const int fd = a.get();
    const bytes both = test::joined(mapping(), mapping());
    client->send_raw(both, {&fd, 1});
    client->send_raw(posted(1)); // now behind another message, which a read may be in the middle of
    client->send_raw(both, {&fd, 1});
    std::vector<std::size_t> fds;
    for (const auto& m : all())
        fds.push_back(m.fds.size());
    EXPECT_EQ(fds, (std::vector<std::size_t>{1, 0, 0, 1, 0}));
}

TEST_F(Channel, the_shortest_messages_do_not_take_the_descriptors_of_the_next) {
    const auto a = test::new_eventfd();
    const int fd = a.get();
    client->send_raw(vfio_client::build(1, command::device_reset, {}));
    client->send_raw(vfio_client::build(2, command::device_reset, {}));
    client->send_raw(mapping(), {&fd, 1});
    const auto got = all();
    ASSERT_EQ(got.size(), 3u);
    EXPECT_EQ(got[0].fds.size() + got[1].fds.size(), 0u);
    EXPECT_EQ(got[2].fds.size(), 1u);
}

TEST_F(Channel, as_many_descriptors_as_announced_and_no_more) {
    const auto a = test::new_eventfd();
    const std::vector<int> eight(wire::max_fds, a.get());
    client->send_raw(mapping(), eight);
    auto got = all();
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(got[0].fds.size(), wire::max_fds);

    const int next_free = ::dup(a.get());
    ::close(next_free);
    const std::vector<int> nine(wire::max_fds + 1, a.get());
    client->send_raw(mapping(), nine);
    EXPECT_TRUE(all().empty());
    EXPECT_FALSE(c->open());
    EXPECT_EQ(c->why(), "more than 8 file descriptors with a message");
    const int still_free = ::dup(a.get());
    EXPECT_EQ(still_free, next_free) << "what came with the message was not closed";
    ::close(still_free);
}

TEST_F(Channel, descriptors_in_the_middle_of_a_message_close_it) {
    const auto a = test::new_eventfd();
    const int fd = a.get();
    const bytes m = mapping();
    client->send_raw(std::span{m}.first(20));
    all();
    client->send_raw(std::span{m}.subspan(20), {&fd, 1});
    EXPECT_TRUE(all().empty());
    EXPECT_EQ(c->why(), "file descriptors in the middle of a message");
}

TEST_F(Channel, a_client_cannot_stay_by_sending_its_own_end) {
    const int fd = client->fd();
    const bytes m = mapping();
    client->send_raw(std::span{m}.first(20), {&fd, 1});
    client->disconnect();
    EXPECT_TRUE(all().empty());
    EXPECT_EQ(c->why(), "a socket among the file descriptors of a message");
}

TEST_F(Channel, unclaimed_descriptors_are_closed_with_the_channel) {
    const auto a = test::new_eventfd();
    const int fd = a.get();
    const int next_free = ::dup(fd);
    ::close(next_free);
    client->send_raw(mapping(), {&fd, 1});
    ASSERT_TRUE(c->read());
    c.reset(); // read, never asked for
    const int then = ::dup(fd);
    EXPECT_LE(then, next_free);
    ::close(then);
}

TEST_F(Channel, a_header_that_cannot_be_closes_it_before_the_rest_comes) {
    const wire::header h{1, static_cast<u16>(command::region_write), wire::max_message + 1, 0, 0};
    client->send_raw(bytes_of(h));
    EXPECT_FALSE(c->read());
    EXPECT_EQ(c->why(), "a message of 1048609 bytes, command 10, flags 0x0");
}

TEST_F(Channel, says_how_the_client_left) {
    client->send_raw(posted(1));
    client->disconnect();
    all();
    EXPECT_EQ(stored.size(), 1u);
    EXPECT_FALSE(c->open());
    EXPECT_TRUE(c->left());
}

TEST_F(Channel, says_that_the_client_left_in_the_middle) {
    const bytes m = posted(1);
    client->send_raw(std::span{m}.first(30));
    client->disconnect();
    EXPECT_FALSE(c->read()); // what there is
    EXPECT_TRUE(c->open());
    EXPECT_FALSE(c->read()); // that there will be no more
    EXPECT_FALSE(c->left());
    EXPECT_EQ(c->why(), "the client closed the connection in the middle of a message");
}

TEST_F(Channel, keeps_what_the_socket_does_not_take) {
    const bytes part(100'000, 7);
    std::size_t sent = 0;
    while (c->open() && !c->wants_write()) {
        c->send(part);
        sent += part.size();
    }
    c->send(part);
    sent += part.size();
    std::size_t got = 0;
    while (got < sent) {
        bytes some(65536);
        const ssize_t n = ::recv(client->fd(), some.data(), some.size(), MSG_DONTWAIT);
        ASSERT_GT(n, 0);
        got += static_cast<std::size_t>(n);
        c->write();
    }
    EXPECT_FALSE(c->wants_write());
    EXPECT_TRUE(c->open());
}

TEST_F(Channel, a_client_that_never_reads_is_dropped) {
    const bytes part(1'000'000, 7);
    for (int i = 0; i < 20 && c->open(); ++i)
        c->send(part);
    EXPECT_EQ(c->why(), "the client leaves more than 4194304 bytes unread");
    EXPECT_FALSE(c->wants_write());
}

TEST_F(Channel, sending_to_somebody_who_left_is_not_an_error_of_ours) {
    client->disconnect();
    c->send(posted(1)); // no SIGPIPE
    c->send(posted(1));
    EXPECT_FALSE(c->open());
    EXPECT_TRUE(c->left());
}

TEST_F(Channel, an_unasked_reply_closes_it) {
    client->send_raw(vfio_client::build(0, command::dma_read, bytes_of(wire::dma_access{0, 0}),
                                        wire::type_reply));
    EXPECT_TRUE(all().empty());
    EXPECT_EQ(c->why(), "a reply to nothing that was asked");
}

} // namespace
} // namespace spinup::remote
