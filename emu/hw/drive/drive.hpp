// A drive on a SATA cable: SSD, hard disk or optical drive, as timers and tables.
//
// Standard: ACS-3 (commands), Serial ATA 3.x (resets and signature). There is no thread. A command
// is a row of a table (commands.cpp) with a function that decodes it and one that ends it; between
// the two lie, in this order, the spindle if the command needs the medium, and the command's
// time. The parts: spindle.hpp (what spins up), media.hpp (what is stored), packet_unit.hpp (SCSI
// of an optical drive), identify.cpp (what the drive says it is).
//
//     drive disk{line, trace, profile};
//     hba.attach(0, disk);
//
// Resets: a COMRESET or SRST drops the running command and makes the drive send its signature
// again; neither touches the spindle or what was acknowledged. A drive whose spindle is starting
// stays busy until it is at speed, unless its profile says that it answers at link_up. A drive in
// standby answers at once and stays in standby.
//
// Not modelled: NCQ, PIO data commands, SMART, security, HPA, SLEEP, standby timer, Power-Up In
// Standby (word 2 and SET FEATURES 06h/07h), loss of a volatile write cache. They get ABRT.
#pragma once

#include "emu/hw/drive/media.hpp"
#include "emu/hw/drive/packet_unit.hpp"
#include "emu/hw/drive/profile.hpp"
#include "emu/hw/drive/spindle.hpp"
#include "emu/hw/sata/sata_device.hpp"

#include <array>
#include <optional>
#include <span>
#include <spinup/spec/identify.hpp>
#include <spinup/timeline.hpp>
#include <spinup/trace.hpp>

namespace spinup::hw {

class drive final : public sata_device, private spindle_events {
  public:
    drive(timeline& line, trace& log, drive_profile profile);
    drive(const drive&) = delete;
    drive& operator=(const drive&) = delete;

    void connect(sata_host& host, u32 port_number) override;
    void power_on() override;
    void power_off() override;
    void comreset() override;
    void link_up(spec::ssts_spd speed) override;
    [[nodiscard]] spec::ssts_spd max_speed() const override { return profile_.speed; }
    void receive(const spec::fis_reg_h2d& fis) override;
    void receive_data(std::span<const u8> payload) override;

    /// Firmware has waited for the drive already: spindle at speed and disc readable, now, whatever
    /// would have started them.
    /// Requires: power.
    void assume_ready();

    [[nodiscard]] const drive_profile& profile() const { return profile_; }
    [[nodiscard]] spindle::state spindle_state() const { return spindle_.now(); }
    /// As the spindle says: when its start is done.
    [[nodiscard]] std::optional<time_point> at_speed_at() const { return spindle_.at_speed_at(); }
    /// Spindle starts since construction.
    [[nodiscard]] u32 spin_ups() const { return spindle_.starts(); }
    /// The page that IDENTIFY (PACKET) DEVICE returns now.
    [[nodiscard]] spec::identify_page identify() const;

    friend media& media_of(drive& d) { return d.media_; }

  private:
    struct command_row;
    static const command_row command_rows[];
    static constexpr u8 on_disk = 1;
    static constexpr u8 on_packet = 2;
    static constexpr u8 on_both = on_disk | on_packet;
    /// Nothing if drives of this kind do not know the command.
    static const command_row* find_command(spec::ata_cmd code, drive_kind kind);

    /// What the running command is doing.
    enum class phase : u8 {
        none,      ///< there is none
        medium,    ///< waits for the spindle
        busy,      ///< its time passes
        writing,   ///< takes Data FISes
        stopping,  ///< waits for the spindle to stop
        packet,    ///< waits for the command packet
        executing, ///< the packet's time passes
        disc,      ///< waits for the disc
        stuck,     ///< the host did not take a FIS: only a reset helps
    };
    enum class transfer : u8 { pio, dma };
    /// The running command, decoded.
    struct task {
        const command_row* row = nullptr;
        spec::fis_reg_h2d fis;
        spec::ata_error error{}; ///< how it will end, if it is refused
        u64 first = 0;           ///< sectors: the first one still to be moved
        u32 n = 0;               ///< and how many
        duration takes{};        ///< its time once the medium is there
    };
    /// Volatile settings: SET FEATURES changes them, power loss resets them. They survive a
    /// COMRESET, because software settings preservation is on at power-on.
    struct settings {
        u8 transfer_mode = 0x46; ///< UDMA/133, the fastest that a SATA drive names
        bool write_cache = true;
        bool look_ahead = true;
    };

    void spindle_at_speed() override;
    void spindle_stopped() override;
    void start_spindle();
    void signature_due();
    void send_signature();
    void disc_due();
    void start_disc();
    void drop_task();
    void control(const spec::fis_reg_h2d& fis);
    void task_due();
    [[nodiscard]] bool waits_for_spindle() const;
    [[nodiscard]] duration transfer_time(u64 bytes) const;

    // Answers. The send functions return false if the host did not take it all.
    void answer(spec::ata_status status, spec::ata_error error);
    void good() { answer(spec::status_good, spec::ata_error::none); }
    bool send_blocks(u64 first, u32 n, transfer how);
    bool send_bytes(std::span<const u8> data, transfer how);
    bool send_pio(std::span<const u8> data, spec::ata_status ending);

    // Commands: the begin and end functions of the table's rows, and what they share.
    spec::ata_error begin_plain();
    spec::ata_error begin_identify();
    spec::ata_error begin_identify_packet();
    [[nodiscard]] bool identify_is_broken() const;
    spec::ata_error begin_set_features();
    spec::ata_error begin_read28();
    spec::ata_error begin_read48();
    spec::ata_error begin_write28();
    spec::ata_error begin_write48();
    spec::ata_error begin_flush();
    void end_identify();
    void end_set_features();
    void end_read();
    void end_verify();
    void end_write();
    void end_flush();
    void end_standby();
    void end_idle();
    void end_check_power();
    [[nodiscard]] spec::ata_error range28();
    [[nodiscard]] spec::ata_error range48();
    [[nodiscard]] spec::ata_error check_range(u64 first, u32 n);
    void write_data(std::span<const u8> payload);

    // PACKET (packet.cpp).
    spec::ata_error begin_packet();
    void ask_for_packet();
    void take_packet(std::span<const u8> packet);
    void run_packet();
    void finish_packet();

    trace& trace_;
    const drive_profile profile_;
    media media_;
    spindle spindle_;
    packet_unit packet_;
    timer task_timer_;
    timer signature_timer_;
    timer disc_timer_;

    sata_host* host_ = nullptr;
    u32 port_ = 0;
    spec::ssts_spd speed_ = spec::ssts_spd::none;
    settings settings_;
    task task_;
    packet_reply reply_;
    phase phase_ = phase::none;
    spec::power_mode power_mode_ = spec::power_mode::active;
    bool powered_ = false;
    bool started_ = false;         ///< the spindle was started since power came
    bool firmware_ = false;        ///< assume_ready() since power came
    bool srst_ = false;            ///< the host holds SRST
    bool signature_waits_ = false; ///< only the spindle is missing
    bool dirty_ = false;           ///< the write cache holds data
    std::array<u8, spec::fis_data_payload_max> buffer_{};
};

} // namespace spinup::hw
