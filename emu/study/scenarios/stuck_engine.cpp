// An HBA whose command engine does not stop at some time, so that its port cannot be suspended.
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

void play(stage& s) {
    const u32 cycles = 1 + s.option("more-cycles", 2);
    const duration gap = s.option("gap", {0ms, 70ms, 600ms});
    const bool scan = s.option("scan");
    const bool stuck = s.option("engine-sticks");
    if (scan)
        s.spawn("scanner", [&s] { s.trigger_eh(1); });
    for (u32 i = 0; i < cycles; ++i) {
        static_cast<void>(s.suspend_to_ram());
        s.sleep(gap);
    }
    if (stuck)
        s.hold_engine(1);
    if (scan) // so that what EH starts for a device that works again meets the suspend that fails
        s.trigger_eh(1);
    static_cast<void>(s.suspend_if_possible());
    s.join();
}

} // namespace

const scenario scenario_stuck_engine{
    .name = "stuck-engine",
    .summary = "one SSD on a port whose engine does not stop any more: suspends and EH",
    .machine = "fast-ssd",
    .overrides = {},
    .play = play,
};

} // namespace spinup::study
