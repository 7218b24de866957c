// AHCI registers: one row per field, and everything that follows from the rows.
//
// Standard: Serial ATA AHCI 1.3.1, 3.1 (global registers, at ABAR) and 3.3 (port registers, at
// ABAR + 0x100 + 0x80 * port). The document itself was not at hand: numbers come from the fact
// sheet's sections 1 and 2, whose tags are repeated here ([L] Linux, [E] Elphel x393_sata, [A] AMD
// UG1087, [S] storahci, [C] ctOS notes, [mem] memory, not verified).
//
// How to use it:
//     auto cmd = px_cmd{mmio.read(port_offset(n, px_cmd::offset))};
//     cmd.set(px_cmd::sud, true);              // a field of px_cmd does not compile on px_sctl
//     value = after_write<px_serr>(value, w);  // RO, RW, RW1C and W1S bits each by their rule
//
// What rows cannot say: access that depends on a capability (PxCMD.SUD is RO 1 without CAP.SSS)
// and side effects. The first has helpers at the end of the file, the second is the HBA's work.
// `reset` of an hwinit field is 0, because the assembly sets it.
#pragma once

#include <array>
#include <span>
#include <spinup/base/bits.hpp>
#include <spinup/base/units.hpp>
#include <spinup/spec/ahci_types.hpp>
#include <spinup/spec/ata.hpp>
#include <spinup/spec/fis.hpp>
#include <string>

