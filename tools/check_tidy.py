#!/usr/bin/env python3
# slow: a second, thorough compilation of every source file
"""Runs clang-tidy (.clang-tidy) over library, program and examples: check_tidy.py BUILD_FOLDER [NAME_PART...]

The folder is configured here, with each source file by itself and nothing precompiled, so that a source which
lives on another's includes is found as well.
"""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sources import ROOT, cpp_files


def main():
    build, parts = Path(sys.argv[1]), sys.argv[2:]
    configured = subprocess.run(["cmake", "--preset", "debug", "-B", str(build)], cwd=ROOT, capture_output=True, text=True)
    if configured.returncode:
        print(configured.stdout, configured.stderr)
        return 1
    files = [str(file) for file in cpp_files(tops=("src", "apps", "examples"), suffixes=(".cpp",))]
    files = [f for f in files if not parts or any(part in f for part in parts)]

    def tidy(file):
        # The build may be GCC's, with names of warnings that clang does not know.
        command = ["clang-tidy", "--quiet", "--extra-arg=-Wno-unknown-warning-option", "-p", str(build), file]
        return subprocess.run(command, capture_output=True, text=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(tidy, files))
    for result in results:
        if result.returncode or "warning:" in result.stdout:
            print(result.stdout, end="")
    bad = sum(1 for r in results if r.returncode or "warning:" in r.stdout)
    print(f"{len(files)} files, {bad} with findings")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
