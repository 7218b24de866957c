#include "emu/hw/ahci/port_states.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace spinup::hw {
namespace {

port_state next(port_state s, port_event e) {
    return static_cast<port_state>(
        port_next[static_cast<std::size_t>(s)][static_cast<std::size_t>(e)]);
}

TEST(port_states, reset_leads_to_p_reset_from_every_state_of_rest) {
    for (std::size_t i = 0; i < port_state_count; ++i)
        if (port_state_rows[i].rests) {
            EXPECT_EQ(next(static_cast<port_state>(i), port_event::reset), port_state::p_reset);
        }
}

TEST(port_states, only_clearing_st_or_a_reset_leaves_an_error) {
    using e = port_event;
    for (const auto event : {e::recheck, e::cominit, e::fis})
        EXPECT_EQ(next(port_state::err_wait_for_clear, event), port_state::err_wait_for_clear);
    EXPECT_EQ(next(port_state::err_wait_for_clear, e::stop), port_state::p_start_bit_cleared);
}

TEST(port_states, have_names_of_their_own) {
    std::set<std::string> names;
    for (const auto& row : port_state_rows)
        EXPECT_TRUE(names.insert(row.text).second) << row.text;
}

} // namespace
} // namespace spinup::hw
