"""Rules on lengths, headers and the top level."""

import re

from tree import blank

FILE_LIMIT, FILE_USUAL, USUAL_SHARE = 600, 400, 0.9
LINE_LIMIT = 100
FUNCTION_LIMIT = 70
TOP_LEVEL = {"CMakeLists.txt", "README.md", "LICENSE",
             "emu", "include", "drivers", "tests", "fuzz"}


def file_length(tree):
    lengths = {f.path: len(f.lines) for f in tree.sources}
    findings = [f"{path}:{length}: over {FILE_LIMIT} lines" for path, length in lengths.items()
                if length > FILE_LIMIT]
    long = sorted(path for path, length in lengths.items() if length > FILE_USUAL)
    if len(long) > (1 - USUAL_SHARE) * len(lengths):
        findings += [f"{path}:{lengths[path]}: over {FILE_USUAL} lines, as over "
                     f"{1 - USUAL_SHARE:.0%} of the files are" for path in long]
    return findings


def line_length(tree):
    return [f"{file.path}:{number}: {len(line)} columns"
            for file in tree.sources
            for number, line in enumerate(file.lines, 1) if len(line) > LINE_LIMIT]


def pragma_once(tree):
    return [f"{file.path}:1: a header without #pragma once"
            for file in tree.code
            if file.suffix == ".hpp" and not re.search(r"^#pragma once$", file.text, re.M)]


def top_level(tree):
    return [f"{path.name}: does not belong at the top level"
            for path in sorted(tree.root.iterdir())
            if path.name not in TOP_LEVEL and not path.name.startswith((".", "build"))]


DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
TEMPLATE = re.compile(r"^\s*template\s*<")
SCOPE = re.compile(r"^(?:inline\s+)?(?:namespace|extern\s*$)|"
                   r"^(?:typedef\s+)?(?:class|struct|union|enum)\b")
QUALIFIER = (r"(?:const|volatile|noexcept(?:\s*\([^{}]*\))?|override|final|mutable|constexpr|"
             r"try|&&?)")
# What stands before the brace of a function's body: parameters and what may follow them...
SIGNATURE = re.compile(rf"\)\s*(?:{QUALIFIER}\s*)*(?:->[^;{{}}=]+|requires\b[^;]*)?$", re.S)
# ... or the end of a list of member initialisers.
MEMBERS = re.compile(r"\)\s*(?:noexcept\s*)?:(?!:)[^;]*[)}]\s*$", re.S)


def without_template(head):
    """`head` less its leading template<...>."""
    match = TEMPLATE.match(head)
    if not match:
        return head.strip()
    depth = 0
    for at in range(match.end() - 1, len(head)):
        depth += {"<": 1, ">": -1}.get(head[at], 0)
        if depth == 0:
            return without_template(head[at + 1:])
    return head.strip()


def kind_of(head):
    """What the brace after `head` opens: a scope, a function, or anything else."""
    head = re.sub(r"\[\[[^\]]*\]\]", "", without_template(head)).strip()
    head = re.sub(r"^(?:public|private|protected)\s*:\s*", "", head)
    head = without_template(head)
    if SCOPE.search(head) and not SIGNATURE.search(head):
        return "scope"
    if SCOPE.search(head) and re.match(r"(?:class|struct|union|enum)\s+alignas\b", head):
        return "scope"
    return "function" if SIGNATURE.search(head) or MEMBERS.search(head) else "other"


def functions(text):
    """(first line, last line, head) of every outermost function body in C++ text."""
    text = DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), blank(text))
    stack, head, line = [], "", 1
    for char in text:
        if char == "\n":
            line += 1
        inside = any(kind != "scope" for kind, _, _ in stack)
        if char == "{":
            kind = "inner" if inside else kind_of(head)
            stack.append((kind, line, head))
            if kind == "scope":
                head = ""
        elif char == "}":
            kind, first, begun = stack.pop() if stack else ("scope", line, "")
            if kind == "function":
                yield first, line, " ".join(begun.split())
            if kind in ("scope", "function"):
                head = ""
            elif kind == "other":
                head = begun + "{}"
        elif not inside:
            head = "" if char == ";" else head + char


def function_length(tree):
    findings = []
    for file in tree.code:
        for first, last, head in functions(file.text):
            if last - first + 1 > FUNCTION_LIMIT:
                findings.append(f"{file.path}:{first}: {last - first + 1} lines: {head[-60:]}")
    return findings
