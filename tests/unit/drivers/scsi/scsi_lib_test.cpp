// The queue: order, depth, holding, retries by answer, and the pool of commands.
#include "host_under_test.hpp"

namespace spinup::drivers {
namespace {

using spec::asc_pair;
using spec::sense_key;

scsi_mlqueue answer(scsi_cmnd& cmd, sense_key key, asc_pair pair) {
    cmd.set_sense(key, pair);
    scsi_done(cmd);
    return scsi_mlqueue::accepted;
}

TEST(ScsiQueue, issues_in_order_and_no_more_than_its_depth) {
    host_under_test h;
    h.queue_depth = 2;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        io_log io;
        for (u64 lba = 0; lba < 5; ++lba)
            h.read(sdev, io, lba);
        EXPECT_EQ(h.issued.size(), 2u);
        EXPECT_EQ(sdev.device_busy, 2u);
        h.k.usleep_range(10ms);
        ASSERT_EQ(h.issued.size(), 5u);
        for (u64 lba = 0; lba < 5; ++lba)
            EXPECT_EQ(h.issued[lba].cdb.lba(), lba);
        EXPECT_EQ(io.done, 5u);
        EXPECT_EQ(io.failed, 0u);
        EXPECT_EQ(io.last, time_point{3ms}); // three rounds of 1 ms
        EXPECT_EQ(h.shost->host_busy, 0u);
    });
}

TEST(ScsiQueue, picks_the_long_form_where_the_short_one_is_too_small) {
    host_under_test h;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        io_log io;
        h.read(sdev, io, 0xffff'ffff);
        h.read(sdev, io, 0x1'0000'0000);
        submit_write(sdev, 7, 0x1'0000, {}, io_log::end, &io);
        h.k.usleep_range(10ms);
    });
    EXPECT_EQ(h.ops(), (std::vector{spec::scsi_op::read_10, spec::scsi_op::read_16,
                                    spec::scsi_op::write_16}));
}

TEST(ScsiQueue, is_held_while_the_host_recovers_and_issued_in_order_afterwards) {
    host_under_test h;
    h.on_eh = [&] {
        h.k.usleep_range(5s);
        h.finish_eh();
    };
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        io_log io;
        scsi_schedule_eh(*h.shost);
        for (u64 lba = 0; lba < 3; ++lba)
            h.read(sdev, io, lba);
        h.k.usleep_range(4s);
        EXPECT_TRUE(h.issued.empty());
        EXPECT_EQ(h.count(trace_event::scsi_hold), 3u);
        h.k.usleep_range(2s);
        ASSERT_EQ(h.issued.size(), 3u);
        for (u64 lba = 0; lba < 3; ++lba) {
            EXPECT_EQ(h.issued[lba].cdb.lba(), lba);
            EXPECT_EQ(h.issued[lba].at, time_point{5s});
        }
        EXPECT_EQ(io.done, 3u);
        EXPECT_EQ(io.failed, 0u);
    });
}

TEST(ScsiQueue, asks_a_busy_device_again_after_two_rests_of_3_ms) {
    host_under_test h;
    u32 refusals = 1;
    h.on_command = [&](scsi_cmnd& cmd) {
        if (refusals-- != 0)
            return scsi_mlqueue::device_busy;
        h.complete(cmd);
        return scsi_mlqueue::accepted;
    };
    h.run([&] {
        h.add_host();
        io_log io;
        h.read(h.add_disk(), io);
        h.k.usleep_range(20ms);
        ASSERT_EQ(h.issued.size(), 2u);
        EXPECT_EQ(h.issued[1].at - h.issued[0].at, 6ms);
        EXPECT_EQ(io.done, 1u);
    });
}

