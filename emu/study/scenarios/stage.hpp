// What a scenario can do with a world: the vocabulary, in the kernel's words.
//
// Every call that asks the kernel for something comes from some thread of the world: the first one,
// or those that spawn() starts. Ports count from 1, as in log lines.
#pragma once

#include "emu/machine/machine.hpp"
#include "emu/machine/world.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace spinup::study {

class stage {
  public:
    explicit stage(machine::world& w);

    [[nodiscard]] machine::world& world() { return world_; }
    [[nodiscard]] kernel::system& kernel() { return world_.kernel(); }

    // Options. Drawn by the oracle, each once a schedule; the first value is the plain one, which
    // the minimiser tries. `name` is shown with the value in the report.
    bool option(std::string_view name);
    u32 option(std::string_view name, u32 below);
    duration option(std::string_view name, std::initializer_list<duration> values);

    // Threads.
    /// Starts one that does `what`, and returns.
    void spawn(std::string_view name, std::function<void()> what);
    /// Returns when all threads of spawn() are over.
    void join();
    void sleep(duration d);

    // The system. Each returns what the kernel says.
    errno_t suspend_to_ram();
    /// Freeze, image, thaw; then poweroff, loss of power, boot of the image kernel left out,
    /// restore.
    errno_t hibernate();
    void shutdown();

    // One port, by runtime PM.
    errno_t runtime_suspend(u32 port);
    errno_t runtime_resume(u32 port);
    /// A second requester of the port's design, as libsas is one.
    errno_t request(u32 port, kernel::pm_message message, kernel::result_slot& result);

    // Its drive. Data is checked against what was written; each returns the errno of the request.
    errno_t read(u32 port, u64 lba);
    errno_t write(u32 port, u64 lba);
    errno_t flush(u32 port);
    void rescan(u32 port);
    /// Somebody asks for EH without an error (a user's "scan", a link event).
    void trigger_eh(u32 port);
    void unplug(u32 port);
    void plug(u32 port);
    /// Returns when no EH is at work, no disk start runs and nobody waits.
    void settle();

  private:
    machine::world& world_;
    kernel::wait_queue joined_;
    u32 running_ = 0;
};

} // namespace spinup::study
