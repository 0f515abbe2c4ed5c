#!/usr/bin/env python3
"""tools/doc_examples.py fails on a page whose examples do not work. A script replaces the program."""
import os
import struct
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import doc_examples  # noqa: E402
import png  # noqa: E402

# Writes every file named after -o; a scene that says `bad` fails.
PROGRAM = """#!/bin/bash
grep -q bad "$2" 2>/dev/null && exit 3
echo ran "$1"
while [ $# -gt 0 ]; do [ "$1" = -o ] && echo data > "$2"; shift; done
exit 0
"""
SCENE = '```xml ball.xml\n<scene>\n  <body name="ball"/>\n</scene>\n```\n'


def make_png(width, height, color_of):
    """An RGB picture, its rows filtered in all five ways in turn."""
    def paeth(a, b, c):
        return min(((abs(a + b - c - x), i, x) for i, x in enumerate((a, b, c))))[2]

    raw, above = b"", bytes(3 * width)
    for y in range(height):
        row = bytes(value for x in range(width) for value in color_of(x, y))
        left, corner = bytes(3) + row[:-3], bytes(3) + above[:-3]
        guess = (lambda a, b, c: 0, lambda a, b, c: a, lambda a, b, c: b, lambda a, b, c: (a + b) // 2,
                 paeth)[y % 5]
        raw += bytes([y % 5])
        raw += bytes((v - guess(a, b, c)) & 255 for v, a, b, c in zip(row, left, above, corner))
        above = row
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(raw)),
             (b"IEND", b"")]
    return png.SIGNATURE + b"".join(struct.pack(">I", len(payload)) + kind + payload +
                                    struct.pack(">I", zlib.crc32(kind + payload)) for kind, payload in parts)


class DocExamples(unittest.TestCase):
    def run_page(self, text):
        """The stored names of the page's pictures; a Fault where something is wrong."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "work").mkdir()
            (root / "page.md").write_text(text)
            (root / "program").write_text(PROGRAM)
            os.chmod(root / "program", 0o755)
            doc_examples.ROOT = root
            pictures = doc_examples.run_page("page.md", root / "work", root / "program")
            return [stored.name for stored, _, _ in pictures]

    def fault(self, text):
        with self.assertRaises(doc_examples.Fault) as caught:
            self.run_page(text)
        return str(caught.exception)

    def test_a_page_that_works(self):
        text = SCENE + "```sh\n./tumble run ball.xml -o ball.csv -o ball.png\n```\n```output\nran run\n```\n"
        self.assertEqual(self.run_page(text + "`ball.csv` ![x](images/page/ball.png)\n"), ["ball.png"])

    def test_a_scene_without_a_command_is_run_and_drawn(self):
        self.assertEqual(self.run_page(SCENE + "![x](images/page/ball.png)\n"), ["ball.png"])
        bad = SCENE.replace("ball\"", "bad\"")
        self.assertIn("exit 3", self.fault(bad))
        self.assertEqual(self.run_page(bad.replace("ball.xml", "ball.xml part")), [])

    def test_what_fails_is_found(self):
        self.assertIn("exit 1", self.fault("```sh\nfalse\n```\n"))
        self.assertIn("not printed", self.fault("```sh\necho one\n```\n```output\ntwo\n```\n"))
        self.assertIn("no example writes it", self.fault("`missing.csv`\n"))
        self.assertIn("no example writes it", self.fault("![x](images/page/missing.png)\n"))
        self.assertIn("warning", self.fault("```sh\necho warning: odd\n```\n"))
        self.assertIn("in no scene", self.fault(SCENE + "```xml\n<body name=\"cube\"/>\n```\n"))
        self.assertEqual(self.run_page(SCENE + "```xml\n<body name=\"ball\"/>\n```\n"), [])

    def test_pictures_are_read_quantised_and_compared(self):
        data = make_png(32, 18, lambda x, y: (8 * x, 10 * y, 255 - 8 * x if x < 16 else 7))
        width, height, pixels = png.read(data)
        self.assertEqual((width, height), (32, 18))
        self.assertEqual(pixels[5 * 32 + 9], (72, 50, 183))
        self.assertEqual(pixels[17 * 32 + 31], (248, 170, 7))
        small = png.quantise(data, 32, "key", "value")
        self.assertEqual((png.read_text(small, "key"), png.read_text(small, "other")), ("value", None))
        self.assertLessEqual(len(set(png.read(small)[2])), 32)
        with tempfile.TemporaryDirectory() as folder:
            doc_examples.ROOT = Path(folder)
            made, stored = Path(folder) / "made.png", Path(folder) / "stored.png"
            made.write_bytes(data)
            self.assertIn("missing", doc_examples.check_picture(stored, made, "hash", True))
            stored.write_bytes(png.quantise(data, 96, doc_examples.KEY, "hash"))
            self.assertIsNone(doc_examples.check_picture(stored, made, "hash", True))
            self.assertIn("older", doc_examples.check_picture(stored, made, "another hash", False))
            other = make_png(32, 18, lambda x, y: (8 * x, 10 * y, 200))
            stored.write_bytes(png.quantise(other, 96, doc_examples.KEY, "hash"))
            self.assertIn("something else", doc_examples.check_picture(stored, made, "hash", True))


if __name__ == "__main__":
    unittest.main()
