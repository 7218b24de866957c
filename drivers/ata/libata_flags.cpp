#include "drivers/ata/libata_flags.hpp"

#include <array>
#include <span>

namespace spinup::drivers {
namespace {

struct flag_name {
    u32 bits;
    const char* name;
};

std::string print(u32 flags, std::span<const flag_name> names) {
    std::string out;
    const auto add = [&out](std::string_view text) {
        if (!out.empty())
            out += '|';
        out += text;
    };
    for (const auto& each : names) {
        if ((flags & each.bits) == each.bits) {
            add(each.name);
            flags &= ~each.bits;
        }
    }
    if (flags != 0)
        add("?");
    return out.empty() ? "0" : out;
}

} // namespace

#define SPINUP_PRINTER(type, PREFIX, TABLE)                                                        \
    std::string to_string(type flags) {                                                            \
        static constexpr std::array names{TABLE(PREFIX)};                                          \
        return print(word(flags), names);                                                          \
    }

#define PFLAG_ROW(name, bit) flag_name{1u << bit, "ATA_PFLAG_" #name},
#define DFLAG_ROW(name, bit) flag_name{1u << bit, "ATA_DFLAG_" #name},
#define QCFLAG_ROW(name, bit) flag_name{1u << bit, "ATA_QCFLAG_" #name},
#define TFLAG_ROW(name, bit) flag_name{1u << bit, "ATA_TFLAG_" #name},
#define AC_ERR_ROW(name, bit) flag_name{1u << bit, "AC_ERR_" #name},

SPINUP_PRINTER(ata_pflags, PFLAG_ROW, SPINUP_ATA_PFLAGS)
SPINUP_PRINTER(ata_dflags, DFLAG_ROW, SPINUP_ATA_DFLAGS)
SPINUP_PRINTER(ata_qcflags, QCFLAG_ROW, SPINUP_ATA_QCFLAGS)
SPINUP_PRINTER(ata_tflags, TFLAG_ROW, SPINUP_ATA_TFLAGS)
SPINUP_PRINTER(ac_err, AC_ERR_ROW, SPINUP_AC_ERRS)

std::string to_string(ata_eh_action action) {
    static constexpr std::array names{
        flag_name{word(ata_eh_action::revalidate), "ATA_EH_REVALIDATE"},
        flag_name{word(ata_eh_action::softreset), "ATA_EH_SOFTRESET"},
        flag_name{word(ata_eh_action::hardreset), "ATA_EH_HARDRESET"},
        flag_name{word(ATA_EH_SET_ACTIVE), "ATA_EH_SET_ACTIVE"},
    };
    return print(word(action), names);
}

std::string to_string(ata_ehi_flags flags) {
    static constexpr std::array names{
        flag_name{word(ata_ehi_flags::hotplugged), "ATA_EHI_HOTPLUGGED"},
        flag_name{word(ata_ehi_flags::no_autopsy), "ATA_EHI_NO_AUTOPSY"},
        flag_name{word(ata_ehi_flags::quiet), "ATA_EHI_QUIET"},
        flag_name{word(ata_ehi_flags::no_recovery), "ATA_EHI_NO_RECOVERY"},
        flag_name{word(ATA_EHI_DID_SOFTRESET), "ATA_EHI_DID_SOFTRESET"},
        flag_name{word(ATA_EHI_DID_HARDRESET), "ATA_EHI_DID_HARDRESET"},
        flag_name{word(ATA_EHI_PRINTINFO), "ATA_EHI_PRINTINFO"},
        flag_name{word(ATA_EHI_SETMODE), "ATA_EHI_SETMODE"},
    };
    return print(word(flags), names);
}

} // namespace spinup::drivers
