#include "emu/cli/guest_verdict.hpp"

#include <gtest/gtest.h>

namespace spinup::cli {
namespace {

study::agreement equal_one() {
    study::agreement a;
    a.cycles = a.log_cycles = 2;
    a.verdict = "ok";
    a.ports.emplace_back().port = 1;
    return a;
}

guest_findings good() {
    guest_findings found;
    found.outcome.started = found.outcome.good = true;
    found.log.kernel = "6.12.1";
    found.compare = true;
    found.stack = "current_7_3";
    found.agreements = {equal_one(), equal_one()};
    return found;
}

/// The one fault.
std::string fault_of(const guest_findings& found) {
    const auto faults = faults_of(found);
    EXPECT_EQ(faults.size(), 1u);
    return faults.empty() ? "" : faults.front();
}

TEST(GuestVerdict, has_nothing_against_a_good_guest) {
    EXPECT_TRUE(faults_of(good()).empty());
    guest_findings alone = good();
    alone.compare = false;
    alone.stack.clear();
    alone.agreements.clear();
    EXPECT_TRUE(faults_of(alone).empty());
}

TEST(GuestVerdict, is_against_a_kernel_that_complains) {
    auto found = good();
    found.log.complaints = {"WARNING: CPU: 0 PID: 7 at drivers/ata/libata-core.c:5035 f+0x1"};
    EXPECT_EQ(fault_of(found), "the kernel complains: WARNING: CPU: 0 PID: 7 at "
                               "drivers/ata/libata-core.c:5035 f+0x1; see its log");
    found.log.complaints.emplace_back("BUG: x");
    found.log.complaints.emplace_back("BUG: y");
    EXPECT_NE(fault_of(found).find("f+0x1, and 2 more;"), std::string::npos);
}

TEST(GuestVerdict, names_a_guest_that_failed_and_drives_that_were_lost) {
    auto found = good();
    found.outcome.good = false;
    found.outcome.reason = "no S3";
    EXPECT_EQ(fault_of(found), "the guest failed: no S3");
    found = good();
    found.lost = {3, 10};
    EXPECT_EQ(fault_of(found), "not in use again after the last resume: ata3, ata10");
}

TEST(GuestVerdict, is_against_a_comparison_that_is_not_complete) {
    const auto differ = "our drivers and the kernel differ; see the marks";
    auto found = good();
    found.agreements[1].ports[0].ready_differs = true;
    EXPECT_TRUE(fault_of(found).starts_with(differ));
    // An HBA without a cycle beside one that has some.
    found = good();
    found.agreements[1].cycles = found.agreements[1].log_cycles = 0;
    EXPECT_TRUE(fault_of(found).starts_with(differ));
    found.agreements.clear();
    EXPECT_EQ(fault_of(found), "there is no cycle to compare");
    found.stack.clear();
    EXPECT_EQ(fault_of(found), "no stack of ours is like Linux `6.12.1`");
}

TEST(GuestVerdict, says_of_an_interrupted_guest_only_what_is_certain) {
    auto found = good();
    found.interrupted = true;
    found.outcome.good = false;
    found.lost = {1};
    found.agreements.clear();
    EXPECT_EQ(fault_of(found), "interrupted; shown is what was found until then");
}

} // namespace
} // namespace spinup::cli
