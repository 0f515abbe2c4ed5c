#!/usr/bin/env python3
"""Scripted joints and reactions of joints as users see them."""
import json
import math
import unittest

from program import ProgramTest

# A rod of 1 m follows a script. A second one hangs from it. At t = 1 the script stops with a jerk.
ARM = """<scene><simulation duration="2" fps="50"/>
  <body name="arm" position="0.5 0 0"><inertia mass="2" moments="0.01 0.2 0.2"/></body>
  <body name="hand" position="1 -0.5 0"><inertia mass="1" moments="0.1 0.01 0.1"/></body>
  <joint name="shoulder" type="hinge" b="arm" at="0 0 0" axis="0 0 1"/>
  <joint name="elbow" type="hinge" a="arm" b="hand" at="1 0 0" axis="0 0 1"
         limits="-40deg 40deg" restitution="0.4"/>
  <script joint="shoulder">
    <key t="0" value="0" velocity="0"/><key t="1s" value="60deg" velocity="100deg/s"/>
  </script>
</scene>"""
PARTS = ["fx", "fy", "fz", "tx", "ty", "tz", "effort"]


class Scripts(ProgramTest):
    def test_the_joint_follows_its_curve_and_energy_is_balanced(self):
        self.tumble("run", self.scene(ARM), "-o", "out.csv", "--log", "log.csv", "--summary", "s.json")
        header, rows = self.table("out.csv")
        w, z = header.index("arm.qw"), header.index("arm.qz")
        value, slope = math.radians(60), math.radians(100)
        for row in rows:
            x = min(row[0], 1.0)
            angle = x * x * (3 - 2 * x) * value + x * x * (x - 1) * slope
            self.assertAlmostEqual(2 * math.atan2(row[z], row[w]), angle, delta=1e-12)
        header, rows = self.table("log.csv")
        self.assertEqual(header[-1], "work.shoulder.script")
        self.assertLess(json.loads(self.path("s.json").read_text())["max_energy_gain"], 1e-6)
        self.assertNotEqual(rows[-1][-1], 0)

    def test_the_first_row_of_reactions_is_instantaneous_and_the_others_are_means(self):
        self.tumble("run", self.scene(ARM), "-o", "out.csv", "--reactions", "r.csv")
        header, rows = self.table("r.csv")
        self.assertEqual(header, ["t"] + [f"{joint}.{part}" for joint in ("shoulder", "elbow")
                                          for part in PARTS])
        columns, frames = self.table("out.csv")
        self.assertEqual([row[0] for row in rows], [frame[0] for frame in frames])
        # The force of the elbow and the weight change the momentum of the hand.
        fx, vx = header.index("elbow.fx"), columns.index("hand.vx")
        for k in range(1, len(rows)):
            for i, g in enumerate((0, -9.81, 0)):
                change = (frames[k][vx + i] - frames[k - 1][vx + i]) / (frames[k][0] - frames[k - 1][0])
                self.assertAlmostEqual(rows[k][fx + i] + g, change, delta=1e-4)  # 1e-6 of 2 m/s, per 0.02 s
        self.assertAlmostEqual(rows[0][fx + 1], rows[1][fx + 1], delta=0.05 * abs(rows[0][fx + 1]))

    def test_resumed_reactions_have_the_same_bytes(self):
        scene = self.scene(ARM)
        self.tumble("run", scene, "--reactions", "whole.csv")
        for stop in ("0.013", "0.999", "1.37"):
            self.tumble("run", scene, "--duration", stop, "--reactions", "part.csv", "--checkpoint", "c")
            self.tumble("run", scene, "--resume", "c", "--reactions", "part.csv")
            self.assertEqual(self.bytes_of("whole.csv"), self.bytes_of("part.csv"))
        self.tumble("run", scene, "--duration", "1", "--checkpoint", "c")
        words = self.tumble("run", scene, "--resume", "c", "--reactions", "part.csv", status=2).stderr
        self.assertIn("was written without --reactions", words)

    def test_info_marks_joints_with_a_script(self):
        scene = self.scene(ARM)
        self.assertRegex(self.tumble("info", scene).stdout, r"shoulder +hinge, 6 rows, follows a script")
        joints = json.loads(self.tumble("info", "--json", scene).stdout)["joints"]
        self.assertEqual([joint["scripted"] for joint in joints], [True, False])

    def test_a_taut_rope_pulls_from_the_first_row_on(self):
        scene = self.scene("""<scene><simulation duration="0.1" fps="20"/>
            <body name="weight" position="0 -1 0"><inertia mass="2" moments="0.1 0.1 0.1"/></body>
            <joint name="rope" type="distance" b="weight" at-a="0 0 0" range="0 1"/></scene>""")
        self.tumble("run", scene, "--reactions", "r.csv")
        header, rows = self.table("r.csv")
        for row in rows:
            self.assertAlmostEqual(row[header.index("rope.fy")], 2 * 9.81, delta=1e-6)

    def test_two_outputs_to_the_same_file_are_refused_for_any_spelling_of_the_path(self):
        scene = self.scene(ARM)
        self.tumble("run", scene, "-o", "o.csv", "--reactions", "./o.csv", status=2)
        self.assertFalse(self.path("o.csv").exists())

    def test_a_script_that_does_not_begin_at_the_start_position_is_refused(self):
        words = self.tumble("run", self.scene(ARM.replace('t="0" value="0"', 't="0" value="0.5"')),
                            status=3).stderr
        self.assertRegex(words, r'joint "shoulder" is open .* script')

    def test_output_of_reactions_does_not_change_the_motion(self):
        scene = self.scene(ARM)
        self.tumble("run", scene, "-o", "plain.csv")
        self.tumble("run", scene, "-o", "asked.csv", "--reactions", "r.csv")
        self.assertEqual(self.bytes_of("plain.csv"), self.bytes_of("asked.csv"))

    def test_without_joints_only_the_time_is_written(self):
        scene = self.scene('<scene><simulation duration="0.1"/>'
                           '<body name="b"><sphere radius="1"/></body></scene>')
        self.tumble("run", scene, "--reactions", "r.csv")
        self.assertEqual(self.table("r.csv")[0], ["t"])

    def test_joints_drift_with_baumgarte_alone_and_need_cash_karp(self):
        text = ARM.replace('fps="50"', 'fps="50" integrator="cash-karp" accuracy="1e-3" baumgarte="{}"')
        gaps = {}
        for gains in ("0 0", "100 20"):
            self.tumble("run", self.scene(text.format(gains)), "--summary", "s.json")
            gaps[gains] = json.loads(self.path("s.json").read_text())["max_joint_error"]
        self.assertGreater(gaps["0 0"], 1e-9)  # they are not closed
        self.assertLess(gaps["100 20"], gaps["0 0"])
        words = self.tumble("run", self.scene(text.format("0 0")), "--integrator", "dopri8", status=2).stderr
        self.assertIn("cash-karp", words)


if __name__ == "__main__":
    unittest.main()
