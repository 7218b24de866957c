#include "emu/study/readers.hpp"

#include "drivers/scsi/scsi_io.hpp"
#include "drivers/scsi/sr.hpp"

namespace spinup::study {

namespace {

/// What the page cache would ask for: one page, 8 sectors of a disk or 2 blocks of a disc.
constexpr std::size_t page = 4096;
constexpr u32 page_sectors = 8;
constexpr u16 page_blocks = 2;
/// A drive reports a disc that has become readable as a changed medium, once, and the midlayer
/// fails the command that meets it; whoever reads opens the disc again. Failing twice, it is bad.
constexpr u32 disc_tries = 2;

} // namespace

readers::readers(machine::world& w, const machine::machine& what)
    : kernel_(w.kernel()), all_done_(kernel_, "readers") {
    readers_.reserve(what.ports.size());
    for (const machine::port& p : what.ports) {
        if (!p.attached)
            continue;
        const bool optical = p.attached->kind == machine::drive_kind::odd;
        drivers::scsi_device* sdev = w.ata(p.number).link.dev.sdev;
        if (sdev == nullptr || (optical && !p.attached->disc))
            continue;
        readers_.push_back(
            {this, p.number, sdev, optical, kernel_.dma_alloc_coherent(page, page), 0});
    }
}

void readers::start() {
    ++round_;
    in_flight_ = static_cast<u32>(readers_.size());
    for (reader& r : readers_) {
        kernel_.emit(trace_event::io_issued, r.port, round_);
        r.tries_left = r.optical ? disc_tries : 1;
        submit(r);
    }
}

void readers::submit(reader& r) {
    --r.tries_left;
    if (r.optical)
        drivers::sr_read(*r.sdev, 0, page_blocks, r.buffer, done, &r);
    else
        drivers::submit_read(*r.sdev, 0, page_sectors, r.buffer, done, &r);
}

void readers::wait() {
    all_done_.wait([this] { return in_flight_ == 0; });
}

void readers::done(void* context, errno_t rc) {
    reader& r = *static_cast<reader*>(context);
    readers& all = *r.owner;
    if (failed(rc) && r.tries_left != 0)
        return all.submit(r);
    all.kernel_.emit(trace_event::io_completed, r.port, all.round_, to_int(rc));
    if (--all.in_flight_ == 0)
        all.all_done_.wake_all();
}

} // namespace spinup::study
