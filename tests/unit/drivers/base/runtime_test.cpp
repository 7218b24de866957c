// Runtime PM: counts, order, waits, and what a system sleep makes of it.
#include "drivers/base/power/runtime.hpp"

#include <gtest/gtest.h>

#include "drivers/base/device_links.hpp"
#include "tests/unit/drivers/base/pm_world.hpp"

namespace spinup::drivers {
namespace {

using namespace literals;

/// A device whose runtime callbacks note themselves.
struct rpm_probe {
    rpm_probe(kernel::system& k, std::vector<std::string>& notes_, std::string_view name,
              device* parent)
        : notes(notes_), dev(k, name, parent) {
        static constexpr dev_pm_ops ops = [] {
            dev_pm_ops o;
            o.runtime_suspend = [](device& d) { return dev_get_drvdata<rpm_probe>(d).act("down"); };
            o.runtime_resume = [](device& d) { return dev_get_drvdata<rpm_probe>(d).act("up"); };
            o.runtime_idle = [](device& d) { return dev_get_drvdata<rpm_probe>(d).idle; };
            o.suspend = [](device& d) { return dev_get_drvdata<rpm_probe>(d).act("suspend"); };
            o.suspend_late = [](device& d) { return dev_get_drvdata<rpm_probe>(d).late(); };
            return o;
        }();
        dev.pm = &ops;
        dev.drvdata = this;
    }
    errno_t act(std::string_view what) {
        notes.push_back(std::string{what} + " " + dev.name);
        if (takes != duration{})
            dev.kernel.usleep_range(takes);
        return returns;
    }
    errno_t late() {
        late_answer = pm_runtime_resume(dev);
        return errno_t::ok;
    }

    std::vector<std::string>& notes;
    duration takes{};
    errno_t returns = errno_t::ok;
    errno_t idle = errno_t::ebusy;
    errno_t late_answer = errno_t::ok;
    device dev;
};

struct RuntimePm : pm_world {
    using notes_t = std::vector<std::string>;

    rpm_probe& add_rpm(std::string_view name, device* parent = nullptr) {
        return devices.emplace_back(k, happened, name, parent);
    }
    void go(const std::function<void()>& body) {
        run(dpm_order_upfront, [&] {
            for (rpm_probe& p : devices) {
                core->device_add(p.dev);
                pm_runtime_init(p.dev, core->freezer());
                ASSERT_EQ(pm_runtime_set_active(p.dev), errno_t::ok);
                pm_runtime_enable(p.dev);
            }
            body();
        });
    }

