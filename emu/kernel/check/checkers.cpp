#include "emu/kernel/check/checkers.hpp"

#include <utility>

namespace spinup::kernel::check {

checkers::checkers(const trace& names, const check_options& options, reporter report)
    : names_(names), options_(options), report_(std::move(report)), clocks_(options.races),
      races_(clocks_, held_, names), order_(names) {}

void checkers::locked(const actor& who, const held_lock& lock) {
    clocks_.acquire(who.slot, lock.object);
    const bool first_time = held_.add(who.slot, lock);
    if (!options_.lock_order)
        return;
    // Orders are only added: locks that have been taken in this order before say nothing new.
    if (first_time)
        if (auto text = order_.taken(who, held_.of(who.slot)))
            report_(finding_kind::lock_order, std::move(*text));
    if (lock.spin && (who.slot == hardirq_slot || who.slot == softirq_slot))
        if (auto text = order_.in_interrupt(who, lock))
            report_(finding_kind::irq_unsafe, std::move(*text));
}

void checkers::unlocked(const actor& who, u32 object) {
    clocks_.release(who.slot, object);
    held_.remove(who.slot, object);
}

void checkers::access(const actor& who, const shared_cell& cell, kernel::access how) {
    if (how == kernel::access::atomic) {
        clocks_.acquire(who.slot, cell.id());
        clocks_.fence(who.slot, barrier::full);
    }
    if (options_.races)
        if (auto text = races_.access(who, cell, how))
            report_(finding_kind::data_race, std::move(*text));
    if (how == kernel::access::read_once)
        clocks_.marked_read(who.slot, cell.id());
    else if (how == kernel::access::write_once)
        clocks_.marked_write(who.slot, cell.id());
    else if (how == kernel::access::atomic)
        clocks_.release(who.slot, cell.id());
}

void checkers::sleeps_atomic(const actor& who) {
    if (!options_.lock_order)
        return;
    for (const held_lock& l : held_.of(who.slot))
        if (l.spin)
            if (auto text = order_.slept_with(who, l))
                report_(finding_kind::irq_unsafe, std::move(*text));
}

void checkers::returns(const actor& who, std::string_view what) {
    if (options_.balance && held_.snapshot(who.slot) != 0)
        report_(finding_kind::lock_held,
                who.text(names_) + ": " + std::string{what} + " ends with " +
                    held_.text(held_.snapshot(who.slot), names_) + " held");
    held_.clear(who.slot);
}

} // namespace spinup::kernel::check
