// The PCI driver of AHCI host adapters: probe, suspend and resume of the function.
// Linux 3.11: drivers/ata/ahci.c.
#pragma once

#include "drivers/ata/libahci.hpp"
#include <spinup/bus.hpp>
#include <string>

namespace spinup::drivers {

/// Requires: a design and its options.
struct ahci_config {
    std::string name = "0000:00:1f.2"; ///< PCI address, the device's name
    u32 irq = 0;
    const pm_design* design = nullptr;
    const eh_options* eh = nullptr;
    driver_switches switches{};
    u32 first_print_id = 1; ///< number of the first port in log lines
    /// Physical address of BAR5, for the log only.
    u32 abar_address = 0;
    /// Time that the PCI core and the platform take around the driver's own work. A real machine
    /// took 14.5 ms in each of resume_noirq and resume (case 01 of the collected logs).
    duration suspend_cost{};
    duration resume_noirq_cost{};
    duration resume_cost{};
    /// A bit for each port whose drive neither sd nor sr is attached to, as in a kernel without
    /// them.
    u32 no_uld_attach = 0;
    /// Parent in the tree; null for none.
    device* parent = nullptr;
};

/// Callbacks of the function. Context: thread (PM core). Sleep.
errno_t ahci_pci_device_suspend(device& dev, kernel::pm_message mesg);
errno_t ahci_pci_device_resume_noirq(device& dev);
errno_t ahci_pci_device_resume(device& dev, kernel::pm_message mesg);

/// An AHCI function and everything below it.
class ahci_host {
  public:
    ahci_host(scsi_core& core, bus::mmio& registers, ahci_config config);
    ~ahci_host();
    ahci_host(const ahci_host&) = delete;
    ahci_host& operator=(const ahci_host&) = delete;

    [[nodiscard]] ata_host& host() { return host_; }
    [[nodiscard]] device& pci_device() { return pdev_; }
    [[nodiscard]] const ahci_host_priv& priv() const { return hpriv_; }
    [[nodiscard]] const ahci_config& config() const { return config_; }
    /// The port of this number in log lines; null if there is none.
    [[nodiscard]] ata_port* find_port(u32 print_id);

  private:
    friend std::unique_ptr<ahci_host> ahci_init_one(scsi_core&, bus::mmio&, ahci_config);
    friend errno_t ahci_pci_device_suspend(device& dev, kernel::pm_message mesg);
    friend errno_t ahci_pci_device_resume_noirq(device& dev);
    friend errno_t ahci_pci_device_resume(device& dev, kernel::pm_message mesg);

    void make_ports();
    void start_ports();
    void print_ports();

    ahci_config config_;
    device pdev_;
    ata_host host_;
    ahci_host_priv hpriv_;
};

/// Resets the controller, finds its ports and their devices, and gives each device to sd or sr.
/// Returns when all ports have been probed. Context: thread. Sleeps.
/// Returns: null if the controller did not come out of its reset.
std::unique_ptr<ahci_host> ahci_init_one(scsi_core& core, bus::mmio& registers, ahci_config config);

/// The driver is unbound: disks are removed, ports and SCSI hosts end, the devices leave the tree.
/// Context: thread. Sleeps.
void ahci_remove_one(ahci_host& h);

} // namespace spinup::drivers
