// AHCI 1.3.1 chapter 3: reset values and access types of every register, from the table's rows.
#include "tests/support/hba_host.hpp"

#include <gtest/gtest.h>
#include <string>

namespace spinup::test {
namespace {

using namespace spec;

// Bits that the row lets software write but that this HBA does not offer: they follow from CAP.
u32 absent(u32 offset, const hw::hba_config& c) {
    switch (offset) {
    case px_clbu::offset:
    case px_fbu::offset:
        return c.addressing_64 ? 0 : ~0u;
    case px_cmd::offset: // written by running_test and link_test; here only what has no effect
        return ~(px_cmd::atapi.mask | px_cmd::dlae.mask | (c.pmp ? px_cmd::pma.mask : 0));
    case px_sctl::offset:
        return px_sctl::det.mask;
    case px_fbs::offset:
    case px_devslp::offset:
    case px_sntf::offset:
        return ~0u;
    case px_sact::offset: // only while ST=1
    case px_ci::offset:
        return ~0u;
    default:
        return 0;
    }
}

u32 expected_reset(const reg_info& r, const hw::hba_config& c) {
    switch (r.offset) {
    case px_cmd::offset:
        return (c.staggered_spin_up ? 0 : px_cmd::sud.mask) | px_cmd::pod.mask;
    case px_devslp::offset:
    case px_fbs::offset:
        return 0;
    default:
        return reset_of(r.rows);
    }
}

struct variant {
    const char* name;
    hw::hba_config config;
};

class every_hba : public testing::TestWithParam<variant> {};

// An empty port: no COMINIT, so nothing but software changes a register.
TEST_P(every_hba, port_registers_have_their_reset_values) {
    hba_host h{GetParam().config};
    h.hba.power_on();
    for (u32 port = 0; port < h.hba.port_count(); ++port)
        for (const auto& r : port_registers)
            EXPECT_EQ(h.hba.read32(port_offset(port, r.offset)),
                      expected_reset(r, GetParam().config))
                << r.name << " of port " << port;
}

TEST_P(every_hba, port_registers_take_ones_and_zeros_as_their_rows_say) {
    const auto& config = GetParam().config;
    for (const auto& r : port_registers) {
        hba_host h{config};
        h.hba.power_on();
        const u32 at = port_offset(config.ports - 1, r.offset);
        const u32 rw = mask_of(r.rows, access::rw) & ~absent(r.offset, config);
        const u32 before = h.hba.read32(at);
        const u32 unsafe = r.offset == px_cmd::offset    ? ~rw
                           : r.offset == px_sctl::offset ? px_sctl::det.mask
                                                         : 0;
        h.hba.write32(at, ~0u & ~unsafe);
        EXPECT_EQ(h.hba.read32(at), before | rw) << r.name << " after ones";
        h.hba.write32(at, 0);
        const u32 kept = r.offset == px_cmd::offset ? before & ~px_cmd::sud.mask : before & ~rw;
        const u32 sud = config.staggered_spin_up ? 0 : px_cmd::sud.mask;
        EXPECT_EQ(h.hba.read32(at), r.offset == px_cmd::offset ? kept | (sud & before) : kept)
            << r.name << " after zeros";
    }
}

TEST_P(every_hba, interrupt_enable_offers_all_its_bits) {
    hba_host h{GetParam().config};
    h.hba.power_on();
    h.put<px_ie>(0, ~0u);
    EXPECT_EQ(h.raw<px_ie>(0), 0xFDC000FFu);
}

TEST_P(every_hba, global_registers_ignore_writes_to_read_only_bits) {
    const auto& config = GetParam().config;
    hba_host h{config};
    h.hba.power_on();
    for (const auto& r : global_registers) {
        if (r.offset == ghc::offset)
            continue;
        const u32 before = h.hba.read32(r.offset);
        h.hba.write32(r.offset, ~0u);
        EXPECT_EQ(h.hba.read32(r.offset), before) << r.name;
        h.hba.write32(r.offset, 0);
        EXPECT_EQ(h.hba.read32(r.offset), before) << r.name;
    }
    EXPECT_EQ(h.hba.read32(vs::offset), 0x00010301u);
    EXPECT_EQ(h.hba.read32(pi::offset), (1ull << config.ports) - 1);
}

TEST_P(every_hba, capabilities_say_what_was_configured) {
    const auto& config = GetParam().config;
    hba_host h{config};
    h.hba.power_on();
    const auto c = h.global<cap>();
    EXPECT_EQ(c.get(cap::np) + 1u, config.ports);
    EXPECT_EQ(c.get(cap::ncs) + 1u, config.slots);
    EXPECT_EQ(c.get(cap::spm), config.pmp);
    EXPECT_EQ(c.get(cap::sss), config.staggered_spin_up);
    EXPECT_EQ(c.get(cap::sclo), config.command_list_override);
    EXPECT_EQ(c.get(cap::s64a), config.addressing_64);
    EXPECT_EQ(c.get(cap::sam), config.ahci_only);
    EXPECT_EQ(c.get(cap::iss), config.speed);
    EXPECT_EQ(c.get(cap::ssntf) || c.get(cap::sncq) || c.get(cap::fbss) || c.get(cap::ems), false);
}

TEST_P(every_hba, unimplemented_ports_and_reserved_space_read_zero) {
    hba_host h{GetParam().config};
    h.hba.power_on();
    for (u32 at = 0x2C; at < port_base; at += 4) {
        h.hba.write32(at, ~0u);
        EXPECT_EQ(h.hba.read32(at), 0u) << at;
    }
    for (u32 at = port_offset(GetParam().config.ports, 0); at < abar_size; at += 4) {
        h.hba.write32(at, ~0u);
        EXPECT_EQ(h.hba.read32(at), 0u) << at;
    }
    for (u32 at = port_offset(0, 0x48); at < port_offset(1, 0); at += 4) {
        h.hba.write32(at, ~0u);
        EXPECT_EQ(h.hba.read32(at), 0u) << at;
    }
    h.hba.write32(abar_size, ~0u);
    EXPECT_EQ(h.hba.read32(abar_size), 0u);
}

std::vector<variant> variants() {
    hw::hba_config all;
    all.ports = 32;
    all.pmp = true;
    hw::hba_config least;
    least.ports = 1;
    least.slots = 1;
    least.speed = iss_t::gen1;
    least.staggered_spin_up = true;
    least.command_list_override = false;
    least.addressing_64 = false;
    least.ahci_only = false;
    return {{"usual", {}}, {"all_ports", all}, {"least", least}};
}

INSTANTIATE_TEST_SUITE_P(hba, every_hba, testing::ValuesIn(variants()),
                         [](const auto& v) { return std::string{v.param.name}; });

TEST(ghc, ae_is_fixed_when_the_hba_is_ahci_only) {
    hba_host fixed;
    fixed.hba.power_on();
    fixed.hba.write32(ghc::offset, 0);
    EXPECT_TRUE(fixed.global<ghc>().get(ghc::ae));

    hw::hba_config config;
    config.ahci_only = false;
    hba_host legacy{config};
    legacy.hba.power_on();
    EXPECT_FALSE(legacy.global<ghc>().get(ghc::ae));
    legacy.hba.write32(ghc::offset, ghc{}.with(ghc::ae, true).raw);
    EXPECT_TRUE(legacy.global<ghc>().get(ghc::ae));
}

TEST(ghc, hba_reset_clears_everything_but_the_base_addresses) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.hba.write32(ghc::offset, h.global<ghc>().with(ghc::hr, true).raw);
    EXPECT_TRUE(h.global<ghc>().get(ghc::hr));
    EXPECT_FALSE(h.global<ghc>().get(ghc::ie));
    EXPECT_EQ(h.raw<px_clb>(0), static_cast<u32>(h.list_of(0)));
    EXPECT_EQ(h.raw<px_clbu>(0), static_cast<u32>(h.list_of(0) >> 32));
    EXPECT_EQ(h.raw<px_fb>(0), static_cast<u32>(h.fis_area_of(0)));
    for (const auto& r : port_registers)
        if (!r.kept_by_hba_reset) {
            EXPECT_EQ(h.hba.read32(port_offset(0, r.offset)), expected_reset(r, h.hba.config()))
                << r.name;
        }
    h.put<px_ie>(0, ~0u);
    EXPECT_EQ(h.raw<px_ie>(0), 0u) << "writes during the reset are lost";
    h.run(999us);
    EXPECT_TRUE(h.global<ghc>().get(ghc::hr));
    h.run(1us);
    EXPECT_FALSE(h.global<ghc>().get(ghc::hr));
}

} // namespace
} // namespace spinup::test
