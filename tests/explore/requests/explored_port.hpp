// A port for exhaustive searches of a design's own code: all that ata_port_request_pm() can see of
// a port, an error handler that picks posted operations up, and nothing else.
//
// Its states are complete: all that its threads share is a field or lock of the kernel's, and where
// a thread forgets what it has seen, it says where it is and all that it still knows. Whether one
// that is about to sleep has been woken already is part of that: it is as long as nothing has ended
// that it was queued for, so those are counted.
#pragma once

#include "emu/kernel/simulated_kernel.hpp"
#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/trace_ring.hpp"
#include <map>
#include <spinup/kernel/lock.hpp>
#include <spinup/kernel/result_slot.hpp>
#include <spinup/kernel/shared.hpp>
#include <spinup/kernel/wait.hpp>
#include <spinup/pm_design.hpp>

namespace spinup::tests {

class explored_port final : public pm_port {
  public:
    /// `requesters` end by leave(); then EH does what is left, and ends too.
    explored_port(kernel::system& k, u32 requesters)
        : k_(k), requesters_{k, "port", "requesters", requesters} {}

    kernel::spinlock& lock() override { return lock_; }
    kernel::system& kernel() override { return k_; }
    [[nodiscard]] u32 print_id() const override { return 1; }
    [[nodiscard]] bool pm_pending() const override { return pm_pending_; }
    [[nodiscard]] bool suspended() const override { return suspended_; }

    void post(kernel::pm_message message, ata_eh_action, ata_ehi_flags,
              kernel::result_slot* result) override {
        lock_.assert_held();
        if (pm_pending_)
            lost_ = true; // the operation that was posted before is nowhere any more
        resumes_ = message.resumes();
        pm_pending_ = true;
        ++owed_;
        result_ = kernel::result_ref{result};
        ++own_[k_.current_pid()].posts;
        own_[k_.current_pid()].last = picks_.load() + owed_.load();
        eh_pending_ = true;
        eh_wakeup_.wake_all();
    }

    /// As ata_port_wait_eh() does it: neither pending nor in progress.
    void wait_eh() override {
        wait_while(eh_over_, passes_, for_eh, [this] { return eh_pending_ || eh_in_progress_; });
    }
    /// Operations are picked up in the order in which they are posted.
    void wait_posted(const kernel::result_slot* result) override {
        if (result != nullptr && result->writes() != 0)
            return; // as picks_ says, too, or it was never posted
        const u32 mine = result == nullptr ? 0 : own_[k_.current_pid()].last;
        wait_while(picked_up_, picks_, result == nullptr ? for_turn : for_result,
                   [this, mine] { return mine == 0 ? pm_pending_.load() : picks_ < mine; });
    }
    // No requester of these searches asks for the rest.
    [[nodiscard]] errno_t last_result() const override { return errno_t::ok; }
    [[nodiscard]] u32 operations_done() const override { return 0; }
    void set_runtime_active() override {}
    [[nodiscard]] bool runtime_suspended() const override { return false; }
    errno_t runtime_resume() override { return errno_t::ok; }

    /// EH's thread, as ata_scsi_port_error_handler() does it: a resume is picked up before the work
    /// begins, a suspend when all else is done.
    void eh() {
        lock_.lock();
        for (;;) {
            k_.forget_locals(eh_idle | requesters_.load());
            while (!eh_pending_ && requesters_ != 0) {
                sleep(eh_wakeup_);
                k_.forget_locals(eh_idle | requesters_.load());
            }
            if (!eh_pending_)
                break;
            eh_pending_ = false;
            eh_in_progress_ = true;
            pick_up(true);
            lock_.unlock();
            k_.forget_locals(eh_works);
            lock_.lock();
            pick_up(false);
            eh_in_progress_ = false;
            ++passes_;
            eh_over_.wake_all();
        }
        lock_.unlock();
    }

    /// A requester begins with its `n`th request.
    void asks(u32 n) { k_.forget_locals(requester | n); }
    void leave() {
        const kernel::spin_guard guard(lock_);
        --requesters_;
        eh_wakeup_.wake_all();
    }

    /// A posted operation was overwritten.
    [[nodiscard]] bool lost() const { return lost_; }
    /// Posted, and never picked up.
    [[nodiscard]] u32 owed() const { return owed_.peek(); }

  private:
    enum place : u32 {
        eh_idle = 0x100, // and how many requesters there are
        eh_works = 0x200,
        requester = 0x300, // and which request is next
        waits = 0x400,     // and for what, how often it has posted, and what has ended by then
        waited = 0x800,    // the same without the last
        for_eh = 0x10,
        for_turn = 0x20,
        for_result = 0x30,
    };

    /// What is a thread's own.
    struct requests {
        u32 posts = 0;
        u32 last = 0; ///< number of its last one among all that were posted
    };

    /// Of a request one knows where it waits if one knows what its thread has posted.
    template <class Busy>
    void wait_while(kernel::wait_queue& queue, const kernel::shared<u32>& ended, u32 what,
                    Busy busy) {
        const requests& own = own_[k_.current_pid()];
        const u32 here = what | own.posts | own.last << 12;
        lock_.lock();
        k_.forget_locals(waits | here | ended.load() << 16);
        while (busy()) {
            sleep(queue);
            k_.forget_locals(waits | here | ended.load() << 16);
        }
        lock_.unlock();
        k_.forget_locals(waited | here);
    }
    /// prepare_to_wait(), unlock, schedule(), lock.
    void sleep(kernel::wait_queue& queue) {
        // wait() asks before it queues, once it has queued, and when it has been woken.
        u32 asked = 0;
        queue.wait([this, &asked] {
            if (++asked == 2)
                lock_.unlock();
            return asked > 2;
        });
        lock_.lock();
    }
    /// Locks: lock_.
    void pick_up(bool resume) {
        if (!pm_pending_ || resumes_ != resume)
            return;
        pm_pending_ = false;
        suspended_ = !resume;
        --owed_;
        ++picks_;
        if (result_)
            result_.write(k_, errno_t::ok);
        result_ = {};
        picked_up_.wake_all();
    }

    kernel::system& k_;
    kernel::spinlock lock_{k_, "port lock"};
    kernel::wait_queue eh_wakeup_{k_, "a request"};
    kernel::wait_queue eh_over_{k_, "EH"};
    kernel::wait_queue picked_up_{k_, "the posted request"};
    kernel::shared<bool> pm_pending_{k_, "port", "PM_PENDING"};
    kernel::shared<bool> suspended_{k_, "port", "SUSPENDED", true};
    kernel::shared<bool> resumes_{k_, "port", "pm_mesg"};
    kernel::shared<bool> eh_pending_{k_, "port", "EH_PENDING"};
    kernel::shared<bool> eh_in_progress_{k_, "port", "EH_IN_PROGRESS"};
    kernel::shared<u32> requesters_;
    kernel::shared<u32> owed_{k_, "port", "operations"};
    kernel::shared<u32> passes_{k_, "port", "passes"};
    kernel::shared<u32> picks_{k_, "port", "operations picked up"};
    kernel::result_ref result_;
    std::map<u16, requests> own_; // by pid: part of that thread's place
    bool lost_ = false;
};

} // namespace spinup::tests
