// Suspend and resume of the whole stack.
#include "machine_under_test.hpp"

namespace spinup::drivers {
namespace {

setup three_drives(const pm_design& design, const disk_start& start) {
    return {.drives = {disk(200ms, "A"), disk(3s, "B"), disk(7s, "C")},
            .ports = 3,
            .design = &design,
            .start = &start};
}

duration resume_time(machine_under_test& m) {
    return m.power.last_cycle().last_return - m.power.last_cycle().first_noirq;
}

duration measure(const pm_design& design, const disk_start& start) {
    machine_under_test m{three_drives(design, start)};
    m.probe();
    m.run([&] {
        m.suspend();
        m.k.usleep_range(20s);
        m.settle();
    });
    for (u32 id = 1; id <= 3; ++id)
        EXPECT_EQ(m.count(trace_event::port_ready, id), 2u) << "ata" << id;
    return resume_time(m);
}

TEST(Resume, blocking_design_waits_for_the_slowest_disk) {
    const auto took = measure(pm_design_sync_3_11, disk_start_sync);
    EXPECT_GT(took, 7s);
    EXPECT_LT(took, 7400ms);
}

TEST(Resume, nothing_is_gained_with_only_one_half_non_blocking) {
    EXPECT_GT(measure(pm_design_async_3_15, disk_start_sync), 7s);
    EXPECT_GT(measure(pm_design_sync_3_11, disk_start_async), 7s);
}

TEST(Resume, non_blocking_design_returns_at_once) {
    EXPECT_LT(measure(pm_design_async_3_15, disk_start_async), 50ms);
}

TEST(Resume, port_is_suspended_in_between_and_itself_afterwards) {
    machine_under_test m{three_drives(pm_design_sync_3_11, disk_start_sync)};
    m.probe();
    m.run([&] { m.suspend(); });
    for (u32 n = 0; n < 3; ++n) {
        EXPECT_EQ(m.port(n).pflags, ata_pflags::none) << to_string(m.port(n).pflags);
        EXPECT_EQ(m.port(n).link.dev.cls, ata_class::ata);
    }
    EXPECT_EQ(m.count(trace_event::pm_request), 6u);
    const auto done = m.all(trace_event::pm_done);
    ASSERT_EQ(done.size(), 6u);
    for (const auto& each : done)
        EXPECT_EQ(each.args[1], 0u);
    // PM resets are quiet: no "EH complete".
    EXPECT_EQ(m.count(trace_event::ata_eh_complete), 0u);
}

struct floor_case {
    bool pmp;
    u32 drives;
    duration low;
    duration high;
};

class Floor : public testing::TestWithParam<floor_case> {};

TEST_P(Floor, ready_drive_and_empty_port_cost_the_waits_alone) {
    const auto& p = GetParam();
    setup s{.drives = {}, .pmp = p.pmp};
    if (p.drives != 0)
        s.drives = {disk(0ms)};
    machine_under_test m{s};
    m.probe();
    m.run([&] { m.suspend(); });
    const auto took = m.since_wake(trace_event::eh_end, 1);
    EXPECT_GE(took, p.low);
    EXPECT_LE(took, p.high);
}

INSTANTIATE_TEST_SUITE_P(All, Floor,
                         testing::Values(floor_case{false, 1, 310ms, 350ms},
                                         floor_case{false, 0, 310ms, 350ms},
                                         floor_case{true, 1, 460ms, 500ms},
                                         floor_case{true, 0, 310ms, 350ms}));

TEST(Resume, io_is_held_while_the_disk_spins_up_and_then_completes_once) {
    machine_under_test m{three_drives(pm_design_async_3_15, disk_start_async)};
    m.probe();
    const auto out = m.k.dma_alloc_coherent(512, 512);
    const auto in = m.k.dma_alloc_coherent(512, 512);
    out.cpu[7] = std::byte{0x5A};
    io_log log;
    m.run([&] {
        m.suspend();
        submit_write(m.sdev(2), 4711, 1, out, io_log::end, &log);
        submit_read(m.sdev(2), 4711, 1, in, io_log::end, &log);
        m.k.usleep_range(6s);
        EXPECT_EQ(log.done, 0u);
        m.k.usleep_range(14s);
    });
    EXPECT_EQ(log.done, 2u);
    EXPECT_EQ(log.failed, 0u);
    EXPECT_EQ(in.cpu[7], std::byte{0x5A});
}

TEST(Resume, optical_drive_is_asked_for_its_unit_attention) {
    setup s = three_drives(pm_design_sync_3_11, disk_start_sync);
    s.drives[1] = {};
    s.drives[1].kind = hw::drive_kind::odd;
    s.drives[1].model = "TEST DVD";
    s.drives[1].ready = 500ms;
    machine_under_test m{s};
    m.probe();
    const u32 commands = m.hba.counters(1).commands;
    m.run([&] { m.suspend(); });
    EXPECT_EQ(m.count(trace_event::port_ready, 2), 2u);
    EXPECT_LT(m.since_wake(trace_event::port_ready, 2), 900ms);
    EXPECT_EQ(m.port(1).link.dev.cls, ata_class::atapi);
    // IDENTIFY, SET FEATURES, IDENTIFY, and at least TEST UNIT READY and REQUEST SENSE.
    EXPECT_GE(m.hba.counters(1).commands - commands, 5u);
}

TEST(Resume, drive_that_does_not_come_back_is_disabled_and_the_others_work) {
    setup s = three_drives(pm_design_async_3_15, disk_start_async);
    s.drives[1].ready = hw::never;
    machine_under_test m{s};
    m.probe();
    io_log log;
    m.run([&] {
        m.suspend();
        submit_read(m.sdev(1), 0, 1, m.k.dma_alloc_coherent(512, 512), io_log::end, &log);
        submit_read(m.sdev(2), 0, 1, m.k.dma_alloc_coherent(512, 512), io_log::end, &log);
        m.k.usleep_range(59s);
        EXPECT_EQ(log.done, 1u);
        EXPECT_EQ(log.failed, 0u);
        m.k.usleep_range(30s);
        m.settle();
    });
    EXPECT_EQ(log.done, 2u);
    EXPECT_EQ(log.failed, 1u);
    EXPECT_EQ(m.count(trace_event::ata_dev_disabled, 2), 1u);
    EXPECT_EQ(m.port(1).link.dev.cls, ata_class::ata_unsup);
    EXPECT_EQ(m.port(2).link.dev.cls, ata_class::ata);
}

// libata answers for such a disk with DID_BAD_TARGET. Linux: sd_sync_cache() of 3.11 and of 3.13.
TEST(Resume, disk_that_was_given_up_keeps_the_system_awake_up_to_3_11_only) {
    for (const disk_start* start : disk_starts) {
        setup s = three_drives(pm_design_async_3_15, *start);
        s.drives[1].ready = hw::never;
        machine_under_test m{s};
        m.probe();
        m.run([&] {
            m.sleep_and_give_up();
            EXPECT_EQ(m.try_suspend(), start->stop_errors_abort ? errno_t::eio : errno_t::ok)
                << start->name;
        });
        const auto results = m.lines(trace_event::sd_result);
        ASSERT_EQ(results.empty(), start->flushes_what_was_written) << start->name;
        if (!results.empty()) {
            EXPECT_EQ(results.back(),
                      "sd 1:0:0:0: [sdb]  Result: hostbyte=DID_BAD_TARGET driverbyte=DRIVER_OK");
        }
    }
}

TEST(BackToBack, second_suspend_waits_for_the_rest_of_the_spin_up) {
    machine_under_test m{three_drives(pm_design_async_3_15, disk_start_async)};
    m.probe();
    // Without sd, as in the reference run: nothing but the ports stands in the way.
    m.run([&] {
        for (u32 n = 0; n < 3; ++n) {
            auto* const sdev = m.port(n).link.dev.sdev;
            sdev->driver = nullptr;
        }
        m.suspend();
        const auto begin = m.k.now();
        m.suspend();
        EXPECT_GT(m.slept_until - begin, 7s);
        m.k.usleep_range(20s);
        m.settle();
    });
    EXPECT_EQ(m.count(trace_event::pm_done), 12u);
    for (u32 id = 1; id <= 3; ++id) {
        EXPECT_EQ(m.count(trace_event::port_ready, id), 3u) << "ata" << id;
        EXPECT_EQ(m.port(id - 1).pflags, ata_pflags::none);
    }
}

TEST(BackToBack, with_sd_the_flush_waits_first) {
    machine_under_test m{three_drives(pm_design_async_3_15, disk_start_async)};
    m.probe();
    m.run([&] {
        m.suspend();
        m.suspend();
        m.k.usleep_range(20s);
        m.settle();
    });
    for (u32 id = 1; id <= 3; ++id)
        EXPECT_EQ(m.count(trace_event::port_ready, id), 3u) << "ata" << id;
}

TEST(Determinism, same_world_same_digest) {
    const auto digest = [](const setup& s) {
        machine_under_test m{s};
        m.probe();
        m.run([&] {
            m.suspend();
            m.suspend();
            m.k.usleep_range(10s);
        });
        return m.log.digest();
    };
    auto s = three_drives(pm_design_async_3_15, disk_start_async);
    EXPECT_EQ(digest(s), digest(s));
    const u64 plain = digest(s);
    s.choices = kernel::oracle_config::random(7);
    const u64 seven = digest(s);
    EXPECT_EQ(digest(s), seven);
    EXPECT_NE(seven, plain);
}

// Whatever order threads and timers run in, every cycle ends with working disks.
TEST(Orders, twenty_random_schedules_end_well) {
    for (u64 seed = 1; seed <= 20; ++seed) {
        auto s = three_drives(pm_design_async_3_15, disk_start_async);
        s.choices = kernel::oracle_config::random(seed);
        machine_under_test m{s};
        m.probe();
        io_log log;
        const auto buffer = m.k.dma_alloc_coherent(3 * 512, 512);
        m.run([&] {
            m.suspend();
            m.suspend();
            for (u32 n = 0; n < 3; ++n)
                submit_read(m.sdev(n), n, 1, {buffer.cpu + n * 512, buffer.bus + n * 512, 512},
                            io_log::end, &log);
            m.k.usleep_range(20s);
            m.settle();
        });
        EXPECT_EQ(log.done, 3u) << "seed " << seed;
        EXPECT_EQ(log.failed, 0u) << "seed " << seed;
    }
}

} // namespace
} // namespace spinup::drivers
