// A machine whose waits are shorter or longer than the real one's.
#pragma once

#include "emu/machine/machine.hpp"

namespace spinup::machine {

/// Limits of the factor: a thousandth would put spin-ups below the 50 ms that libata polls with.
inline constexpr double min_time_scale = 0.01;
inline constexpr double max_time_scale = 100;

/// The machine with every time of spin-up and power multiplied: ready, standby spin-up, stop, disc
/// ready, the sleep. What a command takes stays as it is, and so do the waits of software.
machine scaled(machine what, double factor);

} // namespace spinup::machine
