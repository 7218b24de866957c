#include "emu/study/explore/choices.hpp"

#include <algorithm>
#include <spinup/base/check.hpp>

namespace spinup::study {

void run_choices::start(oracle* strategy, const script* what) {
    strategy_ = strategy;
    script_ = what;
    open_ = false;
    schedule_.restart();
    options_.clear();
}

/// Past the end, and where the question has fewer answers than it had: 0.
u32 run_choices::scripted(u32 n) const {
    const std::size_t place = schedule_.picks().size();
    const u32 answer = place < script_->picks.size() ? script_->picks[place] : 0;
    return answer < n ? answer : 0;
}

u32 run_choices::pick(choice kind, u32 n) {
    if (!open_)
        return 0;
    return kept(kind, n, strategy_ != nullptr ? strategy_->pick(kind, n) : scripted(n));
}

u32 run_choices::pick_thread(std::span<const alternative> who, bool first_runs) {
    if (!open_)
        return 0;
    const u32 n = static_cast<u32>(who.size());
    if (strategy_ == nullptr)
        return kept(choice::thread, n, scripted(n));
    // What a thread does to the hardware is not announced, so two steps may meet there although
    // their deeds do not: a search must not take them to commute.
    who_.assign(who.begin(), who.end());
    for (alternative& each : who_)
        each.what = deed::unknown;
    return kept(choice::thread, n, strategy_->pick_thread(who_, first_runs));
}

void run_choices::alone() {
    if (open_ && strategy_ != nullptr)
        strategy_->alone();
}

void run_choices::touched(deed what, u32 object) {
    if (open_ && strategy_ != nullptr)
        strategy_->touched(what, object);
}

u32 run_choices::draw(std::string_view name, u32 below) {
    CHECK(std::none_of(options_.begin(), options_.end(),
                       [name](const kernel::run_option& o) { return o.name == name; }));
    u32 answer = 0;
    if (strategy_ != nullptr) {
        answer = strategy_->pick(choice::option, below);
    } else {
        for (const kernel::run_option& o : script_->options)
            if (o.name == name && o.value < below)
                answer = static_cast<u32>(o.value);
    }
    if (answer != 0)
        options_.push_back({std::string{name}, answer});
    return answer;
}

} // namespace spinup::study
