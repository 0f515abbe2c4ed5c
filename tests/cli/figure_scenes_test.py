#!/usr/bin/env python3
# slow: a ragdoll falls until it rests, 12 s with verification of every step
"""The shipped scenes of figures with stiff, limited and redundant joints.

Each test proves the claim at the top of the scene file.
"""
import csv
import json
import math
import sys
import unittest
from xml.etree import ElementTree

from contact_scenes_test import ACCURACY, G, SceneTest, position
from program import SOURCE

sys.path.insert(0, str(SOURCE / "tools"))
import figure_scenes  # noqa: E402

JOINT = 1e-2 * ACCURACY  # tolerance of joints and limits: in sizes of a body, or rad


class FigureTest(SceneTest):
    def run_figure(self, name, *more):
        """Runs a scene and checks what holds for every scene, and that joints are closed."""
        summary, frames = self.run_shipped(name, *more)
        bodies = self.bodies_of(SOURCE / "scenes" / f"{name}.xml")
        self.assertLessEqual(summary["max_joint_error"],
                             JOINT * max(body["radius"] for body in bodies.values()))
        return summary, frames, bodies

    def bodies_of(self, path):
        return {body["name"]: body
                for body in json.loads(self.tumble("info", path, "--json").stdout)["bodies"]
                if not body["fixed"]}


def moved(frame, start, body):
    return math.dist(position(frame, body), position(start, body))


def multiply(a, b):
    """The product of two quaternions w x y z."""
    (aw, *av), (bw, *bv) = a, b
    x, y, z = figure_scenes.cross(av, bv)
    return (aw * bw - figure_scenes.dot(av, bv), aw * bv[0] + bw * av[0] + x, aw * bv[1] + bw * av[1] + y,
            aw * bv[2] + bw * av[2] + z)


def conjugate(q):
    return (q[0], -q[1], -q[2], -q[3])


def rotation_of(frame, start, body):
    """Rotation of a body since the start; the identity for the world, which has no name."""
    if not body:
        return (1, 0, 0, 0)
    now, then = ([f[f"{body}.{q}"] for q in ("qw", "qx", "qy", "qz")] for f in (frame, start))
    return multiply(now, conjugate(then))


def relative_rotation(frame, start, a, b):
    """Rotation vector of b relative to a, in world axes at the start: the coordinate of a ball joint."""
    return rotation_vector(multiply(conjugate(rotation_of(frame, start, a)), rotation_of(frame, start, b)))


def rotation_vector(q):
    w, *v = q
    sine = math.sqrt(figure_scenes.dot(v, v))
    angle = math.remainder(2 * math.atan2(sine, w), 2 * math.pi)
    return [angle * x / sine if sine else 0.0 for x in v]


def quaternion(vector):
    angle = math.sqrt(figure_scenes.dot(vector, vector))
    return (math.cos(angle / 2), *(math.sin(angle / 2) * x / angle if angle else 0.0 for x in vector))


def rotate(q, v):
    return multiply(multiply(q, (0, *v)), conjugate(q))[1:]


class Written(unittest.TestCase):
    def test_the_long_scenes_are_what_the_tool_writes(self):
        for name, make in figure_scenes.SCENES.items():
            self.assertEqual((SOURCE / "scenes" / f"{name}.xml").read_text(), make(), name)


