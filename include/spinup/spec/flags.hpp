// Flag sets: scoped enumerations whose values are bits of one byte or word of a standard.
//
// A type opts in by specialising is_flag_set. Bits of the ATA Status field then combine with each
// other but not with bits of the Error field, although both are plain bytes on the wire.
#pragma once

#include <spinup/base/units.hpp>
#include <type_traits>

namespace spinup::spec {

template <class E> inline constexpr bool is_flag_set = false;

template <class E>
concept flag_set = std::is_enum_v<E> && is_flag_set<E>;

/// The wire value of any enumeration.
template <class E>
requires std::is_enum_v<E>
[[nodiscard]] constexpr std::underlying_type_t<E> raw(E e) {
    return static_cast<std::underlying_type_t<E>>(e);
}

template <flag_set E> [[nodiscard]] constexpr E operator|(E a, E b) {
    return static_cast<E>(raw(a) | raw(b));
}
template <flag_set E> [[nodiscard]] constexpr E operator&(E a, E b) {
    return static_cast<E>(raw(a) & raw(b));
}
template <flag_set E> [[nodiscard]] constexpr E operator~(E a) { return static_cast<E>(~raw(a)); }
template <flag_set E> constexpr E& operator|=(E& a, E b) { return a = a | b; }
template <flag_set E> constexpr E& operator&=(E& a, E b) { return a = a & b; }

/// True when every bit of `wanted` is set.
template <flag_set E> [[nodiscard]] constexpr bool has(E set, E wanted) {
    return (set & wanted) == wanted;
}
/// True when at least one bit of `wanted` is set.
template <flag_set E> [[nodiscard]] constexpr bool has_any(E set, E wanted) {
    return raw(set & wanted) != 0;
}

} // namespace spinup::spec
