// One port of the HBA: its registers' side effects and its state machine.
//
// The registers themselves live in the HBA's array; a port sees its 32 words of it. Everything that
// happens to a port is an event posted to the state machine (port_states.hpp), from three sides:
// register writes (port.cpp), the link and the device (port_fis.cpp). Entry actions are in
// port_machine.cpp (port level), port_command.cpp (fetching and sending) and port_fis.cpp
// (receiving).
#pragma once

#include "emu/hw/ahci/hba.hpp"
#include "emu/hw/ahci/port_states.hpp"
#include "emu/hw/ahci/prdt.hpp"
#include "emu/hw/sata/link.hpp"

#include <array>
#include <span>
#include <spinup/spec/ahci_layout.hpp>

namespace spinup::hw {

/// Names of the states in the trace, the same for all ports.
struct port_names {
    std::array<name_id, port_state_count> ids;

    explicit port_names(trace& log);
};

class port final : private link_events, private sata_host {
  public:
    port(hba& owner, timeline& line, u32 index);
    port(const port&) = delete;
    port& operator=(const port&) = delete;

    void plug(sata_device& device);
    [[nodiscard]] sata_device* device() const { return link_.device(); }

    /// To P:Reset: registers at reset (but not the base addresses), link down, nothing in flight.
    /// Later, if the port is waiting for memory.
    void reset();
    /// The HBA's reset is over. Requires: the port is not waiting for memory.
    void init() { post(port_event::init); }

    /// The cable loses contact for a moment; nothing happens if there was no link.
    void replug();

    /// A write by software. Requires: power, no HBA reset in progress.
    void write(u32 reg, u32 value);
    /// PxIS & PxIE is not 0.
    [[nodiscard]] bool interrupting() const {
        return (word<spec::px_is>() & word<spec::px_ie>()) != 0;
    }

    /// A fault: once it runs, the engine stops at a reset only, of the port or the HBA.
    void hold_engine() { engine_held_ = true; }

    [[nodiscard]] port_counters& counters() { return counters_; }

  private:
    /// The FIS that is being received; lives on the sender's stack.
    struct incoming {
        port_event kind = port_event::none; ///< d2h, pio, data or activate
        const spec::fis_reg_d2h* d2h = nullptr;
        const spec::fis_pio_setup* pio = nullptr;
        std::span<const u8> payload{};
        bool taken = false;
    };
    /// The transfer that a PIO Setup FIS announced.
    struct pio_transfer {
        bool active = false;
        bool interrupt = false;
        u32 bytes = 0;
        spec::ata_status e_status{};
    };
    /// What software did while the port was waiting for memory, as far as the registers do not tell
    /// any more.
    struct late_events {
        bool reset = false;
        bool stop = false;     ///< PxCMD.ST went from 1 to 0
        bool comreset = false; ///< PxSCTL.DET was 1 while PxCMD.ST was 0
    };
    static constexpr u32 no_slot = spec::max_slots;

    // Registers.
    template <class Reg> [[nodiscard]] u32& word() { return regs_[Reg::offset / 4]; }
    template <class Reg> [[nodiscard]] u32 word() const { return regs_[Reg::offset / 4]; }
    template <class Reg> [[nodiscard]] Reg get() const {
        Reg out;
        out.raw = word<Reg>();
        return out;
    }
    template <class Reg> void put(Reg r) { word<Reg>() = r.raw; }
    void write_cmd(u32 value);
    void write_serr(u32 value);
    void raise(spec::px_is bits) { word<spec::px_is>() |= bits.raw; }
    void raise_serr(spec::px_serr bits);
    void set_status(spec::ata_status s);
    [[nodiscard]] spec::ata_status status() const {
        return get<spec::px_tfd>().get(spec::px_tfd::sts);
    }
    [[nodiscard]] bool cmd_bit(u32 mask) const { return (word<spec::px_cmd>() & mask) != 0; }

    // The machine.
    void post(port_event event);
    void post_from_software(port_event event);
    void catch_up();
    port_event enter(port_state s);
    port_event enter_receiving(port_state s);

    // Entry actions: port level.
    port_event enter_reset();
    port_event enter_not_running();
    port_event enter_offline();
    port_event enter_start_comm();
    port_event enter_com_init();
    port_event enter_start_bit_cleared();
    port_event enter_reg_fis_update();
    port_event enter_reg_fis_post();
    port_event enter_idle();
    void phy_off();
    void link_off();
    void end_comreset();
    void forget_command();
    // Commands.
    port_event enter_select_cmd();
    port_event enter_fetch_cmd();
    port_event enter_cfis_xmit();
    port_event enter_cfis_success();
    port_event clear_ci(port_event next);
    port_event enter_fatal();
    port_event enter_fatal_taskfile();
    // Frames.
    bool take(incoming& in);
    port_event enter_ndr();
    port_event enter_reg_fis();
    port_event enter_reg_fis_set_intr();
    port_event enter_reg_fis_update_sig();
    port_event enter_pio();
    port_event enter_pio_update();
    port_event enter_pio_set_intr();
    port_event enter_atapi();
    port_event enter_receive_data();
    port_event enter_transmit_data();
    [[nodiscard]] port_event memory_failed();
    [[nodiscard]] bool write_received_fis(u32 offset, const void* fis, std::size_t bytes);
    void load_taskfile(spec::ata_status s, spec::ata_error e);
    void update_signature(const spec::fis_reg_d2h& fis);
    void end_of_command();

    // link_events
    void cominit() override;
    void phy_ready(spec::ssts_spd speed) override;
    // sata_host
    bool receive(const spec::fis_reg_d2h& fis) override;
    bool receive(const spec::fis_pio_setup& fis) override;
    bool receive(const spec::fis_dma_activate& fis) override;
    bool receive_data(std::span<const u8> payload) override;

    hba& hba_;
    u32* const regs_;
    const u32 index_;
    sata_link link_;
    port_state state_ = port_state::p_reset;
    port_state last_traced_ = port_state::p_reset;
    bool busy_ = false; // inside post()
    late_events late_;  // what post() has not been told
    timer catch_up_timer_;
    bool missed_comreset_ = false; // inside catch_up(): PxSCTL.DET was 1, and is no more

    // Variables of the standard's state machine.
    u32 slot_ = no_slot;          // pIssueSlot: the command that is running
    u32 slot_loc_ = 0;            // pSlotLoc: the slot after which the search begins
    bool to_issue_ = false;       // pCmdToIssue: fetched, not sent yet
    bool update_sig_ = true;      // pUpdateSig: the next D2H Register FIS is a signature
    bool sud_rose_ = false;       // PxCMD.SUD went from 0 to 1
    bool halted_ = false;         // a COMINIT came while commands ran
    bool comreset_asked_ = false; // software's COMRESET is being transmitted
    spec::cmd_header_dw0 header_;
    u64 table_ = 0;
    spec::fis_reg_h2d cfis_;
    prdt prdt_;
    pio_transfer pio_;
    incoming* in_ = nullptr;
    bool held_ = false; // a D2H Register FIS waits for FRE and DIAG.X
    spec::fis_reg_d2h held_fis_;
    spec::px_is fatal_cause_;
    port_counters counters_;
    bool engine_held_ = false;
};

} // namespace spinup::hw
