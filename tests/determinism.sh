#!/bin/sh
# The same machine, design and token have the same trace digest in every build.
#
#   sh tests/determinism.sh [BUILD-FOLDER...]
#
# Builds Release with g++ (build/) and with clang (build-clang/), and holds them and the builds in
# the folders named, whatever they were made with, against each other. Each schedule is also
# replayed from its token. What is explored is the same as well: verdicts, tokens, and what
# replaying a token shows.
set -eu
cd "$(dirname "$0")/.."
. ./emu/setup.sh

setup test
build_in build -DCMAKE_BUILD_TYPE=Release -DSPINUP_TESTS=OFF -DSPINUP_BENCH=OFF
build_in build-clang -C .cmake/clang.cmake -DCMAKE_BUILD_TYPE=Release -DSPINUP_TESTS=OFF \
    -DSPINUP_BENCH=OFF

# digests PROGRAM: a line a run.
digests() {
    for machine in computer-one computer-two computer-three back-to-back thirty-two reset-ladder; do
        for design in sync_3_11 async_3_15; do
            for order in sync async upfront; do
                one_run "$1" "$machine --design $design --order $order" ""
                one_run "$1" "$machine --design $design --order $order" "--seed 1"
            done
        done
    done
}

# one_run PROGRAM WHAT SCHEDULE: the digest, and the digest of the replay.
one_run() {
    # shellcheck disable=SC2086 # both are lists of words
    "$1" run $2 $3 >"$scratch/run"
    token=$(sed -n 's/^token //p' "$scratch/run")
    # shellcheck disable=SC2086
    "$1" run $2 --token "$token" >"$scratch/replay"
    echo "$2 $3: $(digest_in "$scratch/run") $(digest_in "$scratch/replay")"
}

digest_in() {
    sed -n 's/^verdict .*, digest \([0-9a-f]*\), .*/\1/p' "$1"
}

# explorations PROGRAM: what a few schedules of each scenario find.
explorations() {
    for scenario in $("$1" scenarios | sed -n 's/^\([a-z][a-z-]*\) .*/\1/p'); do
        for strategy in random pct; do
            echo "$scenario $strategy"
            "$1" explore "$scenario" --strategy "$strategy" --schedules 20 --json - \
                >"$scratch/found" || [ $? = 1 ]
            grep -v '"seconds"' "$scratch/found"
        done
        token=$(sed -n 's/.*"token": "\(.*\)".*/\1/p' "$scratch/found" | head -n 1)
        [ -z "$token" ] || "$1" replay "$token" || [ $? = 1 ]
    done
}

# same_as FILE: ends the script if $scratch/other, from $folder, is not.
same_as() {
    cmp -s "$1" "$scratch/other" && return
    echo "build and $folder differ:" >&2
    diff "$1" "$scratch/other" >&2 || true
    exit 1
}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/spinup-digests.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
digests build/bin/spinup >"$scratch/first"
explorations build/bin/spinup >"$scratch/explored"
grep -q '"token"' "$scratch/explored"
for folder in build-clang "$@"; do
    digests "$folder/bin/spinup" >"$scratch/other"
    same_as "$scratch/first"
    explorations "$folder/bin/spinup" >"$scratch/other"
    same_as "$scratch/explored"
done
if ! awk '$NF != $(NF - 1) { bad = 1; print } END { exit bad }' "$scratch/first" >&2; then
    echo "replayed from its token, a run has another digest" >&2
    exit 1
fi
explored=$(grep -c '"schedules"' "$scratch/explored")
echo "$(wc -l <"$scratch/first") runs and $explored explorations," \
    "the same digests in: build build-clang $*"
