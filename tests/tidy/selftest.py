"""Feeds each rule a small tree that breaks it, and one that keeps it."""

import pathlib
import re
import shutil
import sys
import tempfile
import unittest

import includes
import readme
import shape
import tidy
import words
from tree import Nothing, Tree, blank

HEADER = "#pragma once\n"


def listing(*sources):
    return "room(NAME x SRCS " + " ".join(sources) + ")\n"


# Rule: trees (path to text) that it must find fault with, each with what the finding says.
BAD = {
    "includes": [
        ({"drivers/ata/a.cpp": '#include "emu/hw/b.hpp"', "emu/hw/b.hpp": ""}, "may not see"),
        ({"emu/hw/ahci/a.cpp": "#include <spinup/kernel/lock.hpp>",
          "include/spinup/kernel/lock.hpp": ""}, "may not see"),
        ({"emu/hw/ahci/a.cpp": "#include <spinup/pm_design.hpp>",
          "include/spinup/pm_design.hpp": ""}, "may not see"),
        ({"emu/kernel/a.cpp": '#include "emu/hw/b.hpp"', "emu/hw/b.hpp": ""}, "may not see"),
        ({"drivers/base/a.cpp": '#include "drivers/ata/b.hpp"', "drivers/ata/b.hpp": ""},
         "may not see"),
        ({"include/spinup/base/a.hpp": "#include <spinup/bus.hpp>", "include/spinup/bus.hpp": ""},
         "may not see"),
        ({"emu/remote/a.cpp": '#include "drivers/ata/b.hpp"', "drivers/ata/b.hpp": ""},
         "may not see"),
        ({"drivers/ata/a.cpp": "#include <boost/container/flat_map.hpp>"}, "may not use"),
        ({"emu/time/a.cpp": '#include "queue.hpp"', "emu/time/queue.hpp": ""}, "from the root"),
        ({"emu/time/a.cpp": "#include <spinup/gone.hpp>"}, "not a file"),
        ({"emu/stray/a.cpp": ""}, "no row"),
        ({"drivers/ata/CMakeLists.txt": "room(NAME drivers_ata SRCS a.cpp\n  USES emu_kernel)",
          "emu/kernel/CMakeLists.txt": ""}, "may not use"),
    ],
    "places": [
        ({"emu/study/a.cpp": "#include <boost/fiber/all.hpp>"}, "fiber"),
        ({"drivers/ata/a.cpp": "auto t = std::chrono::steady_clock::now();"}, "real time"),
        ({"tests/unit/a_test.cpp": "std::this_thread::sleep_for(1ms);"}, "real time"),
    ],
    "pragma_once": [({"emu/time/a.hpp": "// #pragma once, some day\n"}, "without")],
    "unordered": [({"emu/time/a.hpp": "#include <unordered_map>"}, "determinism"),
                  ({"drivers/ata/a.hpp": "std::unordered_set<int> s;"}, "determinism")],
    "registered": [
        ({"tests/unit/a_test.cpp": "", "tests/unit/CMakeLists.txt": listing("b.cpp")}, "names"),
        ({"emu/time/a.cpp": "", "emu/time/CMakeLists.txt": listing("other_a.cpp")}, "names"),
        ({"emu/time/a.cpp": ""}, "names"),
    ],
    "property_events": [
        ({"emu/study/properties/a.cpp": "case trace_event::power_on:\np{.sees = {}};"}, "power_on"),
        ({"emu/study/properties/a.cpp": "phases_.take(r);\np{.sees = {trace_event::cable_in}};"},
         "pm_phases::sees"),
    ],
    "file_length": [({"emu/a.cpp": "\n" * 601}, "over 600"),
                    ({"emu/a.cpp": "\n" * 401, "emu/b.cpp": "\n"}, "over 400")],
    "line_length": [({"emu/a.cpp": "x" * 101}, "101 columns")],
    "function_length": [
        ({"emu/a.cpp": "namespace a {\nvoid f() {\n" + "g();\n" * 70 + "}\n}\n"}, "void f()")],
    "banned_words": [({"emu/a.cpp": "// TO" + "DO: more"}, "banned"),
                     ({"README.md": "as the sub" + "agent said"}, "banned"),
                     ({"emu/run.sh": "cd /wo" + "rk/main"}, "banned")],
    "registry_hosts": [({"emu/setup.sh": "wget http://registry.example/x"}, "registry.example")],
    "top_level": [({"notes.md": ""}, "notes.md"), ({"src/a.cpp": ""}, "src")],
    "shellcheck": [({"emu/a.sh": "#!/bin/sh\nrm $1\n"}, "SC2086"),
                   ({"emu/a": "#!/usr/bin/env bash\n[ $# = 0 ] || rm $1\n"}, "SC2086")],
    "readme_length": [({"README.md": "\n" * 231 + "| a | row |\n"}, "README.md:231: over 230")],
    "readme_commands": [
        ({"README.md": "```console\n$ spinup hello\ngood bye\n```\n"}, "something else"),
        ({"README.md": "```console\n$ spinup fail\n```\n"}, "exits with 3"),
        ({"README.md": "```console\n$ spinup hello\nhello\n$ sh emu/gone.sh\n```\n"}, "not there"),
        ({"README.md": "```console\n$ spinup hello\nhello\n$ make coffee\n```\n"}, "no command"),
        ({"README.md": "```\n$ spinup hello\n```\n"}, "no console block"),
    ],
}

