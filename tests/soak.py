#!/usr/bin/env python3
"""Explores every scenario under every design for some minutes, with other options each time, and
says what must not happen: a crash, a sanitizer's report, an exit status that is none of ours, or
memory that grows. Findings of designs are none of its business.

  tests/soak.py PROGRAM [--seconds 600] [--seed 1]

PROGRAM is best of a build with sanitizers. The seed chooses what is run: how the time is cut into
runs depends on the machine, and each line printed repeats its run.
"""
import argparse
import os
import random
import subprocess
import sys
import time

PAGE = os.sysconf("SC_PAGE_SIZE")
# Freed memory goes back at once, or a sanitizer's quarantine (256 MB) looks like growth.
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="quarantine_size_mb=1:detect_stack_use_after_return=0",
                   UBSAN_OPTIONS="print_stacktrace=1")
SAMPLE = 0.2  # s between two looks at a run's memory
# What may come on top between the second and the last quarter of a run: a longer schedule than any
# before it. A world leaked per schedule is some 100 KB, and there are hundreds of schedules.
ALLOWED_GROWTH = 8 << 20


def names(program, command):
    """The first word of each line that begins with one."""
    text = subprocess.run([program, command], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in text.splitlines() if line and not line[0].isspace()]


def designs(program):
    text = subprocess.run([program, "designs"], capture_output=True, text=True, check=True).stdout
    part = text.split("disk starts")[0]
    return [line.split()[0] for line in part.splitlines()[1:] if line[2:3].strip()]


def options(draw):
    """The swarm: what explore can do, in any mixture."""
    chosen = ["--strategy", draw.choice(["random", "pct", "pct", "dfs"])]
    if chosen[1] == "pct":
        chosen += ["--depth", str(draw.randint(1, 6))]
    if chosen[1] == "dfs" and draw.random() < 0.5:
        chosen += ["--preemptions", str(draw.randint(0, 3))]
    if chosen[1] != "dfs":
        chosen += ["--seed", str(draw.randrange(1 << 32)), "--jobs", str(draw.choice([1, 1, 2]))]
    if draw.random() < 0.3:
        chosen.append("--weak-memory")
    if draw.random() < 0.3:
        chosen.append("--no-checkers")
    return chosen


def resident(pid):
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as f:
            return int(f.read().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def growth(samples):
    """From the highest of the second quarter to the highest of the last."""
    quarter = len(samples) // 4
    if quarter < 2:
        return 0
    return max(samples[-quarter:]) - max(samples[quarter:2 * quarter])


def one_run(command):
    """Returns: what is wrong with it, if anything, and its highest resident size."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env=ENVIRONMENT) as run:
        samples = []
        while run.poll() is None:
            if size := resident(run.pid):
                samples.append(size)
            time.sleep(SAMPLE)
        errors = run.stderr.read()
    if run.returncode not in (0, 1):
        return f"exit status {run.returncode}\n{errors}", samples
    if "Sanitizer" in errors or "runtime error" in errors:
        return errors, samples
    if "dfs" not in command and growth(samples) > ALLOWED_GROWTH:  # a search keeps its states
        return f"memory grew by {growth(samples) >> 20} MB", samples
    return "", samples


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--seconds", type=float, default=600)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    pairs = [(s, d) for s in names(given.program, "scenarios") for d in designs(given.program)]
    if not pairs:
        print("soak: the program names no scenario or no design")
        return 1
    draw = random.Random(given.seed)
    draw.shuffle(pairs)
    share = max(1, int(given.seconds / len(pairs)))
    until = time.monotonic() + given.seconds
    wrong, done, highest = 0, 0, 0
    while time.monotonic() < until:
        scenario, design = pairs[done % len(pairs)]
        command = [given.program, "explore", scenario, "--design", design, *options(draw),
                   "--time", f"{share}s"]
        problem, samples = one_run(command)
        done += 1
        peak = max(samples, default=0)
        highest = max(highest, peak)
        print(f"{peak >> 20:5} MB  {' '.join(command[1:])}", flush=True)
        if problem:
            wrong += 1
            print(f"soak: {problem}", flush=True)
    print(f"soak: {done} runs of {len(pairs)} pairs, {wrong} wrong, at most {highest >> 20} MB")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
