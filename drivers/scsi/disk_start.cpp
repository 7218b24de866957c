#include "drivers/scsi/disk_start.hpp"

namespace spinup::drivers {

const disk_start* find_disk_start(std::string_view name) {
    for (const disk_start* start : disk_starts)
        if (start->name == name)
            return start;
    return nullptr;
}

} // namespace spinup::drivers