GOOD = {
    "CMakeLists.txt": "", "LICENSE": "", ".gitignore": "", "build/x.cpp": "x" * 200,
    "include/spinup/base/bits.hpp": HEADER + "#include <array>\n",
    "include/spinup/trace.hpp": HEADER + "#include <fmt/format.h>\n#include <spinup/base/bits.hpp>",
    "emu/hw/CMakeLists.txt": "room(NAME emu_hw SRCS a.cpp LIBS Boost::fiber)",
    "emu/hw/a.cpp": '#include "emu/hw/a.hpp"\n#include <spinup/trace.hpp>\n// not steady_clock\n',
    "emu/hw/a.hpp": HEADER,
    "drivers/ata/CMakeLists.txt": "room(NAME drivers_ata SRCS c.cpp USES\n drivers_scsi)",
    "drivers/ata/c.cpp": '#include "drivers/scsi/s.hpp"\n',
    "drivers/scsi/s.hpp": HEADER, "drivers/scsi/CMakeLists.txt": "room(NAME drivers_scsi)",
    "emu/kernel/f.cpp": "#include <boost/fiber/all.hpp>\n",
    "emu/kernel/CMakeLists.txt": listing("f.cpp"),
    "emu/go.sh": "#!/bin/sh\n. ./emu/part.sh\npart\n",
    "emu/part.sh": "# shellcheck shell=sh\npart() { :; }\n",
    "tests/unit/e_test.cpp": '#include "fixture.hpp"\n', "tests/unit/fixture.hpp": HEADER,
    "tests/unit/CMakeLists.txt": listing("e_test.cpp"),
    "README.md": "```console\n$ spinup hello\nhe...\n...\n$ sh emu/go.sh\n```\n",
}

SPINUP = '#!/bin/sh\ncase $1 in fail) exit 3 ;; *) echo "$1"; echo "and more" ;; esac\n'


