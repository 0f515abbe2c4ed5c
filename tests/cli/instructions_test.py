#!/usr/bin/env python3
# slow: runs programs under callgrind
"""The number of instructions does not increase: instructions_test.py CHAIN_SLOPES [--record]

Counts ten fast steps of trees of 150 and 1,200 bones, one precise step of one body, and one evaluation of the
equations of motion of chains of 10 to 10,000 links, per link. Trees and chains must be linear. CHAIN_SLOPES
is the program built from chain_slopes.cpp. Counts depend on the compiler: they are compared only with
recorded counts of the same compiler (instructions.json).
"""
import json
import math
import re
import subprocess
import sys
import unittest
from pathlib import Path
from shutil import which

from program import PROGRAM, SOURCE, ProgramTest

sys.path.insert(0, str(SOURCE / "tools"))
import figure_scenes  # noqa: E402

RECORD = Path(__file__).with_name("instructions.json")
MAX_RISE = 1.05
MAX_EXPONENT = 1.02
STEP = "tumble::simulate::RungeKuttaStepper::step(*"
FAST_STEP = "tumble::simulate::LeapfrogStepper::step(*"
SLOPE = "tumble::dynamics::EquationsOfMotion::compute_slope(*"
LINKS = [10, 100, 1000, 10000]
SLOPES = 3
SCENE = """<scene name="one">
  <simulation duration="20" fps="10"/>
  <world gravity="0 0 0"/>
  <body name="a" angular-velocity="0.01 6 0.02"><box size="0.3 0.1 0.2"/></body>
</scene>
"""


def slope_of_logarithms(points):
    """The exponent p of y = c x^p, by least squares."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs))
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


class Instructions(ProgramTest):
    def count(self, function, *command):
        """Instructions that a command executes inside a function."""
        subprocess.run(["valgrind", "--tool=callgrind", f"--toggle-collect={function}",
                        "--callgrind-out-file=counts", *command],
                       cwd=self.folder, check=True, capture_output=True)
        total = int(re.search(r"^summary: (\d+)", self.path("counts").read_text(), re.M).group(1))
        self.assertGreater(total, 0, f"there is no function {function}")
        return total

    def compare(self, name, count):
        """Compares a count with the recorded one, or records it."""
        compiler = re.search(r"\((.*)\)", self.tumble("--version").stdout).group(1)
        recorded = json.loads(RECORD.read_text())
        if "--record" in OPTIONS:
            RECORD.write_text(json.dumps({**recorded, "compiler": compiler, name: count}, indent=2) + "\n")
            return
        if compiler != recorded["compiler"]:
            self.skipTest(f"counted with {recorded['compiler']}, this is {compiler}")
        print(f"{name}: {count}, recorded {recorded[name]}")
        self.assertLess(count, MAX_RISE * recorded[name], name)

    def test_a_step_has_no_more_instructions_than_recorded(self):
        self.scene(SCENE, "one.xml")
        total = self.count(STEP, PROGRAM, "run", "one.xml", "-o", "one.csv", "--summary", "one.json")
        steps = json.loads(self.path("one.json").read_text())["steps"]
        self.compare("instructions_per_step", round(total / steps))

    def test_a_fast_step_of_a_tree_is_linear_in_its_bones(self):
        counts = {}
        for bones in (150, 1200):
            self.path("t.xml").write_text(figure_scenes.tree(bones))
            counts[bones] = self.count(FAST_STEP, PROGRAM, "run", "t.xml", "--duration", "0.02",
                                       "--step", "0.002", "--threads", "1", "--quiet", "-o", "t.csv")
        print(f"instructions of ten fast steps over bones: {counts}")
        self.assertLess(counts[1200], 1.5 * 8 * counts[150])  # quadratic growth would be a factor of 64

    def test_a_chain_has_no_more_instructions_than_recorded_and_is_linear(self):
        counts = {n: self.count(SLOPE, CHAIN_SLOPES, str(n), str(SLOPES)) / SLOPES for n in LINKS}
        exponent = slope_of_logarithms(counts.items())
        print(f"instructions of a slope over links: {counts}, exponent {exponent:.4f}")
        self.assertLess(exponent, MAX_EXPONENT)
        for n in LINKS:
            self.compare(f"instructions_per_link_of_{n}", round(counts[n] / n))


if __name__ == "__main__":
    if which("valgrind") is None:
        print("no valgrind here")
        sys.exit(77)
    CHAIN_SLOPES, *OPTIONS = sys.argv[1:]
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    if result.skipped:
        print(result.skipped[0][1])
    sys.exit(1 if not result.wasSuccessful() else 77 if result.skipped else 0)
