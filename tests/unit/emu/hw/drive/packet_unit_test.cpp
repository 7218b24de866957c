#include "emu/hw/drive/packet_unit.hpp"

#include <cstring>
#include <gtest/gtest.h>

namespace spinup::hw {
namespace {

using namespace spec;

class packet_unit_test : public testing::Test {
  protected:
    fixed_sense sense() {
        const auto reply = unit.execute(make_request_sense());
        fixed_sense out;
        EXPECT_EQ(reply.bytes.size(), sizeof(out));
        std::memcpy(&out, reply.bytes.data(), sizeof(out));
        return out;
    }

    drive_profile profile;
    media disc{sectors{100}, 2048};
    packet_unit unit{profile, disc};
};

TEST_F(packet_unit_test, request_sense_reports_and_clears) {
    EXPECT_FALSE(unit.execute(make_test_unit_ready()).good);
    EXPECT_EQ(sense().pair(), asc_pair::medium_not_present);
    EXPECT_EQ(sense().key(), sense_key::no_sense);
}

TEST_F(packet_unit_test, request_sense_takes_a_pending_attention) {
    unit.reset();
    EXPECT_EQ(sense().pair(), asc_pair::power_on_or_reset);
    unit.set_disc(disc_state::ready);
    EXPECT_TRUE(unit.execute(make_test_unit_ready()).good);
}

TEST_F(packet_unit_test, reset_hides_a_disc_change_behind_it) {
    unit.reset();
    unit.disc_ready();
    EXPECT_FALSE(unit.execute(make_test_unit_ready()).good);
    EXPECT_EQ(sense().pair(), asc_pair::power_on_or_reset);
    EXPECT_TRUE(unit.execute(make_test_unit_ready()).good);
}

TEST_F(packet_unit_test, allocation_length_cuts_the_data) {
    EXPECT_EQ(unit.execute(make_inquiry(5)).bytes.size(), 5u);
    EXPECT_EQ(unit.execute(make_inquiry(255)).bytes.size(), 36u);
}

TEST_F(packet_unit_test, read_names_the_blocks_and_moves_nothing) {
    unit.set_disc(disc_state::ready);
    const auto reply = unit.execute(make_read_10(90, 10));
    EXPECT_TRUE(reply.good);
    EXPECT_EQ(reply.first, 90u);
    EXPECT_EQ(reply.blocks, 10u);
    EXPECT_FALSE(unit.execute(make_read_10(90, 11)).good);
}

} // namespace
} // namespace spinup::hw
