#include "emu/study/verdict.hpp"

#include "tests/support/studies.hpp"

namespace spinup::test {
namespace {

using namespace spinup::literals;

const kernel::run_end done{};

/// A run of one disk that came back, as the study would hand it over.
study::run_report good_run() {
    study::run_report r;
    r.names = {"", "ata1", "resume"};
    study::port_times p;
    p.port = 1;
    p.has_drive = true;
    p.ready = 5s;
    p.first_io = 5s;
    r.cycles.emplace_back().ports.push_back(p);
    study::callback_time c;
    c.device = name_id{1};
    c.phase = name_id{2};
    r.callbacks.push_back(c);
    return r;
}

std::string verdict_of(study::run_report r, const kernel::run_end& end = done, u64 complaints = 0) {
    study::judge(r, from_text(hba(1) + disk(1, 5'000)), end, complaints);
    EXPECT_EQ(r.reason.empty(), r.ok());
    return r.verdict;
}

TEST(Verdict, is_ok_when_all_came_back) { EXPECT_EQ(verdict_of(good_run()), "ok"); }

TEST(Verdict, names_a_device_whose_resume_failed) {
    auto r = good_run();
    r.callbacks[0].returned = -11;
    study::judge(r, from_text(hba(1) + disk(1, 5'000)), done, 0);
    EXPECT_EQ(r.verdict, "resume-failed");
    EXPECT_EQ(r.reason, "ata1 returned -11 in resume");
}

TEST(Verdict, names_a_drive_that_is_not_in_use_again) {
    auto r = good_run();
    r.cycles[0].ports[0].ready.reset();
    EXPECT_EQ(verdict_of(r), "drive-lost");
    r = good_run();
    r.cycles[0].ports[0].first_io.reset();
    EXPECT_EQ(verdict_of(r), "drive-lost");
}

TEST(Verdict, expects_nothing_of_a_drive_that_never_gets_ready_or_is_not_read) {
    auto r = good_run();
    r.cycles[0].ports[0].first_io.reset();
    study::judge(r, from_text(hba(1) + disk(1, 5'000, "disk_driver = false")), done, 0);
    EXPECT_EQ(r.verdict, "ok");
    r = good_run();
    r.cycles[0].ports[0].ready.reset();
    study::judge(r, from_text(hba(1) + disk(1, 5'000, "never_ready = true")), done, 0);
    EXPECT_EQ(r.verdict, "ok");
    for (const char* when : {"always", "after_sleep"}) {
        const std::string fault = std::string{"identify_fails = \""} + when + "\"";
        r = good_run();
        r.cycles[0].ports[0].ready.reset();
        study::judge(r, from_text(hba(1) + disk(1, 5'000, fault)), done, 0);
        EXPECT_EQ(r.verdict, "ok") << when;
    }
}

TEST(Verdict, puts_the_kernels_own_first) {
    auto r = good_run();
    r.verdict = "suspend-failed";
    r.reason = "-EIO";
    EXPECT_EQ(verdict_of(r), "suspend-failed");
    kernel::run_end end;
    end.how = kernel::verdict::deadlock;
    EXPECT_EQ(verdict_of(r, end), "deadlock");
    EXPECT_EQ(verdict_of(good_run(), done, 1), "complaint");
}

TEST(Verdict, of_a_drive_that_libata_gives_up_is_drive_lost) {
    const auto report = run(from_text(hba(1) + disk(1, 70'000)), non_blocking, "async");
    EXPECT_EQ(report.verdict, "drive-lost");
}

} // namespace
} // namespace spinup::test
