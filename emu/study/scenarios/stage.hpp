// What a scenario can do with a world: the vocabulary, in the kernel's words.
//
// Every call that asks the kernel for something comes from some thread of the world: the first one,
// or those that spawn() starts. Ports count from 1, as in log lines.
//
// Data is checked: each write puts down a block of its own, and a read must return one that the
// drive may hold by then (written_data.hpp), or there is an io_lost in the trace.
#pragma once

#include "emu/machine/world.hpp"
#include "emu/study/scenarios/written_data.hpp"

#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <spinup/kernel/result_slot.hpp>
#include <spinup/kernel/work.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spinup::study {

/// Who says what the options of a schedule are.
struct option_source {
    /// A number in [0, below). Asked once for each name. Requires: below >= 2.
    virtual u32 draw(std::string_view name, u32 below) = 0;

  protected:
    ~option_source() = default;
};

class stage {
  public:
    /// Context: a thread of the world, which has booted. The world's kernel is stopped before the
    /// stage ends.
    stage(machine::world& w, option_source& options);
    stage(const stage&) = delete;
    stage& operator=(const stage&) = delete;

    [[nodiscard]] machine::world& world() { return world_; }
    [[nodiscard]] kernel::system& kernel() { return world_.kernel(); }

    // Options: what differs from schedule to schedule. 0 and the first value are the plain ones,
    // which the minimiser tries. A name is of letters, digits, - and _.
    bool option(std::string_view name);
    u32 option(std::string_view name, u32 below);
    duration option(std::string_view name, std::initializer_list<duration> values);
    /// Names and values, for a person.
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& options() const {
        return options_;
    }

    // Threads.
    /// Starts one that does `what`, and returns.
    void spawn(std::string_view name, std::function<void()> what);
    /// Returns when all threads of spawn() are over.
    void join();
    void sleep(duration d);

    // The system. Each returns what the kernel says.
    errno_t suspend_to_ram();
    /// The same, where the scenario itself is a reason not to sleep.
    errno_t suspend_if_possible() { return world_.suspend_resume(); }
    errno_t hibernate();
    /// Nothing can be asked of the machine afterwards.
    void shutdown();
    /// The driver lets the host go: disks are removed, ports end. Nothing can be asked of a disk
    /// afterwards.
    void unbind();
    [[nodiscard]] bool is_off() const { return off_; }

    // One port and its disk by runtime PM, where the switch runtime_pm is on. As whoever may do
    // that in Linux (the workers of pm_wq, user processes), this waits while the system is frozen,
    // and the freezer for this.
    errno_t runtime_suspend(u32 port);
    errno_t runtime_resume(u32 port);

    /// A second requester of the port's design, as libsas is one. Returns: in the design's words,
    /// or -EOPNOTSUPP if it has no such thing.
    errno_t request(u32 port, kernel::pm_message message, kernel::result_slot& result);
    /// One who calls the port's own callbacks beside the PM core, as whoever owned a SAS port did
    /// until 6.6 (D-30): it has no place for a result, and waits where they wait. That the port is
    /// what it wants already is success for them, so the trace has their answer and no request.
    /// Returns: in the design's words, or -EOPNOTSUPP if its ports have no callbacks.
    errno_t call_port(u32 port, kernel::pm_message message);
    /// As the design wants it: counted or not.
    [[nodiscard]] kernel::result_slot place_for_a_result();

    /// That requester looks at its result.
    errno_t read_result(u32 port, const kernel::result_slot& result);

    // Its drive, for one who holds it open. Each returns the errno of the request when that is
    // done; -ENODEV if there was no drive when the machine had booted.
    errno_t read(u32 port, u64 lba);
    errno_t write(u32 port, u64 lba);
    errno_t flush(u32 port);
    errno_t rescan(u32 port);
    /// Somebody asks for EH without an error, as the probe of the boot does. Does not wait.
    void trigger_eh(u32 port);
    /// Its data cable loses contact and has it again at once.
    void replug(u32 port);
    /// A user's "scan": the same, and a disk that was given up is removed and looked for again.
    void user_scan(u32 port);
    /// A fault of the HBA: the port's command engine does not stop from now on.
    void hold_engine(u32 port) { world_.hba().hold_engine(port - 1); }
    /// Returns when no EH is at work and no disk start runs.
    void settle();
    /// Returns when nothing goes on any more that nobody waits for either: commands, delayed work.
    void rest();

    /// How the first suspend or hibernation ended that failed.
    [[nodiscard]] errno_t failed_suspend() const { return failed_suspend_; }

  private:
    /// A read or write under way. The drive may finish it when its thread is gone.
    struct transfer {
        transfer(kernel::system& k, kernel::dma_memory block) : done(k, "data"), buffer(block) {}
        kernel::completion done;
        kernel::dma_memory buffer;
        errno_t rc = errno_t::ok;
    };
    using submit_fn = void (*)(drivers::scsi_device&, u64, u32, kernel::dma_memory,
                               drivers::request::bio_end_io_fn, void*);

    using runtime_fn = errno_t (*)(drivers::ata_port&);
    /// A call in a freezable work item.
    struct freezable_call {
        explicit freezable_call(machine::world& w);
        runtime_fn what = nullptr;
        drivers::ata_port* port = nullptr;
        errno_t rc = errno_t::ok;
        kernel::completion done;
        kernel::work item;
    };

    errno_t call_freezable(runtime_fn what, u32 port);
    drivers::scsi_device* disk(u32 port) { return disks_.at(port - 1); }
    transfer& take_transfer();
    errno_t run(transfer& t, submit_fn submit, drivers::scsi_device& on, u64 lba);
    static void transfer_done(void* context, errno_t rc);
    u32 draw(std::string_view name, u32 below);
    errno_t note(errno_t rc);

    machine::world& world_;
    option_source& source_;
    std::vector<drivers::scsi_device*> disks_; // by port - 1
    std::vector<std::pair<std::string, std::string>> options_;
    kernel::wait_queue joined_;
    u32 running_ = 0;
    std::deque<freezable_call> calls_;
    std::vector<freezable_call*> free_calls_;
    std::deque<transfer> transfers_;
    std::vector<transfer*> free_;
    std::map<std::pair<u32, u64>, written_data> data_; // by port and block
    errno_t failed_suspend_ = errno_t::ok;
    bool off_ = false;
};

} // namespace spinup::study
