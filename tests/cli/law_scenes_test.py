#!/usr/bin/env python3
"""The shipped scenes that show laws of mechanics. Each test proves the claim at the top of its file."""
import math
import unittest

from contact_scenes_test import ACCURACY, CONTACT_OFFSET, G, SceneTest, position, upright
from program import SOURCE

JOINT = 1e-2 * ACCURACY  # tolerance of joints, in sizes of a body


class Cradles(SceneTest):
    ARM, RADIUS, BALLS = 0.3, 0.025, 5
    INERTIA = 1 + 0.4 * (RADIUS / ARM) ** 2  # about the pivot, in m ARM^2
    SPEED = math.sqrt(2 * G * ARM * (1 - math.cos(math.radians(30))) / INERTIA)
    # A quarter of a swing of 30 degrees: T/4 (1 + a^2/16 + ...), to three digits.
    QUARTER = math.pi / 2 * math.sqrt(ARM * INERTIA / G) * 1.017

    def speeds_below(self, frame):
        """For each ball the speed at its lowest point, by its energy; and the angle, to the right."""
        found = []
        for j in range(1, self.BALLS + 1):
            x, y, _ = position(frame, f"ball{j}")
            square = frame[f"ball{j}.vx"] ** 2 + frame[f"ball{j}.vy"] ** 2
            square += 2 * G * (y + self.ARM) / self.INERTIA
            found.append((math.sqrt(max(square, 0)), math.atan2(x - 0.05 * (j - 1), -y)))
        return found

    def swings(self, frames):
        """Frames about the middle of the first swings to the right and to the left, after each impact."""
        for i in range(4):
            yield i, next(frame for frame in frames if frame["t"] > (2 * i + 1.7) * self.QUARTER)

    def check_cradle(self, name, raised):
        _, frames = self.run_shipped(name)
        for i, frame in self.swings(frames):
            found = self.speeds_below(frame)
            moving = range(self.BALLS - raised, self.BALLS) if i % 2 == 0 else range(raised)
            for j, (speed, angle) in enumerate(found):
                allowed = (i + 1) * ACCURACY * self.SPEED  # of each impact and swing before
                if j in moving:
                    self.assert_close(speed, self.SPEED, allowed, f"m/s: ball {j + 1} at {frame['t']}")
                    self.assertEqual(angle > 0, i % 2 == 0)
                else:
                    self.assert_close(speed, 0, allowed, f"m/s: ball {j + 1} at {frame['t']}")

    def test_of_a_cradle_one_ball_leaves(self):
        self.check_cradle("newton-cradle", 1)

    def test_of_a_cradle_two_balls_leave(self):
        self.check_cradle("newton-cradle-2", 2)

    def test_of_a_cradle_three_balls_leave(self):
        self.check_cradle("newton-cradle-3", 3)

    def test_of_a_lossy_cradle_the_last_ball_leaves_with_less(self):
        _, frames = self.run_shipped("newton-cradle-lossy")
        passed_on, e = 0.95, 0.9
        _, frame = next(self.swings(frames))
        found = self.speeds_below(frame)
        self.assert_close(found[4][0], passed_on ** 4 * self.SPEED, ACCURACY * self.SPEED)
        # The other four have the rest of the momentum. None is faster than the first impact leaves it.
        self.assert_close(sum(speed for speed, _ in found), self.SPEED, 5 * ACCURACY * self.SPEED)
        for speed, _ in found[:4]:
            self.assertLess(speed, ((1 - e) / 2 + ACCURACY) * self.SPEED)


class Bounces(SceneTest):
    def test_a_ball_rises_to_the_square_of_restitution_and_comes_to_rest(self):
        _, frames = self.run_shipped("bouncing-ball")
        e, first = 0.8, math.sqrt(2 / G)
        lands, lasts = first, 2 * first * e
        for n in range(1, 8):
            rise = max(frame["ball.y"] - 0.1 for frame in frames if lands < frame["t"] < lands + lasts)
            # Velocities within the accuracy at each impact; g dt^2/8 between frames.
            exact = e ** (2 * n)
            self.assert_close(rise, exact, 2 * n * ACCURACY * exact + G / 200 ** 2 / 8, f"rise {n}")
            lands, lasts = lands + lasts, lasts * e
        for frame in frames:
            if frame["t"] > first * (1 + e) / (1 - e):
                self.assert_close(frame["ball.y"], 0.1, 2 * CONTACT_OFFSET * 0.1, f"at {frame['t']}")
        self.assert_rests(frames[-1], "ball")

    def test_boxes_without_friction_glide_and_keep_their_momentum(self):
        _, frames = self.run_shipped("glide")
        header, rows = self.table("l.csv")
        column = {name: i for i, name in enumerate(header)}
        # The largest momentum: all boxes of 4.8 kg fall at up to sqrt(2 g 3 m). Rounding is far below 1e-9.
        size = 10 * 4.8 * math.sqrt(2 * G * 3)
        for row in rows:
            for name in ("px", "pz", "ly"):
                self.assert_close(row[column[name]], 0, 1e-9 * size, f"{name} at {row[0]}")
        # At the end they glide, and nothing pushes them any more.
        self.assertGreater(rows[-1][column["kinetic"]], 1)
        before = next(frame for frame in frames if frame["t"] > frames[-1]["t"] - 0.1)
        for box in range(1, 11):
            for axis in "xz":
                column = f"box{box}.v{axis}"
                self.assert_close(frames[-1][column], before[column], ACCURACY, column)

    def test_a_block_rocks_with_the_angular_velocity_that_housner_says(self):
        _, frames = self.run_shipped("rocking-block")
        rows = self.table("l.csv")
        energy = [dict(zip(rows[0], row)) for row in rows[1]]
        mass, radius, alpha = 2000 * 0.4 * 1 * 0.4, math.hypot(0.2, 0.5), math.atan(0.4)
        start = mass * G * radius * (math.cos(alpha - math.radians(12)) - math.cos(alpha))
        ratio = (1 - 1.5 * math.sin(alpha) ** 2) ** 2
        swap = [b for a, b in zip(frames, frames[1:]) if a["block.qz"] < 0 <= b["block.qz"]][0]["t"]
        back = [b for a, b in zip(frames, frames[1:]) if a["block.qz"] > 0 >= b["block.qz"]][0]["t"]
        middle = next(row for row in energy if row["t"] > (swap + back) / 2)
        self.assert_close(middle["energy"] - mass * G / 2, ratio * start, 5 * ACCURACY * start, "J")


