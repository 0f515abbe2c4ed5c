#!/usr/bin/env python3
# slow: with --compare, Python alone reads some twenty pictures
"""Runs every example of the documents, and makes their pictures:

    tools/doc_examples.py [--write-pictures | --compare] [--program build/test/bin/tumble] [PAGE...]

A page is Markdown. What its code blocks mean is in the words after the three backticks:

    xml NAME.xml      a scene, written to NAME.xml in an empty folder. After it, `trail` asks for a picture
                      with the trail; `part` is for a file that others include
    xml               lines that stand together in one of the scenes of the page
    text NAME         any other file
    sh                commands, run there in the order of the page; ./tumble is the program
    output            lines that the commands before print

A picture images/PAGE/NAME.png is what a command of the page writes to NAME.png. If none does, NAME.xml is
run, and the picture is its last frame. A file that is named in the text, as `NAME.csv`, must have been
written.

A stored picture holds a hash of the examples it was made from: a picture that is older than its example is a
fault. With --compare it must also show the same as the one just made.
"""
import argparse
import hashlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import png

ROOT = Path(os.environ.get("TUMBLE_SOURCE_DIR", Path(__file__).resolve().parent.parent))
PAGES = ("docs/tutorial.md", "docs/scene.md")
SIZE = "640x360"
LARGEST = (640, 400)  # pixels, of a stored picture
COLORS = 96           # of a stored picture
MOST_BYTES = 60_000
KEY = "made from"     # of the hash in a stored picture
# A palette moves a colour by less than this (of 255) in the mean of a block of some thousand pixels. A body
# that moved by a part of its size changes the blocks at its edge by several times as much.
MOST_DIFFERENCE = 12
WRITTEN = re.compile(r"`([\w.-]+\.(?:csv|glb|gltf|png|json|tumble|ckpt))`")


class Fault(Exception):
    pass


class Block:
    def __init__(self, words, text, line):
        self.kind, self.words, self.text, self.line = (words or [""])[0], words[1:], text, line

    @property
    def file(self):
        return self.words[0] if self.kind in ("xml", "text") and self.words else None


def blocks_of(page):
    """The code blocks of a page, in order."""
    for match in re.finditer(r"^```([^\n]*)\n(.*?)^```", page, re.M | re.S):
        yield Block(match[1].split(), match[2], page.count("\n", 0, match.start()) + 1)


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def find_strangers(blocks):
    """Fragments of XML that are in no scene of the page."""
    scenes = ["\n".join(lines_of(block.text)) for block in blocks if block.kind == "xml" and block.file]
    fragments = [b for b in blocks if b.kind == "xml" and not b.file and not b.text.startswith("<?xml")]
    return [b for b in fragments if not any("\n".join(lines_of(b.text)) in scene for scene in scenes)]


def prose_of(page):
    return re.sub(r"^```.*?^```", "", page, flags=re.M | re.S)


def pictures_of(page):
    """Paths of the pictures that examples make."""
    return re.findall(r"!\[[^\]]*\]\((images/\w+/[^)\s]+\.png)\)", page)


