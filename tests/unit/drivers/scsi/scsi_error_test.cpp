// Error handling: when the EH thread runs, what it may do with commands, and time-outs.
#include "host_under_test.hpp"

namespace spinup::drivers {
namespace {

scsi_mlqueue no_answer(scsi_cmnd&) { return scsi_mlqueue::accepted; }

TEST(ScsiEh, runs_when_asked_for_and_nothing_is_in_flight) {
    host_under_test h;
    h.run([&] {
        h.add_host();
        scsi_schedule_eh(*h.shost);
        EXPECT_EQ(h.shost->shost_state, scsi_host_state::recovery);
        h.k.usleep_range(1ms);
        EXPECT_EQ(h.eh_runs, 1u);
        EXPECT_EQ(h.shost->shost_state, scsi_host_state::running);
    });
}

TEST(ScsiEh, waits_until_all_that_is_busy_has_failed_or_completed) {
    host_under_test h;
    h.on_command = no_answer;
    time_point began{};
    h.on_eh = [&] {
        began = h.k.now();
        EXPECT_EQ(h.shost->host_busy, 1u);
        EXPECT_EQ(h.shost->host_failed, 1u);
        h.on_command = [&](scsi_cmnd& cmd) {
            h.complete(cmd);
            return scsi_mlqueue::accepted;
        };
        h.finish_eh();
    };
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        io_log io;
        h.read(sdev, io, 0);
        h.read(sdev, io, 1);
        blk_abort_request(*h.issued[0].cmd);
        h.k.usleep_range(2s);
        EXPECT_EQ(h.eh_runs, 0u);
        EXPECT_TRUE(scsi_host_in_recovery(*h.shost));
        scsi_done(*h.issued[1].cmd); // a good end; the way is free
        h.k.usleep_range(1s);
        EXPECT_EQ(h.eh_runs, 1u);
        EXPECT_EQ(began, time_point{2s});
        EXPECT_EQ(io.done, 2u);
        EXPECT_EQ(io.failed, 0u);
    });
}

TEST(ScsiEh, gets_a_command_that_has_timed_out_and_may_retry_it) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        if (h.issued.size() > 1)
            h.complete(cmd);
        return scsi_mlqueue::accepted;
    };
    h.on_eh = [&] {
        EXPECT_EQ(h.k.now(), time_point{30s}); // SD_TIMEOUT
        EXPECT_EQ(h.shost->eh_cmd_q.front().result.host, host_byte::did_time_out);
        h.finish_eh();
    };
    h.run([&] {
        h.add_host();
        io_log io;
        h.read(h.add_disk(), io);
        h.k.usleep_range(31s);
        EXPECT_EQ(h.eh_runs, 1u);
        EXPECT_EQ(h.issued.size(), 2u);
        EXPECT_EQ(io.done, 1u);
        EXPECT_EQ(io.failed, 0u);
    });
}

TEST(ScsiEh, gives_a_command_up_that_times_out_again_and_again) {
    host_under_test h;
    h.on_command = no_answer;
    h.run([&] {
        h.add_host();
        io_log io;
        h.read(h.add_disk(), io);
        h.k.usleep_range(400s);
        EXPECT_EQ(h.issued.size(), 1u + SD_MAX_RETRIES);
        EXPECT_EQ(io.done, 1u);
        EXPECT_EQ(io.failed, 1u);
        EXPECT_EQ(io.last, time_point{180s});
        EXPECT_EQ(h.shost->host_busy, 0u);
        EXPECT_EQ(h.shost->host_failed, 0u);
    });
}

TEST(ScsiEh, an_error_handler_may_grant_free_retries) {
    host_under_test h;
    h.on_command = no_answer;
    h.on_eh = [&] {
        ++h.shost->eh_cmd_q.front().allowed;
        if (h.eh_runs == 9)
            h.on_command = [&](scsi_cmnd& cmd) {
                h.complete(cmd);
                return scsi_mlqueue::accepted;
            };
        h.finish_eh();
    };
    h.run([&] {
        h.add_host();
        io_log io;
        h.read(h.add_disk(), io);
        h.k.usleep_range(300s);
        EXPECT_EQ(h.eh_runs, 9u);
        EXPECT_EQ(io.done, 1u);
        EXPECT_EQ(io.failed, 0u);
    });
}

TEST(ScsiEh, a_completion_after_the_time_out_is_ignored) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        if (h.issued.size() > 1)
            h.complete(cmd);
        return scsi_mlqueue::accepted;
    };
    h.on_eh = [&] {
        scsi_done(*h.issued[0].cmd);
        h.finish_eh();
    };
    h.run([&] {
        h.add_host();
        io_log io;
        h.read(h.add_disk(), io);
        h.k.usleep_range(60s);
        EXPECT_EQ(h.issued.size(), 2u);
        EXPECT_EQ(io.done, 1u);
    });
}

TEST(ScsiEh, aborting_a_completed_command_does_nothing) {
    host_under_test h;
    h.on_command = no_answer;
    h.run([&] {
        h.add_host();
        io_log io;
        h.read(h.add_disk(), io);
        scsi_done(*h.issued[0].cmd);
        blk_abort_request(*h.issued[0].cmd);
        h.k.usleep_range(1s);
        EXPECT_EQ(h.eh_runs, 0u);
        EXPECT_EQ(io.done, 1u);
    });
}

