#!/usr/bin/env python3
"""The shipped scenes with contact. Each test proves the claim at the top of the scene file."""
import csv
import json
import math
import unittest

from program import SOURCE, ProgramTest

G = 9.81
ACCURACY = 1e-3  # default accuracy of the fast method
CONTACT_OFFSET = 2e-5  # in radii of a body: a hundredth of the accuracy for each of the two bodies


class SceneTest(ProgramTest):
    def run_shipped(self, name, *more):
        """Runs a scene with verification of every step. Checks what holds for every scene.

        Returns summary and frames.
        """
        path = SOURCE / "scenes" / f"{name}.xml"
        self.tumble("run", path, "-o", "out.csv", "--log", "l.csv", "--summary", "s.json",
                    "--verify", "steps", *more)
        summary = json.loads(self.path("s.json").read_text())
        self.assertEqual(summary["method"], "fast")
        self.assertEqual(summary.get("stopped", ""), "")
        self.assertEqual((summary["max_penetration"], summary["freezes"], summary["warnings"]), (0, 0, []))
        self.assertLessEqual(summary["holds"], summary["steps"] / 1000)
        self.assertLess(summary["max_contact_residual"], 1e-6)
        self.check_energy(path)
        return summary, self.frames()

    def check_energy(self, path):
        """Contact only dissipates. A gain of energy is at most the error of smooth motion
        plus weights times contact offsets.
        """
        header, rows = self.table("l.csv")
        column = {name: i for i, name in enumerate(header)}
        least, gain = math.inf, 0
        for row in rows:
            energy = row[column["energy"]] - row[column["work"]]
            least = min(least, energy)
            gain = max(gain, energy - least)
        bodies = json.loads(self.tumble("info", path, "--json").stdout)["bodies"]
        lifted = sum(body["mass"] * G * CONTACT_OFFSET * body["radius"]
                     for body in bodies if not body["fixed"])
        self.assertLessEqual(gain, ACCURACY * max(row[column["kinetic"]] for row in rows) + lifted)

    def frames(self):
        header, rows = self.table("out.csv")
        return [dict(zip(header, row)) for row in rows]

    def assert_stays(self, frames, bodies, distance):
        """All bodies stay within a distance of their start, and at the end they are at rest."""
        for body in bodies:
            start = position(frames[0], body)
            self.assertLess(max(math.dist(position(frame, body), start) for frame in frames), distance, body)
            self.assert_rests(frames[-1], body)

    def assert_rests(self, frame, body):
        for column in ("vx", "vy", "vz", "wx", "wy", "wz"):
            self.assert_close(frame[f"{body}.{column}"], 0, 1e-6, f"{body}.{column}")


def position(frame, body):
    return [frame[f"{body}.{k}"] for k in "xyz"]


def names(frame, kind):
    """The bodies of a frame whose names begin with `kind`."""
    return [name[:-2] for name in frame if name.startswith(kind) and name.endswith(".x")]


def upright(frame, body):
    """The y component of the y axis of the body: the cosine of its inclination."""
    return 1 - 2 * (frame[f"{body}.qx"] ** 2 + frame[f"{body}.qz"] ** 2)


class Tent(SceneTest):
    def test_it_stands_above_the_critical_friction_and_slides_down_below_it(self):
        # The critical friction, from the moments of a card about its foot: tests/cli/ridges_test.py.
        critical = 0.5 / math.tan(math.radians(65)) - 0.5 * 0.002 / 0.25
        self.assertTrue(0.2 < critical < 0.27)
        _, frames = self.run_shipped("tent")
        radius = math.hypot(0.25, 0.15, 0.002) / 2
        self.assert_stays(frames, ("red-left", "red-right"), ACCURACY * radius)
        for side in ("left", "right"):
            # It lies flat: the centre is half a thickness above the table, or above the other card.
            self.assertLess(position(frames[-1], f"blue-{side}")[1], 2 * 0.002)


