"""The files of the repository, as the rules see them."""

import re

CODE = {".hpp", ".cpp", ".inc"}
SCRIPTS = {".py", ".sh", ".cmake", ".toml"}
SKIPPED = re.compile(r"^(build.*|\.git|\.cache|__pycache__|corpus)$")

TOKEN = re.compile(
    r"""(?P<comment> //[^\n]* | /\*.*?\*/ )
      | (?P<string> R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"
                  | "(?:\\.|[^"\\\n])*"
                  | (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+' )""",
    re.S | re.X,
)


class Nothing(Exception):
    """There is nothing that this rule could look at."""


def blank(text, strings=True):
    """The text with its comments, and if asked its strings, turned into blanks; lines stay."""

    def spaces(match):
        if match.group("string") and not strings:
            return match.group(0)
        return re.sub(r"[^\n]", " ", match.group(0))

    return TOKEN.sub(spaces, text)


class File:
    def __init__(self, root, path):
        self.path = path.relative_to(root).as_posix()
        self.text = path.read_bytes().decode("utf-8", errors="replace")
        self.lines = self.text.splitlines()
        self.suffix = path.suffix
        self.is_code = path.suffix in CODE
        self.is_list = path.name == "CMakeLists.txt"
        self.is_source = self.is_code or self.is_list or path.suffix in SCRIPTS
        self.is_source = self.is_source or self.path == ".ci/run"

    def below(self, *places):
        return any(self.path == place or self.path.startswith(place + "/") for place in places)


class Tree:
    def __init__(self, root, bin_folder=None):
        self.root = root
        self.bin = bin_folder
        self.files = [File(root, path) for path in self._walk(root)]

    def _walk(self, folder):
        for path in sorted(folder.iterdir()):
            if SKIPPED.match(path.name):
                continue
            if path.is_dir() and not path.is_symlink():
                yield from self._walk(path)
            elif path.is_file():
                yield path

    @property
    def code(self):
        return [f for f in self.files if f.is_code]

    @property
    def sources(self):
        return [f for f in self.files if f.is_source]

    def find(self, path):
        return next((f for f in self.files if f.path == path), None)
