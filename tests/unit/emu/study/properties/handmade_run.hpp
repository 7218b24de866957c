// A run made by hand: records one after the other, and what a property may ask about its end.
#pragma once

#include "emu/study/properties/registry.hpp"
#include <deque>
#include <gtest/gtest.h>
#include <spinup/base/errno.hpp>
#include <spinup/kernel/pm.hpp>
#include <string>
#include <vector>

namespace spinup::test {

using study::port_facts;

class handmade_run final : public study::run_facts {
  public:
    [[nodiscard]] std::string_view name(name_id id) const override {
        return names_.at(static_cast<u32>(id));
    }
    [[nodiscard]] u32 ports() const override { return 1; }
    [[nodiscard]] port_facts port(u32) const override { return port1; }

    /// Arguments are integers, enums, or names. `thread` is who runs.
    template <class... Args> handmade_run& operator()(trace_event event, const Args&... args) {
        trace_record r{to_ns(now), static_cast<u16>(event), thread, {}};
        u32 i = 0;
        ((r.args[i++] = argument(args)), ...);
        records_.push_back(r);
        return *this;
    }
    [[nodiscard]] const std::vector<trace_record>& records() const { return records_; }

    time_point now{};
    u16 thread = 1;
    /// A hard disk at work.
    port_facts port1 = [] {
        port_facts p;
        p.disk = p.turns = p.write_cache = p.plugged = p.enabled = p.turning = true;
        return p;
    }();

  private:
    template <class T> u32 argument(const T& value) {
        if constexpr (std::convertible_to<const T&, std::string_view>) {
            for (u32 id = 0; id < names_.size(); ++id)
                if (names_[id] == value)
                    return id;
            names_.emplace_back(value);
            return static_cast<u32>(names_.size() - 1);
        } else {
            return static_cast<u32>(value);
        }
    }

    std::deque<std::string> names_{""};
    std::vector<trace_record> records_;
};

/// How the run violates the property of this name; empty if it does not.
inline std::string violation_of(std::string_view name, const handmade_run& run) {
    const study::property* const what = study::find_property(name);
    if (what == nullptr)
        return "no such property";
    const auto watch = what->over(run);
    for (const trace_record& r : run.records())
        if (auto how = watch->take(r))
            return *how;
    return watch->at_end().value_or("");
}

} // namespace spinup::test
