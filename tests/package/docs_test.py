#!/usr/bin/env python3
"""The C++ in docs/library.md compiles: every block is part of a program that ./test builds."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def lines_of(text):
    """The lines of a text without indentation and without empty lines."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def is_part(block, lines):
    return any(lines[at : at + len(block)] == block for at in range(len(lines) - len(block) + 1))


class Docs(unittest.TestCase):
    def test_every_block_is_in_a_program(self):
        programs = [lines_of(path.read_text()) for folder in ("examples", "tests/package")
                    for path in sorted((ROOT / folder).rglob("*.cpp"))]
        page = (ROOT / "docs/library.md").read_text()
        blocks = re.findall(r"^```cpp\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
        self.assertGreater(len(blocks), 8)
        missing = [block for block in blocks
                   if not any(is_part(lines_of(block), program) for program in programs)]
        self.assertEqual(missing, [], "\nnot in examples/ or tests/package/:\n\n" + "\n".join(missing))


if __name__ == "__main__":
    unittest.main()
