// The served device: carries out requests on the PCI function, the HBA, the windows and interrupts.
//
// No sockets here: a request comes in, the payload of its reply goes out, so that a test or a
// fuzzer can drive it without a connection. Whatever takes a drive time is a timer of the timeline:
// handle() waits for nothing but memory that is reached by messages.
//
// Power (fact sheet, section 3.6). QEMU sends DEVICE_RESET when it realizes the device, at a
// guest's reboot and at every wake from S3, and nothing when the guest falls asleep. The first one
// means "power on, drives ready" (the firmware would poll for the slowest drive otherwise); each
// later one means that power was lost and is back, and so does a first one after the guest has
// slept. PMCSR = D3hot before it says when the HBA went down.
//
// What the PCI function lets through:
//   registers   in D0, whatever Command.MSE says: QEMU takes the region away from the guest while
//               the bit is clear (its own copy of the bit, which a reset of ours does not touch),
//               and a client that asks all the same means it. In D3hot they read all ones.
//   DMA         with Command.BME set, in D0. A real function cannot do otherwise, SeaBIOS and Linux
//               set the bit before they touch GHC, also at a wake, and QEMU clears it before each
//               reset: what is still in flight then does not reach the next owner of the memory.
//   interrupts  always: the client has taken its eventfd away if the guest wants none.
//
// Eventfds and windows are the client's and outlive every reset, as they do in VFIO. QEMU disables
// interrupts before a DEVICE_RESET and sets INTA# up anew after it; after a function-level reset,
// which it does not know of, the guest's write of MSI control changes nothing in its eyes, and it
// would not send the eventfd again.
#pragma once

#include "emu/remote/codec.hpp"
#include "emu/remote/dma_windows.hpp"
#include "emu/remote/irq_eventfds.hpp"
#include "emu/remote/pci_function.hpp"
#include "emu/remote/platform.hpp"

#include <spinup/trace.hpp>

namespace spinup::remote {

class vfio_device final : private pci_events {
  public:
    /// Requires: the identity is that of the machine's HBA, which has no power. References must
    /// outlive the device.
    vfio_device(platform& machine, trace& log, dma_windows& memory, irq_eventfds& interrupts,
                const pci_identity& identity);

    /// A client has connected: the HBA gets power, with its drives ready. Requires: detached.
    void attach();
    /// It has gone: no windows, no eventfds, no power. Requires: attached.
    void detach();

    struct answer {
        int error_number = 0; ///< 0: the payload counts
        std::vector<u8> payload;
    };
    /// VERSION comes first, and once; anything else is refused with EINVAL. A request that is
    /// refused has changed nothing. Requires: attached; a request of decode()'s, whose shape is
    /// right. May be called from inside a memory access of the HBA, but for what resets().
    answer handle(request& what);
    /// The request may reset the HBA: it must not come in the middle of anything.
    [[nodiscard]] static bool resets(const request& what);
    /// A write of the HBA's registers that will succeed, so that it can be answered before it has
    /// been carried out.
    [[nodiscard]] bool writes_registers(const request& what) const;
    /// That answer.
    [[nodiscard]] static answer answer_to_write(const request& what);

  private:
    void power_state(spec::pci_power state) override;
    void function_level_reset() override;
    void update_bus_master() { memory_.set_enabled(function_.bus_master()); }

    // Each returns 0 and has appended its payload, or returns an errno.
    int carry_out(ask::version& what, std::vector<u8>& payload);
    int carry_out(ask::dma_map& what, std::vector<u8>& payload);
    int carry_out(ask::dma_unmap& what, std::vector<u8>& payload);
    int carry_out(ask::device_info& what, std::vector<u8>& payload);
    int carry_out(ask::region_info& what, std::vector<u8>& payload);
    int carry_out(ask::irq_info& what, std::vector<u8>& payload);
    int carry_out(ask::set_irqs& what, std::vector<u8>& payload);
    int carry_out(ask::region_read& what, std::vector<u8>& payload);
    int carry_out(ask::region_write& what, std::vector<u8>& payload);
    int carry_out(ask::reset& what, std::vector<u8>& payload);

    [[nodiscard]] u64 region_size(u32 index) const;
    [[nodiscard]] u32 irq_lines(u32 index) const;
    int set_irq(u32 index, unique_fd eventfd);
    int trigger_irq(u32 index);
    /// The access lies within its region and has a size that the region takes.
    [[nodiscard]] bool valid(const wire::region_access& what) const;

    platform& machine_;
    trace& trace_;
    dma_windows& memory_;
    irq_eventfds& interrupts_;
    const pci_identity identity_;
    pci_function function_;
    bool attached_ = false;
    bool greeted_ = false;
    bool slept_ = false; ///< has been in D3hot
    u32 resets_ = 0;     ///< DEVICE_RESETs of this client
};

} // namespace spinup::remote
