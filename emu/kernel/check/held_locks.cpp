#include "emu/kernel/check/held_locks.hpp"

#include <algorithm>

namespace spinup::kernel::check {

namespace {
// What a small world needs, at once instead of bit by bit.
constexpr std::size_t slots_at_first = 8;
constexpr std::size_t lists_at_first = 16;
} // namespace

held_locks::held_locks() {
    contexts_.reserve(slots_at_first);
    lists_.reserve(lists_at_first);
    lists_.emplace_back();
}

bool held_locks::add(u32 slot, const held_lock& l) {
    const std::size_t known = lists_.size();
    u32& number = at(slot);
    number = longer(number, l);
    return lists_.size() != known;
}

/// The list that is one lock longer than another. The one that was asked for last comes first, for
/// it will be asked for again.
u32 held_locks::longer(u32 number, const held_lock& by) {
    u32* place = &lists_[number].first_longer;
    while (*place != 0 && lists_[*place].last.object != by.object)
        place = &lists_[*place].next;
    const u32 found = *place;
    if (found != 0) {
        *place = lists_[found].next;
        lists_[found].next = lists_[number].first_longer;
        lists_[number].first_longer = found;
        return found;
    }
    const u32 made = static_cast<u32>(lists_.size());
    lists_.push_back({number, by, 0, lists_[number].first_longer});
    lists_[number].first_longer = made;
    return made;
}

lock_list held_locks::of(u32 slot) {
    lock_list all;
    for (u32 n = at(slot); n != 0; n = lists_[n].before)
        all.push_back(lists_[n].last);
    std::reverse(all.begin(), all.end());
    return all;
}

void held_locks::remove(u32 slot, u32 object) {
    u32& number = at(slot);
    if (number != 0 && lists_[number].last.object == object) {
        number = lists_[number].before;
        return;
    }
    lock_list rest = of(slot);
    const auto place = std::find_if(rest.rbegin(), rest.rend(),
                                    [object](const held_lock& l) { return l.object == object; });
    if (place == rest.rend())
        return;
    rest.erase(std::next(place).base());
    number = 0;
    for (const held_lock& l : rest)
        number = longer(number, l);
}

std::string held_locks::text(u32 snapshot, const trace& names) const {
    if (snapshot == 0)
        return "no lock";
    const list& l = lists_[snapshot];
    std::string out = l.before == 0 ? std::string{} : text(l.before, names) + ", ";
    return out.append(names.name(l.last.name));
}

} // namespace spinup::kernel::check
