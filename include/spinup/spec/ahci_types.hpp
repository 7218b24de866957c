// Values of the multi-bit fields of AHCI registers, one type a field.
//
// Standard: AHCI 1.3.1 chapters 3.1 and 3.3. PxSSTS and PxSCTL have fields of the same names and
// widths but other meanings (DET=4 reports "offline" in one and demands it in the other), so their
// types differ and a mix-up does not compile.
#pragma once

#include <spinup/base/units.hpp>
#include <spinup/spec/flags.hpp>
#include <string_view>

namespace spinup::spec {

/// CAP.ISS: fastest link speed of the HBA.
enum class iss_t : u8 { gen1 = 1, gen2 = 2, gen3 = 3 };

/// PxSSTS.DET. An enumeration, not a mask: `presence` (1) is no link yet, and 3 is not "1 and 2".
enum class ssts_det : u8 { none = 0, presence = 1, phy_up = 3, offline = 4 };
/// PxSSTS.SPD: the negotiated speed.
enum class ssts_spd : u8 { none = 0, gen1 = 1, gen2 = 2, gen3 = 3 };
/// PxSSTS.IPM: the power state of the link.
enum class ssts_ipm : u8 { none = 0, active = 1, partial = 2, slumber = 6, devsleep = 8 };

/// PxSCTL.DET. `comreset` must be held for 1 ms and may change only while PxCMD.ST=0 (5.3.2.3).
enum class sctl_det : u8 { none = 0, comreset = 1, offline = 4 };
/// PxSCTL.SPD: the highest speed to negotiate.
enum class sctl_spd : u8 { no_limit = 0, gen1 = 1, gen2 = 2, gen3 = 3 };
/// PxSCTL.IPM: transitions that are forbidden. This one is a mask.
enum class sctl_ipm : u8 {
    all_allowed = 0,
    no_partial = 1,
    no_slumber = 2,
    no_devsleep = 4,
};
template <> inline constexpr bool is_flag_set<sctl_ipm> = true;

/// PxCMD.ICC: requested link power state. Reads back as `idle` once the HBA acted on it.
enum class icc_t : u8 { idle = 0, active = 1, partial = 2, slumber = 6, devsleep = 8 };

[[nodiscard]] constexpr std::string_view to_string(ssts_det v) {
    switch (v) {
    case ssts_det::none:
        return "none";
    case ssts_det::presence:
        return "presence";
    case ssts_det::phy_up:
        return "phy_up";
    case ssts_det::offline:
        return "offline";
    }
    return "reserved";
}

[[nodiscard]] constexpr std::string_view to_string(ssts_ipm v) {
    switch (v) {
    case ssts_ipm::none:
        return "none";
    case ssts_ipm::active:
        return "active";
    case ssts_ipm::partial:
        return "partial";
    case ssts_ipm::slumber:
        return "slumber";
    case ssts_ipm::devsleep:
        return "devsleep";
    }
    return "reserved";
}

/// "1.5 Gbps" as libata prints it.
[[nodiscard]] constexpr std::string_view to_string(ssts_spd v) {
    switch (v) {
    case ssts_spd::none:
        return "<unknown>";
    case ssts_spd::gen1:
        return "1.5 Gbps";
    case ssts_spd::gen2:
        return "3.0 Gbps";
    case ssts_spd::gen3:
        return "6.0 Gbps";
    }
    return "<unknown>";
}

} // namespace spinup::spec
