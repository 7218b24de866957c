// PACKET (ACS-3 7.18) and the optical drive behind it (SPC-4, MMC-6; fact sheet, section 6).
#include "tests/support/hba_host.hpp"

#include <gtest/gtest.h>
#include <string>

namespace spinup::test {
namespace {

using namespace spec;

class odd_host : public hba_host {
  public:
    explicit odd_host(hw::drive_profile p) : hba_host({}, {std::move(p)}) { hba.power_on(); }

    /// Returns: GOOD. After CHECK CONDITION the port is started again, and key and pair are set.
    bool packet(const cdb& command, u32 bytes = 0, bool by_dma = true, u16 limit = 0) {
        auto fis = ata(ata_cmd::packet);
        fis.device = 0;
        fis.feature_low = by_dma && bytes != 0 ? 1 : 0;
        fis.lba_low[1] = static_cast<u8>(limit);
        fis.lba_low[2] = static_cast<u8>(limit >> 8);
        build(0, 0, fis, bytes);
        header(0, 0).dw0.set(cmd_header_dw0::a, true);
        poke(table_of(0, 0) + command_table::acmd, command.bytes);
        issue(0, 1);
        EXPECT_TRUE(finish(0));
        if (!has(status(0), ata_status::err))
            return true;
        key = static_cast<sense_key>(spec::raw(error(0)) >> 4);
        stop(0);
        clear_interrupts(0);
        start(0);
        if (command.op() != scsi_op::request_sense) {
            EXPECT_TRUE(packet(make_request_sense(), sizeof(fixed_sense), by_dma));
            const auto sense = peek<fixed_sense>(data_area);
            EXPECT_EQ(sense.key(), key);
            pair = sense.pair();
        }
        return false;
    }
    bool ready() { return packet(make_test_unit_ready()); }