TEST(ScsiQueue, asks_a_busy_host_again_after_3_ms) {
    host_under_test h;
    u32 refusals = 2;
    h.on_command = [&](scsi_cmnd& cmd) {
        if (refusals != 0) {
            --refusals;
            return scsi_mlqueue::host_busy;
        }
        h.complete(cmd);
        return scsi_mlqueue::accepted;
    };
    h.run([&] {
        h.add_host();
        io_log io;
        h.read(h.add_disk(), io);
        h.k.usleep_range(20ms);
        ASSERT_EQ(h.issued.size(), 3u);
        EXPECT_EQ(h.issued[2].at - h.issued[0].at, 6ms);
        EXPECT_EQ(io.done, 1u);
    });
}

TEST(ScsiQueue, asks_a_busy_device_again_when_another_command_completes) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        if (h.issued.size() == 2)
            return scsi_mlqueue::device_busy;
        h.complete(cmd, 1ms);
        return scsi_mlqueue::accepted;
    };
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        io_log io;
        h.read(sdev, io, 0);
        h.read(sdev, io, 1);
        h.k.usleep_range(20ms);
        ASSERT_EQ(h.issued.size(), 3u);
        EXPECT_EQ(h.issued[2].at, time_point{1ms});
        EXPECT_EQ(io.done, 2u);
    });
}

TEST(ScsiQueue, puts_a_command_back_on_task_set_full) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        if (h.issued.size() <= 3)
            cmd.result.status = spec::scsi_status::task_set_full;
        scsi_done(cmd);
        return scsi_mlqueue::accepted;
    };
    h.run([&] {
        h.add_host();
        io_log io;
        h.read(h.add_disk(), io);
        h.k.usleep_range(100ms);
        EXPECT_EQ(h.issued.size(), 4u);
        EXPECT_EQ(io.done, 1u);
        EXPECT_EQ(io.failed, 0u);
        EXPECT_EQ(io.last, time_point{18ms}); // three times two rests
    });
}

TEST(ScsiQueue, gives_a_full_task_set_up_after_all_tries_worth_of_time) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        cmd.result.status = spec::scsi_status::task_set_full;
        scsi_done(cmd);
        return scsi_mlqueue::accepted;
    };
    h.run([&] {
        h.add_host();
        io_log io;
        h.read(h.add_disk(), io);
        h.k.usleep_range(200s);
        EXPECT_EQ(io.done, 1u);
        EXPECT_EQ(io.failed, 1u);
        EXPECT_GT(io.last, time_point{180s}); // (5 retries + 1) * 30 s
        EXPECT_LT(io.last, time_point{181s});
    });
}

TEST(ScsiQueue, tries_a_read_again_while_the_device_becomes_ready) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        if (h.k.now() < time_point{2s})
            return answer(cmd, sense_key::not_ready, asc_pair::becoming_ready);
        h.complete(cmd);
        return scsi_mlqueue::accepted;
    };
    h.run([&] {
        h.add_host();
        io_log io;
        h.read(h.add_disk(), io);
        h.k.usleep_range(3s);
        EXPECT_EQ(io.done, 1u);
        EXPECT_EQ(io.failed, 0u);
        EXPECT_GE(io.last, time_point{2s});
        EXPECT_LE(io.last, time_point{2s + 7ms});
    });
}

TEST(ScsiQueue, tries_a_read_of_a_disk_again_after_unit_attention) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        if (h.issued.size() == 1)
            return answer(cmd, sense_key::unit_attention, asc_pair::power_on_or_reset);
        h.complete(cmd);
        return scsi_mlqueue::accepted;
    };
    h.run([&] {
        h.add_host();
        io_log io;
        h.read(h.add_disk(), io);
        h.k.usleep_range(10ms);
        EXPECT_EQ(h.issued.size(), 2u);
        EXPECT_EQ(io.done, 1u);
        EXPECT_EQ(io.failed, 0u);
    });
}

