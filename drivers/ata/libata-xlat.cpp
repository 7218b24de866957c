#include "drivers/ata/libata_xlat.hpp"

#include <algorithm>
#include <cstring>

namespace spinup::drivers {
namespace {

using spec::ata_cmd;
using spec::scsi_op;

/// PACKET's Feature bit 0: data go by DMA (ATAPI_PKT_DMA).
constexpr u16 packet_dma = 0x01;
/// Byte count limit of PACKET. Source: Linux, atapi_xlat(): 63 KiB, an even number below 64 KiB.
constexpr u32 packet_bytes_max = 63 * 1024;

bool invalid_field(scsi_cmnd& cmd) {
    cmd.set_sense(spec::sense_key::illegal_request, spec::asc_pair::invalid_field_in_cdb);
    return false;
}

bool lba_28_ok(u64 lba, u32 n) { return lba + n - 1 < (u64{1} << 28) && n <= 256; }
bool lba_48_ok(u64 lba, u32 n) { return lba + n - 1 < (u64{1} << 48) && n <= 65536; }

/// Linux: ata_build_rw_tf() without NCQ. A count of 0 in the taskfile stands for its maximum.
bool ata_scsi_rw_xlat(ata_queued_cmd& qc, scsi_cmnd& cmd) {
    const spec::cdb& cdb = cmd.cmnd;
    const bool write = cdb.op() == scsi_op::write_10 || cdb.op() == scsi_op::write_16;
    const u64 lba = cdb.lba();
    const u32 n = cdb.blocks();
    ata_taskfile& tf = qc.tf;
    qc.flags |= ata_qcflags::IO;
    if (n == 0 || lba + n > qc.dev->n_sectors) {
        cmd.set_sense(spec::sense_key::illegal_request, spec::asc_pair::lba_out_of_range);
        return false;
    }
    tf.flags |= ata_tflags::ISADDR | ata_tflags::DEVICE | ata_tflags::LBA;
    if (write)
        tf.flags |= ata_tflags::WRITE;
    tf.protocol = ata_prot::dma;
    tf.lba = lba;
    const bool fua = write && cdb.fua() && any(qc.dev->flags, ata_dflags::LBA48);
    if (lba_28_ok(lba, n) && !fua) {
        tf.command = write ? ata_cmd::write_dma : ata_cmd::read_dma;
        tf.nsect = static_cast<u16>(n & 0xFF);
        tf.device = static_cast<u8>(spec::device_lba | (lba >> 24 & 0x0F));
        tf.lba = lba & 0x00FFFFFF;
        return true;
    }
    if (!any(qc.dev->flags, ata_dflags::LBA48) || !lba_48_ok(lba, n)) {
        cmd.set_sense(spec::sense_key::illegal_request, spec::asc_pair::lba_out_of_range);
        return false;
    }
    tf.flags |= ata_tflags::LBA48;
    tf.command = fua     ? ata_cmd::write_dma_fua_ext
                 : write ? ata_cmd::write_dma_ext
                         : ata_cmd::read_dma_ext;
    if (fua)
        tf.flags |= ata_tflags::FUA;
    tf.nsect = static_cast<u16>(n & 0xFFFF);
    tf.device = spec::device_lba;
    return true;
}

bool ata_scsi_flush_xlat(ata_queued_cmd& qc, scsi_cmnd&) {
    qc.tf.flags |= ata_tflags::DEVICE;
    qc.tf.protocol = ata_prot::nodata;
    qc.tf.command =
        any(qc.dev->flags, ata_dflags::FLUSH_EXT) ? ata_cmd::flush_cache_ext : ata_cmd::flush_cache;
    qc.flags |= ata_qcflags::IO; // a flush is worth as many tries as the data it is about
    return true;
}

bool ata_scsi_start_stop_xlat(ata_queued_cmd& qc, scsi_cmnd& cmd) {
    if (cmd.cmnd.loej() || cmd.cmnd.condition() != spec::power_condition::start_valid)
        return invalid_field(cmd);
    ata_taskfile& tf = qc.tf;
    tf.flags |= ata_tflags::DEVICE | ata_tflags::ISADDR;
    tf.protocol = ata_prot::nodata;
    if (!cmd.cmnd.start()) {
        tf.command = ata_cmd::standby_immediate;
        return true;
    }
    // Reading a sector makes any drive spin up, and ends when it has. IMMED cannot be had.
    tf.flags |= ata_tflags::LBA;
    tf.command = ata_cmd::read_verify_sectors;
    tf.nsect = 1;
    tf.device |= spec::device_lba;
    return true;
}

bool atapi_xlat(ata_queued_cmd& qc, scsi_cmnd& cmd) {
    qc.cdb = cmd.cmnd;
    qc.tf.flags |= ata_tflags::ISADDR | ata_tflags::DEVICE;
    qc.tf.command = ata_cmd::packet;
    if (cmd.sc_data_direction == dma_data_direction::to_device)
        qc.tf.flags |= ata_tflags::WRITE;
    qc.tf.protocol = qc.data.bytes != 0 ? ata_prot::atapi_dma : ata_prot::atapi_nodata;
    ata_set_packet_features(qc.tf, qc.data.bytes);
    return true;
}

struct sense_row {
    u8 bits;
    spec::sense_key key;
    spec::asc_pair pair;
};

// First match wins. Source: Linux 3.11, ata_to_sense_error(), its table for the Error field. Some
// rows are odd (media change, 0x20, has none) and are kept as they are there;
// later kernels call 0x10 ILLEGAL REQUEST, LBA out of range.
constexpr std::array error_sense{
    sense_row{0xd1, spec::sense_key::aborted_command, spec::asc_pair::no_additional_sense},
    sense_row{0xd0, spec::sense_key::aborted_command, spec::asc_pair::no_additional_sense},
    sense_row{0x61, spec::sense_key::hardware_error, spec::asc_pair::no_additional_sense},
    sense_row{0x84, spec::sense_key::aborted_command, spec::asc_pair::scsi_parity_error},
    sense_row{0x37, spec::sense_key::not_ready, spec::asc_pair::not_ready_cause_not_reportable},
    sense_row{0x09, spec::sense_key::not_ready, spec::asc_pair::not_ready_cause_not_reportable},
    sense_row{0x01, spec::sense_key::medium_error, spec::asc_pair::address_mark_not_found},
    sense_row{0x02, spec::sense_key::hardware_error, spec::asc_pair::no_additional_sense},
    sense_row{0x04, spec::sense_key::aborted_command, spec::asc_pair::no_additional_sense},
    sense_row{0x08, spec::sense_key::not_ready, spec::asc_pair::not_ready_cause_not_reportable},
    sense_row{0x10, spec::sense_key::aborted_command, spec::asc_pair::recorded_entity_not_found},
    sense_row{0x40, spec::sense_key::medium_error, spec::asc_pair::unrecovered_read_error},
    sense_row{0x80, spec::sense_key::medium_error, spec::asc_pair::unrecovered_read_error},
};
// The same for the Status field, if the Error field says nothing. 11/00 with RECOVERED ERROR is
// Linux's; the standard has 17h and 18h for recovered data.
constexpr std::array status_sense{
    sense_row{0x80, spec::sense_key::aborted_command, spec::asc_pair::scsi_parity_error},
    sense_row{0x20, spec::sense_key::hardware_error, spec::asc_pair::no_additional_sense},
    sense_row{0x08, spec::sense_key::aborted_command, spec::asc_pair::scsi_parity_error},
    sense_row{0x04, spec::sense_key::recovered_error, spec::asc_pair::plain_read_error},
};

template <std::size_t N>
const sense_row* find_row(const std::array<sense_row, N>& table, u8 value) {
    const auto it = std::find_if(table.begin(), table.end(), [value](const sense_row& row) {
        return (value & row.bits) == row.bits;
    });
    return it == table.end() ? nullptr : &*it;
}

} // namespace

ata_xlat_fn ata_get_xlat_func(const ata_device& dev, const spec::cdb& cdb) {
    if (dev.cls.read_once() == ata_class::atapi)
        return atapi_xlat;
    switch (cdb.op()) {
    case scsi_op::read_10:
    case scsi_op::read_16:
    case scsi_op::write_10:
    case scsi_op::write_16:
        return ata_scsi_rw_xlat;
    case scsi_op::synchronize_cache_10:
    case scsi_op::synchronize_cache_16: {
        // ata_try_flush_cache(): a device that has a write cache, or says that it can flush.
        const bool flushes = dev.id.write_cache_enabled() ||
                             dev.id.has(spec::id_bit::flush_supported) ||
                             dev.id.has(spec::id_bit::flush_ext_supported);
        return flushes ? ata_scsi_flush_xlat : nullptr;
    }
    case scsi_op::start_stop_unit:
        return ata_scsi_start_stop_xlat;
    default:
        return nullptr;
    }
}

void ata_scsi_simulate(scsi_cmnd& cmd) {
    switch (cmd.cmnd.op()) {
    case scsi_op::test_unit_ready:
    case scsi_op::synchronize_cache_10:
    case scsi_op::synchronize_cache_16:
        return; // good
    default:
        cmd.set_sense(spec::sense_key::illegal_request,
                      spec::asc_pair::invalid_command_operation_code);
    }
}

void ata_gen_ata_sense(const ata_queued_cmd& qc, scsi_cmnd& cmd) {
    const u8 status = spec::raw(qc.result_tf.status);
    const u8 error = spec::raw(qc.result_tf.error);
    const bool told =
        spec::has_any(qc.result_tf.status, spec::ata_status::bsy | spec::ata_status::df |
                                               spec::ata_status::err | spec::ata_status::drq);
    // While BSY is set the Error field means nothing.
    const bool busy = spec::has(qc.result_tf.status, spec::ata_status::bsy);
    const sense_row* row = told && !busy ? find_row(error_sense, error) : nullptr;
    if (row == nullptr && told)
        row = find_row(status_sense, status);
    if (row != nullptr)
        cmd.set_sense(row->key, row->pair);
    else
        cmd.set_sense(spec::sense_key::aborted_command, spec::asc_pair::no_additional_sense);
}

void ata_set_packet_features(ata_taskfile& tf, u32 bytes) {
    const u32 limit = std::min(bytes, packet_bytes_max);
    tf.lba = u64{limit} << 8; // LBA mid and high
    if (tf.protocol == ata_prot::atapi_dma)
        tf.feature |= packet_dma;
}

} // namespace spinup::drivers
