// A small program under many schedules, and what was found in them.
#pragma once

#include "tests/unit/emu/kernel/world_fixture.hpp"
#include <functional>
#include <map>
#include <spinup/kernel/async.hpp>
#include <spinup/kernel/lock.hpp>
#include <spinup/kernel/shared.hpp>
#include <string>

namespace spinup::kernel {

struct found {
    std::map<finding_kind, u32> schedules;    ///< with at least one finding of a kind
    std::map<finding_kind, std::string> text; ///< of the first

    [[nodiscard]] u32 of(finding_kind k) const {
        const auto place = schedules.find(k);
        return place == schedules.end() ? 0 : place->second;
    }
    [[nodiscard]] bool nothing() const { return schedules.empty(); }
};

/// Runs `body` as the first thread of a new world, once for each seed.
inline found in_schedules(u64 seeds, const std::function<void(bare_world&)>& body,
                          const kernel_options& options = {}) {
    found all;
    for (u64 seed = 0; seed < seeds; ++seed) {
        bare_world w(oracle_config::random(seed, options));
        w.k.run("main", [&] { body(w); });
        w.k.stop();
        std::map<finding_kind, std::string> here;
        for (const finding& f : w.k.findings())
            here.emplace(f.kind, f.text);
        for (const auto& [kind, text] : here) {
            ++all.schedules[kind];
            all.text.emplace(kind, text);
        }
    }
    return all;
}

/// Runs two bodies as threads and returns when both have ended.
inline void both(system& k, std::function<void()> a, std::function<void()> b) {
    completion ends(k, "both");
    const auto run = [&k, &ends](std::string_view name, std::function<void()> body) {
        k.kthread_run(name, [&ends, body = std::move(body)] {
            body();
            ends.complete();
        });
    };
    run("a", std::move(a));
    run("b", std::move(b));
    ends.wait();
    ends.wait();
}

} // namespace spinup::kernel
