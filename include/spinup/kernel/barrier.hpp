// Memory barriers. Linux: asm/barrier.h. They order this context's own accesses to shared fields;
// without weak memory there is nothing for them to do but to say so to the checkers.
#pragma once

#include <spinup/kernel/system.hpp>

namespace spinup::kernel {

/// All stores before it are visible before anything after it is read. Context: any.
void smp_mb(system& k);
/// Stores before it become visible before those after it. Context: any.
void smp_wmb(system& k);
/// Reads before it are done before those after it. Context: any.
void smp_rmb(system& k);

} // namespace spinup::kernel
