// AHCI 1.3.1 registers against the figures of the fact sheet, sections 1 and 2.
//
// Offsets, resets and masks are spelled out here a second time, on purpose: the table is the single
// source of everything else, so only an independent copy can catch a wrong digit in it.
#include <gtest/gtest.h>
#include <set>
#include <spinup/spec/ahci_registers.hpp>
#include <spinup/spec/pci.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace spinup::spec {
namespace {

struct expected_register {
    const char* name;
    u32 offset;
    u32 reset;
    u32 rw;
    u32 rw1c;
    u32 w1s;
    u32 known;
};

constexpr expected_register expected_global[] = {
    {"cap", 0x00, 0, 0, 0, 0, 0xFFF7FFFF},
    {"ghc", 0x04, 0, 0x80000002, 0, 0x1, 0x80000007},
    {"is", 0x08, 0, 0, 0xFFFFFFFF, 0, 0xFFFFFFFF},
    {"pi", 0x0C, 0, 0, 0, 0, 0xFFFFFFFF},
    {"vs", 0x10, 0x00010301, 0, 0, 0, 0xFFFFFFFF},
    {"ccc_ctl", 0x14, 0, 0xFFFFFF01, 0, 0, 0xFFFFFFF9},
    {"ccc_ports", 0x18, 0, 0xFFFFFFFF, 0, 0, 0xFFFFFFFF},
    {"em_loc", 0x1C, 0, 0, 0, 0, 0xFFFFFFFF},
    {"em_ctl", 0x20, 0, 0, 0x1, 0x300, 0x0F0F0301},
    {"cap2", 0x24, 0, 0, 0, 0, 0x3F},
    {"bohc", 0x28, 0, 0x17, 0x8, 0, 0x1F},
};

constexpr expected_register expected_port[] = {
    {"px_clb", 0x00, 0, 0xFFFFFC00, 0, 0, 0xFFFFFC00},
    {"px_clbu", 0x04, 0, 0xFFFFFFFF, 0, 0, 0xFFFFFFFF},
    {"px_fb", 0x08, 0, 0xFFFFFF00, 0, 0, 0xFFFFFF00},
    {"px_fbu", 0x0C, 0, 0xFFFFFFFF, 0, 0, 0xFFFFFFFF},
    {"px_is", 0x10, 0, 0, 0xFD8000AF, 0, 0xFDC000FF},
    {"px_ie", 0x14, 0, 0xFDC000FF, 0, 0, 0xFDC000FF},
    {"px_cmd", 0x18, 0, 0xFF820017, 0, 0x8, 0xFFFFFF1F},
    {"px_tfd", 0x20, 0x7F, 0, 0, 0, 0xFFFF},
    {"px_sig", 0x24, 0xFFFFFFFF, 0, 0, 0, 0xFFFFFFFF},
    {"px_ssts", 0x28, 0, 0, 0, 0, 0xFFF},
    {"px_sctl", 0x2C, 0, 0xFFFFF, 0, 0, 0xFFFFF},
    {"px_serr", 0x30, 0, 0, 0x07FF0F03, 0, 0x07FF0F03},
    {"px_sact", 0x34, 0, 0, 0, 0xFFFFFFFF, 0xFFFFFFFF},
    {"px_ci", 0x38, 0, 0, 0, 0xFFFFFFFF, 0xFFFFFFFF},
    {"px_sntf", 0x3C, 0, 0, 0xFFFF, 0, 0xFFFF},
    {"px_fbs", 0x40, 0, 0xF01, 0, 0x2, 0xFFF07},
    {"px_devslp", 0x44, 0, 0x01FFFFFD, 0, 0, 0x1FFFFFFF},
};

u32 known(const reg_info& r) {
    u32 m = 0;
    for (const auto& row : r.rows)
        m |= row.mask();
    return m;
}

void expect_table(std::span<const reg_info> got, std::span<const expected_register> want) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
        SCOPED_TRACE(want[i].name);
        EXPECT_STREQ(got[i].name, want[i].name);
        EXPECT_EQ(got[i].offset, want[i].offset);
        EXPECT_EQ(reset_of(got[i].rows), want[i].reset);
        EXPECT_EQ(mask_of(got[i].rows, access::rw), want[i].rw);
        EXPECT_EQ(mask_of(got[i].rows, access::rw1c), want[i].rw1c);
        EXPECT_EQ(mask_of(got[i].rows, access::w1s), want[i].w1s);
        EXPECT_EQ(known(got[i]), want[i].known);
    }
}

