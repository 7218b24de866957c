// A row of a drive's command table. Private to the drive's own files.
#pragma once

#include "emu/hw/drive/drive.hpp"

namespace spinup::hw {

struct drive::command_row {
    spec::ata_cmd code;
    u8 kinds;                          ///< which drives know it: on_disk, on_packet
    bool medium;                       ///< waits for the spindle, and starts it in standby
    spec::ata_error (drive::*begin)(); ///< at the FIS: checks it, sets its time and range
    void (drive::*end)();              ///< when its time is up: does it and answers
};

} // namespace spinup::hw