class Slopes(SceneTest):
    def test_below_the_angle_of_friction_a_box_stays(self):
        _, frames = self.run_shipped("slope-stick")
        self.assert_stays(frames, ["box"], 1e-7)

    def test_above_it_a_box_slides_with_constant_acceleration(self):
        _, frames = self.run_shipped("slope-slide")
        slope = math.radians(35)
        acceleration = G * (math.sin(slope) - 0.5 * math.cos(slope))
        start = position(frames[0], "box")
        for frame in frames[6:]:
            x, y, z = (a - b for a, b in zip(position(frame, "box"), start))
            way, t = x * math.cos(slope) - y * math.sin(slope), frame["t"]
            self.assert_close(way, acceleration * t * t / 2, 1e-3 * way, f"at {t}")
            speed = frame["box.vx"] * math.cos(slope) - frame["box.vy"] * math.sin(slope)
            self.assert_close(speed, acceleration * t, 1e-3 * speed, f"at {t}")
            self.assert_close(x * math.sin(slope) + y * math.cos(slope), 0, CONTACT_OFFSET * 0.27, f"at {t}")
            self.assert_close(z, 0, 1e-9, f"at {t}")
        self.assertEqual(frames[-1]["t"], 1.5)

    def test_a_box_tips_if_its_centre_is_outside_of_its_base(self):
        _, frames = self.run_shipped("slope-topple")
        self.assert_stays(frames, ["low", "high"], 1e-6)
        start, end = frames[0], frames[-1]
        self.assert_close(upright(start, "tall"), math.cos(math.radians(20)), 1e-12)
        # Its inclination changes from 20 to 110 degrees: it lies on its side on the slope.
        self.assert_close(upright(end, "tall"), math.cos(math.radians(110)), 1e-4)
        self.assert_rests(end, "tall")


class Sliding(SceneTest):
    def test_a_ball_slips_and_then_rolls(self):
        _, frames = self.run_shipped("slip-roll")
        speed, friction, radius = 2, 0.2, 0.05
        rolls = 2 * speed / (7 * friction * G)
        for frame in frames:
            t = frame["t"]
            if t < rolls:
                self.assert_close(frame["ball.vx"], speed - friction * G * t, 1e-3 * speed, f"at {t}")
                self.assert_close(-frame["ball.wz"] * radius, 2.5 * friction * G * t, 1e-3 * speed, f"at {t}")
            else:
                self.assert_close(frame["ball.vx"], 5 / 7 * speed, 1e-3 * 5 / 7 * speed, f"at {t}")
                self.assert_close(-frame["ball.wz"] * radius, 5 / 7 * speed, 1e-3 * 5 / 7 * speed, f"at {t}")
        # The speed while slipping, extrapolated, reaches the speed of rolling at the right time.
        slow = next(frame for frame in frames if frame["t"] > 0.25)
        meets = slow["t"] + (slow["ball.vx"] - frames[-1]["ball.vx"]) / (friction * G)
        self.assert_close(meets, rolls, 1e-3 * rolls)

    def test_blocks_slide_equally_far_in_every_direction(self):
        _, frames = self.run_shipped("sliding-block")
        start, end = frames[0], frames[-1]
        distance = 2 ** 2 / (2 * 0.4 * G)
        for block, way in ((f"block{k}", math.radians(60 * k)) for k in range(6)):
            x, y, z = (a - b for a, b in zip(position(end, block), position(start, block)))
            self.assert_close(x * math.cos(way) + z * math.sin(way), distance, 1e-3 * distance, block)
            self.assert_close(z * math.cos(way) - x * math.sin(way), 0, 1e-6, block)
            self.assert_rests(end, block)
            turn = sum(start[f"{block}.{q}"] * end[f"{block}.{q}"] for q in ("qw", "qx", "qy", "qz"))
            # the cosine of half the angle: the angle is below 3e-6 rad
            self.assert_close(abs(turn), 1, 1e-12, block)


class Stacks(SceneTest):
    def test_ten_boxes_stand(self):
        _, frames = self.run_shipped("stack")
        self.assertEqual(len(names(frames[0], "box")), 10)
        self.assert_stays(frames, names(frames[0], "box"), 1e-6)

    def test_ten_boxes_carry_one_a_thousand_times_as_heavy(self):
        _, frames = self.run_shipped("heavy-stack")
        self.assertEqual(len(names(frames[0], "box")), 10)
        self.assert_stays(frames, names(frames[0], "box"), 1e-6)

    def test_a_pyramid_stands(self):
        _, frames = self.run_shipped("pyramid")
        self.assertEqual(len(names(frames[0], "box")), 55)
        self.assert_stays(frames, names(frames[0], "box"), 1e-6)


