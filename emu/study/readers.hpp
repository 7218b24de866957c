// The workload of the study: one read of every disk, and of every disc, as soon as tasks run.
#pragma once

#include "drivers/scsi/scsi_device.hpp"
#include "emu/machine/world.hpp"
#include <vector>

namespace spinup::study {

class readers {
  public:
    /// Context: a thread of the world's kernel, after boot().
    readers(machine::world& w, const machine::machine& what);

    /// Submits all reads. Returns without waiting. Requires: none in flight.
    void start();
    /// Context: thread. Sleeps.
    void wait();

  private:
    struct reader {
        readers* owner = nullptr;
        u32 port = 0;
        drivers::scsi_device* sdev = nullptr;
        bool optical = false;
        kernel::dma_memory buffer;
        u32 tries_left = 0;
    };
    void submit(reader& r);
    static void done(void* context, errno_t rc);

    kernel::system& kernel_;
    kernel::wait_queue all_done_;
    std::vector<reader> readers_;
    u32 in_flight_ = 0;
    u32 round_ = 0;
};

} // namespace spinup::study
