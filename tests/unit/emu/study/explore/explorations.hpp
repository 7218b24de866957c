// Explorations that the tests share.
#pragma once

#include "emu/study/explore/exploration.hpp"
#include "emu/study/scenarios/registry.hpp"

#include <gtest/gtest.h>
#include <memory>

namespace spinup::study {

inline exploration exploring(std::string_view scenario, std::string_view design) {
    exploration e;
    e.what = find_scenario(scenario);
    e.who.design = design;
    e.checkers = false;
    return e;
}

inline std::unique_ptr<explorer> explorer_of(const exploration& e) {
    auto made = explorer::make(e);
    EXPECT_TRUE(made.ok());
    return std::move(*made);
}

/// A requester whose place for the result has died by the time EH writes it.
inline exploration writing_to_the_dead() { return exploring("sas-like", "int_async_3_11"); }
inline script hasty() { return {{{"resume-not-waited-for", 1}}, {}}; }

} // namespace spinup::study