class StiffChain(FigureTest):
    links, length, stiffness = 100, 0.1, 2000

    def test_at_rest_springs_and_weight_are_in_balance(self):
        summary, frames, bodies = self.run_figure("stiff-chain")
        self.assertLess(summary["steps"], 20 * 60 + 10)  # of 1/60 s each
        start, end = frames[0], frames[-1]
        self.assertEqual(len(bodies), self.links)
        weight = bodies["bone1"]["mass"] * G
        moment, whole, beyond = 0.0, weight * self.links * self.links * self.length / 2, 0.0
        for k in range(self.links, 0, -1):
            self.assert_rests(end, f"bone{k}")
            x, y, z = position(end, f"bone{k}")
            self.assert_close(z, 0, 1e-6)
            ax, *_ = rotate(rotation_of(end, start, f"bone{k}"), (self.length / 2, 0, 0))
            joint = x - ax  # the joint that this bone hangs from
            beyond += x
            moment = weight * (beyond - (self.links - k + 1) * joint)
            angle = relative_rotation(end, start, f"bone{k - 1}" if k > 1 else "", f"bone{k}")[2]
            self.assert_close(-self.stiffness * angle, moment, 1e-6 * whole, f"bone{k}")
        # it fell down
        self.assertLess(position(end, f"bone{self.links}")[1], -0.8 * self.links * self.length)

    def test_it_stays_bounded_for_any_stiffness(self):
        for stiffness in (0, 1, 1e2, 1e4, 1e6, 1e8):
            with self.subTest(stiffness=stiffness):
                # Without drag, which would damp it.
                text = figure_scenes.stiff_chain(self.links, stiffness, 0.02 * stiffness, 0)
                self.path("c.xml").write_text(text)
                self.tumble("run", "c.xml", "--duration", "2.5", "--log", "l.csv", "--summary", "s.json",
                            "-o", "out.csv")
                header, rows = self.table("l.csv")
                energy = header.index("energy")
                weight = sum(body["mass"] * G for body in self.bodies_of("c.xml").values())
                self.assertLess(max(row[energy] for row in rows) - rows[0][energy],
                                0.1 * weight * self.links * self.length)
                self.assertEqual(json.loads(self.path("s.json").read_text()).get("stopped", ""), "")
                for frame in self.frames():
                    for k in range(1, self.links + 1):
                        self.assertLess(math.hypot(*position(frame, f"bone{k}")), k * self.length)


class Hand(FigureTest):
    stiffness, wire, carrier = 1000, 200, 0.02

    def test_it_follows_the_glove(self):
        _, frames, bodies = self.run_figure("hand")
        start = frames[0]
        bones = [name for name in bodies if name.startswith("hand.")]
        self.assertEqual(len(bones), 16)
        joints = json.loads(self.tumble("info", SOURCE / "scenes" / "hand.xml", "--json").stdout)["joints"]
        self.assertEqual(len([joint for joint in joints if joint["type"] == "hinge"
                              and joint["name"].startswith("hand.")]), 15)
        # A mass on a spring whose anchor is shaken deviates at most twice as far as with the largest
        # acceleration held constant.
        mass = sum(bodies[bone]["mass"] for bone in bones) + 3 * self.carrier
        shaken = max(math.dist([a[f"glove.palm.v{k}"] for k in "xyz"], [b[f"glove.palm.v{k}"] for k in "xyz"])
                     / (b["t"] - a["t"])
                     for a, b in zip(frames, frames[1:]))
        lag = 2 * mass * (G + shaken) / self.stiffness
        self.assertLess(max(math.dist(position(frame, "hand.palm"), position(frame, "glove.palm"))
                            for frame in frames), lag)
        self.assertGreater(max(moved(frame, start, "hand.palm") for frame in frames), 10 * lag)
        for finger, (_, _, way, angle) in figure_scenes.FINGERS.items():
            axis = figure_scenes.unit(figure_scenes.cross(figure_scenes.UP, way))
            chain = ["hand.palm"] + [f"hand.{finger}{k}" for k in (1, 2, 3)]
            for above, bone in zip(chain, chain[1:]):
                bent = [figure_scenes.dot(relative_rotation(frame, start, above, bone), axis)
                        for frame in frames]
                self.assertLess(max(bent), math.radians(90) + JOINT, bone)
                self.assertGreater(min(bent), math.radians(-10) - JOINT, bone)
            clenched = max(figure_scenes.dot(relative_rotation(frame, start, "hand.palm", chain[-1]), axis)
                           for frame in frames)
            # nearly as far as that of the glove
            self.assertGreater(clenched, 0.8 * math.radians(3 * angle), finger)
        self.check_balance(frames[-1], start, bodies)

    def check_balance(self, end, start, bodies):
        """At the end the springs of the palm and the wires carry exactly the weight."""
        for body in bodies:
            self.assert_rests(end, body)
        pulls = [self.stiffness * (end[f"turn.{k}"] - end[f"give-z.{k}"]) for k in "xyz"]
        for finger, ((x, z), lengths, way, _) in figure_scenes.FINGERS.items():
            tip = (x, 0, z)
            for k, length in enumerate(lengths, 1):
                tip = figure_scenes.add(tip, figure_scenes.unit(way), length)
                glove, hand = (self.carried(tip, end, start, f"{owner}.{finger}{k}")
                               for owner in ("glove", "hand"))
                pulls = figure_scenes.add(pulls, figure_scenes.add(glove, hand, -1), self.wire)
        weight = (sum(bodies[bone]["mass"] for bone in bodies if bone.startswith("hand."))
                  + 2 * self.carrier) * G
        for pull, load in zip(pulls, (0, weight, 0)):
            self.assert_close(pull, load, 1e-6 * weight)

    def carried(self, point, frame, start, body):
        return figure_scenes.add(position(frame, body),
                                 rotate(rotation_of(frame, start, body),
                                        figure_scenes.add(point, position(start, body), -1)))


