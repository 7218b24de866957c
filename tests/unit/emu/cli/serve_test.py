#!/usr/bin/env python3
"""Runs `spinup serve` and `guest` as a user does, without a guest. Usage: serve_test.py SPINUP"""

import json
import os
import signal
import socket
import stat
import subprocess
import unittest

from program import PROGRAM, Program, Server, spinup


class Serving(Program):
    def test_mistakes_of_serve(self):
        self.mistake("serve: no MACHINE", "spinup serve computer-one --socket", "serve")
        self.mistake("serve: no --socket", "spinup serve six-ssd --socket", "serve", "six-ssd")
        path = str(self.folder / "s")
        for text in ("0", "-1", "nan", "x", "101"):
            self.mistake(f"--time-scale: `{text}` is not a factor", "--time-scale 0.1",
                         "serve", "six-ssd", "--socket", path, "--time-scale", text)
        self.mistake("unknown machine `six-sdd`", "did you mean", "serve", "six-sdd",
                     "--socket", path)
        self.mistake("go to the same place", "a file of its own", "serve", "six-ssd",
                     "--socket", path, "--json", path + "j", "--trace", path + "j")
        file = self.folder / "file"
        file.write_text("precious")
        done = spinup("serve", "six-ssd", "--socket", str(file))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(file.read_text(), "precious")
        self.assertEqual(os.listdir(self.folder), ["file"])

    def test_mistakes_of_guest(self):
        self.mistake("guest: no MACHINE", "spinup guest computer-one", "guest")
        self.mistake("--kernel: `6.2` is no kernel", "the path of a bzImage",
                     "guest", "six-ssd", "--kernel", "6.2")
        self.mistake("--modules is for a kernel of your own", "--modules DIR",
                     "guest", "six-ssd", "--kernel", "6.1", "--modules", "x")
        self.mistake("--cycles: `0` is not a number", "--cycles 10",
                     "guest", "six-ssd", "--cycles", "0")
        for text in ("-1", "x", "nan", "3601"):
            self.mistake(f"--gap: `{text}` is not seconds", "--gap 0.5",
                         "guest", "six-ssd", "--gap", text)
        self.mistake("--accel: `hvf` is neither", "tcg works", "guest", "six-ssd", "--accel", "hvf")
        self.mistake("cannot read this kernel: No such file", "arch/x86/boot/bzImage",
                     "guest", "six-ssd", "--kernel", "./nothing")
        self.mistake("--write needs sd", "--skip-sd", "guest", "six-ssd", "--write", "--skip-sd")
        self.mistake("--write needs sd", "disk_driver=true", "guest", "back-to-back", "--write")
        self.mistake("port 9 is out of range", "how many", "guest", "six-ssd", "--set",
                     "port.9.ready_ms=1")
        self.mistake("more than 8 HBAs", None, "guest", *["six-ssd"] * 9)
        self.mistake("unknown machine `six-sdd`", "did you mean", "guest", "six-sdd")

    def test_guest_tells_what_cannot_be_had_from_what_went_wrong(self):
        (self.folder / "sources").mkdir()
        conf = self.folder / "apt.conf"
        conf.write_text('Dir::Etc::sourcelist "/dev/null";\n'
                        f'Dir::Etc::sourceparts "{self.folder}/sources";\n')
        cache = self.folder / "cache"
        env = {**os.environ, "SPINUP_GUEST_CACHE": str(cache), "APT_CONFIG": str(conf)}
        done = spinup("guest", "six-ssd", env=env)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("cannot have what a guest needs: this machine's apt has no", done.stderr)
        (cache / ".lock").unlink()
        (cache / ".lock").mkdir()  # so that it can't be opened
        done = spinup("guest", "six-ssd", env=env)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f"cannot prepare a guest: can't write to {cache}", done.stderr)

    def serve(self, *arguments, **keywords):
        """A server that listens. Returns: the process, its socket and what it has said."""
        path = self.folder / "hba"
        process = Server([PROGRAM, "serve", "six-ssd", "--socket", str(path), *arguments],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **keywords)
        said = [process.stdout.readline()]
        while said[-1] and not said[-1].startswith("  "):
            said.append(process.stdout.readline())
        return process, path, "".join(said)

    def test_serve_refuses_an_output_in_place_of_its_socket(self):
        path = str(self.folder / "hba")
        for option in ("--json", "--trace", "--dmesg"):
            self.mistake(f"{option} and --socket are the same path", "replace the socket",
                         "serve", "six-ssd", "--socket", path, option, path)

    def test_serve_prints_its_table_though_a_file_fails(self):
        process, path, _ = self.serve("--once", "--trace", "/dev/full")
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2, err)
        self.assertIn("as its hardware saw it", out)
        self.assertIn("No space left on device", err)

    def test_serve_keeps_its_trace_though_its_json_fails(self):
        trace = self.folder / "trace"
        process, path, _ = self.serve("--once", "--json", "/dev/full", "--trace", str(trace))
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2, err)
        self.assertIn("as its hardware saw it", out)
        self.assertIn("guest_attached", trace.read_text())

    def test_serve_ends_cleanly_with_its_terminal(self):
        process, path, _ = self.serve()
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertFalse(path.exists())

    def test_serve_prints_a_command_that_a_shell_understands_and_cleans_up(self):
        process, path, said = self.serve()
        with process:
            mode = path.stat().st_mode
            self.assertTrue(stat.S_ISSOCK(mode))
            self.assertEqual(stat.S_IMODE(mode), 0o600)
            words = subprocess.run(["sh", "-c", "printf '%s\\n' " + said.splitlines()[-1]],
                                   capture_output=True, text=True, check=True).stdout.splitlines()
            device = json.loads(words[words.index("-device") + 1])
            self.assertEqual(device["socket"]["path"], str(path))
            self.assertIn("pc,memory-backend=mem", words)
            process.send_signal(signal.SIGTERM)
            output, error = process.communicate(timeout=60)
        self.assertEqual((process.returncode, error), (0, ""))
        self.assertIn("no suspend was seen", output)
        self.assertEqual(os.listdir(self.folder), [])

    def test_serve_once_ends_with_its_first_client_and_leaves_its_files(self):
        files = {name: self.folder / name for name in ("json", "trace", "dmesg")}
        process, path, _ = self.serve("--once", *[word for name, file in files.items()
                                                  for word in (f"--{name}", str(file))])
        with process:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(path))
                # Half a message: the rest never comes.
                client.send(b"\1\0\1\0")
            output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertIn("as its hardware saw it", output)
        self.assertEqual(json.loads(files["json"].read_text()),
                         {"rows": [], "cycles_left_out": 0})
        self.assertIn("guest_attached", files["trace"].read_text())
        self.assertRegex(files["dmesg"].read_text(), r"(?m)^\[ +\d+\.\d{6}\] hba: power on$")
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(files))


if __name__ == "__main__":
    unittest.main()
