#!/usr/bin/env python3
"""`tumble report` writes one page from which every part can be read back, small enough and safe to open."""
import base64
import json
import os
import re
import struct
import unittest
import zlib

from program import SOURCE, ProgramTest

PAGE = ('<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n</head>\n<body>\n<!-- parts -->\n'
        '<script src="page.js"></script>\n</body>\n</html>\n')
SCRIPT = 'const end = "</script>", mark = "<!--";\n'
HEAP = """<scene name="&lt;/script&gt;&lt;!-- heap">
  <simulation duration="{duration}" fps="60" method="fast"/>
  <body name="floor" fixed="true"><plane normal="0 1 0"/></body>
  {bodies}
</scene>
"""


def heap(count, duration):
    boxes = [f'<body name="box{i}" position="{i % 10 * 0.12} {0.06 + i // 100 * 0.11} {i // 10 % 10 * 0.12}">'
             f'<box size="0.1 0.1 0.1"/></body>' for i in range(count)]
    return HEAP.format(duration=duration, bodies="\n  ".join(boxes))


def undo(data, encoding):
    """Undoes the steps of data-encoding, as docs/page.md describes them."""
    for step in reversed(encoding.split()):
        name, _, number = step.partition(":")
        if name == "deflate":
            data = zlib.decompress(data)
        elif name == "shuffle":
            width, count = int(number), len(data) // int(number)
            planes = [data[i * count:(i + 1) * count] for i in range(width)]
            data = b"".join(bytes(number) for number in zip(*planes)) + data[width * count:]
        elif name == "delta":
            words = list(struct.unpack(f"<{len(data) // 4}I", data))
            for i in range(int(number), len(words)):
                words[i] = (words[i] + words[i - int(number)]) % 2**32
            data = struct.pack(f"<{len(words)}I", *words)
        else:
            raise AssertionError(f"unknown step {step}")
    return data


