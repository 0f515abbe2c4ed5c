#!/usr/bin/env python3
"""Jams and joints that contradict each other: exit 1 with names and time, what was written stays good.

Each scene has two relatives that differ in topology: behind a joint, and in a second island.
"""
import json
import re
import unittest

from program import SOURCE, ProgramTest

STEP = 1 / 60  # s; a run ends with the last whole step, and no step is longer

# A body on a scripted rail, welded to one that is nailed to the world. With AT_REST the contradiction begins
# after the start.
AT_REST = ' velocity="0"'
CONTRADICTION = """<scene><simulation duration="0.01" fps="100"/>
  <body name="a" position="0 0 1"><box size="1 1 1"/></body>
  <body name="b" position="3 0 1"><box size="1 1 1"/></body>
  <joint name="rail" type="slider" b="a" axis="0 1 0" at="0 0 1"/>
  <script joint="rail"><key t="0" value="0"{begin}/><key t="1" value="4"/></script>
  <joint name="weld" type="fixed" a="a" b="b" at="1 0 1"/>
  <joint name="pin" type="nail" b="b" at="3 0 1"/>{more}
</scene>"""
# A loop whose two cranks follow different scripts.
LOOP = """<scene><simulation duration="1" fps="60"/>
  <body name="left" position="0 1.5 0"><box size="0.1 1 0.1"/></body>
  <body name="right" position="1 1.5 0"><box size="0.1 1 0.1"/></body>
  <body name="coupler" position="0.5 2 0.2"><box size="1 0.1 0.1"/></body>
  <joint name="rail" type="hinge" b="left" at="0 1 0" axis="0 0 1"/>
  <joint name="weld" type="hinge" b="right" at="1 1 0" axis="0 0 1"/>
  <joint name="pin" type="ball" a="left" b="coupler" at="0 2 0.2"/>
  <joint name="pin2" type="ball" a="right" b="coupler" at="1 2 0.2"/>
  <script joint="rail"><key t="0" value="0"{begin}/><key t="1" value="0.5"/></script>
  <script joint="weld"><key t="0" value="0"{begin}/><key t="1" value="-0.5"/></script>
</scene>"""
FALLING = """
  <body name="ball" position="9 1 0"><sphere radius="0.1"/></body>
  <body name="ground" fixed="true" position="9 0 0"><box size="1 0.1 1"/></body>"""

# A scripted hinge closes on a box.
NUTCRACKER = """<scene><simulation duration="1" fps="60"/>
  <body name="lower" fixed="true"><box size="0.4 0.02 0.1" at="0.2 -0.01 0"/></body>
  <body name="upper" position="0 0.05 0" rotate="0 0 1 20deg">
    <box size="0.4 0.02 0.1" at="0.2 0.01 0"/></body>
  <joint name="jaw" type="hinge" a="lower" b="upper" at="0 0.05 0" axis="0 0 1"/>
  <script joint="jaw"><key t="0" value="0"/><key t="1" value="-20deg"/></script>
  <body name="nut" position="0.25 0.0301 0"><box size="0.06 0.06 0.06"/></body>{more}
</scene>"""
# A scripted body pushes a box on rails against a wall.
VICE = """<scene><simulation duration="1" fps="60"/>
  <body name="lower" fixed="true"><box size="0.1 1 1" at="-0.15 0 0"/></body>
  <body name="nut" position="0.1 0 0"><box size="0.2 0.2 0.2"/></body>
  <joint name="rails" type="slider" b="nut" at="0.1 0 0" axis="1 0 0"/>
  <body name="upper" position="0.5 0 0"><box size="0.2 0.2 0.2"/></body>
  <script body="upper"><key t="0" position="0.5 0 0"/><key t="1" position="0.1 0 0"/></script>
</scene>"""
# A scripted rotor whose corners do not pass between two walls. They strike at
# 0.2 cos x + 0.225 sin x = 0.25, x = 0.2533 rad, and the script turns 1.5 rad/s.
ROTOR = """<scene><simulation duration="2"/>
  <body name="lower" fixed="true"><box size="0.1 1 1" at="-0.3 0 0"/><box size="0.1 1 1" at="0.3 0 0"/></body>
  <body name="upper"><box size="0.4 0.45 0.1"/></body>
  <joint name="jaw" type="hinge" b="upper" at="0 0 0" axis="0 0 1"/>
  <script joint="jaw"><key t="0" value="0"/><key t="2" value="3"/></script>
  <body name="nut" position="0 0.4 0"><sphere radius="0.05"/></body></scene>"""
