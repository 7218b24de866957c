"""The include rule: who may see whom. The table is the drawing in the design, row by row."""

import re

# Folder: what it may include and USE. The longest folder that fits a file counts. "spinup" is
# include/spinup; "!x" takes x away again.
ROWS = {
    # 0: types and standards
    "include/spinup/base": ["spinup/base"],
    "include/spinup/spec": ["spinup/base", "spinup/spec"],
    # 1: interfaces
    "include/spinup": ["spinup"],
    # What row 0 declares and does not define in a header.
    "emu/base": ["spinup/base", "spinup/spec", "emu/base"],
    # 2: siblings
    "emu/time": ["spinup", "emu/base", "emu/time"],
    "emu/trace": ["spinup", "emu/base", "emu/trace"],
    # 3: siblings. The hardware sees neither fibers nor a kernel, only the three wires and time.
    "emu/kernel": ["spinup", "emu/base", "emu/time", "emu/trace", "emu/kernel"],
    "emu/hw": ["spinup", "!spinup/kernel", "!spinup/pm_design", "!spinup/world", "emu/base",
               "emu/hw"],
    # 4: a driver that can peek at the device proves nothing
    "drivers/base": ["spinup", "drivers/base"],
    "drivers/block": ["spinup", "drivers/base", "drivers/block"],
    "drivers/scsi": ["spinup", "drivers/base", "drivers/block", "drivers/scsi"],
    "drivers/ata": ["spinup", "drivers"],
    # 5, 6, 7
    "emu/machine": ["spinup", "drivers", "emu", "!emu/study", "!emu/remote", "!emu/cli"],
    "emu/study": ["spinup", "drivers", "emu", "!emu/remote", "!emu/cli"],
    "emu/remote": ["spinup", "!spinup/kernel", "!spinup/pm_design", "emu/base", "emu/time",
                   "emu/trace", "emu/hw", "emu/remote"],
    "emu/cli": ["spinup", "drivers", "emu"],
    "tests": ["spinup", "drivers", "emu", "tests"],
    "fuzz": ["spinup", "drivers", "emu", "tests", "fuzz"],
}

# Libraries, beside the standard one, that the public headers and the drivers may name.
LIBRARIES = {"include": ["fmt"], "drivers": ["fmt", "boost/intrusive"]}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)
WORD = re.compile(r"[^\s()]+")


def within(target, folder):
    return target == folder or target.startswith(folder + "/")


def row_of(path):
    fitting = [folder for folder in ROWS if within(path, folder)]
    return max(fitting, key=len) if fitting else None


def allowed(row, target):
    target = re.sub(r"\.\w+$", "", target)
    yes = any(within(target, folder) for folder in ROWS[row])
    no = any(within(target, folder[1:]) for folder in ROWS[row] if folder[0] == "!")
    return yes and not no


def check_include(tree, file, row, bracket, target):
    """What is wrong with one include line, or None."""
    if bracket == '"':
        beside = file.path.rpartition("/")[0] + "/" + target
        if file.below("tests", "fuzz") and tree.find(beside):
            return None  # a fixture beside its tests
        if tree.find(target) is None:
            return f'"{target}" is not a file; name it from the root'
        if target.startswith("include/"):
            return f"{target}: public headers are <spinup/...>"
        return None if allowed(row, target) else f"{row} may not see {target}"
    if target.startswith("spinup/"):
        if tree.find("include/" + target) is None:
            return f"<{target}> is not a file"
        return None if allowed(row, target) else f"{row} may not see {target}"
    known = LIBRARIES.get(file.path.split("/")[0])
    if known is None or "/" not in target or any(within(target, name) for name in known):
        return None
    return f"{row} may not use <{target}>, only std and {', '.join(known)}"


def uses(text):
    """Names after USES in the calls of one CMakeLists.txt, with their lines."""
    keyword = None
    for number, line in enumerate(text.splitlines(), 1):
        for word in WORD.findall(line.split("#")[0]):
            if word.isupper():
                keyword = word
            elif keyword == "USES":
                yield number, word
        if ")" in line:
            keyword = None


def includes(tree):
    findings = []
    rooms = {f.path.rsplit("/", 1)[0] for f in tree.files if f.is_list and "/" in f.path}
    folder_of = {room.replace("/", "_"): room for room in rooms}
    for file in tree.files:
        if not file.below("include", "emu", "drivers", "tests", "fuzz"):
            continue
        row = row_of(file.path)
        if file.is_code and row is None:
            findings.append(f"{file.path}:1: no row in {__name__}.py covers this folder")
        if row is None:
            continue
        if file.is_code:
            for match in INCLUDE.finditer(file.text):
                wrong = check_include(tree, file, row, *match.groups())
                if wrong:
                    line = file.text.count("\n", 0, match.start(1)) + 1
                    findings.append(f"{file.path}:{line}: {wrong}")
        if file.is_list:
            for line, room in uses(file.text):
                if room in folder_of and not allowed(row, folder_of[room]):
                    findings.append(f"{file.path}:{line}: {row} may not use {room}")
    return findings
