#include "drivers/base/power/dpm.hpp"
#include "drivers/scsi/scsi_core.hpp"
#include "drivers/scsi/scsi_eh.hpp"
#include "drivers/scsi/scsi_pm.hpp"
#include "drivers/scsi/scsi_priv.hpp"
#include "drivers/scsi/state_edges.hpp"
#include <spinup/base/check.hpp>

namespace spinup::drivers {

namespace {

using state = scsi_host_state;

// Source: drivers/scsi/hosts.c, scsi_host_set_state().
constexpr state_edge<state> host_edges[] = {
    {state::created, state::running},
    {state::recovery, state::running},
    {state::running, state::recovery},
    {state::created, state::cancel},
    {state::running, state::cancel},
    {state::cancel_recovery, state::cancel},
    {state::cancel, state::del},
    {state::del_recovery, state::del},
    {state::cancel, state::cancel_recovery},
    {state::recovery, state::cancel_recovery},
    {state::cancel_recovery, state::del_recovery},
};
static_assert(all_reachable(host_edges, state::created, state::del_recovery));

// A deleted host must not be in the way of recovery that is under way, so it has two ways out.
void enter_either(Scsi_Host& shost, state usual, state during_recovery) {
    if (failed(scsi_host_set_state(shost, usual)))
        CHECK(!failed(scsi_host_set_state(shost, during_recovery)));
}

} // namespace

std::string_view to_string(scsi_host_state s) {
    constexpr std::string_view names[] = {"created",  "running",         "cancel",      "deleted",
                                          "recovery", "cancel/recovery", "del/recovery"};
    return names[static_cast<unsigned>(s)];
}

Scsi_Host::midlayer_private::midlayer_private(Scsi_Host& shost, std::string_view eh_name)
    : eh_wakeup(shost.kernel, eh_name), eh_exited(shost.kernel, "EH thread's end"),
      done_softirq(shost.kernel, [&shost] { scsi_done_softirq(shost); }) {}

Scsi_Host::Scsi_Host(scsi_core& c, const scsi_host_template& sht, void* driver_data, device* parent)
    : core(c), kernel(c.kernel), hostt(sht), hostdata(driver_data), host_no(c.next_host_no++),
      can_queue(sht.can_queue), default_lock(kernel, "host_lock"),
      host_wait(kernel, "end of SCSI recovery"),
      shost_gendev(kernel, "host" + std::to_string(host_no), parent),
      shost_dev(kernel, "scsi_host/" + shost_gendev.name, &shost_gendev),
      priv(*this, "scsi_eh_" + std::to_string(host_no)) {
    shost_gendev.pm = &scsi_topology_pm_ops;
    shost_gendev.driver_name = "scsi";
    shost_gendev.async_suspend = true;
}

Scsi_Host::~Scsi_Host() = default;

std::unique_ptr<Scsi_Host> scsi_host_alloc(scsi_core& core, const scsi_host_template& sht,
                                           void* hostdata, device* parent) {
    CHECK(sht.queuecommand != nullptr && sht.eh_strategy_handler != nullptr);
    auto shost = std::make_unique<Scsi_Host>(core, sht, hostdata, parent);
    core.kernel.kthread_run("scsi_eh_" + std::to_string(shost->host_no),
                            [&host = *shost] { scsi_error_handler(host); });
    return shost;
}

void scsi_add_host(Scsi_Host& shost) {
    if (shost.ksoftirqd)
        shost.priv.ksoftirqd.emplace(shost.kernel, "ksoftirqd",
                                     [&shost] { scsi_done_softirq(shost); });
    {
        kernel::spin_guard locked(*shost.host_lock);
        CHECK(!failed(scsi_host_set_state(shost, state::running)));
    }
    shost.core.pm.device_add(shost.shost_gendev);
    shost.core.pm.device_add(shost.shost_dev);
    if (shost.runtime_pm)
        scsi_enable_runtime_pm(shost.shost_gendev, shost.core);
    shost.kernel.emit(trace_event::scsi_host_added, shost.host_no);
}

void scsi_remove_host(Scsi_Host& shost) {
    {
        kernel::spin_guard locked(*shost.host_lock);
        enter_either(shost, state::cancel, state::cancel_recovery);
    }
    // A device's resume may still be running in there.
    shost.core.scsi_sd_pm_domain.synchronize();
    for (const auto& sdev : shost.devices)
        scsi_remove_device(*sdev);
    {
        kernel::spin_guard locked(*shost.host_lock);
        enter_either(shost, state::del, state::del_recovery);
    }
    shost.priv.eh_should_stop = true;
    shost.priv.eh_wakeup.wake_all();
    shost.priv.eh_exited.wait();
    shost.core.pm.device_del(shost.shost_dev);
    shost.core.pm.device_del(shost.shost_gendev);
}

errno_t scsi_host_set_state(Scsi_Host& shost, scsi_host_state to) {
    shost.host_lock->assert_held();
    return take_edge(host_edges, shost.shost_state, to);
}

bool scsi_host_in_recovery(const Scsi_Host& shost) {
    // Linux reads it plainly, mostly without the lock: who sees the old state finds out later.
    const state now = shost.shost_state.read_once();
    return now == state::recovery || now == state::cancel_recovery || now == state::del_recovery;
}

} // namespace spinup::drivers
