// Who answers in one schedule: a strategy, or a script. Both only once the world has booted.
//
// Options are kept by name, apart from the schedule, so that one can be taken away and the picks
// that follow still mean what they did.
#pragma once

#include "emu/kernel/oracles.hpp"
#include "emu/study/explore/exploration.hpp"
#include "emu/study/scenarios/stage.hpp"

namespace spinup::study {

class run_choices final : public kernel::recording_oracle, public option_source {
  public:
    /// Before a run: who will be asked. The strategy or script outlives the run.
    void draw_from(oracle& strategy) { start(&strategy, nullptr); }
    void play(const script& what) { start(nullptr, &what); }
    /// From now on; before it every answer is 0, and is not kept.
    void open() { open_ = true; }
    void close() { open_ = false; }

    u32 pick(choice kind, u32 n) override;
    u32 pick_thread(std::span<const alternative> who, bool first_runs) override;
    [[nodiscard]] bool wants_details() const override {
        return strategy_ != nullptr && strategy_->wants_details();
    }
    void alone() override;
    /// Never: a state of the kernel leaves out what the hardware is at.
    [[nodiscard]] bool wants_states() const override { return false; }
    void touched(deed what, u32 object) override;
    u32 draw(std::string_view name, u32 below) override;

    [[nodiscard]] bool explores() const override { return true; }
    [[nodiscard]] const kernel::token& schedule() const override { return schedule_; }
    [[nodiscard]] const std::vector<kernel::run_option>& options() const { return options_; }

  private:
    void start(oracle* strategy, const script* what);
    u32 kept(choice kind, u32 n, u32 answer) {
        schedule_.record(kind, n, answer);
        return answer;
    }
    [[nodiscard]] u32 scripted(u32 n) const;

    oracle* strategy_ = nullptr;
    const script* script_ = nullptr;
    bool open_ = false;
    std::vector<alternative> who_;
    kernel::token schedule_;
    std::vector<kernel::run_option> options_;
};

} // namespace spinup::study
