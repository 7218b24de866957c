// A port with several owners that know nothing of each other, each of which calls the port's own
// callbacks or, with a place for the result, asks beside them: SAS ports had two such owners until
// 6.6 (D-30). A suspend's callback waits for EH, and so may a resume's; so one can wait for its own
// operation while others wait for the same to end.
#include "emu/study/scenarios/registry.hpp"

#include "drivers/ata/libata.hpp"

#include <deque>
#include <spinup/kernel/result_slot.hpp>

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

/// What an owner asks for, one upon the other.
struct wishes {
    std::string_view name;
    bool resumes_first;
};
constexpr std::array<wishes, 3> owners{
    wishes{"owner 1", false},
    wishes{"owner 2", true},
    wishes{"owner 3", false},
};

struct place {
    explicit place(stage& s) : slot(s.place_for_a_result()) {}
    kernel::result_slot slot;
};

void ask(stage& s, kernel::pm_message message, kernel::result_slot* into) {
    if (into == nullptr)
        static_cast<void>(s.call_port(1, message));
    else
        static_cast<void>(s.request(1, message, *into));
}

bool is_suspended(drivers::ata_port& ap) {
    const kernel::spin_guard guard(ap.lock);
    return any(ap.pflags, drivers::ata_pflags::SUSPENDED);
}

void play(stage& s) {
    const u32 n = 1 + s.option("more-owners", owners.size());
    const bool twice = s.option("twice");
    const u32 slot_holders = s.option("slot-holders", owners.size() + 1); // the first so many
    // Runtime PM's callback waits for its resume, the one of a system sleep need not.
    const kernel::pm_message resume =
        s.option("system-resumes") ? kernel::PMSG_RESUME : kernel::PMSG_AUTO_RESUME;
    const duration pause = s.option("pause", {0ms, 1ms, 10ms});
    // Places for results live until nobody can write to one.
    std::deque<place> slots;
    for (u32 i = 0; i < n; ++i) {
        std::array<kernel::result_slot*, 2> into{};
        if (i < slot_holders)
            for (auto& each : into)
                each = &slots.emplace_back(s).slot;
        s.spawn(owners[i].name, [&s, i, into, resume, twice, pause] {
            const bool resumes = owners[i].resumes_first;
            ask(s, resumes ? resume : kernel::PMSG_SUSPEND, into[0]);
            s.sleep(pause);
            if (twice)
                ask(s, resumes ? kernel::PMSG_SUSPEND : resume, into[1]);
        });
    }
    s.join();
    s.settle();
    // Nobody has told the system that the port is not as it left it.
    if (is_suspended(s.world().ata(1)))
        static_cast<void>(s.call_port(1, kernel::PMSG_AUTO_RESUME));
    s.settle();
}

} // namespace

const scenario scenario_co_owners{
    .name = "co-owners",
    .summary = "one SSD without sd: several call the port's own callbacks, and wait as these do",
    .machine = "fast-ssd",
    .overrides = without_sd,
    .play = play,
};

} // namespace spinup::study