std::vector<reg_info> all_registers() {
    std::vector<reg_info> all{global_registers.begin(), global_registers.end()};
    all.insert(all.end(), port_registers.begin(), port_registers.end());
    return all;
}

TEST(GlobalRegisters, match_the_fact_sheet_when_listed) {
    expect_table(global_registers, expected_global);
}

TEST(PortRegisters, match_the_fact_sheet_when_listed) {
    expect_table(port_registers, expected_port);
}

TEST(AllRegisters, have_rows_inside_32_bits_when_listed) {
    for (const auto& r : all_registers())
        for (const auto& row : r.rows) {
            EXPECT_LT(row.high, 32u) << r.name << '.' << row.name;
            EXPECT_LE(row.low, row.high) << r.name << '.' << row.name;
            EXPECT_EQ((row.reset << row.low) & ~row.mask(), 0u) << r.name << '.' << row.name;
        }
}

TEST(AllRegisters, have_no_overlapping_rows_when_listed) {
    for (const auto& r : all_registers()) {
        u32 seen = 0;
        for (const auto& row : r.rows) {
            EXPECT_EQ(seen & row.mask(), 0u) << r.name << '.' << row.name;
            seen |= row.mask();
        }
    }
}

TEST(AllRegisters, have_unique_names_and_a_section_when_listed) {
    std::set<std::string> registers;
    for (const auto& r : all_registers()) {
        EXPECT_TRUE(registers.insert(r.name).second) << r.name;
        std::set<std::string> fields;
        for (const auto& row : r.rows) {
            EXPECT_TRUE(fields.insert(row.name).second) << r.name << '.' << row.name;
            EXPECT_STRNE(row.section, "");
        }
    }
}

TEST(AllRegisters, are_dword_aligned_inside_their_block_when_listed) {
    for (const auto& r : global_registers) {
        EXPECT_EQ(r.offset % 4, 0u);
        EXPECT_LT(r.offset, 0x2Cu) << r.name;
    }
    for (const auto& r : port_registers) {
        EXPECT_EQ(r.offset % 4, 0u);
        EXPECT_LT(r.offset, port_stride) << r.name;
    }
}

TEST(AllRegisters, keep_only_base_addresses_when_the_hba_resets) {
    std::vector<std::string> kept;
    for (const auto& r : port_registers)
        if (r.kept_by_hba_reset)
            kept.emplace_back(r.name);
    EXPECT_EQ(kept, (std::vector<std::string>{"px_clb", "px_clbu", "px_fb", "px_fbu"}));
}

TEST(Abar, places_ports_when_given_a_number) {
    EXPECT_EQ(port_offset(0, px_clb::offset), 0x100u);
    EXPECT_EQ(port_offset(5, px_ssts::offset), 0x3A8u);
    EXPECT_EQ(port_offset(max_ports, 0), abar_size);
}

TEST(AfterWrite, follows_access_of_each_bit_when_written) {
    EXPECT_EQ(after_write<px_ie>(0, ~0u), 0xFDC000FFu);
    EXPECT_EQ(after_write<px_ie>(~0u & known_mask<px_ie>, 0), 0u);
    EXPECT_EQ(after_write<px_serr>(0x04010000, 0x04000000), 0x00010000u);
    EXPECT_EQ(after_write<px_ci>(0x1, 0x6), 0x7u);
    EXPECT_EQ(after_write<px_ci>(0x7, 0x0), 0x7u);
}

