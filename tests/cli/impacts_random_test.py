#!/usr/bin/env python3
"""Random impacts with restitution 1: none is lost, and rows of balls pass on what strikes them.

impacts_random_test.py [--long]: 200 pairs and 72 rows, or 10,000 pairs and 1,440 rows.
"""
import math
import random
import sys
import unittest

from program import ProgramTest

LONG = "--long" in sys.argv
PAIR_SCENES, PAIRS = (500 if LONG else 10), 20  # pairs of a scene
ROW_SCENES, ROWS = (60 if LONG else 3), 8  # rows of a scene, for each kind of row
RADIUS = 0.1  # m
FASTEST = 5.0  # m/s
PASSED_ON = 1e-9  # error of a velocity, in approach speeds
ACCURACY = 1e-3  # the default of the fast method
G, ARM, SPACE = 9.81, 0.5, 1.0  # m/s2; m, length of a pendulum; m, between rows
HEAD = ('<scene><simulation duration="{!r}" fps="{!r}" method="fast"/><world gravity="0 {!r} 0"/>\n'
        '<material name="m" density="1000" friction="0" restitution="1"/>\n')


def text_of(vector):
    return " ".join(repr(x) for x in vector)


def ball(name, place, velocity, mass=1.0):
    moment = 0.4 * mass * RADIUS * RADIUS
    return (f'<body name="{name}" position="{text_of(place)}" velocity="{text_of(velocity)}">'
            f'<inertia mass="{mass!r}" moments="{text_of([moment] * 3)}"/>'
            f'<sphere radius="{RADIUS}" material="m"/></body>\n')


class Impacts(ProgramTest):
    def run_scene(self, text, *flags):
        """The last frame by column, and the rows of the log."""
        self.scene(text, "impacts.xml")
        self.tumble("run", "impacts.xml", "-o", "o.csv", "--log", "l.csv", "--quiet", *flags)
        frames, log = self.table("o.csv"), self.table("l.csv")
        return dict(zip(frames[0], frames[1][-1])), [dict(zip(log[0], row)) for row in log[1]]

    def gap_at_impact(self):
        """The gap at which two balls bounce, m: from the time at which a step is cut."""
        text = HEAD.format(0.02, 50.0, 0.0)
        text += ball("a", [-0.11, 0.0, 0.0], [1.0, 0.0, 0.0]) + ball("b", [0.11, 0.0, 0.0], [-1.0, 0.0, 0.0])
        log = self.run_scene(text + "</scene>", "--step", "0.0013")[1]
        gap = 0.02 - 2 * next(row["t"] for row in log if row["impacts"] > 0)
        self.assertTrue(0 < gap < 1e-3 * RADIUS, gap)
        return gap


