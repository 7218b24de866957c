#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "tests/unit/drivers/base/pm_world.hpp"

namespace spinup::drivers {
namespace {

struct DeviceList : testing::Test {
    std::string names(device_list& of) {
        std::string text;
        of.for_each([&](device& dev) { text += dev.name; });
        return text;
    }

    virtual_timeline line;
    trace_ring log{line};
    kernel::simulated_kernel k{line, log};
    device_list list;
    device_list other;
    device a{k, "a"};
    device b{k, "b"};
    device c{k, "c"};
};

TEST_F(DeviceList, starts_empty) {
    EXPECT_TRUE(list.empty());
    EXPECT_FALSE(a.is_linked());
    EXPECT_EQ(names(list), "");
}

TEST_F(DeviceList, keeps_the_order_in_which_it_is_filled) {
    list.move_to_back(b);
    list.move_to_back(c);
    list.move_to_front(a);
    EXPECT_EQ(names(list), "abc");
    EXPECT_EQ(&list.front(), &a);
    EXPECT_EQ(&list.back(), &c);
    EXPECT_TRUE(a.is_linked());
}

TEST_F(DeviceList, moves_a_device_from_wherever_it_is) {
    for (device* dev : {&a, &b, &c})
        list.move_to_back(*dev);
    other.move_to_back(b);
    EXPECT_EQ(names(list), "ac");
    EXPECT_EQ(names(other), "b");
    list.move_to_front(c);
    list.move_to_front(c);
    list.move_to_back(a);
    EXPECT_EQ(names(list), "ca");
}

TEST_F(DeviceList, lets_a_device_leave_any_number_of_times) {
    for (device* dev : {&a, &b, &c})
        list.move_to_back(*dev);
    b.unlink();
    b.unlink();
    EXPECT_FALSE(b.is_linked());
    EXPECT_EQ(names(list), "ac");
    a.unlink();
    c.unlink();
    EXPECT_TRUE(list.empty());
}

TEST_F(DeviceList, forgets_a_device_that_is_destroyed) {
    list.move_to_back(a);
    auto gone = std::make_unique<device>(k, "gone");
    list.move_to_back(*gone);
    list.move_to_back(b);
    gone.reset();
    EXPECT_EQ(names(list), "ab");
}

TEST_F(DeviceList, releases_its_devices_when_it_is_destroyed) {
    auto shorter = std::make_unique<device_list>();
    shorter->move_to_back(a);
    shorter->move_to_back(b);
    shorter.reset();
    EXPECT_FALSE(a.is_linked());
    EXPECT_FALSE(b.is_linked());
}

} // namespace
} // namespace spinup::drivers
