#include "emu/study/agreement.hpp"

#include "emu/trace/dmesg.hpp"
#include "tests/support/studies.hpp"
#include <algorithm>
#include <sstream>

namespace spinup::test {
namespace {

using namespace spinup::literals;
using study::agreement;
using study::differs;
using study::median;

TEST(Agreement, allows_150_ms_or_2_percent) {
    EXPECT_FALSE(differs(1'000ms, 1'150ms));
    EXPECT_TRUE(differs(1'000ms, 1'151ms));
    EXPECT_TRUE(differs(1'151ms, 1'000ms));
    EXPECT_FALSE(differs(10'000ms, 10'200ms));
    EXPECT_TRUE(differs(10'000ms, 10'250ms));
    EXPECT_TRUE(differs(std::nullopt, 1ms));
    EXPECT_TRUE(differs(1ms, std::nullopt));
    EXPECT_FALSE(differs(std::nullopt, std::nullopt));
    EXPECT_FALSE(differs(6'032ms, 6'281ms, 256ms)) << "a slot of the timer wheel";
    EXPECT_TRUE(differs(6'032ms, 6'281ms, 0ms));
    EXPECT_TRUE(differs(6'032ms, 6'439ms, 256ms));
    EXPECT_TRUE(differs(6'281ms, 6'032ms, 256ms)) << "late, never early";
    EXPECT_FALSE(differs(2'048ms, 2'304ms, 256ms));
    EXPECT_TRUE(differs(2'047ms, 2'303ms, 256ms)) << "too short to hold such a sleep";
}

TEST(Agreement, takes_what_did_not_happen_for_later_than_all) {
    EXPECT_EQ(median({}), std::nullopt);
    EXPECT_EQ(median({3ms, 1ms, 2ms}), 2ms);
    EXPECT_EQ(median({1ms, 2ms}), 2ms);
    EXPECT_EQ(median({std::nullopt, 1ms, 2ms}), 2ms);
    EXPECT_EQ(median({std::nullopt, std::nullopt, 2ms}), std::nullopt);
}

/// A run of ours in the place of a real kernel's.
struct pretender {
    pretender(const machine::machine& what, u32 cycles, std::optional<duration> gap) {
        const auto report = run(what, non_blocking, "async", "upfront", cycles, gap);
        EXPECT_EQ(report.verdict, "ok");
        std::ostringstream text;
        dmesg_writer writer{text};
        report.hand_to(writer);
        log = study::parse_kernel_log(text.str());
        hardware = study::hardware_cycles(report.records, what.ports.size());
    }
    [[nodiscard]] agreement beside(const machine::machine& what) const {
        study::configuration model;
        model.what = &what;
        model.design = non_blocking;
        model.disk_start = "async";
        model.order = "upfront";
        auto a = study::compare_with_kernel(model, study::kernel_side{hardware, &log, {1, 2, 3}});
        EXPECT_TRUE(a.ok());
        return std::move(*a);
    }

