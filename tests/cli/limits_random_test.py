#!/usr/bin/env python3
"""Limits of joints that are pressed at once, by the precise method: they carry together, without chatter.

Scenes with several topologies, then random figures whose joints have several limits.

limits_random_test.py [--long] [SEED]
"""
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from program import PROGRAM, SOURCE, ProgramTest, judge_summary

CPU_LIMIT = 60  # s, per scene

# A hanging arm with swing and twist, pressed into both limits by a torque.
SWING_AND_TWIST = """<scene><simulation duration="2" fps="60" method="precise"/>
  <body name="arm" position="0 0.8 0"><box size="0.1 0.4 0.2"/></body>
  <joint name="shoulder" type="ball" b="arm" at="0 1 0" axis="0 -1 0" swing="30deg"
    twist="-20deg 20deg" damping="2"/>
  <torque body="arm" value="20 -15 5"/></scene>"""
# Three limits of one joint.
THREE_AXES = """<scene><simulation duration="2" fps="60" method="precise"/>
  <body name="arm" position="0.1 0.8 0.05"><box size="0.1 0.4 0.2"/></body>
  <joint name="shoulder" type="ball" b="arm" at="0 1 0" axis="0 -1 0" limits-x="-0.3 0.3" limits-y="-0.2 0.2"
    limits-z="-0.25 0.25" damping="2"/>
  <torque body="arm" value="20 -15 25"/></scene>"""
# Two hinges on one axis have the same limits, and a third body presses its own.
SAME_TWICE = """<scene><simulation duration="2" fps="60" method="precise"/>
  <body name="door" position="0.5 1 0"><box size="1 1.8 0.05"/></body>
  <joint name="low" type="hinge" b="door" at="0 0.5 0" axis="0 0 1" limits="-0.4 0.4"/>
  <joint name="high" type="hinge" b="door" at="0 0.5 0.2" axis="0 0 1" limits="-0.4 0.4"/>
  <body name="flap" position="1.2 1 0"><box size="0.3 0.3 0.05"/></body>
  <joint name="flap" type="hinge" a="door" b="flap" at="1.05 1 0" axis="0 0 1" limits="-0.1 0.1"/></scene>"""
# A loop of four bars, whose limits are all reached at the same time by symmetry.
LOOP = """<scene><simulation duration="2" fps="60" method="precise"/>
  <body name="left" position="0 1.5 0"><box size="0.1 1 0.1"/></body>
  <body name="right" position="1 1.5 0"><box size="0.1 1 0.1"/></body>
  <body name="coupler" position="0.5 2 0.2" ><box size="1 0.1 0.1"/></body>
  <joint name="a" type="hinge" b="left" at="0 1 0" axis="0 0 1" limits="-0.3 0.3"/>
  <joint name="b" type="hinge" b="right" at="1 1 0" axis="0 0 1" limits="-0.3 0.3"/>
  <joint name="c" type="hinge" a="left" b="coupler" at="0 2 0.2" axis="0 0 1" limits="-0.5 0.5"/>
  <joint name="d" type="ball" a="right" b="coupler" at="1 2 0.2"/></scene>"""


def limits_of(r, kind):
    if kind == "hinge":
        return f'limits="{-r.uniform(0.1, 1)!r} {r.uniform(0.1, 1)!r}"'
    return r.choice([
        f'swing="{r.uniform(0.2, 1)!r}" twist="{-r.uniform(0.1, 0.8)!r} {r.uniform(0.1, 0.8)!r}"',
        f'swing="{r.uniform(0.2, 1)!r} {r.uniform(0.2, 1)!r}" twist="-0.4 0.4"',
        f'limits-x="{-r.uniform(0.1, 0.6)!r} 0.5" limits-y="-0.3 0.3" '
        f'limits-z="-0.4 {r.uniform(0.1, 0.6)!r}"'])


