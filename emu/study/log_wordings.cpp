#include "emu/study/log_wordings.hpp"

#include <algorithm>
#include <array>

namespace spinup::study {

namespace {

struct pattern {
    log_kind kind;
    std::string_view begins; ///< after "ataN: " or "ataN.00: "
    std::string_view more;   ///< and this further right
};

// Wordings of 3.11 to 7.3; Linux: libata-core.c, libata-eh.c, libata-sata.c.
constexpr std::array patterns{
    pattern{log_kind::link_up, "SATA link up", ""},
    pattern{log_kind::link_down, "SATA link down", ""},
    pattern{log_kind::link_slow, "link is slow to respond", ""},
    pattern{log_kind::link_resume_failed, "failed to resume link", ""},
    pattern{log_kind::comreset_failed, "COMRESET failed", ""},
    pattern{log_kind::softreset_failed, "softreset failed", ""},
    pattern{log_kind::hardreset_failed, "hardreset failed", ""},
    pattern{log_kind::reset_retry, "reset failed", "retrying in"},
    pattern{log_kind::reset_giveup, "reset failed", "giving up"},
    pattern{log_kind::resetting, "hard resetting link", ""},
    pattern{log_kind::resetting, "soft resetting link", ""},
    pattern{log_kind::configured, "configured for", ""},
    pattern{log_kind::id_failed, "failed to IDENTIFY", ""},
    pattern{log_kind::revalidation_failed, "revalidation failed", ""},
    pattern{log_kind::disabled, "disable device", ""},
    pattern{log_kind::disabled, "disabled", ""},
    pattern{log_kind::qc_timeout, "qc timeout", ""},
    pattern{log_kind::exception, "exception Emask", ""},
    pattern{log_kind::failed_command, "failed command", ""},
    pattern{log_kind::speed_limit, "limiting SATA link speed", ""},
    pattern{log_kind::eh_complete, "EH complete", ""},
    pattern{log_kind::eh_giveup, "EH pending after", ""},
    pattern{log_kind::standby, "Entering standby power mode", ""},
    pattern{log_kind::active, "Entering active power mode", ""},
    pattern{log_kind::power_mode_failed, "Check power mode failed", ""},
};

struct complaint {
    std::string_view begins;
    std::string_view more; ///< and this further right
};

// Linux: kernel/panic.c, lib/bug.c, kernel/locking/lockdep.c, kernel/sched/core.c,
// kernel/watchdog.c, kernel/hung_task.c, kernel/rcu/tree_stall.h, arch/x86/kernel/dumpstack.c and
// traps.c. WARN_ON names a file, and lockdep has the same first word.
constexpr std::array complaints{
    complaint{"WARNING: ", ""},
    complaint{"[ INFO: ", ""}, // lockdep, to 4.9
    complaint{"INFO: trying to register non-static key", ""},
    complaint{"BUG: ", ""},
    complaint{"kernel BUG at ", ""},
    complaint{"", " [#1]"}, // an Oops, whatever the trap
    complaint{"Kernel panic", ""},
    complaint{"UBSAN: ", ""},
    complaint{"INFO: task ", " blocked "},
    complaint{"INFO: rcu", " stall"},
};

/// Who speaks, which came into use for some of them over time.
constexpr std::array speakers{"NMI watchdog: ", "watchdog: ", "rcu: "};

bool fits(std::string_view text, std::string_view begins, std::string_view more) {
    return text.starts_with(begins) && text.find(more) != std::string_view::npos;
}

} // namespace

std::string_view to_string(log_kind kind) {
    switch (kind) {
#define X(name)                                                                                    \
    case log_kind::name:                                                                           \
        return #name;
        SPINUP_LOG_KINDS(X)
#undef X
    }
    return "?";
}

std::optional<log_kind> kind_of(std::string_view text) {
    for (const pattern& p : patterns)
        if (fits(text, p.begins, p.more))
            return p.kind;
    return std::nullopt;
}

bool is_complaint(std::string_view text) {
    for (const std::string_view speaker : speakers)
        if (text.starts_with(speaker))
            text.remove_prefix(speaker.size());
    return std::any_of(complaints.begin(), complaints.end(),
                       [text](const complaint& c) { return fits(text, c.begins, c.more); });
}

} // namespace spinup::study