class RulesTest(unittest.TestCase):
    def findings(self, rule, files):
        if rule == "shellcheck" and shutil.which("shellcheck") is None:
            self.skipTest("no shellcheck here")
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            files = {"build/bin/spinup": SPINUP, **files}
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            (root / "build/bin/spinup").chmod(0o755)
            etc = root / "build/apt"
            etc.mkdir()
            (etc / "sources.list").write_text("deb [a=b] http://registry.example/debian x main\n")
            tree = Tree(root, root / "build/bin")
            if rule == "registry_hosts":
                return words.registry_hosts(tree, etc)
            return tidy.RULES[rule](tree)

    def test_each_rule_catches_its_bad_trees(self):
        self.assertEqual(set(BAD), set(tidy.RULES), "a rule without a proof that it can fail")
        for rule, cases in BAD.items():
            for files, message in cases:
                with self.subTest(rule=rule, files=list(files), message=message):
                    found = "\n".join(self.findings(rule, files))
                    self.assertIn(message, found)

    def test_each_rule_passes_the_good_tree(self):
        for rule in tidy.RULES:
            with self.subTest(rule=rule):
                self.assertEqual(self.findings(rule, GOOD), [])

    def test_every_rule_is_a_ctest(self):
        text = (pathlib.Path(__file__).parent / "CMakeLists.txt").read_text()
        listed = re.search(r"set\(rules(.*?)\)", text, re.S).group(1).split()
        self.assertEqual(set(listed), set(tidy.RULES))

    def test_no_readme_is_nothing_to_check(self):
        with self.assertRaises(Nothing):
            self.findings("readme_length", {})

    def test_uses_ends_at_the_next_keyword(self):
        text = "room(NAME a SRCS b.cpp USES c\n  d # e\n LIBS f)\nroom_test(NAME g USES h)"
        self.assertEqual([room for _, room in includes.uses(text)], ["c", "d", "h"])


class FunctionsTest(unittest.TestCase):
    """Which braces count as a function's body."""

    def heads(self, text):
        return [head for _, _, head in shape.functions(text)]

    def test_functions_are_found(self):
        for text in ("int f() {}", "int a::f(int x) const noexcept {}", "a::a(int b) : c_{b} {}",
                     "a::a() : b_(1), c_{2} {\n}", "auto f() -> std::vector<int> {}",
                     "template <class T> requires x<T> void f(T t) {}", "TEST(a, b) {}",
                     "struct a f() {}", "auto f = [](int x) { return x; };", "~a() {}",
                     "void f() requires b<c> {}", "bool operator==(a b) {}"):
            with self.subTest(text=text):
                self.assertEqual(len(self.heads(text)), 1)
                self.assertEqual(len(self.heads("namespace x {\n" + text + "\n}")), 1)
                self.assertEqual(len(self.heads("struct x : y<z> {\n" + text + "\n};")), 1)

    def test_other_braces_are_not(self):
        for text in ("namespace a::b {}", "namespace {}", 'extern "C" {}', "class a final : b {};",
                     "struct [[nodiscard]] alignas(8) a {};", "enum class a : int { b, c };",
                     "constexpr std::array<int, f(2)> a{1, 2};", "int a[] = {1, 2};",
                     "auto a = make(1, {2, 3});", "template <class T, int N = f()> struct a {};",
                     "#define F(x) void f() { \\\n x }\n", "// void f() {\n", 'auto s = "f() {";'):
            with self.subTest(text=text):
                self.assertEqual(self.heads(text), [])

    def test_comments_and_strings_are_blanked(self):
        text = "a /* { \n { */ b // {\n\"{\" 1'000 '{' R\"x({)x\" \"\\\"{\""
        self.assertNotIn("{", blank(text))
        self.assertEqual(blank(text).count("\n"), text.count("\n"))
        self.assertIn("1'000", blank(text))


class ReadmeTest(unittest.TestCase):
    def test_dots_stand_for_text_and_for_lines(self):
        self.assertTrue(readme.matches(["a ... c", "...", "z"], ["a bb c", "1", "2", "z"]))
        self.assertTrue(readme.matches(["...", "z"], ["z"]))
        self.assertFalse(readme.matches(["a"], ["a", "b"]))
        self.assertFalse(readme.matches(["a ... c"], ["a b d"]))

    def test_transcripts_join_continued_lines(self):
        text = "x\n```console\n$ spinup run \\\n    a\nout\n$ spinup b\n```\n"
        self.assertEqual(list(readme.transcripts(text)),
                         [(3, "spinup run a", ["out"]), (6, "spinup b", [])])


if __name__ == "__main__":
    sys.exit(unittest.main())