class Robot(FigureTest):
    def test_with_torques_it_keeps_its_posture_and_without_them_it_hangs_limp(self):
        _, frames, bodies = self.run_figure("robot")
        start, end = frames[0], frames[-1]
        pulled = next(frame for frame in frames if frame["t"] > 2.49)
        parts = {name: (parent, figure_scenes.add(at, (0, 0, 0)))
                 for name, parent, at, *_ in figure_scenes.ROBOT}
        # For small angles each joint turns by the moment of the pull over its stiffness.
        pull, hand, gives = math.hypot(25, 10, 15), position(start, "stiff.left-hand"), 0.0
        for name in ("left-upper-arm", "left-forearm", "left-hand"):
            at = figure_scenes.add(parts[name][1], (-1, 0, 0))
            gives += pull * math.dist(hand, at) ** 2 / figure_scenes.TORQUES[name.split("-", 1)[1]][0]
        self.assertLess(moved(pulled, start, "stiff.left-hand"), gives)
        self.assertGreater(moved(pulled, start, "stiff.left-hand"), 0.2 * gives)
        for name in parts:
            self.assertLess(moved(end, start, f"stiff.{name}"), 1e-6, name)
            self.assert_rests(end, f"stiff.{name}")
        # The parts on a joint without torques hang below it. The head is at its limit.
        for name, (parent, at) in parts.items():
            if name == "head" or name.endswith(("thumb", "finger")):
                continue
            beyond = [part for part in parts if self.hangs_on(part, name, parts)]
            mass = sum(bodies[f"limp.{part}"]["mass"] for part in beyond)
            center = [sum(bodies[f"limp.{part}"]["mass"] * end[f"limp.{part}.{k}"] for part in beyond) / mass
                      for k in "xyz"]
            own = figure_scenes.add(figure_scenes.add(at, (1, 0, 0)), position(start, f"limp.{name}"), -1)
            joint = figure_scenes.add(position(end, f"limp.{name}"),
                                      rotate(rotation_of(end, start, f"limp.{name}"), own))
            self.assertLess(math.hypot(center[0] - joint[0], center[2] - joint[2]), 1e-3, name)
            self.assertLess(center[1], joint[1])
        swing = [math.atan2(math.hypot(x, z), y)
                 for x, y, z in (rotate(rotation_of(frame, start, "limp.head"), figure_scenes.UP)
                                 for frame in frames)]
        self.assertLess(max(swing), math.radians(40) + JOINT)
        self.assertGreater(swing[-1], math.radians(40) - 1e-3)

    def hangs_on(self, part, name, parts):
        while part in parts and part != name:
            part = parts[part][0]
        return part == name


class Tree(FigureTest):
    def test_it_sways_in_the_gusts_and_returns(self):
        _, frames, bodies = self.run_figure("tree")
        start, end = frames[0], frames[-1]
        self.assertEqual(len(bodies), 500)
        tips = figure_scenes.grow(500)[1]
        self.assertGreater(min(max(moved(frame, start, tip) for frame in frames) for tip in tips), 0.1)
        for bone in bodies:
            self.assertLess(moved(end, start, bone), 1e-6, bone)
            self.assert_rests(end, bone)


class Stairs(FigureTest):
    def test_redundant_nails_and_contacts_hold_together(self):
        summary, frames, bodies = self.run_figure("stairs", "--contacts", "k.csv")
        island = json.loads(self.tumble("info", SOURCE / "scenes" / "stairs.xml", "--json").stdout)["islands"]
        self.assertIn(3, [i["redundant_rows"] for i in island])
        start, end = frames[0], frames[-1]
        for frame in frames:
            self.assertLess(moved(frame, start, "stairs"), JOINT * bodies["stairs"]["radius"])
            self.assertLess(math.hypot(*relative_rotation(frame, start, "", "stairs")), JOINT)
        self.assert_stays(frames, ["stone", "stairs"], 1e-6)
        self.assert_rests(end, "crate")
        self.assert_close(end["crate.y"], 0.5, 1e-4 * 0.2)  # it lies flat on the third step
        self.assertLess(position(end, "ball")[1], -0.2 + 0.06 + 1e-4)  # it is on the floor
        self.assertGreater(summary["impacts"], 4)  # it hits several steps
        # In the last frame the impulses on the steps are the weight on them.
        with open(self.path("k.csv"), newline="") as file:
            last = [row for row in csv.DictReader(file) if float(row["t"]) == end["t"]]
        for body in ("stone", "crate"):
            weight = bodies[body]["mass"] * G / 60
            impulses = [float(row["jy"]) for row in last if row["b"] == body]
            self.assert_close(-sum(impulses), weight, 1e-6 * weight, body)


