// The resume latency study: suspend and resume a machine under one design, one disk start and one
// order, and tell what each device and each port did.
//
// All times of a cycle count from the first noirq callback of its resume. A cycle ends when the PM
// core has returned; ports may still be spinning up then (that is the point of a non-blocking
// design). Reads are issued to every disk, and to every ODD with a disc, when the tasks run again
// after the last resume, and after each resume when no gap is set: a reader that waits would keep
// the freezer from suspending again, which is not what a back-to-back run asks.
#pragma once

#include <memory>
#include <optional>
#include <spinup/base/result.hpp>
#include <spinup/log_wording.hpp>
#include <spinup/trace.hpp>
#include <string>
#include <vector>

namespace spinup {
struct trace_reader;
}
namespace spinup::drivers {
struct eh_options;
}
namespace spinup::machine {
struct machine;
}

namespace spinup::study {

struct configuration {
    const machine::machine* what = nullptr;
    std::string design;                      ///< a name in the registry of PM designs
    std::string disk_start;                  ///< a name in the registry of disk starts
    std::string order;                       ///< a name in the registry of ordering policies
    const drivers::eh_options* eh = nullptr; ///< null: those of the newest kernel with the design
    u32 cycles = 1;
    /// Time from the end of a resume to the next suspend. Not set: the next suspend comes when
    /// every port is ready and every read is done.
    std::optional<duration> gap;
    std::string token;       ///< replays this schedule; empty: none
    std::optional<u64> seed; ///< a random schedule; without seed and token: first come first served
    /// Keep the records of all cycles; otherwise those of the last two.
    bool keep_records = false;
    /// Asked between cycles: true ends the run there, and keeps the cycles it has.
    bool (*stop)() = nullptr;
};

struct port_times {
    u32 port = 0; ///< as printed: 1 is ata1
    bool has_drive = false;
    std::optional<duration> ready;    ///< EH has configured the device
    std::optional<duration> first_io; ///< the first queued read has completed with data
    u32 comresets = 0;                ///< by PxSCTL.DET, in this resume
};

struct cycle_times {
    bool slept = true;         ///< false: the suspend failed, and there was no resume
    time_point resume_begin{}; ///< the first noirq callback
    duration kernel_suspend{};
    duration kernel_resume{}; ///< until the last return that the PM core waits for
    std::vector<port_times> ports;
};

/// One callback of one device.
struct callback_time {
    name_id device{};
    name_id parent{};
    name_id phase{}; ///< "suspend", "late suspend", ... "resume"
    u32 cycle = 0;
    u16 thread = 0; ///< pid that ran it
    time_point begin{};
    duration took{};
    int returned = 0;
};

struct run_report {
    std::vector<cycle_times> cycles;
    std::vector<callback_time> callbacks; ///< in order of return
    std::vector<trace_record> records;
    log_wording wording{};          ///< of the kernel log that the records make
    std::vector<std::string> names; ///< names[id] is the text of name_id{id}
    u64 digest = 0;
    std::string token;   ///< replays this run
    std::string verdict; ///< "ok", or the name of what went wrong
    std::string reason;  ///< empty, or what a person should read about it
    u64 events = 0;      ///< timers fired, interrupts taken and thread switches

    [[nodiscard]] bool ok() const { return verdict == "ok"; }
    [[nodiscard]] std::string_view name(name_id id) const { return names[static_cast<u32>(id)]; }
    /// The records, with the names that they hold.
    void hand_to(trace_reader& reader) const;
};

/// Runs it. Returns: the report, or the user's mistake (an unknown name, a bad token).
result<run_report> run(const configuration& config);

} // namespace spinup::study
