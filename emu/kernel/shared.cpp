// Shared fields, barriers and result slots.
#include <spinup/kernel/shared.hpp>

#include "emu/kernel/scheduler.hpp"
#include <algorithm>
#include <cstring>
#include <spinup/kernel/barrier.hpp>
#include <spinup/kernel/result_slot.hpp>

namespace spinup::kernel {

shared_cell::shared_cell(system& k, std::string_view owner, std::string_view field, void* value,
                         std::size_t bytes)
    : k_(k), value_(value), bytes_(static_cast<u32>(bytes)), id_(k.new_object()), owner_(owner),
      field_(field) {}

shared_cell::~shared_cell() {
    if (watched())
        k_.sched().forget(*this);
}

void shared_cell::changed() const { k_.sched().cell_changed(*this); }

const void* shared_cell::watched_read(access how) const {
    scheduler& s = k_.sched();
    s.before_access(*this, how);
    const void* own = s.own_store(*this);
    const void* seen = own != nullptr ? own : value_;
    s.saw(seen, bytes_);
    return seen;
}

bool shared_cell::watched_write(access how, const void* from) {
    scheduler& s = k_.sched();
    s.before_access(*this, how);
    return !s.buffers(*this, from);
}

void shared_cell::begin_atomic() {
    scheduler& s = k_.sched();
    s.before_access(*this, access::atomic);
    s.flush_stores();
}

void shared_cell::end_atomic() {
    scheduler& s = k_.sched();
    s.cell_changed(*this);
    s.saw(value_, bytes_);
}

void smp_mb(system& k) {
    if (k.cpu().listens)
        k.sched().fence(check::barrier::full);
}

void smp_wmb(system& k) {
    if (k.cpu().listens)
        k.sched().fence(check::barrier::write);
}

void smp_rmb(system& k) {
    if (k.cpu().listens)
        k.sched().fence(check::barrier::read);
}

result_slot::result_slot(system& k, errno_t initial, bool counted)
    : k_(k), id_(k.new_object()), value_(initial), counted_(counted) {
    k_.sched().slot_lives(id_);
}

result_slot::~result_slot() { k_.sched().slot_dies(id_); }

void result_slot::set(errno_t value) {
    value_ = value;
    ++writes_;
}

void result_ref::write(system& k, errno_t value) const {
    scheduler& s = k.sched();
    s.decision_point(deed::write, id_);
    if (s.slot_is_alive(id_))
        slot_->set(value);
    else if (!counted_)
        s.report(finding_kind::write_after_return,
                 "a result is written to where a requester has returned from");
}

void scheduler::slot_dies(u32 slot) {
    live_slots_.erase(std::find(live_slots_.begin(), live_slots_.end(), slot));
}

bool scheduler::slot_is_alive(u32 slot) const {
    return std::find(live_slots_.begin(), live_slots_.end(), slot) != live_slots_.end();
}

} // namespace spinup::kernel
