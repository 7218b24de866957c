#include "emu/cli/registries.hpp"
#include <gtest/gtest.h>

namespace spinup::cli {
namespace {

TEST(Registries, are_not_empty_and_every_entry_says_what_it_is) {
    for (const auto which : {registry::designs, registry::disk_starts, registry::orders}) {
        const auto entries = entries_of(which);
        EXPECT_GE(entries.size(), 2u);
        for (const auto& entry : entries) {
            EXPECT_FALSE(entry.name.empty());
            EXPECT_FALSE(entry.summary.empty()) << entry.name;
            EXPECT_FALSE(entry.source.empty()) << entry.name;
            EXPECT_FALSE(check_name(which, "--x", entry.name));
        }
    }
}

TEST(Registries, an_unknown_name_says_which_was_meant) {
    const auto design = check_name(registry::designs, "--designs", "async_3_16");
    ASSERT_TRUE(design);
    EXPECT_EQ(design->message, "--designs: unknown design `async_3_16`");
    EXPECT_EQ(design->hint, "did you mean `async_3_15`?");
    const auto start = check_name(registry::disk_starts, "--disk-start", "asynch");
    ASSERT_TRUE(start);
    EXPECT_EQ(start->message, "--disk-start: unknown disk start `asynch`");
    EXPECT_EQ(start->hint, "did you mean `async`?");
    const auto order = check_name(registry::orders, "--order", "upfornt");
    ASSERT_TRUE(order);
    EXPECT_EQ(order->hint, "did you mean `upfront`?");
}

TEST(Registries, lists_keep_their_order_and_every_name_is_checked) {
    const auto both = check_names(registry::disk_starts, "--disk-start", "sync,async");
    ASSERT_TRUE(both.ok());
    EXPECT_EQ(*both, (std::vector<std::string>{"sync", "async"}));
    const auto twice = check_names(registry::disk_starts, "--disk-start", "sync,async,sync");
    ASSERT_FALSE(twice.ok());
    EXPECT_EQ(twice.error().message, "--disk-start: disk start `sync` is listed twice");
    for (const char* broken :
         {"", ",", "sync,", ",sync", "sync,,async", "sync, async", "sync;async", "sync,sync"})
        EXPECT_FALSE(check_names(registry::disk_starts, "--disk-start", broken).ok()) << broken;
}

} // namespace
} // namespace spinup::cli
