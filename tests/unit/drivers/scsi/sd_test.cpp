// Disks: which commands a suspend and a resume send, and which errors count.
#include "emu/trace/format.hpp"
#include "host_under_test.hpp"

namespace spinup::drivers {
namespace {

using spec::scsi_op;

/// Fails every command of one operation code.
void fail(host_under_test& h, scsi_op op) {
    h.on_command = [&h, op](scsi_cmnd& cmd) {
        if (cmd.cmnd.op() == op)
            cmd.set_sense(spec::sense_key::aborted_command, spec::asc_pair::no_additional_sense);
        h.complete(cmd);
        return scsi_mlqueue::accepted;
    };
}

TEST(Sd, suspends_by_flushing_and_stopping) {
    host_under_test h;
    h.run([&] {
        h.add_host();
        EXPECT_EQ(sd_suspend(h.add_disk()), errno_t::ok);
        ASSERT_EQ(h.ops(), (std::vector{scsi_op::synchronize_cache_10, scsi_op::start_stop_unit}));
        EXPECT_FALSE(h.issued[1].cdb.start());
        EXPECT_FALSE(h.issued[1].cdb.immed());
        EXPECT_EQ(h.count(trace_event::sd_sync_cache), 1u);
        EXPECT_EQ(h.count(trace_event::sd_stop), 1u);
    });
}

TEST(Sd, resumes_by_starting_and_waits_for_the_disk) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        EXPECT_EQ(cmd.request.timeout, 30s);
        EXPECT_EQ(cmd.allowed, 5u);
        EXPECT_TRUE(cmd.request.pm);
        h.complete(cmd, 4s);
        return scsi_mlqueue::accepted;
    };
    h.run([&] {
        h.add_host();
        EXPECT_EQ(sd_resume(h.add_disk()), errno_t::ok);
        EXPECT_EQ(h.k.now(), time_point{4s});
        ASSERT_EQ(h.ops(), std::vector{scsi_op::start_stop_unit});
        EXPECT_TRUE(h.issued[0].cdb.start());
        EXPECT_EQ(h.count(trace_event::sd_start), 1u);
    });
}

TEST(Sd, does_not_flush_without_a_write_cache) {
    host_under_test h;
    h.write_cache = false;
    h.run([&] {
        h.add_host();
        EXPECT_EQ(sd_suspend(h.add_disk()), errno_t::ok);
        EXPECT_EQ(h.ops(), std::vector{scsi_op::start_stop_unit});
    });
}

TEST(Sd, neither_stops_nor_starts_what_it_does_not_manage) {
    host_under_test h;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        sdev.manage_system_start_stop = false;
        EXPECT_EQ(sd_suspend(sdev), errno_t::ok);
        EXPECT_EQ(sd_resume(sdev), errno_t::ok);
        EXPECT_EQ(h.ops(), std::vector{scsi_op::synchronize_cache_10});
    });
}

TEST(Sd, a_failed_flush_is_tried_three_times_and_keeps_the_disk_running) {
    for (const disk_start* start : disk_starts) {
        host_under_test h{*start};
        fail(h, scsi_op::synchronize_cache_10);
        h.run([&] {
            h.add_host();
            EXPECT_EQ(sd_suspend(h.add_disk()), errno_t::eio) << start->name;
            EXPECT_EQ(h.ops(), std::vector(3, scsi_op::synchronize_cache_10));
            EXPECT_EQ(h.count(trace_event::sd_result), 1u);
        });
    }
}

TEST(Sd, a_failed_stop_counts_up_to_3_11_only) {
    for (const disk_start* start : disk_starts) {
        host_under_test h{*start};
        fail(h, scsi_op::start_stop_unit);
        h.run([&] {
            h.add_host();
            EXPECT_EQ(sd_suspend(h.add_disk()),
                      start->stop_errors_abort ? errno_t::eio : errno_t::ok);
            EXPECT_EQ(h.count(trace_event::sd_start_failed), 1u);
        });
    }
}

TEST(Sd, a_disk_that_is_gone_counts_up_to_3_11_only) {
    for (const disk_start* start : disk_starts) {
        host_under_test h{*start};
        h.run([&] {
            h.add_host();
            scsi_device& sdev = h.add_disk();
            ASSERT_EQ(scsi_device_set_state(sdev, scsi_device_state::offline), errno_t::ok);
            EXPECT_EQ(sd_suspend(sdev), start->stop_errors_abort ? errno_t::enodev : errno_t::ok);
            EXPECT_EQ(sd_resume(sdev), errno_t::enodev);
            EXPECT_TRUE(h.issued.empty());
        });
    }
}

