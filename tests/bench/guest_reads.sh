#!/bin/sh
# Reads of a guest on our HBA beside QEMU's own ich9-ahci, in one boot of one guest: direct reads of
# 1 MiB one after the other, and random ones of 4 KiB. Prints both rates and their ratio.
#
#   sh tests/bench/guest_reads.sh [BUILD-FOLDER [KERNEL]]     build, 6.12
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build}
kernel=${2:-6.12}
program=$build/bin/spinup
folder=$(mktemp -d "${TMPDIR:-/tmp}/spinup-reads.XXXXXX")
server=
trap 'test -z "$server" || kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT

# What boot --bench runs in the guest is built; the scripts around it are those of the sources.
mkdir "$folder/scripts"
cp emu/remote/guest/* "$build/emu/remote/guest/direct_reads" "$folder/scripts"
case $kernel in
*/*) "$folder/scripts/prepare" own ;;
*) "$folder/scripts/prepare" "$kernel" ;;
esac
truncate -s 512M "$folder/qemu.img"
"$program" serve fast-ssd --socket "$folder/hba" --once >"$folder/serve.log" 2>&1 &
server=$!
"$folder/scripts/boot" --kernel "$kernel" --socket "$folder/hba" --qemu-ahci "$folder/qemu.img" \
    --disks 2 --cycles 0 --bench --out "$folder/out"
sed -n '/"bench/,/^  ]/p' "$folder/out/summary.json"
sed -n '/"bench_ratio"/p' "$folder/out/summary.json"
