// The properties there are. A new one is one file here that defines `property_NAME`, and one NAME
// in the list.
#pragma once

#include "emu/study/properties/property.hpp"
#include <array>
#include <span>
#include <vector>

#define SPINUP_PROPERTIES(X)                                                                       \
    X(no_pm_operation_lost)                                                                        \
    X(accepted_executed_once)                                                                      \
    X(result_to_requester)                                                                         \
    X(suspend_failure_told)                                                                        \
    X(runtime_and_port_agree)                                                                      \
    X(no_frozen_port)                                                                              \
    X(no_eh_command_on_frozen_port)                                                                \
    X(resuming_mark_ends)                                                                          \
    X(eh_start_bounded)                                                                            \
    X(no_stray_event_after_reset)                                                                  \
    X(command_completes_once)                                                                      \
    X(no_command_to_suspended_port)                                                                \
    X(data_survives)                                                                               \
    X(flush_before_power_loss)                                                                     \
    X(suspended_means_standby)                                                                     \
    X(no_timeout_in_suspend)                                                                       \
    X(power_state_agrees)                                                                          \
    X(resumed_means_active)                                                                        \
    X(one_spin_up_per_resume)                                                                      \
    X(no_spin_down_on_freeze)                                                                      \
    X(one_spin_down_per_hibernate)                                                                 \
    X(supplier_consumer_order)                                                                     \
    X(each_device_once_per_phase)                                                                  \
    X(aborted_suspend_resumes_all)                                                                 \
    X(resume_returns)                                                                              \
    X(back_to_back_ends)                                                                           \
    X(speed_kept)                                                                                  \
    X(no_disk_lost)

namespace spinup::study {

#define X(name) extern const property property_##name;
SPINUP_PROPERTIES(X)
#undef X

#define X(name) &property_##name,
inline constexpr std::array properties{SPINUP_PROPERTIES(X)};
#undef X

/// Returns: null if there is none of that name.
[[nodiscard]] const property* find_property(std::string_view name);

/// The one of that name; all of them without a name. Requires: there is one of that name.
[[nodiscard]] std::span<const property* const> properties_of(std::string_view name);

/// The first violation of a run.
struct violated {
    const property* what = nullptr;
    std::string how;
};

/// All properties that say something about a design, over one run.
class property_suite {
  public:
    /// `only`: no others; empty: all.
    property_suite(const run_facts& facts, const pm_design& design,
                   std::span<const property* const> only = {});
    property_suite(const property_suite&) = delete;
    property_suite& operator=(const property_suite&) = delete;

    /// What any of them sees.
    [[nodiscard]] const event_set& sees() const { return sees_; }
    /// Returns: what this record violates first.
    std::optional<violated> take(const trace_record& r);
    std::optional<violated> at_end();

  private:
    static std::size_t place(trace_event e) { return static_cast<std::size_t>(e); }
    struct watched {
        const property* what;
        std::unique_ptr<property_watch> watch;
    };
    std::vector<watched> all_;
    event_set sees_;
    // Who sees an event: a part of who_sees_ that ends at end_ of the event.
    std::array<u16, trace_event_rows.size()> end_{};
    std::vector<const watched*> who_sees_;
};

} // namespace spinup::study
