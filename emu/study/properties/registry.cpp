#include "emu/study/properties/registry.hpp"

#include <algorithm>

namespace spinup::study {

const property* find_property(std::string_view name) {
    const auto it = std::find_if(properties.begin(), properties.end(),
                                 [name](const property* each) { return each->name == name; });
    return it == properties.end() ? nullptr : *it;
}

} // namespace spinup::study
