// Disk starts: what the SCSI bus does with a device, and with whom waiting, when the system sleeps
// and wakes. A disk start is one file in disk_starts/ and one entry in the registry below; a study
// picks it by name.
//
// Up to Linux 6.4 sd's resume starts a disk (START STOP UNIT); that command waits for the port's
// error handler like any other, and so for the spindle. Later the error handler itself sees to it
// that the disk turns, and sd only flushes. The disk starts differ in who does it, and who waits.
#pragma once

#include <array>
#include <spinup/base/errno.hpp>
#include <string_view>

namespace spinup::drivers {

struct scsi_device;

struct disk_start {
    std::string_view name;    ///< as given to --disk-start
    std::string_view summary; ///< one line
    std::string_view source;  ///< the kernel it stands for

    /// The bus callbacks of a logical unit. Context: thread (PM core). Sleeps.
    errno_t (*bus_suspend)(scsi_device& sdev);
    errno_t (*bus_resume)(scsi_device& sdev);

    /// Whether a disk that is gone, or that fails to stop, keeps the system from sleeping. It did
    /// up to 3.11; from 3.13 on only a failed flush does.
    bool stop_errors_abort;
    /// libata's error handler stops the disk before it suspends the port and starts it after the
    /// reset of a resume; sd sends neither for a system sleep. Its part in that: eh_options.hpp.
    bool eh_starts_disks;
    /// sd flushes a disk only if something was written to it since the last flush, so the flush of
    /// a suspend does not wait for a disk that has only been resumed.
    bool flushes_what_was_written = false;
};

extern const disk_start disk_start_sync;
extern const disk_start disk_start_sync_lenient;
extern const disk_start disk_start_async;
extern const disk_start disk_start_eh;
extern const disk_start disk_start_async_start_6_0;
extern const disk_start disk_start_none_6_5;
extern const disk_start disk_start_reference;

inline constexpr std::array disk_starts{
    &disk_start_sync,     &disk_start_sync_lenient,    &disk_start_async,
    &disk_start_eh,       &disk_start_async_start_6_0, &disk_start_none_6_5,
    &disk_start_reference};

/// Returns: nullptr if there is none of that name.
[[nodiscard]] const disk_start* find_disk_start(std::string_view name);

} // namespace spinup::drivers
