"""What tests of the program share: how it is run, and what a mistake looks like."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))


def spinup(*arguments, **keywords):
    keywords.setdefault("stdout", subprocess.PIPE)
    keywords.setdefault("stderr", subprocess.PIPE)
    return subprocess.run([PROGRAM, *arguments], text=True, timeout=120, check=False, **keywords)


def wait_until_asleep(pid):
    """Waits until the process blocks in a call."""
    for _ in range(6000):
        status = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
        if status.rsplit(")", 1)[1].split()[0] == "S":
            return
        time.sleep(0.01)
    raise TimeoutError(f"{pid} does not block")


class Server(subprocess.Popen):
    """Does not outlive a test that fails: nobody would end it."""

    def __exit__(self, kind, value, traceback):
        if kind is not None:
            self.kill()
        super().__exit__(kind, value, traceback)


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def mistake(self, message, hint, *arguments):
        """The arguments are a mistake: status 2, nothing on stdout, one error and its hint."""
        done = spinup(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), (arguments, done.stderr))
        lines = done.stderr.splitlines()
        self.assertIn(message, lines[0])
        self.assertIn("error: ", lines[0])
        if hint is None:
            self.assertEqual(len(lines), 1, done.stderr)
        else:
            self.assertEqual(len(lines), 2, done.stderr)
            self.assertTrue(lines[1].startswith("  hint: "), lines[1])
            self.assertIn(hint, lines[1])
