#include "emu/kernel/check/lock_order.hpp"

#include <algorithm>

namespace spinup::kernel::check {

u64 lock_order::class_of(name_id name) {
    const auto known = class_of_name_.find(name);
    if (known != class_of_name_.end())
        return known->second;
    std::string text{names_.name(name)};
    text.erase(
        std::remove_if(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }),
        text.end());
    const u64 number = classes_.emplace(std::move(text), classes_.size()).first->second;
    class_of_name_.emplace(name, number);
    return number;
}

bool lock_order::known(node from, node to) const {
    const auto edges = order_.find(from);
    return edges != order_.end() && std::any_of(edges->second.begin(), edges->second.end(),
                                                [to](const edge& e) { return e.to == to; });
}

std::string lock_order::text(const edge& e) const {
    return "  " + e.who.text(names_) + " took " + std::string{names_.name(e.inner)} + " holding " +
           std::string{names_.name(e.outer)} + " at " + seconds(e.who.at) + "\n";
}

/// Whether `to` is taken, directly or not, inside `from`; then `told` says by whom.
bool lock_order::path(node from, node to, std::set<node>& been, std::string& told) const {
    const auto edges = order_.find(from);
    if (edges == order_.end() || !been.insert(from).second)
        return false;
    for (const edge& e : edges->second) {
        if (e.to != to && !path(e.to, to, been, told))
            continue;
        told.insert(0, text(e));
        return true;
    }
    return false;
}

std::optional<std::string> lock_order::taken(const actor& who, const lock_list& held) {
    const held_lock& lock = held.back();
    std::optional<std::string> found;
    for (const held_lock& outer : held) {
        if (outer.object == lock.object)
            continue;
        const u64 from_class = class_of(outer.name);
        const u64 to_class = class_of(lock.name);
        const bool by_class = from_class != to_class;
        const node from{by_class, by_class ? from_class : outer.object};
        const node to{by_class, by_class ? to_class : lock.object};
        if (known(from, to))
            continue;
        const edge made{to, who, lock.name, outer.name};
        std::set<node> been;
        std::string others;
        if (!found && path(to, from, been, others))
            found = std::string{names_.name(outer.name)}
                        .append(" and ")
                        .append(names_.name(lock.name))
                        .append(" are taken in both orders\n")
                        .append(others)
                        .append(text(made));
        order_[from].push_back(made);
    }
    return found;
}

std::string lock_order::text(const actor& who, std::string_view did) const {
    return "  " + who.text(names_) + " " + std::string{did} + " at " + seconds(who.at) + "\n";
}

std::optional<std::string> lock_order::judge(const held_lock& lock, irq_use& use) {
    if (use.reported || !use.in_interrupt || !use.slept)
        return std::nullopt;
    use.reported = true;
    return std::string{names_.name(lock.name)} + " is held over a sleep, and interrupts take it\n" +
           text(*use.in_interrupt, "took it") + text(*use.slept, "slept with it");
}

std::optional<std::string> lock_order::in_interrupt(const actor& who, const held_lock& lock) {
    irq_use& use = irq_use_[class_of(lock.name)];
    if (!use.in_interrupt)
        use.in_interrupt = who;
    return judge(lock, use);
}

std::optional<std::string> lock_order::slept_with(const actor& who, const held_lock& lock) {
    irq_use& use = irq_use_[class_of(lock.name)];
    if (!use.slept)
        use.slept = who;
    return judge(lock, use);
}

} // namespace spinup::kernel::check
