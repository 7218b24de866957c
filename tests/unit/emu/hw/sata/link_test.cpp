#include "emu/hw/sata/link.hpp"

#include "emu/time/virtual_timeline.hpp"

#include <gtest/gtest.h>

namespace spinup::hw {
namespace {

using namespace std::chrono_literals;

class fake_device final : public sata_device {
  public:
    void connect(sata_host&, u32) override {}
    void power_on() override {}
    void power_off() override {}
    void comreset() override { ++comresets; }
    void link_up(spec::ssts_spd) override {}
    spec::ssts_spd max_speed() const override { return spec::ssts_spd::gen2; }
    void receive(const spec::fis_reg_h2d&) override {}
    void receive_data(std::span<const u8>) override {}

    int comresets = 0;
};

class link_test : public testing::Test, public link_events {
  protected:
    void cominit() override { ++cominits; }
    void phy_ready(spec::ssts_spd s) override { speed = s; }
    void run(duration d) { line.run_until(line.now() + d); }

    virtual_timeline line;
    sata_link link{line, *this, spec::iss_t::gen3};
    fake_device device;
    int cominits = 0;
    spec::ssts_spd speed = spec::ssts_spd::none;
};

TEST_F(link_test, answers_only_after_comreset_is_released) {
    link.plug(device);
    EXPECT_TRUE(link.assert_comreset());
    EXPECT_FALSE(link.assert_comreset());
    run(1s);
    EXPECT_EQ(device.comresets, 1);
    EXPECT_EQ(cominits, 0);
    EXPECT_TRUE(link.release_comreset(spec::sctl_spd::no_limit));
    EXPECT_FALSE(link.release_comreset(spec::sctl_spd::no_limit));
    run(100us);
    EXPECT_EQ(cominits, 1);
    EXPECT_FALSE(link.ready());
    run(900us);
    EXPECT_TRUE(link.ready());
    EXPECT_EQ(speed, spec::ssts_spd::gen2);
}

TEST_F(link_test, a_lower_speed_takes_longer) {
    link.plug(device);
    const auto time_at = [&](spec::sctl_spd limit) {
        (void)link.assert_comreset();
        (void)link.release_comreset(limit);
        const auto start = line.now();
        while (!link.ready())
            line.step();
        return line.now() - start;
    };
    EXPECT_GT(time_at(spec::sctl_spd::gen1), time_at(spec::sctl_spd::gen2));
}

TEST_F(link_test, without_a_device_nothing_ever_comes) {
    (void)link.assert_comreset();
    (void)link.release_comreset(spec::sctl_spd::no_limit);
    EXPECT_TRUE(line.empty());
    EXPECT_FALSE(link.ready());
}

TEST_F(link_test, down_stops_a_bring_up) {
    link.plug(device);
    (void)link.assert_comreset();
    (void)link.release_comreset(spec::sctl_spd::no_limit);
    run(150us);
    link.down();
    run(1s);
    EXPECT_FALSE(link.ready());
    EXPECT_EQ(speed, spec::ssts_spd::none);
}

} // namespace
} // namespace spinup::hw
