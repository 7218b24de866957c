// A second requester of a port's design, as libsas is one: it asks for a suspend and a resume of
// the port, one upon the other, and has a place for each result. Linux:
// drivers/scsi/libsas/sas_ata.c.
#include "emu/study/scenarios/registry.hpp"

#include <spinup/kernel/result_slot.hpp>

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

/// Asks until it is accepted: a design may say that another request is pending.
errno_t ask(stage& s, kernel::pm_message message, kernel::result_slot& result) {
    for (;;) {
        const errno_t rc = s.request(1, message, result);
        if (rc != errno_t::eagain)
            return rc;
        s.sleep(1ms);
    }
}

/// `patient`: it stays until EH is through, which is how libsas uses it. Otherwise the place of the
/// result dies when this returns.
void ask_and_wait(stage& s, kernel::pm_message message, bool patient) {
    kernel::result_slot result = s.place_for_a_result();
    const errno_t rc = ask(s, message, result);
    if (!patient)
        return;
    s.settle();
    if (!failed(rc))
        static_cast<void>(s.read_result(1, result));
}

void play(stage& s) {
    const u32 cycles = 1 + s.option("more-cycles", 2);
    const bool hasty_suspend = s.option("suspend-not-waited-for");
    const bool hasty_resume = s.option("resume-not-waited-for");
    const duration gap = s.option("gap", {0ms, 1ms, 70ms});
    const bool scan = s.option("scan");
    if (scan)
        s.spawn("scanner", [&s] { s.trigger_eh(1); });
    for (u32 i = 0; i < cycles; ++i) {
        ask_and_wait(s, kernel::PMSG_SUSPEND, !hasty_suspend);
        ask_and_wait(s, kernel::PMSG_RESUME, !hasty_resume);
        s.sleep(gap);
    }
    s.join();
}

} // namespace

const scenario scenario_sas_like{
    .name = "sas-like",
    .summary = "one SSD without sd: a second requester, whose place for a result may die early",
    .machine = "fast-ssd",
    .overrides = without_sd,
    .play = play,
};

} // namespace spinup::study
