#include "emu/kernel/check/held_locks.hpp"

#include <algorithm>

namespace spinup::kernel::check {

void held_locks::add(u32 slot, const held_lock& l) {
    context& c = at(slot);
    c.list.push_back(l);
    c.changed = true;
}

void held_locks::remove(u32 slot, u32 object) {
    context& c = at(slot);
    const auto place = std::find_if(c.list.rbegin(), c.list.rend(),
                                    [object](const held_lock& l) { return l.object == object; });
    if (place == c.list.rend())
        return;
    c.list.erase(std::next(place).base());
    c.changed = true;
}

/// There are few different lists in a world, and most are asked for again and again.
u32 held_locks::snapshot(u32 slot) {
    context& c = at(slot);
    if (!c.changed)
        return c.number;
    c.changed = false;
    const auto same = [&c](const std::vector<name_id>& names) {
        return std::equal(names.begin(), names.end(), c.list.begin(), c.list.end(),
                          [](name_id n, const held_lock& l) { return n == l.name; });
    };
    const auto found = std::find_if(snapshots_.begin(), snapshots_.end(), same);
    c.number = static_cast<u32>(found - snapshots_.begin());
    if (found == snapshots_.end()) {
        std::vector<name_id>& names = snapshots_.emplace_back();
        for (const held_lock& l : c.list)
            names.push_back(l.name);
    }
    return c.number;
}

std::string held_locks::text(u32 snapshot, const trace& names) const {
    std::string out;
    for (name_id n : snapshots_[snapshot])
        out.append(out.empty() ? "" : ", ").append(names.name(n));
    return out.empty() ? "no lock" : out;
}

} // namespace spinup::kernel::check
