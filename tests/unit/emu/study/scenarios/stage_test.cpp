#include "emu/study/scenarios/registry.hpp"

#include "drivers/ata/libata.hpp"
#include "drivers/ata/pm_designs/registry.hpp"
#include "emu/machine/schema.hpp"
#include "emu/study/explore/subject.hpp"
#include "emu/trace/trace_ring.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

/// Says `all` of every option, as far as there are so many values.
struct same_for_all final : option_source {
    explicit same_for_all(u32 value) : all(value) {}
    u32 draw(std::string_view name, u32 below) override {
        asked.emplace_back(name);
        return std::min(all, below - 1);
    }
    u32 all;
    std::vector<std::string> asked;
};

/// A machine with one SSD under async_3_15, with runtime PM; first come, first served.
struct StageTest : testing::Test {
    StageTest() {
        const std::vector<std::string> overrides{without_sd.begin(), without_sd.end()};
        auto m = machine::load("fast-ssd", overrides);
        EXPECT_TRUE(m.ok());
        const auto o = options_of({.design = "async_3_15", .switches = {"runtime_pm"}});
        EXPECT_TRUE(o.ok());
        w.emplace(*m, *o);
        w->log().attach(records);
    }
    ~StageTest() override {
        w->kernel().stop();
        s.reset();
        w->log().detach(records);
    }

    void play(const std::function<void(stage&)>& what) {
        const auto end = w->kernel().run("test", [&] {
            w->boot();
            what(s.emplace(*w, options));
        });
        EXPECT_TRUE(end.done()) << end.text();
        w->log().drain();
    }
    [[nodiscard]] u64 count_of_failed_suspends() const {
        const auto all = records.records();
        return static_cast<u64>(std::count_if(all.begin(), all.end(), [](const trace_record& r) {
            return r.event == static_cast<u16>(trace_event::pm_done) && r.args[1] != 0;
        }));
    }
    [[nodiscard]] u64 count(trace_event e) const {
        const auto all = records.records();
        return static_cast<u64>(std::count_if(all.begin(), all.end(), [e](const trace_record& r) {
            return r.event == static_cast<u16>(e);
        }));
    }

    same_for_all options{0};
    record_store records;
    std::optional<machine::world> w;
    std::optional<stage> s;
};

TEST_F(StageTest, ReadsWhatItHasWrittenAroundASuspend) {
    play([](stage& st) {
        EXPECT_EQ(st.read(1, 5), errno_t::ok);
        EXPECT_EQ(st.write(1, 5), errno_t::ok);
        EXPECT_EQ(st.flush(1), errno_t::ok);
        EXPECT_EQ(st.suspend_to_ram(), errno_t::ok);
        EXPECT_EQ(st.read(1, 5), errno_t::ok);
        EXPECT_EQ(st.failed_suspend(), errno_t::ok);
    });
    EXPECT_EQ(count(trace_event::io_lost), 0u);
}

TEST_F(StageTest, TellsOfDataThatIsNotWhatWasWritten) {
    play([this](stage& st) {
        EXPECT_EQ(st.write(1, 5), errno_t::ok);
        // Behind its back, as another drive would have it.
        std::array<std::byte, 512> other{};
        written_data{6}.fill(other, 1);
        media_of(*w->drive_of(1)).write(5, 1, reinterpret_cast<const u8*>(other.data()));
        EXPECT_EQ(st.read(1, 5), errno_t::ok);
    });
    EXPECT_EQ(count(trace_event::io_lost), 1u);
}

TEST_F(StageTest, JoinsTheThreadsThatItHasStarted) {
    u32 ended = 0;
    play([&ended](stage& st) {
        for (const char* name : {"one", "two"})
            st.spawn(name, [&st, &ended] {
                st.sleep(5ms);
                ++ended;
            });
        EXPECT_EQ(ended, 0u);
        st.join();
        EXPECT_EQ(ended, 2u);
        st.join();
    });
}

