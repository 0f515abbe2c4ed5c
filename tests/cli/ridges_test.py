#!/usr/bin/env python3
"""Edges and corners that touch exactly. Many directions separate them.

The program takes the middle one: mirrored scenes move as mirror images, the order of bodies has no effect,
and a gap of 0 is like a tiny one.
"""
import json
import math
import unittest

from program import ProgramTest

G = 9.81
LENGTH, WIDTH, THICKNESS = 2.5, 1.25, 0.02
SLOPE = math.radians(65)
# A card of weight W leans on the ridge with the force H, from the moments about its foot:
#   H L sin(slope) = W (L / 2 cos(slope) - thickness / 2 sin(slope)),  and its foot slides if H > friction W.
CRITICAL = 0.5 / math.tan(SLOPE) - 0.5 * THICKNESS / LENGTH
# Default accuracy, times the radius of a card: the distance that a run may be wrong.
ALLOWED = 1e-3 * math.hypot(LENGTH, WIDTH, THICKNESS) / 2

HEAD = """<scene name="ridge">
  <simulation duration="{duration}" fps="20"/>
  <material name="card" density="700" friction="{friction}"/>
  <body name="floor" fixed="true"><plane normal="0 1 0" material="card"/></body>
"""


def times(p, q):
    """The product of two quaternions (w, x, y, z)."""
    return (p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0])


def about(axis, angle):
    s = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), *(s * c for c in axis))


def card(name, turn=0.0, ridge=0.0, length=LENGTH, slope=SLOPE, width=WIDTH):
    """A card whose foot is on the floor. Its upper edge is `ridge` before the y axis. Then it is turned."""
    along = -ridge - 0.5 * (length * math.cos(slope) + THICKNESS * math.sin(slope))
    up = 0.5 * (length * math.sin(slope) + THICKNESS * math.cos(slope))
    q = times(about((0, 1, 0), turn), about((0, 0, 1), slope))
    position = (along * math.cos(turn), up, -along * math.sin(turn))
    return body(name, position, q, (length, THICKNESS, width))


def body(name, position, quaternion, size, more=""):
    text = [" ".join(repr(float(c)) for c in values) for values in (position, quaternion, size)]
    return (f'  <body name="{name}" position="{text[0]}" quaternion="{text[1]}"{more}>'
            f'<box size="{text[2]}" material="card"/></body>\n')


class RidgeTest(ProgramTest):
    def run_scene(self, bodies, friction, duration=5, more=""):
        text = HEAD.format(duration=duration, friction=friction) + "".join(bodies) + more + "</scene>\n"
        self.scene(text, "s.xml")
        self.tumble("run", "s.xml", "-o", "out.csv", "--summary", "s.json", "--verify", "steps")
        summary = json.loads(self.path("s.json").read_text())
        self.assertEqual((summary["max_penetration"], summary["freezes"], summary["warnings"]), (0, 0, []))
        header, rows = self.table("out.csv")
        return [dict(zip(header, row)) for row in rows]

    def drop(self, frames, name):
        """How far a body has sunk, and how far it has moved to the side."""
        first, last = frames[0], frames[-1]
        aside = math.hypot(*(last[f"{name}.{k}"] - first[f"{name}.{k}"] for k in "xz"))
        return first[f"{name}.y"] - last[f"{name}.y"], aside

    def assert_stands(self, frames, *names):
        for name in names:
            sunk, aside = self.drop(frames, name)
            self.assertLess(abs(sunk), ALLOWED, name)
            self.assertLess(aside, ALLOWED, name)


