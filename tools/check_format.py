#!/usr/bin/env python3
"""Fails when a C++ file does not have the format of .clang-format: check_format.py [--fix]"""
import re
import subprocess
import sys
from pathlib import Path

from sources import ROOT, cpp_files

VERSION = "14"  # the format depends on the version
SKIPPED = 77    # exit status that ctest counts as skipped


def main():
    tool = next((t for t in (f"clang-format-{VERSION}", "clang-format") if version_of(t) == VERSION), None)
    if tool is None:
        print(f"clang-format {VERSION} is not installed: format not checked")
        return SKIPPED
    files = cpp_files()
    mode = ["-i"] if "--fix" in sys.argv else ["--dry-run", "-Werror"]
    done = subprocess.run([tool, *mode, *files], capture_output=True, text=True)
    wrong = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", done.stderr, re.M)))
    for file in wrong:
        print(f"{Path(file).relative_to(ROOT)}: wrong format; tools/check_format.py --fix corrects it")
    print(f"{len(files)} files, {len(wrong)} of them with a wrong format")
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
