#!/usr/bin/env python3
"""The shipped scenes of heaps, rows and chains of bodies in contact.

Each test proves the claim at the top of the scene file.
"""
import math
import sys
import unittest

from contact_scenes_test import G, SceneTest, names, position
from figure_scenes_test import conjugate, rotate, rotation_of
from program import SOURCE

sys.path.insert(0, str(SOURCE / "tools"))
import heap_scenes  # noqa: E402


class Written(unittest.TestCase):
    def test_the_long_scenes_and_their_meshes_are_what_the_tool_writes(self):
        for kind, files in (("xml", heap_scenes.SCENES), ("obj", heap_scenes.MESHES)):
            for name, make in files.items():
                self.assertEqual((SOURCE / "scenes" / f"{name}.{kind}").read_text(), make(), name)


class Heaps(SceneTest):
    def test_a_house_of_cards_stands(self):
        _, frames = self.run_shipped("card-house")
        cards = [name for kind in ("left", "right", "flat") for name in names(frames[0], kind)]
        self.assertEqual(len(cards), 7)
        self.assert_stays(frames, cards, 1e-4)

    def test_it_does_not_stand_on_a_smooth_table(self):
        # a pair of cards needs half the tangent of its lean, 0.18
        text = heap_scenes.card_house().replace("friction=\"0.6\"", "friction=\"0.1\"")
        self.path("c.xml").write_text(text)
        self.tumble("run", "c.xml", "-o", "out.csv", "--duration", "0.5")
        start, *_, end = self.frames()
        for card in names(start, "left") + names(start, "right"):
            self.assertLess(end[f"{card}.y"], start[f"{card}.y"] - 0.01, card)

    def test_ten_boxes_come_to_rest(self):
        summary, frames = self.run_shipped("ten-boxes")
        boxes = names(frames[0], "box")
        self.assertEqual(len(boxes), 10)
        self.assertGreater(summary["impacts"], 50)
        half, floor, tolerance = 0.1, -0.661, 1e-4
        for box in boxes:
            self.assert_rests(frames[-1], box)
            self.assertGreater(frames[-1][f"{box}.y"], floor + half - 1e-9, box)
            self.assertLess(frames[-1][f"{box}.y"], 10 * 2 * half, box)
        lying = [frames[-1][f"{box}.y"] for box in boxes]
        self.assertTrue(any(abs(y - half) < tolerance for y in lying), lying)  # on the table
        self.assertTrue(any(abs(y - floor - half) < tolerance for y in lying), lying)  # and on the floor


