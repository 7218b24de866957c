// A SCSI host whose low-level driver does what a test tells it, and the machine around it.
#pragma once

#include "drivers/base/power/dpm.hpp"
#include "drivers/base/power/suspend.hpp"
#include "drivers/scsi/disk_start.hpp"
#include "drivers/scsi/scsi_core.hpp"
#include "drivers/scsi/scsi_eh.hpp"
#include "drivers/scsi/scsi_io.hpp"
#include "drivers/scsi/scsi_lib.hpp"
#include "drivers/scsi/sd.hpp"
#include "drivers/scsi/sr.hpp"
#include "emu/kernel/simulated_kernel.hpp"
#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/trace_ring.hpp"
#include <gtest/gtest.h>
#include <spinup/kernel/timer.hpp>

namespace spinup::drivers {

using namespace std::chrono_literals;

/// Counts the ends of reads and writes.
struct io_log {
    u32 done = 0;
    u32 failed = 0;
    time_point last{};
    kernel::system* kernel = nullptr;

    static void end(void* self, errno_t rc) {
        auto& to = *static_cast<io_log*>(self);
        ++to.done;
        to.failed += spinup::failed(rc) ? 1 : 0;
        to.last = to.kernel->now();
    }
};

class host_under_test {
  public:
    explicit host_under_test(const disk_start& start = disk_start_sync,
                             kernel::oracle_config choices = {},
                             log_wording wording = log_wording::linux_3)
        : k(line, log, std::move(choices)), power(k, dpm_order_async, wording),
          core(k, power, start), port(k, "ata1") {
        log.attach(records);
        port.async_suspend = true;
        sht.name = "host under test";
        sht.can_queue = 31;
        sht.queuecommand = [](Scsi_Host& host, scsi_cmnd& cmd) {
            return shost_priv<host_under_test>(host).queuecommand(cmd);
        };
        sht.eh_strategy_handler = [](Scsi_Host& host) {
            auto& self = shost_priv<host_under_test>(host);
            ++self.eh_runs;
            self.on_eh();
        };
        sht.slave_configure = [](scsi_device& sdev) {
            sdev.queue_depth = shost_priv<host_under_test>(sdev.host).queue_depth;
            sdev.manage_system_start_stop = true;
            sdev.manage_runtime_start_stop = true;
            sdev.says_started = true;
            return errno_t::ok;
        };
    }
    ~host_under_test() {
        k.stop();
        log.detach(records);
    }

    /// Runs `body` as a thread, to its end.
    void run(std::function<void()> body) {
        const auto end = k.run("test", std::move(body));
        ASSERT_TRUE(end.done()) << end.text();
    }

    /// Registers port and host. Context: in run().
    void add_host() {
        power.device_add(port);
        shost = scsi_host_alloc(core, sht, this, &port);
        scsi_add_host(*shost);
    }
    scsi_device& add_disk(u32 id = 0) {
        scsi_inquiry inquiry{.model = "TEST DISK"};
        inquiry.write_cache = write_cache;
        return *scsi_add_device(*shost, 0, id, 0, inquiry);
    }
    scsi_device& add_cdrom() {
        scsi_inquiry inquiry{.type = scsi_type::rom, .model = "TEST DVD"};
        inquiry.sector_size = 2048;
        return *scsi_add_device(*shost, 0, 0, 0, inquiry);
    }

    /// The driver completes the command, `later` from now.
    void complete(scsi_cmnd& cmd, duration later = 1ms) {
        timers_.push_back(std::make_unique<kernel::timer_list>(k, [&cmd] { scsi_done(cmd); }));
        timers_.back()->mod_timer(k.now() + later);
    }
    void at(duration later, std::function<void()> what) {
        timers_.push_back(std::make_unique<kernel::timer_list>(k, std::move(what)));
        timers_.back()->mod_timer(k.now() + later);
    }

    /// What EH does by default: what is on eh_cmd_q is retried or given up, and EH is over.
    void finish_eh() {
        cmnd_list done;
        while (!shost->eh_cmd_q.empty())
            scsi_eh_finish_cmd(shost->eh_cmd_q.front(), done);
        end_eh();
        scsi_eh_flush_done_q(done);
    }
    /// Linux: ata_std_end_eh.
    void end_eh() {
        kernel::spin_guard locked(*shost->host_lock);
        shost->host_eh_scheduled = 0;
    }

    u32 count(trace_event e) {
        log.drain();
        u32 n = 0;
        for (const auto& r : records.records())
            n += r.event == static_cast<u16>(e) ? 1 : 0;
        return n;
    }
    std::vector<spec::scsi_op> ops() const {
        std::vector<spec::scsi_op> out;
        for (const auto& i : issued)
            out.push_back(i.cdb.op());
        return out;
    }
    void read(scsi_device& sdev, io_log& to, u64 lba = 0) {
        to.kernel = &k;
        submit_read(sdev, lba, 1, {}, io_log::end, &to);
    }

    struct issue {
        scsi_cmnd* cmd;
        spec::cdb cdb;
        time_point at;
    };

    virtual_timeline line;
    trace_ring log{line};
    record_store records;
    kernel::simulated_kernel k;
    dpm power;
    scsi_core core;
    device port;
    scsi_host_template sht;
    std::unique_ptr<Scsi_Host> shost;

    u32 queue_depth = 31;
    bool write_cache = true;
    std::vector<issue> issued; ///< calls of queuecommand
    u32 eh_runs = 0;
    std::function<scsi_mlqueue(scsi_cmnd&)> on_command = [this](scsi_cmnd& cmd) {
        complete(cmd);
        return scsi_mlqueue::accepted;
    };
    std::function<void()> on_eh = [this] { finish_eh(); };

  private:
    scsi_mlqueue queuecommand(scsi_cmnd& cmd) {
        issued.push_back({&cmd, cmd.cmnd, k.now()});
        return on_command(cmd);
    }

    std::vector<std::unique_ptr<kernel::timer_list>> timers_;
};

/// A machine that wakes at once.
struct test_platform final : kernel::platform_suspend_ops {
    void enter() override { ++sleeps; }

    u32 sleeps = 0;
};

} // namespace spinup::drivers
