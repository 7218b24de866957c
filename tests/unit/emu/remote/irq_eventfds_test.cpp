#include "emu/remote/irq_eventfds.hpp"

#include "descriptors.hpp"
#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>

namespace spinup::remote {
namespace {

using test::duplicate;
using test::make_eventfd;
using test::signals;

struct IrqEventfds : testing::Test {
    void with_msi() { ASSERT_EQ(irq.set_msi(duplicate(msi)), 0); }
    void with_intx() { ASSERT_EQ(irq.set_intx(duplicate(intx)), 0); }

    unique_fd msi = make_eventfd();
    unique_fd intx = make_eventfd();
    irq_eventfds irq;
};

TEST_F(IrqEventfds, signal_each_message) {
    with_intx();
    with_msi();
    irq.message();
    EXPECT_EQ(signals(msi), 1u);
    irq.message();
    irq.message();
    EXPECT_EQ(signals(msi), 2u);
    EXPECT_EQ(signals(intx), 0u);
}

TEST_F(IrqEventfds, never_wait_for_a_full_counter_that_the_client_has_made_to_block) {
    with_msi();
    const u64 most = ~u64{1};
    ASSERT_EQ(::write(msi.get(), &most, sizeof(most)), static_cast<ssize_t>(sizeof(most)));
    ASSERT_EQ(::fcntl(msi.get(), F_SETFL, 0), 0);
    irq.message();
    EXPECT_EQ(signals(msi), most);
}

TEST_F(IrqEventfds, mask_intx_when_it_is_raised) {
    with_intx();
    irq.level(true);
    irq.level(false);
    irq.level(true);
    EXPECT_EQ(signals(intx), 1u);
}

TEST_F(IrqEventfds, raise_intx_again_at_the_unmask_while_it_is_asserted) {
    with_intx();
    irq.level(true);
    EXPECT_EQ(signals(intx), 1u);
    irq.unmask_intx();
    EXPECT_EQ(signals(intx), 1u);
    irq.level(false);
    irq.unmask_intx();
    EXPECT_EQ(signals(intx), 0u);
    irq.level(true);
    EXPECT_EQ(signals(intx), 1u) << "it was unmasked";
}

TEST_F(IrqEventfds, hold_intx_back_while_the_client_masks_it) {
    with_intx();
    irq.mask_intx();
    irq.level(true);
    EXPECT_EQ(signals(intx), 0u);
    irq.unmask_intx();
    EXPECT_EQ(signals(intx), 1u);
}

TEST_F(IrqEventfds, raise_intx_when_its_eventfd_comes_late) {
    irq.mask_intx();
    irq.level(true);
    with_intx();
    EXPECT_EQ(signals(intx), 1u);
}

TEST_F(IrqEventfds, raise_intx_for_messages_of_a_guest_without_msi) {
    with_intx();
    irq.message();
    EXPECT_EQ(signals(intx), 1u);
    irq.message();
    EXPECT_EQ(signals(intx), 0u) << "masked";
    irq.unmask_intx();
    EXPECT_EQ(signals(intx), 1u) << "and not lost";
    irq.unmask_intx();
    EXPECT_EQ(signals(intx), 0u);
}

TEST_F(IrqEventfds, are_silent_once_taken_away) {
    with_msi();
    with_intx();
    EXPECT_EQ(irq.set_msi({}), 0);
    EXPECT_EQ(irq.set_intx({}), 0);
    irq.message();
    irq.level(true);
    EXPECT_FALSE(irq.trigger_msi());
    EXPECT_FALSE(irq.trigger_intx());
    EXPECT_EQ(signals(msi), 0u);
    EXPECT_EQ(signals(intx), 0u);
}

TEST_F(IrqEventfds, fire_when_triggered) {
    with_msi();
    with_intx();
    EXPECT_TRUE(irq.trigger_msi());
    EXPECT_TRUE(irq.trigger_intx());
    EXPECT_EQ(signals(msi), 1u);
    EXPECT_EQ(signals(intx), 1u);
}

TEST_F(IrqEventfds, forget_a_client_altogether) {
    const int free_before = test::next_descriptor();
    with_msi();
    with_intx();
    irq.level(true);
    irq.forget();
    EXPECT_EQ(test::next_descriptor(), free_before);
    EXPECT_EQ(signals(intx), 1u);
    with_intx();
    EXPECT_EQ(signals(intx), 0u) << "nothing is asserted any more";
    irq.level(true);
    EXPECT_EQ(signals(intx), 1u) << "nor masked";
}

TEST_F(IrqEventfds, refuse_what_could_block_or_kill_the_server) {
    with_msi();
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    ::close(ends[0]);
    EXPECT_EQ(irq.set_msi(unique_fd{ends[1]}), EINVAL);
    EXPECT_EQ(irq.set_msi(test::memory_file(4096)), EINVAL);
    EXPECT_EQ(irq.set_intx(unique_fd{::open("/dev/null", O_RDWR | O_CLOEXEC)}), EINVAL);
    EXPECT_EQ(irq.set_intx(unique_fd{1 << 20}), EINVAL) << "not open at all";
    irq.message();
    EXPECT_EQ(signals(msi), 1u) << "the one before stays";
}

TEST_F(IrqEventfds, do_not_wait_for_a_client_that_does_not_look) {
    const unique_fd full = make_eventfd(0, 0);
    const u64 limit = ~u64{0} - 1;
    ASSERT_EQ(::write(full.get(), &limit, sizeof(limit)), 8);
    ASSERT_EQ(irq.set_msi(duplicate(full)), 0);
    irq.message();
    EXPECT_EQ(signals(full), limit);
}

} // namespace
} // namespace spinup::remote
