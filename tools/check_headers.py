#!/usr/bin/env python3
# slow: a compiler run for each file
"""Fails when a file does not compile alone: check_headers.py [--sources] COMPILER INCLUDE_FOLDER...

Checks headers, or with --sources the .cpp files of library, program and examples. Builds compile files in
batches, where a file may depend on an include line of another one. A header that its own .cpp file includes
first is checked by --sources.

Parsing Eigen again for each file would take most of the time. A file that includes all of PRELUDE, directly
or through our headers, gets it precompiled. So it sees nothing that it does not include. Other files are
compiled without.
"""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sources import ROOT, cpp_files

SOURCES = "--sources" in sys.argv
ARGUMENTS = [a for a in sys.argv[1:] if a != "--sources"]


PRELUDE = {"Eigen/Core", "Eigen/Geometry"}
INCLUDE = re.compile(r'^#include ["<]([^">]+)[">]', re.MULTILINE)


def compiler_command():
    compiler, folders = ARGUMENTS[0], ARGUMENTS[1:]
    command = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", f"-I{ROOT / 'src'}"]
    return command + [word for folder in folders for word in ("-isystem", folder)]


def includes_of(file):
    """All headers that a file includes, directly or through our files."""
    found, left = set(), [file]
    while left:
        here = left.pop()
        for name in set(INCLUDE.findall(here.read_text(encoding="utf-8"))) - found:
            found.add(name)
            folders = [here.parent, ROOT / "src", *map(Path, ARGUMENTS[1:])]
            ours = [folder / name for folder in folders if name.endswith(".h") and (folder / name).exists()]
            left += ours[:1]
    return found


def precompile(folder):
    """Precompiles PRELUDE. Returns the header to include instead."""
    prelude = Path(folder, "prelude.h")
    prelude.write_text("".join(f"#include <{name}>\n" for name in sorted(PRELUDE)))
    subprocess.run([*compiler_command(), "-x", "c++-header", prelude, "-o", f"{prelude}.gch"], check=True)
    return prelude


def compile_alone(file, prelude):
    # the second include must have no effect
    program = f'#include "{file}"\n' * (2 if file.suffix == ".h" else 1)
    command = [*compiler_command(), "-fsyntax-only", "-x", "c++", "-"]
    if PRELUDE <= includes_of(file):
        command += ["-include", prelude]
    done = subprocess.run(command, input=program, capture_output=True, text=True)
    return file.relative_to(ROOT), done.returncode, done.stderr


def is_first_in_its_source(header):
    source = header.with_suffix(".cpp")
    if not source.exists():
        return False
    first = INCLUDE.search(source.read_text(encoding="utf-8"))
    return bool(first) and first[1] == str(header.relative_to(ROOT / "src"))


def main():
    if SOURCES:
        files = cpp_files(tops=("src", "apps", "examples"), suffixes=(".cpp",))
    else:
        files = [h for h in cpp_files(tops=("src",), suffixes=(".h",)) if not is_first_in_its_source(h)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        prelude = precompile(folder)
        done = pool.map(lambda file: compile_alone(file, prelude), files)
        failed = [(name, words) for name, status, words in done if status]
    for name, words in failed:
        print(f"{name} does not compile alone:\n{words}")
    print(f"{len(files)} files, {len(failed)} of them do not compile alone")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
