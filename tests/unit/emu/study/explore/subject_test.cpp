#include "emu/study/explore/subject.hpp"

#include "drivers/ata/pm_designs/registry.hpp"

#include <gtest/gtest.h>

namespace spinup::study {
namespace {

TEST(Subject, HasTheSurroundingsOfTheNewestKernelWithTheDesign) {
    const auto now = options_of({.design = "current_7_3"});
    ASSERT_TRUE(now.ok());
    EXPECT_EQ(now->design, &drivers::pm_design_current_7_3);
    EXPECT_EQ(now->start, &drivers::disk_start_eh);
    const auto old = options_of({.design = "sync_3_3"});
    ASSERT_TRUE(old.ok());
    EXPECT_EQ(old->start, &drivers::disk_start_sync);
}

TEST(Subject, MayHaveOthers) {
    const auto o = options_of({.design = "current_7_3", .disk_start = "sync", .order = "async"});
    ASSERT_TRUE(o.ok());
    EXPECT_EQ(o->start, &drivers::disk_start_sync);
    EXPECT_EQ(o->order, &drivers::dpm_order_async);
}

TEST(Subject, HasSwitches) {
    const auto o =
        options_of({.design = "current_7_3", .switches = {"cancel_rescan=off", "runtime_pm"}});
    ASSERT_TRUE(o.ok());
    EXPECT_FALSE(o->switches.cancel_rescan);
    EXPECT_TRUE(o->switches.runtime_pm);
    EXPECT_FALSE(options_of({.design = "current_7_3"})->switches.runtime_pm);
}

TEST(Subject, OfNothingThatThereIsIsRefused) {
    EXPECT_FALSE(options_of({.design = "current_7_4"}).ok());
    EXPECT_FALSE(options_of({.design = "current_7_3", .disk_start = "never"}).ok());
    EXPECT_FALSE(options_of({.design = "current_7_3", .order = "random"}).ok());
    EXPECT_FALSE(options_of({.design = "current_7_3", .switches = {"no_such"}}).ok());
}

} // namespace
} // namespace spinup::study
