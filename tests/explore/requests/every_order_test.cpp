// Every order of two requesters and the error handler of one port, in the code of the designs: none
// loses a request that is tested for again after each wait, and some do where it is not.
#include "drivers/ata/pm_designs/registry.hpp"
#include "drivers/ata/pm_designs/request_locked.hpp"
#include "emu/kernel/explore/dfs.hpp"
#include "explored_port.hpp"
#include <gtest/gtest.h>
#include <stdexcept>

namespace spinup::tests {
namespace {

using drivers::after_wait;
using kernel::dfs;
using kernel::PMSG_RESUME;
using kernel::PMSG_SUSPEND;

using ask_fn = void (*)(pm_port& port, kernel::pm_message message);

/// The request of 6.6 as it is, or with `while`. A resume does not wait for its end.
template <after_wait then> void locked(pm_port& port, kernel::pm_message message) {
    drivers::request_pm_locked<then>(port, message, message.resumes());
}
/// The callbacks of a registered design.
template <const pm_design* design> void callback(pm_port& port, kernel::pm_message message) {
    const auto how = message.resumes() ? design->port_resume : design->port_suspend;
    if (failed(how(port, message)))
        throw std::runtime_error("a request failed");
}

struct found {
    u64 schedules = 0;
    u64 lost = 0;  ///< schedules in which a request was overwritten
    u64 stuck = 0; ///< that ended in a deadlock
    u64 owed = 0;  ///< after which a request was never executed, although none was overwritten
};

/// One schedule: the PM core resumes the port and suspends it, as back to back as can be, while
/// somebody else suspends it. So two come to wait for the resume at the same time.
void run_once(dfs& how, trace& log, ask_fn ask, found& f) {
    virtual_timeline line;
    kernel::simulated_kernel k{line, log, kernel::oracle_config::ask(how)};
    explored_port port{k, 2};
    k.kthread_run("PM core", [&] {
        port.asks(1);
        ask(port, PMSG_RESUME);
        port.asks(2);
        ask(port, PMSG_SUSPEND);
        port.asks(3);
        port.leave();
    });
    k.kthread_run("other", [&] {
        port.asks(1);
        ask(port, PMSG_SUSPEND);
        port.asks(2);
        port.leave();
    });
    const kernel::run_end end = k.run("eh", [&] { port.eh(); });
    f.lost += port.lost() ? 1 : 0;
    f.stuck += end.how == kernel::verdict::deadlock ? 1 : 0;
    f.owed += end.done() && !port.lost() && port.owed() != 0 ? 1 : 0;
    k.stop();
}

/// To the end of the search, or until something is lost.
found search(dfs& how, ask_fn ask, bool until_lost = false) {
    virtual_timeline line;
    trace_ring log{line, 16};
    found f;
    for (bool more = true; more;) {
        how.begin(f.schedules++);
        run_once(how, log, ask, f);
        more = how.end() && !(until_lost && f.lost != 0);
    }
    return f;
}

void shown(const dfs& how) {
    testing::Test::RecordProperty("orders", std::to_string(how.orders()));
    testing::Test::RecordProperty("cut_short", std::to_string(how.cut_short()));
    testing::Test::RecordProperty("states", std::to_string(how.states()));
}

void expect_proof(dfs& how, ask_fn ask) {
    const found f = search(how, ask);
    shown(how);
    EXPECT_TRUE(how.finished()) << how.coverage();
    EXPECT_FALSE(how.bounded());
    EXPECT_EQ(f.lost, 0u);
    EXPECT_EQ(f.stuck, 0u);
    EXPECT_EQ(f.owed, 0u);
    EXPECT_EQ(f.schedules, how.orders() + how.cut_short());
    EXPECT_EQ(how.coverage().substr(0, 17), "all orders tried:");
}

TEST(EveryOrder, no_request_is_lost_if_it_is_tested_again_after_a_wait) {
    dfs how{dfs::unbounded, true};
    expect_proof(how, locked<after_wait::test_again>);
    EXPECT_GT(how.states(), 1000u);
}

TEST(EveryOrder, some_lose_one_in_linux_since_6_6_where_it_is_not) {
    dfs how{dfs::unbounded, true};
    EXPECT_NE(search(how, locked<after_wait::go_on>).lost, 0u);
    EXPECT_TRUE(how.finished()) << how.coverage();
}

TEST(EveryOrder, the_callbacks_of_6_6_and_7_3_lose_it_too) {
    for (const ask_fn ask :
         {callback<&drivers::pm_design_locked_6_6>, callback<&drivers::pm_design_current_7_3>}) {
        dfs how{dfs::unbounded, true};
        EXPECT_NE(search(how, ask, true).lost, 0u);
    }
}

TEST(EveryOrder, those_of_our_own_design_lose_none) {
    dfs how{dfs::unbounded, true};
    expect_proof(how, callback<&drivers::pm_design_spinup_reference>);
}

/// A bound of preemptions has nothing in common with states; what both find, neither has pruned.
TEST(EveryOrder, a_search_without_states_finds_the_lost_request_as_well) {
    dfs few_preemptions{2};
    EXPECT_NE(search(few_preemptions, locked<after_wait::go_on>, true).lost, 0u);
    dfs fewer{1};
    const found none = search(fewer, locked<after_wait::test_again>);
    EXPECT_TRUE(fewer.finished());
    EXPECT_EQ(none.lost + none.stuck + none.owed, 0u);
}

} // namespace
} // namespace spinup::tests
