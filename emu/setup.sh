#!/bin/sh
# Installs the packages that are missing, and builds. Shared by emu/demo.sh and tests/run.sh.
#
#   sh emu/setup.sh build    what the program needs
#   sh emu/setup.sh test     the same, and what the tests and the linters need
#
# apt is called only if something is missing. Run as root, or with sudo at hand.

# quietly LOG COMMAND...: output goes to LOG; if the command fails, what matters of it is shown.
quietly() {
    log=$1
    shift
    "$@" >"$log" 2>&1 </dev/null && return 0
    echo "failed: $*" >&2
    grep -nE '(error|Error|undefined reference|^E):? ' "$log" | head -n 15 >&2
    echo "--- end of $log" >&2
    tail -n 30 "$log" >&2
    return 1
}

need_command() {
    command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

installed() {
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

need_package() {
    installed "$1" || missing="$missing $1"
}

# Debian has two versions of Boost that exclude each other, so one that is there is left alone.
need_boost_fiber() {
    for prefix in ${BOOST_ROOT:-} /usr/local /usr; do
        [ -f "$prefix/include/boost/fiber/all.hpp" ] || continue
        for folder in "$prefix"/lib "$prefix"/lib64 "$prefix"/lib/*-linux-gnu*; do
            [ -f "$folder/libboost_fiber.a" ] && [ -f "$folder/libboost_context.a" ] && return 0
        done
    done
    version=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 'libboost1.*-dev' 2>/dev/null |
        sed -n 's/^installed libboost\(1\.[0-9]*\)-dev$/\1/p' | tail -n 1)
    missing="$missing libboost-fiber${version}-dev"
}

find_missing() {
    missing=
    need_command g++ g++
    need_command cmake cmake
    need_command make make
    need_boost_fiber
    for package in libspdlog-dev libtomlplusplus-dev libcli11-dev nlohmann-json3-dev; do
        need_package "$package"
    done
    [ "$1" = test ] || return 0
    for package in libgtest-dev librapidcheck-dev libbenchmark-dev libclang-rt-14-dev; do
        need_package "$package"
    done
    need_command clang++ clang
    need_command clang-format clang-format
    need_command clang-tidy clang-tidy
    need_command python3 python3
    # The scripts that boot a guest, and what checks them.
    for package in cpio kmod xz-utils shellcheck; do
        need_package "$package"
    done
}

# Without fresh lists from the net, those on the disk may still do: install will tell.
# shellcheck disable=SC2086 # $root and $missing are lists of words
install_missing() {
    $root apt-get -q update || true
    $root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
        install --no-install-recommends $missing
}

# setup build|test
setup() {
    find_missing "$1"
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "missing:$missing (names of Debian 12), and there is no apt-get to install them" >&2
        return 2
    fi
    if [ "$(id -u)" = 0 ]; then
        root=
    elif command -v sudo >/dev/null 2>&1; then
        root=sudo
    else
        echo "missing:$missing; run this as root, or install sudo, or install them yourself" >&2
        return 2
    fi
    echo "installing:$missing"
    apt_log=$(mktemp "${TMPDIR:-/tmp}/spinup-apt.XXXXXX")
    quietly "$apt_log" install_missing || return 2
    rm -f "$apt_log"
}

# build_in FOLDER CMAKE-ARGUMENTS...: configures and builds, on as many cores as there are up to 8.
build_in() {
    folder=$1
    shift
    jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
    [ "$jobs" -le 8 ] || jobs=8
    mkdir -p "$folder"
    echo "building: $folder (some minutes the first time; log: $folder/build.log)"
    quietly "$folder/configure.log" cmake -S . -B "$folder" "$@" &&
        quietly "$folder/build.log" cmake --build "$folder" --parallel "$jobs"
}

case ${0##*/} in
setup.sh)
    case ${1:-} in
    build | test) setup "$1" ;;
    *)
        echo "usage: sh emu/setup.sh build|test" >&2
        exit 2
        ;;
    esac
    ;;
esac
