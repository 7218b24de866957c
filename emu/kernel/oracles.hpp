// The oracles: who answers when a run could go on in more than one way.
//
// round_robin is not asked at all by the scheduler (first come, first served costs one branch);
// seeded_random walks through the schedules; replay repeats a recorded one; recorded asks a
// caller's oracle, which is how a strategy drives a run.
#pragma once

#include "emu/kernel/options.hpp"
#include "emu/kernel/token.hpp"
#include <memory>
#include <spinup/base/rng.hpp>

namespace spinup::kernel {

/// An oracle that can say what it answered.
class recording_oracle : public oracle {
  public:
    virtual ~recording_oracle() = default;
    /// False: the oracle always answers 0, so the scheduler and the timeline need not ask.
    [[nodiscard]] virtual bool explores() const = 0;
    [[nodiscard]] bool wants_details() const override { return false; }
    /// What was picked so far.
    [[nodiscard]] virtual const token& schedule() const = 0;
};

class round_robin final : public recording_oracle {
  public:
    u32 pick(choice, u32) override { return 0; }
    [[nodiscard]] bool explores() const override { return false; }
    [[nodiscard]] const token& schedule() const override { return schedule_; }

  private:
    token schedule_;
};

/// Uniform, from a named stream of the seed.
class seeded_random final : public recording_oracle {
  public:
    explicit seeded_random(u64 seed) : stream_(seed, "schedule"), schedule_(token::exploring()) {}
    u32 pick(choice kind, u32 n) override {
        const u32 answer = static_cast<u32>(stream_.below(n));
        schedule_.record(kind, n, answer);
        return answer;
    }
    [[nodiscard]] bool explores() const override { return true; }
    [[nodiscard]] const token& schedule() const override { return schedule_; }

  private:
    random_stream stream_;
    token schedule_;
};

/// Plays a token, then answers 0. What was really picked is recorded again.
class replay final : public recording_oracle {
  public:
    explicit replay(token script)
        : script_(std::move(script)),
          schedule_(script_.round_robin() ? token{} : token::exploring()) {}
    u32 pick(choice kind, u32 n) override;
    [[nodiscard]] bool explores() const override { return !script_.round_robin(); }
    [[nodiscard]] const token& schedule() const override { return schedule_; }

    /// More was asked than the token answers.
    [[nodiscard]] bool ran_out() const { return ran_out_; }
    /// What was asked is not what had been asked when the token was recorded.
    [[nodiscard]] bool mismatched() const { return mismatched_; }

  private:
    token script_;
    token schedule_;
    bool ran_out_ = false;
    bool mismatched_ = false;
};

/// Asks another oracle, and keeps what it answers.
class recorded final : public recording_oracle {
  public:
    explicit recorded(oracle& inner) : inner_(inner), schedule_(token::exploring()) {}
    u32 pick(choice kind, u32 n) override { return kept(kind, n, inner_.pick(kind, n)); }
    u32 pick_thread(std::span<const alternative> who, bool first_runs) override {
        return kept(choice::thread, static_cast<u32>(who.size()),
                    inner_.pick_thread(who, first_runs));
    }
    [[nodiscard]] bool wants_details() const override { return inner_.wants_details(); }
    void alone() override { inner_.alone(); }
    [[nodiscard]] bool wants_states() const override { return inner_.wants_states(); }
    bool visit(u64 state) override { return inner_.visit(state); }
    void touched(deed what, u32 object) override { inner_.touched(what, object); }
    [[nodiscard]] bool explores() const override { return true; }
    [[nodiscard]] const token& schedule() const override { return schedule_; }

  private:
    u32 kept(choice kind, u32 n, u32 answer) {
        schedule_.record(kind, n, answer);
        return answer;
    }

    oracle& inner_;
    token schedule_;
};

/// How a run chooses, and how hard the kernel looks meanwhile. Implicitly from nothing: round
/// robin.
struct oracle_config {
    enum class kind : u8 { round_robin, seeded_random, replay, given, recording };
    kind how = kind::round_robin;
    u64 seed = 0;
    token script;
    oracle* chooser = nullptr;            ///< given: it outlives the kernel
    recording_oracle* recorder = nullptr; ///< recording: the same
    kernel_options options;

    static oracle_config random(u64 seed, const kernel_options& options = {}) {
        return {kind::seeded_random, seed, {}, nullptr, nullptr, options};
    }
    static oracle_config play(token script, const kernel_options& options = {}) {
        return {kind::replay, 0, std::move(script), nullptr, nullptr, options};
    }
    static oracle_config ask(oracle& chooser, const kernel_options& options = {}) {
        return {kind::given, 0, {}, &chooser, nullptr, options};
    }
    /// One that keeps its answers itself.
    static oracle_config use(recording_oracle& recorder, const kernel_options& options = {}) {
        return {kind::recording, 0, {}, nullptr, &recorder, options};
    }
    /// Returns: null for one that the caller has, `recorder`.
    [[nodiscard]] std::unique_ptr<recording_oracle> make() const;
};

} // namespace spinup::kernel
