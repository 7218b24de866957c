#include "emu/kernel/check/happens_before.hpp"

namespace spinup::kernel::check {

void happens_before::widen(u32 slots) {
    std::vector<u32> objects(moments_.size() * slots);
    for (std::size_t row = 0; row < moments_.size(); ++row)
        std::copy_n(objects_.data() + row * slots_, slots_, objects.data() + row * slots);
    objects_ = std::move(objects);
    born_.resize(slots);
    std::vector<u32> all(std::size_t{3} * slots * slots);
    for (u32 kind = 0; kind < 3; ++kind)
        for (u32 slot = 0; slot < slots_; ++slot)
            std::copy_n(context(kind * slots_ + slot), slots_,
                        all.data() + (std::size_t{kind} * slots + slot) * slots);
    for (u32 slot = slots_; slot < slots; ++slot)
        all[std::size_t{slot} * slots + slot] = 1;
    by_slot_ = std::move(all);
    slots_ = slots;
}

} // namespace spinup::kernel::check
