// The error handler is asked for again and again while the system goes to sleep and wakes.
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

void play(stage& s) {
    const u32 cycles = 1 + s.option("more-cycles", 2);
    const u32 scanners = 1 + s.option("second-scanner", 2);
    const u32 scans = 2 + s.option("more-scans", 4);
    const duration pause = s.option("scan-pause", {0ms, 1ms, 20ms, 300ms});
    const bool read = s.option("read");
    for (u32 who = 0; who < scanners; ++who)
        s.spawn(who == 0 ? "scanner 1" : "scanner 2", [&s, scans, pause] {
            for (u32 i = 0; i < scans; ++i) {
                s.trigger_eh(1);
                s.sleep(pause);
            }
        });
    if (read)
        s.spawn("reader", [&s] { static_cast<void>(s.read(1, 0)); });
    for (u32 i = 0; i < cycles; ++i)
        static_cast<void>(s.suspend_to_ram());
    s.join();
}

} // namespace

const scenario scenario_eh_storm{
    .name = "eh-storm",
    .summary = "one SSD: EH is asked for again and again, around suspends",
    .machine = "fast-ssd",
    .overrides = {},
    .play = play,
};

} // namespace spinup::study
