#!/usr/bin/env python3
# slow: a compiler run for each file
"""Fails when a file does not compile alone: check_headers.py [--sources] COMPILER INCLUDE_FOLDER...

Headers, or with --sources the .cpp files of library, program and examples: builds compile them in batches, where one
may live on what another includes. A header that its own .cpp file includes first is left to --sources.
"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from sources import ROOT, cpp_files

SOURCES = "--sources" in sys.argv
ARGUMENTS = [a for a in sys.argv[1:] if a != "--sources"]


def compile_alone(file):
    compiler, folders = ARGUMENTS[0], ARGUMENTS[1:]
    program = f'#include "{file}"\n' * (2 if file.suffix == ".h" else 1)  # the second must be a no-op
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c++", "-", f"-I{ROOT / 'src'}"]
    command += [word for folder in folders for word in ("-isystem", folder)]
    done = subprocess.run(command, input=program, capture_output=True, text=True)
    return file.relative_to(ROOT), done.returncode, done.stderr


def is_first_in_its_source(header):
    source = header.with_suffix(".cpp")
    if not source.exists():
        return False
    first = re.search(r'#include ["<]([^">]+)[">]', source.read_text(encoding="utf-8"))
    return bool(first) and first[1] == str(header.relative_to(ROOT / "src"))


def main():
    if SOURCES:
        files = cpp_files(tops=("src", "apps", "examples"), suffixes=(".cpp",))
    else:
        files = [h for h in cpp_files(tops=("src",), suffixes=(".h",)) if not is_first_in_its_source(h)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = [(name, words) for name, status, words in pool.map(compile_alone, files) if status]
    for name, words in failed:
        print(f"{name} does not compile alone:\n{words}")
    print(f"{len(files)} files, {len(failed)} of them do not compile alone")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
