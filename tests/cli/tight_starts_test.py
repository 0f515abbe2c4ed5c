#!/usr/bin/env python3
"""Bodies that touch at the start and have no room to part: they start where they are, and they run.

A wheel on an axle that touches the floor, a box that fills the space between two walls, packed balls; each
with relatives that have other topologies.
"""
import json
import math
import unittest

from program import ProgramTest

FLOOR = '<body name="floor" fixed="true"><plane normal="0 1 0"/></body>'
WHEEL = f"""<scene><simulation duration="0.5" fps="60"/>{FLOOR}
  <body name="wheel" position="0 0.1 0" angular-velocity="0 0 -5"><sphere radius="0.1"/></body>
  <joint name="axle" type="hinge" b="wheel" at="0 0.1 0" axis="0 0 1"/>
</scene>"""
# The axle belongs to a fork that a hinge holds to the world.
FORK = f"""<scene><simulation duration="0.5" fps="60"/>{FLOOR}
  <body name="fork" position="0.2 0.1 0.2"><box size="0.4 0.05 0.05"/></body>
  <joint name="head" type="fixed" b="fork" at="0.4 0.1 0.2"/>
  <body name="wheel" position="0 0.1 0" angular-velocity="0 0 -5"><sphere radius="0.1"/></body>
  <joint name="axle" type="hinge" a="fork" b="wheel" at="0 0.1 0" axis="0 0 1"/>
</scene>"""
# Two wheels on fixed axles that touch each other, and one of them the floor.
GEARS = f"""<scene><simulation duration="0.5" fps="60"/>{FLOOR}
  <body name="wheel" position="0 0.1 0"><sphere radius="0.1"/></body>
  <joint name="axle" type="hinge" b="wheel" at="0 0.1 0" axis="0 0 1"/>
  <body name="second" position="0.2 0.1 0"><sphere radius="0.1"/></body>
  <joint name="axle2" type="hinge" b="second" at="0.2 0.1 0" axis="0 0 1"/>
</scene>"""
# Doors whose lower edges touch the floor: on the world, on a fixed frame, and between a floor and a ceiling.
DOOR = f"""<scene><simulation duration="1" fps="60"/>{FLOOR}
  <body name="door" position="0.5 0.5 0" {{motion}}><box size="1 1 0.04"/></body>
  <joint name="hinge" type="hinge" b="door" at="0 0 0" axis="0 1 0"/>{{script}}</scene>"""
FRAMED_DOOR = f"""<scene><simulation duration="1" fps="60"/>{FLOOR}
  <body name="post" position="-0.05 0.5 0"><box size="0.1 1 0.1"/></body>
  <joint name="foot" type="fixed" b="post" at="0 0 0"/>
  <body name="door" position="0.5 0.5 0" {{motion}}><box size="1 1 0.04"/></body>
  <joint name="hinge" type="hinge" a="post" b="door" at="0 0.5 0" axis="0 1 0"/>
  <body name="ceiling" fixed="true"><box size="4 0.1 4" at="0 1.05 0"/></body>{{script}}</scene>"""
# A shutter on a rail in a gap that it fills.
SHUTTER = """<scene><simulation duration="1" fps="60"/>
  <body name="gap" fixed="true"><box size="4 0.1 1" at="0 -0.05 0"/><box size="4 0.1 1" at="0 1.05 0"/></body>
  <body name="door" position="0 0.5 0" {motion}><box size="0.5 1 0.04"/></body>
  <joint name="hinge" type="slider" b="door" at="0 0.5 0" axis="1 0 0"/>{script}</scene>"""

WALLS = """<body name="walls" fixed="true"><box size="0.1 1 0.3" at="-0.05 0 0" material="m"/>
  <box size="0.1 1 0.3" at="{right} 0 0" material="m"/></body>"""
SNUG = f"""<scene><simulation duration="0.5" fps="60"/>
  <material name="m" density="500" friction="0.3"/>{WALLS.format(right=0.15)}
  <body name="b1" position="0.05 0 0"><box size="0.1 0.1 0.1" material="m"/></body>
</scene>"""
# Two boxes side by side fill the space.
SNUG_TWO = f"""<scene><simulation duration="0.5" fps="60"/>
  <material name="m" density="500" friction="0.3"/>{WALLS.format(right=0.25)}
  <body name="b1" position="0.05 0 0"><box size="0.1 0.1 0.1" material="m"/></body>
  <body name="b2" position="0.15 0 0"><box size="0.1 0.2 0.1" material="m"/></body>
</scene>"""
# The space is in a body that moves, and has a bottom and a lid, too.
SNUG_CASE = """<scene><simulation duration="0.5" fps="60"/>
  <body name="floor" fixed="true"><plane normal="0 1 0"/></body>
  <material name="m" density="500" friction="0.3"/>
  <body name="case" position="0 0.5 0" velocity="1 0 0">
    <box size="0.02 0.12 0.1" at="-0.06 0 0" material="m"/>
    <box size="0.02 0.12 0.1" at="0.06 0 0" material="m"/>
    <box size="0.14 0.02 0.1" at="0 -0.06 0" material="m"/>
    <box size="0.14 0.02 0.1" at="0 0.06 0" material="m"/>
  </body>
  <body name="b1" position="0 0.5 0" velocity="1 0 0"><box size="0.1 0.1 0.1" material="m"/></body>
</scene>"""


