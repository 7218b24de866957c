#include "emu/kernel/explore/dfs.hpp"
#include "emu/kernel/explore/pct.hpp"
#include "emu/kernel/explore/random_walk.hpp"
#include "emu/kernel/explore/strategy.hpp"

namespace spinup::kernel {

result<std::unique_ptr<strategy>> make_strategy(const strategy_config& config) {
    if (config.name == "random")
        return std::unique_ptr<strategy>{std::make_unique<random_walk>(config.seed)};
    if (config.name == "pct") {
        if (config.depth == 0)
            return user_error{{}, "pct of depth 0 finds nothing", "a race mostly has depth 2 or 3"};
        if (config.steps == 0)
            return user_error{{}, "pct needs the number of steps of a schedule", ""};
        return std::unique_ptr<strategy>{
            std::make_unique<pct>(config.seed, config.depth, config.steps)};
    }
    if (config.name == "dfs")
        return std::unique_ptr<strategy>{std::make_unique<dfs>(config.preemptions, config.states)};
    std::string known;
    for (const strategy_row& row : strategy_rows)
        known.append(known.empty() ? "" : ", ").append(row.name);
    return user_error{
        {}, "no strategy \"" + std::string{config.name} + "\"", "strategies are " + known};
}

} // namespace spinup::kernel
