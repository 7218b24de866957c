// A port with more than one owner: the system, which sleeps and wakes, and requesters beside the PM
// core that know nothing of it or of each other, as SAS ports had until 6.6. They break the PM
// core's rule of one owner, so warnings of the error handler are their own fault; what a design
// does with their requests is not.
#include "emu/study/scenarios/registry.hpp"

#include <spinup/kernel/result_slot.hpp>

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

struct rival {
    std::string_view name;
    kernel::pm_message first;
    kernel::pm_message second;
};
constexpr std::array<rival, 3> rivals{
    rival{"rival 1", kernel::PMSG_SUSPEND, kernel::PMSG_RESUME},
    rival{"rival 2", kernel::PMSG_RESUME, kernel::PMSG_SUSPEND},
    rival{"rival 3", kernel::PMSG_SUSPEND, kernel::PMSG_RESUME},
};

/// `early`: looks at the result at once; otherwise when EH is through.
void ask(stage& s, kernel::pm_message message, bool early) {
    kernel::result_slot result{s.kernel()};
    const errno_t rc = s.request(1, message, result);
    if (!early)
        s.settle();
    if (!failed(rc))
        static_cast<void>(s.read_result(1, result));
    s.settle();
}

void play(stage& s) {
    const u32 n = 1 + s.option("more-rivals", 3);
    const bool sleeps = s.option("system-sleeps");
    const bool early = s.option("looks-early");
    const bool twice = s.option("twice");
    const duration when = s.option("rivals-after", {0ms, 1ms, 1100ms, 1300ms});
    for (u32 i = 0; i < n; ++i)
        s.spawn(rivals[i].name, [&s, &who = rivals[i], early, twice, when] {
            s.sleep(when);
            ask(s, who.first, early);
            if (twice)
                ask(s, who.second, early);
        });
    if (sleeps)
        static_cast<void>(s.suspend_to_ram());
    s.join();
}

} // namespace

const scenario scenario_rivals{
    .name = "rivals",
    .summary = "one SSD without sd: requesters beside the PM core ask for what each of them likes",
    .machine = "fast-ssd",
    .overrides = without_sd,
    .play = play,
};

} // namespace spinup::study
