// The driver stack on the emulated host adapter: kernel, HBA, drives, ahci.
#pragma once

#include "drivers/ata/ahci.hpp"
#include "drivers/ata/libata_eh.hpp"
#include "drivers/ata/pm_designs/registry.hpp"
#include "drivers/base/power/dpm.hpp"
#include "drivers/base/power/suspend.hpp"
#include "drivers/scsi/disk_start.hpp"
#include "drivers/scsi/scsi_core.hpp"
#include "drivers/scsi/scsi_io.hpp"
#include "emu/hw/ahci/hba.hpp"
#include "emu/hw/drive/drive.hpp"
#include "emu/kernel/simulated_kernel.hpp"
#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/format.hpp"
#include "emu/trace/print_trace.hpp"
#include "emu/trace/trace_ring.hpp"
#include <cstdlib>
#include <deque>
#include <gtest/gtest.h>
#include <iostream>
#include <spinup/log_wording.hpp>

namespace spinup::drivers {

using namespace std::chrono_literals;

struct setup {
    std::vector<hw::drive_profile> drives; ///< drives[i] sits at port i
    u32 ports = 1;
    bool pmp = false;
    bool staggered = false;
    bool msi = true;
    const pm_design* design = &pm_design_sync_3_11;
    const disk_start* start = &disk_start_sync;
    const eh_options* eh = nullptr; ///< null: those of the design's kernel
    const dpm_order* order = &dpm_order_upfront;
    driver_switches switches{};
    bool no_uld = false; ///< neither sd nor sr
    bool warm = true;    ///< firmware has waited for the drives before the driver starts
    kernel::oracle_config choices{};
};

inline hw::drive_profile disk(duration ready, std::string serial = "S1") {
    hw::drive_profile p;
    p.kind = hw::drive_kind::hdd;
    p.model = "TEST DISK";
    p.serial = std::move(serial);
    p.ready = ready;
    p.standby_ready = ready == hw::never ? duration{1s} : ready;
    return p;
}

/// How reads and writes ended.
struct io_log {
    u32 done = 0;
    u32 failed = 0;

    static void end(void* self, errno_t rc) {
        auto& to = *static_cast<io_log*>(self);
        ++to.done;
        to.failed += spinup::failed(rc) ? 1 : 0;
    }
};

class machine_under_test final : public kernel::platform_suspend_ops {
  public:
    static constexpr u32 irq = 24;

    explicit machine_under_test(setup s)
        : what(std::move(s)), k(line, log, what.choices), power(k, *what.order, options().wording),
          core(k, power, *what.start), hba(line, log, k.irq(irq), k.dma(),
                                           {.ports = what.ports,
                                            .pmp = what.pmp,
                                            .staggered_spin_up = what.staggered,
                                            .msi = what.msi}) {
        log.attach(records);
        for (u32 n = 0; n < what.drives.size(); ++n)
            hba.attach(n, drives.emplace_back(line, log, what.drives[n]));
        hba.power_on();
        if (what.warm)
            for (auto& each : drives)
                each.assume_ready();
    }
    ~machine_under_test() {
        k.stop();
        log.detach(records);
        if (std::getenv("SPINUP_TEST_TRACE") != nullptr)
            print_trace(std::cerr, records.records(), log);
    }

    /// Runs `body` as a thread, to its end.
    void run(std::function<void()> body) {
        const auto end = k.run("test", std::move(body));
        log.drain();
        ASSERT_TRUE(end.done()) << end.text();
        EXPECT_EQ(k.complaints(), complaints_expected);
    }
    void probe() {
        run([this] {
            ahci = ahci_init_one(core, hba,
                                 {.irq = irq,
                                  .design = what.design,
                                  .eh = &options(),
                                  .switches = what.switches,
                                  .no_uld_attach = what.no_uld ? ~0u : 0u});
            ASSERT_NE(ahci, nullptr);
        });
    }
    errno_t try_suspend() { return pm_suspend(power, *this); }
    void suspend() { ASSERT_EQ(try_suspend(), errno_t::ok); }

    void enter() override {
        hba.power_off();
        k.usleep_range(1s);
        hba.power_on();
        slept_until = k.now();
    }

    [[nodiscard]] const eh_options& options() const {
        return what.eh != nullptr ? *what.eh : eh_options_of(*what.design);
    }
    ata_port& port(u32 n) { return *ahci->host().ports[n]; }
    scsi_device& sdev(u32 n) { return *port(n).link.dev.sdev; }

    /// Waits until no port has EH to do. Context: in run().
    /// A suspend, and a resume of which all four tries of a reset may fail (60 s).
    void sleep_and_give_up() {
        suspend();
        k.usleep_range(90s);
        settle();
    }
    void settle() {
        for (auto& ap : ahci->host().ports)
            ata_port_wait_eh(*ap);
    }

    std::vector<trace_record> all(trace_event e, u32 id = 0) {
        log.drain();
        std::vector<trace_record> out;
        for (const auto& r : records.records())
            if (r.event == static_cast<u16>(e) && (id == 0 || r.args[0] == id))
                out.push_back(r);
        return out;
    }
    /// The lines that these events make in the kernel log.
    std::vector<std::string> lines(trace_event e) {
        std::vector<std::string> out;
        for (const auto& r : all(e))
            out.push_back(format_event(r, log));
        return out;
    }
    /// The kernel log from this time on, as that kernel words it, without the PM core's lines.
    std::vector<std::string> log_since(time_point from) {
        log.drain();
        std::vector<std::string> out;
        for (const auto& r : records.records()) {
            const auto e = static_cast<trace_event>(r.event);
            const char* const format = format_of(e, options().wording);
            if (from_ns(r.time_ns) < from || row_of(e).level == severity::debug ||
                std::string_view{row_of(e).room} == "pm" || format == nullptr)
                continue;
            append_event(out.emplace_back(), r, log, format);
        }
        return out;
    }
    /// Codes of the commands on the wire of this port (1 is ata1) from this time on.
    std::vector<u32> wire_since(time_point from, u32 port) {
        log.drain();
        std::vector<u32> out;
        for (const auto& r : records.records())
            if (r.event == static_cast<u16>(trace_event::command) && r.args[0] == port &&
                from_ns(r.time_ns) >= from)
                out.push_back(r.args[1]);
        return out;
    }
    u32 count(trace_event e, u32 id = 0) { return static_cast<u32>(all(e, id).size()); }
    /// Time of the last event of this kind since the last wake.
    duration since_wake(trace_event e, u32 id) {
        const auto found = all(e, id);
        return found.empty() ? duration::min() : from_ns(found.back().time_ns) - slept_until;
    }

    const setup what;
    virtual_timeline line;
    trace_ring log{line};
    record_store records;
    kernel::simulated_kernel k;
    dpm power;
    scsi_core core;
    std::deque<hw::drive> drives;
    hw::hba hba;
    std::unique_ptr<ahci_host> ahci;
    time_point slept_until{};
    u64 complaints_expected = 0;
};

} // namespace spinup::drivers
