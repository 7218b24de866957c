// What an exploring oracle, the checkers and weak memory are told of a run.
#include "emu/kernel/scheduler.hpp"

#include <algorithm>
#include <cstring>

namespace spinup::kernel {

namespace {
// A slot of its own for every life of a thread makes what its last life did concurrent with this
// one; clocks grow with it, so a long run goes on with the slots it has.
constexpr u32 many_slots = 64;
} // namespace

check::actor scheduler::actor() const {
    check::actor a;
    a.slot = slot();
    a.at = line_.now();
    if (const thread* t = cpu_.current) {
        a.pid = t->pid;
        a.name = t->name;
    }
    return a;
}

/// A thread starts, or a kworker gets something to do.
void scheduler::begins(thread& t) {
    if (explorer_ == nullptr)
        return;
    t.next_deed = deed::unknown;
    t.next_object = 0;
    t.observed = 0;
    flush_stores();
    if (t.slot == 0 || slots_ < many_slots)
        t.slot = slots_++;
    if (checkers_ != nullptr)
        checkers_->clocks().begin(slot(), t.slot);
    did(deed::sync, 0);
}

void scheduler::returned(std::string_view what) {
    if (!stopping_)
        checkers_->returns(actor(), what);
}

void scheduler::publish(u32 object, u64 state) {
    object_state(object, state);
    if (unwatched())
        return;
    flush_stores();
    if (checkers_ != nullptr)
        checkers_->clocks().release(slot(), object);
    did(deed::sync, object);
}

void scheduler::observe(u32 object) {
    if (unwatched())
        return;
    if (checkers_ != nullptr)
        checkers_->clocks().acquire(slot(), object);
    did(deed::sync, object);
}

void scheduler::locked(u32 object, name_id name, bool spin) {
    object_state(object, u64{cpu_.pid} << 1 | 1);
    if (unwatched())
        return;
    if (checkers_ != nullptr)
        checkers_->locked(actor(), {object, name, spin});
    did(deed::sync, object);
}

/// Whatever was stored before is visible to whoever takes the lock next (memory-barriers.txt,
/// "Lock acquisition functions": RELEASE).
void scheduler::unlocked(u32 object) {
    object_state(object, 0);
    if (unwatched())
        return;
    last_chance();
    flush_stores();
    if (checkers_ != nullptr)
        checkers_->unlocked(actor(), object);
    did(deed::sync, object);
}

void scheduler::hand_on(const thread& to) {
    if (checkers_ != nullptr && !unwatched())
        checkers_->clocks().hand_on(slot(), to.slot);
}

void scheduler::fence(check::barrier what) {
    if (unwatched())
        return;
    // Stores leave the buffer in order anyway, so only a full barrier waits for them.
    if (what == check::barrier::full) {
        last_chance();
        flush_stores();
    }
    if (checkers_ != nullptr)
        checkers_->clocks().fence(slot(), what);
}

/// The queue's lock is taken and left, and set_current_state() is a full barrier (memory-barriers,
/// "Sleep and wake-up functions"). Who woke this queue before, and found nobody, left that lock
/// too, so what it had stored is visible here.
void scheduler::enqueued(u32 object) {
    if (unwatched())
        return;
    last_chance();
    flush_stores();
    for (thread* t = first_; options_.weak_memory && t != nullptr; t = t->next)
        if (std::find(t->woken_queues.begin(), t->woken_queues.end(), object) !=
            t->woken_queues.end())
            flush_stores(*t);
    queue_lock_taken(object);
}

/// "A general memory barrier is executed by wake_up() if and only if it wakes a task up"
/// (memory-barriers.txt, "Sleep and wake-up functions").
void scheduler::waking(u32 object, const waiter_list& waiters) {
    if (unwatched())
        return;
    last_chance();
    if (!waiters.empty())
        flush_stores();
    else if (cpu_.current != nullptr && !cpu_.current->stores.empty())
        cpu_.current->woken_queues.push_back(object);
    queue_lock_taken(object);
}

/// And left.
void scheduler::queue_lock_taken(u32 object) {
    if (checkers_ != nullptr) {
        checkers_->clocks().acquire(slot(), object);
        checkers_->clocks().release(slot(), object);
    }
    did(deed::sync, object);
}

// Shared fields.

namespace {
constexpr bool writes(access how) {
    return how == access::write || how == access::write_once || how == access::atomic;
}
constexpr bool marked(access how) { return how != access::read && how != access::write; }
} // namespace

void scheduler::before_access(const shared_cell& cell, access how) {
    if (stopping_) {
        linger();
        return;
    }
    if (unwatched())
        return;
    const deed what = writes(how) ? deed::write : deed::read;
    if (cpu_.current != nullptr) {
        thread& self = *cpu_.current;
        announce(self, what, cell.id());
        if (cpu_.spinlocks == 0 || cell.bare_ || marked(how))
            offer(self);
    }
    if (cpu_.spinlocks == 0 && !cell.bare_) {
        cell.bare_ = true;
        cell_changed(cell);
    }
    did(what, cell.id());
    if (checkers_ != nullptr)
        checkers_->access(actor(), cell, how);
}

void scheduler::forget(const shared_cell& cell) {
    if (states_)
        state_.set(cell.id(), 0);
    for (thread* t = first_; options_.weak_memory && t != nullptr; t = t->next)
        std::erase_if(t->stores, [&cell](const buffered_store& s) { return s.cell == &cell; });
    if (checkers_ != nullptr)
        checkers_->forget(cell);
}

// Store buffers: first in, first out, as of x86; ARM may do more.

namespace {
// A store buffer of a present x86 core has some 56 entries and more; 8 hold all that is stored
// between two barriers here.
constexpr std::size_t buffer_size = 8;
} // namespace

void scheduler::commit(const buffered_store& s) {
    std::memcpy(s.cell->value_, &s.value, s.cell->bytes_);
    cell_changed(*s.cell);
    explorer_->touched(deed::write, s.cell->id());
}

void scheduler::commit_all(thread& t) {
    for (const buffered_store& s : t.stores)
        commit(s);
    t.stores.clear();
    t.woken_queues.clear();
}

/// The oracle says how many of the stores become visible here.
void scheduler::drain_stores(thread& self) {
    while (!self.stores.empty() && !run_over_ && explorer_->pick(choice::store, 2) == 0) {
        commit(self.stores.front());
        self.stores.erase(self.stores.begin());
    }
}

/// Something is next that makes a thread's stores visible, or its end: others may run before.
void scheduler::last_chance() {
    if (stopping_ || cpu_.current == nullptr || cpu_.current->stores.empty())
        return;
    announce(*cpu_.current, deed::unknown, 0);
    offer(*cpu_.current);
}

const u64* scheduler::buffered(const shared_cell& cell) const {
    if (cpu_.current == nullptr)
        return nullptr;
    const std::vector<buffered_store>& own = cpu_.current->stores;
    const auto last = std::find_if(own.rbegin(), own.rend(),
                                   [&cell](const buffered_store& s) { return s.cell == &cell; });
    return last == own.rend() ? nullptr : &last->value;
}

bool scheduler::buffer(shared_cell& cell, const void* from) {
    thread* self = cpu_.current;
    if (self == nullptr || stopping_ || cell.bytes_ > sizeof(u64)) {
        flush_stores();
        return false;
    }
    if (self->stores.size() == buffer_size) {
        commit(self->stores.front());
        self->stores.erase(self->stores.begin());
    }
    buffered_store& s = self->stores.emplace_back();
    s.cell = &cell;
    std::memcpy(&s.value, from, cell.bytes_);
    return true;
}

// The state of the world.

void scheduler::forget_locals(u32 where) {
    if (states_ && cpu_.current != nullptr)
        cpu_.current->observed = mixed(1, where);
}

u64 scheduler::state() const {
    u64 all = mixed(state_.sum(), to_ns(line_.now()));
    all = mixed(all, line_.empty() ? 0 : to_ns(line_.next()) + 1);
    for (const irq_line* i = first_irq_; i != nullptr; i = i->next_)
        all = mixed(all, i->number_);
    for (const thread* t = first_; t != nullptr; t = t->next) {
        if (t->state == thread_state::idle)
            continue;
        const bool blocked = t->state == thread_state::blocked;
        u64 one = mixed(t->pid, t->observed);
        one = mixed(one, u64{t->next_object} << 8 | static_cast<u64>(t->next_deed));
        one = mixed(one, t->timeout.armed() ? to_ns(t->timeout.deadline()) + 1 : 0);
        one = mixed(one, (blocked ? 1 : 0) | (t->timed_out ? 2 : 0));
        u64 ahead = 0;
        for (const thread* o = first_; blocked && o != nullptr; o = o->next)
            ahead += o->state == thread_state::blocked && o->why->object == t->why->object &&
                     o->arrival < t->arrival;
        one = mixed(one, ahead);
        for (const buffered_store& s : t->stores)
            one = mixed(mixed(one, s.cell->id()), s.value);
        all += one;
    }
    return all;
}

} // namespace spinup::kernel
