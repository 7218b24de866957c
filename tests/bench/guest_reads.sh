#!/bin/sh
# Reads of a guest on our HBA beside QEMU's own ich9-ahci, in one boot of one guest: direct reads of
# 1 MiB one after the other, and random ones of 4 KiB. Prints both rates and their ratio.
#
#   sh tests/bench/guest_reads.sh [SPINUP [KERNEL]]     build/bin/spinup, 6.12
set -eu
cd "$(dirname "$0")/../.."
program=${1:-build/bin/spinup}
kernel=${2:-6.12}
folder=$(mktemp -d "${TMPDIR:-/tmp}/spinup-reads.XXXXXX")
server=
trap 'test -z "$server" || kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT

# A guest of its own first: it fetches what is missing and unpacks the scripts.
"$program" guest fast-ssd --kernel "$kernel" --cycles 1 >"$folder/log" || {
    cat "$folder/log"
    exit 1
}
scripts=$(find "${SPINUP_GUEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/spinup-guest}" \
    -maxdepth 1 -name 'scripts-*' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2)
truncate -s 512M "$folder/qemu.img"
"$program" serve fast-ssd --socket "$folder/hba" --once >"$folder/serve.log" 2>&1 &
server=$!
"$scripts/boot" --kernel "$kernel" --socket "$folder/hba" --qemu-ahci "$folder/qemu.img" \
    --disks 2 --cycles 0 --bench --out "$folder/out"
sed -n '/"bench/,/^  ]/p' "$folder/out/summary.json"
sed -n '/"bench_ratio"/p' "$folder/out/summary.json"
