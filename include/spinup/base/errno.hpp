// Modelled failures, under the kernel's names and signs. Linux: include/uapi/asm-generic/errno*.h.
#pragma once

#include <string_view>

namespace spinup {

// name, value, text
#define SPINUP_ERRNO_TABLE(X)                                                                      \
    X(ok, 0, "0")                                                                                  \
    X(enoent, -2, "-ENOENT")                                                                       \
    X(eintr, -4, "-EINTR")                                                                         \
    X(eio, -5, "-EIO")                                                                             \
    X(eagain, -11, "-EAGAIN")                                                                      \
    X(enomem, -12, "-ENOMEM")                                                                      \
    X(eacces, -13, "-EACCES")                                                                      \
    X(ebusy, -16, "-EBUSY")                                                                        \
    X(enodev, -19, "-ENODEV")                                                                      \
    X(einval, -22, "-EINVAL")                                                                      \
    X(epipe, -32, "-EPIPE")                                                                        \
    X(eopnotsupp, -95, "-EOPNOTSUPP")                                                              \
    X(etimedout, -110, "-ETIMEDOUT")                                                               \
    X(ealready, -114, "-EALREADY")                                                                 \
    X(einprogress, -115, "-EINPROGRESS")

enum class [[nodiscard]] errno_t : int{
#define X(name, value, text) name = value,
    SPINUP_ERRNO_TABLE(X)
#undef X
};

constexpr bool failed(errno_t rc) { return rc != errno_t::ok; }
constexpr int to_int(errno_t rc) { return static_cast<int>(rc); }

constexpr std::string_view to_string(errno_t rc) {
    switch (rc) {
#define X(name, value, text)                                                                       \
    case errno_t::name:                                                                            \
        return text;
        SPINUP_ERRNO_TABLE(X)
#undef X
    }
    return "-E?";
}

} // namespace spinup
