#include "emu/study/scenarios/stage.hpp"

#include "drivers/ata/libata_eh.hpp"
#include "drivers/scsi/scsi_io.hpp"
#include "drivers/scsi/scsi_lib.hpp"
#include "drivers/scsi/sd.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <spinup/base/check.hpp>

namespace spinup::study {

namespace {

using namespace std::chrono_literals;

/// One logical block: what a schedule costs is what its commands cost.
constexpr std::size_t block_bytes = 512;

/// Of no block that was ever written, and none that was not: a read that puts nothing where its
/// data belongs must not be taken for one that found what was there before it.
constexpr std::byte not_read{0xA5};

/// As fsync() does: it waits until the disk may be asked. Linux: blkdev_issue_flush().
void submit_flush(drivers::scsi_device& on, u64, u32, kernel::dma_memory,
                  drivers::request::bio_end_io_fn done, void* context) {
    drivers::scsi_execute_async(on, {.cdb = spec::make_synchronize_cache(),
                                     .timeout = drivers::SD_FLUSH_TIMEOUT,
                                     .retries = drivers::SD_MAX_RETRIES,
                                     .bio_end_io = done,
                                     .end_io_data = context});
}

} // namespace

stage::stage(machine::world& w, option_source& options)
    : world_(w), source_(options), joined_(w.kernel(), "threads of the scenario") {
    for (u32 port = 1; port <= w.ports(); ++port)
        disks_.push_back(w.ata(port).link.dev.sdev);
}

// Options.

u32 stage::draw(std::string_view name, u32 below) {
    return below < 2 ? 0 : source_.draw(name, below);
}

bool stage::option(std::string_view name) {
    const bool drawn = draw(name, 2) != 0;
    options_.emplace_back(name, drawn ? "yes" : "no");
    return drawn;
}

u32 stage::option(std::string_view name, u32 below) {
    const u32 drawn = draw(name, below);
    options_.emplace_back(name, std::to_string(drawn));
    return drawn;
}

duration stage::option(std::string_view name, std::initializer_list<duration> values) {
    const duration drawn = values.begin()[draw(name, static_cast<u32>(values.size()))];
    options_.emplace_back(name, fmt::format("{} ms", to_ms(drawn)));
    return drawn;
}

// Threads.

void stage::spawn(std::string_view name, std::function<void()> what) {
    ++running_;
    static_cast<void>(kernel().kthread_run(name, [this, body = std::move(what)] {
        body();
        if (--running_ == 0)
            joined_.wake_all();
    }));
}

void stage::join() {
    joined_.wait_idle([this] { return running_ == 0; });
}

void stage::sleep(duration d) {
    if (d != duration{})
        kernel().usleep_range(d);
}

// The system and its ports.

errno_t stage::note(errno_t rc) {
    if (!failed(failed_suspend_))
        failed_suspend_ = rc;
    return rc;
}

errno_t stage::suspend_to_ram() { return note(world_.suspend_resume()); }

errno_t stage::hibernate() { return note(world_.hibernate()); }

void stage::shutdown() {
    off_ = true;
    world_.shutdown();
}

void stage::unbind() {
    static_cast<void>(call_freezable(
        [](drivers::ata_port& ap) {
            drivers::ata_host_detach(ap.host);
            return errno_t::ok;
        },
        1));
}

stage::freezable_call::freezable_call(machine::world& w)
    : done(w.kernel(), "freezable call"), item(
                                              w.kernel(), "freezable call",
                                              [this] {
                                                  rc = what(*port);
                                                  done.complete();
                                              },
                                              &w.pm().freezer()) {}

errno_t stage::call_freezable(runtime_fn what, u32 port) {
    if (free_calls_.empty())
        free_calls_.push_back(&calls_.emplace_back(world_));
    freezable_call& call = *free_calls_.back();
    free_calls_.pop_back();
    call.what = what;
    call.port = &world_.ata(port);
    static_cast<void>(call.item.queue());
    call.done.wait();
    free_calls_.push_back(&call);
    return call.rc;
}

errno_t stage::runtime_suspend(u32 port) {
    return call_freezable(drivers::ata_tree_runtime_suspend, port);
}

errno_t stage::runtime_resume(u32 port) {
    return call_freezable(drivers::ata_tree_runtime_resume, port);
}

errno_t stage::request(u32 port, kernel::pm_message message, kernel::result_slot& result) {
    const auto ask = world_.options().design->request;
    if (ask == nullptr)
        return errno_t::eopnotsupp;
    kernel().emit(trace_event::pm_asked, port, message.event);
    const errno_t rc = ask(world_.ata(port).pm, message, result);
    kernel().emit(trace_event::pm_answered, port, to_int(rc));
    return rc;
}

errno_t stage::call_port(u32 port, kernel::pm_message message) {
    const pm_design& design = *world_.options().design;
    const auto call = message.resumes() ? design.port_resume : design.port_suspend;
    if (call == nullptr)
        return errno_t::eopnotsupp;
    const errno_t rc = call(world_.ata(port).pm, message);
    kernel().emit(trace_event::pm_answered, port, to_int(rc));
    return rc;
}

kernel::result_slot stage::place_for_a_result() {
    const bool counted = world_.options().design->counted_results;
    return kernel::result_slot{kernel(), counted ? errno_t::einprogress : errno_t::ok, counted};
}

errno_t stage::read_result(u32 port, const kernel::result_slot& result) {
    kernel().emit(trace_event::pm_result_read, port, to_int(result.value()), result.writes());
    return result.value();
}

void stage::trigger_eh(u32 port) {
    drivers::ata_port& ap = world_.ata(port);
    const kernel::spin_guard guard(ap.lock);
    // With the lock, so that no pass begins between the record and what it tells of.
    kernel().emit(trace_event::eh_asked, port);
    drivers::ata_port_schedule_probe(ap);
}

void stage::replug(u32 port) {
    kernel().emit(trace_event::cable_out, port);
    kernel().emit(trace_event::cable_in, port);
    world_.hba().replug(port - 1);
}

void stage::user_scan(u32 port) { drivers::ata_scsi_user_scan(world_.ata(port)); }

errno_t stage::rescan(u32 port) {
    drivers::scsi_device* const on = disk(port);
    return on == nullptr ? errno_t::enodev : drivers::scsi_rescan_device(*on);
}

void stage::settle() { world_.settle(); }

void stage::rest() {
    settle();
    // The longest time that a command is given; what it ends in is EH, if in anything.
    sleep(drivers::SD_FLUSH_TIMEOUT + 1s);
    settle();
}

// Data.

stage::transfer& stage::take_transfer() {
    if (free_.empty())
        return transfers_.emplace_back(
            kernel(), kernel().dma_alloc_coherent(block_bytes, alignof(std::max_align_t)));
    transfer& t = *free_.back();
    free_.pop_back();
    t.done.reinit();
    return t;
}

void stage::transfer_done(void* context, errno_t rc) {
    auto& t = *static_cast<transfer*>(context);
    t.rc = rc;
    t.done.complete();
}

errno_t stage::run(transfer& t, submit_fn submit, drivers::scsi_device& on, u64 lba) {
    submit(on, lba, 1, t.buffer, transfer_done, &t);
    t.done.wait();
    free_.push_back(&t);
    return t.rc;
}

errno_t stage::write(u32 port, u64 lba) {
    drivers::scsi_device* const on = disk(port);
    if (on == nullptr)
        return errno_t::enodev;
    transfer& t = take_transfer();
    written_data& data = data_.try_emplace({port, lba}, lba).first->second;
    const u32 version = data.write_begins();
    data.fill({t.buffer.cpu, block_bytes}, version);
    const errno_t rc = run(t, drivers::submit_write, *on, lba);
    if (!failed(rc))
        data.write_is_acknowledged(version);
    return rc;
}

errno_t stage::read(u32 port, u64 lba) {
    drivers::scsi_device* const on = disk(port);
    if (on == nullptr)
        return errno_t::enodev;
    transfer& t = take_transfer();
    written_data& data = data_.try_emplace({port, lba}, lba).first->second;
    std::fill_n(t.buffer.cpu, block_bytes, not_read);
    const u64 began = data.read_begins();
    const errno_t rc = run(t, drivers::submit_read, *on, lba);
    if (failed(rc))
        return rc;
    const auto version = data.version_of({t.buffer.cpu, block_bytes});
    if (!version || !data.may_return(*version, began))
        kernel().emit(trace_event::io_lost, port, lba);
    return rc;
}

errno_t stage::flush(u32 port) {
    drivers::scsi_device* const on = disk(port);
    return on == nullptr ? errno_t::enodev : run(take_transfer(), submit_flush, *on, 0);
}

} // namespace spinup::study
