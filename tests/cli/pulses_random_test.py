#!/usr/bin/env python3
"""Random forces and torques that begin and end about the ends of steps: what they pass on is exact.

pulses_random_test.py [--long]: 120 pulses, or 1,080.
"""
import math
import random
import sys
import unittest

from program import ProgramTest

LONG = "--long" in sys.argv
COUNT = 120  # of a scene
SEEDS = range(9 if LONG else 1)
END = 2.0  # s; all pulses have ended
STEPS = (1 / 60, 1 / 120, 1 / 240)
FASTEST = 3.0  # rad/s, of a spinning ball
SHORT = 1 / 240  # pulses below this are inside one or two steps
KINDS = ("force", "force off the centre", "force in the body's frame", "torque", "torque in the body's frame",
         "force on a spinning ball")


def rotated(axis, angle, r):
    """The vector r rotated about a unit vector."""
    c, s, d = math.cos(angle), math.sin(angle), sum(a * b for a, b in zip(axis, r))
    x, y, z = axis
    cross = [y * r[2] - z * r[1], z * r[0] - x * r[2], x * r[1] - y * r[0]]
    return [c * r[i] + s * cross[i] + (1 - c) * d * axis[i] for i in range(3)]


def turned(q, r):
    """The vector r rotated by the quaternion q = (w, x, y, z)."""
    length = math.hypot(*q[1:])
    return rotated([x / length for x in q[1:]], 2 * math.atan2(length, q[0]), r) if length else list(r)


def text_of(vector):
    return " ".join(repr(x) for x in vector)


