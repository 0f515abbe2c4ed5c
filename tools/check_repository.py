#!/usr/bin/env python3
"""Fails on things that must not be in the repository: check_repository.py [CHECKOUT]

These are paths of one machine, notes of unfinished work, source files that are too long, headers without
#pragma once, and `using namespace` in headers. Prints FILE:LINE: what is wrong, for every fault.
"""
import os
import re
import sys
from pathlib import Path

from sources import ROOT

SKIPPED_FOLDERS = {".git", "build", "out", "node_modules", "__pycache__"}
TEXT = {".h", ".cpp", ".in", ".py", ".sh", ".mjs", ".js", ".json", ".cmake", ".txt", ".md", ".xml", ".rng",
        ".rnc", ".yml", ""}
SOURCES = {".h", ".cpp", ".py"}
MAX_LINES = 800

# Written so that this file does not contain the words itself.
LINE_FAULTS = [
    (re.compile(r"(?<![\w.~$}])/(?:" + "|".join(("home", "root", "work", "Users")) + r")/\w"),
     "a path of one machine"),
    (re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b"),
     "unfinished work: finish it or write docs/open.md"),
    (re.compile(r"^(<<<<<<<|>>>>>>>) "), "an unfinished merge"),
]


def files_of(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS and not f.startswith("build-"))
        for name in sorted(names):
            path = Path(folder, name)
            if path.suffix in TEXT and not path.is_symlink():
                yield path


def faults_of(path, text):
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        for pattern, what in LINE_FAULTS:
            if pattern.search(line):
                yield number, f"{what}: {line.strip()[:80]}"
        if path.suffix == ".h" and re.match(r"\s*using namespace\b", line):
            yield number, "`using namespace` in a header affects every file that includes it"
    if path.suffix == ".h" and "#pragma once" not in lines:
        yield 1, "a header without #pragma once"
    if path.suffix in SOURCES and len(lines) > MAX_LINES:
        yield MAX_LINES, f"{len(lines)} lines; split it (at most {MAX_LINES})"


def check(root):
    faults, count = [], 0
    for path in files_of(root):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a binary file without a suffix, e.g. of a fuzzing corpus
        count += 1
        faults += [f"{path.relative_to(root)}:{number}: {what}" for number, what in faults_of(path, text)]
    return faults, count


def main():
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    faults, count = check(root)
    print("\n".join(faults) if faults else f"{count} files are clean")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