class Hits(SceneTest):
    def test_a_ball_does_not_pass_through_a_thin_plate(self):
        _, frames = self.run_shipped("plate-bullet")
        plate, ball, e, speed = 7850 * 0.001 * 0.5 ** 2, 8500 * 4 / 3 * math.pi * 0.02 ** 3, 0.5, -1000
        end = frames[-1]
        # Momentum is conserved. The separation speed is half the approach speed.
        self.assert_close(end["bullet.vx"], speed * (ball - e * plate) / (ball + plate), 1e-6 * abs(speed))
        self.assert_close(end["plate.vx"], speed * (1 + e) * ball / (ball + plate), 1e-6 * abs(speed))

    def test_it_does_not_with_steps_of_a_metre_either(self):
        for step in ("1e-5", "1e-4", "1e-3"):
            with self.subTest(step=step):
                _, frames = self.run_shipped("plate-bullet", "--step", step)
                for frame in frames:
                    self.assertGreaterEqual(frame["bullet.x"] - frame["plate.x"], 0.02 + 0.0005,
                                            f"at {frame['t']}")
                self.assertLess(frames[-1]["plate.vx"], -100)  # the ball hit it

    def test_a_rod_bounces_off_a_peg_repeatedly(self):
        summary, frames = self.run_shipped("spinning-rod")
        stop = math.acos((0.02 + 0.005) / 0.2)  # rod and peg touch at this angle, on both sides
        speed, e, t, hits = 20 * 2 * math.pi, 0.8, 0.0, []
        while True:
            t += (2 if hits else 1) * stop / (speed * e ** len(hits))
            if t > 0.5:
                break
            hits.append(t)
        self.assertEqual(summary["impacts"], len(hits))
        self.assertGreater(len(hits), 5)
        for frame in frames:
            t, angle = frame["t"], 2 * math.atan2(frame["rod.qz"], frame["rod.qw"])
            self.assertLess(abs(math.remainder(angle, 2 * math.pi)), stop, f"at {t}")
            # The contact offset shortens the way between hits by about 1e-5 of it.
            if all(abs(t - hit) > 1e-4 for hit in hits):
                passed = sum(hit < t for hit in hits)
                self.assert_close(frame["rod.wz"], speed * (-e) ** passed, 1e-6 * speed, f"at {t}")

    def test_the_break_shot_stays_symmetric(self):
        _, frames = self.run_shipped("break-shot")
        balls = [(row, k) for row in range(1, 6) for k in range(1, row + 1)]
        for frame in frames:
            self.assert_close(frame["cue.z"], 0, 1e-6)
            for row, k in balls:
                x, y, z = position(frame, f"ball{row}-{k}")
                self.assertLess(math.dist(position(frame, f"ball{row}-{row + 1 - k}"), (x, y, -z)), 1e-6,
                                f"ball{row}-{k} at {frame['t']}")
        moved = {ball: math.dist(position(frames[0], name), position(frames[-1], name)) for ball in balls
                 for name in ["ball%d-%d" % ball]}
        self.assertGreater(min(moved.values()), 0.01)  # all of them moved, those at the corners farthest
        self.assertEqual(set(sorted(moved, key=moved.get)[-2:]), {(5, 1), (5, 5)})

    def test_boxes_with_restitution_1_keep_their_energy(self):
        summary, frames = self.run_shipped("ten-boxes-bouncy")
        self.assertGreater(summary["impacts"], 50)
        header, rows = self.table("l.csv")
        energy, kinetic = header.index("energy"), header.index("kinetic")
        # Each impact is solved to a residual of 1e-6.
        allowed = 1e-6 * summary["impacts"] * max(row[kinetic] for row in rows)
        for row in rows:
            self.assert_close(row[energy], rows[0][energy], allowed, f"at {row[0]}")
        for box in names(frames[0], "box"):
            self.assertGreater(frames[-1][f"{box}.y"], -0.661 + 0.1 - 1e-9)