    study::kernel_log log;
    std::vector<study::hardware_cycle> hardware;
};

machine::machine two_disks(u32 second_ready_ms, const std::string& top = "") {
    return from_text(top + "disk_driver = false\n" + hba(3) + disk(1, 500) +
                     disk(2, second_ready_ms));
}

TEST(Agreement, of_a_machine_with_itself_is_complete) {
    const auto what = two_disks(11'000);
    const auto a = pretender{what, 3, std::nullopt}.beside(what);
    EXPECT_TRUE(a.equal());
    EXPECT_EQ(a.cycles, 3u);
    EXPECT_FALSE(a.gap);
    ASSERT_EQ(a.ports.size(), 3u);
    EXPECT_EQ(a.ports[1].kernel.comresets, 2u);
    EXPECT_EQ(a.ports[1].model.comresets, 2u);
    EXPECT_FALSE(a.ports[1].model.commands.empty());
    EXPECT_FALSE(a.ports[1].model.lines.empty());
    EXPECT_FALSE(a.ports[2].kernel.ready);
}

TEST(Agreement, takes_the_time_from_power_to_the_first_comreset_from_the_kernel) {
    const auto a =
        pretender{two_disks(3'000, "wake_ms = 400\n"), 1, std::nullopt}.beside(two_disks(3'000));
    EXPECT_TRUE(a.equal());
    // 400 ms of firmware, and what the machine's own callbacks take, which the guest's do not.
    EXPECT_TRUE(within(to_ms(a.wake), 415, 0.02));
}

TEST(Agreement, marks_what_differs_and_nothing_else) {
    const auto a = pretender{two_disks(3'000), 2, std::nullopt}.beside(two_disks(11'000));
    EXPECT_TRUE(a.ports[0].equal());
    EXPECT_TRUE(a.ports[1].ready_differs);
    EXPECT_TRUE(a.ports[1].comresets_differ);
    EXPECT_TRUE(a.ports[1].lines_differ);
    EXPECT_FALSE(a.ports[1].commands_differ);
    EXPECT_FALSE(a.ports[1].resume_differs);
    EXPECT_FALSE(a.equal());
}

TEST(Agreement, marks_another_order_of_commands) {
    pretender kernel{two_disks(3'000), 2, std::nullopt};
    std::swap(kernel.hardware[1].ports[0].commands.front(),
              kernel.hardware[1].ports[0].commands.at(1));
    const auto a = kernel.beside(two_disks(3'000));
    EXPECT_TRUE(a.ports[0].commands_differ);
    EXPECT_FALSE(a.ports[1].commands_differ);
}

TEST(Agreement, feeds_an_early_suspend_to_the_model) {
    const auto what = two_disks(7'000);
    const auto a = pretender{what, 3, 90ms}.beside(what);
    ASSERT_TRUE(a.gap);
    EXPECT_TRUE(a.equal());
    EXPECT_LT(abs(*a.gap - 90ms), 1ms);
    EXPECT_LT(to_ms(*a.ports[1].kernel.suspend), 1'000);
    EXPECT_GT(to_ms(*a.ports[1].kernel.wait), 6'000);
    EXPECT_LT(abs(*a.ports[1].kernel.wait - *a.ports[1].model.wait), 20ms);
}

TEST(Agreement, is_none_without_a_cycle) {
    const auto what = two_disks(3'000);
    pretender kernel{what, 2, std::nullopt};
    kernel.hardware.clear();
    kernel.log.cycles.clear();
    const auto a = kernel.beside(what);
    EXPECT_EQ(a.cycles, 0u);
    EXPECT_FALSE(a.equal());
    agreement empty;
    empty.verdict = "ok";
    EXPECT_FALSE(empty.equal());
}

TEST(Agreement, is_none_if_hardware_and_log_tell_of_different_cycles) {
    const auto what = two_disks(3'000);
    pretender kernel{what, 2, std::nullopt};
    kernel.log.cycles.pop_back();
    const auto a = kernel.beside(what);
    EXPECT_TRUE(std::all_of(a.ports.begin(), a.ports.end(), [](auto& p) { return p.equal(); }));
    EXPECT_EQ(a.cycles, 2u);
    EXPECT_EQ(a.log_cycles, 1u);
    EXPECT_FALSE(a.equal());
}

TEST(Agreement, is_none_if_our_run_ended_badly) {
    const auto what = two_disks(3'000);
    auto a = pretender{what, 1, std::nullopt}.beside(what);
    EXPECT_TRUE(a.equal());
    a.verdict = "deadlock";
    EXPECT_FALSE(a.equal());
}

TEST(Agreement, is_of_the_cycles_that_a_long_report_has_kept) {
    const auto what = two_disks(3'000);
    pretender kernel{what, 3, std::nullopt};
    kernel.hardware.erase(kernel.hardware.begin());
    // If the wrong cycle's lines were taken, they would differ.
    kernel.log.cycles[0].ports.at(1).lines.clear();
    const auto a = kernel.beside(what);
    EXPECT_EQ(a.cycles, 2u);
    EXPECT_EQ(a.log_cycles, 2u);
    EXPECT_TRUE(a.equal());
}

TEST(Agreement, numbers_ports_as_the_kernel_does) {
    const auto what = two_disks(3'000);
    pretender kernel{what, 1, std::nullopt};
    auto& ports = kernel.log.cycles.at(0).ports;
    std::map<u32, study::log_port> moved;
    moved.emplace(7, std::move(ports.at(1)));
    moved.emplace(9, std::move(ports.at(2)));
    moved.emplace(8, std::move(ports.at(3)));
    ports = std::move(moved);
    study::configuration model;
    model.what = &what;
    model.design = non_blocking;
    model.disk_start = "async";
    model.order = "upfront";
    const auto a = study::compare_with_kernel(
        model, study::kernel_side{kernel.hardware, &kernel.log, {7, 9, 8}});
    ASSERT_TRUE(a.ok());
    EXPECT_EQ(a->ports[0].port, 7u);
    EXPECT_EQ(a->ports[1].port, 9u);
    EXPECT_TRUE(a->equal());
}

TEST(Agreement, refuses_unknown_names) {
    const auto what = two_disks(3'000);
    const pretender kernel{what, 1, std::nullopt};
    study::configuration model;
    model.what = &what;
    model.design = "none";
    EXPECT_FALSE(study::compare_with_kernel(
                     model, study::kernel_side{kernel.hardware, &kernel.log, {1, 2, 3}})
                     .ok());
}

TEST(Agreement, knows_the_stack_of_a_kernel_by_its_release) {
    ASSERT_TRUE(study::stack_of_kernel("6.12.117+deb13-amd64"));
    EXPECT_EQ(study::stack_of_kernel("6.12.117+deb13-amd64")->model.disk_start, "eh");
    EXPECT_FALSE(study::stack_of_kernel(""));
    EXPECT_FALSE(study::stack_of_kernel("2.4.1"));
}

} // namespace
} // namespace spinup::test