class Runner:
    """Runs the examples of one page in a folder."""

    def __init__(self, page, folder, program):
        self.page, self.folder, self.output, self.commands = page, folder, "", []
        self.made_from = {}  # of a picture: the examples up to its command, or its own scene
        self.files = []
        script = folder / "tumble"
        script.write_text(f'#!/bin/bash\nexec {shlex.quote(str(program))} "$@"\n')
        script.chmod(0o755)

    def run(self, command, where):
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        if done.returncode != 0:
            raise Fault(f"{where}: exit {done.returncode}: {command}\n{done.stdout[-2000:]}")
        if "warning" in done.stdout:
            raise Fault(f"{where}: {command}\n{done.stdout[-2000:]}")
        return done.stdout

    def run_block(self, block):
        where = f"{self.page}:{block.line}"
        if block.file:
            path = self.folder / block.file
            path.parent.mkdir(exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
            self.files.append(block.text)
        elif block.kind == "sh":
            self.output = ""
            for line in block.text.replace("\\\n", " ").splitlines():
                if line.strip() and not line.lstrip().startswith("#"):
                    self.output += self.run(line, where)
                    self.commands.append(line)
                    for name in re.findall(r"\S+\.png", line):
                        self.made_from[name] = "\n".join([*self.files, *self.commands])
        elif block.kind == "output":
            printed = {line.strip() for line in self.output.splitlines()}
            missing = [line for line in lines_of(block.text) if line not in printed]
            if missing:
                raise Fault(f"{where}: not printed:\n" + "\n".join(missing) + "\nbut\n" + self.output[-3000:])

    def run_scene(self, block, picture):
        """A scene that no command of the page names: it is run, and its last frame is its picture."""
        scene, name = block.file, Path(block.file).stem
        where = f"{self.page}:{block.line}"
        self.run(f"./tumble run {scene} -o {name}.tumble", where)
        if picture:
            trail = "--trail " if "trail" in block.words else ""
            command = f"./tumble render {name}.tumble {trail}--size {SIZE} -o {name}.png"
            self.run(command, where)
            self.made_from[f"{name}.png"] = block.text + command


def run_page(page, folder, program):
    """Runs the page's examples. Returns its pictures: stored path, file just made, hash of its examples."""
    text = (ROOT / page).read_text(encoding="utf-8")
    runner, blocks = Runner(page, folder, program), list(blocks_of(text))
    for block in find_strangers(blocks):
        raise Fault(f"{page}:{block.line}: stands in no scene of the page")
    for block in blocks:
        runner.run_block(block)
    pictures = {Path(path).name: ROOT / "docs" / path for path in pictures_of(text)}
    for block in blocks:
        named = any(block.file in command for command in runner.commands) if block.file else True
        if block.kind == "xml" and not named and "part" not in block.words:
            runner.run_scene(block, Path(block.file).stem + ".png" in pictures)
    for name in {*WRITTEN.findall(prose_of(text)), *pictures}:
        path = folder / name
        if not path.exists() or path.stat().st_size == 0:
            raise Fault(f"{page}: names {name}, and no example writes it")
    return [(stored, folder / name, hashlib.sha256(runner.made_from[name].encode()).hexdigest())
            for name, stored in pictures.items()]


def check_picture(stored, made, digest, compare):
    """What is wrong with a stored picture, or None."""
    name = stored.relative_to(ROOT)
    if not stored.exists():
        return f"{name} is missing: tools/doc_examples.py --write-pictures"
    old, new = stored.read_bytes(), made.read_bytes()
    width, height = png.size_of(old)
    if width > LARGEST[0] or height > LARGEST[1] or len(old) > MOST_BYTES:
        return f"{name} is too large: {width} x {height}, {len(old)} bytes"
    if png.read_text(old, KEY) != digest or png.size_of(old) != png.size_of(new):
        return f"{name} is older than its example: tools/doc_examples.py --write-pictures, and look at it"
    if not compare:
        return None
    blocks = zip(png.block_means(old), png.block_means(new))
    worst = max(abs(a - b) for one, other in blocks for a, b in zip(one, other))
    if worst > MOST_DIFFERENCE:
        return f"{name} shows something else than its example ({worst:.0f} of 255)"
    return None


def write_picture(stored, made, digest):
    stored.parent.mkdir(parents=True, exist_ok=True)
    stored.write_bytes(png.quantise(made.read_bytes(), COLORS, KEY, digest))
    print(f"{stored.relative_to(ROOT)}: {stored.stat().st_size} bytes")


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    program = os.environ.get("TUMBLE_PROGRAM", ROOT / "build/test/bin/tumble")
    options.add_argument("--program", default=program)
    options.add_argument("--write-pictures", action="store_true")
    options.add_argument("--compare", action="store_true", help="of stored pictures with those just made")
    options.add_argument("pages", nargs="*", default=PAGES)
    given = options.parse_args()
    faults = []
    for page in given.pages:
        with tempfile.TemporaryDirectory() as folder:
            try:
                pictures = run_page(page, Path(folder), Path(given.program).resolve())
            except (Fault, subprocess.TimeoutExpired) as fault:
                faults.append(str(fault))
                continue
            for stored, made, digest in pictures:
                if given.write_pictures:
                    write_picture(stored, made, digest)
                if fault := check_picture(stored, made, digest, given.compare):
                    faults.append(fault)
            print(f"{page}: {len(pictures)} pictures")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
