"""Rules on README.md. Its ```console blocks are true transcripts:

    $ spinup run computer-one        run, with the build's bin/ first in PATH
    port 0   resumed in ...          compared; ... in a line stands for any text in that line,
    ...                              and a line of ... for any number of lines
    $ sh tests/run.sh                scripts are only checked to exist

Commands run in a scratch folder that has the repository's folders in it, so files they write stay
out of the repository. A command without output below it only has to succeed.
"""

import os
import re
import subprocess
import tempfile

from tree import Nothing

LENGTH_LIMIT = 230  # without rows of tables, which one looks up and does not read
TIMEOUT_S = 300
BLOCK = re.compile(r"^```console[ \t]*\n(.*?)^```[ \t]*$", re.M | re.S)
# Programs a reader has anyway; what they are given is not run here.
KNOWN = {"cmake", "ctest", "git", "cd", "apt-get", "sudo", "gdb", "man", "ln"}


def text_of(tree):
    file = tree.find("README.md")
    if file is None:
        raise Nothing("no README.md yet")
    return file.text


def length(tree):
    lines = sum(not line.startswith("| ") for line in text_of(tree).splitlines())
    return [f"README.md:{lines}: over {LENGTH_LIMIT} lines"] if lines > LENGTH_LIMIT else []


def transcripts(text):
    """(line, command, expected lines) of every `$ ` line in the console blocks."""
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start(1)) + 1
        entry = None
        for offset, content in enumerate(block.group(1).splitlines()):
            if content.startswith("$ "):
                if entry:
                    yield entry
                entry = (line + offset, content[2:], [])
            elif entry and not entry[2] and entry[1].endswith("\\"):
                entry = (entry[0], entry[1][:-1] + content.strip(), [])
            elif entry:
                entry[2].append(content)
        if entry:
            yield entry


def matches(expected, actual):
    """Whether the lines agree; see the head of this file for what ... means."""
    pattern = ""
    for line in expected:
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            parts = [re.escape(part) for part in line.rstrip().split("...")]
            pattern += r"[^\n]*".join(parts) + r"\n"
    text = "".join(line.rstrip() + "\n" for line in actual)
    return re.fullmatch(pattern, text) is not None


def run(tree, command, expected):
    """Runs one `spinup ...` command; what is wrong with it, or None."""
    if tree.bin is None or not (tree.bin / "spinup").exists():
        return "there is no spinup in the build to run it with"
    environment = dict(os.environ, PATH=f"{tree.bin}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
    with tempfile.TemporaryDirectory() as scratch:
        for folder in ("emu", "include", "drivers", "tests", "fuzz"):
            os.symlink(tree.root / folder, os.path.join(scratch, folder))
        try:
            done = subprocess.run(["sh", "-c", command], cwd=scratch, env=environment, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            return f"takes over {TIMEOUT_S} s"
    actual = done.stdout.splitlines()
    if expected and not matches(expected, actual):
        return "prints something else:\n    " + "\n    ".join(actual[:60])
    # With output shown, a status is part of the story only if the shell could not run it at all.
    if done.returncode in (126, 127) or (not expected and done.returncode != 0):
        return f"exits with {done.returncode}:\n    " + "\n    ".join(actual[-10:])
    return None


def check_exists(tree, command):
    """Commands that are not run: the files of the repository they name are there."""
    words = command.split()
    while words and re.match(r"[A-Z_]+=", words[0]):
        words = words[1:]
    if words and words[0] in ("sh", "bash"):
        words = ["./" + words[1]] if len(words) > 1 else words
    if words and words[0].startswith(("./", ".ci/")):
        path = words[0]
        return None if path.startswith("./build") or (tree.root / path).is_file() else \
            f"{path} is not there"
    if words and words[0] in KNOWN:
        missing = [word for word in words if word.startswith(".cmake/")
                   and not (tree.root / word).is_file()]
        return f"{missing[0]} is not there" if missing else None
    return "is no command of this project"


def commands(tree):
    entries = list(transcripts(text_of(tree)))
    if not any(command.split()[:1] == ["spinup"] for _, command, _ in entries):
        return ["README.md:1: no console block runs spinup"]
    findings = []
    for line, command, expected in entries:
        if command.split()[:1] == ["spinup"]:
            wrong = run(tree, command, expected)
        else:
            wrong = check_exists(tree, command)
        if wrong:
            findings.append(f"README.md:{line}: `{command}` {wrong}")
    return findings
