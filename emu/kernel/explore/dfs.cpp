#include "emu/kernel/explore/dfs.hpp"

#include <algorithm>
#include <spinup/base/check.hpp>
#include <utility>

namespace spinup::kernel {

namespace {

bool commute(const alternative& a, const alternative& b) {
    if (a.what == deed::unknown || b.what == deed::unknown)
        return false;
    return a.object != b.object || (a.what == deed::read && b.what == deed::read);
}

u64 mix(u64 state, u16 running) {
    return (state ^ (running + u64{1}) * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
}

} // namespace

void dfs::begin(u64) {
    depth_ = 0;
    preempted_ = 0;
    cut_ = false;
    state_is_new_ = false;
}

/// What was left out for a sleep set may be needed from now on.
void dfs::drop_sleep_sets(bool& why) {
    start_over_ = start_over_ || (uses_sleep_sets() && slept_);
    why = true;
}

bool dfs::visit(u64 state) {
    drop_sleep_sets(says_state_);
    if (cut_)
        return false;
    if (replays())
        return true;
    state_ = state;
    state_is_new_ = true;
    // With a bound the state alone does not say enough: pick_thread() knows the rest.
    if (bound_ == unbounded && !states_.insert(state))
        cut_ = true;
    return !cut_;
}

u32 dfs::pick(choice kind, u32 n) {
    if (kind == choice::store)
        drop_sleep_sets(stores_);
    if (cut_)
        return 0;
    if (replays()) {
        CHECK(path_[depth_].n == n); // the world would not be deterministic
        return answer(path_[depth_]);
    }
    return answer(push(n, {}));
}

u32 dfs::pick_thread(std::span<const alternative> who, bool first_runs) {
    if (cut_)
        return 0;
    const auto n = static_cast<u32>(who.size());
    if (replays()) {
        CHECK(path_[depth_].n == n);
        return answer(path_[depth_]);
    }
    if (bound_ != unbounded && std::exchange(state_is_new_, false) &&
        !states_.lower(mix(state_, first_runs ? who[0].pid : u16{0}), preempted_)) {
        cut_ = true;
        return 0;
    }
    node& made = push(n, who);
    made.first_runs = first_runs;
    while (made.answer < n && sleeps(made))
        ++made.answer;
    if (made.answer == n) {
        pop();
        cut_ = true;
        return 0;
    }
    return answer(made);
}

u32 dfs::answer(node& n) {
    ++depth_;
    deepest_ = std::max(deepest_, depth_);
    if (n.first_runs && n.answer != 0)
        ++preempted_;
    return n.answer;
}

dfs::node& dfs::push(u32 n, std::span<const alternative> who) {
    const std::size_t asleep = asleep_.size();
    if (uses_sleep_sets())
        inherit_sleep();
    node& made = path_.emplace_back();
    made.n = n;
    made.preempted = preempted_;
    made.who = who_.size();
    made.asleep = asleep;
    who_.insert(who_.end(), who.begin(), who.end());
    made.of_thread = !who.empty();
    return made;
}

void dfs::pop() {
    who_.resize(path_.back().who);
    asleep_.resize(path_.back().asleep);
    path_.pop_back();
}

/// The sleep set of the next node: of those that sleep at the last one, or have been tried there,
/// who commutes with the step taken.
void dfs::inherit_sleep() {
    if (path_.empty())
        return;
    const node& last = path_.back();
    const std::size_t end = asleep_.size();
    const auto keep = [&](alternative u) {
        const alternative& taken = who_[last.who + last.answer];
        if (!last.of_thread || (u.pid != taken.pid && commute(u, taken)))
            asleep_.push_back(u);
    };
    for (std::size_t i = last.asleep; i < end; ++i)
        keep(asleep_[i]);
    for (u32 i = 0; last.of_thread && i < last.answer; ++i)
        if (const alternative u = who_[last.who + i];
            std::none_of(asleep_.begin() + static_cast<std::ptrdiff_t>(last.asleep),
                         asleep_.begin() + static_cast<std::ptrdiff_t>(end),
                         [&](const alternative& a) { return a.pid == u.pid; }))
            keep(u);
}

/// Whether what the last node of the path would answer sleeps. A thread in a sleep set has the same
/// step before it as when it fell asleep, unless it was alone since; then all that follows repeats
/// others anyway.
bool dfs::sleeps(const node& n) {
    if (!uses_sleep_sets() || !n.of_thread)
        return false;
    const u16 pid = who_[n.who + n.answer].pid;
    for (std::size_t i = n.asleep; i < asleep_.size(); ++i)
        if (asleep_[i].pid == pid)
            return slept_ = true;
    return false;
}

/// Moves the last node of the path to its next answer. Returns: false if it has none.
bool dfs::next_answer(node& n) {
    if (n.of_thread && n.first_runs && n.preempted >= bound_) {
        bound_cut_ = true;
        return false;
    }
    do
        ++n.answer;
    while (n.answer < n.n && sleeps(n));
    return n.answer < n.n;
}

bool dfs::end() {
    CHECK(!replays()); // the world would not be deterministic
    if (uses_sleep_sets() && !cut_) {
        // Whoever still sleeps has run meanwhile, alone, or could have.
        const std::size_t before = asleep_.size();
        inherit_sleep();
        cut_ = asleep_.size() != before;
        slept_ = slept_ || cut_;
        asleep_.resize(before);
    }
    ++(cut_ ? cut_short_ : orders_);
    if (start_over_) {
        start_over_ = false;
        clear();
        return true;
    }
    for (; !path_.empty(); pop())
        if (next_answer(path_.back()))
            return true;
    if (bound_cut_ && bound_ < limit_) {
        ++bound_;
        clear();
        return true;
    }
    finished_ = true;
    return false;
}

void dfs::clear() {
    path_.clear();
    who_.clear();
    asleep_.clear();
    states_.clear();
    bound_cut_ = false;
    orders_ = 0;
    cut_short_ = 0;
}

std::string dfs::coverage() const {
    std::string out = finished_ ? "all orders" : "not all orders";
    if (bound_ != unbounded && (bound_cut_ || !finished_))
        out += " with at most " + std::to_string(bound_) + " preemptions";
    out += " tried: " + std::to_string(orders_) + " schedules to their end, " +
           std::to_string(cut_short_) + " cut short, the deepest of " + std::to_string(deepest_) +
           " choices";
    if (says_state_)
        out += "; " + std::to_string(states_.size()) +
               " states\npruned by visited states: proves what a state or the step to it shows, "
               "not what only the way there shows";
    else if (slept_)
        out += "\npruned by sleep sets: orders that differ in steps which commute count as one";
    return out + "\n";
}

} // namespace spinup::kernel
