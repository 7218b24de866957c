"""Checks the repository itself: python3 tidy.py RULE... [--root DIR] [--bin DIR]

Prints file:line: what is wrong, and exits with 1 if anything is; with 77 (ctest: skipped) if the
rule has nothing to look at. `python3 tidy.py all` runs every rule. selftest.py proves that each
rule can fail.
"""

import argparse
import pathlib
import sys

import includes
import readme
import scripts
import shape
import words
from tree import Nothing, Tree

RULES = {
    "includes": includes.includes,
    "places": words.places,
    "pragma_once": shape.pragma_once,
    "unordered": words.unordered,
    "registered": words.registered,
    "property_events": words.property_events,
    "file_length": shape.file_length,
    "line_length": shape.line_length,
    "function_length": shape.function_length,
    "banned_words": words.banned_words,
    "registry_hosts": words.registry_hosts,
    "top_level": shape.top_level,
    "shellcheck": scripts.shellcheck,
    "readme_length": readme.length,
    "readme_commands": readme.commands,
}


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser()
    parser.add_argument("rules", nargs="+", choices=[*RULES, "all"])
    parser.add_argument("--root", type=pathlib.Path, default=here.parent.parent)
    parser.add_argument("--bin", type=pathlib.Path, default=None)
    args = parser.parse_args()

    tree = Tree(args.root.resolve(), args.bin and args.bin.resolve())
    status = 0
    for rule in RULES if "all" in args.rules else args.rules:
        try:
            findings = RULES[rule](tree)
        except Nothing as nothing:
            print(f"{rule}: skipped: {nothing}")
            status = status or 77
            continue
        for finding in findings:
            print(finding)
        if findings:
            print(f"{rule}: {len(findings)} findings")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
