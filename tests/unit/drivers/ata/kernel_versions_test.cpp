#include "drivers/ata/kernel_versions.hpp"
#include <gtest/gtest.h>

namespace spinup::drivers {
namespace {

std::string row_for(std::string_view version) {
    const kernel_version* const row = find_kernel(version);
    return row == nullptr ? "none" : to_string(row->from);
}

TEST(KernelVersion, is_the_nearest_that_is_not_newer) {
    EXPECT_EQ(row_for("3.11.0"), "3.11");
    EXPECT_EQ(row_for("3.12.74"), "3.11");
    EXPECT_EQ(row_for("3.14.79"), "3.13");
    EXPECT_EQ(row_for("3.15.5"), "3.15");
    EXPECT_EQ(row_for("5.10.200"), "3.15");
    EXPECT_EQ(row_for("6.1.55"), "5.16");
    EXPECT_EQ(row_for("6.1.58"), "6.1.56");
    EXPECT_EQ(row_for("6.1.75"), "6.1.59");
    EXPECT_EQ(row_for("6.1.192"), "6.1.76");
    EXPECT_EQ(row_for("6.4.16"), "6.2");
    EXPECT_EQ(row_for("6.5.5"), "6.5");
    EXPECT_EQ(row_for("6.5.7"), "6.5.6");
    EXPECT_EQ(row_for("6.5.13"), "6.5.8");
    EXPECT_EQ(row_for("6.6.14"), "6.6");
    EXPECT_EQ(row_for("6.12.102"), "6.9");
    EXPECT_EQ(row_for("7.3.4"), "7.3");
    EXPECT_EQ(row_for("8.0.1"), "7.3");
}

TEST(KernelVersion, of_a_series_is_its_last_row) {
    EXPECT_EQ(row_for("6.1"), "6.1.76");
    EXPECT_EQ(row_for("6.6"), "6.6.15");
    EXPECT_EQ(row_for("6.12"), "6.12.103");
    EXPECT_EQ(row_for("7.3"), "7.3");
    EXPECT_EQ(row_for("latest"), "7.3");
}

TEST(KernelVersion, of_a_later_series_than_the_last_row_is_not_known) {
    for (const char* known : {"3.11", "7.3", "7.3.99", "latest", "nonsense"})
        EXPECT_FALSE(is_past_all_rows(known)) << known;
    for (const char* unknown : {"7.4", "7.4.0-rc1", "8.0.1", "9.9"})
        EXPECT_TRUE(is_past_all_rows(unknown)) << unknown;
}

TEST(KernelVersion, may_have_what_a_distribution_adds) {
    EXPECT_EQ(row_for("6.12.117+deb13-amd64"), "6.12.103");
    EXPECT_EQ(row_for("7.3.4+deb13-amd64"), "7.3");
    EXPECT_EQ(row_for("6.1.0-57-amd64"), "6.1.76"); // Debian's 6.1.192
    EXPECT_EQ(row_for("6.12.0-rc1"), "6.9");
    EXPECT_EQ(row_for("6.12.5~bpo12+1"), "6.9");
}

TEST(KernelVersion, is_none_for_what_is_no_version_or_too_old) {
    for (const char* text : {"", "6", "6.", ".6", "six", "v6.1", "6.1.", "6.1.x", "6.1 ", "6.1.2.3",
                             "6,1", "-6.1", "99999999999.1", "3.10.108", "2.6.32", "lates"})
        EXPECT_EQ(find_kernel(text), nullptr) << text;
}

TEST(KernelVersion, says_what_stands_in) {
    EXPECT_EQ(find_kernel("6.1")->note, "order walk_6_8 is not built: async stands in");
    EXPECT_EQ(find_kernel("6.1")->order, &dpm_order_async);
    EXPECT_EQ(find_kernel("6.12")->note, "");
    EXPECT_EQ(find_kernel("6.12")->order, &dpm_order_upfront);
    EXPECT_EQ(find_kernel("7.3")->note, "order tree_6_17 is not built: upfront stands in");
}

TEST(KernelVersion, has_the_stack_of_its_kernel) {
    EXPECT_EQ(find_kernel("6.1")->design, &pm_design_locked_6_6);
    EXPECT_EQ(find_kernel("6.1")->start, &disk_start_eh);
    EXPECT_EQ(find_kernel("6.1")->eh, &eh_6_1);
    EXPECT_EQ(find_kernel("6.12.50")->eh, &eh_6_12);
    EXPECT_EQ(find_kernel("6.12")->eh, &eh_6_12_103);
    EXPECT_EQ(find_kernel("latest")->design, &pm_design_current_7_3);
    EXPECT_EQ(find_kernel("3.11")->start, &disk_start_sync);
    EXPECT_EQ(find_kernel("3.13")->start, &disk_start_sync_lenient);
    EXPECT_EQ(find_kernel("3.13")->design, &pm_design_sync_3_11);
    EXPECT_EQ(find_kernel("5.16")->start, &disk_start_sync_lenient);
}

// The design, the reset's memory and the disk start came in three stable releases of their own.
TEST(KernelVersion, has_what_its_stable_series_took_from_6_6) {
    for (const auto& [old, locked, eh] :
         {std::array{"6.1.55", "6.1.56", "6.1.59"}, std::array{"6.5.5", "6.5.6", "6.5.8"}}) {
        EXPECT_EQ(find_kernel(old)->design, &pm_design_async_3_15);
        EXPECT_TRUE(find_kernel(old)->eh->reset_forgets_pending);
        EXPECT_EQ(find_kernel(locked)->design, &pm_design_locked_6_6);
        EXPECT_FALSE(find_kernel(locked)->eh->reset_forgets_pending);
        EXPECT_EQ(find_kernel(locked)->start, &disk_start_sync_lenient);
        EXPECT_EQ(find_kernel(eh)->design, &pm_design_locked_6_6);
        EXPECT_EQ(find_kernel(eh)->start, &disk_start_eh);
    }
}

TEST(EhOptions, of_a_design_are_those_of_its_newest_kernel) {
    EXPECT_EQ(&eh_options_of(pm_design_sync_3_11), &eh_3_11);
    EXPECT_EQ(&eh_options_of(pm_design_async_3_15), &eh_3_11);
    // Older than the first row, or posted against 3.11.
    EXPECT_EQ(&eh_options_of(pm_design_host_async_3_1), &eh_3_11);
    EXPECT_EQ(&eh_options_of(pm_design_async_rc_2013), &eh_3_11);
    EXPECT_EQ(&eh_options_of(pm_design_locked_6_6), &eh_6_1);
    EXPECT_EQ(&eh_options_of(pm_design_current_7_3), &eh_7_3);
    EXPECT_EQ(&eh_options_of(pm_design_spinup_reference), &eh_reference);
    const pm_design mine{.name = "mine", .summary = "a design of a user", .source = "nowhere"};
    EXPECT_EQ(&eh_options_of(mine), &eh_7_3);
}

} // namespace
} // namespace spinup::drivers
