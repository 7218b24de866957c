#!/usr/bin/env python3
"""Runs the program as a user does: statuses, streams, files. Usage: program_test.py SPINUP"""

import json
import os
import pty
import signal
import subprocess
import unittest

from program import PROGRAM, Program, spinup, wait_until_asleep


class Commands(Program):
    # Command line.

    def test_mistakes_on_the_command_line(self):
        self.mistake("no subcommand", "compare")
        self.mistake("unknown subcommand `compar`", "did you mean `compare`?", "compar", "six-ssd")
        self.mistake("unknown subcommand `?[31m`", "one of: ", "\x1b[31m")
        self.mistake("unknown option `--desing`", "did you mean `--design`?",
                     "run", "six-ssd", "--desing", "x")
        self.mistake("unknown option `--jsno=-`", "did you mean `--json`?",
                     "compare", "six-ssd", "--jsno=-")
        self.mistake("compare: no MACHINE", "spinup compare computer-one", "compare")
        self.mistake("run: no MACHINE", "spinup run computer-one", "run")
        self.mistake("one `back-to-back` too many", "spinup help run",
                     "run", "six-ssd", "back-to-back")
        self.mistake("--json", "spinup help run", "run", "six-ssd", "--json")

    def test_unknown_names(self):
        self.mistake("unknown machine `six-sdd`", "did you mean `six-ssd`?", "compare", "six-sdd")
        self.mistake("unknown machine `six-sdd`", "did you mean `six-ssd`?", "run", "six-sdd")
        self.mistake("--designs: unknown design `sync_3_12`", "did you mean `sync_3_11`?",
                     "compare", "six-ssd", "--designs", "sync_3_12")
        self.mistake("--design: unknown design `sync_3_12`", "did you mean `sync_3_11`?",
                     "run", "six-ssd", "--design", "sync_3_12")
        self.mistake("--disk-start: unknown disk start `asynk`", "did you mean `async`?",
                     "run", "six-ssd", "--disk-start", "asynk")
        self.mistake("--designs: design `sync_3_11` is listed twice", "once is enough",
                     "compare", "six-ssd", "--designs", "sync_3_11,sync_3_11")
        self.mistake("--order: unknown order `upfornt`", "did you mean `upfront`?",
                     "compare", "six-ssd", "--order", "upfornt")
        self.mistake("no machine `six-sdd` is built in", "did you mean `six-ssd`?",
                     "machines", "six-sdd")
        self.mistake("no help on `machine-fil`", "did you mean `machine-file`?",
                     "help", "machine-fil")

    def test_schedules(self):
        for text in ("-1", "many", "18446744073709551616"):
            self.mistake("--seed", "for instance --seed 1", "run", "six-ssd", "--seed", text)
        self.mistake("exclude each other", "a token is a schedule", "run", "six-ssd", "--seed", "1",
                     "--token", "s2:rr")
        self.mistake("of an older version", "s2:rr is the round robin schedule", "run", "six-ssd",
                     "--token", "s1:I9L2z2g5w")

    def test_numbers(self):
        for text in ("0", "-1", "10001", "1.5", "x", "99999999999999999999"):
            self.mistake(f"--cycles: `{text}` is not a number from 1 to 10000",
                         "for instance --cycles 10", "run", "six-ssd", "--cycles", text)
        for text in ("-1", "nan", "inf", "1e9", "x", "5 "):
            self.mistake(f"--gap: `{text}` is not milliseconds", "for instance --cycles 2",
                         "run", "six-ssd", "--gap", text)
        for cycles in ([], ["--cycles", "1"]):
            self.mistake("--gap needs --cycles 2 or more", "between two cycles",
                         "run", "six-ssd", "--gap", "5", *cycles)

    def test_the_largest_seed(self):
        self.assertEqual(spinup("run", "six-ssd", "--seed", str(2**64 - 1)).returncode, 0)

    def test_empty_values(self):
        for option in ("--cycles", "--gap", "--seed", "--token", "--json", "--trace", "--dmesg",
                       "--design", "--set"):
            self.mistake(f"{option}: its value is empty", "spinup help run",
                         "run", "six-ssd", option, "")
        self.mistake("NAME: its value is empty", "spinup help machines", "machines", "")
        self.mistake("MACHINE: its value is empty", "spinup help compare", "compare", "six-ssd", "")

    def test_two_dashes_end_the_options(self):
        plain = spinup("run", "six-ssd", "--json", "-")
        for arguments in (["run", "--json", "-", "--", "six-ssd"],
                          ["run", "--json", "-", "six-ssd", "--"]):
            done = spinup(*arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, plain.stdout, ""))
        self.mistake("unknown machine `--json`", "one of", "run", "--", "--json")

    def test_overrides(self):
        self.mistake("--set port.1.redy_ms=5: error: unknown key `redy_ms`",
                     "did you mean `ready_ms`?", "run", "six-ssd", "--set", "port.1.redy_ms=5")
        self.mistake('`drive` cannot be ""hdd""', "without the inner quotes: drive=hdd",
                     "run", "six-ssd", "--set", 'port.1.drive="hdd"')
        self.mistake("no `=`", "write --set path=value", "run", "--set", "pmp", "six-ssd")

    def test_machine_files(self):
        broken = self.folder / "broken.toml"
        broken.write_text('name = "m"\n[hba]\nports = 40\n')
        self.mistake(f"{broken}:3:9: error: `ports` is 40, out of range 1 to 32", None,
                     "run", str(broken))
        self.mistake("No such file or directory", "`spinup machines` lists", "compare",
                     str(self.folder / "no.toml"))
        self.mistake("this is a directory", "`spinup machines` lists", "compare",
                     str(self.folder))
        broken.write_text('name = "m"\n[hba]\nports = 1\n[[port]]\nnumber = 1\ndrive = hdd\n')
        self.mistake(f"{broken}:6:9: error: not TOML", 'text goes in quotes: drive = "hdd"',
                     "run", str(broken))

    def test_no_run_begins_when_one_of_several_machines_is_wrong(self):
        target = self.folder / "out.json"
        self.mistake("unknown machine", "did you mean", "compare", "six-ssd", "six-sdd",
                     "--json", str(target))
        self.assertFalse(target.exists())

    def test_help(self):
        for arguments in (["--help"], ["help"], ["help", "run"], ["run", "--help"],
                          ["help", "compare"], ["help", "machine-file"], ["help", "help"]):
            done = spinup(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
            self.assertGreater(len(done.stdout), 100, arguments)
            for line in done.stdout.splitlines():
                self.assertLessEqual(len(line), 100, line)
        for text in ("--disk-start", "Exit status: 0 if all went well, 1 if a run ended badly"):
            self.assertIn(text, spinup("help", "run").stdout)
        for subcommand, own in (("compare", "its verdict is not `ok`"), ("serve", "Ctrl-C later"),
                                ("guest", "its kernel complained")):
            text = spinup("help", subcommand).stdout
            self.assertIn("Exit status: 0 if all went well, 1 if", text)
            self.assertIn(own, text)
            self.assertIn("2 for a mistake on the command line", text)
        self.assertIn("resume_noirq_ms", spinup("help", "machine-file").stdout)
        self.assertRegex(spinup("--version").stdout, r"^spinup \d+\.\d+\.\d+\n$")

    def test_lists(self):
        machines = spinup("machines")
        self.assertEqual(machines.returncode, 0)
        names = [line.split()[0] for line in machines.stdout.splitlines()]
        for name in ("computer-one", "computer-two", "computer-three", "six-ssd", "back-to-back"):
            self.assertIn(name, names)
        designs = spinup("designs").stdout
        for name in ("sync_3_11", "async_3_15", "upfront", "--disk-start"):
            self.assertIn(name, designs)

    def test_a_printed_machine_is_a_machine_file(self):
        text = spinup("machines", "back-to-back").stdout
        copy = self.folder / "copy.toml"
        copy.write_text(text)
        by_name = spinup("run", "back-to-back", "--json", "-")
        by_file = spinup("run", str(copy), "--json", "-")
        self.assertEqual(by_name.returncode, 0, by_name.stderr)
        self.assertEqual(by_name.stdout, by_file.stdout)

    # Results.

    def test_compare_as_json_on_stdout_is_only_json(self):
        done = spinup("compare", "six-ssd", "back-to-back", "--json", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = json.loads(done.stdout)["rows"]
        self.assertEqual([(r["machine"], r["design"], r["disk_start"], r["order"]) for r in rows],
                         [(m, d, s, "upfront") for m in ("six-ssd", "back-to-back")
                          for d in ("sync_3_11", "async_3_15") for s in ("sync", "async")])
        for row in rows:
            self.assertEqual(list(row), ["machine", "design", "disk_start", "order",
                                         "kernel_resume_ms", "ports"])
            self.assertGreater(row["kernel_resume_ms"], 0)
            for port in row["ports"]:
                self.assertEqual(list(port), ["port", "ready_ms", "first_io_ms", "comresets"])
                self.assertGreater(port["ready_ms"], 0)
                self.assertEqual(port["comresets"], 1)

    def test_null_where_there_is_no_drive_or_no_disc(self):
        done = spinup("run", "six-ssd", "--set", "port.2.drive=none", "--set", "port.3.drive=odd",
                      "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        row, = json.loads(done.stdout)["rows"]
        ports = {p["port"]: p for p in row["ports"]}
        self.assertEqual(row["cycle"], 1)
        self.assertIsNotNone(ports[1]["first_io_ms"])
        self.assertIsNone(ports[2]["ready_ms"])
        self.assertIsNone(ports[2]["first_io_ms"])
        self.assertIsNotNone(ports[3]["ready_ms"])
        self.assertIsNone(ports[3]["first_io_ms"])

    def test_compare_prints_a_table_and_writes_a_file(self):
        target = self.folder / "out.json"
        done = spinup("compare", "six-ssd", "--designs", "async_3_15", "--disk-start", "async",
                      "--order", "async", "--json", str(target))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("async_3_15", done.stdout)
        self.assertIn("1.0x", done.stdout)
        rows = json.loads(target.read_text())["rows"]
        self.assertEqual([r["order"] for r in rows], ["async"])
        self.assertEqual(os.listdir(self.folder), ["out.json"])
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 100, line)

    def test_run_prints_a_picture_within_100_columns(self):
        done = spinup("run", "computer-one")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 100, line)
        rows = {line.split()[0].rstrip("*"): line for line in done.stdout.splitlines()
                if line.startswith(("ata", "kernel  "))}
        self.assertEqual(sorted(rows), ["ata1", "ata2", "ata3", "ata4", "ata5", "ata6", "kernel"])
        self.assertIn("~~~~", rows["ata2"])
        self.assertIn("R", rows["ata2"])
        self.assertNotIn("%%%%", rows["ata2"])
        self.assertRegex(spinup("run", "six-ssd").stdout, r"(?m)^ata1 .*====")
        blocking = spinup("run", "computer-one", "--design", "sync_3_11", "--disk-start", "sync")
        self.assertRegex(blocking.stdout, r"(?m)^ata2\* .*%%%%")
        self.assertIn("verdict ok, digest ", done.stdout)

    def test_run_numbers_its_cycles(self):
        done = spinup("run", "back-to-back", "--cycles", "3", "--gap", "0", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([r["cycle"] for r in json.loads(done.stdout)["rows"]], [1, 2, 3])

    def test_dmesg_is_the_kernel_log(self):
        target = self.folder / "dmesg.txt"
        done = spinup("run", "six-ssd", "--dmesg", str(target))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(target.read_text(), r"(?m)^\[ +\d+\.\d{6}\] ata1: SATA link up ")
        on_stdout = spinup("run", "six-ssd", "--dmesg", "-")
        self.assertEqual(on_stdout.stdout, target.read_text())

    def test_trace_has_every_event(self):
        done = spinup("run", "six-ssd", "--trace", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("COMRESET", "SATA link up", "waits for msleep", "is woken", "irq 24"):
            self.assertIn(text, done.stdout)

    def test_verbose_says_on_stderr_what_is_done(self):
        quiet = spinup("compare", "six-ssd", "--designs", "async_3_15")
        done = spinup("compare", "six-ssd", "--designs", "async_3_15", "--verbose")
        self.assertEqual((quiet.returncode, quiet.stderr), (0, ""))
        self.assertEqual((done.returncode, done.stdout), (0, quiet.stdout))
        self.assertEqual(len(done.stderr.splitlines()), 2)
        self.assertRegex(done.stderr, r"(?m)^spinup: ran six-ssd .* digest [0-9a-f]{16}$")

    def test_seed_gives_a_token_that_replays(self):
        def last_lines(*arguments):
            done = spinup("run", "back-to-back", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.splitlines()[-2:]

        verdict, token = last_lines("--seed", "5")
        self.assertNotEqual(verdict, last_lines()[0])
        self.assertEqual([verdict, token], last_lines("--token", token.split()[1]))

    def test_interrupted_run_keeps_its_cycles(self):
        with subprocess.Popen([PROGRAM, "run", "thirty-two", "--cycles", "10000", "--gap", "0",
                               "--json", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as process:
            try:
                process.wait(0.5)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
            output, error = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1, error)
        self.assertIn("interrupted: after ", error)
        self.assertGreater(len(json.loads(output)["rows"]), 0)

    def test_the_same_run_twice_prints_the_same(self):
        self.assertEqual(spinup("run", "computer-three").stdout,
                         spinup("run", "computer-three").stdout)

    # Serving.

    def test_run_as_a_kernel(self):
        self.mistake("no kernel `2.6`", "from 3.11 on", "run", "six-ssd", "--kernel", "2.6")
        self.mistake("exclude each other", "has its own", "run", "six-ssd", "--kernel", "6.12",
                     "--design", "sync_3_11")
        self.assertIn("  9.9 is not known: it is taken for 7.3, the newest that is\n",
                      spinup("run", "six-ssd", "--kernel", "9.9").stdout)
        self.assertNotIn("is not known", spinup("run", "six-ssd", "--kernel", "7.3").stdout)
        out = spinup("run", "six-ssd", "--kernel", "6.1.176").stdout.splitlines()
        self.assertEqual(out[0], "six-ssd: design locked_6_6, disk start eh, order async")
        self.assertEqual(out[1], "  order walk_6_8 is not built: async stands in")
        log = spinup("run", "six-ssd", "--kernel", "6.12", "--dmesg", "-").stdout
        self.assertIn("PM: suspend exit", log)

    # Files and streams.

    def test_unwritable_outputs_are_found_before_the_run(self):
        self.mistake("No such file or directory", "- for standard output",
                     "run", "six-ssd", "--json", "/no/such/x")
        self.mistake("Is a directory", "- for standard output",
                     "run", "six-ssd", "--dmesg", str(self.folder))
        self.mistake("No such file or directory", "- for standard output", "compare", "six-ssd",
                     "--json", "/no/such/x")
        same = str(self.folder / "same")
        self.mistake("go to the same place", "a file of its own", "run", "six-ssd", "--json", same,
                     "--dmesg", same)
        self.mistake("go to the same place", "a file of its own",
                     "run", "six-ssd", "--json", "-", "--dmesg", "-")
        self.mistake("go to the same place", "a file of its own", "run", "six-ssd", "--trace", same,
                     "--dmesg", same)
        self.mistake("go to the same place", "a file of its own", "run", "six-ssd", "--json", same,
                     "--dmesg", str(self.folder / "." / ".." / self.folder.name / "same"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_descriptor_is_not_the_file_behind_it(self):
        log = self.folder / "log"
        for path in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            log.write_text("precious\n")
            with open(log, "a", encoding="ascii") as stdout:
                done = spinup("run", "six-ssd", "--json", path, stdout=stdout)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            first, rest = log.read_text().split("\n", 1)
            self.assertEqual((first, len(json.loads(rest)["rows"])), ("precious", 1))
        log.write_text("precious\n")
        with open(log, "a", encoding="ascii") as stderr:
            done = spinup("run", "six-ssd", "--dmesg", "/dev/stderr", stderr=stderr)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(log.read_text(), r"^precious\n\[ ")
        self.assertEqual(os.listdir(self.folder), ["log"])
        self.mistake("Bad file descriptor", "- for", "run", "six-ssd", "--json", "/dev/fd/99")

    def test_a_dangling_link_is_written_through(self):
        link = self.folder / "link"
        link.symlink_to("target")
        self.mistake("go to the same place", "a file of its own", "run", "six-ssd",
                     "--json", str(link), "--dmesg", str(self.folder / "target"))
        done = spinup("run", "six-ssd", "--json", str(link))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(link.is_symlink())
        json.loads((self.folder / "target").read_text())
        loop = self.folder / "loop"
        loop.symlink_to("loop")
        self.mistake("Too many levels of symbolic links", "- for", "run", "six-ssd",
                     "--json", str(loop))

    def test_if_one_output_fails_the_others_are_as_they_were(self):
        done = spinup("run", "six-ssd", "--json", str(self.folder / "new"), "--trace", "/dev/full")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("No space left on device", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_an_interrupt_ends_a_wait_for_the_other_side_of_a_pipe(self):
        fifo = str(self.folder / "fifo")
        os.mkfifo(fifo)
        cases = [(["run", fifo], None), (["run", "six-ssd", "--json", fifo], None),
                 (["run", "six-ssd", "--trace", fifo], os.O_RDWR)]
        for arguments, mode in cases:
            held = os.open(fifo, mode) if mode else None
            with subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as process:
                wait_until_asleep(process.pid)
                process.send_signal(signal.SIGTERM)
                output, error = process.communicate(timeout=60)
            if held is not None:
                os.close(held)
            self.assertEqual((process.returncode, output), (1, ""), (arguments, error))
            self.assertIn("Interrupted system call", error)

    def test_a_run_that_ends_badly_has_its_verdict_and_status_1(self):
        slow = self.folder / "slow.toml"
        slow.write_text('name = "slow"\n[hba]\nports = 1\n[[port]]\nnumber = 1\ndrive = "hdd"\n'
                        'ready_ms = 100000\n')
        done = spinup("compare", str(slow), "--designs", "async_3_15")
        self.assertEqual(done.returncode, 1, done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 2, done.stderr)
        self.assertIn("spinup: slow async_3_15 sync: resume-failed: 0:0:0:0 ", lines[0])
        self.assertIn("spinup: slow async_3_15 async: drive-lost: ata1", lines[1])
        done = spinup("run", str(slow))
        self.assertEqual(done.returncode, 1)
        self.assertIn("verdict drive-lost", done.stdout)

    def test_a_reader_that_leaves_is_no_error(self):
        with subprocess.Popen([PROGRAM, "run", "six-ssd", "--dmesg", "-"], stderr=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            process.stdout.close()
            error = process.stderr.read()
            self.assertEqual((process.wait(60), error), (0, b""))

    def test_a_full_or_closed_stdout_is_an_error(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = spinup("machines", stdout=full)
        self.assertEqual(done.returncode, 2)
        self.assertIn("No space left on device", done.stderr)
        target = self.folder / "out.json"
        closed = subprocess.run(["sh", "-c", '"$0" compare six-ssd --json "$1" >&-', PROGRAM,
                                 str(target)], capture_output=True, text=True, check=False)
        self.assertEqual(closed.returncode, 2, closed.stderr)
        self.assertIn("Bad file descriptor", closed.stderr)
        self.assertEqual(len(json.loads(target.read_text())["rows"]), 4)

    def test_progress_shows_on_a_terminal_only(self):
        ours, theirs = pty.openpty()
        with subprocess.Popen([PROGRAM, "compare", "six-ssd", "--json", "-"], stderr=theirs,
                              stdout=subprocess.PIPE) as process:
            os.close(theirs)
            output = process.stdout.read()
            shown = b""
            try:
                while chunk := os.read(ours, 4096):
                    shown += chunk
            except OSError:
                pass  # the end of a terminal is an error on Linux
            self.assertEqual(process.wait(60), 0)
        os.close(ours)
        self.assertIn(b"1/4  six-ssd", shown)
        json.loads(output)

    def test_interrupt_ends_cleanly_and_keeps_what_is_done(self):
        target = self.folder / "out.json"
        machines = ["thirty-two"] * 400
        with subprocess.Popen([PROGRAM, "compare", *machines, "--json", str(target)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as process:
            # Everything is read before the handler matters, so any time will do.
            try:
                process.wait(0.5)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
            _, error = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1, error)
        self.assertIn("interrupted after ", error)
        rows = json.loads(target.read_text())["rows"]
        self.assertLess(len(rows), 4 * len(machines))
        self.assertEqual(os.listdir(self.folder), ["out.json"])


if __name__ == "__main__":
    unittest.main()
