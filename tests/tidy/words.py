"""Rules on words: what is written where it should not be, and what should be written and is not."""

import fnmatch
import pathlib
import re
import urllib.parse

from tree import Nothing, blank

# Spelled in pieces, so that this file passes its own rule.
BANNED = re.compile("|".join([
    r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3]) + r")\b",
    r"(?i:issue" + r" #\d)",
    r"(?i:helper" + r"[ -]agent)",
    r"(?i:sub" + r"-?agent)",
    r"/wo" + r"rk/",
]))

# Words of code, the only folders and files where they may stand, and what is wrong elsewhere.
# tests/bench measures a bare switch to compare with; Boost.Fiber's interface names a clock's type.
PLACES = [
    (re.compile(r"\bboost/(?:fiber|context)\b|\bboost::(?:fibers|context)\b"),
     ["emu/kernel", "tests/bench"], "a fiber outside the kernel"),
    (re.compile(r"\b(?:this_thread::sleep_\w+|sleep_for|steady_clock|system_clock|usleep|"
                r"high_resolution_clock|nanosleep|clock_gettime|gettimeofday)\b"),
     ["emu/time", "emu/remote", "emu/kernel/fiber.cpp", "tests/bench/explore_bench.cpp"],
     "real time outside emu/time and emu/remote"),
]


def find(files, pattern, message, text=lambda file: file.text):
    return [f"{file.path}:{number}: {message}: {match.group(0)}"
            for file in files
            for number, line in enumerate(text(file).splitlines(), 1)
            for match in pattern.finditer(line)]


def banned_words(tree):
    return find([f for f in tree.files if f.path != "LICENSE"], BANNED, "banned")


def registry_hosts(tree, etc=pathlib.Path("/etc/apt")):
    """Names of the hosts this machine installs from: they are its business, not the project's."""
    hosts = set()
    for file in [*etc.glob("sources.list"), *etc.glob("sources.list.d/*")]:
        for url in re.findall(r"\bhttps?://[^\s\]]+", file.read_text(errors="replace")):
            host = urllib.parse.urlsplit(url).hostname or ""
            if "." in host and not host.startswith("127."):
                hosts.add(host)
    if not hosts:
        raise Nothing(f"{etc} names no host")
    pattern = re.compile("|".join(re.escape(host) for host in sorted(hosts)))
    return find([f for f in tree.files if f.path != "LICENSE"], pattern, "host of a registry")


def code_only(file):
    return blank(file.text, strings=False)


def places(tree):
    findings = []
    for pattern, folders, message in PLACES:
        elsewhere = [f for f in tree.code if not f.below(*folders)]
        findings += find(elsewhere, pattern, message, code_only)
    return findings


def unordered(tree):
    """The order of an unordered container differs between machines, and so would a digest."""
    inner = [f for f in tree.code if f.below("include", "emu", "drivers")]
    pattern = re.compile(r"\bunordered_(?:multi)?(?:map|set)\b")
    return find(inner, pattern, "breaks determinism", code_only)


def registered(tree):
    """Every .cpp of a room, and every test, is named by the nearest CMakeLists.txt above it, by
    itself or by a pattern."""
    lists = {f.path.rsplit("/", 1)[0]: f for f in tree.files if f.is_list and "/" in f.path}
    findings = []
    for file in tree.code:
        if file.suffix != ".cpp" or file.below("tests/refuse"):
            continue
        folder = file.path.rsplit("/", 1)[0]
        while folder and folder not in lists:
            folder = folder.rpartition("/")[0]
        names = re.split(r"[\s()\"]+", lists[folder].text) if folder else []
        path = file.path[len(folder) + 1:]
        if not any(fnmatch.fnmatchcase(path, name.removeprefix("${CMAKE_CURRENT_SOURCE_DIR}/"))
                   for name in names):
            findings.append(f"{file.path}:1: no CMakeLists.txt names it")
    return findings


def property_events(tree):
    """A property is given the events that it says it sees: it must look at no others."""
    helpers = {"phases_": "pm_phases", "owners_": "pm_owners"}
    findings = []
    for file in tree.code:
        if not file.below("emu/study/properties") or file.suffix != ".cpp":
            continue
        code = code_only(file)
        said = re.search(r"\.sees\s*=(.*?)\}\s*;", code, re.S)
        if said is None:
            continue
        looks = [(m.start(), m.group(0)) for m in re.finditer(r"\btrace_event::\w+", code)]
        looks += [(m.start(), helpers[m.group(1)] + "::sees")
                  for m in re.finditer(r"\b(phases_|owners_)\.take\b", code)]
        for at, what in looks:
            if not re.search(re.escape(what) + r"\b", said.group(1)):
                line = code.count("\n", 0, at) + 1
                findings.append(f"{file.path}:{line}: does not say that it sees {what}")
    return findings
