// Whatever the driver answers, and in whatever order things happen: each command ends exactly once.
#include "host_under_test.hpp"

#include <rapidcheck.h>
#include <spinup/base/rng.hpp>
#include <rapidcheck/gtest.h>

namespace spinup::drivers {
namespace {

/// A driver that answers in every way there is, drawn from a seed, until `calm`.
struct moody_driver {
    moody_driver(host_under_test& under, u64 seed) : h(under), draw(seed, "driver") {
        h.on_command = [this](scsi_cmnd& cmd) { return queuecommand(cmd); };
        h.on_eh = [this] {
            if (draw.below(2) == 0)
                h.k.usleep_range(duration{draw.below(3) * 700'000'000});
            h.finish_eh();
        };
    }

    scsi_mlqueue queuecommand(scsi_cmnd& cmd) {
        if (scsi_host_in_recovery(*h.shost))
            ++issued_in_recovery;
        const u64 mood = calm ? 99 : draw.below(20);
        switch (mood) {
        case 0:
            return scsi_mlqueue::device_busy;
        case 1:
            return scsi_mlqueue::host_busy;
        case 2:
            cmd.result.status = spec::scsi_status::task_set_full;
            scsi_done(cmd);
            return scsi_mlqueue::accepted;
        case 3:
            cmd.set_sense(spec::sense_key::unit_attention, spec::asc_pair::power_on_or_reset);
            break;
        case 4:
            cmd.set_sense(spec::sense_key::not_ready, spec::asc_pair::becoming_ready);
            break;
        case 5:
            cmd.result.host = host_byte::did_soft_error;
            break;
        case 6:
            return scsi_mlqueue::accepted; // never answers: times out
        case 7:
            blk_abort_request(cmd); // a qc that failed while it was being issued
            return scsi_mlqueue::accepted;
        case 8:
            cmd.result.host = host_byte::did_requeue;
            break;
        default:
            break;
        }
        h.complete(cmd, duration{draw.below(3) * 500'000});
        return scsi_mlqueue::accepted;
    }

    host_under_test& h;
    random_stream draw;
    bool calm = false;
    u32 issued_in_recovery = 0;
};

struct command_log {
    std::vector<u32> ends;
    struct slot {
        command_log* log;
        std::size_t index;
    };
    std::vector<slot> slots;

    explicit command_log(std::size_t n) : ends(n) {
        for (std::size_t i = 0; i < n; ++i)
            slots.push_back({this, i});
    }
    static void end(void* self, errno_t) {
        auto& s = *static_cast<slot*>(self);
        ++s.log->ends[s.index];
    }
};

/// Submits from one thread while another asks for EH and quiesces.
/// `explores`: the kernel's schedule is random too.
void each_ends_once(u64 seed, bool explores) {
    constexpr std::size_t commands = 60;
    host_under_test h{disk_start_async,
                      explores ? kernel::oracle_config::random(seed) : kernel::oracle_config{}};
    moody_driver driver{h, seed};
    command_log ends{commands};
    random_stream draw{seed, "workload"};
    u32 still_pending = 0;
    const auto end = h.k.run("test", [&] {
        h.queue_depth = 1 + static_cast<u32>(draw.below(8));
        h.add_host();
        scsi_device* disks[] = {&h.add_disk(0), &h.add_disk(1)};
        kernel::completion disturbed{h.k, "disturber's end"};
        h.k.kthread_run("disturber", [&] {
            for (u32 i = 0; i < 6; ++i) {
                h.k.usleep_range(duration{draw.below(4) * 900'000});
                scsi_device& sdev = *disks[i % 2];
                if (draw.below(2) == 0) {
                    scsi_schedule_eh(*h.shost);
                } else {
                    if (!failed(scsi_device_quiesce(sdev)))
                        static_cast<void>(sd_suspend(sdev));
                    static_cast<void>(sd_resume(sdev));
                    scsi_device_resume(sdev);
                }
            }
            disturbed.complete();
        });
        for (std::size_t i = 0; i < commands; ++i) {
            if (draw.below(4) == 0)
                h.k.usleep_range(duration{draw.below(3) * 400'000});
            const auto submit = draw.below(2) == 0 ? submit_read : submit_write;
            submit(*disks[draw.below(2)], i, 1, {}, command_log::end, &ends.slots[i]);
        }
        disturbed.wait();
        driver.calm = true;
        h.k.usleep_range(400s);
        still_pending = h.shost->host_busy + h.shost->host_failed;
    });
    RC_ASSERT(end.done());
    RC_ASSERT(ends.ends == std::vector<u32>(commands, 1));
    RC_ASSERT(still_pending == 0u);
    if (!explores)
        RC_ASSERT(driver.issued_in_recovery == 0u);
}

RC_GTEST_PROP(ScsiOnce, each_command_ends_exactly_once, ()) {
    each_ends_once(*rc::gen::arbitrary<u64>(), false);
}

RC_GTEST_PROP(ScsiOnce, also_when_the_schedule_is_random, ()) {
    each_ends_once(*rc::gen::arbitrary<u64>(), true);
}

TEST(ScsiOnce, one_seed_is_one_trace) {
    const auto digest = [](u64 seed) {
        host_under_test h;
        moody_driver driver{h, seed};
        io_log io;
        h.run([&] {
            h.add_host();
            scsi_device& sdev = h.add_disk();
            for (u64 lba = 0; lba < 20; ++lba)
                h.read(sdev, io, lba);
            h.k.usleep_range(400s);
        });
        return h.log.digest();
    };
    EXPECT_EQ(digest(1), digest(1));
    EXPECT_NE(digest(1), digest(2));
}

} // namespace
} // namespace spinup::drivers
