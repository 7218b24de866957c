// refuse: no matching (member )?function for call|cannot convert|invalid conversion
// A typed field takes its own values. A bare number is how digits get lost: which ICC is 6?
#include <spinup/base/bits.hpp>

enum class icc_t : unsigned { idle = 0, active = 1, slumber = 6 };
#define COMMAND_TABLE(X) X(icc, 31, 28, icc_t, rw, 0, "3.3.7")
SPINUP_REGISTER(command_reg, 0x18, COMMAND_TABLE)

command_reg sleep(command_reg r) {
#ifdef CONTROL
    return r.with(command_reg::icc, icc_t::slumber);
#else
    return r.with(command_reg::icc, 6);
#endif
}
