#!/usr/bin/env python3
"""tools/check_docs.py finds what is wrong with a document, and nothing else."""
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_docs  # noqa: E402

FINE = "# Page\n\nShort.\n\n| a row of a table " + 120 * "x" + " |\n\n```sh\nls\n```\n\n- item\n- item\n"


class CheckDocs(unittest.TestCase):
    def faults(self, text):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "docs").mkdir()
            for name in ("CHANGELOG.md", "CONTRIBUTING.md", "docs/other.md"):
                (root / name).write_text("# Other\n\n## A `<name>` here\n")
            (root / "README.md").write_text(text)
            return check_docs.check(root)

    def test_a_fine_page_has_no_fault(self):
        self.assertEqual(self.faults(FINE), [])

    def test_a_long_line_is_found_in_prose_and_in_code(self):
        line = "a b " + 110 * "c"
        self.assertEqual(self.faults(FINE + "\n" + line + "\n"), ["README.md:14: 114 columns (at most 110)"])
        self.assertEqual(len(self.faults("```\n" + line + "\n```\n")), 1)

    def test_a_long_paragraph_is_found_but_not_a_long_list(self):
        self.assertEqual(self.faults("words\n" * 9), ["README.md:1: a paragraph of 9 lines (at most 8)"])
        self.assertEqual(self.faults("words\n" * 8), [])
        self.assertEqual(self.faults("- words\n" * 20), [])
        self.assertEqual(len(self.faults("- words\n" + "  words\n" * 8)), 1)

    def test_links_lead_to_files_and_headings(self):
        good = "[a](docs/other.md) [b](docs/other.md#a-name-here) [c](https://x.y/#z)\n"
        self.assertEqual(self.faults(good), [])
        self.assertEqual(len(self.faults("[a](docs/missing.md)\n")), 1)
        self.assertEqual(len(self.faults("[a](docs/other.md#no-such-heading)\n")), 1)
        self.assertEqual(len(self.faults("# Page\n\n[a](#page) [b](#pages)\n")), 1)


if __name__ == "__main__":
    unittest.main()
