#include "emu/kernel/check/held_locks.hpp"

#include <algorithm>

namespace spinup::kernel::check {

void held_locks::add(u32 slot, const held_lock& l) {
    context& c = at(slot);
    c.list.push_back(l);
    c.number = longer(c.number, l.name);
}

void held_locks::remove(u32 slot, u32 object) {
    context& c = at(slot);
    const auto place = std::find_if(c.list.rbegin(), c.list.rend(),
                                    [object](const held_lock& l) { return l.object == object; });
    if (place == c.list.rend())
        return;
    const bool last = place == c.list.rbegin();
    c.list.erase(std::next(place).base());
    if (last) {
        c.number = spellings_[c.number].before;
        return;
    }
    c.number = 0;
    for (const held_lock& l : c.list)
        c.number = longer(c.number, l.name);
}

void held_locks::clear(u32 slot) {
    at(slot).list.clear();
    at(slot).number = 0;
}

u32 held_locks::longer(u32 snapshot, name_id by) {
    for (u32 i = snapshot + 1; i < spellings_.size(); ++i)
        if (spellings_[i].before == snapshot && spellings_[i].name == by)
            return i;
    spellings_.push_back({snapshot, by});
    return static_cast<u32>(spellings_.size() - 1);
}

std::string held_locks::text(u32 snapshot, const trace& names) const {
    if (snapshot == 0)
        return "no lock";
    const spelling& s = spellings_[snapshot];
    std::string out = s.before == 0 ? std::string{} : text(s.before, names) + ", ";
    return out.append(names.name(s.name));
}

} // namespace spinup::kernel::check
