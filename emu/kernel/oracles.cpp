#include "emu/kernel/oracles.hpp"

namespace spinup::kernel {

u32 replay::pick(choice kind, u32 n) {
    if (script_.round_robin())
        return 0;
    const std::size_t place = schedule_.picks().size();
    u32 answer = 0;
    if (place >= script_.picks().size()) {
        ran_out_ = true;
    } else if (script_.picks()[place] >= n) {
        mismatched_ = true;
    } else {
        answer = script_.picks()[place];
    }
    schedule_.record(kind, n, answer);
    // The questions of all picks are known when the last has been played.
    if (place + 1 == script_.picks().size() && schedule_.questions() != script_.questions())
        mismatched_ = true;
    return answer;
}

std::unique_ptr<recording_oracle> oracle_config::make() const {
    switch (how) {
    case kind::round_robin:
        break;
    case kind::seeded_random:
        return std::make_unique<seeded_random>(seed);
    case kind::replay:
        return std::make_unique<replay>(script);
    case kind::given:
        return std::make_unique<recorded>(*chooser);
    case kind::recording:
        return nullptr;
    }
    return std::make_unique<round_robin>();
}

} // namespace spinup::kernel