# A figure folds its trunk onto its legs by scripts, which leave no room.
FOLDING = """<scene><simulation duration="1" fps="60"/><world gravity="0 0 0"/>
  <body name="thighs"><box size="0.4 0.1 0.3"/></body>
  <body name="shins" position="0.25 -0.3 0"><box size="0.1 0.4 0.3"/></body>
  <body name="trunk" position="-0.25 0.3 0"><box size="0.1 0.5 0.3"/></body>
  <joint name="hip" type="hinge" a="thighs" b="trunk" at="-0.25 0 0" axis="0 0 1"/>
  <joint name="knee" type="hinge" a="thighs" b="shins" at="0.25 0 0" axis="0 0 1"/>
  <script joint="hip"><key t="0" value="0"/><key t="1" value="-200deg"/></script>
  <script joint="knee"><key t="0" value="0"/><key t="1" value="-150deg"/></script>
</scene>"""
# A crank follows a script beyond a limit of the other crank.
PAST_LIMIT = re.sub(r'<script joint="weld">.*</script>', "", LOOP.format(begin="")).replace(
    'at="1 1 0" axis="0 0 1"', 'at="1 1 0" axis="0 0 1" limits="-0.2 0.2"')


class Jams(ProgramTest):
    def stop(self, text, *flags):
        """Runs a scene that must end with 1. Returns the message, the time in it and the log."""
        done = self.tumble("run", self.scene(text), "-o", "o.csv", "--log", "l.csv", "--summary", "s.json",
                           "--verify", "steps", *flags, status=1)
        last = done.stderr.splitlines()[-1]
        found = re.search(r"stopped: t = (\S+) s: (.*)", last)
        self.assertTrue(found, last)
        header, rows = self.table("l.csv")
        log = [dict(zip(header, row)) for row in rows]
        summary = json.loads(self.path("s.json").read_text())
        self.assertIn(found[2].split(";")[0], summary["stopped"])
        self.assertEqual(summary["max_penetration"], 0)
        # The files end with the last good state: joints are closed, and time is not beyond the message.
        self.assertLess(max(row["max_joint_error"] for row in log), 1e-3)
        self.assertLessEqual(log[-1]["t"], float(found[1]) + 1e-6)
        return found[2], float(found[1]), log

    def test_joints_that_contradict_a_script_end_the_run_and_are_named(self):
        scenes = [CONTRADICTION.format(more="", begin=begin) for begin in ("", AT_REST)]
        scenes += [CONTRADICTION.format(more=FALLING, begin=begin) for begin in ("", AT_REST)]
        scenes += [LOOP.format(begin=begin) for begin in ("", AT_REST)]
        for text in scenes:
            for method in ("fast", "precise"):
                with self.subTest(text=text, method=method):
                    words, _, log = self.stop(text, "--method", method)
                    self.assertRegex(words, r'joint "(rail|weld|pin2?)" cannot be kept closed')
                    self.assertLess(abs(log[-1]["energy"]), 10 * abs(log[0]["energy"]) + 1)

    def test_scripts_that_contradict_joints_at_the_start_are_named_before_the_run(self):
        for text, scripts in ((CONTRADICTION.format(more="", begin=""), ["rail"]),
                              (LOOP.format(begin=""), ["rail", "weld"])):
            for method in ("fast", "precise"):
                words = self.tumble("run", self.scene(text), "-o", "o.csv", "--method", method,
                                    status=1).stderr
                self.assertRegex(words, r'warning: joint "\w+": .* contradict each other')
                for script in scripts:
                    self.assertIn(f'the script of joint "{script}"', words)

    def test_a_jam_ends_the_run_when_it_happens_with_bodies_script_and_time(self):
        thrown = NUTCRACKER.format(
            more='<body name="thrown" position="3 1 0" velocity="1 3 0" angular-velocity="3 2 1">'
                 '<box size="0.1 0.2 0.3"/></body>')
        # In the vice 0.3 m of the way of 0.4 m are free.
        for text, script, when in ((NUTCRACKER.format(more=""), 'joint "jaw"', (0.8, 0.9)),
                                   (thrown, 'joint "jaw"', (0.8, 0.9)),
                                   (ROTOR, 'joint "jaw"', (0.2533 / 1.5 - STEP, 0.2533 / 1.5 + 1e-3)),
                                   (VICE, 'body "upper"', (0.75 - STEP, 0.751))):
            with self.subTest(text=text):
                words, time, log = self.stop(text)
                self.assertRegex(words, r'bodies "(nut|lower|upper)" and "(nut|lower|upper)" are jammed')
                self.assertIn(f"the script of {script}", words)
                self.assertTrue(when[0] < time < when[1], time)
                # What is pressed was not thrown about: the scripts move at less than 1 m/s.
                speed = max(max(abs(row[f"nut.v{axis}"]) for axis in "xyz") for row in self.frames())
                self.assertLess(speed, 2)

    def frames(self):
        header, rows = self.table("o.csv")
        return [dict(zip(header, row)) for row in rows]

    def test_scripted_limbs_that_leave_no_room_jam(self):
        words, _, log = self.stop(FOLDING)
        self.assertRegex(words, r'bodies "(thighs|shins|trunk)" and "(thighs|shins|trunk)" are jammed')
        self.assertLess(max(row["kinetic"] for row in log), 2 * log[0]["kinetic"] + 100)

    def test_scripted_limbs_with_room_swing_without_jamming(self):
        # A figure on a swing holds its limbs, then stretches and folds them.
        self.tumble("run", SOURCE / "tests/data/scripts/swing.xml", "-o", "o.csv", "--log", "l.csv",
                    "--summary", "s.json", "--verify", "steps")
        summary = json.loads(self.path("s.json").read_text())
        self.assertEqual((summary["holds"], summary["freezes"], summary["max_penetration"]), (0, 0, 0))
        self.assertEqual(summary["warnings"], [])
        header, rows = self.table("l.csv")
        # It falls by less than a metre and weighs less than 80 kg; the limbs do some work.
        self.assertLess(max(row[header.index("kinetic")] for row in rows), 1000)

    def test_the_same_parts_with_a_drive_of_limited_force_are_sound(self):
        text = re.sub(r'axis="0 0 1"/>\s*<script joint="jaw">.*?</script>',
                      'axis="0 0 1"><drive target="-20deg" stiffness="200" damping="20" max-force="30Nm"/>'
                      '</joint>', NUTCRACKER.format(more=""))
        self.assertNotIn("script", text)
        self.tumble("run", self.scene(text), "-o", "o.csv", "--summary", "s.json")
        summary = json.loads(self.path("s.json").read_text())
        self.assertEqual((summary["holds"], summary["freezes"]), (0, 0))

    def test_a_script_beyond_a_limit_names_the_limit(self):
        for method in ("fast", "precise"):
            with self.subTest(method=method):
                words, time, _ = self.stop(PAST_LIMIT, "--method", method)
                self.assertRegex(words, 'joint "(rail|weld)"')
                # The script is straight and reaches 0.2 rad after 0.4 s. The precise method ends with the
                # last whole step before that.
                self.assertLess(time, 0.4 + 1e-3)
                if method == "fast":
                    self.assertGreater(time, 0.4 - STEP)

    def test_a_script_that_stops_at_once_loses_no_work(self):
        # A ram compresses a spring and stops. Energy less work stays, except what the stop itself takes from
        # bodies that the ram does not hold: their kinetic energy.
        text = """<scene><simulation duration="1.2" fps="60" method="fast"/><world gravity="0 0 0"/>
          <body name="ram" position="1 0 0"><box size="0.2 0.2 0.2"/></body>
          <body name="wall" fixed="true"><box size="0.1 1 1"/></body>
          <spring a="wall" b="ram" at-a="0 0 0" at-b="1 0 0" stiffness="1e5"/>{more}
          <script {script}</script></scene>"""
        body = text.format(more="", script='body="ram"><key t="0" position="1 0 0"/>'
                                           '<key t="1" position="0.8 0 0"/>')
        joint = text.format(more='<joint name="rail" type="slider" b="ram" at="1 0 0" axis="1 0 0"/>',
                            script='joint="rail"><key t="0" value="0"/><key t="1" value="-0.2"/>')
        for scene in (body, joint):
            self.tumble("run", self.scene(scene), "-o", "o.csv", "--summary", "s.json", "--log", "l.csv")
            summary = json.loads(self.path("s.json").read_text())
            self.assertLess(summary["max_energy_gain"], 1e-3)
            self.assertLess(summary["max_energy_drift"], 1e-3)


if __name__ == "__main__":
    unittest.main()
