#!/bin/sh
# Installs what is missing (root or sudo), builds with checks on in build-test/, runs the tests.
#
#   sh tests/run.sh                   the fast ones
#   sh tests/run.sh golden            one label: unit spec prop golden explore refuse tidy bench
#   sh tests/run.sh long              a million schedules of our own design, and the like
#   sh tests/run.sh guest             a real kernel in QEMU; some minutes, skipped without QEMU
#   sh tests/run.sh -R 'libata.*'     the fast ones, with further arguments for ctest
#
# Properties draw from seed 1, so that a run repeats; RC_PARAMS overrides (rapidcheck's syntax).
set -eu
cd "$(dirname "$0")/.."
. ./emu/setup.sh

slow='^(long|bench|guest)$'
case ${1:-} in
'') set -- -LE "$slow" ;;
-*) set -- -LE "$slow" "$@" ;;
figures | long | bench | guest)
    label=$1
    shift
    set -- -L "^$label\$" "$@"
    : "${RC_PARAMS:=seed=1 max_success=10000}"
    ;;
*)
    label=$1
    shift
    set -- -L "^$label\$" -LE "$slow" "$@"
    ;;
esac
export RC_PARAMS="${RC_PARAMS:-seed=1 max_success=100}"

bench=OFF
[ "${label:-}" != bench ] || bench=ON
setup test
build_in build-test -C .cmake/debug.cmake -DSPINUP_BENCH=$bench
echo "testing"
cd build-test
exec ctest --no-tests=error --no-label-summary --output-on-failure -j2 "$@"
