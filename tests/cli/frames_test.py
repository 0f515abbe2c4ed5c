#!/usr/bin/env python3
"""What is shown between steps: at 1,000 frames a second nothing overlaps, joints are closed, and what falls
freely is on its parabola. Durations are no multiples of a step.
"""
import json
import math
import random
import unittest
from xml.etree import ElementTree

from figure_scenes_test import rotate, rotation_of
from program import SOURCE, ProgramTest

ACCURACY = 1e-3  # the default of the fast method
JOINT = 1e-2 * ACCURACY  # tolerance of joints, in sizes of a body, or rad
FALL = 1e-9  # m
FPS = 1000
G = 9.81
DURATIONS = (0.5123, 0.7777, 0.3141592)  # s
# Rotations that a joint forbids: all of them, or those across its axis.
STIFF = {"fixed": (), "slider": (), "orientation": (), "hinge": ("axis",), "cylindrical": ("axis",)}
POINTS = ("ball", "nail", "hinge", "universal", "constant-velocity", "fixed")  # have a common point
LINES = ("slider", "cylindrical")  # a point of b stays on a line of a

PENDULUM = """<scene><simulation fps="1000" method="fast"/>
<body name="a" position="0.2 0 0"><box size="0.4 0.05 0.05"/></body>
<body name="b" position="0.6 0 0"><box size="0.4 0.05 0.05"/></body>
<joint name="j" type="hinge" b="a" at="0 0 0" axis="0 0 1"/>
<joint name="k" type="{kind}" a="a" b="b" at="0.4 0 0"{axis}/></scene>"""
FOUR_BAR = """<scene><simulation fps="1000" method="fast"/>
<body name="a" position="0 0.2 0" velocity="-0.6 0 0" angular-velocity="0 0 3">
<box size="0.05 0.4 0.05"/></body>
<body name="b" position="1 0.2 0" velocity="-0.6 0 0" angular-velocity="0 0 3">
<box size="0.05 0.4 0.05"/></body>
<body name="c" position="0.5 0.4 0" velocity="-1.2 0 0"><box size="1 0.05 0.05"/></body>
<joint name="i" type="hinge" b="a" at="0 0 0" axis="0 0 1"/>
<joint name="j" type="hinge" b="b" at="1 0 0" axis="0 0 1"/>
<joint name="k" type="hinge" a="a" b="c" at="0 0.4 0" axis="0 0 1"/>
<joint name="l" type="hinge" a="b" b="c" at="1 0.4 0" axis="0 0 1"/></scene>"""
SLIDERS = """<scene><simulation fps="1000" method="fast"/>
<body name="a" position="0.2 0 0" angular-velocity="0 0 4" velocity="0 0.8 0">
<box size="0.4 0.05 0.05"/></body>
<body name="b" position="0.3 0.2 0" angular-velocity="0 0 4" velocity="-0.8 1.2 0">
<box size="0.1 0.1 0.1"/></body>
<body name="c" position="0.5 0 0" angular-velocity="0 0 4" velocity="0 2 0">
<box size="0.1 0.1 0.1"/></body>
<joint name="i" type="hinge" b="a" at="0 0 0" axis="0 0 1"/>
<joint name="j" type="slider" a="a" b="b" axis="1 0 0"/>
<joint name="k" type="fixed" a="a" b="c"/></scene>"""
# Bodies that bounce, slide and hit each other cut the steps. Nothing is in the way of those that are thrown.
BUSY = """<body name="floor" fixed="true"><plane normal="0 1 0" at="0 -50 0"/></body>
<body name="table" fixed="true"><box size="4 0.1 4" at="0 -0.05 0"/></body>
<material name="rubber" density="1000" restitution="0.8"/>
<body name="p" position="0 0.3 0" velocity="0.3 0 0" angular-velocity="3 1 2">
<box size="0.2 0.1 0.15" material="rubber"/></body>
<body name="q" position="0.5 0.4 0" velocity="-1 0 0"><sphere radius="0.1" material="rubber"/></body>
<body name="r" position="-0.6 0.05 0" velocity="2 0 0"><box size="0.1 0.1 0.1"/></body>
<body name="s" position="-0.9 0.5 0.1" angular-velocity="0 0 5">
<capsule radius="0.05" length="0.2" material="rubber"/></body>
"""


def numbers(text):
    return [float(x) for x in text.split()]