class Tables(SceneTest):
    def test_a_gust_lifts_a_brick_off_the_table(self):
        # At the start of the gust contact takes half a step of gravity from it: of first order in the step.
        _, frames = self.run_shipped("gust", "--accuracy", "1e-5")
        along, up = 10 / 2, 40 / 2 - G
        for frame in frames:
            t = frame["t"]
            if t in (0.5, 0.8):
                continue  # the velocity of a frame is the mean over a step, in which the gust begins or ends
            on, off = min(max(t - 0.5, 0), 0.3), max(t - 0.8, 0)
            speed = (along * on, up * on - G * off)
            place = (along * on * on / 2 + speed[0] * off, up * on * (on / 2 + off) - G * off * off / 2)
            for axis, v, x in zip("xy", speed, place):
                # Relative to the speed at the end of the gust; places after a second with such an error.
                self.assert_close(frame[f"brick.v{axis}"], v, ACCURACY * up * 0.3, f"v{axis} at {t}")
                self.assert_close(frame[f"brick.{axis}"] - frames[0][f"brick.{axis}"], x,
                                  ACCURACY * up * 0.3, f"{axis} at {t}")
            self.assert_close(frame["brick.wz"], 0, ACCURACY, f"wz at {t}")

    def test_a_cube_over_an_edge_falls_if_its_centre_is_beyond_it(self):
        _, frames = self.run_shipped("table-edge")
        self.assert_stays(frames, ["inside"], 1e-6)
        self.assertLess(frames[-1]["beyond.y"], -0.76 + 0.1 * math.sqrt(3))  # on the floor
        self.assertLess(min(upright(frame, "beyond") for frame in frames), 0.9)


class Springs(SceneTest):
    def test_a_mass_on_a_spring_swings_once_a_second(self):
        for method, accuracy in (("precise", 1e-6), ("fast", ACCURACY)):
            with self.subTest(method):
                self.tumble("run", SOURCE / "scenes" / "oscillator.xml", "--method", method, "--log", "l.csv",
                            "-o", "out.csv")
                frames, (header, rows) = self.frames(), self.table("l.csv")
                energy = [row[header.index("energy")] for row in rows]
                swing = 0.5 * 4 * math.pi ** 2 * 0.2 ** 2
                # Ten periods with 24 steps or more each lose at most a ten-thousandth each.
                for value in energy:
                    self.assert_close(value, energy[0], accuracy * swing, "J")
                middle = frames[0]["mass.y"] - 0.2
                for frame in frames:  # the error grows by the accuracy in each time scale, 1/(2 pi) s
                    exact = middle + 0.2 * math.cos(2 * math.pi * frame["t"])
                    self.assert_close(frame["mass.y"], exact, accuracy * 0.2 * (1 + 2 * math.pi * frame["t"]),
                                      f"at {frame['t']}")

    def test_a_soft_landing_is_a_damped_oscillation(self):
        # The force jumps where the ball touches, inside a step: of first order in the step.
        _, frames = self.run_shipped("soft-landing", "--accuracy", "1e-5")
        k, c, fall = 2000, 20, 0.2
        touch, speed = math.sqrt(2 * fall / G), math.sqrt(2 * G * fall)
        decay, rest = c / 2, G / k
        w = math.sqrt(k - decay * decay)

        def sunk(t):
            """Depth and speed at a time after touching."""
            a, b = -rest, (speed - decay * rest) / w
            f = math.exp(-decay * t)
            cos, sin = math.cos(w * t), math.sin(w * t)
            return rest + f * (a * cos + b * sin), f * ((b * w - a * decay) * cos - (a * w + b * decay) * sin)

        inside = [frame for frame in frames if 0 < frame["t"] - touch < 0.9 * math.pi / w]
        self.assertGreater(len(inside), 10)
        for frame in inside:
            depth, v = sunk(frame["t"] - touch)
            self.assertGreater(k * depth + c * v, 0)  # it presses
            self.assert_close(0.18 - frame["ball.y"], depth, ACCURACY * 0.1, f"at {frame['t']}")
            self.assert_close(-frame["ball.vy"], v, ACCURACY * speed, f"at {frame['t']}")

    def test_a_governor_keeps_its_angular_momentum(self):
        self.run_shipped("governor")
        header, rows = self.table("l.csv")
        column = {name: i for i, name in enumerate(header)}
        start = rows[0]
        largest = max(row[column["kinetic"]] for row in rows)
        dampers = [i for name, i in column.items() if name.endswith(".damping")]
        self.assertEqual(len(dampers), 2)
        for now, before in zip(rows[1:], rows):
            spin = start[column["ly"]]
            self.assert_close(now[column["ly"]], spin, JOINT * spin, f"at {now[0]}")
            kept = now[column["energy"]] - now[column["work"]]
            self.assert_close(kept, start[column["energy"]] - start[column["work"]], ACCURACY * largest, "J")
            for i in dampers:
                self.assertLessEqual(now[i], before[i] + 1e-12 * largest)


if __name__ == "__main__":
    unittest.main()
