// Read-modify-write of a field that is written under a lock and, here and there, read without it.
//
// Linux writes such fields plainly. They are aligned words, which no compiler tears, and its own
// race detector takes them for marked (CONFIG_KCSAN_ASSUME_PLAIN_WRITES_ATOMIC, the default); the
// model marks them, so that a reader that is marked is no race, and one that is plain is.
#pragma once

#include <spinup/kernel/shared.hpp>

namespace spinup::drivers {

/// Locks: that of the field.
template <class T, class U> void set_bits(kernel::shared<T>& field, U bits) {
    field.write_once(field.load() | bits);
}
template <class T, class U> void clear_bits(kernel::shared<T>& field, U bits) {
    field.write_once(field.load() & ~bits);
}
/// Locks: that of the counter.
inline void count_up(kernel::shared<u32>& counter) { counter.write_once(counter.load() + 1); }
inline void count_down(kernel::shared<u32>& counter) { counter.write_once(counter.load() - 1); }

/// atomic_inc() and atomic_dec(): a full barrier. Returns: the new value.
inline u32 atomic_inc(kernel::shared<u32>& counter) {
    return counter.atomic([](u32 n) { return n + 1; });
}
inline u32 atomic_dec(kernel::shared<u32>& counter) {
    return counter.atomic([](u32 n) { return n - 1; });
}

} // namespace spinup::drivers
