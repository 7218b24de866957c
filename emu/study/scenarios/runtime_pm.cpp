// A port and its disk are suspended and resumed by runtime PM, while the disk is read and the
// system goes to sleep and wakes.
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

void play(stage& s) {
    const u32 rounds = 1 + s.option("more-rounds", 3);
    const duration stay = s.option("suspended-for", {0ms, 1ms, 200ms, 1500ms});
    const bool second = s.option("second-user");
    const bool sleeps = s.option("system-sleeps");
    const bool read = s.option("read");
    s.spawn("user", [&] {
        for (u32 i = 0; i < rounds; ++i) {
            static_cast<void>(s.runtime_suspend(1));
            s.sleep(stay);
            static_cast<void>(s.runtime_resume(1));
            if (read)
                static_cast<void>(s.read(1, 0));
        }
    });
    if (second)
        s.spawn("second user", [&] { static_cast<void>(s.runtime_resume(1)); });
    if (sleeps)
        static_cast<void>(s.suspend_to_ram());
    s.join();
}

} // namespace

const scenario scenario_runtime_pm{
    .name = "runtime-pm",
    .summary = "one SSD: runtime suspends and resumes of its port, reads, and a system sleep",
    .machine = "fast-ssd",
    .overrides = {},
    .switches = with_runtime_pm,
    .play = play,
};

} // namespace spinup::study
