#!/usr/bin/env python3
"""A real kernel on the emulated HBA, beside our own drivers.

    guest_test.py SPINUP KERNEL [trouble]

Ends with 77, and says why, where no guest can be had. Everything is judged by what the program
itself reports: its exit status is 0 only if every cycle slept, every disk came back with its data,
and our drivers did what the kernel did, down to the log's lines. The JSON must say so too.

With `trouble`, the machine of that name takes part too: its dead drive keeps a kernel waiting for
minutes, whatever the time scale. Guests run one after the other: two that boot at once would take
each other's processor, and times are compared.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
# What the program says, and no other error begins with, when this machine lacks something that a
# guest needs: network, a mirror, another processor.
CANNOT_HAVE = "cannot have what a guest needs: "
ROOM_MS = 150
SHARE = 0.02
# A slot of a kernel's timer wheel, which a sleep between two tries of a reset may end late by; and
# the shortest sleep that has such slots.
LATE_MS = 256
LATE_FROM_MS = 2048

# Machines, their ports, cycles, further arguments.
FIRST = (["six-ssd"], 6, 1, ["--write"])
ROWS = [
    (["ready-times"], 7, 1, ["--compare"]),
    (["computer-one"], 6, 3, ["--time-scale", "0.1", "--write", "--compare"]),
    (["back-to-back"], 3, 3, ["--gap", "0", "--skip-sd", "--compare"]),
    (["computer-two", "computer-three"], 12, 1, ["--time-scale", "0.1", "--compare"]),
]
TROUBLE = (["trouble"], 6, 2, ["--compare"])


def run(program, kernel, row):
    """The run's exit status, its JSON (None if there is none), and its standard error."""
    machines, _, cycles, options = row
    arguments = [*machines, "--cycles", str(cycles), *options, "--kernel", kernel]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        begin = time.monotonic()
        done = subprocess.run(
            [program, "guest", *arguments, "--json", str(out)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        print(f"guest {' '.join(arguments)}: status {done.returncode}, "
              f"{time.monotonic() - begin:.0f} s", flush=True)
        found = json.loads(out.read_text(encoding="utf-8")) if out.exists() else None
        if done.returncode == 1:
            print(done.stdout, flush=True)
        return done.returncode, found, done.stderr.strip()


def wrong_hardware(rows, row):
    """What is missing of what the hardware saw: a row a cycle and machine."""
    machines, ports, cycles, _ = row
    if [(each["machine"], each["cycle"]) for each in rows] != [
            (machine, 1 + cycle) for machine in machines for cycle in range(cycles)]:
        yield f"not {cycles} cycles of each machine"
    for each in rows:
        if each["slept_ms"] is None:
            yield f"{each['machine']}: cycle {each['cycle']} did not sleep"
    for cycle in range(cycles):
        seen = sum(len(each["ports"]) for each in rows if each["cycle"] == 1 + cycle)
        if seen != ports:
            yield f"cycle {1 + cycle}: {seen} ports, not {ports}"


def wrong_agreement(report, row):
    """What a comparison that claims to be good says itself against that."""
    _, ports, cycles, _ = row
    if report["cycles"] != cycles:
        yield f"{report['cycles']} cycles slept, not {cycles}"
    if [port["port"] for port in report["ports"]] != list(range(1, 1 + ports)):
        yield f"not ports 1 to {ports}"
    late = LATE_MS if any(port["kernel_comresets"] > 1 for port in report["ports"]) else 0
    for port in report["ports"]:
        model, kernel = port["model_ready_ms"], port["kernel_ready_ms"]
        room = max(ROOM_MS, SHARE * (kernel or 0))
        slot = late if (model or 0) >= LATE_FROM_MS else 0
        if (model is None) != (kernel is None):
            yield f"port {port['port']}: ready {model} and {kernel}"
        elif model is not None and not -room <= kernel - model <= slot + room:
            yield f"port {port['port']}: ready after {model} and {kernel} ms"
        if port["model_comresets"] != port["kernel_comresets"]:
            yield f"port {port['port']}: not the same number of COMRESETs"
        if not port["commands_equal"]:
            yield f"port {port['port']}: other commands"


def failures(outcome, row):
    status, report, said = outcome
    name = " ".join(row[0])
    if status != 0:
        return [f"{name}: status {status}: {said}"]
    if report is None:
        return [f"{name}: no JSON"]
    found = wrong_agreement(report, row) if "--compare" in row[3] else wrong_hardware(
        report["rows"], row)
    return [f"{name}: {text}" for text in found]


def main():
    program, kernel, *more = sys.argv[1:]
    first = run(program, kernel, FIRST)
    if first[0] == 2 and CANNOT_HAVE in first[2]:
        print(f"skipped: no guest with kernel {kernel} can be had here: {first[2]}")
        return SKIPPED
    found = failures(first, FIRST)
    for row in ROWS + ([TROUBLE] if "trouble" in more else []):
        if first[0] != 2:
            found += failures(run(program, kernel, row), row)
    for text in found:
        print(f"FAILED {text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
