// A user looks at a disk anew while the system goes to sleep and wakes: the device lock and the
// queue are wanted by both.
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

void play(stage& s) {
    const u32 cycles = 1 + s.option("more-cycles", 2);
    const duration gap = s.option("gap", {0ms, 1ms, 70ms, 350ms});
    const u32 rescans = s.option("rescans", 4);
    const duration pause = s.option("rescan-pause", {0ms, 5ms, 1050ms});
    if (rescans != 0)
        s.spawn("rescanner", [&s, rescans, pause] {
            for (u32 i = 0; i < rescans; ++i) {
                static_cast<void>(s.rescan(1)); // -EAGAIN: not while the queue is closed
                s.sleep(pause);
            }
        });
    for (u32 i = 0; i < cycles; ++i) {
        static_cast<void>(s.suspend_to_ram());
        s.sleep(gap);
    }
    s.join();
}

} // namespace

const scenario scenario_rescan{
    .name = "rescan",
    .summary = "one SSD: rescans of its disk, by a user and by EH, around suspends",
    .machine = "fast-ssd",
    .overrides = {},
    .play = play,
};

} // namespace spinup::study