class Pair:
    """Two balls that meet head-on at a given time."""

    def __init__(self, i, r, time, gap):
        self.time, self.names = time, (f"a{i}", f"b{i}")
        unit = [r.gauss(0, 1) for _ in range(3)]
        self.axis = [x / math.hypot(*unit) for x in unit]
        self.masses = (1.0, r.choice((1.0, 10 ** r.uniform(-1, 1))))
        self.before = [r.uniform(0.1, FASTEST), -r.choice((0.0, r.uniform(0, FASTEST)))]
        if i == 0:  # the fastest body sets the time scale, and with it the step
            self.before = [FASTEST, -FASTEST]
        self.approach = self.before[0] - self.before[1]
        place = [SPACE * (i % 5), SPACE * (i // 5), 0.0]
        apart = 2 * RADIUS + gap + self.approach * time
        shares = [-self.before[0] * time - RADIUS - gap / 2]
        shares.append(shares[0] + apart)
        self.places = [[p + x * share for p, x in zip(place, self.axis)] for share in shares]

    def xml(self):
        order = (0, 1) if self.masses[1] < 1 else (1, 0)
        return "".join(ball(self.names[j], self.places[j], [self.before[j] * x for x in self.axis],
                            self.masses[j]) for j in order)

    def error(self, frame):
        """The error of the velocities after the impact, in approach speeds."""
        common = sum(m * v for m, v in zip(self.masses, self.before)) / sum(self.masses)
        error = 0.0
        for name, before in zip(self.names, self.before):
            exact = [(2 * common - before) * x for x in self.axis]
            error = max(error, math.dist([frame[f"{name}.v{c}"] for c in "xyz"], exact))
        return error / self.approach


class Pairs(Impacts):
    def step_of(self, flags):
        """The length of a step of a scene of pairs."""
        pair = Pair(0, random.Random(0), 0.01, 0.0)
        text = HEAD.format(0.005, 200.0, 0.0) + pair.xml() + "</scene>"
        return max(row["h"] for row in self.run_scene(text, *flags)[1])

    def test_pairs_that_meet_about_the_ends_of_steps_bounce(self):
        gap, faults = self.gap_at_impact(), []
        ways = [(flags, self.step_of(flags))
                for flags in ((), ("--step", "0.0013"), ("--step", repr(1 / 240)))]
        for seed in range(PAIR_SCENES):
            r = random.Random(seed)
            flags, h = ways[seed % len(ways)]
            least = math.ceil(1.5e-3 / h)
            pairs = []
            for i in range(PAIRS):
                about = r.choice((-1, 1)) * 10 ** r.uniform(-12, -3)
                pairs.append(Pair(i, r, r.randint(least, least + 5) * h + about, gap))
            end = (least + 8) * h + 1e-3
            text = HEAD.format(end, 1 / end, 0.0) + "".join(pair.xml() for pair in pairs) + "</scene>"
            frame, _ = self.run_scene(text, *flags)
            for pair in pairs:
                error = pair.error(frame)
                if not error <= PASSED_ON:
                    faults.append(f"seed {seed}, {flags}: {pair.names} after {pair.time / h:.10f} steps: "
                                  f"{error:.3g}")
        self.assertEqual(len(faults), 0, "\n".join(faults[:8]))


class Row:
    """Balls in a row along x. The first `strikers` of them hit the others."""

    def __init__(self, i, r, offset):
        self.i, self.count = i, r.randint(2, 7)
        self.strikers = r.randint(1, self.count - 1)
        self.tremble = r.choice((0.0, 10 ** r.uniform(-12, -6)))
        self.gaps = [r.choice((0.0, r.uniform(0, 2) * offset)) for _ in range(self.count - 1)]
        self.speed = r.uniform(0.3, 2.0)
        self.angle = r.uniform(0.1, 0.5)
        self.backwards = r.random() < 0.5
        self.trembles = [r.uniform(-1, 1) * self.tremble for _ in range(self.count)]

    def name(self, j):
        return f"r{self.i}-{j}"

    def at(self, j):
        """Place of a ball in the row, as long as nothing moves."""
        return [2 * RADIUS * j + sum(self.gaps[:j]), 0.0, SPACE * self.i]

    def in_order(self, pieces):
        return "".join(reversed(pieces) if self.backwards else pieces)

    def xml_free(self):
        pieces, way = [], 0.01 * self.speed  # the impact is after 10 ms
        for j in range(self.count):
            x, y, z = self.at(j)
            strikes = j < self.strikers
            pieces.append(ball(self.name(j), [x - way if strikes else x, y, z],
                               [self.trembles[j] + (self.speed if strikes else 0.0), 0.0, 0.0]))
        return self.in_order(pieces)

    def xml_cradle(self, kind):
        pieces = []
        for j in range(self.count):
            x, y, z = self.at(j)
            angle = self.angle if j < self.strikers else 0.0
            place = [x - ARM * math.sin(angle), -ARM * math.cos(angle), z]
            name, v = self.name(j), 0.0 if j < self.strikers else self.trembles[j]
            spin = f' angular-velocity="0 0 {v / ARM!r}">' if kind == "hinges" else ">"
            piece = ball(name, place, [v, 0.0, 0.0]).replace(">", spin, 1)
            if kind == "hinges":
                piece += f'<joint type="hinge" b="{name}" at="{text_of([x, y, z])}" axis="0 0 1"/>\n'
            else:  # two strings to the centre
                for side in (-0.3, 0.3):
                    piece += (f'<joint type="distance" b="{name}" at-a="{text_of([x, y, z + side])}" '
                              f'at-b="{text_of(place)}"/>\n')
            pieces.append(piece)
        return self.in_order(pieces)

    @staticmethod
    def inertia(kind):
        """Of a pendulum about its point of suspension, in masses times squares of ARM."""
        return 1 + (0.4 * (RADIUS / ARM) ** 2 if kind == "hinges" else 0.0)

    def speed_below(self, kind, frame, j):
        """The speed that a pendulum has, or had, at its lowest point, by its energy."""
        y = frame[f"{self.name(j)}.y"]
        vx, vy = (frame[f"{self.name(j)}.v{c}"] for c in "xy")
        return math.sqrt(max(vx * vx + vy * vy + 2 * G * (ARM + y) / self.inertia(kind), 0))

    def speed_of_strikers(self, kind):
        return math.sqrt(2 * G * ARM * (1 - math.cos(self.angle)) / self.inertia(kind))

    def __str__(self):
        gaps = " ".join(f"{gap:.2g}" for gap in self.gaps)
        return (f"{self.strikers} of {self.count} strike, tremble {self.tremble:.2g}, gaps {gaps}"
                f"{', last body first' if self.backwards else ''}")


class Rows(Impacts):
    def find_faults(self, row, speeds, speed, leaves, rest):
        """Exactly as many balls leave as strike, with their speed. The others stay.

        All balls are equal, so that impacts only exchange velocities, and impacts without restitution stay
        between them: nothing leaves the range of the tremble.
        """
        faults = []
        for j in range(row.count):
            exact, allowed = (speed, leaves) if j >= row.count - row.strikers else (0.0, rest)
            if not abs(speeds[j] - exact) <= allowed:
                faults.append(f"ball {j} has {speeds[j]!r} m/s, not {exact} within {allowed:.2g}: {row}")
        return faults

    def check_rows(self, kind, end, gravity):
        offset, faults = self.gap_at_impact(), []
        for seed in range(ROW_SCENES):
            r = random.Random(f"{kind} {seed}")
            rows = [Row(i, r, offset) for i in range(ROWS)]
            xml = (row.xml_free() if kind == "free" else row.xml_cradle(kind) for row in rows)
            frame, _ = self.run_scene(HEAD.format(end, 1 / end, -gravity) + "".join(xml) + "</scene>")
            for row in rows:
                if kind == "free":
                    speeds = [frame[f"{row.name(j)}.vx"] for j in range(row.count)]
                    # Two balls nearer than the contact offset are moved apart by at most one offset (1e-5 of
                    # the radius) in the time in which a ball moves by its radius. A ball in a touching group
                    # gets at most half of the sum over the group.
                    group = max(row.strikers, row.count - row.strikers)
                    allowed = row.tremble + max(1, (group - 1) / 2) * 1e-5 * row.speed
                    found = self.find_faults(row, speeds, row.speed, allowed, allowed)
                else:
                    speed = row.speed_of_strikers(kind)
                    leave = row.count - row.strikers
                    speeds = [frame[f"{row.name(j)}.vx"] if j < leave else row.speed_below(kind, frame, j)
                              for j in range(row.count)]
                    # What is not plumb by the gaps swings. What leaves had the error of a quarter of a swing.
                    swings = (sum(row.gaps) + 2 * offset * row.count) * math.sqrt(G / ARM)
                    found = self.find_faults(row, speeds, speed, ACCURACY * speed,
                                             row.tremble + swings + 1e-6 * speed)
                faults += [f"seed {seed}, {fault}" for fault in found]
        self.assertEqual(len(faults), 0, "\n".join(faults[:8]))

    def test_of_a_free_row_as_many_balls_leave_as_strike(self):
        self.check_rows("free", 0.02, 0.0)

    def test_of_a_cradle_on_hinges_as_many_balls_leave_as_strike(self):
        self.check_rows("hinges", 0.5, G)

    def test_of_a_cradle_on_two_strings_as_many_balls_leave_as_strike(self):
        self.check_rows("strings", 0.5, G)


if __name__ == "__main__":
    unittest.main(argv=[a for a in sys.argv if a != "--long"])