def make(seed):
    """A tree of boxes: each hangs on an earlier one, the first on the world."""
    r = random.Random(seed)
    bodies, joints, at = [], [], []
    for i in range(r.randint(1, 6)):
        parent = r.randrange(i) if i else None
        start = (0.0, 0.0, 0.0) if parent is None else at[parent]
        side = [r.choice([-1, 1]) * 0.5 if k == r.randrange(3) else r.uniform(-0.1, 0.1) for k in range(3)]
        joint = [start[k] + 0.5 * side[k] for k in range(3)]
        place = tuple(start[k] + side[k] for k in range(3))
        at.append(place)
        bodies.append(f'<body name="b{i}" position="{" ".join(map(repr, place))}">'
                      f'<box size="0.3 {r.uniform(0.1, 0.4)!r} 0.2" collide="false"/></body>')
        kind = r.choice(["hinge", "ball", "ball"])
        x, y, z = (r.gauss(0, 1) for _ in range(3))
        axis = f'{x!r} {y!r} {z!r}" axis2="{y!r} {-x!r} 0' if kind == "ball" else f"{x!r} {y!r} {z!r}"
        a = "" if parent is None else f'a="b{parent}"'
        bounce = "" if seed % 3 else f'restitution="{r.choice([0.3, 0.6, 1])}"'
        damping = r.choice(["", f'damping="{r.uniform(0.01, 1)!r}"'])
        joints.append(f'<joint name="j{i}" type="{kind}" {a} b="b{i}" at="{" ".join(map(repr, joint))}" '
                      f'axis="{axis}" {limits_of(r, kind)} {bounce} {damping}/>')
    extra = "" if r.random() < 0.5 else \
        f'<torque body="b0" value="{" ".join(repr(r.gauss(0, 20)) for _ in range(3))}"/>'
    return ('<scene><simulation duration="3" fps="30" method="precise"/>'
            + "\n".join(bodies + joints) + extra + "</scene>")


def limit_cpu():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT + 1))


def judge(seed):
    with tempfile.TemporaryDirectory(prefix="tumble-limits-") as name:
        (Path(name) / "scene.xml").write_text(make(seed))
        arguments = ["run", "scene.xml", "-o", "o.csv", "--summary", "s.json", "--log", "l.csv"]
        done = subprocess.run([PROGRAM, *arguments], cwd=name, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, preexec_fn=limit_cpu)
        if done.returncode != 0:
            return f"seed {seed}: exit {done.returncode}: {done.stderr.strip()[-300:]}"
        faults = judge_summary(name, arguments, done)
        summary = json.loads((Path(name) / "s.json").read_text())
        if summary["warnings"]:
            faults.append(f"warnings: {summary['warnings']}")
        # A linkage that rattles between its limits has hundreds of impacts in a second. Chatter has millions.
        if summary["impacts"] > 10000:
            faults.append(f"{summary['impacts']} impacts in {summary['steps']} steps")
        return f"seed {seed}: " + "; ".join(faults) if faults else ""


class Limits(ProgramTest):
    def test_limits_that_are_pressed_at_once_carry_together(self):
        for text in (SWING_AND_TWIST, THREE_AXES, SAME_TWICE, LOOP):
            with self.subTest(text=text):
                self.tumble("run", self.scene(text), "-o", "o.csv", "--summary", "s.json", "--log", "l.csv")
                summary = json.loads(self.path("s.json").read_text())
                self.assertEqual(summary["warnings"], [])
                # Falling into limits without restitution, bodies come to rest there.
                self.assertLess(summary["impacts"], 300)
                header, rows = self.table("l.csv")
                self.assertLess(rows[-1][header.index("kinetic")], 1e-3)

    def test_a_thrown_figure_with_two_limits_pressed_at_once_goes_on(self):
        self.tumble("run", SOURCE / "tests/data/limits/two-limits.xml", "-o", "o.csv", "--summary", "s.json",
                    "--method", "precise", "--log", "l.csv")
        summary = json.loads(self.path("s.json").read_text())
        self.assertLess(summary["impacts"], 20)
        self.assertLess(summary["steps"], 200)

    def test_a_narrow_swing_starts_at_its_middle(self):
        # There the gradient of its limit is zero.
        for method in ("fast", "precise"):
            for swing in ("2deg", "5deg", "40deg 5deg"):
                self.scene(f'''<scene><simulation duration="1" fps="60" method="{method}"/>
                  <body name="c" position="0.1 0 0"><box size="0.18 0.05 0.05"/></body>
                  <joint name="h" type="ball" b="c" at="0 0 0" axis="1 0 0" axis2="0 1 0" swing="{swing}"/>
                  </scene>''', "s.xml")
                self.tumble("run", "s.xml", "-o", "o.csv", "--summary", "s.json")

    def test_random_figures_do_not_chatter_or_gain_energy(self):
        seeds = range(600 if "--long" in sys.argv else 16)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = [fault for fault in pool.map(judge, seeds) if fault]
        self.assertFalse(faults, "\n".join(faults))


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1].isdigit():
        print(make(int(sys.argv[1])))
        print(judge(int(sys.argv[1])) or "good")
    else:
        unittest.main(argv=[a for a in sys.argv if a != "--long"])
