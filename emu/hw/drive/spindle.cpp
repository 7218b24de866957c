#include "emu/hw/drive/spindle.hpp"

namespace spinup::hw {

spindle::spindle(timeline& line, trace& log, spindle_events& owner, bool turns)
    : trace_(log), owner_(owner), timer_(timer::bound<&spindle::fired>(line, *this)),
      turns_(turns) {}

void spindle::emit(trace_event event) {
    if (turns_)
        trace_.emit(event, port_);
}

void spindle::start(duration takes) {
    timer_.cancel();
    state_ = state::starting;
    ++starts_;
    emit(trace_event::spin_up_begin);
    if (takes != never)
        timer_.after(takes);
}

void spindle::stop(duration takes) {
    state_ = state::stopping;
    emit(trace_event::spin_down);
    timer_.after(takes);
}

void spindle::finish_start() {
    timer_.cancel();
    state_ = state::at_speed;
    emit(trace_event::spin_up_end);
    owner_.spindle_at_speed();
}

void spindle::cut() {
    timer_.cancel();
    state_ = state::stopped;
}

void spindle::fired() {
    if (state_ == state::starting) {
        finish_start();
        return;
    }
    state_ = state::stopped;
    owner_.spindle_stopped();
}

} // namespace spinup::hw
