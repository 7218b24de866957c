// The two ends of a SATA cable, at the level of Frame Information Structures.
//
// Standard: Serial ATA 3.x chapters 8 (out-of-band signals) and 10 (FIS). What lies below a FIS
// (primitives, scrambling, CRC) is not modelled: a FIS arrives whole and is answered R_OK (true) or
// R_ERR (false).
//
// Rule of both ends, so that neither is ever entered twice: a device never answers from inside
// receive() or receive_data(). It answers later, from a timer. A host may call receive_data()
// from inside the receive() of a DMA Activate or PIO Setup FIS, because that is a reply.
#pragma once

#include <span>
#include <spinup/base/units.hpp>
#include <spinup/spec/ahci_types.hpp>
#include <spinup/spec/fis.hpp>

namespace spinup::hw {

/// The host end: what a device may send.
/// Returns: false if the FIS was not taken. The device then waits for a reset.
class sata_host {
  public:
    virtual bool receive(const spec::fis_reg_d2h& fis) = 0;
    virtual bool receive(const spec::fis_pio_setup& fis) = 0;
    /// Asks for the next Data FIS of a write. It has been delivered when this returns true.
    virtual bool receive(const spec::fis_dma_activate& fis) = 0;
    /// One Data FIS to the host, at most spec::fis_data_payload_max bytes.
    virtual bool receive_data(std::span<const u8> payload) = 0;

  protected:
    ~sata_host() = default;
};

/// The device end. Context: timeline callbacks and register writes; never sleeps.
class sata_device {
  public:
    /// Plugs the cable in. `port_number` counts from 1, as ata1 does, and is used in traces only.
    virtual void connect(sata_host& host, u32 port_number) = 0;

    /// Power appears: everything volatile is at its default.
    virtual void power_on() = 0;
    /// Power is gone: whatever was going on never happens.
    virtual void power_off() = 0;

    /// COMRESET begins: the running command is dropped.
    virtual void comreset() = 0;
    /// PhyRdy after a COMRESET: the device now owes the host its signature FIS.
    virtual void link_up(spec::ssts_spd speed) = 0;
    /// Fastest speed the device can negotiate.
    [[nodiscard]] virtual spec::ssts_spd max_speed() const = 0;

    virtual void receive(const spec::fis_reg_h2d& fis) = 0;
    /// A Data FIS, or the command packet of PACKET.
    virtual void receive_data(std::span<const u8> payload) = 0;

  protected:
    ~sata_device() = default;
};

} // namespace spinup::hw
