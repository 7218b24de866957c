// What the scheduler finds wrong, and how it says so.
#include "emu/kernel/scheduler.hpp"

#include <algorithm>
#include <spinup/base/check.hpp>

namespace spinup::kernel {

namespace {

// Linux: sysctl hung_task_timeout_secs, whose default is CONFIG_DEFAULT_HUNG_TASK_TIMEOUT=120.
constexpr duration hung_task_timeout = std::chrono::seconds{120};

std::string label(const thread& t, const trace& log) { return named(log.name(t.name), t.pid); }

} // namespace

void scheduler::report(finding_kind kind, std::string text) {
    if (stopping_)
        return;
    findings_.push_back({kind, line_.now(), cpu_.pid, std::move(text)});
    if (!options_.stop_at_first_finding || run_over_)
        return;
    end_run(verdict::finding);
    update_attention(); // whoever runs is left at its next decision point
}

void scheduler::complain(finding_kind kind, std::string_view condition, std::string_view file,
                         int line) {
    ++complaints_;
    log_.emit(trace_event::warn_on, condition, file, line);
    report(kind, std::string{condition} + " at " + std::string{file} + ":" + std::to_string(line) +
                     ", by " + actor().text(log_));
}

void scheduler::stuck(name_id lock, const void* owner) {
    if (evaluating_)
        throw lock_is_taken{};
    CHECK(!run_over_ || cpu_.current != nullptr); // outside of a run nobody could unlock it
    const std::string what{log_.name(lock)};
    if (owner == cpu_.context)
        report(finding_kind::deadlock,
               actor().text(log_) + " holds " + what + " and takes it again");
    else
        report(finding_kind::irq_unsafe,
               actor().text(log_) + " spins for ever for " + what + ", held by " +
                   label(*static_cast<const thread*>(owner), log_) + ", which cannot go on");
    if (cpu_.current == nullptr)
        throw stuck_for_ever{};
}

/// Who holds the lock that a thread waits for; nullptr if nobody, or if it waits for no lock.
const thread* scheduler::holder(const thread& waiting) const {
    if (waiting.state != thread_state::blocked || waiting.why->owner == nullptr)
        return nullptr;
    const void* owner = *waiting.why->owner;
    return owner == &cpu_ ? nullptr : static_cast<const thread*>(owner);
}

/// Threads of which each waits for a lock of the next one's, and the last for one of the first's.
std::vector<const thread*> scheduler::wait_cycle() const {
    for (const thread* start = first_; start != nullptr; start = start->next) {
        std::vector<const thread*> chain;
        const thread* t = start;
        while (t != nullptr && std::find(chain.begin(), chain.end(), t) == chain.end()) {
            chain.push_back(t);
            t = holder(*t);
        }
        if (t == start)
            return chain;
    }
    return {};
}

std::string scheduler::cycle_text(const std::vector<const thread*>& cycle) const {
    std::string out = label(*cycle.front(), log_);
    for (const thread* t : cycle)
        out += (t == cycle.front() ? " waits for " : ", which waits for ") +
               std::string{log_.name(t->why->what)} + ", held by " + label(*holder(*t), log_);
    return out;
}

/// Evaluates what a blocked thread waits for, as it would if it were woken. Nobody is told that the
/// test reads fields and takes locks.
bool scheduler::is_ready(const thread& t) {
    const waiter* w = t.state == thread_state::blocked ? t.why->place : nullptr;
    if (w == nullptr || w->test == nullptr)
        return false;
    const cpu_state before = cpu_;
    cpu_.watches = false;
    cpu_.listens = false;
    cpu_.attention = false;
    evaluating_ = true;
    bool there = false;
    try {
        there = w->test(w->ready);
    } catch (...) {
        there = false; // it wants a lock that is taken, so it would wait once more
    }
    evaluating_ = false;
    cpu_.watches = before.watches;
    cpu_.listens = before.listens;
    cpu_.spinlocks = before.spinlocks;
    update_attention();
    return there;
}

void scheduler::report_deadlock() {
    const std::string all = listed(waiting());
    bool lost = false;
    for (const thread* t = first_; t != nullptr; t = t->next) {
        if (!is_ready(*t))
            continue;
        lost = true;
        report(finding_kind::lost_wakeup, label(*t, log_) + " sleeps for " +
                                              std::string{log_.name(t->why->what)} +
                                              " although it is there\n" + all);
    }
    if (lost)
        return;
    const std::vector<const thread*> cycle = wait_cycle();
    report(finding_kind::deadlock,
           (cycle.empty() ? "nobody can run, and no timer is armed" : cycle_text(cycle)) + "\n" +
               all);
}

void scheduler::report_livelock() {
    end_run(verdict::livelock);
    report(finding_kind::livelock, std::to_string(options_.livelock_steps) +
                                       " steps without any time passing\n" + listed(waiting()));
}

/// Time is about to move to `next`: who will have been blocked for too long by then?
/// Linux: kernel/hung_task.c, which looks at those in TASK_UNINTERRUPTIBLE.
void scheduler::look_for_hung(time_point next) {
    hung_check_ = next + hung_task_timeout;
    for (thread* t = first_; t != nullptr; t = t->next) {
        if (t->state != thread_state::blocked || t->why->idle || t->hung)
            continue;
        const time_point due = t->blocked_since + hung_task_timeout;
        if (due > next) {
            hung_check_ = std::min(hung_check_, due);
            continue;
        }
        t->hung = true;
        const bool lost = is_ready(*t);
        const std::vector<const thread*> cycle = wait_cycle();
        const bool locked = std::find(cycle.begin(), cycle.end(), t) != cycle.end();
        report(lost     ? finding_kind::lost_wakeup
               : locked ? finding_kind::deadlock
                        : finding_kind::hung,
               (locked
                    ? cycle_text(cycle)
                    : label(*t, log_) + " has waited for " + std::string{log_.name(t->why->what)} +
                          " for more than 120 s" + (lost ? " although it is there" : "")) +
                   "\n" + listed(waiting()));
    }
}

} // namespace spinup::kernel
