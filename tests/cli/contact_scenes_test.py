#!/usr/bin/env python3
"""The shipped scenes with contact, and the claim each file opens with."""
import json
import math
import unittest

from program import SOURCE, ProgramTest

G = 9.81
ACCURACY = 1e-3  # of the fast method, if nothing else is asked for
KEPT_GAP = 2e-5  # of a body's radius: a hundredth of the accuracy, on either side


class SceneTest(ProgramTest):
    def run_shipped(self, name, *more):
        """Runs a scene with the checker at every step, and checks what holds for every scene; returns summary and frames."""
        path = SOURCE / "scenes" / f"{name}.xml"
        self.tumble("run", path, "-o", "out.csv", "--log", "l.csv", "--summary", "s.json", "--verify", "steps", *more)
        summary = json.loads(self.path("s.json").read_text())
        self.assertEqual(summary["method"], "fast")
        self.assertEqual(summary.get("stopped", ""), "")
        self.assertEqual((summary["max_penetration"], summary["freezes"], summary["warnings"]), (0, 0, []))
        self.assertLessEqual(summary["holds"], summary["steps"] / 1000)
        self.assertLess(summary["max_contact_residual"], 1e-6)
        self.check_energy(path)
        return summary, self.frames()

    def check_energy(self, path):
        """Contact takes energy. What may come back is the error of the smooth motion, and the weight lifted through the gaps kept."""
        header, rows = self.table("l.csv")
        column = {name: i for i, name in enumerate(header)}
        least, gain = math.inf, 0
        for row in rows:
            energy = row[column["energy"]] - row[column["work"]]
            least = min(least, energy)
            gain = max(gain, energy - least)
        bodies = json.loads(self.tumble("info", path, "--json").stdout)["bodies"]
        lifted = sum(body["mass"] * G * KEPT_GAP * body["radius"] for body in bodies if not body["fixed"])
        self.assertLessEqual(gain, ACCURACY * max(row[column["kinetic"]] for row in rows) + lifted)

    def frames(self):
        header, rows = self.table("out.csv")
        return [dict(zip(header, row)) for row in rows]

    def assert_stays(self, frames, bodies, distance):
        """Not one of the bodies is ever farther than that from where it began, and in the end all are at rest."""
        for body in bodies:
            start = place(frames[0], body)
            self.assertLess(max(math.dist(place(frame, body), start) for frame in frames), distance, body)
            self.assert_rests(frames[-1], body)

    def assert_rests(self, frame, body):
        for column in ("vx", "vy", "vz", "wx", "wy", "wz"):
            self.assert_close(frame[f"{body}.{column}"], 0, 1e-6, f"{body}.{column}")


def place(frame, body):
    return [frame[f"{body}.{k}"] for k in "xyz"]


def names(frame, kind):
    """The bodies of a frame whose names begin so."""
    return [name[:-2] for name in frame if name.startswith(kind) and name.endswith(".x")]


def upright(frame, body):
    """The y component of where the body's own y axis points."""
    return 1 - 2 * (frame[f"{body}.qx"] ** 2 + frame[f"{body}.qz"] ** 2)


class Slopes(SceneTest):
    def test_below_the_angle_of_friction_a_box_stays(self):
        _, frames = self.run_shipped("slope-stick")
        self.assert_stays(frames, ["box"], 1e-7)

    def test_above_it_a_box_slides_with_an_even_acceleration(self):
        _, frames = self.run_shipped("slope-slide")
        slope = math.radians(35)
        acceleration = G * (math.sin(slope) - 0.5 * math.cos(slope))
        start = place(frames[0], "box")
        for frame in frames[6:]:
            x, y, z = (a - b for a, b in zip(place(frame, "box"), start))
            way, t = x * math.cos(slope) - y * math.sin(slope), frame["t"]
            self.assert_close(way, acceleration * t * t / 2, 1e-3 * way, f"at {t}")
            speed = frame["box.vx"] * math.cos(slope) - frame["box.vy"] * math.sin(slope)
            self.assert_close(speed, acceleration * t, 1e-3 * speed, f"at {t}")
            self.assert_close(x * math.sin(slope) + y * math.cos(slope), 0, KEPT_GAP * 0.27, f"at {t}")
            self.assert_close(z, 0, 1e-9, f"at {t}")
        self.assertEqual(frames[-1]["t"], 1.5)

    def test_a_box_tips_if_its_centre_is_beyond_its_foot(self):
        _, frames = self.run_shipped("slope-topple")
        self.assert_stays(frames, ["low", "high"], 1e-6)
        start, end = frames[0], frames[-1]
        self.assert_close(upright(start, "tall"), math.cos(math.radians(20)), 1e-12)
        # From 20 degrees out of the vertical to 110: it lies on its side on the slope.
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
        # The straight line of the slip meets the speed of the roll when it should.
        slow = next(frame for frame in frames if frame["t"] > 0.25)
        meets = slow["t"] + (slow["ball.vx"] - frames[-1]["ball.vx"]) / (friction * G)
        self.assert_close(meets, rolls, 1e-3 * rolls)

    def test_blocks_slide_to_a_stop_as_far_whatever_their_way_and_turn(self):
        _, frames = self.run_shipped("sliding-block")
        start, end = frames[0], frames[-1]
        distance = 2 ** 2 / (2 * 0.4 * G)
        for block, way in ((f"block{k}", math.radians(60 * k)) for k in range(6)):
            x, y, z = (a - b for a, b in zip(place(end, block), place(start, block)))
            self.assert_close(x * math.cos(way) + z * math.sin(way), distance, 1e-3 * distance, block)
            self.assert_close(z * math.cos(way) - x * math.sin(way), 0, 1e-6, block)
            self.assert_rests(end, block)
            turn = sum(start[f"{block}.{q}"] * end[f"{block}.{q}"] for q in ("qw", "qx", "qy", "qz"))
            self.assert_close(abs(turn), 1, 1e-12, block)  # the cosine of half the angle: 3e-6 rad


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


if __name__ == "__main__":
    unittest.main()
