// Freeze, thaw, poweroff and restore, with data on its way, and the machine switched off at last.
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {
namespace {

constexpr std::array<std::string_view, 2> one_hdd{"port.1.drive=hdd", "port.1.ready_ms=3000"};

void play(stage& s) {
    const u32 cycles = 1 + s.option("more-cycles", 2);
    const bool writes = s.option("write");
    const bool scan = s.option("scan");
    const bool sleeps = s.option("sleep-too");
    const bool off = s.option("shutdown");
    if (writes)
        s.spawn("writer", [&s] {
            static_cast<void>(s.write(1, 0));
            static_cast<void>(s.flush(1));
            static_cast<void>(s.read(1, 0));
        });
    if (scan)
        s.spawn("scanner", [&s] { s.trigger_eh(1); });
    for (u32 i = 0; i < cycles; ++i)
        static_cast<void>(s.hibernate());
    if (sleeps)
        static_cast<void>(s.suspend_to_ram());
    s.join();
    if (off)
        s.shutdown();
}

} // namespace

const scenario scenario_hibernate{
    .name = "hibernate",
    .summary = "one HDD: hibernation and restore, writes and EH, and a shutdown",
    .machine = "fast-ssd",
    .overrides = one_hdd,
    .play = play,
};

} // namespace spinup::study
