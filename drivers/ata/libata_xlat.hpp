// From SCSI commands to taskfiles, and from ATA errors to sense data. Linux 3.11:
// drivers/ata/libata-scsi.c; the standard is SAT-3 (SCSI / ATA Translation).
#pragma once

#include "drivers/ata/libata.hpp"

namespace spinup::drivers {

/// Fills the command's taskfile from the SCSI command. Returns: false if it cannot be translated;
/// then it has sense data.
using ata_xlat_fn = bool (*)(ata_queued_cmd& qc, scsi_cmnd& cmd);

/// The translator of this command for this device; null if no taskfile is needed.
[[nodiscard]] ata_xlat_fn ata_get_xlat_func(const ata_device& dev, const spec::cdb& cdb);

/// Answers a command that needs no device.
void ata_scsi_simulate(scsi_cmnd& cmd);

/// Sense data of a failed ATA command, from its Status and Error fields.
void ata_gen_ata_sense(const ata_queued_cmd& qc, scsi_cmnd& cmd);

/// Features and byte count limit of a PACKET command.
void ata_set_packet_features(ata_taskfile& tf, u32 bytes);

} // namespace spinup::drivers
