// Hibernation and shutdown: whose callbacks run, in which order, and how a failure unwinds.
#include "drivers/base/power/hibernate.hpp"

#include <gtest/gtest.h>

#include "tests/unit/drivers/base/pm_world.hpp"

namespace spinup::drivers {
namespace {

using namespace literals;

/// A device that knows all transitions.
struct sleeper {
    sleeper(kernel::system& k, std::vector<std::string>& notes_, std::string_view name,
            device* parent)
        : notes(notes_), dev(k, name, parent) {
        static constexpr dev_pm_ops ops = [] {
            dev_pm_ops o;
            o.suspend = [](device& d) { return of(d).act("suspend"); };
            o.resume = [](device& d) { return of(d).act("resume"); };
            o.freeze = [](device& d) { return of(d).act("freeze"); };
            o.thaw = [](device& d) { return of(d).act("thaw"); };
            o.poweroff = [](device& d) { return of(d).act("poweroff"); };
            o.restore = [](device& d) { return of(d).act("restore"); };
            o.suspend_noirq = [](device& d) { return of(d).act("noirq"); };
            o.shutdown = [](device& d) { static_cast<void>(of(d).act("shutdown")); };
            return o;
        }();
        dev.pm = &ops;
        dev.drvdata = this;
    }
    static sleeper& of(device& d) { return dev_get_drvdata<sleeper>(d); }
    errno_t act(const std::string& what) {
        notes.push_back(what + " " + dev.name);
        return what == fails ? errno_t::eio : errno_t::ok;
    }

    std::vector<std::string>& notes;
    std::string fails;
    device dev;
};

struct Hibernate : pm_world, image_writer {
    using notes_t = std::vector<std::string>;

    errno_t write() override {
        happened.push_back("write");
        return write_result;
    }
    void enter() override { happened.push_back("off"); }

    errno_t go() {
        errno_t rc = errno_t::ok;
        run(dpm_order_sync, [&] {
            core->device_add(hba.dev);
            core->device_add(disk.dev);
            rc = hibernate(*core, *this, *this);
            EXPECT_FALSE(core->freezer().frozen());
        });
        return rc;
    }

    notes_t happened;
    errno_t write_result = errno_t::ok;
    sleeper hba{k, happened, "hba", nullptr};
    sleeper disk{k, happened, "disk", &hba.dev};
};

TEST_F(Hibernate, freezes_thaws_writes_powers_off_and_restores) {
    EXPECT_EQ(go(), errno_t::ok);
    EXPECT_EQ(happened, (notes_t{"freeze disk", "freeze hba", "noirq disk", "noirq hba", "thaw hba",
                                 "thaw disk", "write", "poweroff disk", "poweroff hba",
                                 "noirq disk", "noirq hba", "off", "restore hba", "restore disk"}));
    const std::string text = kernel_log();
    EXPECT_NE(text.find("PM: late freeze of devices complete"), std::string::npos) << text;
    EXPECT_NE(text.find("PM: noirq restore of devices complete"), std::string::npos) << text;
}

TEST_F(Hibernate, thaws_what_was_frozen_when_a_device_fails_to_freeze) {
    hba.fails = "freeze";
    EXPECT_EQ(go(), errno_t::eio);
    EXPECT_EQ(happened, (notes_t{"freeze disk", "freeze hba", "thaw disk"}));
}

TEST_F(Hibernate, goes_no_further_when_the_image_cannot_be_written) {
    write_result = errno_t::eio;
    EXPECT_EQ(go(), errno_t::eio);
    EXPECT_EQ(happened.back(), "write");
}

TEST_F(Hibernate, restores_what_was_off_when_a_device_fails_to_power_off) {
    hba.fails = "poweroff";
    EXPECT_EQ(go(), errno_t::eio);
    EXPECT_EQ((notes_t{happened.end() - 3, happened.end()}),
              (notes_t{"poweroff disk", "poweroff hba", "restore disk"}));
}

TEST_F(Hibernate, suspend_to_ram_afterwards_has_its_own_callbacks) {
    EXPECT_EQ(go(), errno_t::ok);
    happened.clear();
    run(dpm_order_sync, [&] { EXPECT_EQ(pm_suspend(*core, *this), errno_t::ok); });
    EXPECT_EQ(happened, (notes_t{"suspend disk", "suspend hba", "noirq disk", "noirq hba", "off",
                                 "resume hba", "resume disk"}));
}

TEST_F(Hibernate, shutdown_takes_the_last_device_first) {
    run(dpm_order_sync, [&] {
        core->device_add(hba.dev);
        core->device_add(disk.dev);
        core->device_shutdown();
    });
    EXPECT_EQ(happened, (notes_t{"shutdown disk", "shutdown hba"}));
}

} // namespace
} // namespace spinup::drivers
