#include "emu/time/timer_heap.hpp"

#include <algorithm>

namespace spinup {

// A timer may outlive its timeline; it must not try to leave a queue that is gone.
timer_heap::~timer_heap() {
    for (const entry& e : entries_)
        timer_access::release(*e.what);
}

// Entries of the earliest instant form a tree at the root: below a later one, all are later.
void timer_heap::earliest(std::vector<entry>& out) const {
    const time_point when = entries_.front().when;
    std::vector<u32> open{0};
    out.clear();
    while (!open.empty()) {
        const u32 place = open.back();
        open.pop_back();
        out.push_back(entries_[place]);
        const u32 first = place * arity + 1;
        for (u32 child = first; child < first + arity && child < entries_.size(); ++child)
            if (entries_[child].when == when)
                open.push_back(child);
    }
    std::sort(out.begin(), out.end(), [](const entry& a, const entry& b) { return a.seq < b.seq; });
}

} // namespace spinup
