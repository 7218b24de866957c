#include "emu/time/virtual_timeline.hpp"

namespace spinup {

timer& virtual_timeline::pop_tie() {
    if (heap_.untied())
        return heap_.pop();
    heap_.earliest(ties_);
    const u32 picked = oracle_->pick(choice::timer_tie, static_cast<u32>(ties_.size()));
    CHECK(picked < ties_.size());
    timer& t = *ties_[picked].what;
    heap_.remove(t);
    return t;
}

} // namespace spinup
