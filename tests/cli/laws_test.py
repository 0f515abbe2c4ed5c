#!/usr/bin/env python3
"""Laws of mechanics that every run keeps: timed forces, the work of scripts, impacts, springs.

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
JOINT = 1e-2 * ACCURACY  # tolerance of joints, in sizes of a body
G = 9.81

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
        # A bystander that hangs has potential energy.
        self.energy_beside = 0.0
        if "calm-nail" in text:
            self.energy_beside = 1000 * 4 / 3 * math.pi * 0.1 ** 3 * G * self.frames["calm.y"][0]

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

    # Impacts with restitution 1.

    def check_pairs(self, run, bodies):
        for name in bodies:
            exact = -4.5 if name[0] in "ac" else 4.5
            self.assert_close(run.frames[f"{name}.vz"][-1], exact, 1e-9 * 9, f"m/s: {name}")
        self.assert_close(run.energy[-1], run.energy[0], 1e-9 * run.energy[0], "J")

    def test_of_two_pairs_that_meet_at_the_end_of_a_step_both_bounce(self):
        self.check_pairs(self.run_law("two-pairs"), ("a0", "b0", "a1", "b1"))

    def test_of_two_pairs_with_a_ball_on_a_hinge_behind_each_both_bounce(self):
        self.check_pairs(self.run_law("two-pairs-joint"), [n + i for n in "abcd" for i in "01"])

    def test_of_two_pairs_beside_a_bystander_both_bounce(self):
        self.check_pairs(self.run_beside("two-pairs"), ("a0", "b0", "a1", "b1"))

    def check_cradle(self, run, moment, weight):
        """After the first impact the last ball alone moves. moment is that of inertia about the hinge, kg m2;
        weight is times the distance of the centre of mass, N m.
        """
        speed = math.sqrt(2 * weight * (1 - math.cos(math.pi / 6)) / moment)
        self.assert_close(speed, 1.62, 0.1)
        y, v = run.frames["b4.y"][-1], math.hypot(*run.vector("b4.v"))
        below = math.sqrt(v * v + 2 * weight * (1 + y) / moment)  # at the lowest point, by its energy
        self.assert_close(below, speed, ACCURACY * speed, "m/s")
        self.assertGreater(run.frames["b4.x"][-1], 0.41)
        for j in range(4):
            self.assert_close(math.hypot(*run.vector(f"b{j}.v")), 0, ACCURACY * speed, f"m/s: b{j}")
        self.assertLess(run.drift(), KEPT * max(run.log["kinetic"]))

    MASS = 7800 * 4 / 3 * math.pi * 0.05 ** 3  # of a ball of the cradle, kg

    def test_of_a_cradle_one_ball_leaves(self):
        self.check_cradle(self.run_law("cradle"), self.MASS * (1 + 0.4 * 0.05 ** 2), self.MASS * G)

    def test_of_a_cradle_of_welded_pendulums_one_ball_leaves(self):
        self.check_cradle(self.run_law("cradle-joint"), 4 + 0.004 + 0.06 + 0.25, (4 + 0.5) * G)

    def test_of_a_cradle_beside_a_bystander_one_ball_leaves(self):
        self.check_cradle(self.run_beside("cradle"), self.MASS * (1 + 0.4 * 0.05 ** 2), self.MASS * G)

    def check_energy_stays(self, run):
        self.assertGreater(run.summary["impacts"], 3)
        self.assertLess(run.drift(), KEPT * max(run.log["kinetic"]), f"J, from {run.energy[0]}")

    def test_bodies_on_rods_bounce_and_keep_their_energy(self):
        self.check_energy_stays(self.run_law("rods-e1"))

    def test_bodies_on_rods_with_a_ball_on_a_hinge_keep_their_energy(self):
        self.check_energy_stays(self.run_law("rods-e1-joint"))

    def test_bodies_on_rods_beside_a_bystander_keep_their_energy(self):
        self.check_energy_stays(self.run_beside("rods-e1"))

    # Impacts without restitution.

    @staticmethod
    def exact_loss(name):
        """The energy at rest, how much more there is at the start, and which part of that is left."""
        if name == "housner":
            mass, radius, a = 1000 * 0.4 * 1 * 0.4, math.hypot(0.2, 0.5), math.atan(0.4)
            return (mass * G * 0.5, mass * G * radius * (math.cos(a - 0.2) - math.cos(a)),
                    (1 - 1.5 * math.sin(a) ** 2) ** 2)
        if name == "trough":
            mass = 1000 * math.pi * 0.1 ** 2 * 0.4
            return mass * G * 0.1 / math.cos(math.pi / 6), mass * G * 0.4 * 0.5, 0.25
        mass, b, c = 1000 * 1 * 0.02 * 0.1, 0.15, 0.01
        moment = mass * (1 + 0.02 ** 2) / 12
        return (mass * G * c, mass * G * (b * math.sin(0.2) + c * math.cos(0.2) - c),
                ((moment + mass * (c * c - b * b)) / (moment + mass * (c * c + b * b))) ** 2)

    def check_loss(self, name, run_it):
        """From the first impact to the end the energy is within 5 accuracies. Its error falls with them."""
        least, start, part = self.exact_loss(name)
        points = []
        for power in range(-5, -1):
            accuracy = 10 ** power
            run = run_it("--accuracy", repr(accuracy))
            first = next(i for i, t in enumerate(run.log["t"])
                         if t > 0.1 and run.log["impacts"][i] > run.log["impacts"][i - 1])
            rest = least + run.energy_beside
            error = max(abs((energy - rest) / start - part) for energy in run.energy[first:])
            self.assertLess(error, 5 * accuracy, f"{name} at an accuracy of {accuracy}")
            points.append((power, math.log10(max(error, 1e-12))))
        middle = [sum(x) / len(points) for x in zip(*points)]
        slope = (sum((x - middle[0]) * (y - middle[1]) for x, y in points)
                 / sum((x - middle[0]) ** 2 for x, _ in points))
        self.assertGreaterEqual(slope, 0.8, f"{name}: {points}")

    def test_after_an_impact_without_restitution_the_energy_is_exact(self):
        for name in ("housner", "trough", "rocking-rod"):
            with self.subTest(name):
                self.check_loss(name, lambda *flags: self.run_law(name, *flags))

    def test_after_an_impact_of_welded_bodies_without_restitution_the_energy_is_exact(self):
        for name in ("housner", "trough", "rocking-rod"):
            with self.subTest(name):
                self.check_loss(name, lambda *flags: self.run_law(f"{name}-joint", *flags))

    def test_after_an_impact_without_restitution_beside_a_bystander_the_energy_is_exact(self):
        for name in ("housner", "trough", "rocking-rod"):
            with self.subTest(name):
                self.check_loss(name, lambda *flags: self.run_beside(name, *flags))

    # Springs and dampers.

    def check_governor(self, run):
        start = run.log["lz"][0]
        for value in run.log["lz"]:
            self.assert_close(value, start, JOINT * start, "angular momentum about the axis")
        self.assertLess(run.drift(), KEPT * max(run.log["kinetic"]), f"J, from {run.energy[0]}")
        dampers = [values for name, values in run.log.items() if name.endswith(".damping")]
        self.assertEqual(len(dampers), 2)
        for values in dampers:
            for now, before in zip(values[1:], values):
                self.assertLessEqual(now, before + 1e-12 * run.energy[0], "J: work of a damper")

    def test_a_governor_keeps_its_angular_momentum(self):
        self.check_governor(self.run_law("flyball"))

    def test_a_governor_welded_to_a_turntable_keeps_its_angular_momentum(self):
        self.check_governor(self.run_law("flyball-joint"))

    def test_a_governor_beside_a_bystander_keeps_its_angular_momentum(self):
        self.check_governor(self.run_beside("flyball"))


if __name__ == "__main__":
    unittest.main()
