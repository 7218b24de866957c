#!/usr/bin/env python3
"""Explores and replays as a user does. Usage: explore_test.py SPINUP"""

import json
import os
import pty
import re
import signal
import subprocess
import unittest

from program import PROGRAM, Program, spinup

# Ends with a verdict in most schedules: a result is written where its requester has gone.
FAILING = ("explore", "sas-like", "--design", "int_async_3_11", "--no-checkers",
           "--strategy", "random", "--schedules", "20", "--seed", "5")


class Exploring(Program):
    def test_mistakes(self):
        self.mistake("explore: no SCENARIO", "`spinup scenarios` lists all", "explore")
        self.mistake("unknown scenario `two-requester`", "did you mean `two-requesters`?",
                     "explore", "two-requester")
        self.mistake("--design: unknown design `curent_7_3`", "did you mean `current_7_3`?",
                     "explore", "rescan", "--design", "curent_7_3")
        self.mistake('no strategy "luck"', "random, pct, dfs",
                     "explore", "rescan", "--strategy", "luck")
        for option in ("--seed", "--jobs"):
            self.mistake(f"{option} is of --strategy random and pct, not of dfs",
                         f"leave out {option}",
                         "explore", "rescan", "--strategy", "dfs", option, "2")
        self.mistake("--depth is of --strategy pct, not of random", "leave out --depth",
                     "explore", "rescan", "--strategy", "random", "--depth", "3")
        self.mistake("--preemptions is of --strategy dfs", "leave out --preemptions",
                     "explore", "rescan", "--preemptions", "3")
        for option, text in (("--schedules", "0"), ("--jobs", "0"), ("--jobs", "65"),
                             ("--seed", "-1"), ("--depth", "0"), ("--schedules", "many")):
            self.mistake(f"{option}: `{text}` is not a whole number", "for instance",
                         "explore", "rescan", option, text)
        for text in ("0", "-1", "1d", "s", "8000000"):
            self.mistake(f"--time: `{text}` is not a time", "--time 15m",
                         "explore", "rescan", "--time", text)
        self.mistake("--json", "", "explore", "rescan", "--json", str(self.folder / "no" / "x"))
        self.mistake("--property: unknown property `speed-kep`", "did you mean `speed-kept`?",
                     "explore", "rescan", "--property", "speed-kep")

    def test_a_campaign_may_judge_by_one_property(self):
        args = ("explore", "rivals", "--design", "async_rc_2013", "--no-checkers",
                "--schedules", "100", "--json", "-")
        names = {v["name"] for v in json.loads(spinup(*args).stdout)["verdicts"]}
        one = json.loads(spinup(*args, "--property", "accepted-executed-once").stdout)["verdicts"]
        found = [v for v in one if v["name"] == "accepted-executed-once"]
        self.assertTrue(found and len(names) > len(one), (names, one))
        self.assertIn("only-accepted-executed-once=1", found[0]["token"])
        self.assertEqual(spinup("replay", found[0]["token"]).returncode, 1)

    def test_lists(self):
        scenarios = spinup("scenarios")
        self.assertEqual((scenarios.returncode, scenarios.stderr), (0, ""))
        names = [line.split()[0] for line in scenarios.stdout.splitlines()]
        for name in ("two-requesters", "back-to-back", "queued-io"):
            self.assertIn(name, names)
        verdicts = spinup("verdicts")
        self.assertEqual((verdicts.returncode, verdicts.stderr), (0, ""))
        names = [line.split()[0] for line in verdicts.stdout.splitlines()]
        self.assertEqual(names[0], "ok")
        self.assertEqual(len(names), len(set(names)))
        for name in ("deadlock", "data-race", "suspend-failed", "interrupted"):
            self.assertIn(name, names)
        for line in (scenarios.stdout + verdicts.stdout).splitlines():
            self.assertLessEqual(len(line), 100, line)

    def test_a_campaign_that_finds_nothing(self):
        done = spinup("explore", "queued-io", "--no-checkers", "--design", "sync_3_11",
                      "--strategy", "dfs", "--schedules", "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("verdict ok in all of them", done.stdout)

    def test_a_failing_campaign(self):
        done = spinup(*FAILING)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertRegex(done.stdout, r"(?m)^20 schedules in ")
        self.assertRegex(done.stdout, r"(?m)^write-after-return +\d+ +\d+$")
        self.assertRegex(done.stdout, r"(?m)^schedule \d+, made small in \d+ runs")
        self.assertRegex(done.stdout, r"(?m)^ +step +time s ")
        token = re.search(r"(?m)^token (x\d+:.*)$", done.stdout).group(1)
        self.assertIn(f"again: spinup replay '{token}'", done.stdout)
        self.replays(token, done.stdout)

    def replays(self, token, printed):
        again = spinup("replay", token)
        self.assertEqual((again.returncode, again.stderr), (1, ""))
        digest = re.search(r"(?m)^verdict \S+, digest (\w{16})$", again.stdout).group(1)
        self.assertIn(digest, printed)
        file = self.folder / "token"
        file.write_text(token + "\n", encoding="ascii")
        self.assertEqual(spinup("replay", str(file)).stdout, again.stdout)

    def test_json(self):
        done = spinup(*FAILING, "--json", "-")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        top = json.loads(done.stdout)
        self.assertEqual(list(top), ["schedules", "seconds", "verdicts"])
        self.assertEqual(top["schedules"], 20)
        self.assertGreater(top["seconds"], 0)
        for verdict in top["verdicts"]:
            self.assertEqual(list(verdict), ["name", "count", "first_at", "token"])
            self.assertEqual(spinup("replay", verdict["token"]).returncode, 1)
        file = self.folder / "found.json"
        self.assertEqual(spinup(*FAILING, "--json", str(file)).returncode, 1)
        again = json.loads(file.read_text(encoding="utf-8"))
        self.assertEqual(again["verdicts"], top["verdicts"])

    def test_bugs_are_listed_as_json(self):
        done = spinup("bugs", "--list", "--json", "-", "D-1", "L1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([bug["id"] for bug in json.loads(done.stdout)["bugs"]], ["D-1", "L1"])

    def test_the_number_of_jobs_changes_nothing(self):
        one, two = (json.loads(spinup(*FAILING, "--jobs", jobs, "--json", "-").stdout)
                    for jobs in ("1", "2"))
        self.assertEqual(one["verdicts"], two["verdicts"])
        self.assertNotEqual(one["verdicts"], [])

    def test_tokens_that_cannot_be_played(self):
        token = json.loads(spinup(*FAILING, "--json", "-").stdout)["verdicts"][0]["token"]
        self.mistake("replay: no TOKEN", "", "replay")
        self.mistake("it is of an older version, x0", "explore again", "replay", "x0:" + token[3:])
        self.mistake("it is of a newer version", "", "replay", "x999:" + token[3:])
        other = token[:-1] + ("0" if token[-1] != "0" else "1")
        self.mistake("not of this program", "the version that printed it", "replay", other)
        self.mistake("scenario 'sas-lake' is not one of this program", "`spinup scenarios`",
                     "replay", token.replace("sas-like", "sas-lake"))
        self.mistake("it is cut short", "copied whole", "replay", token[:-1])
        self.mistake("it is not the token of a run", "copied whole", "replay", "some:thing")
        self.mistake("nonsense is no token, and there is no file of that name", "the path",
                     "replay", "nonsense")
        self.mistake("is a folder", "the path", "replay", str(self.folder))
        empty = self.folder / "empty"
        empty.write_text("\n")
        self.mistake("is empty", "the path", "replay", str(empty))
        huge = self.folder / "huge"
        huge.write_bytes(b"x1:" + b"A" * (5 << 20))
        self.mistake("is too large to hold a token", "the path", "replay", str(huge))
        self.mistake("cannot be read", "the path", "replay", "/proc/self/mem")

    def test_a_replay_begins_with_the_verdict_and_is_as_long_as_one_can_read(self):
        # Thousands of steps: a disk without a link to its port is asked again and again.
        token = ("x1:queued-io/current_7_3/no-checkers=1,with-device_link--off=1,"
                 "with-host_under_port--off=1,only-supplier-consumer-order=1")
        found = spinup("explore", "queued-io", "--design", "current_7_3", "--no-checkers",
                       "--switch", "device_link=off", "--switch", "host_under_port=off",
                       "--schedules", "3", "--json", "-")
        tokens = [v["token"] for v in json.loads(found.stdout)["verdicts"]
                  if v["name"] == "supplier-consumer-order"]
        self.assertTrue(tokens and tokens[0].startswith(token.split("/no-")[0]), found.stdout)
        short = spinup("replay", tokens[0])
        self.assertRegex(short.stdout, r"^verdict supplier-consumer-order: .*\n\n +step +time s ")
        self.assertRegex(short.stdout, r"(?m)^ +\d+ +\d+\.\d{6} >")
        self.assertRegex(short.stdout, r"(?m)^> supplier-consumer-order: ")
        self.assertEqual("left out)" in short.stdout,
                         "every step: spinup replay --all" in short.stdout)
        whole = spinup("replay", "--all", tokens[0])
        self.assertNotIn("left out", whole.stdout)
        self.assertGreaterEqual(len(whole.stdout), len(short.stdout))

    def test_switches_are_listed(self):
        done = spinup("switches")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        names = [line.split()[0] for line in done.stdout.splitlines()[1:-1]]
        self.assertEqual(len(names), len(set(names)))
        for name in ("device_link", "rescan_guard", "eh_wakeup_barrier"):
            self.assertIn(name, names)
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 140, line)
        self.mistake("switch device_link is on or off, not maybe", "device_link=off",
                     "explore", "rescan", "--switch", "device_link=maybe")

    def test_an_interrupt_keeps_what_was_found(self):
        main, follower = pty.openpty()
        with subprocess.Popen([PROGRAM, *FAILING[:-4], "--seed", "5", "--time", "1h"],
                              stdout=subprocess.PIPE, stderr=follower, text=True) as running:
            os.close(follower)
            shown = b""
            while b"write-after-return" not in shown:  # the line of progress
                shown += os.read(main, 4096)
            running.send_signal(signal.SIGINT)
            out, _ = running.communicate(timeout=120)
        os.close(main)
        self.assertEqual(running.returncode, 1)
        self.assertIn(b"a second", shown)
        self.assertRegex(out, r"(?m)^write-after-return +\d+ +\d+$")
        self.assertRegex(out, r"(?m)^schedule \d+: spinup replay 'x\d+:")

    def test_an_interrupted_validation_does_not_pass_what_it_has_not_tried(self):
        main, follower = pty.openpty()
        file = self.folder / "validation.json"
        with subprocess.Popen([PROGRAM, "validate", "--design", "spinup_reference", "--schedules",
                               "300", "--json", str(file)],
                              stdout=subprocess.PIPE, stderr=follower, text=True) as running:
            os.close(follower)
            while b"parts" not in os.read(main, 4096):
                pass
            running.send_signal(signal.SIGINT)
            out, _ = running.communicate(timeout=120)
        os.close(main)
        self.assertEqual(running.returncode, 1)
        self.assertRegex(out, r"(?m)^data-survives +open ")
        self.assertIn("interrupted: of what is open too little was tried", out)
        top = json.loads(file.read_text(encoding="utf-8"))
        self.assertTrue(top["interrupted"])
        self.assertEqual({row["holds"] for row in top["properties"] if row["applies"]}, {None})


if __name__ == "__main__":
    unittest.main()
