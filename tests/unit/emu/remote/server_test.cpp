// The whole server with an HBA and a disk behind it, over real sockets and in one thread.
#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <latch>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "serving_one_disk.hpp"

namespace spinup::remote {
namespace {

using test::bytes_of;
using test::vfio_client;
using bytes = std::vector<u8>;
using wire::command;
using namespace std::chrono_literals;

using Server = test::serving_one_disk;
using test::ram;
using test::ram_size;
using test::version_1_3_1;

TEST_F(Server, starts_as_QEMU_starts_it) {
    vfio_client c = connect();
    test::guest_memory memory{ram_size};
    const auto v = c.version();
    ASSERT_TRUE(v.ok());
    EXPECT_LE(v.payload.size(), vfio_client::qemu_version.size() + 5);
    EXPECT_EQ(v.payload.back(), 0);
    EXPECT_EQ(c.map(ram, ram_size, memory.fd()), 0);
    EXPECT_EQ(c.map(0xFFFC0000, 0x40000, std::nullopt, 0, wire::dma_readable), 0);
    const auto info = c.info();
    EXPECT_EQ(info.flags, wire::device_reset_supported | wire::device_pci);
    EXPECT_GE(info.num_regions, 8u);
    EXPECT_GE(info.num_irqs, 3u);
    EXPECT_EQ(c.region(wire::region_config).size, 256u);
    EXPECT_EQ(c.region(wire::region_bar5).size, 4096u);
    EXPECT_EQ(c.read32(wire::region_config, 8) >> 8, spec::pci_class_ahci);
    const auto eventfd = test::new_eventfd();
    EXPECT_EQ(c.set_irq(wire::irq_intx, eventfd), 0);
    EXPECT_EQ(c.reset(), 0);
    EXPECT_TRUE(s->connected());
    EXPECT_TRUE(hardware->hba().powered());
}

TEST_F(Server, reads_behind_posted_writes_see_them) {
    vfio_client c = connect();
    ASSERT_TRUE(c.version().ok());
    c.write32(wire::region_config, spec::pci_command::offset, 0x0006);
    const u32 ie = spec::port_offset(0, spec::px_ie::offset);
    for (u32 i = 0; i < 100; ++i)
        c.post32(wire::region_bar5, ie, i & 1 ? 1 : 3);
    EXPECT_EQ(reg(c, ie), 1u);
    EXPECT_EQ(reg(c, spec::vs::offset), version_1_3_1);
}

TEST_F(Server, several_requests_in_one_go_are_answered_in_order) {
    vfio_client c = connect();
    ASSERT_TRUE(c.version().ok());
    const wire::region_access a{spec::vs::offset, wire::region_bar5, 4};
    bytes all;
    for (u16 id = 100; id < 150; ++id)
        all = test::joined(all, vfio_client::build(id, command::region_read, bytes_of(a)));
    c.send_raw(all);
    for (u16 id = 100; id < 150; ++id) {
        const auto m = c.wait();
        ASSERT_TRUE(m);
        EXPECT_EQ(m->head.id, id);
    }
}

TEST_F(Server, a_disk_is_read_into_the_guests_memory_and_an_interrupt_says_so) {
    vfio_client c = connect();
    test::guest_memory memory{ram_size};
    ASSERT_TRUE(c.version().ok());
    ASSERT_EQ(c.map(ram, ram_size, memory.fd()), 0);
    ASSERT_EQ(c.reset(), 0);
    const auto msi = test::new_eventfd();
    ASSERT_EQ(c.set_irq(wire::irq_msi, msi), 0);
    start_port(c);
    test::raised(msi);
    prepare(memory.bytes(), test::ata(spec::ata_cmd::identify_device), 512);
    finish_command(c);
    const auto expected = hardware->disk().identify();
    EXPECT_EQ(std::memcmp(memory.bytes().data() + 0x8000, &expected, 512), 0);
    EXPECT_GE(test::raised(msi), 1u);
}

TEST_F(Server, wants_VERSION_first_and_once) {
    vfio_client c = connect();
    EXPECT_EQ(c.reset(), EINVAL);
    EXPECT_TRUE(c.version().ok());
    EXPECT_EQ(c.version().error(), EINVAL);
    EXPECT_EQ(c.reset(), 0);
}

TEST_F(Server, refuses_another_major_version_and_half_a_description) {
    vfio_client c = connect();
    EXPECT_EQ(c.version("{}", 1).error(), EINVAL);
    EXPECT_EQ(c.version("{").error(), EINVAL);
    EXPECT_TRUE(c.version("{}").ok());
}

TEST_F(Server, mistakes_are_answered_and_posted_ones_are_not) {
    vfio_client c = connect();
    ASSERT_TRUE(c.version().ok());
    EXPECT_EQ(c.ask(command::region_read, bytes(3)).error(), EINVAL);
    EXPECT_EQ(c.ask(command::device_feature, bytes(8)).error(), EOPNOTSUPP);
    EXPECT_EQ(c.write32(3, 0, 0), EINVAL);
    c.post32(3, 0, 0);
    c.send(command::region_write, bytes(3), wire::no_reply);
    EXPECT_EQ(reg(c, spec::vs::offset), version_1_3_1); // the next answer is this one's
}

TEST_F(Server, a_broken_stream_ends_the_connection_and_says_why) {
    vfio_client c = connect();
    ASSERT_TRUE(c.version().ok());
    const wire::header h{1, 10, 3, 0, 0};
    c.send_raw(bytes_of(h));
    EXPECT_FALSE(c.wait());
    EXPECT_TRUE(c.closed());
    EXPECT_FALSE(s->connected());
    EXPECT_EQ(s->trouble(), "a message of 3 bytes, command 10, flags 0x0");
    EXPECT_FALSE(hardware->hba().powered());
}

TEST_F(Server, goes_on_after_a_client_has_left) {
    for (u32 i = 1; i <= 3; ++i) {
        vfio_client c = connect();
        ASSERT_TRUE(c.version().ok());
        ASSERT_EQ(c.reset(), 0);
        EXPECT_TRUE(hardware->hba().powered());
        c.disconnect();
        settle();
        EXPECT_FALSE(s->connected());
        EXPECT_FALSE(hardware->hba().powered());
        EXPECT_EQ(s->clients_gone(), i);
        EXPECT_EQ(s->trouble(), "");
    }
}

TEST_F(Server, a_client_that_leaves_makes_room_in_the_same_turn) {
    vfio_client first = connect();
    ASSERT_TRUE(first.version().ok());
    first.disconnect();
    vfio_client second = connect();
    EXPECT_TRUE(second.version().ok());
    EXPECT_EQ(s->clients_gone(), 1u);
}

TEST_F(Server, a_client_that_leaves_with_much_to_do_makes_room_too) {
    vfio_client first = connect();
    ASSERT_TRUE(first.version().ok());
    const u32 ie = spec::port_offset(0, spec::px_ie::offset);
    for (u32 i = 0; i < 100; ++i)
        first.post32(wire::region_bar5, ie, i);
    first.disconnect();
    vfio_client second = connect();
    EXPECT_TRUE(second.version().ok());
    EXPECT_EQ(s->clients_gone(), 1u);
}

TEST_F(Server, a_second_client_is_sent_away_and_the_first_does_not_notice) {
    vfio_client first = connect();
    ASSERT_TRUE(first.version().ok());
    vfio_client second = connect();
    EXPECT_FALSE(second.version().ok());
    EXPECT_TRUE(second.closed());
    EXPECT_EQ(reg(first, spec::vs::offset), version_1_3_1);
    EXPECT_TRUE(hardware->hba().powered());
    EXPECT_EQ(s->clients_gone(), 0u);
}

TEST_F(Server, does_not_look_at_its_socket_while_it_cannot_take_anybody) {
    s->set_rest(1h);
    vfio_client first = connect();
    ASSERT_TRUE(first.version().ok());
    vfio_client second = connect();
    turn_without_descriptors();
    std::vector<pollable::interest> now;
    s->interests(now);
    ASSERT_EQ(now.size(), 1u) << "the one who waits would wake it again and again";
    EXPECT_EQ(reg(first, spec::vs::offset), version_1_3_1);
    // Somebody who leaves makes room.
    first.disconnect();
    settle();
    EXPECT_TRUE(second.version().ok());
}

TEST_F(Server, takes_who_has_waited_when_it_has_rested) {
    s->set_rest(0s);
    vfio_client c = connect();
    turn_without_descriptors();
    EXPECT_FALSE(s->connected());
    EXPECT_TRUE(c.version().ok());
}

TEST_F(Server, several_servers_live_side_by_side) {
    auto other = open("other.sock");
    test::one_disk more{line, log, other->irq(), other->dma(), 2};
    other->serve(more);
    event_loop both{line};
    both.add(*s);
    both.add(*other);
    vfio_client a{test::connect_to(s->path()), [&] { both.turn(0s); }};
    vfio_client b{test::connect_to(other->path()), [&] { both.turn(0s); }};
    ASSERT_TRUE(a.version().ok());
    ASSERT_TRUE(b.version().ok());
    b.disconnect();
    EXPECT_EQ(reg(a, spec::vs::offset), version_1_3_1);
    EXPECT_FALSE(other->connected());
}

// The socket's file.

TEST_F(Server, only_its_owner_may_connect) {
    struct stat st {};
    ASSERT_EQ(::lstat(s->path().c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 07777, 0600u);
    const mode_t before = ::umask(0);
    auto other = open("other.sock");
    ::umask(before);
    ASSERT_EQ(::lstat(other->path().c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 07777, 0600u);
}

TEST_F(Server, its_file_goes_when_it_goes) {
    const std::string path = folder.file("other.sock");
    open("other.sock").reset();
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(path)));
}

TEST_F(Server, a_file_that_took_its_place_stays) {
    auto other = open("other.sock");
    const std::string path = other->path();
    std::filesystem::remove(path);
    std::ofstream{path} << "precious";
    other.reset();
    EXPECT_EQ(std::filesystem::file_size(path), 8u);
}

TEST_F(Server, does_not_touch_what_is_not_a_socket) {
    const std::string path = folder.file("note");
    std::ofstream{path} << "precious";
    EXPECT_NE(error_of(path).find("not a socket, so it stays"), std::string::npos);
    EXPECT_EQ(std::filesystem::file_size(path), 8u);
    const std::string link = folder.file("link");
    std::filesystem::create_symlink(s->path(), link);
    EXPECT_NE(error_of(link).find("not a socket, so it stays"), std::string::npos);
    EXPECT_TRUE(std::filesystem::is_symlink(link));
}

/// As a server leaves it that was killed.
void leave_socket(const std::string& path) {
    const unique_fd dead{::socket(AF_UNIX, SOCK_STREAM, 0)};
    sockaddr_un a{};
    a.sun_family = AF_UNIX;
    path.copy(a.sun_path, path.size());
    ASSERT_EQ(::bind(dead.get(), reinterpret_cast<const sockaddr*>(&a), sizeof(a)), 0);
    ASSERT_TRUE(std::filesystem::is_socket(path));
}

TEST_F(Server, replaces_a_socket_that_nobody_listens_on) {
    const std::string path = folder.file("stale.sock");
    leave_socket(path);
    EXPECT_EQ(error_of(path), "");
}

TEST_F(Server, one_of_those_that_start_at_once_gets_the_socket) {
    constexpr u32 rounds = 300; // without a lock, one in some hundreds went wrong
    const std::string path = folder.file("stale.sock");
    for (u32 round = 0; round < rounds; ++round) {
        leave_socket(path);
        std::array<std::unique_ptr<server>, 4> started;
        std::latch all_here{started.size()};
        std::vector<std::thread> starters;
        for (auto& mine : started)
            starters.emplace_back([&] {
                all_here.arrive_and_wait();
                if (auto r = server::listen(path, log, {.ports = 2}))
                    mine = std::move(*r);
            });
        for (auto& t : starters)
            t.join();
        ASSERT_EQ(std::count(started.begin(), started.end(), nullptr), 3) << round;
        ASSERT_TRUE(test::connect_to(path));
    }
}

TEST_F(Server, does_not_wait_for_ever_for_a_folder_that_somebody_has_locked) {
    const std::string path = folder.file("locked.sock");
    const unique_fd theirs{::open(folder.file("").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    ASSERT_EQ(::flock(theirs.get(), LOCK_EX), 0);
    EXPECT_NE(error_of(path).find("somebody holds a lock on the folder"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_EQ(::flock(theirs.get(), LOCK_UN), 0);
    EXPECT_EQ(error_of(path), "");
}

TEST_F(Server, leaves_a_socket_alone_on_which_somebody_listens) {
    vfio_client c = connect();
    ASSERT_TRUE(c.version().ok());
    EXPECT_NE(error_of(s->path()).find("somebody listens"), std::string::npos);
    settle();
    EXPECT_EQ(reg(c, spec::vs::offset), version_1_3_1);
    c.disconnect();
    settle();
    EXPECT_NE(error_of(s->path()).find("somebody listens"), std::string::npos);
    settle();
    EXPECT_EQ(s->clients_gone(), 1u) << "the question was taken for a client";
}

TEST_F(Server, says_what_is_wrong_with_a_path) {
    const std::string fits = folder.file("");
    EXPECT_EQ(error_of(fits + std::string(107 - fits.size(), 'x')), "");
    const std::string long_one = error_of(fits + std::string(108 - fits.size(), 'x'));
    EXPECT_NE(long_one.find("1 to 107 bytes, this one 108"), std::string::npos);
    EXPECT_NE(long_one.find("hint:"), std::string::npos);
    EXPECT_NE(error_of("").find("1 to 107 bytes, this one 0"), std::string::npos);
    EXPECT_NE(error_of(folder.file("no/such.sock")).find("the folder does not exist"),
              std::string::npos);
    EXPECT_NE(error_of(s->path() + "/x").find("cannot create the socket"), std::string::npos);
}

} // namespace
} // namespace spinup::remote
