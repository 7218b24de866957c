// What a device is: IDENTIFY, revalidation, configuration, transfer mode.
// Linux 3.11: drivers/ata/libata-core.c.
#include <algorithm>
#include <cstring>
#include <string>

#include "drivers/ata/libata.hpp"
#include "drivers/ata/libata_eh.hpp"

namespace spinup::drivers {
namespace {

/// From this capacity on Linux flushes with the EXT command (2^28 sectors).
constexpr u64 flush_ext_from = u64{1} << 28;

ac_err set_features(ata_device& dev, spec::set_features_op op, u16 count) {
    ata_taskfile tf;
    tf.command = spec::ata_cmd::set_features;
    tf.feature = spec::raw(op);
    tf.flags = ata_tflags::ISADDR | ata_tflags::DEVICE;
    tf.protocol = ata_prot::nodata;
    tf.nsect = count;
    ata_result_tf result;
    return ata_exec_internal(dev, tf, nullptr, {}, result);
}

ac_err identify(ata_device& dev, ata_class cls, spec::identify_page& id, ata_result_tf& result) {
    ata_port& ap = port_of(dev);
    ata_taskfile tf;
    tf.command = cls == ata_class::atapi ? spec::ata_cmd::identify_packet_device
                                         : spec::ata_cmd::identify_device;
    tf.protocol = ata_prot::pio;
    tf.flags = ata_tflags::ISADDR | ata_tflags::DEVICE;
    const ac_err err = ata_exec_internal(dev, tf, nullptr,
                                         {ap.sector_buf.bus, sizeof(spec::identify_page)}, result);
    if (!any(err))
        std::memcpy(&id, ap.sector_buf.cpu, sizeof id);
    return err;
}

errno_t id_failed(ata_device& dev, std::string_view reason, ac_err err, errno_t rc) {
    ata_port& ap = port_of(dev);
    ap.kernel.emit(trace_event::ata_id_failed, ap.print_id, reason, word(err));
    return rc;
}

void mismatch(ata_device& dev, std::string_view what) {
    ata_port& ap = port_of(dev);
    ap.kernel.emit(trace_event::ata_dev_mismatch, ap.print_id, what);
}

/// Whether words [first, last] are the same in both pages.
bool same_words(const spec::identify_page& a, const spec::identify_page& b, unsigned first,
                unsigned last) {
    return std::equal(a.words.begin() + first, a.words.begin() + last + 1, b.words.begin() + first);
}

bool ata_dev_same_device(ata_device& dev, ata_class cls, const spec::identify_page& id) {
    if (dev.cls != cls) {
        mismatch(dev, "class");
        return false;
    }
    if (!same_words(dev.id, id, 27, 46)) {
        mismatch(dev, "model number");
        return false;
    }
    if (!same_words(dev.id, id, 10, 19)) {
        mismatch(dev, "serial number");
        return false;
    }
    return true;
}

errno_t ata_dev_reread_id(ata_device& dev) {
    ata_class cls = dev.cls;
    spec::identify_page id;
    if (const errno_t rc = ata_dev_read_id(dev, cls, id); failed(rc))
        return rc;
    if (!ata_dev_same_device(dev, cls, id))
        return errno_t::enodev;
    dev.id = id;
    return errno_t::ok;
}

/// Fastest UDMA mode that the device supports and SATA carries. Linux: ata_dev_xfermask.
unsigned best_udma(const spec::identify_page& id) {
    unsigned mode = 6;
    while (mode > 0 && (id.udma_supported() >> mode & 1) == 0)
        --mode;
    return mode;
}

/// Number in "UDMA/133". Source: ATA transfer modes as Linux prints them.
u32 udma_rate(unsigned mode) {
    constexpr std::array<u32, 7> rates{16, 25, 33, 44, 66, 100, 133};
    return rates[mode];
}

/// Highest bit of word 80: the ATA/ATAPI version.
unsigned major_version(const spec::identify_page& id) {
    const u16 bits = id.word(80);
    if (bits == 0xFFFF)
        return 0;
    unsigned version = 14;
    while (version > 0 && (bits >> version & 1) == 0)
        --version;
    return version;
}

void print_info(ata_device& dev) {
    ata_port& ap = port_of(dev);
    auto& k = ap.kernel;
    const std::string revision = dev.cls == ata_class::atapi
                                     ? std::string{"ATAPI"}
                                     : "ATA-" + std::to_string(major_version(dev.id));
    k.emit(trace_event::ata_dev_id, ap.print_id, revision, dev.id.model(), dev.id.firmware(),
           udma_rate(best_udma(dev.id)));
    if (dev.cls != ata_class::ata)
        return;
    const std::string size = std::to_string(dev.n_sectors);
    if (dev.id.has_ncq())
        k.emit(trace_event::ata_dev_size, ap.print_id, size, dev.id.queue_depth());
    else
        k.emit(trace_event::ata_dev_size_plain, ap.print_id, size);
}

errno_t ata_dev_set_mode(ata_device& dev) {
    ata_link& link = dev.link;
    const unsigned mode = best_udma(dev.id);
    dev.xfer_mode = spec::transfer_mode(spec::transfer_class::udma, mode);
    const ac_err err = set_features(dev, spec::set_features_op::set_transfer_mode, dev.xfer_mode);
    // A device may refuse a mode; that it has none at all shows in the IDENTIFY that follows.
    if (any(err, ~ac_err::DEV))
        return errno_t::eio;
    if (ata_eh_suspend_overtakes(link.ap))
        return errno_t::eintr;
    if (const errno_t rc = ata_dev_revalidate(dev, ata_class::unknown); failed(rc))
        return rc;
    link.ap.kernel.emit(trace_event::ata_configured, link.ap.print_id, udma_rate(mode));
    link.ap.configured = true;
    return errno_t::ok;
}

} // namespace

errno_t ata_dev_read_id(ata_device& dev, ata_class& cls, spec::identify_page& id) {
    bool may_fall_back = true;
    bool tried_spin_up = false;
    for (;;) {
        ata_result_tf result;
        const ac_err err = identify(dev, cls, id, result);
        if (any(err, ac_err::NODEV_HINT))
            return errno_t::enoent;
        if (err == ac_err::DEV && spec::has(result.error, spec::ata_error::abrt)) {
            // The class may have been reported wrongly; a phantom device aborts both.
            if (!may_fall_back)
                return errno_t::enoent;
            may_fall_back = false;
            cls = cls == ata_class::ata ? ata_class::atapi : ata_class::ata;
            continue;
        }
        if (any(err))
            return id_failed(dev, "I/O error", err, errno_t::eio);
        may_fall_back = false;
        if (id.is_ata() != (cls == ata_class::ata))
            return id_failed(dev, "device reports invalid type", err, errno_t::einval);

        // Power-up in standby: the drive wants to be asked before its spindle starts. 3.11 gives it
        // the time of any SET FEATURES; later kernels give it 30 s.
        const auto config = id.config();
        const bool incomplete = config == spec::specific_config::spin_up_needed_incomplete;
        if (tried_spin_up ||
            (!incomplete && config != spec::specific_config::spin_up_needed_complete))
            return errno_t::ok;
        tried_spin_up = true;
        const ac_err spun = set_features(dev, spec::set_features_op::puis_spin_up, 0);
        if (any(spun) && incomplete)
            return id_failed(dev, "SPINUP failed", spun, errno_t::eio);
        if (!incomplete)
            return errno_t::ok;
    }
}

errno_t ata_dev_revalidate(ata_device& dev, ata_class new_class) {
    const u64 n_sectors = dev.n_sectors;
    errno_t rc = errno_t::ok;
    if (!ata_dev_enabled(dev))
        return errno_t::enodev;

    if (new_class == ata_class::pmp) {
        mismatch(dev, "class"); // no IDENTIFY for a port multiplier
        rc = errno_t::enodev;
    } else {
        rc = ata_dev_reread_id(dev);
    }
    if (!failed(rc))
        rc = ata_dev_configure(dev);
    if (!failed(rc)) {
        if (dev.cls != ata_class::ata || n_sectors == 0 || dev.n_sectors == n_sectors)
            return errno_t::ok;
        mismatch(dev, "n_sectors");
        dev.n_sectors = n_sectors;
        rc = errno_t::enodev;
    }
    ata_port& ap = port_of(dev);
    ap.kernel.emit(trace_event::ata_reval_failed, ap.print_id, to_int(rc));
    return rc;
}

namespace {

void configure_addressing(ata_device& dev) {
    const ata_dflags_guard guard{dev};
    dev.flags &= ~(ata_dflags::LBA | ata_dflags::LBA48 | ata_dflags::FLUSH_EXT);
    dev.n_sectors = 0;
    if (dev.cls != ata_class::ata)
        return;
    dev.n_sectors = count(dev.id.capacity());
    if (dev.id.has(spec::id_bit::lba))
        dev.flags |= ata_dflags::LBA;
    if (!dev.id.has_lba48())
        return;
    dev.flags |= ata_dflags::LBA48;
    if (dev.n_sectors >= flush_ext_from && dev.id.has(spec::id_bit::flush_ext_supported))
        dev.flags |= ata_dflags::FLUSH_EXT;
}

} // namespace

errno_t ata_dev_configure(ata_device& dev) {
    if (!ata_dev_enabled(dev))
        return errno_t::ok;
    configure_addressing(dev);
    if (any(dev.link.eh_context.i.flags, ATA_EHI_PRINTINFO))
        print_info(dev);
    return errno_t::ok;
}

errno_t ata_set_mode(ata_link& link, ata_device*& failed_dev) {
    if (!ata_dev_enabled(link.dev))
        return errno_t::ok;
    const errno_t rc = ata_dev_set_mode(link.dev);
    if (failed(rc))
        failed_dev = &link.dev;
    return rc;
}

} // namespace spinup::drivers
