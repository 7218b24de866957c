// The guest's memory by messages. While the server waits for it the loop does not turn, so that the
// guest has a thread of its own.
#include <gtest/gtest.h>
#include <thread>

#include "serving_one_disk.hpp"

namespace spinup::remote {
namespace {

using test::ram;
using test::ram_size;
using test::vfio_client;
using bytes = std::vector<u8>;
using namespace std::chrono_literals;

struct ServerDma : test::serving_one_disk {
    static constexpr u32 ci = spec::port_offset(0, spec::px_ci::offset);

    /// Runs a guest until it has gone.
    template <class Guest> void run(bool as_qemu, Guest guest) {
        vfio_client c = connect();
        ASSERT_TRUE(c.version().ok());
        ASSERT_EQ(c.map(ram, ram_size, std::nullopt), 0);
        ASSERT_EQ(c.reset(), 0);
        std::thread other{[&, fd = c.fd()] {
            vfio_client g{unique_fd{::dup(fd)}, [fd] {
                              pollfd p{fd, POLLIN, 0};
                              ::poll(&p, 1, -1);
                          }};
            g.offer_memory(ram, memory);
            if (as_qemu)
                g.answer_as_qemu();
            guest(g);
            ::shutdown(fd, SHUT_RDWR);
        }};
        loop.run([&, gone = s->clients_gone()] { return s->clients_gone() != gone; }, 1h, [] {});
        other.join();
        EXPECT_EQ(s->trouble(), "");
    }
    void prepare_identify() { prepare(memory, test::ata(spec::ata_cmd::identify_device), 512); }
    void expect_identified() {
        const auto expected = hardware->disk().identify();
        EXPECT_EQ(std::memcmp(memory.data() + 0x8000, &expected, 512), 0);
    }

    bytes memory = bytes(ram_size);
};

TEST_F(ServerDma, a_disk_is_read) {
    run(false, [&](vfio_client& g) {
        start_port(g);
        prepare_identify();
        finish_command(g);
    });
    expect_identified();
}

// QEMU's processor holds the big lock while it waits for a register, and its memory is behind that
// lock: both sides would wait for the other.
TEST_F(ServerDma, a_disk_is_read_by_a_client_that_answers_only_when_it_was_answered) {
    run(true, [&](vfio_client& g) {
        start_port(g);
        prepare_identify();
        finish_command(g);
    });
    expect_identified();
}

TEST_F(ServerDma, a_write_that_is_not_posted_is_answered_before_its_command_is_fetched) {
    run(true, [&](vfio_client& g) {
        start_port(g);
        prepare_identify();
        EXPECT_EQ(g.write32(wire::region_bar5, ci, 1), 0);
        wait_for_command(g);
    });
    expect_identified();
}

TEST_F(ServerDma, windows_and_interrupts_come_and_go_while_memory_is_awaited) {
    const auto msi = test::new_eventfd();
    run(true, [&](vfio_client& g) {
        start_port(g);
        prepare_identify();
        g.post32(wire::region_bar5, ci, 1);
        EXPECT_EQ(g.map(ram + ram_size, 0x1000, std::nullopt), 0);
        g.post32(wire::region_bar5, ci, 1);
        EXPECT_EQ(g.set_irq(wire::irq_msi, msi), 0);
        EXPECT_EQ(g.unmap(ram + ram_size, 0x1000), 0);
        wait_for_command(g);
    });
    expect_identified();
    EXPECT_GE(test::raised(msi), 1u);
}

TEST_F(ServerDma, a_client_may_leave_while_its_memory_is_awaited) {
    run(false, [&](vfio_client& g) {
        start_port(g);
        g.post32(wire::region_bar5, ci, 1);
        pollfd question{g.fd(), POLLIN, 0};
        EXPECT_EQ(::poll(&question, 1, -1), 1);
    });
    EXPECT_FALSE(s->connected());
    EXPECT_FALSE(hardware->hba().powered());
    run(false, [&](vfio_client& g) {
        start_port(g);
        prepare_identify();
        finish_command(g);
    });
    expect_identified();
}

TEST_F(ServerDma, a_reset_does_not_wait_for_memory) {
    const u32 flr = 0xA4; // control of the capability for advanced features
    run(true, [&](vfio_client& g) {
        start_port(g);
        prepare_identify();
        g.post32(wire::region_bar5, ci, 1);
        EXPECT_EQ(g.reset(), 0);
        EXPECT_EQ(g.read32(wire::region_bar5, ci), 0u);
        start_port(g);
        g.post32(wire::region_bar5, ci, 1);
        EXPECT_EQ(g.write32(wire::region_config, flr, 1), 0);
        EXPECT_EQ(g.read32(wire::region_bar5, ci), 0u);
        start_port(g);
        finish_command(g); // the answers that nobody waits for any more have not hurt
    });
    expect_identified();
}

} // namespace
} // namespace spinup::remote
