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

void ask(stage& s, kernel::pm_message message, kernel::result_slot& into, bool early) {
    const errno_t rc = s.request(1, message, into);
    if (!early)
        s.settle();
    if (!failed(rc))
        static_cast<void>(s.read_result(1, into));
}

/// `early`: looks at each result at once, and asks on; otherwise when EH is through.
void ask_both(stage& s, const rival& who, bool early, bool twice) {
    kernel::result_slot first = s.place_for_a_result();
    kernel::result_slot second = s.place_for_a_result();
    ask(s, who.first, first, early);
    if (twice)
        ask(s, who.second, second, early);
    s.settle(); // the slots live until nobody can write to them
}

void play(stage& s) {
    const u32 n = 1 + s.option("more-rivals", 3);
    const bool sleeps = s.option("system-sleeps");
    const bool early = s.option("looks-early");
    const bool twice = s.option("twice");
    const u32 turn = s.option("who-begins", 3);
    const duration when = s.option("rivals-after", {0ms, 1ms, 5ms, 400ms});
    for (u32 i = 0; i < n; ++i)
        s.spawn(rivals[i].name,
                [&s, &who = rivals[(i + turn) % rivals.size()], early, twice, when] {
                    s.sleep(when);
                    ask_both(s, who, early, twice);
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