TEST(ScsiQueue, does_not_try_an_unreadable_sector_again) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        return answer(cmd, sense_key::medium_error, asc_pair::unrecovered_read_error);
    };
    h.run([&] {
        h.add_host();
        io_log io;
        h.read(h.add_disk(), io);
        h.k.usleep_range(1s);
        EXPECT_EQ(h.issued.size(), 1u);
        EXPECT_EQ(io.done, 1u);
        EXPECT_EQ(io.failed, 1u);
    });
}

TEST(ScsiQueue, tries_transport_errors_again_as_often_as_allowed) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        cmd.result.host = host_byte::did_error;
        scsi_done(cmd);
        return scsi_mlqueue::accepted;
    };
    h.run([&] {
        h.add_host();
        io_log io;
        h.read(h.add_disk(), io);
        h.k.usleep_range(1s);
        EXPECT_EQ(h.issued.size(), 1u + SD_MAX_RETRIES);
        EXPECT_EQ(io.failed, 1u);
    });
}

TEST(ScsiQueue, leaves_sense_data_of_an_executed_command_to_its_submitter) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        return answer(cmd, sense_key::not_ready, asc_pair::becoming_ready);
    };
    h.run([&] {
        h.add_host();
        spec::fixed_sense sense;
        const auto rc = scsi_execute(h.add_disk(), spec::make_test_unit_ready(), 1s, 3, &sense);
        EXPECT_EQ(rc.packed(), 0x02u);
        EXPECT_EQ(sense.key(), sense_key::not_ready);
        EXPECT_EQ(sense.pair(), asc_pair::becoming_ready);
        EXPECT_EQ(h.issued.size(), 1u);
    });
}

TEST(ScsiQueue, takes_a_recovered_error_for_success) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        return answer(cmd, sense_key::recovered_error, asc_pair::no_additional_sense);
    };
    h.run([&] {
        h.add_host();
        EXPECT_TRUE(scsi_execute(h.add_disk(), spec::make_test_unit_ready(), 1s, 0).good());
    });
}

TEST(ScsiQueue, lets_only_pm_requests_pass_while_quiesced) {
    host_under_test h;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        io_log io;
        ASSERT_EQ(scsi_device_quiesce(sdev), errno_t::ok);
        h.read(sdev, io);
        EXPECT_TRUE(scsi_execute(sdev, spec::make_test_unit_ready(), 1s, 0).good());
        h.k.usleep_range(10s);
        EXPECT_EQ(h.ops(), std::vector{spec::scsi_op::test_unit_ready});
        EXPECT_EQ(h.count(trace_event::scsi_hold), 1u);
        scsi_device_resume(sdev);
        EXPECT_EQ(h.issued.size(), 2u);
        h.k.usleep_range(10ms);
        EXPECT_EQ(io.done, 1u);
    });
}

TEST(ScsiQueue, quiesce_waits_for_what_is_issued) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        h.complete(cmd, 450ms);
        return scsi_mlqueue::accepted;
    };
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        io_log io;
        h.read(sdev, io);
        ASSERT_EQ(scsi_device_quiesce(sdev), errno_t::ok);
        EXPECT_EQ(io.done, 1u);
        EXPECT_EQ(h.k.now(), time_point{612ms}); // it looks every 200 ms, in jiffies 204
    });
}

TEST(ScsiQueue, pm_requests_too_are_held_while_the_host_recovers) {
    host_under_test h;
    h.on_eh = [&] {
        h.k.usleep_range(7s);
        h.finish_eh();
    };
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        scsi_schedule_eh(*h.shost);
        EXPECT_TRUE(scsi_execute(sdev, spec::make_test_unit_ready(), 30s, 0).good());
        EXPECT_EQ(h.k.now(), time_point{7s + 1ms});
    });
}

TEST(ScsiQueue, fails_the_commands_of_an_offline_device) {
    host_under_test h;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        io_log io;
        ASSERT_EQ(scsi_device_set_state(sdev, scsi_device_state::offline), errno_t::ok);
        h.read(sdev, io);
        EXPECT_EQ(io.done, 0u); // never from within the submission
        h.k.usleep_range(1ms);
        EXPECT_EQ(io.failed, 1u);
        EXPECT_TRUE(h.issued.empty());
        EXPECT_EQ(h.shost->host_busy, 0u);
    });
}

