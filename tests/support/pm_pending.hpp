// The three threads around PM_PENDING, with no driver stack: the smallest world that has the races
// of a port's resume.
//
//   resume   asks EH for an operation unless one is pending, and does not wait
//   suspend  waits until none is pending, asks for one, and waits until EH has it done
//   eh       takes what is asked for, works without the lock, clears PM_PENDING, wakes the waiters
//
// The model is written once for all that can run it. A World has lock() and unlock(); fields
// pending, scheduled, op, live and work; wait_eh(), wait_done(), which give the lock up while they
// wait, wake_eh() and wake_done(); request_lost(); and nothing_known(where), which says that a
// thread's locals hold nothing but the place where it is.
#pragma once

#include <spinup/base/units.hpp>

namespace spinup::tests {

enum class pm_variant : u8 {
    locked,         ///< PM_PENDING is tested under the lock
    unlocked_test,  ///< and before the lock is taken: another request may come in between
    unlocked_clear, ///< it is cleared, and waiters woken, without it: a waiter may miss that
};

template <class World> class pm_pending {
  public:
    pm_pending(World& world, pm_variant variant) : w_(world), variant_(variant) {}

    void resume() {
        if (variant_ == pm_variant::unlocked_test) {
            const bool busy = w_.pending != 0;
            w_.lock();
            if (!busy)
                ask(1);
        } else {
            w_.lock();
            if (w_.pending == 0)
                ask(1);
        }
        leave();
    }

    void suspend() {
        w_.lock();
        wait_until_done(suspend_before);
        ask(2);
        if (variant_ == pm_variant::unlocked_clear) {
            w_.unlock();
            const bool busy = w_.pending != 0;
            w_.lock();
            if (busy)
                w_.wait_done();
        } else {
            wait_until_done(suspend_after);
        }
        leave();
    }

    void eh() {
        w_.lock();
        for (;;) {
            w_.nothing_known(eh_idle);
            while (w_.scheduled == 0 && w_.live != 0) {
                w_.wait_eh();
                w_.nothing_known(eh_idle);
            }
            if (w_.scheduled == 0)
                break;
            w_.scheduled = 0;
            w_.unlock();
            w_.work();
            if (variant_ == pm_variant::unlocked_clear) {
                w_.pending = 0;
                w_.wake_done();
                w_.lock();
            } else {
                w_.lock();
                w_.pending = 0;
                w_.wake_done();
            }
        }
        w_.unlock();
    }

  private:
    enum place : u32 { suspend_before = 1, suspend_after, eh_idle };

    void ask(u32 op) {
        if (w_.pending != 0)
            w_.request_lost();
        w_.op = op;
        w_.pending = 1;
        w_.scheduled = 1;
        w_.wake_eh();
    }
    void wait_until_done(place where) {
        while (w_.pending != 0) {
            w_.wait_done();
            w_.nothing_known(where);
        }
    }
    void leave() {
        w_.live = w_.live - 1;
        w_.wake_eh();
        w_.unlock();
    }

    World& w_;
    pm_variant variant_;
};

} // namespace spinup::tests
