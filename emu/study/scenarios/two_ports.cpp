// Two ports of one host, a fast one and a slow one: what they share is the host.
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, 3> and_a_disk{"hba.ports=2", "port.2.drive=hdd",
                                                     "port.2.ready_ms=3000"};

void play(stage& s) {
    const u32 cycles = 1 + s.option("more-cycles", 2);
    const duration gap = s.option("gap", {0ms, 70ms, 350ms, 3100ms});
    const u32 scanned = s.option("scan-port", 3); // 0: none
    const bool read = s.option("read");
    if (scanned != 0)
        s.spawn("scanner", [&s, scanned] { s.trigger_eh(scanned); });
    if (read)
        for (const u32 port : {1u, 2u})
            s.spawn(port == 1 ? "reader 1" : "reader 2",
                    [&s, port] { static_cast<void>(s.read(port, 0)); });
    for (u32 i = 0; i < cycles; ++i) {
        static_cast<void>(s.suspend_to_ram());
        s.sleep(gap);
    }
    s.join();
}

} // namespace

const scenario scenario_two_ports{
    .name = "two-ports",
    .summary = "an SSD and an HDD on one host: suspends, reads, and EH on one of the ports",
    .machine = "fast-ssd",
    .overrides = and_a_disk,
    .play = play,
};

} // namespace spinup::study
