#!/usr/bin/env python3
"""Joints as users see them: the output of check, info and run."""
import json
import math
import unittest

from program import ProgramTest

FOUR_BAR = """<scene><body name="left" position="0 0.5 0"><box size="0.1 1 0.1"/></body>
  <body name="coupler" position="1 1 0"><box size="2 0.1 0.1"/></body>
  <body name="right" position="2 0.5 0"><box size="0.1 1 0.1"/></body>
  <joint name="A" type="hinge" b="left" at="0 0 0" axis="0 0 1"/>
  <joint name="B" type="hinge" a="left" b="coupler" at="0 1 0" axis="0 0 1"/>
  <joint name="C" type="hinge" a="coupler" b="right" at="2 1 0" axis="0 0 1"/>
  <joint name="D" type="hinge" b="right" at="2 0 0" axis="0 0 1"/></scene>"""

ROD = """<scene><simulation duration="0.1"/>\
<body name="rod" position="0.5 0 0" {body}><box size="1 0.1 0.1"/></body>
  <joint name="pin" type="distance" b="rod" at-a="0 1 0" at-b="0 0 0" {joint}/></scene>"""

PLANK = """<scene><body name="plank"><box size="1.2 0.1 0.1"/></body>
  <joint name="near" type="nail" b="plank" at="-0.5 0 0"/>
  <joint name="far" type="nail" b="plank" at="0.51 0 0" at-b="0.5 0 0"/></scene>"""

# A script turns a crank, which is pinned to a block that two sliders lock.
LOCKED = """<scene><simulation duration="2"/>
  <body name="crank" position="0.5 0 0"><box size="1 0.1 0.1"/></body>
  <body name="block" position="1.5 0 0"><box size="1 0.2 0.2"/></body>
  <joint name="shaft" type="hinge" b="crank" at="0 0 0" axis="0 0 1"/>
  <joint name="pin" type="hinge" a="crank" b="block" at="1 0 0" axis="0 0 1"/>
  <joint name="bore-x" type="slider" b="block" axis="1 0 0"/>
  <joint name="bore-y" type="slider" b="block" axis="0 1 0"/>
  <script joint="shaft"><key t="0" value="0"/><key t="0.5" value="0"/><key t="1" value="1"/></script>
</scene>"""


class Joints(ProgramTest):
    def test_info_has_the_joint_graph(self):
        scene = self.scene(FOUR_BAR)
        info = json.loads(self.tumble("info", scene, "--json").stdout)
        self.assertEqual([(j["name"], j["type"], j["rows"]) for j in info["joints"]],
                         [(name, "hinge", 5) for name in "ABCD"])
        island, = info["islands"]
        self.assertEqual(sorted(island["bodies"]), ["coupler", "left", "right"])
        self.assertEqual([island[key]
                          for key in ("loops", "rows", "rank", "redundant_rows", "degrees_of_freedom")],
                         [1, 20, 17, 3, 1])
        words = self.tumble("info", scene).stdout
        self.assertRegex(words, r"B +hinge, 5 rows, left to coupler")
        self.assertIn("redundant rows 3, degrees of freedom 1", words)

    def test_check_counts_joints_and_ropes(self):
        self.assertIn("4 joints", self.tumble("check", self.scene(FOUR_BAR)).stdout)
        rope = self.scene(ROD.format(body="", joint='range="0 2"'))
        self.assertIn("1 joint,", self.tumble("check", rope).stdout)
        joint, = json.loads(self.tumble("info", rope, "--json").stdout)["joints"]
        self.assertEqual([joint["name"], joint["type"], joint["rows"], joint["limits"]],
                         ["pin", "distance", 0, 1])

    def test_a_large_gap_in_a_joint_is_bad_input_and_nothing_is_written(self):
        scene = self.scene(ROD.format(body="", joint='length="1.5"'))
        for verb in (["check"], ["info"], ["run", "-o", "out.csv"], ["render", "-o", "out.png"]):
            words = self.tumble(verb[0], scene, *verb[1:], status=3).stderr
            self.assertRegex(words, r'^pair\.xml:2:3: .*joint "pin" is open by 0\.5 m')
        self.assertFalse(self.path("out.csv").exists() or self.path("out.png").exists())

    def test_joints_that_cannot_all_be_closed_are_bad_input_and_are_named(self):
        for verb in (["check"], ["run", "-o", "out.csv"]):
            words = self.tumble(verb[0], self.scene(PLANK), *verb[1:], status=3).stderr
            self.assertRegex(words, r'joint "(near|far)" cannot be closed together with the other joints: '
                                    r'0\.01 m stay open')
        self.assertFalse(self.path("out.csv").exists())

    def test_joints_that_become_contradictory_end_the_run_and_are_named(self):
        words = self.tumble("run", self.scene(LOCKED), "-o", "out.csv", "--summary", "s.json",
                            status=1).stderr
        self.assertRegex(words, r'joint "(shaft|pin|bore-x|bore-y)" cannot be kept closed')
        self.assertRegex(json.loads(self.path("s.json").read_text())["stopped"],
                         r'joint "[a-z-]+" cannot be kept closed')
        _, rows = self.table("out.csv")
        for row in rows:  # the rows before stay and are right
            self.assertTrue(all(math.isfinite(float(number)) for number in row))
            self.assertLessEqual(float(row[0]), 0.6)

    def test_changes_at_the_start_are_reported_and_in_the_summary(self):
        scene = self.scene(ROD.format(body='velocity="0 -1 0"', joint='length="1.01"'))
        words = self.tumble("run", scene, "--summary", "s.json").stderr
        summary = json.loads(self.path("s.json").read_text())
        self.assertEqual(len(summary["warnings"]), 2)
        for warning in summary["warnings"]:
            self.assertIn(warning, words)
        self.assertLess(summary["max_joint_error"], 1e-12)

    def test_the_log_has_the_joint_error(self):
        self.tumble("run", self.scene(FOUR_BAR.replace("<scene>", '<scene><world gravity="3 -9.81 1"/>')),
                    "--method", "precise", "--duration", "0.5", "--log", "log.csv")
        header, rows = self.table("log.csv")
        errors = [float(row[header.index("max_joint_error")]) for row in rows]
        self.assertLess(max(errors), 1e-12)
        self.assertGreater(max(errors), 0)  # rounding errors of a motion


if __name__ == "__main__":
    unittest.main()
