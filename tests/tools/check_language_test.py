#!/usr/bin/env python3
"""tools/check_language.py catches long lines and banned words, at their line, and passes plain text."""
import contextlib
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
import check_language  # noqa: E402

SOURCE = "src/tumble/core/a.cpp"


@contextlib.contextmanager
def checkout(files):
    """A folder that holds these files."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        yield root


def faults_in(files):
    """What the tool prints of a checkout that holds these files."""
    with checkout(files) as root:
        return check_language.check(root)[0]


def run(files, *paths):
    """Exit status and output of the tool on a checkout that holds these files; `paths` are inside of it."""
    with checkout(files) as root:
        tool = TOOLS / "check_language.py"
        command = [sys.executable, tool, "--root", root, *(root / path for path in paths)]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout


class Language(unittest.TestCase):
    def refused(self, name, text, *words, line=2):
        faults = faults_in({name: "\n" + text + "\n"})
        self.assertTrue(faults and faults[0].startswith(f"{name}:{line}: "), (text, faults))
        for word in words:
            self.assertIn(word, faults[0])

    def passed(self, name, text):
        self.assertEqual(faults_in({name: text + "\n"}), [])

    def test_a_line_has_at_most_110_characters(self):
        for name in (SOURCE, "src/a.h", "tools/a.py", "tools/a.sh", "cmake/a.cmake", "tests/CMakeLists.txt",
                     "docs/a.md"):
            self.passed(name, "x" * 110)
            self.refused(name, "x" * 111, "111 columns")

    def test_columns_are_characters_not_bytes(self):
        self.passed(SOURCE, "// " + "λ" * 107)
        self.refused(SOURCE, "// " + "λ" * 108)

    def test_a_script_is_known_by_its_first_line(self):
        self.assertEqual(faults_in({"test": "#!/bin/sh\n# " + "x" * 110 + "\n"})[0][:7], "test:2:")
        self.assertEqual(faults_in({"tests/notes": "x" * 200}), [])

    def test_markdown_that_cannot_be_broken_may_be_longer(self):
        for line in ("| " + "x " * 80 + "|", "![a picture](" + "x" * 120 + ")",
                     "- [a page](https://" + "x" * 120 + ")", "[page]: https://" + "x" * 120,
                     "```\n" + "x " * 80 + "\n```"):
            self.passed("docs/a.md", line)
        self.refused("docs/a.md", "see [a page](https://example.org) " + "and so on " * 10)
        self.refused("docs/a.md", "```\ncode\n```\n" + "x " * 80, line=5)

    def test_a_link_alone_in_a_comment_may_be_longer(self):
        self.passed(SOURCE, "// https://example.org/" + "x" * 120)
        self.refused(SOURCE, "// see https://example.org/" + "x" * 120)

    def test_data_is_not_read(self):
        long = "told " * 40
        names = ("tests/data/a.py", "tests/a.json", "tests/a.xml", "scenes/a.xml", "tests/fuzz/corpus/a.md")
        self.assertEqual(faults_in({name: long for name in names}), [])

    def test_every_banned_phrase_is_refused_with_advice(self):
        for words, advice in check_language.BANNED:
            for phrase in words.split("|"):
                self.refused(SOURCE, f"// so {phrase}.", f"'{phrase}': {advice}")
                self.refused("README.md", f"{phrase.capitalize()} it", f"'{phrase}'")

    def test_names_are_read(self):
        for name in ("program_wishes", "ProgramWishes", "kToldResidual", "tell_momenta", "WISHES",
                     "MendedMesh", "mended_"):
            self.refused(SOURCE, f"int {name};")
        self.passed(SOURCE, "int foretold, intelligence, tellg, atoll, recommend, amended, Ledgerdemain;")

    def test_a_phrase_may_span_lines(self):
        self.refused(SOURCE, "// The distance is what\n// is kept.", "'what is kept'")
        self.refused("docs/a.md", "The distance is what\nis kept.", "'what is kept'")
        self.refused(SOURCE, "void keep_books();", "'keep books'")

    def test_some_words_are_refused_only_as_names_of_the_library(self):
        for words, advice in check_language.BANNED_NAMES:
            for phrase in words.split("|"):
                name = phrase.replace(" ", "_")
                self.refused(SOURCE, f"double {name} = 0;", advice)
                self.refused(SOURCE, f"double old_{name}_ = 0;")
                self.passed(SOURCE, f'// limbs {phrase}\nconst char* text = "{phrase}";')
                self.passed("tests/a.cpp", f"double {name} = 0;")

    def test_every_fault_is_printed(self):
        status, output = run({SOURCE: "// told\n// told and " + "x" * 110 + "\n", "docs/a.md": "wishes\n"})
        self.assertEqual(status, 1)
        self.assertEqual(len(output.splitlines()), 4, output)

    def test_paths_select_what_is_read(self):
        files = {"src/a.cpp": "// told\n", "tests/a.cpp": "// plain\n"}
        self.assertEqual(run(files, "tests")[0], 0)
        self.assertEqual(run(files, "tests/a.cpp", "src")[0], 1)
        self.assertEqual(run(files, "nowhere")[0], 2)

    def test_an_unclean_part_is_skipped_unless_it_is_named(self):
        with checkout({"src/old/a.cpp": "// told\n", "src/a.cpp": "// plain\n"}) as root:
            old = ("src/old",)
            self.assertEqual(check_language.check(root, not_clean=old), ([], 1))
            self.assertEqual(len(check_language.check(root)[0]), 1)
            self.assertEqual(len(check_language.check(root, [root / "src/old"], not_clean=old)[0]), 1)

    def test_a_clean_part_may_not_be_listed_as_unclean(self):
        with checkout({"src/a.cpp": "// plain\n", "src/old/a.cpp": "// told\n"}) as root:
            faults, _ = check_language.check(root, not_clean=("src/old", "src/a.cpp", "docs"))
            self.assertEqual([fault.split()[1] for fault in faults], ["src/a.cpp", "docs"])

    def test_an_excuse_holds_for_its_file_and_phrase_alone(self):
        excused = [("docs/a.md", "told", "a quotation")]
        original, check_language.EXCUSED = check_language.EXCUSED, excused
        try:
            found = {name: list(check_language.faults_of(Path(name), "told\nwishes\n", set()))
                     for name in ("docs/a.md", "docs/b.md")}
        finally:
            check_language.EXCUSED = original
        self.assertEqual([number for number, _ in found["docs/a.md"]], [2])
        self.assertEqual([number for number, _ in found["docs/b.md"]], [1, 2])

    def test_an_empty_checkout_does_not_pass(self):
        self.assertEqual(run({})[0], 1)


if __name__ == "__main__":
    unittest.main()
