#!/usr/bin/env python3
# slow: a compiler run for each header
"""Fails when a header does not compile alone: check_headers.py COMPILER INCLUDE_FOLDER..."""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from sources import ROOT, cpp_files


def compile_alone(header):
    compiler, folders = sys.argv[1], sys.argv[2:]
    name = header.relative_to(ROOT / "src")
    # Twice: the second must be a no-op.
    program = f'#include "{name}"\n#include "{name}"\n'
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c++", "-", f"-I{ROOT / 'src'}"]
    command += [word for folder in folders for word in ("-isystem", folder)]
    done = subprocess.run(command, input=program, capture_output=True, text=True)
    return name, done.returncode, done.stderr


def main():
    headers = cpp_files(tops=("src",), suffixes=(".h",))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = [(name, words) for name, status, words in pool.map(compile_alone, headers) if status]
    for name, words in failed:
        print(f"{name} does not compile alone:\n{words}")
    print(f"{len(headers)} headers, {len(failed)} of them do not compile alone")
    return 1 if failed or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
