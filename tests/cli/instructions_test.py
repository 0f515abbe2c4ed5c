#!/usr/bin/env python3
# slow: runs the program under callgrind
"""One precise step of one body costs no more instructions than it did: instructions_test.py [--record]

The count depends on the compiler: it is compared only with one taken by the same (instructions.json).
"""
import json
import re
import subprocess
import sys
import unittest
from pathlib import Path
from shutil import which

from program import PROGRAM, ProgramTest

RECORD = Path(__file__).with_name("instructions.json")
MAX_RISE = 1.05
STEP = "tumble::simulate::PreciseDriver::step(*"
SCENE = """<scene name="one">
  <simulation duration="20" fps="10"/>
  <world gravity="0 0 0"/>
  <body name="a" angular-velocity="0.01 6 0.02"><box size="0.3 0.1 0.2"/></body>
</scene>
"""


class Instructions(ProgramTest):
    def test_a_step_costs_no_more_than_it_did(self):
        compiler = re.search(r"\((.*)\)", self.tumble("--version").stdout).group(1)
        recorded = json.loads(RECORD.read_text())
        if compiler != recorded["compiler"] and "--record" not in ARGUMENTS:
            self.skipTest(f"counted with {recorded['compiler']}, this is {compiler}")
        self.scene(SCENE, "one.xml")
        subprocess.run(["valgrind", "--tool=callgrind", f"--toggle-collect={STEP}", "--callgrind-out-file=counts", PROGRAM,
                        "run", "one.xml", "-o", "one.csv", "--summary", "one.json"], cwd=self.folder, check=True, capture_output=True)
        total = int(re.search(r"^summary: (\d+)", self.path("counts").read_text(), re.M).group(1))
        steps = json.loads(self.path("one.json").read_text())["steps"]
        self.assertGreater(total, 0, f"there is no function {STEP}")
        count = round(total / steps)
        print(f"{count} instructions a step over {steps} steps; recorded {recorded['instructions_per_step']} with {compiler}")
        if "--record" in ARGUMENTS:
            RECORD.write_text(json.dumps({"compiler": compiler, "instructions_per_step": count}, indent=2) + "\n")
        else:
            self.assertLess(count, MAX_RISE * recorded["instructions_per_step"])


if __name__ == "__main__":
    if which("valgrind") is None:
        print("no valgrind here")
        sys.exit(77)
    ARGUMENTS = sys.argv[1:]
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    if result.skipped:
        print(result.skipped[0][1])
        sys.exit(77)
    sys.exit(0 if result.wasSuccessful() else 1)
