// The token of a whole run: what ran, with which options, in which order, and how one knows that it
// was the same.
//
//   x1:<scenario>/<design>/<options>:<schedule>:<check>
//   x1:two-requesters/locked_6_6/gap=3,unplug=1:s1:ACNefrq:46440754
//
// Names are of letters, digits, - and _. Options have a number each; one of 0, which is nothing, is
// left out. The schedule is a kernel token. The check is the first half of the trace's digest.
//
// The version counts up when old tokens would play something else: when the format changes, or when
// what a choice means does.
#pragma once

#include "emu/kernel/token.hpp"
#include <string>
#include <vector>

namespace spinup::kernel {

struct run_option {
    std::string name;
    u64 value = 0; ///< 0: nothing, as if it were not there
    friend bool operator==(const run_option& a, const run_option& b) {
        return a.name == b.name && a.value == b.value;
    }
};

struct run_token {
    static constexpr u32 version = 1;

    std::string scenario;
    std::string design;
    std::vector<run_option> options;
    token schedule;
    u32 check = 0;

    /// What `check` is for a run with this digest.
    static constexpr u32 check_of(u64 digest) { return static_cast<u32>(digest >> 32); }
    /// Of the option called `name`; 0 if it is not there.
    [[nodiscard]] u64 option(std::string_view name) const;

    [[nodiscard]] std::string text() const;
    /// Returns: the token, or what is wrong with it: also if it is one of another version, or the
    /// token of a schedule alone.
    static result<run_token> parse(std::string_view text);

    friend bool operator==(const run_token& a, const run_token& b) {
        return a.scenario == b.scenario && a.design == b.design && a.options == b.options &&
               a.schedule == b.schedule && a.check == b.check;
    }
};

} // namespace spinup::kernel
