// For a destructor that waits for something of the simulated kernel.
//
// When a world is torn down, threads that wait are ended by an exception out of their wait. One
// that waits in a destructor cannot be left like that: destructors are noexcept. During an
// exception the kernel sees by itself that it must not throw; at the normal end of a scope it
// cannot. So the rule is: a destructor that waits holds a destructor_waits meanwhile.
#pragma once

#include <spinup/kernel/system.hpp>

namespace spinup::kernel {

/// While it lives, waits of this thread return when the kernel is stopped, whatever they wait for;
/// the thread ends at its next wait after that. Context: any; nothing changes outside of threads.
class destructor_waits {
  public:
    explicit destructor_waits(system& k);
    ~destructor_waits();
    destructor_waits(const destructor_waits&) = delete;
    destructor_waits& operator=(const destructor_waits&) = delete;

  private:
    thread* const self_;
};

} // namespace spinup::kernel
