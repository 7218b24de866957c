"""Feeds guest_test.py a program that pretends: what is skipped, what passes, what is told."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

import guest_test

# Writes what it is to say of its machines to the file behind --json, and ends as it is told.
PROGRAM = """#!/usr/bin/env python3
import json, sys
plan = json.load(open(sys.argv[0] + ".plan"))[sys.argv[2]]
if plan["json"] is not None:
    json.dump(plan["json"], open(sys.argv[sys.argv.index("--json") + 1], "w"))
sys.stderr.write(plan["said"])
sys.exit(plan["status"])
"""


def hardware(row):
    machines, ports, cycles, _ = row
    return {"rows": [{"machine": machine, "cycle": 1 + cycle, "slept_ms": 2000.0,
                      "ports": [{}] * (ports // len(machines))}
                     for machine in machines for cycle in range(cycles)]}


def agreement(row):
    return {"kernel": "6.12.0", "cycles": row[2],
            "ports": [{"port": 1 + i, "model_ready_ms": 350.0, "kernel_ready_ms": 400.0,
                       "model_comresets": 1, "kernel_comresets": 1, "commands_equal": True}
                      for i in range(row[1])]}


class GuestTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = pathlib.Path(folder.name) / "spinup"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)
        self.plan = {row[0][0]: {"status": 0, "said": "", "json": agreement(row)}
                     for row in [*guest_test.ROWS, guest_test.TROUBLE]}
        self.plan["six-ssd"] = {"status": 0, "said": "", "json": hardware(guest_test.FIRST)}

    def judge(self, *more):
        """The test's status, and what it printed."""
        pathlib.Path(f"{self.program}.plan").write_text(json.dumps(self.plan))
        sys.argv = ["guest_test.py", str(self.program), "6.12", *more]
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = guest_test.main()
        return status, said.getvalue()

    def assert_found(self, text, *more):
        status, said = self.judge(*more)
        self.assertEqual(status, 1, said)
        self.assertIn("FAILED " + text, said)

    def test_passes_what_is_good(self):
        status, said = self.judge("trouble")
        self.assertEqual(status, 0, said)
        self.assertIn("guest trouble --cycles 2", said)

    def test_skips_only_where_no_guest_can_be_had(self):
        self.plan["six-ssd"].update(status=2, json=None,
                                    said="error: cannot have what a guest needs: no mirror")
        self.assertEqual(self.judge()[0], guest_test.SKIPPED)
        for said in ("error: cannot prepare a guest: no space left in /x",
                     "error: unknown machine `six-ssd`", ""):
            self.plan["six-ssd"]["said"] = said
            self.assert_found("six-ssd: status 2: " + said)
        self.plan["six-ssd"].update(status=1, said="cannot have what a guest needs: no mirror")
        self.assert_found("six-ssd: status 1")

    def test_finds_a_later_one_that_did_not_run(self):
        self.plan["back-to-back"].update(status=2, said="cannot have what a guest needs: x")
        self.assert_found("back-to-back: status 2")

    def test_finds_cycles_that_did_not_sleep(self):
        self.plan["six-ssd"]["json"]["rows"][0]["slept_ms"] = None
        self.assert_found("six-ssd: six-ssd: cycle 1 did not sleep")
        self.plan["six-ssd"]["json"]["rows"].clear()
        self.assert_found("six-ssd: not 1 cycles")
        self.plan["computer-one"]["json"]["cycles"] = 2
        self.assert_found("computer-one: 2 cycles slept, not 3")

    def test_finds_ports_that_are_missing(self):
        self.plan["six-ssd"]["json"]["rows"][0]["ports"].pop()
        self.assert_found("six-ssd: cycle 1: 5 ports, not 6")
        del self.plan["computer-two"]["json"]["ports"][6:]
        self.assert_found("computer-two computer-three: not ports 1 to 12")

    def test_finds_what_differs(self):
        port = self.plan["trouble"]["json"]["ports"][2]
        port.update(model_comresets=2)
        self.assert_found("trouble: port 3: not the same number of COMRESETs", "trouble")
        port.update(model_comresets=1, commands_equal=False)
        self.assert_found("trouble: port 3: other commands", "trouble")
        port.update(commands_equal=True, model_ready_ms=None)
        self.assert_found("trouble: port 3: ready None", "trouble")
        port.update(model_ready_ms=551.0)
        self.assert_found("trouble: port 3: ready after 551.0", "trouble")
        port.update(model_ready_ms=2500.0, kernel_ready_ms=2900.0)
        self.assert_found("trouble: port 3: ready after 2500.0", "trouble")
        self.assertEqual(self.judge()[0], 0, "trouble ran though it was not asked for")

    def test_allows_a_slot_of_the_timer_wheel_where_a_sleep_can_have_one(self):
        first, second, *_ = self.plan["trouble"]["json"]["ports"]
        first.update(model_comresets=2, kernel_comresets=2)
        second.update(model_ready_ms=2048.0, kernel_ready_ms=2454.0)
        self.assertEqual(self.judge("trouble")[0], 0)
        second.update(kernel_ready_ms=2455.0)
        self.assert_found("trouble: port 2: ready after 2048.0 and 2455.0", "trouble")
        second.update(model_ready_ms=2047.0, kernel_ready_ms=2198.0)
        self.assert_found("trouble: port 2: ready after 2047.0 and 2198.0", "trouble")

    def test_finds_a_comparison_that_failed_or_left_nothing(self):
        self.plan["ready-times"].update(status=1, said="our drivers and the kernel differ")
        self.assert_found("ready-times: status 1: our drivers and the kernel differ")
        self.plan["ready-times"].update(status=0, json=None)
        self.assert_found("ready-times: no JSON")


if __name__ == "__main__":
    unittest.main()
