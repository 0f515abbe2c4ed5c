#!/usr/bin/env python3
"""Laws of mechanics that every run keeps: timed forces, the work of scripts.

Each scene of tests/laws shows one law, with the exact result. Each has two relatives that differ in topology:
NAME-joint.xml has the same behind a joint. The other one has a bystander in an island of its own, before the
bodies of the scene.
"""
import json
import math
import re
import unittest

from program import SOURCE, ProgramTest

ACCURACY = 1e-3  # the default of the fast method
KEPT = 10 * ACCURACY  # of the energy: where the program itself would warn

# Two balls on a hinge that drift, and a ball that hangs plumb on a nail. Nothing happens to either.
DRIFTING = """<body name="calm" position="5 5 5" velocity="0 0.1 0"><sphere radius="0.1"/></body>
  <body name="calm2" position="5 5.3 5" velocity="0 0.1 0"><sphere radius="0.1"/></body>
  <joint name="calm-pin" type="hinge" a="calm" b="calm2" at="5 5.15 5" axis="0 0 1"/>"""
HANGING = """<body name="calm" position="5 5 0"><sphere radius="0.1"/></body>
  <joint name="calm-nail" type="nail" b="calm" at="5 {} {}"/>"""
WORLD = re.compile(r'<world gravity="(.*?)"/>')


def scene_text(name):
    return (SOURCE / "tests" / "laws" / f"{name}.xml").read_text()


def with_bystander(name):
    text = scene_text(name)
    gravity = [float(x) for x in WORLD.search(text)[1].split()]
    bystander = HANGING.format(5 - gravity[1] / 20, -gravity[2] / 20) if any(gravity) else DRIFTING
    return WORLD.sub(lambda found: found[0] + bystander, text)


class Run:
    """What a run wrote: its summary, the columns of its log and of its frames."""

    def __init__(self, test, text, *flags):
        test.tumble("run", test.scene(text, "law.xml"), "-o", "o.csv", "--log", "l.csv",
                    "--summary", "s.json", *flags)
        self.summary = json.loads(test.path("s.json").read_text())
        self.log, self.frames = ({name: [row[i] for row in rows] for i, name in enumerate(header)}
                                 for header, rows in (test.table("l.csv"), test.table("o.csv")))
        self.energy, self.work = self.log["energy"], self.log["work"]
        self.kept = [e - w for e, w in zip(self.energy, self.work)]

    def vector(self, column, k=-1):
        """A vector of one frame: column is NAME. for a position, NAME.v for a velocity."""
        return [self.frames[column + axis][k] for axis in "xyz"]

    def gain(self):
        """The largest rise of energy less work above its least value before, J."""
        least, gain = math.inf, 0.0
        for value in self.kept:
            least = min(least, value)
            gain = max(gain, value - least)
        return gain

    def drift(self):
        return max(abs(value - self.kept[0]) for value in self.kept)


class Laws(ProgramTest):
    def run_law(self, name, *flags):
        return Run(self, scene_text(name), *flags)

    def run_beside(self, name, *flags):
        """Runs a scene beside a bystander, to which nothing may happen."""
        run = Run(self, with_bystander(name), *flags)
        for now, before in zip(run.vector("calm.v"), run.vector("calm.v", 0)):
            self.assert_close(now, before, 1e-9, "m/s: velocity of the bystander")
        return run

    # Forces that begin and end inside a step.

    PULSES = ((), ("--set", "push.from=0.499", "--set", "push.to=0.502"))  # inside a step, across its end

    def test_a_short_pulse_passes_on_its_impulse(self):
        for flags in self.PULSES:
            with self.subTest(flags):
                run = self.run_law("pulse", *flags)
                self.assert_close(run.frames["a.vx"][-1], 0.3, 1e-12)
                self.assert_close(run.work[-1], 0.045, KEPT * 0.045, "J: work of the pulse")
                self.assert_close(run.energy[-1], 0.045, 1e-12, "J")

    def test_a_short_pulse_on_a_body_with_a_joint_passes_on_its_impulse(self):
        for flags in self.PULSES:
            with self.subTest(flags):
                run = self.run_law("pulse-joint", *flags)
                self.assert_close(run.frames["a.vx"][-1] + run.frames["b.vx"][-1], 0.3, 1e-12)
                self.assert_close(run.frames["a.vy"][-1] + run.frames["b.vy"][-1], 0, 1e-12)
                self.assertLess(run.drift(), KEPT * run.energy[-1])

    def test_a_short_pulse_beside_a_bystander_passes_on_its_impulse(self):
        for flags in self.PULSES:
            with self.subTest(flags):
                self.assert_close(self.run_beside("pulse", *flags).frames["a.vx"][-1], 0.3, 1e-12)

    # Work of a script in an impact.

    def check_push(self, run, mass):
        self.assert_close(run.work[-1], mass, KEPT * mass, "J: work of the ram")
        self.assert_close(run.kept[-1] - run.kept[0], -mass / 2, KEPT * mass, "J: energy less work")
        self.assertLessEqual(run.gain(), ACCURACY * mass)
        self.assertLessEqual(run.summary["max_energy_gain"], ACCURACY)

    def test_a_ram_that_takes_a_block_along_does_work(self):
        self.check_push(self.run_law("push"), 1)

    def test_a_welded_ram_that_takes_welded_blocks_along_does_work(self):
        self.check_push(self.run_law("push-joint"), 2)

    def test_a_ram_beside_a_bystander_does_work(self):
        self.check_push(self.run_beside("push"), 1)


if __name__ == "__main__":
    unittest.main()