    sense_key key{};
    asc_pair pair{};
};

TEST(optical_drive, tells_how_the_disc_becomes_ready) {
    odd_host h{quick_odd(true)};
    ASSERT_TRUE(h.bring_up(0));
    EXPECT_LT(h.line.now(), time_point{} + 600ms) << "commands are taken early";
    EXPECT_FALSE(h.ready());
    EXPECT_EQ(h.pair, asc_pair::power_on_or_reset);
    EXPECT_FALSE(h.ready());
    EXPECT_EQ(h.key, sense_key::not_ready);
    EXPECT_EQ(h.pair, asc_pair::becoming_ready);
    h.run(13s);
    EXPECT_EQ(h.events(trace_event::medium_ready).size(), 1u);
    EXPECT_FALSE(h.ready());
    EXPECT_EQ(h.key, sense_key::unit_attention);
    EXPECT_EQ(h.pair, asc_pair::not_ready_to_ready);
    EXPECT_TRUE(h.ready());
    EXPECT_TRUE(h.ready());
}

TEST(optical_drive, without_a_disc_says_so) {
    odd_host h{quick_odd(false)};
    ASSERT_TRUE(h.bring_up(0));
    EXPECT_FALSE(h.ready());
    h.run(100s);
    EXPECT_FALSE(h.ready());
    EXPECT_EQ(h.key, sense_key::not_ready);
    EXPECT_EQ(h.pair, asc_pair::medium_not_present);
}

TEST(optical_drive, attention_comes_once_after_each_comreset) {
    odd_host h{quick_odd(true, 1s)};
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(h.bring_up(0));
        h.run(2s);
        EXPECT_FALSE(h.ready());
        EXPECT_EQ(h.pair, asc_pair::power_on_or_reset);
        EXPECT_TRUE(h.ready());
        h.stop(0);
    }
}

TEST(optical_drive, inquiry_works_under_attention_and_by_pio) {
    odd_host h{quick_odd(true)};
    ASSERT_TRUE(h.bring_up(0));
    ASSERT_TRUE(h.packet(make_inquiry(36), 36, false));
    EXPECT_EQ(h.data(36)[0], 5);
    EXPECT_EQ(std::string(reinterpret_cast<char*>(h.data(36)) + 16, 8), "test dvd");
    EXPECT_FALSE(h.ready()) << "the attention is still there";
    EXPECT_EQ(h.header(0, 0).prdbc, sizeof(fixed_sense)) << "of the REQUEST SENSE";
}

TEST(optical_drive, reads_by_dma_and_by_pio_within_the_byte_count_limit) {
    odd_host h{quick_odd(true, 1s)};
    ASSERT_TRUE(h.bring_up(0));
    h.run(2s);
    EXPECT_FALSE(h.ready());
    cdb capacity;
    capacity.bytes[0] = static_cast<u8>(scsi_op::read_capacity_10);
    ASSERT_TRUE(h.packet(capacity, 8));
    EXPECT_EQ(h.data(8)[3], 999 & 0xFF);
    EXPECT_EQ(h.data(8)[6], 2048 >> 8);

    constexpr u32 bytes = 9 * 2048;
    struct way {
        bool by_dma;
        u16 limit;
    };
    for (const way w : {way{true, 0}, way{false, 0}, way{false, 2048}, way{false, 777}}) {
        std::memset(h.data(bytes), 0xEE, bytes);
        ASSERT_TRUE(h.packet(make_read_10(500, 9), bytes, w.by_dma, w.limit));
        for (u32 i = 0; i < 9; ++i)
            EXPECT_EQ(h.peek<u64>(hba_host::data_area + i * 2048), 500 + i);
        EXPECT_EQ(h.data(bytes)[bytes - 1], 0);
        EXPECT_EQ(h.header(0, 0).prdbc, bytes);
    }
    EXPECT_FALSE(h.packet(make_read_10(999, 2), 4096));
    EXPECT_EQ(h.pair, asc_pair::lba_out_of_range);
}

TEST(optical_drive, stops_and_starts_its_disc) {
    odd_host h{quick_odd(true, 5s)};
    ASSERT_TRUE(h.bring_up(0));
    h.run(6s);
    EXPECT_FALSE(h.ready());
    ASSERT_TRUE(h.packet(make_start_stop(false)));
    EXPECT_FALSE(h.ready());
    EXPECT_EQ(h.pair, asc_pair::initializing_required);
    ASSERT_TRUE(h.packet(make_start_stop(true, true)));
    EXPECT_FALSE(h.ready());
    EXPECT_EQ(h.pair, asc_pair::becoming_ready);
    const auto before = h.line.now();
    ASSERT_TRUE(h.packet(make_start_stop(true)));
    EXPECT_GT(h.line.now() - before, 4s) << "without IMMED it waits";
    EXPECT_FALSE(h.ready());
    EXPECT_EQ(h.pair, asc_pair::not_ready_to_ready);
    EXPECT_TRUE(h.ready());
}

TEST(optical_drive, reports_a_new_disc_as_an_event_once) {
    odd_host h{quick_odd(true, 1s)};
    ASSERT_TRUE(h.bring_up(0));
    h.run(2s);
    cdb poll;
    poll.bytes[0] = static_cast<u8>(scsi_op::get_event_status_notification);
    poll.bytes[1] = 1;
    poll.bytes[4] = 0x10;
    poll.bytes[8] = 8;
    for (const u8 event : std::initializer_list<u8>{2, 0}) {
        ASSERT_TRUE(h.packet(poll, 8));
        EXPECT_EQ(h.data(8)[4], event);
        EXPECT_EQ(h.data(8)[5], 2);
    }
}

TEST(optical_drive, unknown_packets_are_illegal_requests) {
    odd_host h{quick_odd(true)};
    ASSERT_TRUE(h.bring_up(0));
    EXPECT_FALSE(h.ready());
    cdb c;
    c.bytes[0] = 0xFF;
    EXPECT_FALSE(h.packet(c));
    EXPECT_EQ(h.key, sense_key::illegal_request);
    EXPECT_EQ(h.pair, asc_pair::invalid_command_operation_code);
}

TEST(optical_drive, aborts_identify_device_and_answers_identify_packet_device) {
    odd_host h{quick_odd(true)};
    ASSERT_TRUE(h.bring_up(0));
    EXPECT_FALSE(h.execute(0, ata(ata_cmd::identify_device), 512));
    EXPECT_EQ(h.error(0), ata_error::abrt);
    const auto fis = h.peek<fis_reg_d2h>(h.fis_area_of(0) + received_fis::rfis);
    EXPECT_EQ(fis.lba_low[1], 0x14);
    EXPECT_EQ(fis.lba_low[2], 0xEB);
    h.stop(0);
    h.clear_interrupts(0);
    h.start(0);
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::identify_packet_device), 512));
    EXPECT_TRUE(h.peek<identify_page>(hba_host::data_area).is_packet());
}

} // namespace
} // namespace spinup::test
