#!/usr/bin/env python3
"""Fails when a C++ file is not laid out as .clang-format says: check_format.py [--fix]"""
import re
import subprocess
import sys
from pathlib import Path

from sources import ROOT, cpp_files

VERSION = "14"  # layouts differ between versions
SKIPPED = 77    # what ctest shows as skipped


def main():
    tool = next((t for t in (f"clang-format-{VERSION}", "clang-format") if version_of(t) == VERSION), None)
    if tool is None:
        print(f"no clang-format {VERSION} here: layout not checked")
        return SKIPPED
    files = cpp_files()
    mode = ["-i"] if "--fix" in sys.argv else ["--dry-run", "-Werror"]
    done = subprocess.run([tool, *mode, *files], capture_output=True, text=True)
    unlike = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", done.stderr, re.M)))
    for file in unlike:
        print(f"{Path(file).relative_to(ROOT)}: not laid out as .clang-format says; tools/check_format.py --fix mends it")
    print(f"{len(files)} files, {len(unlike)} of them not as they should be")
    return 1 if done.returncode else 0


def version_of(tool):
    try:
        answer = subprocess.run([tool, "--version"], capture_output=True, text=True).stdout
    except FileNotFoundError:
        return None
    found = re.search(r"version (\d+)", answer)
    return found and found.group(1)


if __name__ == "__main__":
    sys.exit(main())
