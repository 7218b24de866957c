// The flag words of libata, printed as Linux spells them. Linux: include/linux/libata.h.
//
// Bit numbers are those of 3.11, and of 6.12 for what is newer, so that a word in a trace reads
// like one in a kernel log. The two words that a PM design also sees, ata_eh_action and
// ata_ehi_flags, are declared in pm_design.hpp; their bits that only EH uses are added here.
#pragma once

#include <spinup/base/units.hpp>
#include <spinup/kernel/shared.hpp>
#include <spinup/pm_design.hpp>
#include <string>
#include <type_traits>

namespace spinup::drivers {

// Port flags (ap->pflags). Guarded by ap->lock.
#define SPINUP_ATA_PFLAGS(X)                                                                       \
    X(EH_PENDING, 0)     /* EH is scheduled */                                                     \
    X(EH_IN_PROGRESS, 1) /* EH runs */                                                             \
    X(FROZEN, 2)         /* interrupts are off, no command is accepted */                          \
    X(RECOVERED, 3)      /* EH did something worth a line in the log */                            \
    X(LOADING, 4)        /* the boot probe is not over */                                          \
    X(SCSI_HOTPLUG, 6)   /* the SCSI side must add or remove a device */                           \
    X(INITIALIZING, 7)   /* EH must not be scheduled yet */                                        \
    X(RESETTING, 8)      /* a reset is running */                                                  \
    X(UNLOADING, 9)      /* the driver is being unloaded */                                        \
    X(UNLOADED, 10)      /* ...and EH has disabled the devices */                                  \
    X(RESUMING, 16)      /* EH resumes the port in this run */                                     \
    X(SUSPENDED, 17)     /* the port is suspended */                                               \
    X(PM_PENDING, 18)    /* a PM operation is posted, not yet done by EH */

enum class ata_pflags : u32 {
    none = 0,
#define X(name, bit) name = 1u << bit,
    SPINUP_ATA_PFLAGS(X)
#undef X
};

// Device flags (dev->flags).
#define SPINUP_ATA_DFLAGS(X)                                                                       \
    X(LBA, 0)                                                                                      \
    X(LBA48, 1)                                                                                    \
    X(CDB_INTR, 2)                                                                                 \
    X(FLUSH_EXT, 4)                                                                                \
    X(RESUMING, 22) /* its driver has not been told of the resume yet */                           \
    X(DETACH, 24)   /* EH must detach it */                                                        \
    X(DETACHED, 25)

enum class ata_dflags : u32 {
    none = 0,
#define X(name, bit) name = 1u << bit,
    SPINUP_ATA_DFLAGS(X)
#undef X
};

// Command flags (qc->flags).
#define SPINUP_ATA_QCFLAGS(X)                                                                      \
    X(ACTIVE, 0)       /* the device has it */                                                     \
    X(DMAMAP, 1)       /* it moves data */                                                         \
    X(IO, 3)           /* a read or write of the upper layers */                                   \
    X(RESULT_TF, 4)    /* its issuer wants the result taskfile */                                  \
    X(QUIET, 6)        /* its failure is not reported */                                           \
    X(RETRY, 7)        /* EH found it worth another try */                                         \
    X(FAILED, 16)      /* it failed and belongs to EH */                                           \
    X(SENSE_VALID, 17) /* its sense data are filled in */                                          \
    X(EH_SCHEDULED, 18)

enum class ata_qcflags : u32 {
    none = 0,
#define X(name, bit) name = 1u << bit,
    SPINUP_ATA_QCFLAGS(X)
#undef X
};

// Why a command failed (qc->err_mask); "Emask" in log lines.
#define SPINUP_AC_ERRS(X)                                                                          \
    X(DEV, 0) /* the device reported an error */                                                   \
    X(HSM, 1) /* the device broke the protocol */                                                  \
    X(TIMEOUT, 2)                                                                                  \
    X(MEDIA, 3)    /* an error of the medium */                                                    \
    X(ATA_BUS, 4)  /* an error of the link */                                                      \
    X(HOST_BUS, 5) /* an error between HBA and memory */                                           \
    X(SYSTEM, 6)   /* the port is frozen */                                                        \
    X(INVALID, 7)                                                                                  \
    X(OTHER, 8)                                                                                    \
    X(NODEV_HINT, 9)

enum class ac_err : u32 {
    none = 0,
#define X(name, bit) name = 1u << bit,
    SPINUP_AC_ERRS(X)
#undef X
};

// How a taskfile is to be read (tf->flags).
#define SPINUP_ATA_TFLAGS(X)                                                                       \
    X(LBA48, 0)                                                                                    \
    X(ISADDR, 1)                                                                                   \
    X(DEVICE, 2)                                                                                   \
    X(WRITE, 3)                                                                                    \
    X(LBA, 4)                                                                                      \
    X(FUA, 5)

enum class ata_tflags : u32 {
    none = 0,
#define X(name, bit) name = 1u << bit,
    SPINUP_ATA_TFLAGS(X)
#undef X
};

// ATA_LFLAG_*, link flags.
#define SPINUP_ATA_LFLAGS(X) X(DISABLED, 6)

enum class ata_lflags : u32 {
    none = 0,
#define X(name, bit) name = 1u << bit,
    SPINUP_ATA_LFLAGS(X)
#undef X
};

// Bits of ata_ehi_flags that no PM design uses.
inline constexpr ata_ehi_flags ATA_EHI_DID_SOFTRESET{1u << 16};
inline constexpr ata_ehi_flags ATA_EHI_DID_HARDRESET{1u << 17};
inline constexpr ata_ehi_flags ATA_EHI_PRINTINFO{1u << 18};
inline constexpr ata_ehi_flags ATA_EHI_SETMODE{1u << 19};
inline constexpr ata_ehi_flags ATA_EHI_DID_RESET = ATA_EHI_DID_SOFTRESET | ATA_EHI_DID_HARDRESET;

/// To see to it that a device is in active power mode; of ata_eh_action, and no PM design's. In 6.1
/// it is bit 6.
inline constexpr ata_eh_action ATA_EH_SET_ACTIVE{1u << 7};

template <class E> inline constexpr bool is_ata_flag_word = false;
template <> inline constexpr bool is_ata_flag_word<ata_pflags> = true;
template <> inline constexpr bool is_ata_flag_word<ata_dflags> = true;
template <> inline constexpr bool is_ata_flag_word<ata_qcflags> = true;
template <> inline constexpr bool is_ata_flag_word<ac_err> = true;
template <> inline constexpr bool is_ata_flag_word<ata_tflags> = true;
template <> inline constexpr bool is_ata_flag_word<ata_lflags> = true;
template <> inline constexpr bool is_ata_flag_word<ata_eh_action> = true;
template <> inline constexpr bool is_ata_flag_word<ata_ehi_flags> = true;

template <class E>
concept ata_flag_word = is_ata_flag_word<E>;

/// The flags as a plain word, as traces carry them.
template <ata_flag_word E> [[nodiscard]] constexpr u32 word(E e) { return static_cast<u32>(e); }

template <ata_flag_word E> [[nodiscard]] constexpr E operator|(E a, E b) {
    return static_cast<E>(word(a) | word(b));
}
template <ata_flag_word E> [[nodiscard]] constexpr E operator&(E a, E b) {
    return static_cast<E>(word(a) & word(b));
}
template <ata_flag_word E> [[nodiscard]] constexpr E operator~(E a) {
    return static_cast<E>(~word(a));
}
template <ata_flag_word E> constexpr E& operator|=(E& a, E b) { return a = a | b; }
template <ata_flag_word E> constexpr E& operator&=(E& a, E b) { return a = a & b; }

/// True when at least one bit of `wanted` is set.
template <ata_flag_word E> [[nodiscard]] constexpr bool any(E set, E wanted) {
    return word(set & wanted) != 0;
}
template <ata_flag_word E> [[nodiscard]] constexpr bool any(E set) { return word(set) != 0; }
/// Of a field that others touch too; without its lock, by a marked read.
template <ata_flag_word E> [[nodiscard]] bool any(const kernel::shared<E>& set, E wanted) {
    return any(set.load(), wanted);
}
template <ata_flag_word E> [[nodiscard]] bool any_once(const kernel::shared<E>& set, E wanted) {
    return any(set.read_once(), wanted);
}

/// The actions that belong to a device rather than to its link.
inline constexpr ata_eh_action ATA_EH_PERDEV_MASK = ata_eh_action::revalidate | ATA_EH_SET_ACTIVE;

/// "ATA_PFLAG_EH_PENDING|ATA_PFLAG_FROZEN"; "0" for none.
std::string to_string(ata_pflags flags);
std::string to_string(ata_dflags flags);
std::string to_string(ata_qcflags flags);
std::string to_string(ata_tflags flags);
/// "AC_ERR_DEV|AC_ERR_TIMEOUT"
std::string to_string(ac_err mask);
/// "ATA_EH_REVALIDATE|ATA_EH_SOFTRESET"
std::string to_string(ata_eh_action action);
/// "ATA_EHI_NO_AUTOPSY|ATA_EHI_QUIET"
std::string to_string(ata_ehi_flags flags);

} // namespace spinup::drivers
