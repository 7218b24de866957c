#include "emu/kernel/check/races.hpp"

#include <algorithm>
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

races::by_context& races::context(cell_history& h, u32 slot) {
    u32* end = &h.contexts;
    for (; *end != none; end = &contexts_[*end].next)
        if (contexts_[*end].slot == slot)
            return contexts_[*end];
    const u32 made = unused_ != none ? unused_ : static_cast<u32>(contexts_.size());
    *end = made;
    if (made == unused_)
        unused_ = contexts_[made].next;
    else
        contexts_.emplace_back();
    contexts_[made] = {slot, none, {}};
    return contexts_[made];
}

void races::forget(u32 cell) {
    if (cell >= cells_.size())
        return;
    for (u32 i = cells_[cell].contexts; i != none;)
        i = std::exchange(contexts_[i].next, std::exchange(unused_, i));
    cells_[cell] = {};
}

/// Returns: an access of another context's that conflicts with one of this kind by `who` now.
const races::seen* races::conflicting(const cell_history& h, const actor& who, u32 kind) {
    for (u32 i = h.contexts; i != none; i = contexts_[i].next) {
        const by_context& c = contexts_[i];
        if (c.slot == who.slot)
            continue;
        for (u32 k = 0; k < c.last.size(); ++k) {
            if (((k | kind) & writes) == 0 || (k & kind & marked) != 0)
                continue;
            const seen& s = c.last[k];
            if (s.tick != 0 && !clocks_.known(who.slot, c.slot, s.tick))
                return &s;
        }
    }
    return nullptr;
}

std::string races::line(const seen& s, u32 kind) const {
    return "  " + s.who.text(names_) + " " + std::string{verb(kind)} + " it at " +
           seconds(s.who.at) + ", holding " + held_.text(s.locks, names_) + "\n";
}

std::optional<std::string> races::access(const actor& who, const shared_cell& cell,
                                         kernel::access how) {
    if (cell.id() >= cells_.size())
        cells_.resize(std::max(cell.id() + std::size_t{1}, 2 * cells_.size()));
    cell_history& h = cells_[cell.id()];
    const u32 k = kind(how);
    const seen now{who, clocks_.now(who.slot), held_.snapshot(who.slot)};
    seen& last = context(h, who.slot).last[k];
    if (h.latest == who.slot && last == now)
        return std::nullopt; // nobody came between, and this one has learnt nothing since
    h.latest = who.slot;
    std::optional<std::string> text;
    if (!h.reported) {
        if (const seen* before = conflicting(h, who, k)) {
            h.reported = true;
            u32 its_kind = 0;
            for (u32 c = h.contexts; c != none; c = contexts_[c].next)
                for (u32 i = 0; i < contexts_[c].last.size(); ++i)
                    its_kind = &contexts_[c].last[i] == before ? i : its_kind;
            text = "nothing orders two accesses to " + cell.name() + "\n" +
                   line(*before, its_kind) + line(now, k);
        }
    }
    last = now;
    return text;
}

} // namespace spinup::kernel::check