# A scripted case takes along the box that fills it.
SNUG_SCRIPTED = """<scene><simulation duration="1" fps="60"/><world gravity="0 0 0"/>
  <body name="case"><box size="0.1 0.4 0.4" at="-0.15 0 0"/><box size="0.1 0.4 0.4" at="0.15 0 0"/></body>
  <body name="b"><box size="0.2 0.2 0.2"/></body>
  <script body="case"><key t="0" position="0 0 0" velocity="0 0 0"/>
    <key t="1" position="0.5 0 0" velocity="0 0 0"/></script></scene>"""
# Four boxes fill a bin of two layers.
FULL_BIN = """<scene><simulation duration="0.5" fps="60"/>
  <body name="bin" fixed="true"><box size="0.1 0.6 1" at="-0.25 0 0"/><box size="0.1 0.6 1" at="0.25 0 0"/>
    <box size="0.4 0.1 1" at="0 -0.25 0"/></body>
  <body name="b00" position="-0.1 -0.1 0"><box size="0.2 0.2 0.2"/></body>
  <body name="b01" position="0.1 -0.1 0"><box size="0.2 0.2 0.2"/></body>
  <body name="b10" position="-0.1 0.1 0"><box size="0.2 0.2 0.2"/></body>
  <body name="b11" position="0.1 0.1 0"><box size="0.2 0.2 0.2"/></body></scene>"""


def packed(balls, walls, duration=1):
    """Balls of radius 0.05 m with e = 1. `balls`: (x, y, speed)."""
    bodies = "".join(f'<body name="b{i}" position="{x} {y} 0" velocity="{v} 0 0">'
                     '<sphere radius="0.05" material="m"/></body>' for i, (x, y, v) in enumerate(balls))
    return (f'<scene><simulation duration="{duration}" fps="60"/><world gravity="0 0 0"/>'
            f'<material name="m" density="500" friction="0" restitution="1"/>{walls}{bodies}</scene>')


ENDS = ('<body name="box" fixed="true"><box size="0.1 0.3 0.3" at="-0.05 0 0" material="m"/>'
        '<box size="0.1 0.3 0.3" at="0.55 0 0" material="m"/></body>')
PACKED = packed([(0.05 + 0.1 * i, 0, 1 if i == 0 else 0) for i in range(5)], ENDS)
# Two layers of balls in a frame, each ball touches two to four others.
PACKED_LAYERS = packed(
    [(0.05 + 0.1 * i, 0.05 + 0.1 * k, 1 if i == k == 0 else 0) for i in range(3) for k in range(2)],
    '<body name="box" fixed="true"><box size="0.1 0.3 0.3" at="-0.05 0.1 0" material="m"/>'
    '<box size="0.1 0.3 0.3" at="0.35 0.1 0" material="m"/><box size="0.3 0.1 0.3" at="0.15 -0.05 0" '
    'material="m"/><box size="0.3 0.1 0.3" at="0.15 0.25 0" material="m"/></body>')
# The end is a body that gives way.
PACKED_LID = packed(
    [(0.05 + 0.1 * i, 0, 1 if i == 0 else 0) for i in range(4)],
    '<body name="box" fixed="true"><box size="0.1 0.3 0.3" at="-0.05 0 0" material="m"/></body>'
    '<body name="lid" position="0.45 0 0"><box size="0.1 0.3 0.3" material="m"/></body>')


