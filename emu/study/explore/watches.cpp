#include "emu/study/explore/watches.hpp"

#include "drivers/ata/libata.hpp"
#include "emu/trace/interleaving_table.hpp"

namespace spinup::study {

port_facts facts_of(machine::world& w, u32 number) {
    port_facts f;
    const drivers::ata_port& ap = w.ata(number);
    const auto& attached = w.what().ports.at(number - 1).attached;
    f.disk = attached.has_value() && attached->kind != machine::drive_kind::odd;
    f.turns = attached.has_value() && attached->kind == machine::drive_kind::hdd;
    f.enabled = drivers::ata_dev_enabled(ap.link.dev);
    return f;
}

watches::watches(machine::world& w, std::span<const property* const> all, bool with_records)
    : world_(w), all_(all) {
    if (with_records)
        world_.log().attach(records_.emplace());
}

watches::~watches() {
    if (records_)
        world_.log().detach(*records_);
    if (attached_)
        world_.log().detach(*this);
}

void watches::booted() {
    if (records_) {
        world_.log().drain();
        boot_records_ = records_->records().size();
    }
    const pm_design& design = *world_.options().design;
    for (const property* each : all_)
        if (each->applies == nullptr || each->applies(design))
            watched_.push_back({each, each->over(*this)});
    if (watched_.empty())
        return;
    world_.log().attach(*this);
    attached_ = true;
}

void watches::take(std::span<const trace_record> records, const trace&) {
    for (const trace_record& r : records)
        for (const watched& each : watched_) {
            if (broken_)
                return;
            note(each, each.watch->take(r));
        }
}

void watches::at_end() {
    for (const watched& each : watched_) {
        if (broken_)
            return;
        note(each, each.watch->at_end());
    }
}

void watches::note(const watched& by, violation how) {
    if (how)
        broken_ = broken_property{by.what, *std::move(how)};
}

std::string watches::interleaving(std::string_view bottom) const {
    // The threads of the boot are only named.
    std::vector<trace_record> shown;
    const auto all = records_->records();
    for (const trace_record& r : all.first(boot_records_))
        if (static_cast<trace_event>(r.event) == trace_event::thread_start)
            shown.push_back(r);
    shown.insert(shown.end(), all.begin() + static_cast<std::ptrdiff_t>(boot_records_), all.end());
    interleaving_options options;
    options.bottom = bottom;
    return interleaving_table(shown, world_.log(), options);
}

} // namespace spinup::study