TEST(Sd, a_disk_that_goes_while_it_is_flushed_counts_up_to_3_11_only) {
    for (const host_byte gone : {host_byte::did_no_connect, host_byte::did_bad_target})
        for (const disk_start* start : disk_starts) {
            host_under_test h{*start};
            h.on_command = [&h, gone](scsi_cmnd& cmd) {
                cmd.result.host = gone;
                h.complete(cmd);
                return scsi_mlqueue::accepted;
            };
            h.run([&] {
                h.add_host();
                EXPECT_EQ(sd_suspend(h.add_disk()),
                          start->stop_errors_abort ? errno_t::eio : errno_t::ok);
            });
        }
}

TEST(Sd, failures_are_followed_by_the_result_as_3_11_prints_it) {
    host_under_test h;
    fail(h, scsi_op::start_stop_unit);
    h.run([&] {
        h.add_host();
        EXPECT_EQ(sd_resume(h.add_disk()), errno_t::eio);
        h.log.drain();
        std::vector<std::string> log;
        for (const auto& r : h.records.records())
            if (row_of(static_cast<trace_event>(r.event)).level == severity::log)
                log.push_back(format_event(r, h.log));
        ASSERT_GE(log.size(), 2u);
        EXPECT_EQ(log[log.size() - 2], "sd 0:0:0:0: [sda] START_STOP FAILED");
        EXPECT_EQ(log.back(), "sd 0:0:0:0: [sda]  Result: hostbyte=DID_OK driverbyte=DRIVER_SENSE");
    });
}

TEST(Sd, failures_are_one_line_in_later_kernels) {
    for (const scsi_op op : {scsi_op::start_stop_unit, scsi_op::synchronize_cache_10}) {
        host_under_test h{disk_start_sync, {}, log_wording::linux_6_1};
        fail(h, op);
        h.run([&] {
            h.add_host();
            EXPECT_EQ(sd_suspend(h.add_disk()), errno_t::eio);
        });
        h.log.drain();
        std::string line;
        for (const auto& r : h.records.records())
            if (r.event == static_cast<u16>(trace_event::sd_result))
                append_event(line, r, h.log,
                             format_of(trace_event::sd_result, log_wording::linux_6_1));
        EXPECT_EQ(line, std::string{"sd 0:0:0:0: [sda] "} +
                            (op == scsi_op::start_stop_unit ? "Start/Stop Unit"
                                                            : "Synchronize Cache(10)") +
                            " failed: Result: hostbyte=DID_OK driverbyte=DRIVER_OK");
        EXPECT_EQ(h.count(trace_event::sd_start_failed), 0u);
    }
}

TEST(Sd, a_failed_start_is_reported) {
    host_under_test h;
    fail(h, scsi_op::start_stop_unit);
    h.run([&] {
        h.add_host();
        EXPECT_EQ(sd_resume(h.add_disk()), errno_t::eio);
        EXPECT_EQ(h.count(trace_event::sd_start_failed), 1u);
        EXPECT_EQ(h.issued.size(), 1u); // sense data is sd's to judge, and it does not retry
    });
}

TEST(Sd, a_start_that_times_out_is_tried_five_times_more) {
    host_under_test h;
    h.on_command = [](scsi_cmnd&) { return scsi_mlqueue::accepted; };
    h.run([&] {
        h.add_host();
        EXPECT_EQ(sd_resume(h.add_disk()), errno_t::eio);
        EXPECT_EQ(h.issued.size(), 6u);
        EXPECT_EQ(h.k.now(), time_point{180s});
    });
}

TEST(Sd, names_disks_in_order) {
    EXPECT_EQ(sd_format_disk_name(0), "sda");
    EXPECT_EQ(sd_format_disk_name(25), "sdz");
    EXPECT_EQ(sd_format_disk_name(26), "sdaa");
    EXPECT_EQ(sd_format_disk_name(26 + 26 * 26 - 1), "sdzz");
    EXPECT_EQ(sd_format_disk_name(26 + 26 * 26), "sdaaa");
}

TEST(Sd, a_port_is_eight_devices_to_the_pm_core) {
    host_under_test h;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        std::vector<std::string> names;
        const auto visit = [&names](const auto& self, const device& dev) -> void {
            for (const device* child : dev.children) {
                names.push_back(child->name + (child->async_suspend ? "" : " (sync)"));
                self(self, *child);
            }
        };
        visit(visit, h.port);
        EXPECT_EQ(names, (std::vector<std::string>{"host0", "scsi_host/host0 (sync)", "target0:0:0",
                                                   "0:0:0:0", "scsi_device/0:0:0:0 (sync)",
                                                   "bsg/0:0:0:0 (sync)", "scsi_disk/0:0:0:0 (sync)",
                                                   "block/sda (sync)"}));
        EXPECT_EQ(sdev.sdev_gendev.parent, &sdev.target_gendev);
    });
}

} // namespace
} // namespace spinup::drivers
