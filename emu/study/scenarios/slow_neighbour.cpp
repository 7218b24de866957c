// The next suspend comes while a disk of the last resume still spins up, and its neighbour takes
// its time to stop: the disk may get ready when its port is down and the machine is not.
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, 7> two_hdds{
    "hba.ports=2",         "port.1.drive=hdd",   "port.1.ready_ms=1000", "port.2.drive=hdd",
    "port.2.ready_ms=100", "port.2.stop_ms=600", "disk_driver=false"};

void play(stage& s) {
    const u32 cycles = 2 + s.option("more-cycles", 2);
    const bool scan = s.option("scan");
    // Of the first disk: it is ready before the other has stopped, then, or not; or has been.
    const duration gap = s.option("gap", {700ms, 0ms, 70ms, 395ms, 995ms, 1400ms});
    if (scan)
        s.spawn("scanner", [&s] { s.trigger_eh(1); });
    for (u32 i = 0; i < cycles; ++i) {
        static_cast<void>(s.suspend_to_ram());
        s.sleep(gap);
    }
    s.join();
}

} // namespace

const scenario scenario_slow_neighbour{
    .name = "slow-neighbour",
    .summary = "an HDD that spins up beside one that needs 0.6 s to stop: suspends and EH",
    .machine = "fast-ssd",
    .overrides = two_hdds,
    .play = play,
};

} // namespace spinup::study
