// Our own design: what the history of the others asks for, in one place.
//
// A resume posts its request and returns. A suspend waits for its own result alone, and ends what
// EH waits for after power was gone, the link or the drive, so the port goes down in milliseconds;
// whatever is held in the queue stays there for the next resume. A drive that has answered by then
// is told to stop, one that has not when it answers before the machine sleeps
// (libata-pm-abort.cpp). Not ended are a command that the drive has taken, which only a reset would
// end; a wait for a drive that was ready before and turns again, which is stopped when it can
// listen; and anything for a runtime suspend, after which the power stays. Each requester takes its
// turn under the lock, tests again after each wait
// (`while`), and waits for no more than that the request before it is picked up; one that asks for
// what the port is already is told -EALREADY. EH picks a request up whole, so a suspend never mixes
// with a resume or an error that it finds (L1, L3), and takes nothing of it into the next cycle
// (L7). Results are counted objects: a late one is neither lost to a requester that still asks nor
// written where one has gone (H2), and -EINPROGRESS until then (H4); a port that cannot be
// suspended says so (L4). Its disk start flushes only what was written.
#include "drivers/ata/pm_designs/callbacks.hpp"
#include "drivers/ata/pm_designs/registry.hpp"

namespace spinup::drivers {
namespace {

/// Locks: none held; the port's is taken. Returns: -EALREADY, and nothing is posted, if the port is
/// what it is asked to be.
errno_t post_in_turn(pm_port& ap, kernel::pm_message mesg, kernel::result_slot* result) {
    kernel::spin_guard guard(ap.lock());
    while (ap.pm_pending()) {
        guard.unlock();
        ap.wait_posted(nullptr);
        guard.lock();
    }
    if (ap.suspended() != mesg.resumes())
        return errno_t::ealready;
    ap.post(mesg, ask_of(mesg).action, ask_of(mesg).flags, result);
    return errno_t::ok;
}

/// Returns: what EH says of the request.
errno_t carry_out(pm_port& ap, kernel::pm_message mesg) {
    kernel::result_slot result{ap.kernel(), errno_t::einprogress, true};
    if (failed(post_in_turn(ap, mesg, &result)))
        result.set(errno_t::ok);
    ap.wait_posted(&result);
    ap.wait_eh();
    return result.value();
}

errno_t request(pm_port& ap, kernel::pm_message mesg, kernel::result_slot& result) {
    return post_in_turn(ap, mesg, &result);
}

errno_t ata_port_suspend(pm_port& ap, kernel::pm_message mesg) {
    const bool skipped = mesg.event == kernel::pm_event::hibernate && ap.runtime_suspended();
    return skipped || stays_suspended(ap, mesg) ? errno_t::ok : carry_out(ap, mesg);
}

errno_t ata_port_resume(pm_port& ap, kernel::pm_message mesg) {
    if (mesg.event == kernel::pm_event::auto_resume)
        return carry_out(ap, mesg);
    const bool skipped = mesg.event == kernel::pm_event::resume && ap.runtime_suspended();
    if (!skipped)
        static_cast<void>(post_in_turn(ap, mesg, nullptr)); // somebody else may have woken it
    return errno_t::ok;
}

} // namespace

const pm_design pm_design_spinup_reference{
    .name = "spinup_reference",
    .summary = "non-blocking both ways: a suspend ends a resume's wait for link and disk",
    .source = "spinup's own",
    .port_suspend = ata_port_suspend,
    .port_resume = ata_port_resume,
    .request = request,
    .answers_requests = true,
    .resume_returns = true,
    .suspend_aborts_resume = true,
    .counted_results = true,
    .takes_requests_whole = true,
    .disk_start = "reference",
};

} // namespace spinup::drivers
