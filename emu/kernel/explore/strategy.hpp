// How a campaign chooses: an oracle that starts over for each schedule.
//
// A strategy belongs to one worker (an OS thread). Those that draw (random walk, PCT) derive all of
// a schedule from the campaign's seed and the schedule's number, so it does not matter which worker
// runs it, or after which others. Those that search (DFS) go from one schedule to the next and so
// have one worker.
#pragma once

#include <array>
#include <memory>
#include <spinup/base/result.hpp>
#include <spinup/oracle.hpp>
#include <string>
#include <string_view>

namespace spinup::kernel {

class strategy : public oracle {
  public:
    virtual ~strategy() = default;
    strategy() = default;
    strategy(const strategy&) = delete;
    strategy& operator=(const strategy&) = delete;

    /// Before each schedule. `number` counts from 0 over the whole campaign.
    virtual void begin(u64 number) = 0;
    /// After it. Returns: false if no schedule is left to try.
    virtual bool end() = 0;

    /// Whether schedules may be dealt out to several workers by their numbers.
    [[nodiscard]] virtual bool by_number() const = 0;
    /// What has been covered and what that proves: lines for a person; empty for those that draw.
    [[nodiscard]] virtual std::string coverage() const { return {}; }
};

struct strategy_row {
    std::string_view name;
    std::string_view meaning;
};
inline constexpr std::array strategy_rows{
    strategy_row{"random", "each choice is uniform among its alternatives"},
    strategy_row{"pct", "random priorities with a few changes, and odds that are known"},
    strategy_row{"dfs", "every order, one after the other, or all with few preemptions"},
};

struct strategy_config {
    std::string_view name; ///< of a row
    u64 seed = 0;
    u32 depth = 3;         ///< of PCT: bugs that need so many ordered steps
    u32 steps = 1000;      ///< of PCT: decision points that a schedule is expected to have
    u32 preemptions = ~0u; ///< of DFS: how many a schedule may have
    bool states = false;   ///< of DFS: simulated_kernel::state() is all of the world's state
};

/// Returns: the strategy, or the user's mistake (an unknown name, a depth of 0).
result<std::unique_ptr<strategy>> make_strategy(const strategy_config& config);

} // namespace spinup::kernel
