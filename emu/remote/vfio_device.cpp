#include "emu/remote/vfio_device.hpp"

#include "emu/remote/registers.hpp"

#include <cerrno>
#include <spinup/base/check.hpp>

namespace spinup::remote {

namespace {

template <class T> void append(std::vector<u8>& out, const T& value) {
    const auto* bytes = reinterpret_cast<const u8*>(&value);
    out.insert(out.end(), bytes, bytes + sizeof(value));
}

} // namespace

vfio_device::vfio_device(platform& machine, trace& log, dma_windows& memory,
                         irq_eventfds& interrupts, const pci_identity& identity)
    : machine_(machine), trace_(log), memory_(memory), interrupts_(interrupts), identity_(identity),
      function_(identity, *this) {
    CHECK(machine.hba().port_count() == identity.ports);
    CHECK(machine.hba().config().msi == identity.msi);
    CHECK(!machine.hba().powered());
}

void vfio_device::attach() {
    CHECK(!attached_);
    attached_ = true;
    greeted_ = false;
    slept_ = false;
    resets_ = 0;
    trace_.emit(trace_event::guest_attached);
    function_.reset();
    update_bus_master();
    machine_.power_on_ready();
}

void vfio_device::detach() {
    CHECK(attached_);
    attached_ = false;
    machine_.power_off();
    interrupts_.forget();
    memory_.unmap_all();
    trace_.emit(trace_event::guest_detached);
}

vfio_device::answer vfio_device::handle(request& what) {
    CHECK(attached_);
    if (std::holds_alternative<ask::version>(what.body) == greeted_)
        return {EINVAL, {}};
    answer out;
    const int e = std::visit([&](auto& body) { return carry_out(body, out.payload); }, what.body);
    return e == 0 ? out : answer{e, {}};
}

bool vfio_device::resets(const request& what) {
    if (std::holds_alternative<ask::reset>(what.body))
        return true;
    const auto* write = std::get_if<ask::region_write>(&what.body);
    return write != nullptr && write->what.region == wire::region_config &&
           pci_function::is_reset(write->what.offset, write->data);
}

vfio_device::answer vfio_device::answer_to_write(const request& what) {
    answer out;
    append(out.payload, std::get<ask::region_write>(what.body).what);
    return out;
}

bool vfio_device::writes_registers(const request& what) const {
    const auto* write = std::get_if<ask::region_write>(&what.body);
    return write != nullptr && greeted_ && write->what.region == wire::region_bar5 &&
           valid(write->what);
}

// The two events of the PCI function.

void vfio_device::power_state(spec::pci_power state) {
    slept_ = slept_ || state == spec::pci_power::d3hot;
    trace_.emit(trace_event::pci_power_state, state);
}

void vfio_device::function_level_reset() {
    function_.reset();
    machine_.hba().function_reset();
}

// Requests.

int vfio_device::carry_out(ask::version& what, std::vector<u8>& payload) {
    const std::string ours = version_reply(what.reply_room);
    payload.assign(ours.begin(), ours.end());
    greeted_ = true;
    return 0;
}

int vfio_device::carry_out(ask::dma_map& what, std::vector<u8>&) {
    return memory_.map(what.what, std::move(what.file));
}

int vfio_device::carry_out(ask::dma_unmap& what, std::vector<u8>& payload) {
    append(payload, what.what);
    return memory_.unmap(what.what);
}

int vfio_device::carry_out(ask::device_info&, std::vector<u8>& payload) {
    append(payload, wire::device_info{.argsz = sizeof(wire::device_info),
                                      .flags = wire::device_reset_supported | wire::device_pci,
                                      .num_regions = wire::region_count,
                                      .num_irqs = wire::irq_count});
    return 0;
}

u64 vfio_device::region_size(u32 index) const {
    if (index == wire::region_bar5)
        return function_.bar5_size();
    return index == wire::region_config ? spec::pci_config::size : 0;
}

int vfio_device::carry_out(ask::region_info& what, std::vector<u8>& payload) {
    if (what.index >= wire::region_count)
        return EINVAL;
    const u64 size = region_size(what.index);
    append(payload,
           wire::region_info{.argsz = sizeof(wire::region_info),
                             .flags = size != 0 ? wire::region_readable | wire::region_writable : 0,
                             .index = what.index,
                             .cap_offset = 0,
                             .size = size,
                             .offset = 0});
    return 0;
}

u32 vfio_device::irq_lines(u32 index) const {
    return index == wire::irq_intx || (index == wire::irq_msi && identity_.msi) ? 1 : 0;
}

int vfio_device::carry_out(ask::irq_info& what, std::vector<u8>& payload) {
    if (what.index >= wire::irq_count)
        return EINVAL;
    const u32 lines = irq_lines(what.index);
    const u32 extra = what.index == wire::irq_intx ? wire::irq_maskable | wire::irq_automasked
                                                   : wire::irq_noresize;
    append(payload, wire::irq_info{.argsz = sizeof(wire::irq_info),
                                   .flags = lines != 0 ? wire::irq_eventfd | extra : 0,
                                   .index = what.index,
                                   .count = lines});
    return 0;
}

int vfio_device::set_irq(u32 index, unique_fd eventfd) {
    return index == wire::irq_msi ? interrupts_.set_msi(std::move(eventfd))
                                  : interrupts_.set_intx(std::move(eventfd));
}

int vfio_device::trigger_irq(u32 index) {
    const bool done =
        index == wire::irq_msi ? interrupts_.trigger_msi() : interrupts_.trigger_intx();
    return done ? 0 : EINVAL;
}

int vfio_device::carry_out(ask::set_irqs& what, std::vector<u8>&) {
    using namespace wire;
    const auto& s = what.what;
    if (s.start != 0 || irq_lines(s.index) == 0)
        return EINVAL;
    if (s.count == 0) // take everything of this index away
        return set_irq(s.index, {});
    if (s.count != 1)
        return EINVAL;

    const bool triggers = (s.flags & set_action_trigger) != 0;
    if ((s.flags & set_data_eventfd) != 0) {
        if (!triggers) // an unmask by eventfd is for those who share a kernel
            return EINVAL;
        return set_irq(s.index,
                       what.eventfds.empty() ? unique_fd{} : std::move(what.eventfds.front()));
    }
    if ((s.flags & set_data_bool) != 0 && what.flags.front() == 0)
        return 0;
    if (triggers)
        return trigger_irq(s.index);
    if (s.index != irq_intx)
        return EINVAL;
    if ((s.flags & set_action_mask) != 0)
        interrupts_.mask_intx();
    else
        interrupts_.unmask_intx();
    return 0;
}

bool vfio_device::valid(const wire::region_access& what) const {
    const u64 size = region_size(what.region);
    if (what.count == 0 || what.count > size || what.offset > size - what.count)
        return false;
    return what.region == wire::region_config || is_register_access(what.offset, what.count);
}

int vfio_device::carry_out(ask::region_read& what, std::vector<u8>& payload) {
    const auto& access = what.what;
    if (!valid(access))
        return EINVAL;
    append(payload, access);
    const std::size_t head = payload.size();
    payload.resize(head + access.count, 0xFF);
    const auto into = std::span{payload}.subspan(head);
    const u32 offset = static_cast<u32>(access.offset);
    if (access.region == wire::region_config)
        function_.read(offset, into);
    else if (function_.power() == spec::pci_power::d0)
        read_registers(machine_.hba(), offset, into);
    return 0;
}

int vfio_device::carry_out(ask::region_write& what, std::vector<u8>& payload) {
    const auto& access = what.what;
    if (!valid(access))
        return EINVAL;
    const u32 offset = static_cast<u32>(access.offset);
    if (access.region == wire::region_config) {
        function_.write(offset, what.data);
        update_bus_master();
    } else if (function_.power() == spec::pci_power::d0) {
        write_registers(machine_.hba(), offset, what.data);
    }
    append(payload, access);
    return 0;
}

int vfio_device::carry_out(ask::reset&, std::vector<u8>&) {
    trace_.emit(trace_event::device_reset, ++resets_);
    machine_.power_off();
    function_.reset();
    update_bus_master();
    if (resets_ == 1 && !slept_)
        machine_.power_on_ready();
    else
        machine_.power_on();
    return 0;
}

} // namespace spinup::remote
