// Where commands complete in a thread, a CPU's stores may come late, and a command has another
// owner by then.
#include "host_under_test.hpp"

namespace spinup::drivers {
namespace {

/// First come, first served, and each store stays with its thread until a barrier makes it visible.
class late_stores final : public oracle {
  public:
    u32 pick(choice kind, u32) override { return kind == choice::store ? 1 : 0; }
    u32 pick_thread(std::span<const alternative>, bool) override {
        look();
        return 0;
    }
    void alone() override { look(); }

    std::function<void()> look = [] {}; ///< at each step
};

TEST(LateStore, of_a_commands_last_owner_is_out_when_the_next_may_have_it) {
    late_stores order;
    kernel::kernel_options weak;
    weak.weak_memory = true;
    host_under_test h{disk_start_sync, kernel::oracle_config::ask(order, weak)};
    u32 seen = 0;
    h.run([&] {
        h.power.device_add(h.port);
        h.shost = scsi_host_alloc(h.core, h.sht, &h, &h.port);
        h.shost->ksoftirqd = true;
        scsi_add_host(*h.shost);
        scsi_device& disk = h.add_disk();
        order.look = [&] {
            for (const scsi_cmnd& cmd : disk.queue.free) {
                EXPECT_EQ(cmd.state.peek(), cmnd_state::pooled);
                ++seen;
            }
        };
        io_log io;
        for (u32 i = 0; i < 3; ++i)
            h.read(disk, io, i);
        h.k.usleep_range(10ms);
        EXPECT_EQ(io.done, 3u);
    });
    EXPECT_GT(seen, 0u);
}

} // namespace
} // namespace spinup::drivers