class Dominoes(SceneTest):
    """Theory of the row: the feet do not slip. A domino that was hit stays in contact with the next one, and
    its edge slides down the back of that with friction. One angle determines all others:
    h sin(b - a) = p cos a - t for a domino at angle b that leans on one at angle a."""
    height, thick, pitch, friction, count = 0.05, 0.01, 0.03, 0.4, 8

    def test_they_fall_one_after_the_other(self):
        _, frames = self.run_shipped("dominoes", "--fps", "1000")
        leans = [[2 * math.atan2(-frame[f"domino{k}.qz"], frame[f"domino{k}.qw"]) for frame in frames]
                 for k in range(1, self.count + 1)]
        hits = [next(frame["t"] for frame, angle in zip(frames, lean) if angle > 1e-3) for lean in leans]
        self.assertEqual(hits, sorted(hits))
        waits = [b - a for a, b in zip(hits[1:], hits[2:])]
        theory = self.waits()[1:]
        for k, (wait, expected) in enumerate(zip(waits, theory), 2):
            self.assert_close(wait, expected, 0.05 * expected + 2e-3, f"from {k} on")  # 2e-3: two frames
        self.assert_close(hits[-1] - hits[1], sum(theory), 0.05 * sum(theory) + 2e-3)
        for k, lean in enumerate(leans, 1):
            self.assert_rests(frames[-1], f"domino{k}")
            # The last one lies flat. The others lean at least as far as in an infinite row.
            self.assertGreater(lean[-1], math.acos(self.thick / self.pitch) - 1e-3
                               if k < self.count else math.pi / 2 - 1e-3, k)
            self.assertLess(lean[-1], math.pi / 2 + 1e-3, k)

    def row(self, fallen, angle):
        """State of the falling dominoes, of which the last one is at `angle`.

        Returns their angles, their speeds relative to that of the last, and weights. The forces between them
        cancel in the sum of their equations of motion with these weights.
        """
        h, t, p = self.height, self.thick, self.pitch
        angles, speeds, weights = [angle], [1.0], [1.0]
        for _ in range(fallen - 1):
            by = math.asin((p * math.cos(angles[0]) - t) / h)
            arm, lever = h * math.cos(by), h * math.cos(by) - p * math.sin(angles[0])
            angles.insert(0, angles[0] + by)
            speeds.insert(0, speeds[0] * lever / arm)
            weights.insert(0, weights[0] * (lever - self.friction * t)
                           / (arm + self.friction * h * math.sin(by)))
        return angles, speeds, weights

    def waits(self):
        """For each domino the time from its hit until it hits the next."""
        h, t, steps, waits = self.height, self.thick, 2000, []
        inertia = (h * h + t * t) / 3
        # Square of the speed of the first one after the push: its angular momentum about the edge that it
        # turns on is conserved when this edge hits the table.
        square = ((0.12 * h / 2 + 5 * (h * h + t * t) / 12) / inertia) ** 2
        ds = math.asin((self.pitch - t) / h) / steps
        for fallen in range(1, self.count):
            now, wait = self.row(fallen, 0), 0.0
            for step in range(1, steps + 1):
                then = self.row(fallen, step * ds)
                angles, speeds, weights = now
                torque = sum(w * G * (h * math.sin(a) - t * math.cos(a)) / 2 for w, a in zip(weights, angles))
                change = sum(w * (b - a) / ds for w, a, b in zip(weights, speeds, then[1]))
                before = square
                weighted_speed = sum(w * v for w, v in zip(weights, speeds))
                square += 2 * ds * (torque / inertia - change * square) / weighted_speed
                wait += 2 * ds / (math.sqrt(before) + math.sqrt(square))
                now = then
            waits.append(wait)
            _, speeds, weights = self.row(fallen + 1, 0)
            square *= (sum(w * v for w, v in zip(weights, now[1]))
                       / sum(w * v for w, v in zip(weights, speeds))) ** 2
        return waits


class Rings(SceneTest):
    count = 8

    def test_none_leaves_its_neighbours(self):
        _, frames = self.run_shipped("rings")
        chain = [f"ring{k}" for k in range(1, self.count + 1)]
        self.assertEqual(names(frames[0], "ring"), chain)
        radius, half, parts = heap_scenes.RING
        # At their largest distance two rings hang in corners of each other.
        farthest = 2 * (radius - half) / math.cos(math.pi / parts)
        for frame in frames:
            for above, below in zip(chain, chain[1:]):
                self.assertLess(math.dist(position(frame, above), position(frame, below)), farthest,
                                f"{below} at {frame['t']}")
                self.assertEqual(abs(self.passes(frame, frames[0], above, below)), 1,
                                 f"{below} at {frame['t']}")
        swing = max(math.atan2(math.hypot(x, z), -y)
                    for x, y, z in (position(frame, chain[-1]) for frame in frames))
        self.assertGreater(swing, math.radians(15))

    def passes(self, frame, start, above, below):
        """How often the centre line of the lower ring passes through the upper ring, with sign."""
        radius, _, parts = heap_scenes.RING
        line = []
        for k in range(parts + 1):
            angle, edge = 2 * math.pi * (k + 0.5) / parts, radius / math.cos(math.pi / parts)
            at = rotate(rotation_of(frame, start, below),
                        self.around(below, edge * math.cos(angle), edge * math.sin(angle)))
            at = [a + b - c for a, b, c in zip(at, position(frame, below), position(frame, above))]
            line.append(rotate(conjugate(rotation_of(frame, start, above)), at))
        axis = self.axis(above)
        total = 0
        for p, q in zip(line, line[1:]):
            a, b = (sum(x * y for x, y in zip(point, axis)) for point in (p, q))
            if (a > 0) != (b > 0):
                hit = [x + (y - x) * a / (a - b) for x, y in zip(p, q)]
                if math.hypot(*hit) < radius:
                    total += 1 if b > a else -1
        return total

    def axis(self, ring):
        """Axis of a ring at the start: z and x alternately, each turned about y by another 8 degrees."""
        k = int(ring[4:]) - 1
        angle = math.radians(8 * k) + (math.pi / 2 if k % 2 else 0)
        return (math.sin(angle), 0, math.cos(angle))

    def around(self, ring, up, side):
        x, _, z = self.axis(ring)
        return (z * side, up, -x * side)


if __name__ == "__main__":
    unittest.main()
