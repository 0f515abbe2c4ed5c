#!/usr/bin/env python3
"""Bodies that touch or overlap at the start: output of check and info, and the start of a run."""
import json
import unittest

from program import ProgramTest

TABLE = """<scene><simulation duration="{duration}" fps="60" {options}/>
  <body name="floor" fixed="true"><plane normal="0 1 0"/></body>
  <body name="low" position="0 {low} 0"><box size="1 1 1"/></body>
  <body name="high" position="0.2 {high} 0"><box size="1 1 1"/></body>
</scene>"""


class Starts(ProgramTest):
    def tower(self, low=0.5, high=1.5, options="", duration="0"):
        return self.scene(TABLE.format(low=low, high=high, options=options, duration=duration))

    def first_frame(self, name):
        header, rows = self.table(name)
        return dict(zip(header, rows[0]))

    def test_bodies_may_touch_at_the_start_and_info_lists_them(self):
        scene = self.tower()
        self.assertEqual(self.tumble("check", scene).stderr, "")
        info = json.loads(self.tumble("info", scene, "--json").stdout)
        self.assertEqual([(t["a"], t["b"], t["gap"]) for t in info["touching"]],
                         [("floor", "low", 0), ("low", "high", 0)])
        self.assertIn("low and high: gap 0 m", self.tumble("info", scene).stdout)
        self.assertEqual(json.loads(self.tumble("info", self.tower(0.6, 1.7), "--json").stdout)["touching"],
                         [])

    def test_touching_bodies_are_separated_by_the_contact_offset_of_the_accuracy(self):
        radius = 0.75 ** 0.5
        for accuracy in (1e-6, 1e-3):
            self.tumble("run", self.tower(), "-o", "out.csv", "--accuracy", accuracy, "--summary", "s.json")
            start = self.first_frame("out.csv")
            offset = 1e-2 * accuracy * radius
            self.assertAlmostEqual((start["low.y"] - 0.5) / offset, 1, delta=0.02)
            self.assertAlmostEqual((start["high.y"] - 1.5) / offset, 2, delta=0.04)
            self.assertEqual(json.loads(self.path("s.json").read_text())["max_penetration"], 0)

    def test_larger_overlap_is_bad_input_with_pair_depth_and_line(self):
        scene = self.tower(0.45, 1.3)
        for verb in (["check"], ["info"], ["run", "-o", "out.csv"]):
            words = self.tumble(verb[0], scene, *verb[1:], status=3).stderr.splitlines()
            self.assertRegex(words[0],
                             r'^pair\.xml:3:3: .*bodies "floor" and "low" overlap by 0\.05 m at the start; ')
            self.assertRegex(words[1],
                             r'^pair\.xml:4:3: .*bodies "low" and "high" overlap by 0\.15 m at the start; ')
            self.assertIn('settle="true"', words[0])
        self.assertFalse(self.path("out.csv").exists())

    def test_settle_pushes_bodies_apart_and_reports_it(self):
        scene = self.tower(0.45, 1.3, 'settle="true"')
        done = self.tumble("run", scene, "-o", "out.csv", "--summary", "s.json")
        self.assertIn('"low" and "high" overlap by 0.15 m at the start; they were pushed apart', done.stderr)
        start = self.first_frame("out.csv")
        # Not farther than necessary, to a hundredth of the way.
        self.assertAlmostEqual(start["low.y"], 0.5, delta=0.0005)
        self.assertAlmostEqual(start["high.y"], 1.5, delta=0.002)
        self.assertEqual(json.loads(self.path("s.json").read_text())["max_penetration"], 0)

    def test_a_later_first_contact_is_reported_once_and_the_profile_counts_searches_of_pairs(self):
        scene = self.tower(0.7, 3, duration="1")
        done = self.tumble("run", scene, "-o", "out.csv", "--method", "precise", "--profile")
        self.assertEqual(done.stderr.count('"floor" and "low" touch at t = 0.2'), 1)
        self.assertRegex(done.stderr, r"near pairs resolved from cached features \d+, searched \d+")


if __name__ == "__main__":
    unittest.main()
