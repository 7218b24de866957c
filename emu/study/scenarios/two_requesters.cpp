// Who wants something of one port at the same time: the system, which goes to sleep and wakes,
// runtime PM, and whoever asks for the error handler. Without sd nothing flushes a cache first, so
// that suspends meet the error handler at any step.
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

void play(stage& s) {
    const u32 cycles = 1 + s.option("more-cycles", 3);
    const duration gap = s.option("gap", {0ms, 1ms, 30ms, 400ms});
    const u32 scans = s.option("scans", 3);
    const duration when = s.option("scan-after", {0ms, 1ms, 40ms, 1100ms});
    const u32 runtime = s.option("runtime", 3);
    s.spawn("suspender", [&] {
        for (u32 i = 0; i < cycles; ++i) {
            static_cast<void>(s.suspend_to_ram());
            s.sleep(gap);
        }
    });
    if (scans != 0)
        s.spawn("scanner", [&] {
            for (u32 i = 0; i < scans; ++i) {
                s.sleep(when);
                s.trigger_eh(1);
            }
        });
    if (runtime != 0)
        s.spawn("runtime", [&] {
            for (u32 i = 0; i < runtime; ++i) {
                static_cast<void>(s.runtime_suspend(1));
                static_cast<void>(s.runtime_resume(1));
            }
        });
    s.join();
}

} // namespace

const scenario scenario_two_requesters{
    .name = "two-requesters",
    .summary = "one SSD without sd: system sleep, runtime PM and EH at the same time",
    .machine = "fast-ssd",
    .overrides = without_sd,
    .switches = with_runtime_pm,
    .play = play,
};

} // namespace spinup::study
