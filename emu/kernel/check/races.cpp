#include "emu/kernel/check/races.hpp"

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
    for (by_context& c : h.contexts)
        if (c.slot == slot)
            return c;
    by_context& c = h.contexts.emplace_back();
    c.slot = slot;
    return c;
}

/// Returns: an access of another context's that conflicts with one of this kind by `who` now.
const races::seen* races::conflicting(cell_history& h, const actor& who, u32 kind) {
    for (by_context& c : h.contexts) {
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
    return "  " + s.who.text() + " " + std::string{verb(kind)} + " it at " + seconds(s.who.at) +
           ", holding " + held_.text(s.locks, names_) + "\n";
}

std::optional<std::string> races::access(const actor& who, const shared_cell& cell,
                                         kernel::access how) {
    if (cell.id() >= cells_.size())
        cells_.resize(cell.id() + 1);
    cell_history& h = cells_[cell.id()];
    const u32 k = kind(how);
    const seen now{who, clocks_.now(who.slot), held_.snapshot(who.slot)};
    std::optional<std::string> text;
    if (!h.reported) {
        if (const seen* before = conflicting(h, who, k)) {
            h.reported = true;
            u32 its_kind = 0;
            for (const by_context& c : h.contexts)
                for (u32 i = 0; i < c.last.size(); ++i)
                    its_kind = &c.last[i] == before ? i : its_kind;
            text = "nothing orders two accesses to " + std::string{cell.name()} + "\n" +
                   line(*before, its_kind) + line(now, k);
        }
    }
    context(h, who.slot).last[k] = now;
    return text;
}

} // namespace spinup::kernel::check