class Reports(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path("web").mkdir()
        self.path("web/page.html").write_text(PAGE)
        self.path("web/page.js").write_text(SCRIPT)
        self.environment = {**os.environ, "TUMBLE_WEB": str(self.path("web"))}

    def report(self, *arguments, status=0):
        return self.tumble("report", *arguments, status=status, env=self.environment)

    def parts(self, name):
        """The parts of a page, and the page without them."""
        text = self.path(name).read_text()
        pattern = (r'<script type="application/octet-stream" id="part:([^"]+)" '
                   r'data-encoding="([^"]+)">([A-Za-z0-9+/=]*)</script>\n')
        parts = {match[1]: undo(base64.b64decode(match[3], validate=True), match[2])
                 for match in re.finditer(pattern, text)}
        return parts, re.sub(pattern, "", text)

    def test_parts_equal_the_recording_to_the_precision_they_have(self):
        self.tumble("run", SOURCE / "scenes/ragdoll.xml", "--duration", "2", "-o", "a.tumble", "-o", "a.csv",
                    "--log", "log.csv", "--reactions", "r.csv", "--contacts", "c.csv")
        words = self.report("a.tumble", "-o", "page.html").stderr
        self.assertIn("wrote page.html", words)
        parts, rest = self.parts("page.html")
        manifest = json.loads(parts["0/run.json"])
        self.assertEqual((manifest["precision"], manifest["numbers_per_body"]), ("f32", 7))
        header, rows = self.table("a.csv")
        moving = [i for i, body in enumerate(manifest["bodies"]) if not body["fixed"]]
        blocks = sorted((name for name in parts if name.startswith("0/frames/")),
                        key=lambda name: int(name.rsplit("/", 1)[1]))
        numbers = struct.unpack(f"<{len(rows) * (1 + 7 * len(moving))}f", b"".join(parts[b] for b in blocks))
        for k, row in enumerate(rows):
            frame = numbers[k * (1 + 7 * len(moving)):][:1 + 7 * len(moving)]
            expected = [row[0]] + [x for i in moving for x in row[1 + 13 * i:8 + 13 * i]]
            for x, y in zip(frame, expected):
                self.assert_close(x, y, 6e-8 * abs(y) + 1e-38)  # rounding to single precision
        log_header, log = self.table("log.csv")
        self.assertEqual(struct.unpack(f"<{len(log) * len(log_header)}d", parts["0/log"]),
                         tuple(row[c] for c in range(len(log_header)) for row in log))
        contacts = b"".join(parts[b.replace("frames", "contacts")] for b in blocks)
        lines = self.path("c.csv").read_text().splitlines()[1:]
        self.assertEqual(len(contacts), len(lines) * 16 * 8)
        for numbers, line in zip(struct.iter_unpack("<16d", contacts), lines):
            self.assert_close(numbers[10], float(line.split(",")[10]), 6e-8 * abs(numbers[10]))
        reactions = b"".join(parts[b.replace("frames", "reactions")] for b in blocks)
        for numbers, row in zip(struct.iter_unpack(f"<{7 * len(manifest['joints'])}d", reactions),
                                self.table("r.csv")[1]):
            for x, y in zip(numbers, row[1:]):
                self.assert_close(x, y, 6e-8 * abs(y))
        self.assertEqual(parts["0/scene.glb"][:4], b"glTF")
        self.report("a.tumble", "-o", "v.html", "--velocities")
        velocities, _ = self.parts("v.html")
        self.assertEqual(json.loads(velocities["0/run.json"])["numbers_per_body"], 13)
        self.assertEqual(len(b"".join(velocities[b] for b in velocities if b.startswith("0/frames/"))),
                         len(rows) * (1 + 13 * len(moving)) * 4)

    def test_the_page_holds_its_script_and_may_fetch_nothing(self):
        self.scene(heap(2, "0.2"), "heap.xml")
        self.tumble("run", "heap.xml", "-o", "a.tumble")
        self.report("a.tumble", "-o", "page.html")
        parts, rest = self.parts("page.html")
        self.assertEqual(json.loads(parts["0/run.json"])["scene"], "</script><!-- heap")
        self.assertEqual(rest.count("</script>"), 1)
        self.assertEqual(rest.count("<script"), 1)
        self.assertNotIn("<!--", rest)
        self.assertNotIn("src=", rest)
        self.assertIn('const end = "<\\/script>", mark = "<\\!--";', rest)
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', rest)[1]
        self.assertTrue(policy.startswith("default-src 'none';"))
        self.assertNotIn("http:", policy)
        self.assertNotIn("*", policy)

    def test_the_same_recording_gives_the_same_page_and_a_second_one_is_part_1(self):
        self.scene(heap(3, "0.2"), "heap.xml")
        self.tumble("run", "heap.xml", "-o", "a.tumble")
        self.tumble("run", "heap.xml", "-o", "b.tumble", "--set", "box1.velocity.y=1")
        for name in ("one.html", "two.html"):
            self.report("a.tumble", "-o", name)
        self.assertEqual(self.bytes_of("one.html"), self.bytes_of("two.html"))
        self.report("a.tumble", "-o", "both.html", "--compare", "b.tumble")
        parts, _ = self.parts("both.html")
        self.assertEqual(json.loads(parts["1/run.json"])["settings"], ["box1.velocity.y=1"])
        self.assertTrue(json.loads(parts["0/run.json"])["compare"])
        self.assertEqual({name[2:] for name in parts if name[0] == "0"},
                         {name[2:] for name in parts if name[0] == "1"})

    def test_pages_are_small(self):
        self.scene(heap(25, "10"), "heap.xml")
        self.tumble("run", "heap.xml", "-o", "a.tumble")
        self.report("a.tumble", "-o", "page.html")
        self.assertLess(self.path("page.html").stat().st_size, 5e6 - 1.5e6)  # less what the script may need
        self.assertIn("0/contacts/0", self.parts("page.html")[0])

    def test_many_contacts_are_left_out_with_a_word(self):
        self.scene(heap(100, "2"), "heap.xml")
        self.tumble("run", "heap.xml", "-o", "a.tumble", "--fps", "1000")
        words = self.report("a.tumble", "-o", "page.html").stderr
        self.assertIn("contacts are left out", words)
        parts, _ = self.parts("page.html")
        self.assertFalse(json.loads(parts["0/run.json"])["contacts"])
        self.assertFalse(any("contacts" in name for name in parts))
        small = self.path("page.html").stat().st_size
        self.assertNotIn("left out", self.report("a.tumble", "-o", "page.html", "--contacts").stderr)
        self.assertGreater(self.path("page.html").stat().st_size, small + 8e6)

    def test_wrong_use_and_bad_input_are_refused(self):
        self.scene(heap(1, "0.1"), "heap.xml")
        self.tumble("run", "heap.xml", "-o", "a.tumble", "-o", "a.csv")
        self.assertIn("-o page.html", self.report("a.tumble", status=2).stderr)
        self.assertIn("extension .html", self.report("a.tumble", "-o", "page.txt", status=2).stderr)
        self.assertIn(".tumble", self.report("a.csv", "-o", "page.html", status=2).stderr)
        self.assertIn("cannot be opened", self.report("a.tumble", "-o", "no/page.html", status=2).stderr)
        self.report("missing.tumble", "-o", "page.html", status=3)
        data = bytearray(self.bytes_of("a.tumble"))
        data[data.index(b"FRAM") + 50] ^= 1
        self.path("bad.tumble").write_bytes(data)
        self.assertIn("damaged", self.report("bad.tumble", "-o", "page.html", status=3).stderr)
        self.assertFalse(self.path("page.html").exists())
        self.path("web/page.html").write_text("<html></html>")
        self.assertIn("<!-- parts -->", self.report("a.tumble", "-o", "page.html", status=3).stderr)
        self.path("web/page.js").unlink()
        self.assertIn("not built", self.report("a.tumble", "-o", "page.html", status=2).stderr)


if __name__ == "__main__":
    unittest.main()