TEST(AfterWrite, ignores_the_write_when_the_register_is_read_only) {
    EXPECT_EQ(after_write<cap>(0xC0141F05, ~0u), 0xC0141F05u);
    EXPECT_EQ(after_write<pi>(0x3F, 0), 0x3Fu);
    EXPECT_EQ(after_write<px_tfd>(0x80, 0), 0x80u);
    EXPECT_EQ(after_write<px_ssts>(0x123, 0), 0x123u);
}

TEST(AfterWrite, leaves_reserved_bits_zero_when_all_ones_are_written) {
    EXPECT_EQ(after_write<px_sctl>(0, ~0u), 0xFFFFFu);
    EXPECT_EQ(after_write<px_clb>(0, ~0u), 0xFFFFFC00u);
}

TEST(PxIs, keeps_mirrors_when_ones_are_written) {
    EXPECT_EQ(mirror_mask<px_is>, px_is::pcs.mask | px_is::prcs.mask | px_is::ufs.mask);
    EXPECT_EQ(after_write<px_is>(0xFDC000FF, ~0u), 0x00400050u);
}

TEST(PxIs, follows_serr_when_mirrored) {
    const auto serr = px_serr{}.with(px_serr::diag_x, true).with(px_serr::diag_w, true);
    const auto is = with_mirrors(px_is{1}, serr);
    EXPECT_EQ(is.raw, 1u | px_is::pcs.mask);
    EXPECT_EQ(with_mirrors(is, px_serr{}).raw, 1u);
    EXPECT_TRUE(with_mirrors({}, px_serr{0x00010000}).get(px_is::prcs));
    EXPECT_TRUE(with_mirrors({}, px_serr{0x02000000}).get(px_is::ufs));
}

TEST(PxIe, has_the_layout_of_px_is_when_compared) {
    ASSERT_EQ(px_ie::rows.size(), px_is::rows.size());
    for (std::size_t i = 0; i < px_ie::rows.size(); ++i)
        EXPECT_EQ(px_ie::rows[i].mask(), px_is::rows[i].mask()) << px_ie::rows[i].name;
}

TEST(Cap, reads_its_fields_when_given_qemus_value) {
    const auto c = cap{0xC0141F05};
    EXPECT_EQ(c.get(cap::np), 5);
    EXPECT_EQ(c.get(cap::ncs), 31);
    EXPECT_EQ(c.get(cap::iss), iss_t::gen1);
    EXPECT_TRUE(c.get(cap::sam));
    EXPECT_TRUE(c.get(cap::sncq));
    EXPECT_TRUE(c.get(cap::s64a));
    EXPECT_FALSE(c.get(cap::sss));
}

TEST(PxCmd, reads_sud_and_pod_as_one_when_they_are_not_implemented) {
    const auto plain = px_cmd_reset(cap{}, px_cmd{});
    EXPECT_EQ(plain.raw, px_cmd::sud.mask | px_cmd::pod.mask);
    EXPECT_EQ(px_cmd_rw_mask(cap{}, px_cmd{}) & (px_cmd::sud.mask | px_cmd::pod.mask), 0u);
}

TEST(PxCmd, resets_sud_to_zero_when_spin_up_is_staggered) {
    const auto caps = cap{}.with(cap::sss, true);
    const auto assembly = px_cmd{}.with(px_cmd::cpd, true).with(px_cmd::st, true);
    EXPECT_EQ(px_cmd_reset(caps, assembly).raw, px_cmd::cpd.mask);
    EXPECT_EQ(px_cmd_rw_mask(caps, assembly) & 0x6u, 0x6u);
}

TEST(PxCmd, allows_link_power_bits_when_salp_is_set) {
    const u32 bits = px_cmd::alpe.mask | px_cmd::asp.mask;
    EXPECT_EQ(px_cmd_rw_mask(cap{}, px_cmd{}) & bits, 0u);
    EXPECT_EQ(px_cmd_rw_mask(cap{}.with(cap::salp, true), px_cmd{}) & bits, bits);
}

