// refuse: no matching (member )?function for call to '(control_reg::)?get
// A field belongs to its register: PxSSTS.DET is not PxSCTL.DET, though both are bits 3:0.
#include <spinup/base/bits.hpp>

#define STATUS_TABLE(X) X(det, 3, 0, unsigned, ro, 0, "3.3.10")
#define CONTROL_TABLE(X) X(det, 3, 0, unsigned, rw, 0, "3.3.11")
SPINUP_REGISTER(status_reg, 0x28, STATUS_TABLE)
SPINUP_REGISTER(control_reg, 0x2c, CONTROL_TABLE)

unsigned det(control_reg r) {
#ifdef CONTROL
    return r.get(control_reg::det);
#else
    return r.get(status_reg::det);
#endif
}
