#include "emu/kernel/explore/pct.hpp"

#include <algorithm>
#include <cmath>
#include <spinup/base/check.hpp>

namespace spinup::kernel {

pct::pct(u64 seed, u32 depth, u32 steps)
    : seed_(seed), depth_(depth), steps_(steps), stream_(schedule_stream(seed, 0, name)) {
    CHECK(depth > 0 && steps > 0);
    begin(0);
}

void pct::begin(u64 number) {
    stream_ = schedule_stream(seed_, number, name);
    step_ = 0;
    for (const u16 pid : seen_)
        priorities_[pid] = 0;
    seen_.clear();
    changes_.clear();
    for (u32 i = 1; i < depth_; ++i)
        changes_.push_back({static_cast<u32>(stream_.below(steps_)), i});
    std::sort(changes_.begin(), changes_.end(), [](const change& a, const change& b) {
        return a.step != b.step ? a.step > b.step : a.priority > b.priority;
    });
}

u64 pct::priority(u16 pid) {
    if (pid >= priorities_.size())
        priorities_.resize(pid + std::size_t{1});
    u64& p = priorities_[pid];
    if (p == 0) {
        // Above all that change points give out; two equal ones are as good as impossible.
        p = stream_.next() | u64{1} << 63;
        seen_.push_back(pid);
    }
    return p;
}

u32 pct::pick_thread(std::span<const alternative> who, bool) {
    const auto highest = [&] {
        u32 best = 0;
        for (u32 i = 1; i < who.size(); ++i)
            if (priority(who[i].pid) > priority(who[best].pid))
                best = i;
        return best;
    };
    u32 answer = highest();
    for (; !changes_.empty() && changes_.back().step == step_; changes_.pop_back()) {
        priorities_[who[answer].pid] = changes_.back().priority;
        answer = highest();
    }
    ++step_;
    return answer;
}

double pct::bound(u32 threads, u32 depth, u32 steps) {
    return 1.0 / (threads * std::pow(steps, depth - 1));
}

} // namespace spinup::kernel