class Clamp(SceneTest):
    def test_a_drive_presses_with_its_largest_effort_and_the_box_withstands_a_pull(self):
        _, frames = self.run_shipped("clamp", "--reactions", "r.csv", "--contacts", "c.csv")
        header, rows = self.table("r.csv")
        effort = header.index("hinge.effort")
        for row in rows[30:]:
            self.assert_close(row[effort], -30, ACCURACY * 30, f"at {row[0]}")
        # What the box carries, about the hinge: the drive and the weight of the jaw.
        info = json.loads(self.tumble("info", SOURCE / "scenes/clamp.xml", "--json").stdout)
        jaw = next(body for body in info["bodies"] if body["name"] == "upper")
        with open(self.path("c.csv"), newline="") as file:
            last = [row for row in csv.DictReader(file)
                    if row["t"] == "2" and "upper" in (row["a"], row["b"])]
        self.assertEqual({(row["a"], row["b"]) for row in last}, {("upper", "box")})
        moment = sum(float(row["x"]) * float(row["jy"]) - (float(row["y"]) - 0.06) * float(row["jx"])
                     for row in last) * 60
        expected = 30 + jaw["mass"] * G * position(frames[-1], "upper")[0]
        self.assert_close(moment, expected, ACCURACY * expected)
        # The two faces carry no more than friction allows, and the box does not slip.
        pushed = sum(float(row["jn"]) for row in last) * 60
        self.assertGreater(0.4 * 2 * pushed, 80)
        moved = math.dist(position(frames[60], "box"), position(frames[-1], "box"))
        self.assertLess(moved, ACCURACY * 0.06)
        self.assert_rests(frames[-1], "box")
        self.assert_rests(frames[-1], "upper")


class PackedBalls(SceneTest):
    def test_the_run_ends_and_says_how_much_energy_was_removed(self):
        done = self.tumble("run", SOURCE / "scenes/packed-balls.xml", "-o", "out.csv", "--summary", "s.json")
        summary = json.loads(self.path("s.json").read_text())
        frames = self.frames()
        self.assertEqual((summary["frames"], summary.get("stopped", "")), (61, ""))
        mass = 500 * 4 / 3 * math.pi * 0.05**3
        self.assert_close(summary["energy_start"], mass / 2, 1e-12)
        self.assertGreater(summary["impact_loss"], 0)
        # Impacts are solved to a residual of 1e-6.
        self.assert_close(summary["energy_start"] - summary["impact_loss"], summary["energy_end"],
                          1e-6 * summary["energy_start"])
        self.assertEqual(len(summary["warnings"]), 1)
        self.assertRegex(summary["warnings"][0], "energy was removed")
        self.assertIn(summary["warnings"][0], done.stderr)
        # There is nowhere to go.
        for ball in names(frames[0], "ball"):
            self.assertLess(math.dist(position(frames[0], ball), position(frames[-1], ball)),
                            CONTACT_OFFSET * 0.05, ball)


class Rattleback(SceneTest):
    def spin(self, frame):
        """Angular velocity about the vertical."""
        return frame["stone.wy"]

    def test_it_turns_back_if_it_spins_the_wrong_way(self):
        _, frames = self.run_shipped("rattleback")
        spins = [self.spin(frame) for frame in frames]
        self.assert_close(spins[0], 3, 1e-12)
        self.assertLess(min(spins), -1)
        # It turns once, and its motion stays smooth: no frame changes the spin by more than a tenth.
        turns = sum(a > 0 > b or a < 0 < b for a, b in zip(spins, spins[1:]) if min(abs(a), abs(b)) > 0.05)
        self.assertLessEqual(turns, 1)
        self.assertLess(max(abs(b - a) for a, b in zip(spins, spins[1:])), 0.3)

    def test_spun_the_other_way_it_does_not(self):
        _, frames = self.run_shipped("rattleback", "--set",
                                     "body:stone.angular-velocity=0.2 -3 1")
        self.assertLess(max(self.spin(frame) for frame in frames), -1)


if __name__ == "__main__":
    unittest.main()