class Tents(RidgeTest):
    def tent(self, friction, gap=0.0, **more):
        cards = [card("left", ridge=0.5 * gap), card("right", math.pi, 0.5 * gap)]
        return self.run_scene(cards, friction, **more)

    def test_a_tent_stands_above_the_critical_friction_whatever_its_gap(self):
        for gap in (0, 1e-12, 1e-9, 1e-6, -1e-9, -1e-5, -5e-5):
            with self.subTest(gap=gap):
                self.assert_stands(self.tent(1.18 * CRITICAL, gap), "left", "right")

    def test_it_falls_below_it(self):
        sunk, _ = self.drop(self.tent(0.9 * CRITICAL), "left")
        self.assertGreater(sunk, 0.5)

    def test_it_stands_if_one_card_is_hinged_to_the_floor(self):
        # The hinge carries any force. The other foot needs the same friction as before.
        foot = f'{LENGTH * math.cos(SLOPE)!r} 0 0'
        frames = self.run_scene(
            [card("left"), card("right", math.pi)], 1.18 * CRITICAL,
            more=f'  <joint type="hinge" a="floor" b="right" at="{foot}" axis="0 0 1"/>\n'
                 '  <ignore a="floor" b="right"/>\n')
        self.assert_stands(frames, "left", "right")

    def test_three_cards_stand_in_a_ring(self):
        # The upper edges form a triangle, and corners touch. Each card carries its weight as in the tent.
        ring = [card(f"card{k}", 2 * math.pi * k / 3, WIDTH / (2 * math.sqrt(3))) for k in range(3)]
        self.assert_stands(self.run_scene(ring, 1.5 * CRITICAL), "card0", "card1", "card2")

    def test_a_card_leans_on_the_edge_of_a_step(self):
        # Edge on edge: all directions between those of the step's faces separate them.
        top = LENGTH * math.sin(SLOPE)
        step = body("step", (0.5, 0.5 * top, 0), (1, 0, 0, 0), (1, top, 2), ' fixed="true"')
        self.assert_stands(self.run_scene([card("left"), step], 0.5), "left")


class Symmetry(RidgeTest):
    """Compares frames of a motion with those of its mirror image."""

    def assert_mirrored(self, frames, others, names, sign):
        """Positions agree up to rounding, and to the residual of the contact solver, 1e-6 of a fall."""
        for frame, other in zip(frames, others):
            allowed = 1e-12 + 1e-6 * 0.5 * G * frame["t"] ** 2
            for name in names:
                for k, s in (("x", sign), ("y", 1), ("z", 1)):
                    self.assert_close(frame[f"{name}.{k}"], s * other[f"{name}.{k}"], allowed, f"{name}.{k}")

    def test_a_mirrored_scene_moves_as_the_mirror_image(self):
        # Cards of different length, so that the two sides differ.
        for friction in (0.15, 0.4):
            bodies = {}
            for sign in (1, -1):
                low, high = (0, math.pi) if sign > 0 else (math.pi, 0)
                other = math.asin(LENGTH * math.sin(SLOPE) / 3)
                bodies[sign] = self.run_scene(
                    [card("a", low), card("b", high, length=3, slope=other)], friction, duration=0.5)
            self.assert_mirrored(bodies[1], bodies[-1], ("a", "b"), -1)

    def test_the_order_of_bodies_has_no_effect(self):
        for friction in (0.15, 0.4):
            cards = [card("a"), card("b", math.pi)]
            one, two = (self.run_scene(order, friction, duration=0.5) for order in (cards, cards[::-1]))
            self.assert_mirrored(one, two, ("a", "b"), 1)

    def test_a_cube_balances_with_a_corner_on_an_edge(self):
        # The corner is straight below the centre, and above the edge. Rounding grows as exp(4 t).
        top = 0.5
        q = times(about((0, 0, 1), math.atan(math.sqrt(0.5))), about((1, 0, 0), math.pi / 4))
        side = math.sqrt(2) * top
        roof = body("roof", (0, 0, 0), about((0, 0, 1), math.pi / 4), (side, side, 2), ' fixed="true"')
        cube = body("cube", (0, top + 0.5 * math.sqrt(3), 0), q, (1, 1, 1))
        frames = self.run_scene([cube, roof], 0.5, duration=1, more='  <ignore a="floor" b="roof"/>\n')
        self.assert_stands(frames, "cube")


if __name__ == "__main__":
    unittest.main()