namespace spinup::spec {

inline constexpr u32 port_base = 0x100;
inline constexpr u32 port_stride = 0x80;
inline constexpr unsigned max_ports = 32;
inline constexpr unsigned max_slots = 32;
/// BAR5 for all 32 ports. QEMU maps 4 KiB, which holds 30.
inline constexpr u32 abar_size = 0x1100;
static_assert(port_base + max_ports * port_stride == abar_size);

/// Offset in ABAR of a port's register.
[[nodiscard]] constexpr u32 port_offset(unsigned port, u32 reg) {
    return port_base + port_stride * port + reg;
}

// Global registers.

// 00h, HBA Capabilities. Firmware sets SSS and SMPS ("write once by BIOS"). [L][A][E]
#define SPINUP_CAP_FIELDS(X)                                                                       \
    X(np, 4, 0, u8, hwinit, 0, "3.1.1")                                                            \
    X(sxs, 5, 5, bool, hwinit, 0, "3.1.1")                                                         \
    X(ems, 6, 6, bool, hwinit, 0, "3.1.1")                                                         \
    X(cccs, 7, 7, bool, hwinit, 0, "3.1.1")                                                        \
    X(ncs, 12, 8, u8, hwinit, 0, "3.1.1")                                                          \
    X(psc, 13, 13, bool, hwinit, 0, "3.1.1")                                                       \
    X(ssc, 14, 14, bool, hwinit, 0, "3.1.1")                                                       \
    X(pmd, 15, 15, bool, hwinit, 0, "3.1.1")                                                       \
    X(fbss, 16, 16, bool, hwinit, 0, "3.1.1")                                                      \
    X(spm, 17, 17, bool, hwinit, 0, "3.1.1")                                                       \
    X(sam, 18, 18, bool, hwinit, 0, "3.1.1")                                                       \
    X(iss, 23, 20, iss_t, hwinit, 0, "3.1.1")                                                      \
    X(sclo, 24, 24, bool, hwinit, 0, "3.1.1")                                                      \
    X(sal, 25, 25, bool, hwinit, 0, "3.1.1")                                                       \
    X(salp, 26, 26, bool, hwinit, 0, "3.1.1")                                                      \
    X(sss, 27, 27, bool, hwinit, 0, "3.1.1")                                                       \
    X(smps, 28, 28, bool, hwinit, 0, "3.1.1")                                                      \
    X(ssntf, 29, 29, bool, hwinit, 0, "3.1.1")                                                     \
    X(sncq, 30, 30, bool, hwinit, 0, "3.1.1")                                                      \
    X(s64a, 31, 31, bool, hwinit, 0, "3.1.1")
SPINUP_REGISTER(cap, 0x00, SPINUP_CAP_FIELDS)

// 04h, Global HBA Control. HR clears itself within 1 s; AE is RO 1 when CAP.SAM=1. [S][U]
#define SPINUP_GHC_FIELDS(X)                                                                       \
    X(hr, 0, 0, bool, w1s, 0, "3.1.2")                                                             \
    X(ie, 1, 1, bool, rw, 0, "3.1.2")                                                              \
    X(mrsm, 2, 2, bool, ro, 0, "3.1.2")                                                            \
    X(ae, 31, 31, bool, rw, 0, "3.1.2")
SPINUP_REGISTER(ghc, 0x04, SPINUP_GHC_FIELDS)

// 08h, Interrupt Status, a bit a port. Level: it rises again while PxIS & PxIE is not 0. [C][L]
#define SPINUP_IS_FIELDS(X) X(ips, 31, 0, u32, rw1c, 0, "3.1.3")
SPINUP_REGISTER(is, 0x08, SPINUP_IS_FIELDS)

// 0Ch, Ports Implemented. Loaded by firmware; at least one bit, at most CAP.NP+1. [A]
#define SPINUP_PI_FIELDS(X) X(ports, 31, 0, u32, hwinit, 0, "3.1.4")
SPINUP_REGISTER(pi, 0x0C, SPINUP_PI_FIELDS)

// 10h, Version: 1.3.1 reads 0x00010301.
#define SPINUP_VS_FIELDS(X)                                                                        \
    X(mnr, 15, 0, u16, ro, 0x0301, "3.1.5")                                                        \
    X(mjr, 31, 16, u16, ro, 0x0001, "3.1.5")
SPINUP_REGISTER(vs, 0x10, SPINUP_VS_FIELDS)

// 14h, Command Completion Coalescing Control; all zero when CAP.CCCS=0. Fields are [mem]; INT
// is int_n here because int is a keyword.
#define SPINUP_CCC_CTL_FIELDS(X)                                                                   \
    X(en, 0, 0, bool, rw, 0, "3.1.6")                                                              \
    X(int_n, 7, 3, u8, ro, 0, "3.1.6")                                                             \
    X(cc, 15, 8, u8, rw, 0, "3.1.6")                                                               \
    X(tv, 31, 16, u16, rw, 0, "3.1.6")
SPINUP_REGISTER(ccc_ctl, 0x14, SPINUP_CCC_CTL_FIELDS)

// 18h, Command Completion Coalescing Ports; zero when CAP.CCCS=0.
#define SPINUP_CCC_PORTS_FIELDS(X) X(prt, 31, 0, u32, rw, 0, "3.1.7")
SPINUP_REGISTER(ccc_ports, 0x18, SPINUP_CCC_PORTS_FIELDS)

// 1Ch, Enclosure Management Location; zero when CAP.EMS=0. Fields are [mem].
#define SPINUP_EM_LOC_FIELDS(X)                                                                    \
    X(sz, 15, 0, u16, ro, 0, "3.1.8")                                                              \
    X(ofst, 31, 16, u16, ro, 0, "3.1.8")
SPINUP_REGISTER(em_loc, 0x1C, SPINUP_EM_LOC_FIELDS)

// 20h, Enclosure Management Control; zero when CAP.EMS=0. Fields are [mem].
#define SPINUP_EM_CTL_FIELDS(X)                                                                    \
    X(sts_mr, 0, 0, bool, rw1c, 0, "3.1.9")                                                        \
    X(ctl_tm, 8, 8, bool, w1s, 0, "3.1.9")                                                         \
    X(ctl_rst, 9, 9, bool, w1s, 0, "3.1.9")                                                        \
    X(supp_led, 16, 16, bool, hwinit, 0, "3.1.9")                                                  \
    X(supp_safte, 17, 17, bool, hwinit, 0, "3.1.9")                                                \
    X(supp_ses2, 18, 18, bool, hwinit, 0, "3.1.9")                                                 \
    X(supp_sgpio, 19, 19, bool, hwinit, 0, "3.1.9")                                                \
    X(attr_smb, 24, 24, bool, hwinit, 0, "3.1.9")                                                  \
    X(attr_xmt, 25, 25, bool, hwinit, 0, "3.1.9")                                                  \
    X(attr_alhd, 26, 26, bool, hwinit, 0, "3.1.9")                                                 \
    X(attr_pm, 27, 27, bool, hwinit, 0, "3.1.9")
SPINUP_REGISTER(em_ctl, 0x20, SPINUP_EM_CTL_FIELDS)

// 24h, HBA Capabilities Extended. [L]
#define SPINUP_CAP2_FIELDS(X)                                                                      \
    X(boh, 0, 0, bool, hwinit, 0, "3.1.10")                                                        \
    X(nvmp, 1, 1, bool, hwinit, 0, "3.1.10")                                                       \
    X(apst, 2, 2, bool, hwinit, 0, "3.1.10")                                                       \
    X(sds, 3, 3, bool, hwinit, 0, "3.1.10")                                                        \
    X(sadm, 4, 4, bool, hwinit, 0, "3.1.10")                                                       \
    X(deso, 5, 5, bool, hwinit, 0, "3.1.10")
SPINUP_REGISTER(cap2, 0x24, SPINUP_CAP2_FIELDS)

// 28h, BIOS/OS Handoff Control; only when CAP2.BOH=1. [mem]
#define SPINUP_BOHC_FIELDS(X)                                                                      \
    X(bos, 0, 0, bool, rw, 0, "3.1.11")                                                            \
    X(oos, 1, 1, bool, rw, 0, "3.1.11")                                                            \
    X(sooe, 2, 2, bool, rw, 0, "3.1.11")                                                           \
    X(ooc, 3, 3, bool, rw1c, 0, "3.1.11")                                                          \
    X(bb, 4, 4, bool, rw, 0, "3.1.11")
SPINUP_REGISTER(bohc, 0x28, SPINUP_BOHC_FIELDS)

// Port registers.

// 00h, Command List Base, 1 KiB aligned; must not change while ST or CR is set. Use address().
#define SPINUP_PX_CLB_FIELDS(X) X(clb, 31, 10, u32, rw, 0, "3.3.1")
SPINUP_REGISTER(px_clb, 0x00, SPINUP_PX_CLB_FIELDS)

// 04h, upper half; RO 0 unless CAP.S64A.
#define SPINUP_PX_CLBU_FIELDS(X) X(clbu, 31, 0, u32, rw, 0, "3.3.2")
SPINUP_REGISTER(px_clbu, 0x04, SPINUP_PX_CLBU_FIELDS)

// 08h, FIS Base, 256 B aligned (4 KiB with FIS-based switching). Use address().
#define SPINUP_PX_FB_FIELDS(X) X(fb, 31, 8, u32, rw, 0, "3.3.3")
SPINUP_REGISTER(px_fb, 0x08, SPINUP_PX_FB_FIELDS)

// 0Ch, upper half; RO 0 unless CAP.S64A.
#define SPINUP_PX_FBU_FIELDS(X) X(fbu, 31, 0, u32, rw, 0, "3.3.4")
SPINUP_REGISTER(px_fbu, 0x0C, SPINUP_PX_FBU_FIELDS)

// 10h, Interrupt Status. PCS, PRCS and UFS mirror SERR.DIAG.X, .N and .F and are cleared only
// through PxSERR. [E][C]
#define SPINUP_PX_IS_FIELDS(X)                                                                     \
    X(dhrs, 0, 0, bool, rw1c, 0, "3.3.5")                                                          \
    X(pss, 1, 1, bool, rw1c, 0, "3.3.5")                                                           \
    X(dss, 2, 2, bool, rw1c, 0, "3.3.5")                                                           \
    X(sdbs, 3, 3, bool, rw1c, 0, "3.3.5")                                                          \
    X(ufs, 4, 4, bool, mirror, 0, "3.3.5")                                                         \
    X(dps, 5, 5, bool, rw1c, 0, "3.3.5")                                                           \
    X(pcs, 6, 6, bool, mirror, 0, "3.3.5")                                                         \
    X(dmps, 7, 7, bool, rw1c, 0, "3.3.5")                                                          \
    X(prcs, 22, 22, bool, mirror, 0, "3.3.5")                                                      \
    X(ipms, 23, 23, bool, rw1c, 0, "3.3.5")                                                        \
    X(ofs, 24, 24, bool, rw1c, 0, "3.3.5")                                                         \
    X(infs, 26, 26, bool, rw1c, 0, "3.3.5")                                                        \
    X(ifs, 27, 27, bool, rw1c, 0, "3.3.5")                                                         \
    X(hbds, 28, 28, bool, rw1c, 0, "3.3.5")                                                        \
    X(hbfs, 29, 29, bool, rw1c, 0, "3.3.5")                                                        \
    X(tfes, 30, 30, bool, rw1c, 0, "3.3.5")                                                        \
    X(cpds, 31, 31, bool, rw1c, 0, "3.3.5")
SPINUP_REGISTER(px_is, 0x10, SPINUP_PX_IS_FIELDS)

// 14h, Interrupt Enable: the bits of PxIS, all writable (0xFDC000FF). Its fields are its own.
#define SPINUP_PX_IE_FIELDS(X)                                                                     \
    X(dhre, 0, 0, bool, rw, 0, "3.3.6")                                                            \
    X(pse, 1, 1, bool, rw, 0, "3.3.6")                                                             \
    X(dse, 2, 2, bool, rw, 0, "3.3.6")                                                             \
    X(sdbe, 3, 3, bool, rw, 0, "3.3.6")                                                            \
    X(ufe, 4, 4, bool, rw, 0, "3.3.6")                                                             \
    X(dpe, 5, 5, bool, rw, 0, "3.3.6")                                                             \
    X(pce, 6, 6, bool, rw, 0, "3.3.6")                                                             \
    X(dmpe, 7, 7, bool, rw, 0, "3.3.6")                                                            \
    X(prce, 22, 22, bool, rw, 0, "3.3.6")                                                          \
    X(ipme, 23, 23, bool, rw, 0, "3.3.6")                                                          \
    X(ofe, 24, 24, bool, rw, 0, "3.3.6")                                                           \
    X(infe, 26, 26, bool, rw, 0, "3.3.6")                                                          \
    X(ife, 27, 27, bool, rw, 0, "3.3.6")                                                           \
    X(hbde, 28, 28, bool, rw, 0, "3.3.6")                                                          \
    X(hbfe, 29, 29, bool, rw, 0, "3.3.6")                                                          \
    X(tfee, 30, 30, bool, rw, 0, "3.3.6")                                                          \
    X(cpde, 31, 31, bool, rw, 0, "3.3.6")
SPINUP_REGISTER(px_ie, 0x14, SPINUP_PX_IE_FIELDS)

// 18h, Command and Status. SUD and POD are writable rows here; see px_cmd_reset and
// px_cmd_rw_mask for ports without staggered spin-up or cold presence detection. [L][E][A]
#define SPINUP_PX_CMD_FIELDS(X)                                                                    \
    X(st, 0, 0, bool, rw, 0, "3.3.7")                                                              \
    X(sud, 1, 1, bool, rw, 0, "3.3.7")                                                             \
    X(pod, 2, 2, bool, rw, 0, "3.3.7")                                                             \
    X(clo, 3, 3, bool, w1s, 0, "3.3.7")                                                            \
    X(fre, 4, 4, bool, rw, 0, "3.3.7")                                                             \
    X(ccs, 12, 8, u8, ro, 0, "3.3.7")                                                              \
    X(mpss, 13, 13, bool, ro, 0, "3.3.7")                                                          \
    X(fr, 14, 14, bool, ro, 0, "3.3.7")                                                            \
    X(cr, 15, 15, bool, ro, 0, "3.3.7")                                                            \
    X(cps, 16, 16, bool, ro, 0, "3.3.7")                                                           \
    X(pma, 17, 17, bool, rw, 0, "3.3.7")                                                           \
    X(hpcp, 18, 18, bool, hwinit, 0, "3.3.7")                                                      \
    X(mpsp, 19, 19, bool, hwinit, 0, "3.3.7")                                                      \
    X(cpd, 20, 20, bool, hwinit, 0, "3.3.7")                                                       \
    X(esp, 21, 21, bool, hwinit, 0, "3.3.7")                                                       \
    X(fbscp, 22, 22, bool, hwinit, 0, "3.3.7")                                                     \
    X(apste, 23, 23, bool, rw, 0, "3.3.7")                                                         \
    X(atapi, 24, 24, bool, rw, 0, "3.3.7")                                                         \
    X(dlae, 25, 25, bool, rw, 0, "3.3.7")                                                          \
    X(alpe, 26, 26, bool, rw, 0, "3.3.7")                                                          \
    X(asp, 27, 27, bool, rw, 0, "3.3.7")                                                           \
    X(icc, 31, 28, icc_t, rw, 0, "3.3.7")
SPINUP_REGISTER(px_cmd, 0x18, SPINUP_PX_CMD_FIELDS)

// 20h, Task File Data: Status and Error of the last FIS that set them; 7Fh after a reset.
#define SPINUP_PX_TFD_FIELDS(X)                                                                    \
    X(sts, 7, 0, ata_status, ro, 0x7F, "3.3.8")                                                    \
    X(err, 15, 8, ata_error, ro, 0, "3.3.8")
SPINUP_REGISTER(px_tfd, 0x20, SPINUP_PX_TFD_FIELDS)

// 24h, Signature; updated once a reset, by the first D2H Register FIS. [E]
#define SPINUP_PX_SIG_FIELDS(X) X(sig, 31, 0, signature, ro, 0xFFFFFFFF, "3.3.9")
SPINUP_REGISTER(px_sig, 0x24, SPINUP_PX_SIG_FIELDS)

// 28h, SStatus. COMRESET sets it back to its reset value. [I6]
#define SPINUP_PX_SSTS_FIELDS(X)                                                                   \
    X(det, 3, 0, ssts_det, ro, 0, "3.3.10")                                                        \
    X(spd, 7, 4, ssts_spd, ro, 0, "3.3.10")                                                        \
    X(ipm, 11, 8, ssts_ipm, ro, 0, "3.3.10")
SPINUP_REGISTER(px_ssts, 0x28, SPINUP_PX_SSTS_FIELDS)

// 2Ch, SControl; reads return the last value written. Intel 6-series resets DET to 4. [I6]
#define SPINUP_PX_SCTL_FIELDS(X)                                                                   \
    X(det, 3, 0, sctl_det, rw, 0, "3.3.11")                                                        \
    X(spd, 7, 4, sctl_spd, rw, 0, "3.3.11")                                                        \
    X(ipm, 11, 8, sctl_ipm, rw, 0, "3.3.11")                                                       \
    X(spm, 15, 12, u8, rw, 0, "3.3.11")                                                            \
    X(pmp, 19, 16, u8, rw, 0, "3.3.11")
SPINUP_REGISTER(px_sctl, 0x2C, SPINUP_PX_SCTL_FIELDS)

// 30h, SError: ERR in 15:0, DIAG in 31:16.
#define SPINUP_PX_SERR_FIELDS(X)                                                                   \
    X(err_i, 0, 0, bool, rw1c, 0, "3.3.12")                                                        \
    X(err_m, 1, 1, bool, rw1c, 0, "3.3.12")                                                        \
    X(err_t, 8, 8, bool, rw1c, 0, "3.3.12")                                                        \
    X(err_c, 9, 9, bool, rw1c, 0, "3.3.12")                                                        \
    X(err_p, 10, 10, bool, rw1c, 0, "3.3.12")                                                      \
    X(err_e, 11, 11, bool, rw1c, 0, "3.3.12")                                                      \
    X(diag_n, 16, 16, bool, rw1c, 0, "3.3.12")                                                     \
    X(diag_i, 17, 17, bool, rw1c, 0, "3.3.12")                                                     \
    X(diag_w, 18, 18, bool, rw1c, 0, "3.3.12")                                                     \
    X(diag_b, 19, 19, bool, rw1c, 0, "3.3.12")                                                     \
    X(diag_d, 20, 20, bool, rw1c, 0, "3.3.12")                                                     \
    X(diag_c, 21, 21, bool, rw1c, 0, "3.3.12")                                                     \
    X(diag_h, 22, 22, bool, rw1c, 0, "3.3.12")                                                     \
    X(diag_s, 23, 23, bool, rw1c, 0, "3.3.12")                                                     \
    X(diag_t, 24, 24, bool, rw1c, 0, "3.3.12")                                                     \
    X(diag_f, 25, 25, bool, rw1c, 0, "3.3.12")                                                     \
    X(diag_x, 26, 26, bool, rw1c, 0, "3.3.12")
SPINUP_REGISTER(px_serr, 0x30, SPINUP_PX_SERR_FIELDS)

// 34h, SActive; cleared by Set Device Bits and by ST 1 to 0, not by COMRESET or SRST. [A]
#define SPINUP_PX_SACT_FIELDS(X) X(ds, 31, 0, u32, w1s, 0, "3.3.13")
SPINUP_REGISTER(px_sact, 0x34, SPINUP_PX_SACT_FIELDS)

// 38h, Command Issue; writes count only while ST=1; cleared by ST 1 to 0.
#define SPINUP_PX_CI_FIELDS(X) X(ci, 31, 0, u32, w1s, 0, "3.3.14")
SPINUP_REGISTER(px_ci, 0x38, SPINUP_PX_CI_FIELDS)

// 3Ch, SNotification, a bit a port multiplier port.
#define SPINUP_PX_SNTF_FIELDS(X) X(pmn, 15, 0, u16, rw1c, 0, "3.3.15")
SPINUP_REGISTER(px_sntf, 0x3C, SPINUP_PX_SNTF_FIELDS)

// 40h, FIS-based Switching Control.
#define SPINUP_PX_FBS_FIELDS(X)                                                                    \
    X(en, 0, 0, bool, rw, 0, "3.3.16")                                                             \
    X(dec, 1, 1, bool, w1s, 0, "3.3.16")                                                           \
    X(sde, 2, 2, bool, ro, 0, "3.3.16")                                                            \
    X(dev, 11, 8, u8, rw, 0, "3.3.16")                                                             \
    X(ado, 15, 12, u8, hwinit, 0, "3.3.16")                                                        \
    X(dwe, 19, 16, u8, ro, 0, "3.3.16")
SPINUP_REGISTER(px_fbs, 0x40, SPINUP_PX_FBS_FIELDS)

// 44h, Device Sleep. DITO counts (DM + 1) ms and is writable only with ST=0 and ADSE=0. [A]
#define SPINUP_PX_DEVSLP_FIELDS(X)                                                                 \
    X(adse, 0, 0, bool, rw, 0, "3.3.17")                                                           \
    X(dsp, 1, 1, bool, hwinit, 0, "3.3.17")                                                        \
    X(deto, 9, 2, u8, rw, 0, "3.3.17")                                                             \
    X(mdat, 14, 10, u8, rw, 0, "3.3.17")                                                           \
    X(dito, 24, 15, u16, rw, 0, "3.3.17")                                                          \
    X(dm, 28, 25, u8, hwinit, 0, "3.3.17")
SPINUP_REGISTER(px_devslp, 0x44, SPINUP_PX_DEVSLP_FIELDS)

// What follows from the rows.

template <class Reg> inline constexpr u32 rw_mask = mask_of(Reg::rows, access::rw);
template <class Reg> inline constexpr u32 rw1c_mask = mask_of(Reg::rows, access::rw1c);
template <class Reg> inline constexpr u32 w1s_mask = mask_of(Reg::rows, access::w1s);
template <class Reg> inline constexpr u32 hwinit_mask = mask_of(Reg::rows, access::hwinit);
template <class Reg> inline constexpr u32 mirror_mask = mask_of(Reg::rows, access::mirror);
template <class Reg>
inline constexpr u32 known_mask = rw_mask<Reg> | rw1c_mask<Reg> | w1s_mask<Reg> | hwinit_mask<Reg> |
                                  mirror_mask<Reg> | mask_of(Reg::rows, access::ro);
template <class Reg> inline constexpr u32 reserved_mask = ~known_mask<Reg>;
template <class Reg> inline constexpr u32 reset_value = reset_of(Reg::rows);

/// Contents after a write, by the access of each bit. A write to anything read-only is ignored,
/// never an error: drivers restore CAP and PI that way, and U-Boot writes them outright.
template <class Reg> [[nodiscard]] constexpr u32 after_write(u32 old, u32 written) {
    return ((old & ~rw_mask<Reg>) | (written & rw_mask<Reg>) | (written & w1s_mask<Reg>)) &
           ~(written & rw1c_mask<Reg>);
}

/// "ST=0x1 SUD=0x1" for a typed register.
template <class Reg> [[nodiscard]] std::string print(const reg32<Reg>& r) {
    return print_fields(Reg::rows, r.raw);
}

/// A register for code that walks over all of them: printers, tests, the fuzz dictionary.
struct reg_info {
    const char* name;
    u32 offset;
    std::span<const field_row> rows;
    /// GHC.HR leaves it alone as a whole (hwinit fields are always left alone). [S]
    bool kept_by_hba_reset;
};

template <class Reg> constexpr reg_info describe(bool kept_by_hba_reset) {
    return {Reg::reg_name, Reg::offset, Reg::rows, kept_by_hba_reset};
}

/// GHC.HR resets GHC.AE, GHC.IE and IS; the other globals keep their values (10.4.3). [S]
inline constexpr std::array global_registers{
    describe<cap>(true),       describe<ghc>(false),   describe<is>(false),
    describe<pi>(true),        describe<vs>(true),     describe<ccc_ctl>(true),
    describe<ccc_ports>(true), describe<em_loc>(true), describe<em_ctl>(true),
    describe<cap2>(true),      describe<bohc>(true),
};

/// GHC.HR resets every port field except the two base addresses and hwinit fields (10.4.3). [S]
inline constexpr std::array port_registers{
    describe<px_clb>(true),   describe<px_clbu>(true),    describe<px_fb>(true),
    describe<px_fbu>(true),   describe<px_is>(false),     describe<px_ie>(false),
    describe<px_cmd>(false),  describe<px_tfd>(false),    describe<px_sig>(false),
    describe<px_ssts>(false), describe<px_sctl>(false),   describe<px_serr>(false),
    describe<px_sact>(false), describe<px_ci>(false),     describe<px_sntf>(false),
    describe<px_fbs>(false),  describe<px_devslp>(false),
};

// Facts that depend on a capability or on two registers.

/// PxCMD after a reset: the assembly's hwinit bits, and SUD and POD read 1 when the feature that
/// would make them writable is missing.
[[nodiscard]] constexpr px_cmd px_cmd_reset(cap caps, px_cmd hwinit) {
    auto out = px_cmd{};
    out.raw = hwinit.raw & hwinit_mask<px_cmd>;
    out.set(px_cmd::sud, !caps.get(cap::sss));
    out.set(px_cmd::pod, !hwinit.get(px_cmd::cpd));
    return out;
}

/// Writable bits of PxCMD on this port.
[[nodiscard]] constexpr u32 px_cmd_rw_mask(cap caps, px_cmd hwinit) {
    u32 mask = rw_mask<px_cmd>;
    mask &= caps.get(cap::sss) ? ~0u : ~px_cmd::sud.mask;
    mask &= hwinit.get(px_cmd::cpd) ? ~0u : ~px_cmd::pod.mask;
    mask &= caps.get(cap::spm) ? ~0u : ~px_cmd::pma.mask;
    mask &= caps.get(cap::salp) ? ~0u : ~(px_cmd::alpe.mask | px_cmd::asp.mask);
    return mask;
}

/// Addresses from the two halves; the aligned-away low bits read 0.
[[nodiscard]] constexpr u64 address(px_clb low, px_clbu high) {
    return static_cast<u64>(high.raw) << 32 | (low.raw & px_clb::clb.mask);
}
[[nodiscard]] constexpr u64 address(px_fb low, px_fbu high) {
    return static_cast<u64>(high.raw) << 32 | (low.raw & px_fb::fb.mask);
}

/// The link is up: DET is exactly 3. libata's ata_link_online; DET=1 must not pass.
[[nodiscard]] constexpr bool link_online(px_ssts s) {
    return s.get(px_ssts::det) == ssts_det::phy_up;
}

/// A device is there for PxCMD.ST: the phy is up, or it sleeps in a low-power state. [S]
[[nodiscard]] constexpr bool device_present(px_ssts s) {
    const auto ipm = s.get(px_ssts::ipm);
    return link_online(s) || ipm == ssts_ipm::partial || ipm == ssts_ipm::slumber ||
           ipm == ssts_ipm::devsleep;
}

/// PxTFD shows neither BSY nor DRQ.
[[nodiscard]] constexpr bool idle(px_tfd tfd) { return idle(tfd.get(px_tfd::sts)); }

/// The PxIS bits that mirror PxSERR: UFS is DIAG.F, PCS is DIAG.X, PRCS is DIAG.N. [E][C]
[[nodiscard]] constexpr px_is with_mirrors(px_is status, px_serr serr) {
    return status.with(px_is::ufs, serr.get(px_serr::diag_f))
        .with(px_is::pcs, serr.get(px_serr::diag_x))
        .with(px_is::prcs, serr.get(px_serr::diag_n));
}

} // namespace spinup::spec
