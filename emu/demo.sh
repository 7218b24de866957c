#!/bin/sh
# From a bare Debian 12 to the comparison of three machines: installs what is missing (root or
# sudo), builds build/bin/spinup, runs it.
set -eu
cd "$(dirname "$0")/.."
. ./emu/setup.sh

setup build
build_in build -DCMAKE_BUILD_TYPE=Release -DSPINUP_TESTS=OFF -DSPINUP_BENCH=OFF
build/bin/spinup compare computer-one computer-two computer-three --json build/compare.json
echo "machine-readable result: $PWD/build/compare.json"
