#include "emu/kernel/check/races.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace spinup::kernel::check {

u32 races::kind(kernel::access how) {
    switch (how) {
    case kernel::access::read:
        return 0;
    case kernel::access::write:
        return writes;
    case kernel::access::read_once:
        return marked;
    case kernel::access::write_once:
    case kernel::access::atomic:
        break;
    }
    return marked | writes;
}

std::string_view races::verb(u32 kind) {
    static constexpr std::array<std::string_view, 4> verbs{"reads", "writes", "reads (marked)",
                                                           "writes (marked)"};
    return verbs[kind];
}

/// Where a context's last access of a kind is kept.
u32 races::place(cell_history& h, u32 slot, u32 kind) {
    const u64 bit = u64{1} << slot % 64;
    if ((h.present & bit) != 0)
        for (u32* at = &h.newest; *at != none; at = &seen_[*at].next)
            if (const u32 i = *at; seen_[i].who.slot == slot && seen_[i].kind == kind) {
                *at = seen_[i].next;
                seen_[i].next = std::exchange(h.newest, i);
                return i;
            }
    h.present |= bit;
    const u32 made = unused_ != none ? unused_ : static_cast<u32>(seen_.size());
    if (made == unused_)
        unused_ = seen_[made].next;
    else
        seen_.emplace_back();
    seen_[made] = {{.slot = slot}, 0, 0, kind, std::exchange(h.newest, made)};
    return made;
}

void races::forget(u32 cell) {
    if (cell >= cells_.size())
        return;
    for (u32 i = cells_[cell].newest; i != none;)
        i = std::exchange(seen_[i].next, std::exchange(unused_, i));
    cells_[cell] = {};
}

/// Returns: an access of another context's, the latest there is, that conflicts with one of this
/// kind by `who` now.
const races::seen* races::conflicting(cell_history& h, const actor& who, u32 kind) {
    if (!clocks_.is_behind(who.slot, h.settled)) {
        bool knows_all = true;
        for (u32 i = h.newest; i != none; i = seen_[i].next) {
            const seen& s = seen_[i];
            if (s.who.slot == who.slot || clocks_.known(who.slot, s.who.slot, s.tick))
                continue;
            knows_all = false;
            if (((s.kind | kind) & writes) != 0 && (s.kind & kind & marked) == 0)
                return &s;
        }
        if (!knows_all) {
            h.settled = happens_before::nobodys;
            return nullptr;
        }
    }
    h.settled = {who.slot, clocks_.now(who.slot)}; // nobody else knows of that moment yet
    return nullptr;
}

std::string races::line(const seen& s) const {
    return "  " + s.who.text(names_) + " " + std::string{verb(s.kind)} + " it at " +
           seconds(s.who.at) + ", holding " + held_.text(s.locks, names_) + "\n";
}

std::optional<std::string> races::access(const actor& who, const shared_cell& cell,
                                         kernel::access how) {
    if (cell.id() >= cells_.size())
        cells_.resize(std::max(cell.id() + std::size_t{1}, 2 * cells_.size()));
    cell_history& h = cells_[cell.id()];
    const u32 k = kind(how);
    const u32 tick = clocks_.now(who.slot);
    const u32 locks = held_.snapshot(who.slot);
    seen& last = seen_[place(h, who.slot, k)];
    if (h.latest == who.slot && last.who == who && last.tick == tick && last.locks == locks)
        return std::nullopt; // nobody came between, and this one has learnt nothing since
    h.latest = who.slot;
    const seen* before = h.reported ? nullptr : conflicting(h, who, k);
    std::optional<std::string> text;
    if (before != nullptr) {
        h.reported = true;
        text = "nothing orders two accesses to " + cell.name() + "\n" + line(*before) +
               line({who, tick, locks, k, none});
    }
    last = {who, tick, locks, k, last.next};
    return text;
}

} // namespace spinup::kernel::check
