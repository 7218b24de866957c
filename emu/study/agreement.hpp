// Does our stack do what a real kernel did? One machine, driven by both, compared port by port.
//
// The kernel's side is what the served hardware saw (hardware_report.hpp) and what the kernel said
// (kernel_log.hpp). Our side is a run in virtual time, read by the same two readers. Two figures of
// it are taken from the kernel's side, because they are not libata's doing: how long the machine
// took from power-on to its first COMRESET (firmware, and a processor under emulation), and, if the
// next suspend came before all drives were ready, how long after the resume it came. What a machine
// file says of other devices is left out: the guest does not have them.
//
// What is compared are the cycles that slept, as far back as the hardware's report goes. The
// hardware and the log of a kernel must tell of as many: their cycles are matched by their order.
// Times are medians over them. A time differs if it is more than 150 ms and more than 2 % away:
// drives' times agree far better, and an emulated processor adds some tens of milliseconds to
// software's part.
#pragma once

#include "emu/study/hardware_report.hpp"
#include "emu/study/kernel_log.hpp"
#include "emu/study/resume_latency.hpp"

namespace spinup::study {

inline constexpr duration agreement_limit = std::chrono::milliseconds{150};
inline constexpr double agreement_share = 0.02;
/// A kernel's sleep of 512 to 4095 jiffies ends up to this much late: since 4.8 its timer wheel has
/// 64 jiffies a slot there (kernel/time/timer.c, level 2, with HZ=250), and which slot a sleep
/// begins in is chance. Such sleeps lie between the tries of a reset, and hold up all ports of the
/// HBA. Callbacks of a suspend or resume that meets none of them have nothing to do with it.
inline constexpr duration timer_wheel_slot = std::chrono::milliseconds{256};
/// The shortest such sleep: what took less cannot have had one.
inline constexpr duration timer_wheel_sleep = std::chrono::milliseconds{2'048};

/// One port under one of the two stacks.
struct port_behaviour {
    std::optional<u32> comresets;
    std::optional<duration> link_up; ///< from power-on, as ready
    std::optional<duration> ready;
    /// How long its callback took; the first suspend's alone, if later ones came before all drives
    /// were ready.
    std::optional<duration> suspend;
    std::optional<duration> resume;
    std::optional<duration> wait; ///< a later suspend's callback, if these came so early
    std::vector<u8> commands;     ///< see port_hardware
    std::vector<log_kind> lines;  ///< from the resume on
};

struct port_agreement {
    u32 port = 0; ///< as the kernel numbers it: 1 is ata1
    port_behaviour model;
    port_behaviour kernel;
    // What differs. Commands and lines: in any cycle; the sides above show that cycle.
    bool comresets_differ = false;
    bool link_up_differs = false;
    bool ready_differs = false;
    bool suspend_differs = false;
    bool resume_differs = false;
    bool wait_differs = false;
    bool commands_differ = false;
    bool lines_differ = false;

    [[nodiscard]] bool equal() const {
        return !(comresets_differ || link_up_differs || ready_differs || suspend_differs ||
                 resume_differs || wait_differs || commands_differ || lines_differ);
    }
};

struct agreement {
    std::string kernel;          ///< release
    std::size_t cycles = 0;      ///< that slept, as the kernel's hardware saw
    std::size_t log_cycles = 0;  ///< the same, as the kernel's log tells of that time
    std::string verdict;         ///< of our run
    duration wake{};             ///< taken from the kernel's side: see machine::machine
    std::optional<duration> gap; ///< the same, if the next suspend came early
    duration late{};             ///< what the kernel may be later beside the limits
    std::vector<port_agreement> ports;

    /// There was a cycle, our run was ok, hardware and log tell of as many cycles, and no port
    /// differs.
    [[nodiscard]] bool equal() const;
};

/// Our stack, set as a kernel's is.
struct kernel_stack {
    configuration model; ///< without a machine
    std::string text;    ///< its settings, and what stands in for what is not built
};

/// `release` as the kernel prints it. Not set for one that the table of kernels does not cover.
std::optional<kernel_stack> stack_of_kernel(std::string_view release);

/// What a real kernel did with one HBA.
struct kernel_side {
    std::span<const hardware_cycle> hardware;
    const kernel_log* log = nullptr;
    std::vector<u32> ports; ///< the number that each of its ports has in the log
};

/// `model`: design, disk start, order and what else makes our stack that kernel's, and the machine
/// as it was served; cycles and gap are set here. Returns: the comparison, or the user's mistake.
result<agreement> compare_with_kernel(configuration model, const kernel_side& kernel);

/// Milliseconds apart and share apart, both beyond the limits; or only one of them is there. `late`
/// is what the kernel may be later besides.
bool differs(std::optional<duration> model, std::optional<duration> kernel, duration late = {});

/// The median; of an even number the higher one of the middle two. Not set if most are not.
std::optional<duration> median(std::vector<std::optional<duration>> of);

} // namespace spinup::study
