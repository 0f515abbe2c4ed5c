#!/usr/bin/env python3
# slow: a second, thorough compilation of every source file
"""Runs clang-tidy (.clang-tidy) over library, program and examples: check_tidy.py BUILD_FOLDER [NAME_PART...]

It configures the folder, without precompiled headers, because those are of another compiler. Files are
checked in the batches in which they are built, because parsing the common headers takes most of the time.
"""
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sources import ROOT


def main():
    build, parts = Path(sys.argv[1]), sys.argv[2:]
    for command in (["--preset", "debug", "-DCMAKE_UNITY_BUILD=ON", "-B", str(build)],
                    ["--build", str(build), "--target", "apps/tumble/embedded_scenes.cpp"]):
        done = subprocess.run(["cmake", *command], cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            print(done.stdout, done.stderr)
            return 1
    listed = json.loads((build / "compile_commands.json").read_text())
    tops = tuple(f"{build}/{top}/" for top in ("src", "apps", "examples"))
    batches = [entry["file"] for entry in listed if entry["file"].startswith(tops)]
    batches = [b for b in batches if not parts or any(part in b for part in parts)]

    def tidy(batch):
        # The build may be for GCC and have warnings that clang does not know.
        command = ["clang-tidy", "--quiet", "--checks=-bugprone-suspicious-include",
                   "--extra-arg=-Wno-unknown-warning-option", "-p", str(build), batch]
        return subprocess.run(command, capture_output=True, text=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(tidy, batches))
    for result in results:
        if result.returncode or "warning:" in result.stdout:
            print(result.stdout, end="")
    bad = sum(1 for r in results if r.returncode or "warning:" in r.stdout)
    print(f"{len(batches)} batches of files, {bad} with findings")
    return 1 if bad or not batches else 0


if __name__ == "__main__":
    sys.exit(main())
