// The heap against the plainest model there is: a sorted list.
#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <tuple>
#include <vector>
#include <rapidcheck/gtest.h>

#include "emu/time/timer_heap.hpp"
#include "emu/time/virtual_timeline.hpp"

namespace spinup {
namespace {

struct modelled {
    time_point when;
    u64 seq;
    std::size_t id;

    friend bool operator<(const modelled& a, const modelled& b) {
        return std::tie(a.when, a.seq) < std::tie(b.when, b.seq);
    }
};

void ignore(void*) {}

RC_GTEST_PROP(TimerHeap, behaves_as_a_sorted_list, ()) {
    constexpr std::size_t timers_max = 40;
    virtual_timeline line; // the timers' own; never asked
    std::deque<timer> timers;
    for (std::size_t i = 0; i < timers_max; ++i)
        timers.emplace_back(line, ignore, nullptr);
    timer_heap heap;
    std::vector<modelled> model;
    u64 seq = 0;

    const auto steps = *rc::gen::container<std::vector<std::tuple<u8, u8, u8>>>(rc::gen::tuple(
        rc::gen::arbitrary<u8>(), rc::gen::arbitrary<u8>(), rc::gen::inRange<u8>(0, 20)));
    for (const auto& [what, who, when] : steps) {
        const std::size_t id = who % timers_max;
        const auto known = std::find_if(model.begin(), model.end(),
                                        [wanted = id](const auto& m) { return m.id == wanted; });
        if (what % 4 <= 1) {
            if (known != model.end())
                model.erase(known);
            model.push_back({from_ns(when), seq++, id});
            heap.push(timers[id], from_ns(when));
        } else if (what % 4 == 2 && known != model.end()) {
            model.erase(known);
            heap.remove(timers[id]);
        } else if (what % 4 == 3 && !model.empty()) {
            const auto first = std::min_element(model.begin(), model.end());
            RC_ASSERT(heap.top().when == first->when);
            RC_ASSERT(&heap.pop() == &timers[first->id]);
            model.erase(first);
        }
        RC_ASSERT(heap.size() == model.size());
    }

    for (std::size_t i = 0; i < timers_max; ++i)
        RC_ASSERT(timers[i].armed() == std::any_of(model.begin(), model.end(),
                                                   [i](const auto& m) { return m.id == i; }));
    std::sort(model.begin(), model.end());
    for (const modelled& m : model)
        RC_ASSERT(&heap.pop() == &timers[m.id]);
    RC_ASSERT(heap.empty());
}

RC_GTEST_PROP(TimerHeap, earliest_lists_one_instant_in_order_of_arming, ()) {
    const auto when =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<u8>>(rc::gen::inRange<u8>(0, 3)));
    virtual_timeline line;
    std::deque<timer> timers;
    timer_heap heap;
    for (const u8 t : when)
        heap.push(timers.emplace_back(line, ignore, nullptr), from_ns(t));

    const u8 first = *std::min_element(when.begin(), when.end());
    std::vector<timer*> expected;
    for (std::size_t i = 0; i < when.size(); ++i)
        if (when[i] == first)
            expected.push_back(&timers[i]);

    std::vector<timer_heap::entry> got;
    heap.earliest(got);
    RC_ASSERT(heap.untied() == (got.size() == 1));
    RC_ASSERT(got.size() == expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
        RC_ASSERT(got[i].what == expected[i]);
}

} // namespace
} // namespace spinup