TEST(ScsiEh, a_failed_answer_of_the_host_byte_goes_to_eh) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        if (h.issued.size() == 1)
            cmd.result.host = host_byte::did_time_out;
        h.complete(cmd);
        return scsi_mlqueue::accepted;
    };
    h.run([&] {
        h.add_host();
        io_log io;
        h.read(h.add_disk(), io);
        h.k.usleep_range(1s);
        EXPECT_EQ(h.eh_runs, 1u);
        EXPECT_EQ(io.done, 1u);
        EXPECT_EQ(io.failed, 0u);
    });
}

TEST(ScsiEh, asked_for_again_runs_again_after_held_commands_had_their_chance) {
    host_under_test h;
    io_log io;
    h.on_eh = [&] {
        if (h.eh_runs == 1) {
            h.end_eh();
            scsi_schedule_eh(*h.shost); // by somebody else, before the first run is over
            return;
        }
        EXPECT_EQ(io.done, 1u);
        h.finish_eh();
    };
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        scsi_schedule_eh(*h.shost);
        h.read(sdev, io);
        h.k.usleep_range(1s);
        EXPECT_EQ(h.eh_runs, 2u);
        EXPECT_EQ(h.shost->shost_state, scsi_host_state::running);
    });
}

TEST(ScsiEh, gives_commands_of_an_offline_device_up_at_once) {
    host_under_test h;
    h.on_command = no_answer;
    io_log io;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        h.on_eh = [&] {
            EXPECT_EQ(scsi_device_set_state(sdev, scsi_device_state::offline), errno_t::ok);
            h.finish_eh();
        };
        h.read(sdev, io);
        h.k.usleep_range(31s);
        EXPECT_EQ(h.issued.size(), 1u);
        EXPECT_EQ(io.failed, 1u);
    });
    h.log.drain();
    for (const auto& r : h.records.records())
        if (r.event == static_cast<u16>(trace_event::scsi_done)) {
            EXPECT_EQ(r.args[2], 0x03'0000u); // DID_TIME_OUT, not DID_NO_CONNECT of a second try
        }
}

TEST(ScsiEh, who_asks_for_the_end_of_recovery_waits_for_it) {
    host_under_test h;
    h.on_eh = [&] {
        h.k.usleep_range(3s);
        h.finish_eh();
    };
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        scsi_schedule_eh(*h.shost);
        EXPECT_TRUE(scsi_block_when_processing_errors(sdev));
        EXPECT_EQ(h.k.now(), time_point{3s});
    });
}

TEST(ScsiHost, goes_only_along_the_edges_of_its_table) {
    host_under_test h;
    h.run([&] {
        h.add_host();
        kernel::spin_guard locked(*h.shost->host_lock);
        auto& host = *h.shost;
        EXPECT_EQ(scsi_host_set_state(host, scsi_host_state::running), errno_t::ok); // stays
        EXPECT_EQ(scsi_host_set_state(host, scsi_host_state::del), errno_t::einval);
        EXPECT_EQ(scsi_host_set_state(host, scsi_host_state::created), errno_t::einval);
        EXPECT_EQ(scsi_host_set_state(host, scsi_host_state::del_recovery), errno_t::einval);
        EXPECT_EQ(host.shost_state, scsi_host_state::running);
    });
}

TEST(ScsiHost, is_removed_with_its_devices_and_takes_no_request_for_eh_any_more) {
    host_under_test h;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        scsi_remove_host(*h.shost);
        EXPECT_EQ(h.shost->shost_state, scsi_host_state::del);
        EXPECT_EQ(sdev.sdev_state, scsi_device_state::del);
        scsi_schedule_eh(*h.shost);
        h.k.usleep_range(1s);
        EXPECT_EQ(h.eh_runs, 0u);
        // The disk was left flushed and at rest.
        EXPECT_EQ(h.ops(), (std::vector{spec::scsi_op::synchronize_cache_10,
                                        spec::scsi_op::start_stop_unit}));
        h.shost.reset();
    });
}

TEST(ScsiHost, is_removed_only_when_no_device_resumes_in_the_background) {
    host_under_test h;
    h.run([&] {
        h.add_host();
        h.add_disk();
        h.core.scsi_sd_pm_domain.schedule([&] { h.k.usleep_range(6s); });
        scsi_remove_host(*h.shost);
        EXPECT_GE(h.k.now(), time_point{6s});
    });
}

TEST(ScsiHost, is_removed_in_the_middle_of_recovery) {
    host_under_test h;
    h.on_eh = [&] {
        h.k.usleep_range(2s);
        h.finish_eh();
    };
    h.run([&] {
        h.add_host();
        h.add_disk();
        scsi_schedule_eh(*h.shost);
        h.k.usleep_range(1s);
        scsi_remove_host(*h.shost);
        EXPECT_EQ(h.shost->shost_state, scsi_host_state::del);
        EXPECT_EQ(h.k.now(), time_point{2s + 2ms}); // two commands of the shutdown
    });
}

} // namespace
} // namespace spinup::drivers
