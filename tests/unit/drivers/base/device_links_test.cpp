// Device links: order between devices that are not each other's ancestors.
#include "drivers/base/device_links.hpp"

#include <gtest/gtest.h>

#include "tests/unit/drivers/base/pm_world.hpp"

namespace spinup::drivers {
namespace {

using namespace literals;

struct DeviceLinks : pm_world {
    /// A port and its disk that hangs off something else: 'port' takes 30 ms each way.
    void make() {
        port = &add("port", nullptr, async).on(step::resume, {30ms}).dev;
        disk = &add("disk", nullptr, async).on(step::suspend, {50ms}).dev;
    }
    device* port = nullptr;
    device* disk = nullptr;
};

TEST_F(DeviceLinks, without_one_the_two_do_not_wait_for_each_other) {
    make();
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ok);
    EXPECT_EQ(noted(step::suspend), "disk@0-50 port@0");
    EXPECT_EQ(noted(step::resume), "port@50-80 disk@50");
}

TEST_F(DeviceLinks, suspend_the_consumer_first_and_resume_the_supplier_first) {
    make();
    run(dpm_order_upfront, [&] {
        EXPECT_EQ(device_link_add(*core, *disk, *port), errno_t::ok);
        EXPECT_EQ(device_link_add(*core, *disk, *port), errno_t::ok); // the same one
        EXPECT_EQ(pm_suspend(*core, *this), errno_t::ok);
    });
    EXPECT_EQ(noted(step::suspend), "disk@0-50 port@50");
    EXPECT_EQ(noted(step::resume), "port@50-80 disk@80");
    EXPECT_EQ(disk->suppliers.size(), 1u);
}

TEST_F(DeviceLinks, move_a_consumer_and_its_children_behind_a_later_supplier) {
    device& disk_first = add("disk").dev;
    add("part", &disk_first);
    device& port_last = add("port").dev;
    run(dpm_order_sync, [&] {
        EXPECT_EQ(device_link_add(*core, disk_first, port_last), errno_t::ok);
        EXPECT_EQ(pm_suspend(*core, *this), errno_t::ok);
    });
    EXPECT_EQ(noted(step::suspend), "part@0 disk@0 port@0");
    EXPECT_EQ(noted(step::resume), "port@0 disk@0 part@0");
}

TEST_F(DeviceLinks, are_refused_in_a_circle) {
    make();
    device& part = add("part", disk).dev;
    run(dpm_order_sync, [&] {
        EXPECT_EQ(device_link_add(*core, *disk, *port), errno_t::ok);
        EXPECT_EQ(device_link_add(*core, *port, *disk), errno_t::einval);
        EXPECT_EQ(device_link_add(*core, *port, part), errno_t::einval);
    });
}

TEST_F(DeviceLinks, are_gone_with_either_device) {
    make();
    run(dpm_order_sync, [&] {
        EXPECT_EQ(device_link_add(*core, *disk, *port), errno_t::ok);
        core->device_del(*port);
        EXPECT_TRUE(disk->suppliers.empty());
        core->device_add(*port);
        EXPECT_EQ(device_link_add(*core, *disk, *port), errno_t::ok);
        core->device_del(*disk);
        EXPECT_TRUE(port->consumers.empty());
    });
}

} // namespace
} // namespace spinup::drivers
