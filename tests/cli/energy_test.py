#!/usr/bin/env python3
"""Energy of the shipped scenes with the fast method.

The energy error is a band that shrinks with the square of the step. Joints stay closed.
"""
import json
import sys
import unittest

from program import PROGRAM, SOURCE, ProgramTest

sys.path.insert(0, str(SOURCE / "tools"))
from scene_table import ACCURACY, compute_bands, is_smooth, run  # noqa: E402

JOINT = 1e-2 * ACCURACY  # tolerance of joints, in sizes of a body

# Scenes without contact, and the time to simulate, s. Chaotic scenes end before runs with different steps
# diverge.
SMOOTH = {"bennett": 2, "cardan": 2, "chain": 1, "double-pendulum": 2, "four-bar": 4, "gyroscope": 2,
          "hand": 1, "hanging-chain": 1, "mobile": 3,
          "orbit": 4, "parallelogram": 3, "pendulum-8": 1, "projectile": 2.5, "slider-crank": 3,
          "slider-crank-driven": 3, "stiff-chain": 4,
          "t-handle": 3, "terrain": 0.7, "tree": 1, "triple-pendulum": 1.5}
# Scenes in which bodies tip over their edges, and the time until something is hit, s.
TIPPING = {"dominoes": 0.1, "slope-topple": 0.75}


class Energy(ProgramTest):
    def run_steps(self, name, duration):
        """Summary with the default step, and logs with that step, a half and a quarter of it.

        Half a step belongs to a quarter of the accuracy, on which the damping of unresolved springs depends.
        """
        scene, until = SOURCE / "scenes" / f"{name}.xml", ("--duration", str(duration))
        summary, rows = run(PROGRAM, scene, self.folder, *until)
        step = max(row["h"] for row in rows)
        return summary, [run(PROGRAM, scene, self.folder, *until, "--step", repr(step / parts),
                             "--accuracy", repr(ACCURACY / parts ** 2))[1] for parts in (1, 2, 4)]

    def assert_second_order(self, bands):
        for wide, narrow in zip(bands, bands[1:]):
            # Errors of stiff springs fall faster at first.
            self.assertTrue(3.5 < wide / narrow < 5.5, f"{bands}: {wide / narrow}")

    def test_without_contact_the_energy_error_is_of_second_order_and_joints_stay_closed(self):
        for name, duration in SMOOTH.items():
            with self.subTest(name):
                summary, logs = self.run_steps(name, duration)
                self.assertTrue(all(map(is_smooth, logs)))
                self.assert_second_order([compute_bands(rows)[0] for rows in logs])
                bodies = json.loads(self.tumble("info", SOURCE / "scenes" / f"{name}.xml",
                                                "--json").stdout)["bodies"]
                self.assertLessEqual(summary["max_joint_error"],
                                     JOINT * max(body["radius"] for body in bodies if not body["fixed"]))
                self.assertEqual((summary["holds"], summary["freezes"], summary["warnings"]), (0, 0, []))

    def test_for_bodies_that_tip_over_an_edge_the_energy_gain_is_of_second_order(self):
        for name, duration in TIPPING.items():
            with self.subTest(name):
                _, logs = self.run_steps(name, duration)
                # The contact at the start may be an impact.
                self.assertTrue(all(rows[-1]["impacts"] == rows[2]["impacts"] and rows[-1]["contacts"] > 0
                                    for rows in logs))
                self.assert_second_order([compute_bands(rows)[1] for rows in logs])

    def test_what_unresolved_springs_lose_is_in_the_summary_and_a_warning(self):
        """A mass of 1 kg with 1 m/s: its spring has h w = 10, and takes all of its 0.5 J."""
        for step, lost in ((1e-2, True), (1e-4, False)):
            text = ('<scene><simulation method="fast" duration="1"/><world gravity="0 0 0"/>'
                    '<body name="m" velocity="1 0 0"><inertia mass="1" moments="1 1 1"/>'
                    '<box size="0.1 0.1 0.1" collide="false"/></body>'
                    '<joint type="slider" b="m" axis="1 0 0" stiffness="1e6"/></scene>')
            self.tumble("run", self.scene(text, "s.xml"), "--step", step, "--summary", "s.json", "--quiet")
            summary = json.loads(self.path("s.json").read_text())
            self.assertEqual(any("damping of springs" in text for text in summary["warnings"]), lost)
            if lost:
                self.assert_close(summary["numerical_loss"], 0.5, 0.005, "J")


if __name__ == "__main__":
    unittest.main()
