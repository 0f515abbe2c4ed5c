#!/usr/bin/env python3
"""The compiler does not contract multiplications and additions to FMA on its own (docs/decisions/0026)."""
import os
import re
import subprocess
import sys


def main():
    program = os.environ["TUMBLE_PROGRAM"]
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True,
                          check=True)
    lines = code.stdout.splitlines()
    fused = [line for line in lines if re.search(r"\bvfm(addsub|subadd)", line)]
    for line in fused[:10]:
        print(line.strip())
    print(f"{len(lines)} lines of code, {len(fused)} fused by the vectoriser")
    return 1 if fused or len(lines) < 10000 else 0


if __name__ == "__main__":
    sys.exit(main())
