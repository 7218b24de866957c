// The HBA's interrupts, as the client takes them: MSI by one eventfd, INTA# by another.
//
// INTA# is a level, an eventfd an edge. VFIO's way out: the device raises it, the client masks the
// line by itself (AUTOMASKED), and asks for an unmask at the guest's next access to the device; a
// line that is still asserted then is raised again.
//
// An HBA that speaks in messages, under a guest that has not switched MSI on (its kernel was told
// not to): each message becomes an edge of INTA#, and one that comes while the line is masked is
// raised at the unmask. The guest may see one interrupt too many, and never one too few.
//
// An eventfd is the client's, who could hand in anything that has a descriptor, say a pipe that is
// full and would block the server. Files of any other type than the kernel's nameless ones are
// refused, and an eventfd is made non-blocking: a counter at its limit says "interrupt" already.
#pragma once

#include "emu/remote/unique_fd.hpp"
#include "emu/remote/wire.hpp"

#include <spinup/bus.hpp>

namespace spinup::remote {

class irq_eventfds final : public bus::irq_sink {
  public:
    void message() override;
    void level(bool asserted) override;

    /// An invalid descriptor takes the eventfd away. A new one of INTx begins unmasked.
    /// Returns: 0, or EINVAL if this is no eventfd; nothing has changed then.
    int set_msi(unique_fd eventfd);
    int set_intx(unique_fd eventfd);
    void mask_intx() { masked_ = true; }
    void unmask_intx();
    /// Raises an interrupt as if the device had. Returns: false if there is no eventfd for it.
    bool trigger_msi();
    bool trigger_intx();
    /// The client is gone: no eventfds, nothing asserted.
    void forget();

  private:
    void raise_intx();

    unique_fd msi_;
    unique_fd intx_;
    bool asserted_ = false;
    bool due_ = false; ///< a message waits for the unmask of INTx
    bool masked_ = false;
};

} // namespace spinup::remote
