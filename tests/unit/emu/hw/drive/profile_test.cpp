#include "emu/hw/drive/profile.hpp"

#include <gtest/gtest.h>

namespace spinup::hw {
namespace {

TEST(preset, exists_for_every_name_and_no_other) {
    EXPECT_EQ(preset_names().size(), 9u);
    for (const auto name : preset_names())
        EXPECT_TRUE(preset(name).has_value()) << name;
    EXPECT_FALSE(preset("floppy").has_value());
}

TEST(preset, disks_take_seconds_and_an_ssd_does_not) {
    using namespace std::chrono_literals;
    EXPECT_EQ(preset("ssd")->ready, 40ms);
    EXPECT_EQ(preset("hdd3t")->ready, 11s);
    EXPECT_EQ(preset("hdd3t")->standby_ready, 11s);
    EXPECT_EQ(count(preset("hdd500g")->capacity), 976'562'500u);
    EXPECT_EQ(preset("odd")->kind, drive_kind::odd);
    EXPECT_EQ(preset("odd")->medium_ready, 13s);
}

} // namespace
} // namespace spinup::hw
