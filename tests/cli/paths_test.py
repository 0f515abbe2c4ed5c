#!/usr/bin/env python3
"""Bodies on a path: <script body>, from outside."""
import csv
import json
import math
import unittest

from program import SOURCE, ProgramTest

G = 9.81

# Straight up with a constant acceleration: a cubic through two keys with these slopes is the parabola itself.
LIFT = """<scene><simulation duration="0.5" fps="50" {options}/>
  <material name="m" density="500"/>
  <body name="plate"><box size="1 0.1 1" material="m"/></body>
  <body name="box" position="0.1 0.15 0.05"><box size="0.3 0.2 0.2" material="m"/></body>
  <script body="plate">
    <key t="0" position="0 0 0" velocity="0 0 0"/><key t="1" position="0 {half} 0" velocity="0 {a} 0"/>
  </script>
</scene>"""
PLATE, BOX = 500 * 0.1, 500 * 0.3 * 0.2 * 0.2


def dense_keys(path, times):
    return "".join(f'<key t="{t!r}" position="{path(t)}"/>' for t in times)


class Paths(ProgramTest):
    def summary(self):
        return json.loads(self.path("s.json").read_text())

    def columns(self, name, *columns):
        header, rows = self.table(name)
        return [[row[header.index(column)] for row in rows] for column in columns]

    def test_an_accelerating_plate_transmits_m_a_and_takes_what_both_need(self):
        for a in (2.0, 30.0, -5.0):
            scene = self.scene(LIFT.format(options="", half=a / 2, a=a))
            self.tumble("run", scene, "-o", "o.csv", "--reactions", "r.csv", "--contacts", "c.csv",
                        "--summary", "s.json", "--verify", "steps")
            t, y, vy = self.columns("o.csv", "t", "plate.y", "plate.vy")
            for k in range(len(t)):
                self.assertAlmostEqual(y[k], a / 2 * t[k] ** 2, delta=1e-12)
            # The contact residual is at most 1e-8 of the impulses.
            (force,) = self.columns("r.csv", "plate.script.fy")
            for value in force[1:]:
                self.assertAlmostEqual(value, (PLATE + BOX) * (G + a), delta=1e-6 * (PLATE + BOX) * (G + a))
            with open(self.path("c.csv"), newline="") as file:
                header, *rows = csv.reader(file)
            passed = {}
            for row in rows:
                sign = 1 if row[header.index("a")] == "box" else -1
                passed[row[0]] = passed.get(row[0], 0.0) + sign * float(row[header.index("jy")])
            for impulse in list(passed.values())[1:]:
                self.assertAlmostEqual(impulse, BOX * (G + a) / 50, delta=1e-6 * BOX * (G + a) / 50)
            self.assertEqual(self.summary()["max_penetration"], 0)
            self.assertEqual(self.summary()["holds"], 0)

    def test_both_methods_follow_the_same_path(self):
        text = """<scene><simulation duration="2" fps="50" method="{}"/><world gravity="0 0 0"/>
          <body name="b"><box size="1 2 3" at="0.3 0.2 0.1"/></body>
          <script body="b"><key t="0" position="0 0 0" rotate="0 0 1 0deg"/>
            <key t="0.5" position="1 0 2"/><key t="1" rotate="0 1 1 400deg"/>
            <key t="1.5" position="0 3 1" rotate="1 0 0 90deg"/></script></scene>"""
        tables = []
        for method in ("precise", "fast"):
            self.tumble("run", self.scene(text.format(method)), "-o", "o.csv", "--summary", "s.json")
            tables.append(self.table("o.csv")[1])
            self.assertLess(self.summary()["max_joint_error"], 2e-5)  # 1e-2 of accuracy 1e-3, times 1.9 m
        for p, q in zip(*tables):
            # Between steps the fast method draws straight lines: a h^2/8.
            self.assertLess(max(abs(x - y) for x, y in zip(p[1:4], q[1:4])), 1e-2)
        last = tables[0][-1]
        for x, y in zip(tables[0][-1][1:8], tables[1][-1][1:8]):
            self.assertAlmostEqual(x, y, delta=1e-9)
        self.assertAlmostEqual(last[4], math.cos(math.pi / 4), delta=1e-9)  # 90 degrees about x

    def test_a_block_on_a_sinusoidal_table_leaves_and_lands_in_time(self):
        amplitude, w = 0.05, 20.0
        leaves = math.asin(G / (amplitude * w * w)) / w  # A w^2 sin(w t) = g: the table falls as fast
        y0, v0 = amplitude * math.sin(w * leaves), amplitude * w * math.cos(w * leaves)

        def gap(t):
            return y0 + v0 * (t - leaves) - G / 2 * (t - leaves) ** 2 - amplitude * math.sin(w * t)

        low, high = leaves + 0.01, leaves + 0.01
        while gap(high) > 0:
            low, high = high, high + 1e-3
        while high - low > 1e-12:
            middle = (low + high) / 2
            low, high = (middle, high) if gap(middle) > 0 else (low, middle)
        lands = high
        # 0.5 ms between keys: the curve is off by A (w dt)^4 / 384 or less, 1e-12 m.
        keys = dense_keys(lambda t: f"0 {amplitude * math.sin(w * t)!r} 0", [k * 5e-4 for k in range(801)])
        scene = self.scene(f"""<scene><simulation duration="0.4" fps="200"/>
          <body name="table"><box size="1 0.1 1" at="0 -0.05 0"/></body>
          <body name="block" position="0 0.05 0" velocity="0 1 0"><box size="0.1 0.1 0.1"/></body>
          <script body="table">{keys}</script></scene>""")
        # Steps of less than 1e-4 s show the instant; the landing is located, so that large steps do for it.
        for accuracy, finds_leaving in (("1e-6", True), ("1e-3", False)):
            self.tumble("run", scene, "--log", "l.csv", "--verify", "steps", "--summary", "s.json",
                        "--accuracy", accuracy)
            times, contacts = self.columns("l.csv", "t", "contacts")
            landed = min(s for s, c in zip(times, contacts) if s > leaves + 0.02 and c > 0)
            self.assertAlmostEqual(landed, lands, delta=1e-4)
            if finds_leaving:
                left = max(s for s, c in zip(times, contacts) if s < landed and c > 0)
                self.assertAlmostEqual(left, leaves, delta=1e-4)
            self.assertEqual(self.summary()["max_penetration"], 0)

    def test_the_script_force_replayed_on_the_free_body_gives_the_same_motion(self):
        body = '<body name="b" position="0 0 0"><box size="0.4 0.6 0.9"/></body>'
        head = '<scene><simulation duration="1" fps="100" method="{}"/>'
        path = """<script body="b">
          <key t="0" position="0 0 0" rotate="1 1 0 0deg" velocity="0 0 0" angular-velocity="0 0 0"/>
          <key t="0.4" position="0.3 0.5 0" rotate="1 1 0 50deg"/>
          <key t="1.2" position="0.2 0.4 0.6" rotate="1 1 0 200deg"/></script></scene>"""
        for method, tolerance in (("precise", 2e-4), ("fast", 2e-3)):
            self.tumble("run", self.scene(head.format(method) + body + path), "-o", "o.csv",
                        "--reactions", "r.csv")
            header, rows = self.table("r.csv")
            self.assertEqual(header[1:7],
                             [f"b.script.{part}" for part in ("fx", "fy", "fz", "tx", "ty", "tz")])
            forces = ""
            for k in range(1, len(rows)):
                span = f'from="{rows[k - 1][0]!r}" to="{rows[k][0]!r}"'
                forces += f'<force body="b" value="{rows[k][1]!r} {rows[k][2]!r} {rows[k][3]!r}" {span}/>'
                forces += f'<torque body="b" value="{rows[k][4]!r} {rows[k][5]!r} {rows[k][6]!r}" {span}/>'
            self.tumble("run", self.scene(head.format("precise") + body + forces + "</scene>"),
                        "-o", "free.csv")
            scripted, free = self.table("o.csv")[1], self.table("free.csv")[1]
            # Means over 0.01 s instead of the force itself: a dt^2/8, accelerations below 60 m/s^2.
            for p, q in zip(scripted, free):
                self.assertLess(max(abs(x - y) for x, y in zip(p[1:8], q[1:8])), tolerance)

    def test_a_released_body_flies_on_with_the_velocity_it_has(self):
        text = """<scene><simulation duration="1" fps="60" method="{}"/>
          <body name="b"><box size="0.1 0.2 0.3"/></body>
          <script body="b" release="0.33">
            <key t="0" position="0 0 0"/><key t="0.5" position="1 2 0"/></script>
          </scene>"""
        for method in ("precise", "fast"):
            scene = self.scene(text.format(method))
            self.tumble("run", scene, "-o", "whole.csv", "--log", "whole.log", "--reactions", "whole.r")
            t, x, y = self.columns("whole.csv", "t", "b.x", "b.y")
            for s, px, py in zip(t, x, y):
                late = max(s - 0.33, 0)
                self.assertAlmostEqual(px, 2 * s, delta=1e-9)
                self.assertAlmostEqual(py, 4 * s - G / 2 * late * late, delta=1e-4)  # g h^2/8 inside a step
            for stop in ("0.2", "0.33", "0.34", "0.7"):
                files = ["-o", "part.csv", "--log", "part.log", "--reactions", "part.r"]
                self.tumble("run", scene, "--duration", stop, *files, "--checkpoint", "c")
                self.tumble("run", scene, "--resume", "c", *files)
                for kind in ("csv", "log", "r"):
                    self.assertEqual(self.bytes_of(f"whole.{kind}"), self.bytes_of(f"part.{kind}"))

    def test_a_released_body_falls_on_the_floor_it_passed_through_before(self):
        scene = self.scene("""<scene><simulation duration="1.5" fps="60"/>
          <body name="floor" fixed="true"><plane normal="0 1 0"/></body>
          <body name="b"><box size="0.2 0.2 0.2"/></body>
          <script body="b" release="0.5">
            <key t="0" position="0 -1 0"/><key t="0.5" position="0 0.5 0"/></script>
          </scene>""")
        self.tumble("run", scene, "-o", "o.csv", "--summary", "s.json", "--estimate-error")
        (y,) = self.columns("o.csv", "b.y")
        self.assertAlmostEqual(y[-1], 0.1, delta=1e-4)
        self.assertEqual(self.summary()["max_penetration"], 0)

    def test_a_table_of_keys_and_an_earlier_recording(self):
        throw = """<scene><simulation duration="1" fps="100" method="precise"/>
          <body name="stone" velocity="1 5 0" angular-velocity="3 9 1">
            <box size="0.1 0.2 0.3" at="0.1 0 0"/></body></scene>"""
        self.tumble("run", self.scene(throw), "-o", "throw.csv")
        follow = """<scene><simulation duration="1" fps="100" method="precise"/><world gravity="0 0 0"/>
          <body name="{}"><box size="0.1 0.2 0.3" at="0.1 0 0"/></body>
          <script body="{}" file="throw.csv"{}/></scene>"""
        for name, columns in (("stone", ""), ("copy", ' columns="stone"')):
            self.tumble("run", self.scene(follow.format(name, name, columns)), "-o", "follow.csv")
            for p, q in zip(self.table("throw.csv")[1], self.table("follow.csv")[1]):
                self.assertLess(max(abs(x - y) for x, y in zip(p[:8], q[:8])), 1e-6)
        self.path("throw.csv").write_text("0 0 0 0\n0.5 1 0 0\n1 2 0 0\n")
        self.tumble("run", self.scene(follow.format("stone", "stone", "")), "-o", "follow.csv")
        for s, x in zip(*self.columns("follow.csv", "t", "stone.x")):
            self.assertAlmostEqual(x, 2 * s, delta=1e-9)
        for text, words in (("0 0 0\n", r"throw.csv:1:1: .*3 numbers"),
                            ("0 0 0 0\n0 1 1 1\n", r"throw.csv:2:1: .*increase"),
                            ("t,x,y\n0,1,2\n", r'no column is called "z"'),
                            ("0 0 0 x\n", r"throw.csv:1:7: .*x"),
                            ("", "contains no row"), ("0 0 0 0 0 0 0 0\n", "quaternion of length 0")):
            self.path("throw.csv").write_text(text)
            refused = self.tumble("run", self.scene(follow.format("stone", "stone", "")), status=3)
            self.assertRegex(refused.stderr, words)

    def test_a_hold_holds_and_straight_is_straight(self):
        text = """<scene><simulation duration="1.3" fps="100"/>
          <body name="arm"><box size="1 0.1 0.1" at="0.5 0 0"/></body>
          <joint name="j" type="hinge" b="arm" at="0 0 0" axis="0 0 1"/>
          <script joint="j"{}><key t="0" value="0"/><key t="0.85" value="0"/><key t="1.05" value="60deg"/>
          <key t="1.3" value="30deg"/></script></scene>"""
        self.tumble("run", self.scene(text.format("")), "-o", "o.csv", "--method", "precise")
        for t, w, z in zip(*self.columns("o.csv", "t", "arm.qw", "arm.qz")):
            angle = math.degrees(2 * math.atan2(z, w))
            self.assertGreater(angle, -1e-9)
            if t <= 0.85:
                self.assertAlmostEqual(angle, 0, delta=1e-9)
        self.tumble("run", self.scene(text.format(' curve="linear"')), "-o", "o.csv", "--method", "precise")
        for t, w, z in zip(*self.columns("o.csv", "t", "arm.qw", "arm.qz")):
            angle = math.degrees(2 * math.atan2(z, w))
            want = 0 if t < 0.85 else 300 * (t - 0.85) if t < 1.05 else 60 - 120 * (t - 1.05)
            self.assertAlmostEqual(angle, want, delta=1e-6)
        words = self.tumble("run", self.scene(text.format(' curve="hold"')), status=3).stderr
        self.assertRegex(words, "jumps at t = 1.05 s")

    def test_work_of_scripts_balances_the_energy_also_at_corners(self):
        text = """<scene><simulation duration="2" fps="50" method="{}"/>
          <body name="cart"><box size="0.4 0.2 0.3"/></body>
          <body name="bob" position="0 -0.5 0"><sphere radius="0.1"/></body>
          <joint type="ball" a="cart" b="bob" at="0 0 0"/>
          <script body="cart"{}><key t="0" position="0 0 0"/><key t="0.7" position="0.4 0.1 0"/>
          <key t="1.4" position="0 0 0.3"/></script></scene>"""
        for method in ("precise", "fast"):
            for curve in ("", ' curve="linear"'):
                self.tumble("run", self.scene(text.format(method, curve)), "--summary", "s.json")
                # Fast: m g h dv/8 at a corner and the band of its steps, beside some joules.
                self.assertLess(self.summary()["max_energy_drift"], 1e-5 if method == "precise" else 2e-2)

    def test_work_of_a_script_in_an_impact_is_counted(self):
        scene = self.scene("""<scene><simulation duration="0.5"/><world gravity="0 0 0"/>
          <body name="wall"><box size="0.1 1 1"/></body>
          <body name="block" position="0.3 0 0"><box size="0.2 0.2 0.2"/></body>
          <script body="wall" curve="linear">
            <key t="0" position="0 0 0"/><key t="1" position="1 0 0"/></script>
          </scene>""")
        self.tumble("run", scene, "--log", "l.csv", "--summary", "s.json")
        mass = 1000 * 0.2 ** 3
        (work,) = self.columns("l.csv", "work.wall.script")
        self.assertAlmostEqual(work[-1], mass * 1 ** 2, delta=1e-6 * mass)  # twice what the block has
        self.assertLess(self.summary()["max_energy_gain"], 1e-6)

    def test_bodies_that_cannot_be_pushed_pass_through_each_other(self):
        scene = self.scene("""<scene><simulation duration="1" method="fast"/>
          <body name="post" fixed="true"><box size="1 1 1"/></body>
          <body name="a" position="-2 0 0"><box size="1 1 1"/></body>
          <body name="b" position="2 0 0"><box size="1 1 1"/></body>
          <script body="a"><key t="0" position="-2 0 0"/><key t="1" position="2 0 0"/></script>
          <script body="b"><key t="0" position="2 0 0"/><key t="1" position="-2 0 0"/></script></scene>""")
        self.tumble("run", scene, "-o", "o.csv", "--summary", "s.json")
        self.assertAlmostEqual(self.columns("o.csv", "a.x")[0][-1], 2, delta=1e-12)
        self.assertEqual(self.summary()["max_penetration"], 0)

    def test_a_script_that_begins_elsewhere_is_a_warning(self):
        text = LIFT.format(options="", half=1, a=2)
        text = text.replace('<body name="plate">', '<body name="plate" position="0 0.3 0">')
        done = self.tumble("check", self.scene(text))
        self.assertRegex(done.stderr, r'body "plate": its script begins elsewhere; it starts there, 0.3 m')

    def shipped(self, name):
        self.tumble("run", SOURCE / "scenes" / f"{name}.xml", "-o", "o.csv", "--reactions", "r.csv",
                    "--summary", "s.json", "--verify", "steps")
        self.assertEqual(self.summary()["max_penetration"], 0)
        self.assertEqual(self.summary()["holds"], 0)
        self.assertEqual(self.summary()["warnings"], [])

    def test_turntable_a_rolling_ball_circles_with_two_sevenths_of_the_speed_of_the_table(self):
        self.shipped("turntable")
        t, x, z = self.columns("o.csv", "t", "ball.x", "ball.z")
        for px, pz in zip(x, z):
            self.assertAlmostEqual(math.hypot(px - 0.45, pz), 0.12, delta=0.0012)
        turned = 0.0
        for k in range(1, len(t)):
            a, b = (math.atan2(-z[i], x[i] - 0.45) for i in (k - 1, k))
            turned += (b - a + math.pi) % (2 * math.pi) - math.pi
        self.assertAlmostEqual(2 * math.pi * t[-1] / turned, 2 * math.pi / (2 / 7 * 4), delta=0.055)
        x, z = self.columns("o.csv", "block.x", "block.z")
        self.assertAlmostEqual(math.hypot(x[-1], z[-1]), 0.2, delta=1e-4)  # it sticks

    def test_lift_the_plate_takes_the_weight_of_both_at_rest(self):
        self.shipped("lift")
        masses = 7800 * 0.8 * 0.04 * 0.8 + 600 * 0.3 * 0.2 * 0.22
        t, force = self.columns("r.csv", "t", "plate.script.fy")
        for s, f in zip(t, force):
            if s < 0.49 or 2.02 < s < 2.49 or s > 4.02:
                self.assertAlmostEqual(f, masses * G, delta=1e-5 * masses * G)
        x, y, plate = self.columns("o.csv", "box.x", "box.y", "plate.y")
        for a, b in zip(y, plate):
            self.assertAlmostEqual(a - b, 0.12, delta=1e-4)
        self.assertAlmostEqual(x[-1], 0, delta=1e-3)  # turned by 90 degrees with the plate

    def test_conveyor_boxes_ride_along_and_drop_off_the_end(self):
        self.shipped("conveyor")
        for k, start in ((1, -1.2), (2, -0.6), (3, 0.0)):
            t, x, y = self.columns("o.csv", "t", f"box{k}.x", f"box{k}.y")
            for s, px, py in zip(t, x, y):
                if start + 0.4 * s < 0.55:
                    self.assertAlmostEqual(px, start + 0.4 * s, delta=1e-4)
                    self.assertAlmostEqual(py, 0.6, delta=1e-4)
            self.assertGreater(x[-1], 0.6)

    def test_stir_nothing_leaves_the_bowl_and_all_is_moved(self):
        self.shipped("stir")
        for name in ("ball1", "ball2", "ball3", "box1", "box2"):
            x, y, z = self.columns("o.csv", f"{name}.x", f"{name}.y", f"{name}.z")
            self.assertLess(math.hypot(x[-1], z[-1]), 0.17)
            self.assertGreater(min(y), 0)
        moved = [abs(a - b) for a, b in zip(*self.columns("o.csv", "ball1.x", "ball1.z"))]
        self.assertGreater(max(moved) - min(moved), 0.02)

    def test_two_rods_always_touch_and_an_orientation_stays(self):
        text = """<scene><simulation duration="2" fps="50" method="{}"/>
          <body name="a"><capsule radius="0.02" length="2" collide="false"/></body>
          <body name="b" position="0.1 0.3 0" rotate="0 0 1 70deg" velocity="0.2 0 0"
            angular-velocity="0 0.5 1">
            <capsule radius="0.02" length="2" collide="false"/></body>
          <joint name="pivot" type="nail" b="a" at="0 1 0"/>
          <joint name="touch" type="line-on-line" a="a" b="b" at="0 0.3 0" axis="0 1 0"
            axis2="-0.93969262 0.34202014 0"/>
          <body name="c" position="3 0 0" angular-velocity="1 2 3"><box size="0.3 0.2 0.1"/></body>
          <body name="d" position="3 1 0" velocity="1 0 0"><box size="0.2 0.2 0.4"/></body>
          <joint name="keep" type="orientation" a="c" b="d"/></scene>"""
        for method, gap in (("precise", 1e-9), ("fast", 2e-5)):
            self.tumble("run", self.scene(text.format(method)), "-o", "o.csv", "--summary", "s.json")
            self.assertLess(self.summary()["max_joint_error"], gap)
            header, rows = self.table("o.csv")
            c, d = header.index("c.qw"), header.index("d.qw")
            for row in rows:
                dot = abs(sum(x * y for x, y in zip(row[c:c + 4], row[d:d + 4])))
                self.assertAlmostEqual(dot, 1, delta=1e-8)
            vx = header.index("d.vx")
            self.assertAlmostEqual(rows[-1][vx], 1, delta=1e-9)  # it travels freely

    def test_info_says_which_body_is_on_a_path(self):
        scene = self.scene(LIFT.format(options="", half=1, a=2))
        self.assertRegex(self.tumble("info", scene).stdout, r"plate.*on a path")


if __name__ == "__main__":
    unittest.main()