class Pulse:
    """One body and what acts on it."""

    def __init__(self, i, r):
        self.name, self.kind = f"b{i}", KINDS[i % len(KINDS)]
        self.place = [2.0 * (i % 32), 2.0 * (i // 32), 0.0]
        unit = [r.gauss(0, 1) for _ in range(3)]
        self.axis = [x / math.hypot(*unit) for x in unit]
        self.angle = r.uniform(0, 3)
        # Begin or end: 1e-12 s to 1e-3 s before or after the end of a step of 1/60 s, or anywhere.
        lasts = 10 ** r.uniform(-5, 0)
        about = r.randint(20, 40) / 60 + r.choice((-1, 1)) * 10 ** r.uniform(-12, -3)
        self.start = r.choice((about, max(about - lasts, 0.01), r.uniform(0.3, 0.7)))
        self.stop = self.start + lasts
        self.lasts = self.stop - self.start  # as rounded
        self.sizes = [r.uniform(0.1, 0.3) for _ in range(3)]
        self.mass = 1000 * math.prod(self.sizes)
        squares = [size * size for size in self.sizes]
        self.moments = [self.mass / 12 * (sum(squares) - one) for one in squares]
        self.spin = 0.0
        if self.kind == "force on a spinning ball":
            self.spin = r.uniform(0.5, FASTEST)
            self.mass, self.moments = 1.0, [0.01] * 3
        # Speeds up to 0.3 m/s and 3 rad/s: a body rotates by less than 0.1 rad in a step.
        direction = [r.gauss(0, 1) for _ in range(3)]
        speed = r.uniform(0.03, 0.3) / math.hypot(*direction)
        if "torque" in self.kind:
            self.value = [10 * speed * x * min(self.moments) / self.lasts for x in direction]
        else:
            self.value = [speed * x * self.mass / self.lasts for x in direction]
        if self.kind == "torque in the body's frame":  # about one of its axes, which then stays
            self.value = [self.value[0], 0.0, 0.0]

    def xml(self):
        at = frame = ""
        if self.kind == "force off the centre":
            at = f' at="{text_of([x + s / 10 for x, s in zip(self.place, self.sizes)])}"'
        if "body's" in self.kind or self.spin:
            frame = ' frame="body"'
        tag = "torque" if "torque" in self.kind else "force"
        return (f'<body name="{self.name}" position="{text_of(self.place)}" '
                f'rotate="{text_of(self.axis)} {self.angle!r}" '
                f'angular-velocity="{text_of([self.spin * x for x in self.axis])}">'
                f'<inertia mass="{self.mass!r}" moments="{text_of(self.moments)}"/>'
                f'<box size="{text_of(self.sizes)}" collide="false"/></body>'
                f'<{tag} body="{self.name}" value="{text_of(self.value)}"{at}{frame} '
                f'from="{self.start!r}" to="{self.stop!r}"/>\n')

    def exact(self):
        """The impulse it passes on, and the displacement of its centre until the end."""
        value = self.value
        if "body's" in self.kind:
            value = rotated(self.axis, self.angle, value)
        if not self.spin:
            reach = END - (self.start + self.stop) / 2
            return ([x * self.lasts for x in value], [x * self.lasts * reach / self.mass for x in value])
        # The force rotates about the axis: integrals by Gauss's rule on pieces of less than 0.1 rad.
        nodes = [(-math.sqrt(0.6), 5 / 18), (0.0, 8 / 18), (math.sqrt(0.6), 5 / 18)]
        pieces = 1 + int(40 * self.lasts)
        impulse, moved = [0.0] * 3, [0.0] * 3
        for j in range(pieces):
            for node, weight in nodes:
                t = self.start + self.lasts * (j + 0.5 + node / 2) / pieces
                force = rotated(self.axis, self.angle + self.spin * t, value)
                for a in range(3):
                    impulse[a] += weight * self.lasts / pieces * force[a]
                    moved[a] += weight * self.lasts / pieces * force[a] * (END - t) / self.mass
        return impulse, moved

    def rounding(self):
        """The times of a step and of a pulse are rounded at 1 s; so is what is between them."""
        return 1e-12 * math.hypot(*self.exact()[0]) + 8 * sys.float_info.epsilon * math.hypot(*self.value)


class Pulses(ProgramTest):
    def write_scene(self, seed):
        r = random.Random(seed)
        self.pulses = [Pulse(i, r) for i in range(COUNT)]
        self.scene(f'<scene><simulation duration="{END}" fps="{1 / END}" method="fast"/>'
                   '<world gravity="0 0 0"/>\n' + "".join(pulse.xml() for pulse in self.pulses) + "</scene>",
                   "pulses.xml")

    def run_steps(self, *flags):
        """First and last frame, as numbers by column."""
        self.tumble("run", "pulses.xml", "-o", "o.csv", "--quiet", *flags)
        header, rows = self.table("o.csv")
        return dict(zip(header, rows[0])), dict(zip(header, rows[-1]))

    @staticmethod
    def vector(frame, name, axes="xyz"):
        return [frame[name + axis] for axis in axes]

    def passed_on(self, pulse, start, end):
        """Change of momentum, or of angular momentum for a torque."""
        if "torque" not in pulse.kind:
            return [pulse.mass * (w - v) for w, v in zip(self.vector(end, f"{pulse.name}.v"),
                                                         self.vector(start, f"{pulse.name}.v"))]
        q = self.vector(end, f"{pulse.name}.q", "wxyz")
        own = turned([q[0], -q[1], -q[2], -q[3]], self.vector(end, f"{pulse.name}.w"))
        return turned(q, [i * w for i, w in zip(pulse.moments, own)])

    def find_fault(self, pulse, start, end):
        """What is wrong with the impulse, or nothing."""
        if pulse.spin:
            return None  # its direction depends on the orientation: second order, below
        exact = pulse.exact()[0]
        off = math.dist(self.passed_on(pulse, start, end), exact)
        if off <= pulse.rounding():
            return None
        return (f"{pulse.name}, {pulse.kind} from {pulse.start!r} for {pulse.lasts:.3g} s: "
                f"off by {off / math.hypot(*exact):.3g} of its impulse")

    def test_every_pulse_passes_on_its_impulse(self):
        for seed in SEEDS:
            self.write_scene(seed)
            for flags in ((), ("--step", repr(1 / 60)), ("--step", "0.0071")):
                start, end = self.run_steps(*flags)
                faults = [self.find_fault(pulse, start, end) for pulse in self.pulses]
                faults = [fault for fault in faults if fault]
                self.assertEqual(len(faults), 0, f"seed {seed}, {flags}:\n" + "\n".join(faults[:8]))

    def test_positions_and_directions_are_of_second_order(self):
        """Root mean squares over the pulses of a group, for steps h, h/2 and h/4."""
        errors = {}
        for seed, h in ((seed, h) for seed in SEEDS for h in STEPS):
            self.write_scene(seed)
            start, end = self.run_steps("--step", repr(h))
            for pulse in self.pulses:
                if pulse.kind not in ("force", "force in the body's frame", "force on a spinning ball"):
                    continue
                impulse, moved = pulse.exact()
                speed = math.hypot(*impulse) / pulse.mass
                place = [x - y for x, y in zip(self.vector(end, f"{pulse.name}."), pulse.place)]
                found = {"position": math.dist(place, moved) / speed}
                if pulse.spin:
                    off = math.dist(self.passed_on(pulse, start, end), impulse)
                    found["momentum"] = off / math.hypot(*impulse)
                group = ("short " if pulse.lasts < SHORT else "long ") + pulse.kind
                for what, error in found.items():
                    errors.setdefault((group, what), {}).setdefault(h, []).append(error)
        for group, by_step in errors.items():
            with self.subTest(group):
                rms = [math.sqrt(sum(x * x for x in by_step[h]) / len(by_step[h])) for h in STEPS]
                if "spinning" in group[0]:
                    # A pulse inside a step has an error of its own length, not of the step. So this is a
                    # bound: over a step a direction is off by (w h)^2/8 or less, a place by that times 2 s.
                    time = END if group[1] == "position" else 1
                    for h, error in zip(STEPS, rms):
                        self.assertLess(error, (FASTEST * h) ** 2 / 8 * time)
                    continue
                # A fourth of the step: a sixteenth of the error, or 4^1.7. Rounding is far below 1e-9.
                self.assertTrue(rms[2] <= max(rms[0] / 4 ** 1.7, 1e-9), f"{rms}")


if __name__ == "__main__":
    unittest.main(argv=[a for a in sys.argv if a != "--long"])
