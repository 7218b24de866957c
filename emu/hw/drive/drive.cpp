// A drive's power, resets, signature and answers; commands are in commands.cpp and packet.cpp.
#include "emu/hw/drive/command_table.hpp"

#include <algorithm>
#include <spinup/base/check.hpp>
#include <utility>

namespace spinup::hw {

using namespace spec;

namespace {

u32 sector_bytes(const drive_profile& p) { return p.kind == drive_kind::odd ? 2048 : 512; }

} // namespace

drive::drive(timeline& line, trace& log, drive_profile profile)
    : trace_(log), profile_(std::move(profile)), media_(profile_.capacity, sector_bytes(profile_)),
      spindle_(line, log, *this, profile_.kind == drive_kind::hdd), packet_(profile_, media_),
      task_timer_(timer::bound<&drive::task_due>(line, *this)),
      signature_timer_(timer::bound<&drive::signature_due>(line, *this)),
      disc_timer_(timer::bound<&drive::disc_due>(line, *this)) {}

void drive::connect(sata_host& host, u32 port_number) {
    host_ = &host;
    port_ = port_number;
    spindle_.set_port(port_number);
}

void drive::power_on() {
    powered_ = true;
    settings_ = {};
    power_mode_ = power_mode::active;
    started_ = false;
    firmware_ = false;
    packet_.reset();
    packet_.set_disc(profile_.disc ? disc_state::stopped : disc_state::absent);
    if (profile_.spin_up_from == spin_up_trigger::power)
        start_spindle();
    else if (profile_.spin_up_from == spin_up_trigger::command)
        power_mode_ = power_mode::standby;
    start_disc();
}

void drive::power_off() {
    powered_ = false;
    drop_task();
    disc_timer_.cancel();
    spindle_.cut();
    dirty_ = false; // what was acknowledged is kept, see media.hpp
    srst_ = false;
}

void drive::drop_task() {
    task_timer_.cancel();
    signature_timer_.cancel();
    signature_waits_ = false;
    phase_ = phase::none;
}

void drive::comreset() {
    if (!powered_)
        return;
    drop_task();
    srst_ = false;
    packet_.reset();
    const bool starting = spindle_.now() == spindle::state::starting;
    const bool first = profile_.spin_up_from == spin_up_trigger::comreset && !started_;
    if (first || (starting && profile_.restart_on_comreset)) {
        started_ = false;
        start_spindle();
    }
}

void drive::link_up(ssts_spd speed) {
    drop_task();
    speed_ = speed;
    signature_timer_.after(profile_.reset_time);
}

void drive::start_spindle() {
    const duration takes = std::exchange(started_, true) ? profile_.standby_ready : profile_.ready;
    power_mode_ = power_mode::active;
    spindle_.start(takes);
}

void drive::assume_ready() {
    CHECK(powered_);
    firmware_ = true;
    if (spindle_.now() == spindle::state::stopped)
        start_spindle();
    if (spindle_.now() == spindle::state::starting)
        spindle_.finish_start();
    if (disc_timer_.cancel())
        disc_due();
}

bool drive::waits_for_spindle() const {
    return profile_.signature_at == signature_time::spin_up_done &&
           spindle_.now() == spindle::state::starting;
}

void drive::signature_due() {
    if (waits_for_spindle())
        signature_waits_ = true;
    else
        send_signature();
}

// The diagnostic FIS that ends every reset. No interrupt bit: the host looks at BSY (section 4).
void drive::send_signature() {
    signature_waits_ = false;
    fis_reg_d2h fis;
    const bool packet = profile_.kind == drive_kind::odd;
    const auto sig = packet ? signature::atapi : signature::ata;
    fis.set_sig(sig);
    fis.status = packet ? ata_status::none : status_good;
    fis.error = diagnostic_passed;
    trace_.emit(trace_event::signature, port_, sig);
    (void)host_->receive(fis);
}

void drive::spindle_at_speed() {
    if (signature_waits_)
        send_signature();
    if (phase_ == phase::medium) {
        phase_ = phase::busy;
        task_timer_.after(task_.takes);
    }
}

void drive::spindle_stopped() {
    if (phase_ == phase::stopping) {
        phase_ = phase::none;
        good();
    } else if (phase_ == phase::medium) {
        start_spindle();
    }
}

// Context: a FIS of the host. Nothing is sent from here (sata_device.hpp).
void drive::receive(const fis_reg_h2d& fis) {
    if (!powered_)
        return;
    if (!fis.flags.has(h2d_flag::c)) {
        control(fis);
        return;
    }
    // A device that is busy, or owes its signature, takes no command; the host should have looked.
    if (phase_ != phase::none || signature_waits_ || signature_timer_.armed() || srst_)
        return;
    task_ = {
        .row = find_command(fis.command, profile_.kind), .fis = fis, .takes = profile_.command};
    phase_ = phase::busy;
    const bool known = task_.row != nullptr;
    const auto error = known ? (this->*task_.row->begin)() : ata_error::abrt;
    if (error != ata_error::none) {
        task_.error = error;
        task_.takes = profile_.command;
    } else if (task_.row->medium && spindle_.now() != spindle::state::at_speed) {
        phase_ = phase::medium;
        if (spindle_.now() == spindle::state::stopped)
            start_spindle();
        return;
    }
    task_timer_.after(task_.takes);
}

// SRST is a level that the host holds; the reset starts when it lets go (ACS-3 software reset).
void drive::control(const fis_reg_h2d& fis) {
    if (has(fis.control, ata_control::srst)) {
        drop_task();
        srst_ = true;
    } else if (std::exchange(srst_, false)) {
        signature_timer_.after(profile_.reset_time);
    }
}

// A Data FIS, while somebody waits for one.
void drive::receive_data(std::span<const u8> payload) {
    if (phase_ == phase::writing)
        write_data(payload);
    else if (phase_ == phase::packet)
        take_packet(payload);
}

void drive::task_due() {
    if (phase_ == phase::executing)
        run_packet();
    else if (task_.error != ata_error::none)
        answer(status_aborted, task_.error);
    else
        (this->*task_.row->end)();
}

duration drive::transfer_time(u64 bytes) const {
    if (!profile_.paced_by_link)
        return {};
    // Ten line bits a byte at 1.5 Gb/s times two for each generation.
    const u64 gen1_ns = bytes * 20 / 3;
    return duration{static_cast<s64>(gen1_ns >> (raw(speed_) - 1))};
}

// Register fields of an answer are those of the command, unless it says otherwise (ACS-3 N/A
// fields); the caller may have changed them in task_.fis.
void drive::answer(ata_status status, ata_error error) {
    fis_reg_d2h fis;
    fis.flags.set(d2h_flag::i);
    fis.status = status;
    fis.error = error;
    fis.lba_low = task_.fis.lba_low;
    fis.lba_high = task_.fis.lba_high;
    fis.device = task_.fis.device;
    fis.count_low = task_.fis.count_low;
    fis.count_high = task_.fis.count_high;
    phase_ = phase::none;
    (void)host_->receive(fis);
}

bool drive::send_blocks(u64 first, u32 n, transfer how) {
    const u32 most = static_cast<u32>(buffer_.size()) / media_.sector_bytes();
    while (n != 0) {
        const u32 run = std::min(n, most);
        media_.read(first, run, buffer_.data());
        if (!send_bytes({buffer_.data(), std::size_t{run} * media_.sector_bytes()}, how))
            return false;
        first += run;
        n -= run;
    }
    return true;
}

bool drive::send_pio(std::span<const u8> data, ata_status ending) {
    fis_pio_setup fis;
    fis.flags.set(pio_setup_flag::d);
    fis.flags.set(pio_setup_flag::i);
    fis.status = status_good | ata_status::drq;
    fis.e_status = ending;
    fis.device = task_.fis.device;
    fis.set_transfer_count(static_cast<u16>(data.size()));
    // The next command may come from inside the last call, so nothing is set after it if all is
    // well.
    phase_ = spec::idle(ending) ? phase::none : phase::busy;
    if (host_->receive(fis) && host_->receive_data(data))
        return true;
    phase_ = phase::stuck;
    return false;
}

} // namespace spinup::hw
