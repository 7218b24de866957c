"""Shell scripts: what shellcheck says of them."""

import re
import shutil
import subprocess

from tree import Nothing

SHELL = re.compile(r"#!.*\b(?:ba|da)?sh\b")


def shellcheck(tree):
    scripts = [f.path for f in tree.files if f.suffix == ".sh" or SHELL.match(f.text)]
    if shutil.which("shellcheck") is None:
        raise Nothing("no shellcheck here")
    if not scripts:
        raise Nothing("no script")
    done = subprocess.run(["shellcheck", "-x", "-f", "gcc", *scripts], cwd=tree.root, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout.splitlines()
