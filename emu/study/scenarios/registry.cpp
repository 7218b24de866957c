#include "emu/study/scenarios/registry.hpp"

#include <algorithm>

namespace spinup::study {

const scenario* find_scenario(std::string_view name) {
    const auto at = std::find_if(scenarios.begin(), scenarios.end(),
                                 [name](const scenario* each) { return each->name == name; });
    return at == scenarios.end() ? nullptr : *at;
}

} // namespace spinup::study
