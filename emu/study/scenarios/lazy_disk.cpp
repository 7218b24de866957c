// A disk that starts when a command wants its medium, not with its power.
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, 3> one_hdd{"port.1.drive=hdd", "port.1.ready_ms=3000",
                                                  "port.1.spin_up_from=command"};

void play(stage& s) {
    const u32 cycles = 1 + s.option("more-cycles", 2);
    const duration gap = s.option("gap", {0ms, 70ms, 3100ms});
    const bool scan = s.option("scan");
    const bool read = s.option("read");
    if (scan)
        s.spawn("scanner", [&s] { s.trigger_eh(1); });
    if (read)
        s.spawn("reader", [&s] { static_cast<void>(s.read(1, 0)); });
    for (u32 i = 0; i < cycles; ++i) {
        static_cast<void>(s.suspend_to_ram());
        s.sleep(gap);
    }
    s.join();
}

} // namespace

const scenario scenario_lazy_disk{
    .name = "lazy-disk",
    .summary = "one HDD that starts when its medium is wanted: suspends, a read and EH",
    .machine = "fast-ssd",
    .overrides = one_hdd,
    .play = play,
};

} // namespace spinup::study
