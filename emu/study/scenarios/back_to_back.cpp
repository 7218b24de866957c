// The next suspend comes while the disk of the last resume still spins up.
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

// One spin-up that ends before the first COMRESET's patience of 10 s, so that resets do not add.
constexpr std::array<std::string_view, 3> one_hdd{"port.1.drive=hdd", "port.1.ready_ms=3000",
                                                  "disk_driver=false"};

void play(stage& s) {
    const u32 cycles = 2 + s.option("more-cycles", 2);
    for (u32 i = 0; i < cycles; ++i) {
        static_cast<void>(s.suspend_to_ram());
        // Around the steps of a resume: the reset (100 ms debounce), the wait, the end.
        s.sleep(s.option(i == 0   ? "gap-1"
                         : i == 1 ? "gap-2"
                                  : "gap-3",
                         {0ms, 1ms, 70ms, 350ms, 2900ms, 3100ms}));
    }
}

} // namespace

const scenario scenario_back_to_back{
    .name = "back-to-back",
    .summary = "one HDD without sd: each suspend meets the resume before it, at gaps from 0",
    .machine = "fast-ssd",
    .overrides = one_hdd,
    .play = play,
};

} // namespace spinup::study
