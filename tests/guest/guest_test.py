#!/usr/bin/env python3
"""A real kernel on the emulated HBA, beside our own drivers. Usage: guest_test.py SPINUP KERNEL

Ends with 77, and says why, where no guest can be had. Everything is judged by what the program
itself reports: its exit status is 0 only if every cycle slept, every disk came back with its data,
and our drivers did what the kernel did.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
ROOM_MS = 150
SHARE = 0.02


def run(program, *arguments):
    """The run's exit status, its JSON (None if there is none), and its standard error."""
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
            print(done.stdout)
        return done.returncode, found, done.stderr.strip()


def wrong(report):
    """What a comparison that claims to be good says itself against that."""
    for port in report["ports"]:
        model, kernel = port["model_ready_ms"], port["kernel_ready_ms"]
        if (model is None) != (kernel is None):
            yield f"port {port['port']}: ready {model} and {kernel}"
        elif model is not None and abs(model - kernel) > max(ROOM_MS, SHARE * kernel):
            yield f"port {port['port']}: ready after {model} and {kernel} ms"
        if port["model_comresets"] != port["kernel_comresets"]:
            yield f"port {port['port']}: not the same number of COMRESETs"
        if not port["commands_equal"]:
            yield f"port {port['port']}: other commands"


def main():
    program, kernel = sys.argv[1:]
    status, _, said = run(program, "six-ssd", "--kernel", kernel, "--cycles", "1", "--write")
    if status == 2:
        print(f"skipped: no guest with kernel {kernel} can be had here: {said}")
        return SKIPPED
    failures = [] if status == 0 else [f"six-ssd: {said}"]
    for arguments in (
            ["ready-times", "--cycles", "1", "--compare"],
            ["computer-one", "--time-scale", "0.1", "--cycles", "3", "--write", "--compare"],
            ["back-to-back", "--cycles", "3", "--gap", "0", "--skip-sd", "--compare"]):
        status, report, said = run(program, *arguments, "--kernel", kernel)
        if status != 0:
            failures.append(f"{arguments[0]}: {said}")
        elif report is None or not report["ports"]:
            failures.append(f"{arguments[0]}: no report")
        else:
            failures += [f"{arguments[0]}: {text}" for text in wrong(report)]
    for text in failures:
        print(f"FAILED {text}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
