#include "emu/study/explore/subject.hpp"

#include "drivers/ata/kernel_versions.hpp"
#include "drivers/ata/pm_designs/registry.hpp"
#include "drivers/ata/switches.hpp"
#include "emu/machine/suggest.hpp"

namespace spinup::study {

namespace {

template <class Registry, class Find>
auto look_up(const char* kind, const Registry& registry, Find find, std::string_view name)
    -> result<decltype(find(name))> {
    if (const auto found = find(name))
        return found;
    std::vector<std::string_view> names;
    names.reserve(registry.size());
    for (const auto& each : registry)
        names.push_back(each->name);
    return user_error{{},
                      "no " + std::string{kind} + " is called '" + machine::printable(name) + "'",
                      machine::did_you_mean(name, names)};
}

/// Disk start and order of the newest kernel with the design; for one that no kernel has, those of
/// its time: sd starts disks.
void add_surroundings(machine::world_options& o) {
    for (auto row = drivers::kernel_versions.rbegin(); row != drivers::kernel_versions.rend();
         ++row)
        if (row->design == o.design) {
            o.start = row->start;
            o.order = row->order;
            return;
        }
    o.start = !o.design->disk_start.empty() ? drivers::find_disk_start(o.design->disk_start)
              : o.design->resume_returns    ? &drivers::disk_start_async
                                            : &drivers::disk_start_sync;
    o.order = &drivers::dpm_order_upfront;
}

} // namespace

result<machine::world_options> options_of(const subject& s) {
    machine::world_options o;
    const auto design = look_up("design", drivers::pm_designs, drivers::find_pm_design, s.design);
    if (!design)
        return design.error();
    o.design = *design;
    add_surroundings(o);
    if (!s.disk_start.empty()) {
        const auto start =
            look_up("disk start", drivers::disk_starts, drivers::find_disk_start, s.disk_start);
        if (!start)
            return start.error();
        o.start = *start;
    }
    if (!s.order.empty()) {
        const auto order = look_up("order", drivers::dpm_orders, drivers::find_dpm_order, s.order);
        if (!order)
            return order.error();
        o.order = *order;
    }
    for (const std::string& each : s.switches) {
        auto switched = drivers::with_switch(o.switches, each);
        if (!switched)
            return switched.error();
        o.switches = *std::move(switched);
    }
    return o;
}

} // namespace spinup::study