class Rope(FigureTest):
    def test_it_lies_on_the_ground_and_on_itself_within_its_limits(self):
        _, frames, bodies = self.run_figure("rope", "--contacts", "k.csv")
        start, end = frames[0], frames[-1]
        self.assertEqual(len(bodies), 25)
        largest = 0.0
        for joint in ElementTree.parse(SOURCE / "scenes" / "rope.xml").getroot().iter("joint"):
            axis, axis2 = ([float(x) for x in joint.get(name).split()] for name in ("axis", "axis2"))
            zero = [math.radians(float(x.replace("deg", ""))) for x in joint.get("zero", "0 0 0").split()]
            for frame in frames:
                turned_by = relative_rotation(frame, start, joint.get("a"), joint.get("b"))
                straight = self.from_straight(turned_by, zero,
                                              (axis, axis2, figure_scenes.cross(axis, axis2)))
                largest = max(largest, *map(abs, straight))
        self.assertLess(largest, math.radians(15) + JOINT)
        self.assertGreater(largest, math.radians(15) - JOINT)  # some limits are reached
        for body in bodies:
            self.assert_rests(end, body)
            # on the ground, or on another part of the rope
            self.assertLess(end[f"{body}.y"], 3 * 0.012 + 1e-3)
        with open(self.path("k.csv"), newline="") as file:
            touched = {(row["a"], row["b"]) for row in csv.DictReader(file)}
        self.assertTrue(any("floor" not in pair for pair in touched))

    def from_straight(self, turned_by, zero, axes):
        """Coordinates of a joint: the rotation from straight to the start, then that since the start."""
        first = quaternion([-sum(zero[k] * axes[k][i] for k in range(3)) for i in range(3)])
        vector = rotation_vector(multiply(quaternion(turned_by), first))
        return [figure_scenes.dot(vector, axis) for axis in axes]


class Ragdoll(FigureTest):
    rest = 1  # s of rest at the end

    def test_it_tumbles_down_the_stairs_and_comes_to_rest_within_its_limits(self):
        summary, frames, bodies = self.run_figure("ragdoll")
        start, end = frames[0], frames[-1]
        self.assertEqual((len(bodies), len(figure_scenes.TIES)), (15, 14))
        reached = [self.check_limits(frames, name, *tie) for name, tie in figure_scenes.TIES.items()]
        self.assertGreater(sum(reached), len(reached) / 2)
        self.assertGreater(summary["impacts"], 8)  # it hits several steps
        self.assertLess(end["pelvis.y"], start["pelvis.y"] - 2)
        for body in bodies:
            for frame in frames[-self.rest * 60 - 1:]:
                self.assert_rests(frame, body)

    def check_limits(self, frames, name, kind, on, _, axis, bounds):
        """No limit is exceeded by more than the tolerance of joints. Returns whether one was reached."""
        start, most = frames[0], -math.inf
        for frame in frames:
            turned_by = relative_rotation(frame, start, on, name)
            if kind == "hinge":
                angle = math.degrees(figure_scenes.dot(turned_by, axis))
                over = max(bounds[0] - angle, angle - bounds[1])
            else:
                q = quaternion(turned_by)
                swing = math.acos(min(1, figure_scenes.dot(rotate(q, axis), axis)))
                twist = 2 * math.atan2(figure_scenes.dot(q[1:], axis), q[0])
                over = max(math.degrees(swing) - bounds[0],
                           abs(math.degrees(math.remainder(twist, 2 * math.pi))) - bounds[1])
            most = max(most, math.radians(over))
        self.assertLess(most, JOINT, name)
        return most > -JOINT


if __name__ == "__main__":
    unittest.main()
