// What differs in libata's error handler (EH) from one kernel to another, beside the PM design: the
// parts that a suspend and a resume show on the wire, in their times, or in the log.
//
// One set per generation; kernel_versions.hpp says which kernel has which. Power management by EH
// (what follows "spin_up") takes effect with a disk start whose eh_starts_disks is set.
#pragma once

#include <array>
#include <spinup/base/units.hpp>
#include <spinup/log_wording.hpp>
#include <string_view>

namespace spinup {
struct pm_design;
}

namespace spinup::drivers {

/// When EH makes a disk turn after the reset of a resume.
enum class spin_up_step : u8 {
    before_revalidate, ///< before any other command (Linux 6.6, 6.1.y)
    after_set_mode,    ///< with its transfer mode set again (Linux 6.7 and later)
};

struct eh_options {
    /// A reset forgets that EH was asked for meanwhile, even for a real error. Up to 6.5.5 and
    /// 6.1.55 (fixed by 80cc944eca4f, which forgets SError only).
    bool reset_forgets_pending;
    /// A hard reset clears what the port has to say of before: after an error, an HBA may start no
    /// command until its interrupt status is clear. From 6.5.5 and 6.1.55 on (737dd811a3db).
    bool clears_stale_irq;
    /// What stays busy where a port multiplier may be is asked with an SRST after this time. Linux:
    /// ATA_TMOUT_PMP_SRST_WAIT, 5 s before 6.5.6 and 6.1.56, 10 s from there on.
    duration pmp_srst_wait;
    /// Each failed COMRESET has a line in the log; later kernels have one when all have failed.
    bool comreset_lines;
    /// The link's power management is set up again after each reset, by PxSCTL.IPM. What is set for
    /// an HBA whose CAP has neither PSC, SSC nor SALP is the policy of the highest performance,
    /// which forbids all transitions; the model has no other HBA. Before 6.9 such an HBA has no
    /// policy.
    bool sets_lpm;
    /// The SCSI side looks at the device again after each revalidation, in a work of its own, once
    /// its queue runs. Earlier kernels look too, whether it runs or not; what their disks are asked
    /// libata answers itself, so the model has the work from 6.6 on, where a suspend cancels it.
    bool rescans;
    /// ...and tells the disk's driver that the device is back (0c76106cb975: 6.9, and later
    /// in 6.6.y and 6.1.y).
    bool rescan_tells_driver;
    /// ...which says that it starts the disk, although EH did. The sd of 6.1.192 says so only with
    /// no_start_on_resume, which nobody sets there any more.
    bool driver_says_started;

    spin_up_step spin_up;
    /// CHECK POWER MODE comes first: STANDBY IMMEDIATE goes to a disk that is active and READ
    /// VERIFY to one that is not (6.7 and later). Without it both are sent to any disk.
    bool checks_power_mode;
    /// RESUMING ends with the first pass, so that each disk is made to turn once however often EH
    /// repeats. Posted in December 2023, in no kernel.
    bool start_once = false;
    /// Of the passes of a resume, one that resets nothing and revalidates nothing does not mark the
    /// device as resuming again: nobody would tell its driver. In no kernel.
    bool marks_with_reset = false;
    /// The PM core is told of a port that did not suspend. In no kernel since 3.15.
    bool reports_port_suspend_failure = false;
    /// The port's lock is held when a port that did not suspend is frozen. In no kernel.
    bool locks_suspend_freeze = false;
    /// EH and the rescan work touch a device's flags with the port's lock held (L6). In no kernel.
    bool locks_device_flags = false;
    /// ahci's error handler holds it when it looks whether the port is frozen. In no kernel.
    bool locks_frozen_test = false;
    /// The rescan work holds its disk active. Otherwise a runtime suspend may come between its look
    /// at the disk and its command: that waits for a runtime resume, which waits for the port's
    /// suspend, which waits for the work. In no kernel.
    bool rescan_holds_disk = false;
    /// The midlayer counts busy commands by their flags, without the host's lock, and the last
    /// one's end looks for a host in recovery without it too. From 5.5 on (6eb045e092ef).
    bool lockless_busy = false;
    /// ...with a full barrier between flag and look, on both sides. From 7.2 on (dccf3b1798b7).
    bool eh_wakeup_barrier = true;
    /// The timeout table has a class for STANDBY IMMEDIATE (6.12.103 and later); without it the
    /// command has the time of any.
    bool standby_class;

    log_wording wording;
};

/// Those of them that put a known bug back, or a mend in: name, commit (empty: none), field.
struct eh_switch {
    std::string_view name;
    std::string_view commit;
    bool eh_options::*member;
};
inline constexpr std::array eh_switches{
    eh_switch{"reset_forgets_pending", "80cc944eca4f", &eh_options::reset_forgets_pending},
    eh_switch{"clears_stale_irq", "737dd811a3db", &eh_options::clears_stale_irq},
    eh_switch{"standby_class", "", &eh_options::standby_class},
    eh_switch{"start_once", "", &eh_options::start_once},
    eh_switch{"reports_port_suspend_failure", "", &eh_options::reports_port_suspend_failure},
    eh_switch{"locks_suspend_freeze", "", &eh_options::locks_suspend_freeze},
    eh_switch{"locks_device_flags", "", &eh_options::locks_device_flags},
    eh_switch{"locks_frozen_test", "", &eh_options::locks_frozen_test},
    eh_switch{"rescan_holds_disk", "", &eh_options::rescan_holds_disk},
    eh_switch{"lockless_busy", "6eb045e092ef", &eh_options::lockless_busy},
    eh_switch{"eh_wakeup_barrier", "dccf3b1798b7", &eh_options::eh_wakeup_barrier},
};

extern const eh_options eh_3_11;     ///< to 6.5.5, 6.1.55
extern const eh_options eh_6_1;      ///< 6.1.56, 6.5.6, 6.6
extern const eh_options eh_6_7;      ///< and 6.8
extern const eh_options eh_6_12;     ///< 6.9 to 6.12.102
extern const eh_options eh_6_12_103; ///< and later in that series
extern const eh_options eh_7_3;
/// As 7.3, without the hazards that are left there. In no kernel; for pm_design_spinup_reference.
extern const eh_options eh_reference;

/// The options of the newest kernel that has this design; those of 3.11 for older designs and for
/// what was posted against it, and those of the newest there is for another design that no kernel
/// has.
[[nodiscard]] const eh_options& eh_options_of(const pm_design& design);

} // namespace spinup::drivers