TEST(PxSsts, is_online_only_when_the_phy_is_up) {
    EXPECT_TRUE(link_online(px_ssts{0x123}));
    EXPECT_FALSE(link_online(px_ssts{0x001}));
    EXPECT_FALSE(link_online(px_ssts{0x000}));
    EXPECT_FALSE(link_online(px_ssts{0x004}));
}

TEST(PxSsts, has_a_device_when_the_link_sleeps) {
    EXPECT_TRUE(device_present(px_ssts{0x600}));
    EXPECT_TRUE(device_present(px_ssts{0x200}));
    EXPECT_TRUE(device_present(px_ssts{0x800}));
    EXPECT_FALSE(device_present(px_ssts{0x001}));
}

TEST(PxSsts, has_own_types_when_compared_with_px_sctl) {
    static_assert(
        !std::is_same_v<decltype(px_ssts::det)::value_type, decltype(px_sctl::det)::value_type>);
    static_assert(
        !std::is_same_v<decltype(px_ssts::ipm)::value_type, decltype(px_sctl::ipm)::value_type>);
    static_assert(
        !std::is_same_v<decltype(px_ssts::spd)::value_type, decltype(px_sctl::spd)::value_type>);
}

TEST(PxSctl, combines_forbidden_transitions_when_written_as_a_mask) {
    const auto s = px_sctl{}.with(px_sctl::ipm, sctl_ipm::no_partial | sctl_ipm::no_slumber);
    EXPECT_EQ(s.raw, 0x300u);
}

TEST(PxTfd, is_busy_free_when_neither_bsy_nor_drq_is_set) {
    EXPECT_FALSE(idle(px_tfd{reset_value<px_tfd>}));
    EXPECT_FALSE(idle(px_tfd{0x80}));
    EXPECT_FALSE(idle(px_tfd{0x58}));
    EXPECT_TRUE(idle(px_tfd{0x150}));
}

TEST(PxClb, joins_both_halves_when_turned_into_an_address) {
    EXPECT_EQ(address(px_clb{0x12345FFF}, px_clbu{0x1}), 0x112345C00u);
    EXPECT_EQ(address(px_fb{0x12345FFF}, px_fbu{0x1}), 0x112345F00u);
}

TEST(Printer, names_fields_when_a_register_is_printed) {
    EXPECT_EQ(print(px_cmd{0x60000003}), "st=0x1 sud=0x1 icc=0x6");
    EXPECT_EQ(print(px_ssts{0x133}), "det=0x3 spd=0x3 ipm=0x1");
    EXPECT_EQ(print(px_serr{0x04050000}), "diag_n=0x1 diag_w=0x1 diag_x=0x1");
    EXPECT_EQ(print(px_tfd{0x0451}), "sts=0x51 err=0x4");
    EXPECT_EQ(print(px_is{0x02000001}), "dhrs=0x1 ?=0x2000000");
}

TEST(Printer, names_states_when_link_fields_are_printed) {
    EXPECT_EQ(to_string(px_ssts{0x123}.get(px_ssts::det)), "phy_up");
    EXPECT_EQ(to_string(px_ssts{0x623}.get(px_ssts::ipm)), "slumber");
    EXPECT_EQ(to_string(px_ssts{0x123}.get(px_ssts::spd)), "3.0 Gbps");
    EXPECT_EQ(to_string(static_cast<ssts_det>(2)), "reserved");
}

TEST(PciPmcsr, holds_the_power_state_when_written) {
    EXPECT_EQ(pci_class_ahci, 0x010601u);
    EXPECT_EQ(pci_pmcsr{}.with(pci_pmcsr::ps, pci_power::d3hot).raw, 0x3u);
    EXPECT_EQ(to_string(pci_power::d3hot), "D3hot");
    EXPECT_EQ(print(pci_command{0x6}), "mse=0x1 bme=0x1");
}

} // namespace
} // namespace spinup::spec
