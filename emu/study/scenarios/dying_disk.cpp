// A disk that does not come back from a sleep, whether runtime PM had suspended it before or not.
// Whoever looks for it again makes libata let go of it, perhaps while the system sleeps anew.
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, 2> fails{"port.1.drive=ssd",
                                                "port.1.identify_fails=after_sleep"};

/// By then libata has tried three times, 5 s apart, and given the disk up. Linux: ATA_EH_DEV_TRIES,
/// ATA_EH_RESET_COOL_DOWN.
constexpr duration given_up_after = 30s;

void play(stage& s) {
    const bool idle = s.option("idle-before");
    const u32 scans = s.option("scans", 3);
    const duration pause = s.option("scan-pause", {0ms, 1ms, 40ms});
    const bool again = s.option("sleep-again");
    const bool unbound = s.option("unbind");
    if (idle)
        static_cast<void>(s.runtime_suspend(1));
    static_cast<void>(s.suspend_to_ram());
    s.sleep(given_up_after);
    if (scans != 0)
        s.spawn("scanner", [&s, scans, pause] {
            for (u32 i = 0; i < scans; ++i) {
                s.user_scan(1);
                s.sleep(pause);
            }
        });
    if (again)
        static_cast<void>(s.suspend_to_ram());
    s.join();
    if (unbound)
        s.unbind();
}

} // namespace

const scenario scenario_dying_disk{
    .name = "dying-disk",
    .summary = "one SSD that fails IDENTIFY after a sleep: scans, a second sleep, and its removal",
    .machine = "fast-ssd",
    .overrides = fails,
    .switches = with_runtime_pm,
    .play = play,
};

} // namespace spinup::study