class Frames(ProgramTest):
    def run_scene(self, text, duration):
        """Runs a scene text. Checks that there is no overlap. Returns the frames."""
        self.tumble("run", self.scene(text), "-o", "o.csv", "--summary", "s.json", "--fps", FPS, "--verify",
                    "frames", "--method", "fast", "--duration", duration, "--quiet")
        summary = json.loads(self.path("s.json").read_text())
        self.assertEqual(summary["frames"], round(duration * FPS) + 1)
        header, rows = self.table("o.csv")
        self.assertEqual(len(rows), summary["frames"])
        self.assertEqual(summary["max_penetration"], 0)
        return [dict(zip(header, row)) for row in rows]

    def place(self, frame, start, body, point):
        """A point that a body carries, or one of the world."""
        if not body:
            return point
        then, now = ([f[f"{body}.{k}"] for k in "xyz"] for f in (start, frame))
        arm = rotate(rotation_of(frame, start, body), [x - y for x, y in zip(point, then)])
        return [x + y for x, y in zip(now, arm)]

    def find_gaps(self, text, frames):
        """The widest gap of each joint over its tolerance, with the time."""
        sizes = {body["name"]: body["radius"]
                 for body in json.loads(self.tumble("info", "pair.xml", "--json").stdout)["bodies"]}
        for joint in ElementTree.fromstring(text).iter("joint"):
            kind, a, b = joint.get("type"), joint.get("a"), joint.get("b")
            size = max(sizes[name] for name in (a, b) if name)
            at = numbers(joint.get("at")) if joint.get("at") else [frames[0][f"{b}.{k}"] for k in "xyz"]
            axis = numbers(joint.get("axis", "0 0 1"))
            worst = (0.0, 0.0)
            for frame in frames:
                gap = 0.0
                points = [self.place(frame, frames[0], body, at) for body in (a, b)]
                if kind in POINTS:
                    gap = math.dist(*points)
                if kind in LINES:
                    way = rotate(rotation_of(frame, frames[0], a), [x / math.hypot(*axis) for x in axis])
                    apart = [y - x for x, y in zip(*points)]
                    along = sum(x * y for x, y in zip(apart, way))
                    gap = math.dist(apart, [along * x for x in way])
                if kind in STIFF:
                    # Directions that both bodies carry: a rotation of 1e-5 rad moves the end of a body by
                    # 1e-5 of its size.
                    for way in [axis] if STIFF[kind] else ([1, 0, 0], [0, 1, 0], [0, 0, 1]):
                        off = math.dist(*(rotate(rotation_of(frame, frames[0], body), way)
                                          for body in (a, b)))
                        gap = max(gap, off / math.hypot(*way) * size)
                worst = max(worst, (gap / (JOINT * size), frame["t"]))
            yield joint.get("name"), worst

    def check_joints(self, text):
        for duration in DURATIONS:
            frames = self.run_scene(text, duration)
            for joint, (gap, t) in self.find_gaps(text, frames):
                self.assertLessEqual(gap, 1, f"tolerances: joint {joint} at {t} s of {duration} s")

    def test_joints_of_a_double_pendulum_are_closed(self):
        for kind, axis in (("hinge", ' axis="0 0 1"'), ("ball", ""),
                           ("universal", ' axis="0 0 1" axis2="0 1 0"')):
            with self.subTest(kind):
                self.check_joints(PENDULUM.format(kind=kind, axis=axis))

    def test_joints_of_a_loop_are_closed(self):
        self.check_joints(FOUR_BAR)

    def test_sliders_and_welds_that_rotate_are_closed(self):
        self.check_joints(SLIDERS)

    def test_joints_of_a_falling_figure_are_closed(self):
        text = (SOURCE / "scenes" / "ragdoll.xml").read_text()
        frames = self.run_scene(text, 0.9137)  # it has hit the stairs
        for joint, (gap, t) in self.find_gaps(text, frames):
            self.assertLessEqual(gap, 1, f"tolerances: joint {joint} at {t} s")

    def thrown(self, r):
        """A spinning ball and a spinning brick, high above the rest."""
        text = ""
        for name, shape in (("ball", '<sphere radius="0.1"/>'), ("brick", '<box size="0.1 0.2 0.3"/>')):
            place = [10 * (name == "ball") + r.uniform(5, 9), r.uniform(2, 4), r.uniform(-1, 1)]
            velocity, spin = ([r.uniform(-w, w) for _ in range(3)] for w in (4, 10))
            text += (f'<body name="{name}" position="{" ".join(map(repr, place))}" '
                     f'velocity="{" ".join(map(repr, velocity))}" '
                     f'angular-velocity="{" ".join(map(repr, spin))}">{shape}</body>\n')
        return text

    def test_free_fall_is_on_its_parabola(self):
        for seed, around in ((seed, around) for seed in range(3) for around in ("", BUSY)):
            with self.subTest(seed=seed, around="busy" if around else "alone"):
                thrown = self.thrown(random.Random(seed))
                text = f'<scene><simulation method="fast"/>\n{around}{thrown}</scene>'
                frames = self.run_scene(text, DURATIONS[seed])
                for body in ("ball", "brick"):
                    start, worst = frames[0], (0.0, 0.0)
                    for frame in frames:
                        t = frame["t"]
                        exact = [start[f"{body}.{k}"] + t * start[f"{body}.v{k}"] for k in "xyz"]
                        exact[1] -= G * t * t / 2
                        worst = max(worst, (math.dist(exact, [frame[f"{body}.{k}"] for k in "xyz"]), t))
                        self.assert_close(frame[f"{body}.vy"], start[f"{body}.vy"] - G * t, FALL, f"{t} s")
                    self.assertLessEqual(worst[0], FALL, f"m: {body} at {worst[1]} s")

    def test_nothing_overlaps_where_bodies_bounce(self):
        for duration in DURATIONS:
            self.run_scene(f'<scene><simulation method="fast"/>\n{BUSY}</scene>', duration)


if __name__ == "__main__":
    unittest.main()
