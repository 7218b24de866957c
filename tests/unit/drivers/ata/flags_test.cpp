#include "drivers/ata/libata_flags.hpp"
#include <gtest/gtest.h>

namespace spinup::drivers {
namespace {

TEST(AtaFlags, print_under_linux_spelling) {
    EXPECT_EQ(to_string(ata_pflags::EH_PENDING | ata_pflags::FROZEN | ata_pflags::PM_PENDING),
              "ATA_PFLAG_EH_PENDING|ATA_PFLAG_FROZEN|ATA_PFLAG_PM_PENDING");
    EXPECT_EQ(to_string(ata_dflags::LBA48), "ATA_DFLAG_LBA48");
    EXPECT_EQ(to_string(ata_qcflags::ACTIVE | ata_qcflags::FAILED),
              "ATA_QCFLAG_ACTIVE|ATA_QCFLAG_FAILED");
    EXPECT_EQ(to_string(ac_err::DEV | ac_err::TIMEOUT), "AC_ERR_DEV|AC_ERR_TIMEOUT");
    EXPECT_EQ(to_string(ata_tflags::WRITE), "ATA_TFLAG_WRITE");
    EXPECT_EQ(to_string(ata_eh_action::reset | ata_eh_action::revalidate),
              "ATA_EH_REVALIDATE|ATA_EH_SOFTRESET|ATA_EH_HARDRESET");
    EXPECT_EQ(to_string(ATA_EH_SET_ACTIVE), "ATA_EH_SET_ACTIVE");
    EXPECT_EQ(to_string(ata_ehi_flags::quiet | ATA_EHI_DID_HARDRESET),
              "ATA_EHI_QUIET|ATA_EHI_DID_HARDRESET");
}

TEST(AtaFlags, print_nothing_and_the_unknown) {
    EXPECT_EQ(to_string(ata_pflags::none), "0");
    EXPECT_EQ(to_string(static_cast<ata_pflags>(1u << 31)), "?");
    EXPECT_EQ(to_string(ata_pflags::FROZEN | static_cast<ata_pflags>(1u << 31)),
              "ATA_PFLAG_FROZEN|?");
}

// A word in a trace reads like one in a kernel log only if the bits are the kernel's.
// Source: Linux 3.11 and 6.12, include/linux/libata.h.
TEST(AtaFlags, have_the_bits_of_the_kernel) {
    EXPECT_EQ(word(ata_pflags::EH_PENDING), 0x1u);
    EXPECT_EQ(word(ata_pflags::FROZEN), 0x4u);
    EXPECT_EQ(word(ata_pflags::RESUMING), 0x10000u); // of 6.6
    EXPECT_EQ(word(ata_pflags::SUSPENDED), 0x20000u);
    EXPECT_EQ(word(ata_pflags::PM_PENDING), 0x40000u);
    EXPECT_EQ(word(ata_dflags::RESUMING), 0x400000u);
    EXPECT_EQ(word(ata_dflags::DETACH), 0x1000000u);
    EXPECT_EQ(word(ata_qcflags::FAILED), 0x10000u);
    EXPECT_EQ(word(ATA_EH_SET_ACTIVE), 0x80u);
    EXPECT_EQ(word(ac_err::TIMEOUT), 0x4u);
    EXPECT_EQ(word(ac_err::SYSTEM), 0x40u);
    EXPECT_EQ(word(ATA_EHI_DID_HARDRESET), 0x20000u);
}

} // namespace
} // namespace spinup::drivers
