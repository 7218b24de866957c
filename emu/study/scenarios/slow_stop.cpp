// A disk that takes long to stop, as large ones with a full cache do.
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

// Longer than a command without a class of its own may take (5 s), shorter than STANDBY IMMEDIATE
// may (15 s). Linux: ata_eh_cmd_timeout_table.
constexpr std::array<std::string_view, 3> one_hdd{"port.1.drive=hdd", "port.1.ready_ms=3000",
                                                  "port.1.stop_ms=8000"};

void play(stage& s) {
    const u32 cycles = 1 + s.option("more-cycles", 2);
    const bool writes = s.option("write");
    const bool scan = s.option("scan");
    if (writes)
        s.spawn("writer", [&s] { static_cast<void>(s.write(1, 0)); });
    if (scan)
        s.spawn("scanner", [&s] { s.trigger_eh(1); });
    for (u32 i = 0; i < cycles; ++i)
        static_cast<void>(s.suspend_to_ram());
    s.join();
}

} // namespace

const scenario scenario_slow_stop{
    .name = "slow-stop",
    .summary = "one HDD that needs 8 s to stop: suspends, a write and EH",
    .machine = "fast-ssd",
    .overrides = one_hdd,
    .play = play,
};

} // namespace spinup::study
