// Names of result codes, as the kernel log has them. Linux: drivers/scsi/constants.c.
#include "drivers/scsi/scsi_cmnd.hpp"

namespace spinup::drivers {

std::string_view to_string(host_byte host) {
    switch (host) {
    case host_byte::did_ok:
        return "DID_OK";
    case host_byte::did_no_connect:
        return "DID_NO_CONNECT";
    case host_byte::did_bus_busy:
        return "DID_BUS_BUSY";
    case host_byte::did_time_out:
        return "DID_TIME_OUT";
    case host_byte::did_bad_target:
        return "DID_BAD_TARGET";
    case host_byte::did_abort:
        return "DID_ABORT";
    case host_byte::did_error:
        return "DID_ERROR";
    case host_byte::did_reset:
        return "DID_RESET";
    case host_byte::did_soft_error:
        return "DID_SOFT_ERROR";
    case host_byte::did_imm_retry:
        return "DID_IMM_RETRY";
    case host_byte::did_requeue:
        return "DID_REQUEUE";
    }
    return "invalid";
}

std::string_view driver_byte_name(scsi_result result) {
    if (result.driver_timeout)
        return "DRIVER_TIMEOUT";
    return result.status == spec::scsi_status::check_condition ? "DRIVER_SENSE" : "DRIVER_OK";
}

} // namespace spinup::drivers