    notes_t happened;
    std::deque<rpm_probe> devices;
};

TEST_F(RuntimePm, suspends_a_parent_after_its_child_and_resumes_it_before) {
    rpm_probe& port = add_rpm("port");
    rpm_probe& disk = add_rpm("disk", &port.dev);
    port.idle = errno_t::ok;
    go([&] {
        EXPECT_EQ(pm_runtime_suspend(port.dev), errno_t::ebusy);
        EXPECT_EQ(pm_runtime_suspend(disk.dev), errno_t::ok);
        k.usleep_range(1ms); // the parent follows, in a work item
        EXPECT_EQ(pm_runtime_status(port.dev), rpm_status::suspended);
        EXPECT_EQ(pm_runtime_resume(disk.dev), errno_t::ok);
        EXPECT_EQ(pm_runtime_status(port.dev), rpm_status::active);
        k.usleep_range(1ms);
        EXPECT_EQ(pm_runtime_status(port.dev), rpm_status::active);
    });
    EXPECT_EQ(happened, (notes_t{"down disk", "down port", "up port", "up disk"}));
}

TEST_F(RuntimePm, does_not_suspend_what_somebody_holds) {
    rpm_probe& disk = add_rpm("disk");
    disk.idle = errno_t::ok;
    go([&] {
        EXPECT_EQ(pm_runtime_get_sync(disk.dev), errno_t::ok);
        EXPECT_EQ(pm_runtime_suspend(disk.dev), errno_t::eagain);
        EXPECT_EQ(pm_runtime_put_sync(disk.dev), errno_t::ok);
        EXPECT_TRUE(pm_runtime_suspended(disk.dev));
        EXPECT_EQ(pm_runtime_get_sync(disk.dev), errno_t::ok);
        pm_runtime_put(disk.dev);
        EXPECT_FALSE(pm_runtime_suspended(disk.dev));
        k.usleep_range(1ms);
        EXPECT_TRUE(pm_runtime_suspended(disk.dev));
    });
}

TEST_F(RuntimePm, has_a_resume_wait_for_a_suspend_that_runs) {
    rpm_probe& disk = add_rpm("disk");
    disk.takes = 10ms;
    go([&] {
        bool resumed = false;
        k.kthread_run("other", [&] {
            k.usleep_range(5ms);
            EXPECT_EQ(pm_runtime_resume(disk.dev), errno_t::ok);
            resumed = true;
        });
        EXPECT_EQ(pm_runtime_suspend(disk.dev), errno_t::ok);
        EXPECT_EQ(k.now(), time_point{10ms});
        k.usleep_range(11ms);
        EXPECT_TRUE(resumed);
        EXPECT_EQ(pm_runtime_status(disk.dev), rpm_status::active);
    });
    EXPECT_EQ(happened, (notes_t{"down disk", "up disk"}));
}

TEST_F(RuntimePm, carries_a_request_out_when_the_suspend_that_it_met_is_over) {
    rpm_probe& disk = add_rpm("disk");
    disk.takes = 10ms;
    go([&] {
        k.kthread_run("other", [&] {
            k.usleep_range(5ms);
            EXPECT_EQ(pm_request_resume(disk.dev), errno_t::ok);
        });
        EXPECT_EQ(pm_runtime_suspend(disk.dev), errno_t::eagain);
        EXPECT_EQ(pm_runtime_status(disk.dev), rpm_status::active);
    });
    EXPECT_EQ(happened, (notes_t{"down disk", "up disk"}));
}

TEST_F(RuntimePm, keeps_an_error_until_the_status_is_set) {
    rpm_probe& disk = add_rpm("disk");
    go([&] {
        EXPECT_EQ(pm_runtime_suspend(disk.dev), errno_t::ok);
        disk.returns = errno_t::eio;
        EXPECT_EQ(pm_runtime_resume(disk.dev), errno_t::eio);
        disk.returns = errno_t::ok;
        EXPECT_EQ(pm_runtime_resume(disk.dev), errno_t::einval);
        pm_runtime_disable(disk.dev);
        EXPECT_EQ(pm_runtime_set_active(disk.dev), errno_t::ok);
        pm_runtime_enable(disk.dev);
        EXPECT_EQ(pm_runtime_resume(disk.dev), errno_t::ok);
        EXPECT_EQ(pm_runtime_set_suspended(disk.dev), errno_t::eagain); // enabled
    });
    EXPECT_EQ(happened, (notes_t{"down disk", "up disk"}));
}

TEST_F(RuntimePm, resumes_suppliers_first_and_holds_them) {
    rpm_probe& port = add_rpm("port");
    rpm_probe& disk = add_rpm("disk");
    port.idle = errno_t::ok;
    go([&] {
        EXPECT_EQ(device_link_add(*core, disk.dev, port.dev, true), errno_t::ok);
        EXPECT_EQ(pm_runtime_suspend(port.dev), errno_t::eagain);
        EXPECT_EQ(pm_runtime_suspend(disk.dev), errno_t::ok);
        k.usleep_range(1ms);
        EXPECT_TRUE(pm_runtime_suspended(port.dev));
        EXPECT_EQ(pm_runtime_resume(disk.dev), errno_t::ok);
        EXPECT_EQ(pm_runtime_suspend(port.dev), errno_t::eagain);
        device_link_del(*core, disk.dev, port.dev);
        k.usleep_range(1ms);
        EXPECT_TRUE(pm_runtime_suspended(port.dev));
    });
    EXPECT_EQ(happened, (notes_t{"down disk", "down port", "up port", "up disk", "down port"}));
}

TEST_F(RuntimePm, is_held_through_a_system_sleep_and_disabled_in_its_late_part) {
    rpm_probe& disk = add_rpm("disk");
    disk.idle = errno_t::ok;
    go([&] {
        EXPECT_EQ(pm_runtime_suspend(disk.dev), errno_t::ok);
        // It waits in a frozen work item; the barrier before the suspend callback carries it out.
        EXPECT_EQ(core->freezer().freeze(), errno_t::ok);
        EXPECT_EQ(pm_request_resume(disk.dev), errno_t::ok);
        EXPECT_EQ(pm_suspend(*core, *this), errno_t::ok);
        EXPECT_EQ(disk.dev.power.runtime->disable_depth, 0u);
        EXPECT_EQ(disk.dev.power.runtime->usage_count, 0u);
        k.usleep_range(1ms); // complete lets it go
        EXPECT_TRUE(pm_runtime_suspended(disk.dev));
    });
    EXPECT_EQ(disk.late_answer, errno_t::ok); // disabled, and active
    EXPECT_EQ(happened, (notes_t{"down disk", "up disk", "suspend disk", "down disk"}));
}

TEST_F(RuntimePm, refuses_a_suspended_device_its_resume_in_the_late_part) {
    rpm_probe& disk = add_rpm("disk");
    go([&] {
        EXPECT_EQ(pm_runtime_suspend(disk.dev), errno_t::ok);
        EXPECT_EQ(pm_suspend(*core, *this), errno_t::ok);
        EXPECT_TRUE(pm_runtime_suspended(disk.dev));
    });
    EXPECT_EQ(disk.late_answer, errno_t::eacces);
    EXPECT_EQ(happened, (notes_t{"down disk", "suspend disk"}));
}

TEST_F(RuntimePm, complains_of_unbalanced_counts) {
    rpm_probe& disk = add_rpm("disk");
    go([&] {
        pm_runtime_put_noidle(disk.dev);
        pm_runtime_enable(disk.dev);
    });
    EXPECT_EQ(k.complaints(), 2u);
}

TEST_F(RuntimePm, does_nothing_for_a_device_without_it) {
    device plain{k, "plain"};
    run(dpm_order_sync, [&] {
        EXPECT_EQ(pm_runtime_get_sync(plain), errno_t::ok);
        pm_runtime_put(plain);
        EXPECT_EQ(pm_runtime_suspend(plain), errno_t::eacces);
        EXPECT_EQ(pm_runtime_status(plain), rpm_status::active);
        EXPECT_FALSE(pm_runtime_suspended(plain));
    });
}

} // namespace
} // namespace spinup::drivers
