// A disk that runtime PM has suspended is looked at, and sleeps and wakes with the system.
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, 2> one_hdd{"port.1.drive=hdd", "port.1.ready_ms=3000"};

void play(stage& s) {
    const u32 rescans = s.option("rescans", 3);
    const duration when = s.option("rescan-after", {0ms, 1ms, 20ms, 800ms});
    const bool sleeps_twice = s.option("sleep-again");
    static_cast<void>(s.runtime_suspend(1));
    if (rescans != 0)
        s.spawn("rescanner", [&s, rescans, when] {
            for (u32 i = 0; i < rescans; ++i) {
                s.sleep(when);
                static_cast<void>(s.rescan(1)); // -EAGAIN: not while the queue is closed
            }
        });
    static_cast<void>(s.suspend_to_ram());
    if (sleeps_twice)
        static_cast<void>(s.suspend_to_ram());
    s.join();
}

} // namespace

const scenario scenario_idle_disk{
    .name = "idle-disk",
    .summary = "one HDD, suspended by runtime PM: rescans, and a system sleep upon it",
    .machine = "fast-ssd",
    .overrides = one_hdd,
    .switches = with_runtime_pm,
    .play = play,
};

} // namespace spinup::study
