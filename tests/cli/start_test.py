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


RAIL = """<scene name="rail"><simulation duration="0.1"/>
  <body name="rail"{velocity}><box size="1 0.1 0.1"/></body>
  <script body="rail"><key t="0" position="0 0 0" velocity="2 0 0"/><key t="1" position="2 0 0"/></script>
  <body name="cart" position="0 1 0" velocity="{cart} 0 0"><box size="0.2 0.2 0.2"/></body>
  <joint name="weld" type="fixed" a="rail" b="cart"/>
  <body name="jaw" position="0 4 0" angular-velocity="0 0 1"><box size="0.2 0.2 0.2"/></body>
  <joint name="jaw" type="hinge" b="jaw" at="0 4 0" axis="0 0 1"/>
  <script joint="jaw"><key t="0" value="0" velocity="{jaw}"/><key t="1" value="1"/></script>
  {more}
</scene>"""


class Scripts(ProgramTest):
    def warnings(self, **options):
        values = {"velocity": "", "cart": 2, "jaw": 1, "more": ""} | options
        scene = self.scene(RAIL.format(**values))
        self.tumble("run", scene, "-o", "a.tumble", "--summary", "s.json", "--method", "precise")
        summary = json.loads(self.path("s.json").read_text())["warnings"]
        recorded = json.loads(self.tumble("info", "a.tumble", "--json").stdout)["warnings"]
        self.assertEqual(summary, recorded)
        said = self.tumble("info", "a.tumble").stdout
        self.assertTrue(all(text in said for text in summary))
        return summary

    def test_velocities_that_agree_with_scripts_give_no_warning(self):
        self.assertEqual(self.warnings(), [])
        self.assertEqual(self.warnings(velocity=' velocity="2 0 0"'), [])

    def test_a_script_that_is_contradicted_is_named_with_the_speeds(self):
        [text] = self.warnings(jaw=3)
        self.assertIn('the script of joint "jaw" prescribes 3 rad/s and the start has 1 rad/s', text)
        [text] = self.warnings(cart=1)
        self.assertRegex(text, 'body "cart": .* changed by 1 m/s.*the script of body "rail" prescribes 2 m/s')
        [text] = self.warnings(velocity=' velocity="0 0 0"')
        self.assertIn('the script of body "rail" prescribes another, which differs by 2 m/s', text)
        both = self.warnings(cart=1, jaw=3)
        self.assertEqual(len(both), 2)
        self.assertIn('the script of joint "jaw" prescribes 3 rad/s', both[1])

    def test_scripts_that_contradict_each_other_at_the_start_are_named(self):
        more = """<body name="other" position="0 2 0"><box size="1 0.1 0.1"/></body>
          <script body="other">
            <key t="0" position="0 2 0" velocity="-1 0 0"/><key t="1" position="-2 2 0"/>
          </script>
          <joint name="tie" type="fixed" a="other" b="cart"/>"""
        scene = self.scene(RAIL.format(velocity="", cart=2, jaw=1, more=more))
        for verb in (["check"], ["info"], ["run", "-o", "a.csv"]):
            words = self.tumble(verb[0], scene, *verb[1:], status=1 if verb[0] == "run" else 0).stderr
            self.assertRegex(words, r'warning: joint "(weld|tie)": .* contradict each other')
            self.assertIn('the script of body "rail"', words)
            self.assertIn('the script of body "other"', words)


class Warnings(ProgramTest):
    """What is said when a scene is read is in the summary and in the recording."""

    def test_warnings_of_reading_are_kept_without_the_folder_of_the_scene(self):
        text = """<scene name="odd"><simulation duration="0.1"/>
          <mesh name="m" file="m.obj"/><material name="wood" density="0.7"/>
          <body name="a"><shape mesh="m" material="wood"/></body>
          <body name="b" position="9 0 0" rotate="0 0 1 90"><sphere radius="1"/></body>
          <joint name="j" type="hinge" b="b" at="9 0 0" axis="0 0 1" limits="0.00005 1"/></scene>"""
        inside_out = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n"
        found = {}
        for folder in ("deep", "other"):
            self.path(folder).mkdir()
            self.path(f"{folder}/m.obj").write_text(inside_out)
            self.scene(text, f"{folder}/odd.xml")
            done = self.tumble("run", f"{folder}/odd.xml", "-o", "a.tumble", "--summary", "s.json",
                               "--checkpoint", "c", "--method", "precise")
            found[folder] = json.loads(self.path("s.json").read_text())["warnings"]
            for words in ("inside-out", "0.7g/cm3", "90deg", "beyond its lower limit by 5e-05 rad"):
                self.assertEqual(sum(words in w for w in found[folder]), 1, words)
                self.assertEqual(done.stderr.count(words), 1, done.stderr)
            self.assertEqual(json.loads(self.tumble("info", "a.tumble", "--json").stdout)["warnings"],
                             found[folder])
            bytes_of_run = self.bytes_of("a.tumble")
            # A resumed run has them once.
            self.tumble("run", f"{folder}/odd.xml", "-o", "a.tumble", "--summary", "s.json",
                        "--resume", "c", "--method", "precise")
            self.assertEqual(self.bytes_of("a.tumble"), bytes_of_run)
            self.assertEqual(json.loads(self.path("s.json").read_text())["warnings"], found[folder])
        self.assertEqual(found["deep"], found["other"])
        self.assertTrue(any(w.startswith("odd.xml:") for w in found["deep"]), found)

    def test_info_says_which_limits_were_widened(self):
        scene = self.scene("""<scene><body name="ball" position="1 -1 0"><sphere radius="0.1"/></body>
          <joint name="rope" type="distance" b="ball" at-a="0 0 0" range="0 1.41421356"/></scene>""")
        done = self.tumble("info", scene)
        self.assertIn("upper limit widened by 2.37e-09 m to where the joint starts", done.stdout)
        self.assertIn('joint "rope": it starts beyond its upper limit by 2.3731e-09 m', done.stderr)
        [widened] = json.loads(self.tumble("info", scene, "--json").stdout)["joints"][0]["widened"]
        self.assertEqual((widened["limit"], widened["unit"]), ("upper limit", "m"))
        self.assert_close(widened["by"], 2 ** 0.5 - 1.41421356, 1e-15)

    def test_start_is_a_bound_in_settings_too_but_not_in_inputs(self):
        scene = self.scene("""<scene><simulation duration="0.1"/>
          <body name="bar" position="1 0 0"><box size="2 0.1 0.1"/></body>
          <joint name="knee" type="hinge" b="bar" at="0 0 0" axis="0 0 1" limits="-1 1"/></scene>""")
        self.tumble("run", scene, "--set", "knee.limits=start 1", "-o", "a.csv")
        header, rows = self.table("a.csv")
        self.assert_close(rows[-1][header.index("bar.y")], 0, 1e-9)
        self.path("i.jsonl").write_text('{"t": 0.05, "set": "knee.limits", "value": "start 1"}\n')
        self.assertIn("is not a number", self.tumble("run", scene, "--inputs", "i.jsonl", status=3).stderr)


if __name__ == "__main__":
    unittest.main()
