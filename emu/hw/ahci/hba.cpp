#include "emu/hw/ahci/hba.hpp"

#include "emu/hw/ahci/port.hpp"
#include "emu/hw/ahci/register_masks.hpp"

#include <spinup/base/check.hpp>
#include <utility>

namespace spinup::hw {

using namespace spec;

namespace {

cap capabilities(const hba_config& c) {
    return cap{}
        .with(cap::np, static_cast<u8>(c.ports - 1))
        .with(cap::ncs, static_cast<u8>(c.slots - 1))
        .with(cap::spm, c.pmp)
        .with(cap::sam, c.ahci_only)
        .with(cap::iss, c.speed)
        .with(cap::sclo, c.command_list_override)
        .with(cap::sss, c.staggered_spin_up)
        .with(cap::s64a, c.addressing_64);
}

} // namespace

hba::hba(timeline& line, trace& log, bus::irq_sink& irq, bus::dma& memory, const hba_config& config)
    : trace_(log), irq_(irq), dma_(memory), config_(config),
      masks_(std::make_unique<register_masks>(
          make_register_masks(capabilities(config), cap2{}, config.slots))),
      names_(std::make_unique<port_names>(log)),
      reset_timer_(timer::bound<&hba::reset_done>(line, *this)) {
    CHECK(config.ports >= 1 && config.ports <= max_ports);
    CHECK(config.slots >= 1 && config.slots <= max_slots);
    regs_.fill(~0u);
    for (u32 i = 0; i < config.ports; ++i)
        ports_.push_back(std::make_unique<port>(*this, line, i));
}

hba::~hba() = default;

void hba::attach(u32 index, sata_device& device) {
    CHECK(!powered_ && index < config_.ports && ports_[index]->device() == nullptr);
    ports_[index]->plug(device);
}

const port_counters& hba::counters(u32 index) const { return ports_[index]->counters(); }

void hba::reset_counters() {
    for (auto& p : ports_)
        p->counters() = {};
}

void hba::hold_engine(u32 index) { ports_.at(index)->hold_engine(); }

void hba::load_reset_values() {
    regs_.fill(0);
    reg(cap::offset) = capabilities(config_).raw;
    reg(pi::offset) = config_.ports == max_ports ? ~0u : (1u << config_.ports) - 1;
    reg(vs::offset) = reset_value<vs>;
    reg(ghc::offset) = ghc{}.with(ghc::ae, config_.ahci_only).raw;
}

void hba::power_on() {
    CHECK(!powered_);
    powered_ = true;
    trace_.emit(trace_event::power_on);
    load_reset_values();
    for (auto& p : ports_) {
        if (p->device() != nullptr)
            p->device()->power_on();
        p->reset();
        p->init();
    }
}

void hba::power_off() {
    CHECK(powered_);
    trace_.emit(trace_event::power_off);
    reset_timer_.cancel();
    for (auto& p : ports_) {
        p->reset();
        if (p->device() != nullptr)
            p->device()->power_off();
    }
    powered_ = false;
    regs_.fill(~0u);
    drop_interrupts();
}

void hba::function_reset() {
    CHECK(powered_);
    trace_.emit(trace_event::function_reset);
    reset_timer_.cancel();
    load_reset_values(); // the ports' own come after, with their reset
    for (auto& p : ports_)
        p->reset();
    drop_interrupts();
    for (auto& p : ports_)
        p->init();
}

void hba::replug(u32 port) { ports_.at(port)->replug(); }

void hba::drop_interrupts() {
    message_due_ = false;
    if (std::exchange(level_, false))
        irq_.level(false);
}

void hba::write32(u32 offset, u32 value) {
    if (!powered_ || reset_timer_.armed())
        return;
    const u32 aligned = offset & ~3u;
    if (aligned >= port_base) {
        const u32 index = (aligned - port_base) / port_stride;
        if (index < config_.ports)
            ports_[index]->write(aligned % port_stride, value);
    } else if (aligned == is::offset) {
        write_is(value);
    } else if (aligned == ghc::offset) {
        write_ghc(value);
    } // The others are read-only or belong to features that are absent.
    deliver_interrupts();
}

void hba::write_ghc(u32 value) {
    const ghc asked{{value}};
    ghc now{{reg(ghc::offset)}};
    if (asked.get(ghc::hr)) {
        // 10.4.3: AE, IE, IS and all ports. HR reads 1 until the reset is done.
        now = ghc{}.with(ghc::ae, config_.ahci_only).with(ghc::hr, true);
        reg(ghc::offset) = now.raw;
        reg(is::offset) = 0;
        message_due_ = false;
        for (auto& p : ports_)
            p->reset();
        reset_timer_.after(config_.reset_time);
        return;
    }
    const bool could = now.get(ghc::ie);
    now.set(ghc::ie, asked.get(ghc::ie));
    now.set(ghc::ae, config_.ahci_only || asked.get(ghc::ae));
    reg(ghc::offset) = now.raw;
    if (!could && now.get(ghc::ie) && reg(is::offset) != 0)
        message_due_ = true;
}

void hba::reset_done() {
    reg(ghc::offset) = ghc{}.with(ghc::ae, config_.ahci_only).raw;
    reg(is::offset) = 0; // a port that was waiting for memory may have ended its step meanwhile
    for (auto& p : ports_)
        p->init();
    deliver_interrupts();
}

// A bit that is cleared while its port still interrupts is set again, and whatever is left makes
// another message: with one vector, an event that fell between software's look at a port and this
// write would be lost otherwise (10.7.2).
void hba::write_is(u32 value) {
    u32 pending = reg(is::offset) & ~value;
    for (u32 i = 0; i < config_.ports; ++i)
        if (ports_[i]->interrupting())
            pending |= 1u << i;
    reg(is::offset) = pending;
    message_due_ = pending != 0;
}

void hba::port_changed(u32 index, bool interrupting) {
    const u32 bit = 1u << index;
    if (!interrupting || (reg(is::offset) & bit) != 0)
        return;
    reg(is::offset) |= bit;
    message_due_ = true;
}

void hba::deliver_interrupts() {
    const u32 pending = reg(is::offset);
    const bool enabled = (reg(ghc::offset) & ghc::ie.mask) != 0;
    const bool wanted = enabled && pending != 0;
    if (config_.msi) {
        if (!std::exchange(message_due_, false) || !wanted)
            return;
        trace_.emit(trace_event::hba_irq, pending);
        irq_.message();
        return;
    }
    if (wanted == level_)
        return;
    level_ = wanted;
    if (wanted)
        trace_.emit(trace_event::hba_irq, pending);
    irq_.level(wanted);
}

} // namespace spinup::hw
