// What a property may ask about a run beside its records.
#pragma once

#include <spinup/base/units.hpp>
#include <spinup/trace.hpp>
#include <string_view>

namespace spinup::study {

/// A port and its drive. What is said of the end holds when everything has come to rest.
struct port_facts {
    bool disk = false;  ///< a hard disk or an SSD was there when the run began
    bool turns = false; ///< it has a spindle
    bool write_cache = false;
    bool returns = true; ///< it can work again after its power has gone
    bool managed = true; ///< somebody is to stop it before its power goes: sd, or EH

    // At the end.
    bool plugged = false; ///< it still is
    bool enabled = false; ///< and libata uses it
    bool turning = false; ///< its spindle turns, or starts
    bool frozen = false;
    bool suspended = false;
    bool resuming = false;   ///< its device waits to be told of a resume: ATA_DFLAG_RESUMING
    bool rescans = false;    ///< somebody will tell it
    bool eh_busy = false;    ///< EH is pending or in progress
    bool unloading = false;  ///< its driver goes or is gone
    bool runtime_pm = false; ///< port and disk take part in runtime PM
    bool port_runtime_suspended = false;
    bool disk_runtime_suspended = false;
};

class run_facts {
  public:
    [[nodiscard]] virtual std::string_view name(name_id id) const = 0;
    /// Ports count from 1, as in log lines and in records.
    [[nodiscard]] virtual u32 ports() const = 0;
    [[nodiscard]] virtual port_facts port(u32 number) const = 0;

  protected:
    ~run_facts() = default;
};

} // namespace spinup::study
