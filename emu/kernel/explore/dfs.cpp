#include "emu/kernel/explore/dfs.hpp"

#include <algorithm>
#include <spinup/base/check.hpp>

namespace spinup::kernel {

namespace {

u64 mix(u64 state, u16 running) {
    return (state ^ (running + u64{1}) * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
}

} // namespace

void dfs::begin(u64) {
    depth_ = 0;
    preempted_ = 0;
    cut_ = false;
}

bool dfs::visit(u64 state) {
    if (cut_)
        return false;
    if (replays())
        return true;
    state_ = state;
    // With a bound the state alone does not say enough: pick_thread() knows the rest.
    if (bound_ == unbounded && !states_.insert(state))
        cut_ = true;
    return !cut_;
}

void dfs::touched(deed what, u32 object) {
    if (uses_sleep_sets() && !cut_ && !path_.empty() && !replays() && !path_.back().ended)
        touches_.push_back({what, object});
}

/// Whoever sleeps could go on, so it is the one that does, or nobody sleeps.
void dfs::alone() {
    if (!uses_sleep_sets() || cut_ || path_.empty() || replays() || path_.back().ended)
        return;
    cut_ = somebody_sleeps();
    path_.back().ended = true;
}

u32 dfs::pick(choice, u32 n) {
    if (cut_)
        return 0;
    if (replays()) {
        CHECK(path_[depth_].n == n); // the world would not be deterministic
        return answer(path_[depth_]);
    }
    if (!path_.empty())
        path_.back().opaque = true;
    node& made = push(n, {});
    made.opaque = true;
    return answer(made);
}

u32 dfs::pick_thread(std::span<const alternative> who, bool first_runs) {
    if (cut_)
        return 0;
    const auto n = static_cast<u32>(who.size());
    if (replays()) {
        CHECK(path_[depth_].n == n);
        return answer(path_[depth_]);
    }
    if (bound_ != unbounded && by_state_ &&
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
    made.opaque = hides(made);
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
    made.touches = touches_.size();
    made.first_touch = made.touches;
    who_.insert(who_.end(), who.begin(), who.end());
    made.of_thread = !who.empty();
    return made;
}

void dfs::pop() {
    who_.resize(path_.back().who);
    asleep_.resize(path_.back().asleep);
    touches_.resize(path_.back().first_touch);
    path_.pop_back();
}

/// Whether the step that a node answers with does not say what it does.
bool dfs::hides(const node& n) const {
    const alternative& taken = who_[n.who + n.answer];
    return taken.pid == 0 || taken.what == deed::unknown;
}

/// Whether a step commutes with the last one of the path.
bool dfs::commutes(const sleeper& u, const node& taken) const {
    for (std::size_t i = u.begin; i < u.end; ++i)
        for (std::size_t k = taken.touches; k < touches_.size(); ++k)
            if (touches_[i].object == touches_[k].object &&
                (touches_[i].what != deed::read || touches_[k].what != deed::read))
                return false;
    return true;
}

/// The sleep set of the next node: of those that sleep at the last one, who commutes with the step
/// taken there.
void dfs::inherit_sleep() {
    if (path_.empty() || path_.back().opaque || path_.back().ended)
        return;
    const node& last = path_.back();
    const std::size_t end = asleep_.size();
    for (std::size_t i = last.asleep; i < end; ++i)
        if (const sleeper u = asleep_[i]; commutes(u, last))
            asleep_.push_back(u);
}

/// Whether what follows the last step is what has been tried in other orders.
bool dfs::somebody_sleeps() {
    const std::size_t before = asleep_.size();
    inherit_sleep();
    const bool any = asleep_.size() != before;
    slept_ = slept_ || any;
    asleep_.resize(before);
    return any;
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
    if (uses_sleep_sets() && n.of_thread && !n.opaque) {
        asleep_.push_back({who_[n.who + n.answer].pid, n.touches, touches_.size()});
        n.touches = touches_.size();
    }
    touches_.resize(n.touches);
    n.ended = false;
    do
        ++n.answer;
    while (n.answer < n.n && sleeps(n));
    if (n.answer < n.n)
        n.opaque = !n.of_thread || hides(n);
    return n.answer < n.n;
}

bool dfs::end() {
    CHECK(!replays()); // the world would not be deterministic
    if (uses_sleep_sets() && !cut_)
        cut_ = somebody_sleeps(); // who could have gone on when the run ended
    ++(cut_ ? cut_short_ : orders_);
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
    touches_.clear();
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
    if (by_state_)
        out += "; " + std::to_string(states_.size()) +
               " states\npruned by visited states: proves what a state or the step to it shows, "
               "not what only the way there shows";
    else if (slept_)
        out += "\npruned by sleep sets: orders that differ in steps which commute count as one";
    return out + "\n";
}

} // namespace spinup::kernel
