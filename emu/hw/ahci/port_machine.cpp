// The port state machine: its loop, and the states that have to do with the port as a whole.
#include "emu/hw/ahci/port.hpp"

#include <spinup/base/check.hpp>
#include <utility>

namespace spinup::hw {

using namespace spec;

void port::post(port_event event) {
    CHECK(!busy_);
    busy_ = true;
    while (event != port_event::none) {
        const u8 next =
            port_next[static_cast<std::size_t>(state_)][static_cast<std::size_t>(event)];
        CHECK(next != detail::no_edge);
        state_ = static_cast<port_state>(next);
        if (row_of(state_).traced && state_ != last_traced_) {
            last_traced_ = state_;
            hba_.trace_.emit(trace_event::port_state, index_ + 1,
                             hba_.names_->ids[static_cast<std::size_t>(state_)]);
        }
        event = enter(state_);
    }
    busy_ = false;
}

void port::reset() {
    if (busy_) {
        late_.reset = true;
        catch_up_timer_.after(duration::zero());
        return;
    }
    catch_up_timer_.cancel();
    late_ = {};
    post(port_event::reset);
}

// A port that waits for memory is in the middle of a step, and so may its device be. The registers
// change at once, as a real one's would; the machine looks at them when the step is over and
// everybody has returned.
void port::post_from_software(port_event event) {
    if (!busy_ && !catch_up_timer_.armed()) {
        post(event);
        return;
    }
    late_.stop |= event == port_event::stop;
    late_.comreset |= !cmd_bit(px_cmd::st.mask) && // PxSCTL.DET counts only then (5.3.2.3)
                      get<px_sctl>().get(px_sctl::det) == sctl_det::comreset;
    if (!catch_up_timer_.armed())
        catch_up_timer_.after(duration::zero());
}

// Software that sets ST again waits until CR is clear (10.1.2), so a stop comes before the rest.
// The port may have to wait for memory here too: what software does then is for the next time.
void port::catch_up() {
    const late_events late = std::exchange(late_, {});
    if (late.reset) {
        reset();
        return;
    }
    missed_comreset_ = late.comreset;
    if (late.stop)
        post(port_event::stop);
    post(port_event::recheck);
    missed_comreset_ = false;
    hba_.port_changed(index_, interrupting());
    hba_.deliver_interrupts();
}

port_event port::enter(port_state s) {
    switch (s) {
    case port_state::p_reset:
        return enter_reset();
    case port_state::p_init:
        // Without staggered spin-up the reset itself sends COMRESET (10.4.3). It ends when
        // P:NotRunning is entered.
        if (!hba_.config_.staggered_spin_up)
            link_.assert_comreset();
        return port_event::done;
    case port_state::p_not_running:
        return enter_not_running();
    case port_state::p_offline:
        return enter_offline();
    case port_state::p_start_comm:
        return enter_start_comm();
    case port_state::p_com_init:
        return enter_com_init();
    case port_state::p_start_bit_cleared:
        return enter_start_bit_cleared();
    case port_state::p_reg_fis_update:
        return enter_reg_fis_update();
    case port_state::p_reg_fis_post:
        return enter_reg_fis_post();
    case port_state::p_idle:
        return enter_idle();
    case port_state::p_select_cmd:
        return enter_select_cmd();
    case port_state::p_fetch_cmd:
        return enter_fetch_cmd();
    case port_state::cfis_xmit:
        return enter_cfis_xmit();
    case port_state::cfis_success:
        return enter_cfis_success();
    case port_state::cfis_clear_ci:
        set_status(status() & ~(ata_status::bsy | ata_status::drq));
        return clear_ci(port_event::done);
    case port_state::err_fatal:
        return enter_fatal();
    case port_state::err_fatal_taskfile:
        return enter_fatal_taskfile();
    case port_state::err_wait_for_clear:
        return port_event::none;
    default:
        return enter_receiving(s);
    }
}

port_event port::enter_receiving(port_state s) {
    switch (s) {
    case port_state::ndr_entry:
        return enter_ndr();
    case port_state::reg_fis_entry:
        return enter_reg_fis();
    case port_state::reg_fis_clear_ci:
    case port_state::pio_clear_ci:
        end_of_command();
        return clear_ci(port_event::done);
    case port_state::reg_fis_set_intr:
        return enter_reg_fis_set_intr();
    case port_state::reg_fis_update_sig:
        return enter_reg_fis_update_sig();
    case port_state::pio_entry:
        return enter_pio();
    case port_state::pio_update:
        return enter_pio_update();
    case port_state::pio_set_intr:
        return enter_pio_set_intr();
    case port_state::atapi_entry:
        return enter_atapi();
    case port_state::dr_receive:
        return enter_receive_data();
    default:
        CHECK(s == port_state::dx_transmit);
        return enter_transmit_data();
    }
}

void port::forget_command() {
    halted_ = false;
    slot_ = no_slot;
    to_issue_ = false;
    pio_ = {};
    word<px_ci>() = 0;
    word<px_sact>() = 0;
    const bool runs_on = engine_held_ && cmd_bit(px_cmd::cr.mask);
    put(get<px_cmd>().with(px_cmd::ccs, 0).with(px_cmd::cr, runs_on));
}

// Every field but the base addresses and what HwInit set (10.4.3).
port_event port::enter_reset() {
    link_.down();
    for (const auto& r : port_registers)
        if (!r.kept_by_hba_reset)
            regs_[r.offset / 4] = reset_of(r.rows);
    put(px_cmd_reset(cap{{hba_.reg(cap::offset)}}, px_cmd{}));
    forget_command();
    held_ = false;
    update_sig_ = true;
    sud_rose_ = false;
    comreset_asked_ = false;
    return port_event::none;
}

// Frames stop. PhyRdy change is reported if there was a PhyRdy (3.3.12 DIAG.N).
void port::phy_off() {
    if (link_.ready())
        raise_serr(px_serr{}.with(px_serr::diag_n, true));
    word<px_ssts>() = 0;
}

void port::link_off() {
    phy_off();
    link_.down();
    end_comreset();
}

// A COMRESET that software asked for is over. Those of P:Init are bursts that nobody asked for.
void port::end_comreset() {
    if (std::exchange(comreset_asked_, false))
        hba_.trace_.emit(trace_event::comreset_end, index_ + 1);
}

port_event port::enter_not_running() {
    const auto command = get<px_cmd>();
    const auto det = get<px_sctl>().get(px_sctl::det);
    if (!command.get(px_cmd::st)) { // PxSCTL.DET counts only while ST=0 (5.3.2.3)
        if (det == sctl_det::offline)
            return port_event::offline;
        if (!command.get(px_cmd::sud)) { // spin-up not demanded: the port only listens (10.10)
            link_off();
            return port_event::none;
        }
        if (det == sctl_det::comreset || sud_rose_ || missed_comreset_)
            return port_event::comm;
    }
    if (det != sctl_det::comreset) {
        link_.release_comreset(get<px_sctl>().get(px_sctl::spd));
        end_comreset();
    }
    if (held_ && command.get(px_cmd::fre) && !get<px_serr>().get(px_serr::diag_x))
        return port_event::post;
    // ST must not be set without FRE, a device, and BSY=DRQ=0; if it is, the port waits for them.
    if (!halted_ && command.get(px_cmd::st) && command.get(px_cmd::fre) &&
        device_present(get<px_ssts>()) && spec::idle(status()))
        return port_event::start;
    return port_event::none;
}

port_event port::enter_offline() {
    if (get<px_sctl>().get(px_sctl::det) != sctl_det::offline)
        return port_event::released;
    const bool was_offline = get<px_ssts>().get(px_ssts::det) == ssts_det::offline;
    link_off();
    put(get<px_ssts>().with(px_ssts::det, ssts_det::offline));
    if (!was_offline)
        hba_.trace_.emit(trace_event::phy_offline, index_ + 1);
    return port_event::none;
}

port_event port::enter_start_comm() {
    phy_off();
    put(get<px_tfd>().with(px_tfd::sts, static_cast<ata_status>(reset_value<px_tfd>)));
    held_ = false;
    update_sig_ = true;
    sud_rose_ = false;
    missed_comreset_ = false;
    if (link_.assert_comreset()) {
        put(get<px_cmd>().with(px_cmd::cr, false)); // of an engine that is held
        ++counters_.comresets;
        comreset_asked_ = true;
        hba_.trace_.emit(trace_event::comreset, index_ + 1, get<px_sctl>().get(px_sctl::det));
    }
    return get<px_sctl>().get(px_sctl::det) == sctl_det::comreset ? port_event::none
                                                                  : port_event::released;
}

port_event port::enter_com_init() {
    // Out of turn, with commands running: nobody answers them, and the port starts anew with ST.
    halted_ = halted_ || get<px_cmd>().get(px_cmd::cr);
    put(get<px_cmd>().with(px_cmd::cr, false));
    update_sig_ = true;
    set_status(ata_status::bsy);
    put(px_ssts{}.with(px_ssts::det, ssts_det::presence));
    raise_serr(px_serr{}.with(px_serr::diag_x, true));
    return port_event::done;
}

port_event port::enter_start_bit_cleared() {
    forget_command();
    return port_event::done;
}

port_event port::enter_reg_fis_update() {
    in_->taken = true;
    update_signature(*in_->d2h);
    held_ = true;
    held_fis_ = *in_->d2h;
    // The FIS stays in the FIFO, and BSY stays set, until software can see it (10.4.2).
    return cmd_bit(px_cmd::fre.mask) && !get<px_serr>().get(px_serr::diag_x) ? port_event::post
                                                                             : port_event::hold;
}

port_event port::enter_reg_fis_post() {
    held_ = false;
    if (!write_received_fis(received_fis::rfis, &held_fis_, sizeof(held_fis_)))
        raise(px_is{}.with(px_is::hbfs, true));
    load_taskfile(held_fis_.status, held_fis_.error);
    return port_event::done;
}

port_event port::enter_idle() {
    put(get<px_cmd>().with(px_cmd::cr, true));
    if (slot_ == no_slot)
        return word<px_ci>() != 0 ? port_event::select : port_event::none;
    if (to_issue_ && spec::idle(status()))
        return port_event::transmit;
    return port_event::none;
}

void port::replug() {
    if (!link_.ready())
        return;
    raise_serr(px_serr{}.with(px_serr::diag_n, true));
    link_.replug();
}

void port::cominit() {
    post(port_event::cominit);
    hba_.port_changed(index_, interrupting());
    hba_.deliver_interrupts();
}

void port::phy_ready(ssts_spd speed) {
    put(px_ssts{}
            .with(px_ssts::det, ssts_det::phy_up)
            .with(px_ssts::spd, speed)
            .with(px_ssts::ipm, ssts_ipm::active));
    raise_serr(px_serr{}.with(px_serr::diag_n, true).with(px_serr::diag_w, true));
    hba_.trace_.emit(trace_event::phy_ready, index_ + 1, speed);
    link_.device()->link_up(speed);
    post(port_event::recheck);
    hba_.port_changed(index_, interrupting());
    hba_.deliver_interrupts();
}

} // namespace spinup::hw
