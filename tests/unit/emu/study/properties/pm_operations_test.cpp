// Properties of PM operations and of EH, each on a run that keeps it and on one that does not.
#include "tests/unit/emu/study/properties/handmade_run.hpp"

namespace spinup::test {
namespace {

using namespace spinup::literals;
using kernel::pm_event;
using enum trace_event;

TEST(Properties, have_names_of_their_own) {
    for (const auto* a : study::properties) {
        EXPECT_EQ(study::find_property(a->name), a);
        EXPECT_FALSE(a->meaning.empty());
        EXPECT_FALSE(a->source.empty());
    }
    EXPECT_EQ(study::find_property("no-such"), nullptr);
}

TEST(Properties, say_nothing_of_a_run_in_which_nothing_happens) {
    for (const auto* each : study::properties)
        EXPECT_EQ(violation_of(each->name, {}), "") << each->name;
}

TEST(NoPmOperationLost, sees_one_posted_over_another) {
    handmade_run good;
    good(pm_request, 1, pm_event::suspend)(pm_done, 1, 0)(pm_request, 1, pm_event::resume);
    EXPECT_EQ(violation_of("no-pm-operation-lost", good(pm_done, 1, 0)), "");
    handmade_run bad;
    bad(pm_request, 1, pm_event::suspend)(pm_request, 1, pm_event::auto_resume)(pm_done, 1, 0);
    EXPECT_EQ(violation_of("no-pm-operation-lost", bad),
              "ata1: auto-resume is posted over suspend, which EH has not picked up");
}

handmade_run two_wait_and_post(bool second_waits) {
    handmade_run run;
    run(pm_request, 1, pm_event::suspend)(pm_wait, 1);
    run.thread = 2;
    run(pm_wait, 1);
    run.thread = 3;
    if (second_waits)
        run(pm_wait, 1);
    run(pm_done, 1, 0);
    run.thread = 2;
    run(pm_request, 1, pm_event::resume)(pm_wait, 1);
    run.thread = 3;
    return run(pm_request, 1, pm_event::suspend);
}

TEST(NoPmOperationLost, says_if_both_had_waited_for_another_one) {
    EXPECT_EQ(violation_of("no-pm-operation-lost", two_wait_and_post(false)),
              "ata1: suspend is posted over resume, which EH has not picked up");
    EXPECT_EQ(violation_of("no-pm-operation-lost", two_wait_and_post(true)),
              "ata1: suspend is posted over resume, which EH has not picked up, when both had "
              "waited for another one");
}

TEST(NoPmOperationLost, takes_no_wait_for_ones_own_operation_for_that) {
    handmade_run run;
    run(pm_request, 1, pm_event::suspend)(pm_wait, 1)(pm_done, 1, 0);
    run(pm_request, 1, pm_event::resume);
    run.thread = 2;
    run(pm_wait, 1)(pm_request, 1, pm_event::suspend);
    EXPECT_EQ(violation_of("no-pm-operation-lost", run),
              "ata1: suspend is posted over resume, which EH has not picked up");
}

TEST(NoPmOperationLost, sees_one_that_is_never_picked_up) {
    handmade_run bad;
    bad(pm_request, 1, pm_event::resume);
    EXPECT_EQ(violation_of("no-pm-operation-lost", bad),
              "ata1: resume was posted, and EH never picked it up");
    bad.port1.unloading = true;
    EXPECT_EQ(violation_of("no-pm-operation-lost", bad), "");
}

TEST(AcceptedExecutedOnce, sees_a_request_that_was_dropped) {
    handmade_run good;
    good(pm_asked, 1, pm_event::suspend)(pm_request, 1, pm_event::suspend)(pm_answered, 1, 0);
    EXPECT_EQ(violation_of("accepted-executed-once", good(pm_done, 1, 0)), "");
    handmade_run bad;
    bad(pm_asked, 1, pm_event::suspend)(pm_answered, 1, 0);
    EXPECT_EQ(violation_of("accepted-executed-once", bad),
              "ata1: suspend was accepted, and never carried out");
}

TEST(AcceptedExecutedOnce, lets_one_operation_serve_two_requesters) {
    handmade_run good;
    good(pm_request, 1, pm_event::suspend)(pm_asked, 1, pm_event::suspend)(pm_answered, 1, 0);
    EXPECT_EQ(violation_of("accepted-executed-once", good(pm_done, 1, 0)), "");
}

TEST(AcceptedExecutedOnce, sees_a_refusal_that_was_posted_and_an_end_without_operation) {
    handmade_run bad;
    bad(pm_asked, 1, pm_event::suspend)(pm_request, 1, pm_event::suspend)(pm_answered, 1, -11);
    EXPECT_EQ(violation_of("accepted-executed-once", bad),
              "ata1: suspend was refused, and posted all the same");
    handmade_run twice;
    twice(pm_request, 1, pm_event::suspend)(pm_done, 1, 0)(pm_done, 1, 0);
    EXPECT_EQ(violation_of("accepted-executed-once", twice),
              "ata1: an operation ends that is none, or ends again");
}

TEST(AcceptedExecutedOnce, sees_that_a_place_for_the_result_decides_about_a_refusal) {
    const std::string text = "ata1: a request without a place for its result was refused for "
                             "another one, and one with such a place accepted; neither was posted";
    handmade_run dropped;
    dropped(pm_asked, 1, pm_event::suspend)(pm_answered, 1, 0);
    dropped.thread = 2;
    EXPECT_EQ(violation_of("accepted-executed-once", handmade_run{dropped}(pm_answered, 1, -11)),
              text);
    // There was nothing to do.
    EXPECT_NE(violation_of("accepted-executed-once", handmade_run{dropped}(pm_answered, 1, 0)),
              text);
    handmade_run posted;
    posted(pm_answered, 1, -11)(pm_asked, 1, pm_event::suspend)(pm_request, 1, pm_event::suspend);
    EXPECT_EQ(violation_of("accepted-executed-once", posted(pm_answered, 1, 0)(pm_done, 1, 0)), "");
}

handmade_run asked(int result) {
    handmade_run run;
    run(pm_asked, 1, pm_event::suspend)(pm_request, 1, pm_event::suspend)(pm_answered, 1, 0);
    return run(pm_done, 1, result);
}

TEST(ResultToRequester, sees_none_a_wrong_one_and_two) {
    EXPECT_EQ(violation_of("result-to-requester", asked(-5)(pm_result_read, 1, -5, 1)), "");
    EXPECT_EQ(violation_of("result-to-requester", asked(-5)(pm_result_read, 1, 0, 0)),
              "ata1: the requester of suspend is never told how it ended");
    EXPECT_EQ(violation_of("result-to-requester", asked(0)(pm_result_read, 1, -11, 1)),
              "ata1: the requester of suspend reads -11, which is not its result");
    EXPECT_EQ(violation_of("result-to-requester", asked(0)(pm_result_read, 1, 0, 2)),
              "ata1: the requester of suspend has been given two results");
}

TEST(ResultToRequester, sees_success_before_the_end) {
    handmade_run bad;
    bad(pm_asked, 1, pm_event::suspend)(pm_request, 1, pm_event::suspend)(pm_answered, 1, 0);
    EXPECT_EQ(violation_of("result-to-requester", bad(pm_result_read, 1, 0, 0)),
              "ata1: the requester of suspend reads success before the operation is over");
    handmade_run refused;
    refused(pm_asked, 1, pm_event::suspend)(pm_answered, 1, -11)(pm_result_read, 1, 0, 0);
    EXPECT_EQ(violation_of("result-to-requester", refused), "");
}

// Another requester's suspend ends while this one waits for its turn, or is in its way.
TEST(ResultToRequester, forgives_who_looks_early_while_another_ones_operation_ends) {
    handmade_run early;
    early(pm_request, 1, pm_event::suspend)(pm_asked, 1, pm_event::suspend)(pm_done, 1, 0);
    early(pm_request, 1, pm_event::suspend)(pm_answered, 1, 0);
    EXPECT_EQ(violation_of("result-to-requester", early(pm_result_read, 1, -115, 0)), "");
}

TEST(ResultToRequester, sees_a_result_that_went_to_one_who_posted_over_it) {
    handmade_run bad;
    bad(pm_asked, 1, pm_event::suspend)(pm_request, 1, pm_event::suspend)(pm_answered, 1, 0);
    bad.thread = 2;
    bad(pm_request, 1, pm_event::suspend)(pm_done, 1, 0);
    bad.thread = 1;
    EXPECT_EQ(violation_of("result-to-requester", bad(pm_result_read, 1, -115, 0)),
              "ata1: the requester of suspend is never told how it ended");
}

handmade_run suspended(int result, int told) {
    handmade_run run;
    run(pm_phase_begin, "suspend")(pm_calling, "ata1")(pm_request, 1, pm_event::suspend);
    return run(pm_done, 1, result)(pm_call_returned, "ata1", told);
}

TEST(SuspendFailureTold, sees_a_failure_that_the_callback_keeps_to_itself) {
    EXPECT_EQ(violation_of("suspend-failure-told", suspended(0, 0)(power_off)), "");
    EXPECT_EQ(violation_of("suspend-failure-told", suspended(-5, -5)), "");
    EXPECT_EQ(violation_of("suspend-failure-told", suspended(-5, 0)),
              "ata1: its suspend failed with -5, and the PM core is told success");
    EXPECT_EQ(violation_of("suspend-failure-told", suspended(-5, -5)(power_off)),
              "ata1: its suspend failed with -5, and the machine sleeps");
}

TEST(RuntimeAndPortAgree, compares_them_at_the_end) {
    handmade_run run;
    run.port1.suspended = run.port1.port_runtime_suspended = true;
    EXPECT_EQ(violation_of("runtime-and-port-agree", run), "");
    run.port1.port_runtime_suspended = false;
    EXPECT_EQ(violation_of("runtime-and-port-agree", run),
              "ata1 is suspended, and active for runtime PM");
    run.port1.port_runtime_suspended = true;
    run.port1.suspended = false;
    EXPECT_EQ(violation_of("runtime-and-port-agree", run),
              "ata1 is not suspended, and suspended for runtime PM");
}

TEST(RuntimeAndPortAgree, asks_designs_whose_ports_have_callbacks) {
    const auto applies = study::find_property("runtime-and-port-agree")->applies;
    pm_design of_host;
    EXPECT_FALSE(applies(of_host));
    of_host.port_suspend = [](pm_port&, kernel::pm_message) { return errno_t::ok; };
    EXPECT_TRUE(applies(of_host));
}

TEST(RuntimeAndPortAgree, forgives_who_suspends_a_port_behind_the_pm_cores_back_until_its_resume) {
    handmade_run run;
    run.port1.suspended = true;
    run(pm_asked, 1, pm_event::suspend)(pm_request, 1, pm_event::suspend)(pm_answered, 1, 0);
    EXPECT_EQ(violation_of("runtime-and-port-agree", run), "");
    run(pm_phase_begin, "resume")(pm_calling, "ata1");
    EXPECT_EQ(violation_of("runtime-and-port-agree", run),
              "ata1 is suspended, and active for runtime PM");
}

TEST(NoFrozenPort, lets_a_suspended_port_be_frozen) {
    handmade_run run;
    run.port1.frozen = run.port1.suspended = true;
    EXPECT_EQ(violation_of("no-frozen-port", run), "");
    run.port1.suspended = false;
    EXPECT_EQ(violation_of("no-frozen-port", run),
              "ata1 is frozen, EH is idle, and nothing suspends it");
}

TEST(NoEhCommandOnFrozenPort, tells_a_frozen_port_from_a_drive_that_fails) {
    handmade_run run;
    run(ata_power_check_failed, 1, 0x4)(ata_verify_failed, 1, 0x1);
    EXPECT_EQ(violation_of("no-eh-command-on-frozen-port", run), "");
    run(ata_standby_failed, 1, 0x40);
    EXPECT_EQ(violation_of("no-eh-command-on-frozen-port", run),
              "ata1: EH gives STANDBY IMMEDIATE to a port that is frozen");
}

TEST(ResumingMarkEnds, lets_none_wait_but_what_runtime_pm_has_suspended) {
    handmade_run run;
    run.port1.resuming = run.port1.rescans = true;
    EXPECT_EQ(violation_of("resuming-mark-ends", run),
              "ata1 is active, and its device is still marked as resuming");
    run.port1.disk_runtime_suspended = true;
    EXPECT_EQ(violation_of("resuming-mark-ends", run), "");
    run.port1.suspended = true;
    EXPECT_EQ(violation_of("resuming-mark-ends", run),
              "ata1 is suspended, and its device is marked as resuming");
    run.port1.enabled = false;
    EXPECT_EQ(violation_of("resuming-mark-ends", run), "");
}

TEST(EhStartBounded, counts_from_the_last_command_that_came_back) {
    handmade_run run;
    run(scsi_dispatch, "0:0:0:0", 1)(pm_request, 1, pm_event::suspend);
    run.now += 60s;
    run(scsi_done, "0:0:0:0", 1, 0)(eh_begin, 1, 1)(eh_end, 1);
    EXPECT_EQ(violation_of("eh-start-bounded", run), "");
    run(pm_request, 1, pm_event::resume);
    run.now += 11s;
    run(eh_begin, 1, 1);
    EXPECT_EQ(violation_of("eh-start-bounded", run),
              "ata1: EH began 11000 ms after the last command was back");
}

TEST(EhStartBounded, sees_an_eh_that_never_runs) {
    handmade_run run;
    run(pm_request, 1, pm_event::suspend);
    EXPECT_EQ(violation_of("eh-start-bounded", run), "ata1: EH was asked for, and never ran");
}

TEST(NoStrayEventAfterReset, asks_for_a_reason_of_each_further_pass) {
    handmade_run run;
    run(eh_begin, 1, 1)(pm_request, 1, pm_event::suspend)(eh_begin, 1, 2);
    EXPECT_EQ(violation_of("no-stray-event-after-reset", run), "");
    run(command_done, 1, 0xEC, 0, 0x51, 4)(eh_begin, 1, 3);
    EXPECT_EQ(violation_of("no-stray-event-after-reset", run), "");
    run(command_done, 1, 0xEC, 0, 0x50, 0)(eh_begin, 1, 4);
    EXPECT_EQ(violation_of("no-stray-event-after-reset", run),
              "ata1: EH runs pass 4 for nothing that happened in the last");
}

TEST(NoStrayEventAfterReset, takes_who_asks_for_eh_for_a_reason_of_one_pass) {
    handmade_run run;
    run(eh_begin, 1, 1)(eh_asked, 1)(eh_begin, 1, 2);
    EXPECT_EQ(violation_of("no-stray-event-after-reset", run), "");
    EXPECT_EQ(violation_of("no-stray-event-after-reset", run(eh_begin, 1, 3)),
              "ata1: EH runs pass 3 for nothing that happened in the last");
}

} // namespace
} // namespace spinup::test
