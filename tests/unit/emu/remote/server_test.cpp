// The whole server with an HBA and a disk behind it, over real sockets and in one thread: a client
// that waits for an answer turns the server's loop.
#include <cerrno>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "emu/remote/event_loop.hpp"
#include "tests/support/one_disk.hpp"
#include "tests/support/vfio_client.hpp"

namespace spinup::remote {
namespace {

using test::bytes_of;
using test::vfio_client;
using bytes = std::vector<u8>;
using wire::command;
using namespace std::chrono_literals;

constexpr u32 version_1_3_1 = 0x00010301;
constexpr u64 ram = 0x10000;
constexpr std::size_t ram_size = 1u << 20;

struct Server : testing::Test {
    Server() {
        s = open("hba.sock");
        hardware = std::make_unique<test::one_disk>(line, log, s->irq(), s->dma(), 2);
        s->serve(*hardware);
        loop.add(*s);
    }
    std::unique_ptr<server> open(const std::string& name) {
        auto r = server::listen(folder.file(name), log, {.ports = 2});
        EXPECT_TRUE(r) << r.error().text();
        return std::move(*r);
    }
    std::string error_of(const std::string& path) {
        auto r = server::listen(path, log, {.ports = 2});
        return r ? "" : r.error().text();
    }
    vfio_client connect() {
        return vfio_client{test::connect_to(s->path()), [this] { loop.turn(0s); }};
    }
    /// Turns until nothing is left to do.
    void settle() {
        for (int i = 0; i < 10; ++i)
            loop.turn(0s);
    }
    u32 reg(vfio_client& c, u64 offset) { return c.read32(wire::region_bar5, offset); }

    /// Writes the command of slot 0 of port 0 into guest memory; its data goes to ram + 0x8000.
    static void prepare(std::span<u8> memory, const spec::fis_reg_h2d& fis, u32 length) {
        spec::command_header h;
        h.dw0.set(spec::cmd_header_dw0::cfl, 5);
        h.dw0.set(spec::cmd_header_dw0::prdtl, 1);
        h.set_table(ram + 0x4000);
        std::memcpy(memory.data(), &h, sizeof(h));
        std::memcpy(memory.data() + 0x4000, &fis, sizeof(fis));
        spec::prd_entry prd;
        prd.set_address(ram + 0x8000);
        prd.set_byte_count(length);
        std::memcpy(memory.data() + 0x4000 + spec::command_table::prd(0), &prd, sizeof(prd));
    }
    /// A port that takes commands, as a driver starts it.
    static void start_port(vfio_client& c) {
        c.write32(wire::region_config, spec::pci_command::offset, 0x0406);
        const auto get = [&](u32 offset) {
            return c.read32(wire::region_bar5, spec::port_offset(0, offset));
        };
        const auto put = [&](u32 offset, u64 value) {
            c.post32(wire::region_bar5, spec::port_offset(0, offset), static_cast<u32>(value));
        };
        c.post32(wire::region_bar5, spec::ghc::offset,
                 spec::ghc{}.with(spec::ghc::ae, true).with(spec::ghc::ie, true).raw);
        put(spec::px_clb::offset, ram);
        put(spec::px_fb::offset, ram + 0x2000);
        put(spec::px_ie::offset, ~0u);
        const auto cmd = spec::px_cmd{}.with(spec::px_cmd::sud, true).with(spec::px_cmd::fre, true);
        put(spec::px_cmd::offset, cmd.raw);
        put(spec::px_sctl::offset, 1);
        put(spec::px_sctl::offset, 0);
        spec::px_ssts ssts;
        do
            ssts.raw = get(spec::px_ssts::offset);
        while (!spec::link_online(ssts));
        put(spec::px_serr::offset, ~0u);
        spec::px_tfd tfd;
        do
            tfd.raw = get(spec::px_tfd::offset);
        while (!spec::idle(tfd.get(spec::px_tfd::sts)));
        put(spec::px_serr::offset, ~0u);
        put(spec::px_is::offset, ~0u);
        c.post32(wire::region_bar5, spec::is::offset, ~0u);
        put(spec::px_cmd::offset, cmd.with(spec::px_cmd::st, true).raw);
    }
    /// Issues slot 0 and waits until it has ended, by reading a register as a driver would.
    static void finish_command(vfio_client& c) {
        const u32 ci = spec::port_offset(0, spec::px_ci::offset);
        c.post32(wire::region_bar5, ci, 1);
        while (c.read32(wire::region_bar5, ci) == 1) {
        }
    }

    test::scratch_folder folder;
    wall_timeline line;
    trace_ring log{line};
    event_loop loop{line};
    std::unique_ptr<server> s;
    std::unique_ptr<test::one_disk> hardware;
};

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
    for (u16 id = 100; id < 150; ++id) {
        const bytes m = vfio_client::build(id, command::region_read, bytes_of(a));
        all.insert(all.end(), m.begin(), m.end());
    }
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

TEST_F(Server, memory_without_a_file_is_reached_by_messages) {
    vfio_client c = connect();
    ASSERT_TRUE(c.version().ok());
    ASSERT_EQ(c.map(ram, ram_size, std::nullopt), 0);
    ASSERT_EQ(c.reset(), 0);
    bytes memory(ram_size);
    c.offer_memory(ram, memory);
    s->set_patience(60s);
    // While the server waits for memory it does not turn the loop, so the guest has its own thread.
    const int fd = c.fd();
    std::thread guest{[&] {
        vfio_client g{unique_fd{::dup(fd)}, [fd] {
                          pollfd p{fd, POLLIN, 0};
                          ::poll(&p, 1, -1);
                      }};
        g.offer_memory(ram, memory);
        start_port(g);
        prepare(memory, test::ata(spec::ata_cmd::identify_device), 512);
        finish_command(g);
        ::shutdown(fd, SHUT_RDWR);
    }};
    loop.run([&] { return s->clients_gone() == 1; }, 1h, [] {});
    guest.join();
    EXPECT_EQ(s->trouble(), "");
    const auto expected = hardware->disk().identify();
    EXPECT_EQ(std::memcmp(memory.data() + 0x8000, &expected, 512), 0);
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

TEST_F(Server, several_servers_live_side_by_side) {
    auto other = open("other.sock");
    test::one_disk more{line, log, other->irq(), other->dma(), 2};
    other->serve(more);
    loop.add(*other);
    vfio_client a = connect();
    vfio_client b{test::connect_to(other->path()), [this] { loop.turn(0s); }};
    ASSERT_TRUE(a.version().ok());
    ASSERT_TRUE(b.version().ok());
    b.disconnect();
    settle();
    EXPECT_FALSE(other->connected());
    EXPECT_EQ(reg(a, spec::vs::offset), version_1_3_1);
    loop.remove(*other);
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

TEST_F(Server, replaces_a_socket_that_nobody_listens_on) {
    const std::string path = folder.file("stale.sock");
    {
        const unique_fd dead{::socket(AF_UNIX, SOCK_STREAM, 0)};
        sockaddr_un a{};
        a.sun_family = AF_UNIX;
        path.copy(a.sun_path, path.size());
        ASSERT_EQ(::bind(dead.get(), reinterpret_cast<const sockaddr*>(&a), sizeof(a)), 0);
    }
    ASSERT_TRUE(std::filesystem::is_socket(path));
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
