#!/usr/bin/env python3
"""The shipped scenes of heaps and chains of bodies that hold each other, and the claim each file opens with."""
import math
import sys
import unittest

from contact_scenes_test import SceneTest, names, place
from figure_scenes_test import back, turn, turned
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

    def test_but_not_on_a_smooth_table(self):
        text = heap_scenes.card_house().replace("friction=\"0.6\"", "friction=\"0.1\"")  # a pair alone needs half the tangent of its lean: 0.18
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
        half, floor, kept = 0.1, -0.661, 1e-4
        for box in boxes:
            self.assert_rests(frames[-1], box)
            self.assertGreater(frames[-1][f"{box}.y"], floor + half - 1e-9, box)
            self.assertLess(frames[-1][f"{box}.y"], 10 * 2 * half, box)
        lying = [frames[-1][f"{box}.y"] for box in boxes]
        self.assertTrue(any(abs(y - half) < kept for y in lying), lying)  # on the table
        self.assertTrue(any(abs(y - floor - half) < kept for y in lying), lying)  # and beside it


class Rings(SceneTest):
    count = 8

    def test_none_leaves_its_neighbours(self):
        _, frames = self.run_shipped("rings")
        chain = [f"ring{k}" for k in range(1, self.count + 1)]
        self.assertEqual(names(frames[0], "ring"), chain)
        radius, half, parts = heap_scenes.RING
        # Two rings at their farthest apart hang in the corners of each other.
        farthest = 2 * (radius - half) / math.cos(math.pi / parts)
        for frame in frames:
            for above, below in zip(chain, chain[1:]):
                self.assertLess(math.dist(place(frame, above), place(frame, below)), farthest, f"{below} at {frame['t']}")
                self.assertEqual(abs(self.passes(frame, frames[0], above, below)), 1, f"{below} at {frame['t']}")
        swing = max(math.atan2(math.hypot(x, z), -y) for x, y, z in (place(frame, chain[-1]) for frame in frames))
        self.assertGreater(swing, math.radians(15))

    def passes(self, frame, start, above, below):
        """How often the middle line of the lower ring goes through the hole of the upper one, there less back."""
        radius, _, parts = heap_scenes.RING
        line = []
        for k in range(parts + 1):
            angle, edge = 2 * math.pi * (k + 0.5) / parts, radius / math.cos(math.pi / parts)
            at = turn(turned(frame, start, below), self.around(below, edge * math.cos(angle), edge * math.sin(angle)))
            at = [a + b - c for a, b, c in zip(at, place(frame, below), place(frame, above))]
            line.append(turn(back(turned(frame, start, above)), at))
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
        """The axis of a ring at the start: the first along z, the next along x, and so on, each turned about y a little more."""
        k = int(ring[4:]) - 1
        angle = math.radians(8 * k) + (math.pi / 2 if k % 2 else 0)
        return (math.sin(angle), 0, math.cos(angle))

    def around(self, ring, up, side):
        x, _, z = self.axis(ring)
        return (z * side, up, -x * side)


if __name__ == "__main__":
    unittest.main()