TEST_F(StageTest, AsksForEhByItself) {
    play([](stage& st) {
        st.trigger_eh(1);
        st.settle();
    });
    EXPECT_EQ(count(trace_event::eh_asked), 1u);
    EXPECT_EQ(count(trace_event::eh_begin), 2u) << "one of them is the boot's";
}

TEST_F(StageTest, SuspendsAPortAtRunTime) {
    play([this](stage& st) {
        EXPECT_EQ(st.runtime_suspend(1), errno_t::ok);
        EXPECT_TRUE(any(w->ata(1).pflags, drivers::ata_pflags::SUSPENDED));
        EXPECT_EQ(st.runtime_resume(1), errno_t::ok);
        st.settle();
        EXPECT_FALSE(any(w->ata(1).pflags, drivers::ata_pflags::SUSPENDED));
    });
}

TEST_F(StageTest, AsksForRuntimePmOnlyWhileTheSystemIsThawed) {
    bool awake = false;
    play([this, &awake](stage& st) {
        st.spawn("user", [&] {
            st.sleep(500ms); // the machine is asleep then, for a second
            EXPECT_TRUE(w->pm().freezer().frozen());
            static_cast<void>(st.runtime_suspend(1));
            EXPECT_TRUE(awake);
        });
        EXPECT_EQ(st.suspend_to_ram(), errno_t::ok);
        awake = true;
        st.join();
    });
}

TEST_F(StageTest, HibernatesAndSwitchesOff) {
    play([](stage& st) {
        EXPECT_EQ(st.hibernate(), errno_t::ok);
        EXPECT_EQ(st.read(1, 0), errno_t::ok);
        EXPECT_FALSE(st.is_off());
        st.shutdown();
        EXPECT_TRUE(st.is_off());
    });
    EXPECT_EQ(count(trace_event::pm_hibernate_entry), 1u);
    EXPECT_EQ(count(trace_event::power_off), 2u);
}

TEST_F(StageTest, UnbindsTheDriver) {
    play([this](stage& st) {
        st.unbind();
        EXPECT_TRUE(any(w->ata(1).pflags, drivers::ata_pflags::UNLOADED));
        EXPECT_EQ(w->ata(1).link.dev.sdev, nullptr);
    });
}

TEST_F(StageTest, HoldsAnEngineSoThatAPortIsNotSuspended) {
    play([](stage& st) {
        st.hold_engine(1);
        EXPECT_EQ(st.suspend_to_ram(), errno_t::ok); // nobody is told
    });
    EXPECT_GT(count_of_failed_suspends(), 0u);
}

TEST_F(StageTest, RestsUntilCommandsAreOver) {
    play([this](stage& st) {
        st.spawn("reader", [&st] { static_cast<void>(st.read(1, 0)); });
        st.rest();
        EXPECT_EQ(w->ata(1).qc_active, 0u);
        st.join();
    });
    EXPECT_EQ(count(trace_event::scsi_done), count(trace_event::scsi_queue));
    EXPECT_GT(count(trace_event::scsi_done), 0u);
}

TEST_F(StageTest, ShowsItsOptions) {
    play([](stage& st) {
        EXPECT_FALSE(st.option("a"));
        EXPECT_EQ(st.option("b", 3), 0u);
        EXPECT_EQ(st.option("c", {2ms, 3ms}), 2ms);
        EXPECT_EQ(st.option("none", 1), 0u);
    });
    const std::vector<std::pair<std::string, std::string>> shown{
        {"a", "no"}, {"b", "0"}, {"c", "2 ms"}, {"none", "0"}};
    EXPECT_EQ(s->options(), shown);
    EXPECT_EQ(options.asked, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Scenarios, HaveNamesOfTheirOwn) {
    std::set<std::string_view> names;
    for (const scenario* each : scenarios) {
        EXPECT_TRUE(names.insert(each->name).second) << each->name;
        EXPECT_EQ(find_scenario(each->name), each);
        EXPECT_FALSE(each->summary.empty());
    }
    EXPECT_EQ(find_scenario("no such"), nullptr);
}

} // namespace
} // namespace spinup::study