TEST(ScsiQueue, removal_of_a_device_fails_what_it_holds) {
    host_under_test h;
    io_log io;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        ASSERT_EQ(scsi_device_quiesce(sdev), errno_t::ok);
        for (u64 lba = 0; lba < 3; ++lba)
            h.read(sdev, io, lba);
        ASSERT_EQ(scsi_device_set_state(sdev, scsi_device_state::offline), errno_t::ok);
        scsi_remove_device(sdev);
        EXPECT_EQ(io.done, 3u);
        scsi_remove_device(sdev); // once more is no harm
        EXPECT_EQ(sdev.sdev_state, scsi_device_state::del);
    });
}

TEST(ScsiQueue, removal_fails_what_it_holds_even_if_the_driver_has_nothing_to_send) {
    host_under_test h;
    h.write_cache = false;
    io_log io;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        sdev.manage_runtime_start_stop = false;
        ASSERT_EQ(scsi_device_quiesce(sdev), errno_t::ok);
        h.read(sdev, io);
        scsi_remove_device(sdev);
        EXPECT_EQ(io.failed, 1u);
        EXPECT_TRUE(h.issued.empty());
    });
}

TEST(ScsiQueue, leaves_no_timer_behind) {
    host_under_test h;
    h.run([&] {
        h.add_host();
        io_log io;
        h.read(h.add_disk(), io);
        EXPECT_TRUE(h.issued[0].cmd->timeout_timer.pending());
        h.k.usleep_range(10ms);
        EXPECT_EQ(io.done, 1u);
        EXPECT_TRUE(h.line.empty());
    });
}

TEST(ScsiQueue, a_full_host_serves_all_its_devices) {
    host_under_test h;
    h.sht.can_queue = 1;
    h.run([&] {
        h.add_host();
        scsi_device& a = h.add_disk(0);
        scsi_device& b = h.add_disk(1);
        io_log io;
        for (u64 lba = 0; lba < 3; ++lba) {
            h.read(a, io, lba);
            h.read(b, io, lba);
        }
        h.k.usleep_range(7ms);
        EXPECT_EQ(io.done, 6u);
    });
}

TEST(ScsiQueue, allocates_no_command_in_steady_state) {
    host_under_test h;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        io_log io;
        for (u32 round = 0; round < 100; ++round) {
            for (u64 lba = 0; lba < 4; ++lba)
                h.read(sdev, io, lba);
            h.k.usleep_range(2ms);
        }
        EXPECT_EQ(io.done, 400u);
        EXPECT_EQ(sdev.queue.pool.size(), 4u);
    });
}

TEST(ScsiQueueDeath, a_second_completion_of_one_issue_is_caught) {
    const auto complete_twice = [] {
        host_under_test h;
        h.on_command = [](scsi_cmnd& cmd) {
            scsi_done(cmd);
            scsi_done(cmd);
            return scsi_mlqueue::accepted;
        };
        h.run([&] {
            h.add_host();
            io_log io;
            h.read(h.add_disk(), io);
        });
    };
    EXPECT_DEATH(complete_twice(), "== cmnd_state::issued");
}

TEST(ScsiQueueDeath, refusing_a_completed_command_is_caught) {
    const auto both = [] {
        host_under_test h;
        h.on_command = [](scsi_cmnd& cmd) {
            scsi_done(cmd);
            return scsi_mlqueue::device_busy;
        };
        h.run([&] {
            h.add_host();
            io_log io;
            h.read(h.add_disk(), io);
        });
    };
    EXPECT_DEATH(both(), "== cmnd_state::issued");
}

} // namespace
} // namespace spinup::drivers
