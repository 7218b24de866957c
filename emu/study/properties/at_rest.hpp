// For a property of each port that is judged once: when the scenario is over and all is at rest.
#pragma once

#include "emu/study/properties/records.hpp"

namespace spinup::study {

template <violation (*judge)(u32 port, const port_facts& facts)>
class at_rest final : public property_watch {
  public:
    explicit at_rest(const run_facts& facts) : facts_(facts) {}

    violation take(const trace_record&) override { return std::nullopt; }

    violation at_end() override {
        for (u32 n = 1; n <= facts_.ports(); ++n)
            if (auto broken = judge(n, facts_.port(n)))
                return broken;
        return std::nullopt;
    }

  private:
    const run_facts& facts_;
};

} // namespace spinup::study
