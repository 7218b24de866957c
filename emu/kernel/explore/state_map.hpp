// A set of 64-bit states with a number each: open addressing, no allocation but to grow.
//
// States are hashes already, so the low bits are the place. 0 marks a free place.
#pragma once

#include <spinup/base/units.hpp>
#include <vector>

namespace spinup::kernel {

class state_map {
  public:
    /// Sets the number of `state` if it is new or its number is above `value`. Returns: whether it
    /// did.
    bool lower(u64 state, u32 value) {
        if ((size_ + 1) * 2 > slots_.size())
            grow();
        if (state == 0)
            state = stands_for_0;
        slot& s = find(state);
        if (s.state == 0)
            ++size_;
        else if (s.value <= value)
            return false;
        s = {state, value};
        return true;
    }
    bool insert(u64 state) { return lower(state, 0); }
    [[nodiscard]] std::size_t size() const { return size_; }
    void clear() {
        slots_.clear();
        size_ = 0;
    }

  private:
    static constexpr u64 stands_for_0 = 0x9e3779b97f4a7c15ull; // as likely as any other hash

    struct slot {
        u64 state = 0;
        u32 value = 0;
    };

    slot& find(u64 state) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = state & mask;
        while (slots_[at].state != 0 && slots_[at].state != state)
            at = (at + 1) & mask;
        return slots_[at];
    }
    void grow() {
        constexpr std::size_t least = 1024;
        std::vector<slot> old = std::move(slots_);
        slots_.assign(old.empty() ? least : old.size() * 2, {});
        for (const slot& s : old)
            if (s.state != 0)
                find(s.state) = s;
    }

    std::vector<slot> slots_; // a power of two of them
    std::size_t size_ = 0;
};

} // namespace spinup::kernel