class TightStarts(ProgramTest):
    def start_and_run(self, text, tight):
        """Runs a scene. `tight`: whether there are pairs without room. Returns summary, frames and info."""
        scene = self.scene(text)
        self.assertEqual(self.tumble("check", scene).stderr, "")
        info = json.loads(self.tumble("info", scene, "--json").stdout)
        self.assertEqual(bool(info["tight"]), tight)
        words = self.tumble("info", scene).stdout
        self.assertEqual("without room for the contact offset" in words, tight)
        for pair in info["tight"]:
            self.assertIn(f"{pair['a']} and {pair['b']}: offset", words)
        self.tumble("run", scene, "-o", "o.csv", "--log", "l.csv", "--summary", "s.json", "--verify", "steps")
        summary = json.loads(self.path("s.json").read_text())
        self.assertEqual(summary["max_penetration"], 0)
        self.assertEqual((summary["holds"], summary["freezes"]), (0, 0))
        self.assertLess(summary["max_energy_gain"], 1e-6)
        header, rows = self.table("o.csv")
        return summary, [dict(zip(header, row)) for row in rows], info

    def test_a_wheel_on_an_axle_that_touches_the_floor_turns(self):
        for text, tight in ((WHEEL, True), (FORK, True), (GEARS, True)):
            with self.subTest(text=text):
                _, frames, info = self.start_and_run(text, tight)
                self.assertIn({"floor", "wheel"}, [{p["a"], p["b"]} for p in info["tight"]])
                for frame in frames:
                    self.assertLess(math.hypot(frame["wheel.x"], frame["wheel.y"] - 0.1), 1e-6)
                # Nothing presses the wheel against the floor, so nothing brakes it.
                self.assertAlmostEqual(frames[-1]["wheel.wz"], frames[0]["wheel.wz"], delta=0.01)

    def test_a_door_that_touches_the_floor_is_not_braked(self):
        # The joints can carry any part of the force between door and floor: nothing presses them together.
        turning = 'velocity="0 0 -1" angular-velocity="0 2 0"'
        for text, motion, column in ((DOOR, turning, "wy"), (FRAMED_DOOR, turning, "wy"),
                                     (SHUTTER, 'velocity="1 0 0"', "vx")):
            with self.subTest(text=text):
                _, frames, _ = self.start_and_run(text.format(motion=motion, script=""), True)
                start = frames[0][f"door.{column}"]
                for frame in frames:
                    self.assertAlmostEqual(frame[f"door.{column}"], start, delta=1e-3 * start)

    def test_a_script_moves_a_door_that_touches_the_floor(self):
        script = ('<script joint="hinge"><key t="0" value="0" velocity="0"/>'
                  '<key t="1" value="1" velocity="0"/></script>')
        for text in (DOOR, FRAMED_DOOR, SHUTTER):
            with self.subTest(text=text):
                _, _, info = self.start_and_run(text.format(motion="", script=script), True)
                # At rest at both ends, and nothing brakes it: the script has done no work.
                header, rows = self.table("l.csv")
                work = [row[header.index("work")] for row in rows]
                self.assertLess(abs(work[-1]), 1e-3 * max(map(abs, work)))

    def test_a_box_that_fills_the_space_between_walls_falls_without_jamming(self):
        for text in (SNUG, SNUG_TWO, SNUG_CASE):
            with self.subTest(text=text):
                _, frames, _ = self.start_and_run(text, True)
                fall = frames[-1]["b1.y"] - frames[0]["b1.y"]
                if text is SNUG_CASE:
                    self.assertLess(frames[-1]["case.y"], 0.1)
                    self.assertAlmostEqual(frames[-1]["b1.y"], frames[-1]["case.y"], delta=1e-4)
                else:  # No force presses it against the walls: it falls freely.
                    self.assertAlmostEqual(fall, -0.5 * 9.81 * 0.5 ** 2, delta=1e-3)

    def test_a_scripted_case_takes_along_the_box_that_fills_it(self):
        _, frames, _ = self.start_and_run(SNUG_SCRIPTED, True)
        self.assertAlmostEqual(frames[-1]["b.x"], 0.5, delta=1e-6)

    def test_boxes_that_fill_a_bin_in_two_layers_stay(self):
        _, frames, _ = self.start_and_run(FULL_BIN, True)
        for name in ("b00", "b01", "b10", "b11"):
            self.assertAlmostEqual(frames[-1][f"{name}.y"], frames[0][f"{name}.y"], delta=1e-6)

    def test_packed_balls_tapped_at_restitution_1_end_and_report_the_energy_removed(self):
        for text, closed in ((PACKED, True), (PACKED_LAYERS, True), (PACKED_LID, False)):
            with self.subTest(text=text):
                summary, frames, _ = self.start_and_run(text, closed)
                mass = 500 * 4 / 3 * math.pi * 0.05 ** 3
                self.assertAlmostEqual(summary["energy_start"], 0.5 * mass, delta=1e-9)
                lost = summary["energy_start"] - summary["energy_end"]
                self.assertAlmostEqual(summary["impact_loss"], lost, delta=1e-3 * summary["energy_start"])
                if closed:
                    self.assertGreater(summary["impact_loss"], 0)
                    self.assertTrue([w for w in summary["warnings"] if "energy was removed" in w])


if __name__ == "__main__":
    unittest.main()
