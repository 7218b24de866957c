// The port state machine of AHCI 1.3.1 chapter 5.3 as data: states, events, and one list of edges.
//
// Names are the standard's. The list is checked while compiling: at most one edge for a state and
// an event, every state reachable from P:Reset, and every event from outside answered in every
// state in which the machine can rest. What a state does is in its entry action (port_*.cpp),
// which names the event that follows or none; a state is at rest when there is none.
//
// States of the standard that have no work to do in this model are left out: SYNC escapes take no
// time here, a FIS cannot arrive damaged, and port multipliers, BIST and aggregation are absent.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <spinup/base/units.hpp>

namespace spinup::hw {

// name, text, does the machine rest in it, is entering it traced. The states inside a command are
// not traced: they take no time.
#define SPINUP_PORT_STATES(X)                                                                      \
    X(p_reset, "P:Reset", true, true)                                                              \
    X(p_init, "P:Init", false, true)                                                               \
    X(p_not_running, "P:NotRunning", true, true)                                                   \
    X(p_offline, "P:Offline", true, true)                                                          \
    X(p_start_comm, "P:StartComm", true, true)                                                     \
    X(p_com_init, "P:ComInit", false, true)                                                        \
    X(p_start_bit_cleared, "P:StartBitCleared", false, false)                                      \
    X(p_reg_fis_update, "P:RegFisUpdate", false, false)                                            \
    X(p_reg_fis_post, "P:RegFisPostToMem", false, false)                                           \
    X(p_idle, "P:Idle", true, true)                                                                \
    X(p_select_cmd, "P:SelectCmd", false, false)                                                   \
    X(p_fetch_cmd, "P:FetchCmd", false, false)                                                     \
    X(cfis_xmit, "CFIS:Xmit", false, false)                                                        \
    X(cfis_success, "CFIS:Success", false, false)                                                  \
    X(cfis_clear_ci, "CFIS:ClearCI", false, false)                                                 \
    X(ndr_entry, "NDR:Entry", false, false)                                                        \
    X(reg_fis_entry, "RegFIS:Entry", false, false)                                                 \
    X(reg_fis_clear_ci, "RegFIS:ClearCI", false, false)                                            \
    X(reg_fis_set_intr, "RegFIS:SetIntr", false, false)                                            \
    X(reg_fis_update_sig, "RegFIS:UpdateSig", false, false)                                        \
    X(pio_entry, "PIO:Entry", false, false)                                                        \
    X(pio_update, "PIO:Update", false, false)                                                      \
    X(pio_clear_ci, "PIO:ClearCI", false, false)                                                   \
    X(pio_set_intr, "PIO:SetIntr", false, false)                                                   \
    X(atapi_entry, "ATAPI:Entry", false, false)                                                    \
    X(dr_receive, "DR:Receive", false, false)                                                      \
    X(dx_transmit, "DX:Transmit", false, false)                                                    \
    X(err_fatal, "ERR:Fatal", false, true)                                                         \
    X(err_fatal_taskfile, "ERR:FatalTaskfile", false, true)                                        \
    X(err_wait_for_clear, "ERR:WaitForClear", true, true)

enum class port_state : u8 {
#define X(name, text, rests, traced) name,
    SPINUP_PORT_STATES(X)
#undef X
};

enum class port_event : u8 {
    // From outside; answered in every state of rest.
    reset,   ///< GHC.HR, power
    recheck, ///< software or the link changed something that the state looks at
    stop,    ///< PxCMD.ST 1 to 0
    cominit, ///< the link saw COMINIT
    fis,     ///< the device sent a FIS
    // From an entry action.
    init,     ///< the HBA's reset is over
    done,     ///< the only way on
    offline,  ///< PxSCTL.DET is 4
    comm,     ///< PxSCTL.DET is 1, or PxCMD.SUD was set
    released, ///< PxSCTL.DET is neither 1 nor 4 any more
    start,    ///< PxCMD.ST is 1 and the device can take commands
    post,     ///< a D2H Register FIS may go to memory
    hold,     ///< a D2H Register FIS has to wait
    select,   ///< a bit of PxCI is set and no command is fetched
    transmit, ///< the fetched command, or data, may be sent
    clear,    ///< the header's C bit: no FIS will end this command
    update,   ///< a D2H Register FIS came while the port was stopped
    d2h,
    pio,
    data,
    activate,
    drop_running, ///< a FIS that does not count, PxCMD.CR = 1
    drop_stopped, ///< and with PxCMD.CR = 0
    complete,     ///< BSY and DRQ are clear: the command is over
    acmd,         ///< the device asks for the command packet
    pio_done,     ///< the data of a PIO Setup FIS has been moved
    error,        ///< STS.ERR is set
    fatal,        ///< memory did not answer, or the FIS in the command table is none
    none,
};

inline constexpr std::size_t port_state_count =
    static_cast<std::size_t>(port_state::err_wait_for_clear) + 1;
inline constexpr std::size_t port_event_count = static_cast<std::size_t>(port_event::none);
inline constexpr std::size_t outside_event_count = static_cast<std::size_t>(port_event::init);

struct port_state_row {
    const char* text;
    bool rests;
    bool traced;
};

inline constexpr std::array port_state_rows{
#define X(name, text, rests, traced) port_state_row{text, rests, traced},
    SPINUP_PORT_STATES(X)
#undef X
};
static_assert(port_state_rows.size() == port_state_count);

constexpr const port_state_row& row_of(port_state s) {
    return port_state_rows[static_cast<std::size_t>(s)];
}

struct port_edge {
    port_state from;
    port_event on;
    port_state to;
};

namespace detail {
using s = port_state;
using e = port_event;

inline constexpr port_edge edges[] = {
    // 5.3.2.1 P:Reset, P:Init: registers at reset, no power or GHC.HR in progress.
    {s::p_reset, e::reset, s::p_reset},
    {s::p_reset, e::recheck, s::p_reset},
    {s::p_reset, e::stop, s::p_reset},
    {s::p_reset, e::cominit, s::p_reset},
    {s::p_reset, e::fis, s::p_reset},
    {s::p_reset, e::init, s::p_init},
    {s::p_init, e::done, s::p_not_running},

    // 5.3.2.3 P:NotRunning.
    {s::p_not_running, e::reset, s::p_reset},
    {s::p_not_running, e::recheck, s::p_not_running},
    {s::p_not_running, e::stop, s::p_start_bit_cleared},
    {s::p_not_running, e::cominit, s::p_com_init},
    {s::p_not_running, e::fis, s::ndr_entry},
    {s::p_not_running, e::offline, s::p_offline},
    {s::p_not_running, e::comm, s::p_start_comm},
    {s::p_not_running, e::post, s::p_reg_fis_post},
    {s::p_not_running, e::start, s::p_idle},
    {s::p_start_bit_cleared, e::done, s::p_not_running},

    // P:Offline, P:StartComm, P:ComInit. Frames cannot arrive while the phy is off.
    {s::p_offline, e::reset, s::p_reset},
    {s::p_offline, e::recheck, s::p_offline},
    {s::p_offline, e::stop, s::p_start_bit_cleared},
    {s::p_offline, e::cominit, s::p_offline},
    {s::p_offline, e::fis, s::p_offline},
    {s::p_offline, e::released, s::p_not_running},
    {s::p_start_comm, e::reset, s::p_reset},
    {s::p_start_comm, e::recheck, s::p_start_comm},
    {s::p_start_comm, e::stop, s::p_start_bit_cleared},
    {s::p_start_comm, e::cominit, s::p_start_comm},
    {s::p_start_comm, e::fis, s::p_start_comm},
    {s::p_start_comm, e::released, s::p_not_running},
    {s::p_com_init, e::done, s::p_not_running},

    // A D2H Register FIS while stopped: the signature, as a rule.
    {s::p_reg_fis_update, e::post, s::p_reg_fis_post},
    {s::p_reg_fis_update, e::hold, s::p_not_running},
    {s::p_reg_fis_post, e::done, s::p_not_running},

    // 5.3.3 P:Idle and fetching a command.
    {s::p_idle, e::reset, s::p_reset},
    {s::p_idle, e::recheck, s::p_idle},
    {s::p_idle, e::stop, s::p_start_bit_cleared},
    {s::p_idle, e::cominit, s::p_com_init},
    {s::p_idle, e::fis, s::ndr_entry},
    {s::p_idle, e::select, s::p_select_cmd},
    {s::p_idle, e::transmit, s::cfis_xmit},
    {s::p_select_cmd, e::done, s::p_fetch_cmd},
    {s::p_fetch_cmd, e::done, s::p_idle},
    {s::p_fetch_cmd, e::fatal, s::err_fatal},

    // 5.3.7 CFIS: sending it.
    {s::cfis_xmit, e::done, s::cfis_success},
    {s::cfis_xmit, e::fatal, s::err_fatal},
    {s::cfis_success, e::done, s::p_idle},
    {s::cfis_success, e::clear, s::cfis_clear_ci},
    {s::cfis_clear_ci, e::done, s::p_idle},

    // 5.3.6 NDR: which FIS is it, and does it count?
    {s::ndr_entry, e::update, s::p_reg_fis_update},
    {s::ndr_entry, e::d2h, s::reg_fis_entry},
    {s::ndr_entry, e::pio, s::pio_entry},
    {s::ndr_entry, e::data, s::dr_receive},
    {s::ndr_entry, e::activate, s::dx_transmit},
    {s::ndr_entry, e::drop_running, s::p_idle},
    {s::ndr_entry, e::drop_stopped, s::p_not_running},

    // 5.3.9 RegFIS: the end of a command.
    {s::reg_fis_entry, e::fatal, s::err_fatal},
    {s::reg_fis_entry, e::error, s::err_fatal_taskfile},
    {s::reg_fis_entry, e::complete, s::reg_fis_clear_ci},
    {s::reg_fis_entry, e::done, s::reg_fis_set_intr},
    {s::reg_fis_clear_ci, e::done, s::reg_fis_set_intr},
    {s::reg_fis_set_intr, e::done, s::reg_fis_update_sig},
    {s::reg_fis_update_sig, e::done, s::p_idle},

    // 5.3.10 PIO, 5.3.8 ATAPI, 5.3.13 DR and DX: moving data.
    {s::pio_entry, e::fatal, s::err_fatal},
    {s::pio_entry, e::acmd, s::atapi_entry},
    {s::pio_entry, e::transmit, s::dx_transmit},
    {s::pio_entry, e::done, s::p_idle},
    {s::atapi_entry, e::fatal, s::err_fatal},
    {s::atapi_entry, e::done, s::pio_update},
    {s::dr_receive, e::fatal, s::err_fatal},
    {s::dr_receive, e::pio_done, s::pio_update},
    {s::dr_receive, e::done, s::p_idle},
    {s::dx_transmit, e::fatal, s::err_fatal},
    {s::dx_transmit, e::pio_done, s::pio_update},
    {s::dx_transmit, e::done, s::p_idle},
    {s::pio_update, e::error, s::err_fatal_taskfile},
    {s::pio_update, e::complete, s::pio_clear_ci},
    {s::pio_update, e::done, s::pio_set_intr},
    {s::pio_clear_ci, e::done, s::pio_set_intr},
    {s::pio_set_intr, e::done, s::p_idle},

    // 5.3.15 ERR: nothing is processed until software clears PxCMD.ST.
    {s::err_fatal, e::done, s::err_wait_for_clear},
    {s::err_fatal_taskfile, e::done, s::err_wait_for_clear},
    {s::err_wait_for_clear, e::reset, s::p_reset},
    {s::err_wait_for_clear, e::recheck, s::err_wait_for_clear},
    {s::err_wait_for_clear, e::stop, s::p_start_bit_cleared},
    {s::err_wait_for_clear, e::cominit, s::err_wait_for_clear},
    {s::err_wait_for_clear, e::fis, s::err_wait_for_clear},
};

inline constexpr u8 no_edge = 0xFF;
using port_table = std::array<std::array<u8, port_event_count>, port_state_count>;

consteval port_table make_port_table() {
    port_table table{};
    for (auto& row : table)
        row.fill(no_edge);
    for (const auto& edge : edges)
        table[static_cast<std::size_t>(edge.from)][static_cast<std::size_t>(edge.on)] =
            static_cast<u8>(edge.to);
    return table;
}

consteval bool deterministic() {
    for (std::size_t i = 0; i < std::size(edges); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (edges[i].from == edges[j].from && edges[i].on == edges[j].on)
                return false;
    return true;
}

consteval bool all_reachable() {
    std::array<bool, port_state_count> seen{};
    seen[static_cast<std::size_t>(port_state::p_reset)] = true;
    for (std::size_t round = 0; round < port_state_count; ++round)
        for (const auto& edge : edges)
            if (seen[static_cast<std::size_t>(edge.from)])
                seen[static_cast<std::size_t>(edge.to)] = true;
    for (bool b : seen)
        if (!b)
            return false;
    return true;
}

consteval bool rests_answer_all(const port_table& table) {
    for (std::size_t i = 0; i < port_state_count; ++i)
        for (std::size_t j = 0; j < outside_event_count; ++j)
            if (port_state_rows[i].rests != (table[i][j] != no_edge))
                return false;
    return true;
}

} // namespace detail

inline constexpr detail::port_table port_next = detail::make_port_table();
static_assert(detail::deterministic(), "two edges for one state and event");
static_assert(detail::all_reachable(), "a state that nothing leads to");
static_assert(detail::rests_answer_all(port_next),
              "states of rest answer every outside event, the others answer none");

} // namespace spinup::hw
