#include "emu/study/explore/watches.hpp"

#include "drivers/ata/libata_eh.hpp"
#include "drivers/base/power/runtime.hpp"
#include "emu/trace/interleaving_table.hpp"

#include <algorithm>
#include <cstring>

namespace spinup::study {

namespace {

/// Of a table that is not whole: some screens, and a few rows of what follows.
constexpr std::size_t rows_before = 400;
constexpr std::size_t rows_after = 20;

port_facts facts_at_first(machine::world& w, u32 number) {
    port_facts f;
    const drivers::ata_port& ap = w.ata(number);
    const auto& attached = w.what().ports.at(number - 1).attached;
    f.disk = attached.has_value() && attached->kind != machine::drive_kind::odd;
    f.turns = attached.has_value() && attached->kind == machine::drive_kind::hdd;
    f.write_cache = f.disk && ap.link.dev.id.write_cache_enabled();
    f.returns = attached.has_value() && attached->can_return();
    f.managed = drivers::eh_starts_disks(ap) || (attached.has_value() && attached->driver);
    f.plugged = attached.has_value();
    return f;
}

/// Reads shared fields, as a thread of the world would: not while one could run.
void add_facts_at_end(port_facts& f, machine::world& w, u32 number) {
    using drivers::any;
    using drivers::ata_pflags;
    const drivers::ata_port& ap = w.ata(number);
    const drivers::ata_device& dev = ap.link.dev;
    const ata_pflags flags = ap.pflags;
    f.enabled = drivers::ata_dev_enabled(dev);
    if (const hw::drive* d = w.drive_of(number))
        f.turning = d->spindle_state() == hw::spindle::state::at_speed ||
                    d->spindle_state() == hw::spindle::state::starting;
    f.frozen = any(flags, ata_pflags::FROZEN);
    f.suspended = any(flags, ata_pflags::SUSPENDED);
    f.resuming = any(dev.flags, drivers::ata_dflags::RESUMING);
    f.rescans = ap.scsi_rescan_task && ap.host.eh.rescan_tells_driver;
    f.eh_busy = any(flags, ata_pflags::EH_PENDING | ata_pflags::EH_IN_PROGRESS);
    f.unloading = any(flags, ata_pflags::UNLOADING);
    f.runtime_pm = ap.host.switches.runtime_pm;
    f.port_runtime_suspended = drivers::pm_runtime_suspended(ap.tdev);
    if (const drivers::scsi_device* const sdev = dev.sdev)
        f.disk_runtime_suspended = drivers::pm_runtime_suspended(sdev->sdev_gendev);
}

} // namespace

watches::watches(machine::world& w, std::span<const property* const> all, bool with_records)
    : world_(w), all_(all) {
    if (with_records)
        world_.log().attach(records_.emplace());
}

watches::~watches() {
    if (records_)
        world_.log().detach(*records_);
    if (suite_)
        world_.log().detach(*this);
}

void watches::booted() {
    if (records_) {
        world_.log().drain();
        boot_records_ = records_->records().size();
    }
    if (all_.empty())
        return;
    ports_.reserve(world_.ports());
    for (u32 n = 1; n <= world_.ports(); ++n)
        ports_.push_back(facts_at_first(world_, n));
    const run_facts& facts = *this; // a base that others need not know of
    suite_.emplace(facts, *world_.options().design, all_);
    world_.log().attach(*this, suite_->sees());
}

void watches::take(std::span<const trace_record> records, const trace&) {
    for (const trace_record& r : records) {
        if (broken_)
            return;
        broken_ = suite_->take(r);
        if (broken_)
            broken_by_ = r;
    }
}

void watches::at_end() {
    if (!suite_ || broken_)
        return;
    for (u32 n = 1; n <= ports_.size(); ++n)
        add_facts_at_end(ports_[n - 1], world_, n);
    broken_ = suite_->at_end();
}

std::string watches::interleaving(std::string_view bottom, bool whole) const {
    // The threads of the boot are only named.
    std::vector<trace_record> shown;
    const auto all = records_->records();
    for (const trace_record& r : all.first(boot_records_))
        if (static_cast<trace_event>(r.event) == trace_event::thread_start)
            shown.push_back(r);
    shown.insert(shown.end(), all.begin() + static_cast<std::ptrdiff_t>(boot_records_), all.end());
    interleaving_options options;
    options.bottom = bottom;
    if (broken_by_) {
        const auto at = std::find_if(shown.begin(), shown.end(), [&](const trace_record& r) {
            return std::memcmp(&r, &*broken_by_, sizeof r) == 0;
        });
        options.marked = static_cast<std::size_t>(at - shown.begin());
    }
    if (!whole) {
        options.rows_before = rows_before;
        options.rows_after = rows_after;
    }
    return interleaving_table(shown, world_.log(), options);
}

} // namespace spinup::study
