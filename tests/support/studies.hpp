// Short words for tests that run whole machines.
#pragma once

#include "emu/machine/schema.hpp"
#include "emu/study/resume_latency.hpp"
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace spinup::test {

inline constexpr const char* blocking = "sync_3_11";
inline constexpr const char* non_blocking = "async_3_15";

/// A machine from the catalogue.
inline machine::machine from_catalogue(const std::string& name) {
    auto m = machine::load(name);
    if (!m)
        throw std::runtime_error(m.error().text());
    return *m;
}

/// A machine from the text of a machine file.
inline machine::machine from_text(const std::string& text) {
    auto m = machine::parse(text, "test.toml");
    if (!m)
        throw std::runtime_error(m.error().text());
    return *m;
}

/// The start of a machine file with this many ports.
inline std::string hba(u32 ports, const std::string& more = "") {
    return "name = \"test\"\n[hba]\nports = " + std::to_string(ports) + "\n" + more + "\n";
}

/// A port of a machine file with a hard disk that is ready so long after power.
inline std::string disk(u32 number, u32 ready_ms, const std::string& more = "") {
    return "[[port]]\nnumber = " + std::to_string(number) +
           "\ndrive = \"hdd\"\nready_ms = " + std::to_string(ready_ms) + "\n" + more + "\n";
}

/// A run of one configuration that must be possible. The verdict is the caller's to judge.
inline study::run_report run(const machine::machine& what, const std::string& design,
                             const std::string& disk_start, const std::string& order = "upfront",
                             u32 cycles = 1, std::optional<duration> gap = std::nullopt) {
    study::configuration config;
    config.what = &what;
    config.design = design;
    config.disk_start = disk_start;
    config.order = order;
    config.cycles = cycles;
    config.gap = gap;
    config.keep_records = true;
    auto report = study::run(config);
    if (!report)
        throw std::runtime_error(report.error().text());
    return std::move(*report);
}

/// Milliseconds of the kernel's resume, of one well-ended cycle.
inline double resume_ms(const machine::machine& what, const std::string& design,
                        const std::string& disk_start, const std::string& order = "upfront") {
    const auto report = run(what, design, disk_start, order);
    EXPECT_EQ(report.verdict, "ok") << report.reason;
    return report.cycles.empty() ? -1 : to_ms(report.cycles.front().kernel_resume);
}

/// Matches a value within a share of another: within(11656, 0.05).
inline testing::AssertionResult within(double value, double of, double share) {
    if (value >= of * (1 - share) && value <= of * (1 + share))
        return testing::AssertionSuccess() << value;
    return testing::AssertionFailure()
           << value << " is not within " << share * 100 << " % of " << of;
}

} // namespace spinup::test
