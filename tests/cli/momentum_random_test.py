#!/usr/bin/env python3
# slow: --long has 1,000 systems for 10 s
"""Random free systems conserve momentum, and angular momentum about their centre.

momentum_random_test.py [--long]: 20 systems for 2 s, or 1,000 for 10 s.

Springs, dampers, drives, joints and collisions act between bodies, nothing acts from outside. So only
rounding changes momenta: 1e-12 (sum of |p| + largest internal impulse of a step * sqrt(steps)). The impulse
is that of the frame in which it is largest: mean forces of joints (--reactions, with their springs, dampers,
drives and limits) times the longest step, impulses of contacts (--contacts), and forces of <spring>s, from
the positions in the frame, times the longest step. For angular momentum each is multiplied by the largest
distance of a body from the centre, and the torques of joints and the bodies' own rotation are added.
"""
import csv
import json
import math
import random
import sys
import unittest

from program import ProgramTest

LONG = "--long" in sys.argv
SYSTEMS, SECONDS = (1000, 10) if LONG else (20, 2)
FPS = 60
RELATIVE = 1e-12
KINDS = ("ball", "hinge", "slider", "cylindrical", "universal", "constant-velocity", "fixed", "distance",
         "point-on-plane", "point-on-line", "orientation")
LINEAR, ANGULAR = ("slider", "cylindrical"), ("hinge", "ball")


def allowed_drift(momenta, impulse, steps):
    return RELATIVE * (momenta + impulse * math.sqrt(steps))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def rotate(q, v):
    """The vector v rotated by the quaternion q = (w, x, y, z)."""
    t = [2 * x for x in cross(q[1:], v)]
    return [v[i] + q[0] * t[i] + x for i, x in enumerate(cross(q[1:], t))]


def text_of(vector):
    return " ".join(repr(float(x)) for x in vector)


class System:
    """A tree of bodies on a grid of 1 m, perhaps with a loop, that moves as one; and balls that hit it."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        r = self.r
        cells = [(x, y, z) for x in range(2) for y in range(2) for z in range(2)]
        r.shuffle(cells)
        self.places = [[float(x) for x in cell] for cell in cells[:r.randint(2, 6)]]
        self.drift, self.spin = self.gauss(1), self.gauss(1)
        restitution = r.choice((0, 0, 0.5, 1))
        self.text = f'<material name="m" density="1000" friction="0.5" restitution="{restitution}"/>\n'
        self.springs = []
        for i, place in enumerate(self.places):
            self.add_body(i, place, [v + w for v, w in zip(self.drift, cross(self.spin, place))], self.spin)
        for i in range(1, len(self.places)):
            self.add_joint(r.randrange(i), i, r.choice(KINDS))
        if len(self.places) > 3 and r.random() < 0.4:
            self.add_joint(0, len(self.places) - 1, r.choice(("distance", "ball", "hinge")))
        for _ in range(r.randint(1, 3)):
            self.add_spring(*r.sample(range(len(self.places)), 2))
        self.add_strikers()

    def gauss(self, size):
        return [self.r.gauss(0, size) for _ in range(3)]

    def unit(self):
        v = self.gauss(1)
        return [x / math.hypot(*v) for x in v]

    def add_body(self, i, place, velocity, spin):
        r = self.r
        shape = r.choice((f'<box size="{text_of([r.uniform(0.1, 0.4) for _ in range(3)])}" material="m"/>',
                          f'<sphere radius="{r.uniform(0.1, 0.2)!r}" material="m"/>',
                          f'<capsule radius="{r.uniform(0.05, 0.1)!r}" length="0.2" material="m"/>'))
        self.text += (f'<body name="b{i}" position="{text_of(place)}" rotate="{text_of(self.unit())} '
                      f'{r.uniform(0, 3)!r}" velocity="{text_of(velocity)}" '
                      f'angular-velocity="{text_of(spin)}">{shape}</body>\n')

    def add_joint(self, a, b, kind):
        r, axis = self.r, self.unit()
        at = [(x + y) / 2 + r.uniform(-0.1, 0.1) for x, y in zip(self.places[a], self.places[b])]
        more, inside = "", ""
        if kind not in ("ball", "fixed", "distance", "orientation"):
            more += f' axis="{text_of(axis)}"'
        if kind == "universal":
            across = cross(axis, self.unit())
            more += f' axis2="{text_of([x / math.hypot(*across) for x in across])}"'
        if kind != "distance":
            more += f' at="{text_of(at)}"'
        if kind in LINEAR + ANGULAR:
            if r.random() < 0.6:
                more += f' stiffness="{10 ** r.uniform(0, 6)!r}"'
            if r.random() < 0.4:
                more += f' damping="{10 ** r.uniform(-1, 3)!r}"'
            if kind in ("hinge", "slider") and r.random() < 0.3:
                more += f' limits="{-r.uniform(0.05, 0.5)!r} {r.uniform(0.05, 0.5)!r}"'
            if r.random() < 0.4:
                value = r.uniform(-1, 1)
                target = text_of([value] * 3) if kind == "ball" else repr(value)
                inside = (f'<drive target="{target}" stiffness="{10 ** r.uniform(0, 4)!r}" '
                          f'damping="{10 ** r.uniform(-1, 2)!r}"'
                          + (f' max-force="{10 ** r.uniform(0, 2)!r}"' if r.random() < 0.5 else "") + "/>")
        self.text += f'<joint type="{kind}" a="b{a}" b="b{b}"{more}>{inside}</joint>\n'

    def add_spring(self, a, b):
        r = self.r
        ends = [[x + r.uniform(-0.2, 0.2) for x in self.places[i]] for i in (a, b)]
        stiffness, damping = 10 ** r.uniform(0, 6), r.choice((0.0, 10 ** r.uniform(-1, 3)))
        stretch = min(0.2, math.sqrt(2 * 20 / stiffness))  # 20 J in it
        length = math.dist(*ends) + r.uniform(-stretch, stretch)
        self.springs.append((a, b, ends, length, stiffness, damping))
        self.text += (f'<spring a="b{a}" b="b{b}" at-a="{text_of(ends[0])}" at-b="{text_of(ends[1])}" '
                      f'length="{length!r}" stiffness="{stiffness!r}" damping="{damping!r}"/>\n')

    def add_strikers(self):
        """Balls from 2.5 m to 5 m away, aimed at bodies. They start apart from each other."""
        bodies, count = len(self.places), self.r.randint(1, 2)
        for i in range(count):
            target, speed = self.r.choice(self.places[:bodies]), self.r.uniform(3, 8)
            way = self.unit()
            way[0] = abs(way[0]) * (1, -1)[i]
            place = [x - 3 * y for x, y in zip(target, way)]
            self.places.append(place)
            self.add_body(bodies + i, place, [v + speed * w for v, w in zip(self.drift, way)], self.gauss(2))

    def xml(self):
        return (f'<scene><simulation duration="{SECONDS}" fps="{FPS}" method="fast"/>'
                f'<world gravity="0 0 0"/>\n{self.text}</scene>')


# One pair of bodies for each way in which bodies act on each other.
PAIR = """<scene><simulation duration="0.5" fps="60" method="fast"/><world gravity="0 0 0"/>
<material name="m" restitution="{e}"/>
<body name="b0" velocity="0.3 0.5 0.1" angular-velocity="1 2 0.5">
<box size="0.3 0.2 0.1" material="m"/></body>
<body name="b1" position="0.5 0.1 0.05" velocity="{v} -0.5 0.2" angular-velocity="-1 0.5 2">
<box size="0.2 0.3 0.1" material="m"/></body>
{tie}</scene>"""
AXES = {"ball": "", "fixed": "", "orientation": "", "universal": ' axis="1 0 0" axis2="0 1 0"'}
LAWS = ("", ' stiffness="50"', ' stiffness="1e5"', ' damping="3"', ' damping="1e4"',
        ' stiffness="1e3" damping="10"')


def pairs():
    """Name, scene and springs of each pair."""
    for kind in KINDS:
        place = "" if kind == "distance" else ' at="0.25 0.1 0"' + AXES.get(kind, ' axis="0.3 1 0.2"')
        for law in LAWS if kind in LINEAR + ANGULAR else LAWS[:1]:
            tie = f'<joint type="{kind}" a="b0" b="b1"{place}{law}/>'
            yield kind + law, PAIR.format(v=0, e=0, tie=tie), []
    for law in LAWS[1:]:
        ends = ([0.1, 0.05, 0.0], [0.4, 0.2, 0.0])
        full = law if "stiffness" in law else ' stiffness="0"' + law
        values = dict(part.split("=") for part in full.split())
        gains = (float(values.get(name, '"0"').strip('"')) for name in ("stiffness", "damping"))
        tie = f'<spring a="b0" b="b1" at-a="{text_of(ends[0])}" at-b="{text_of(ends[1])}"{full}/>'
        yield f"spring{law}", PAIR.format(v=0, e=0, tie=tie), [(0, 1, ends, math.dist(*ends), *gains)]
    for drive in ('target="1" stiffness="10" damping="1"', 'velocity="3" damping="2" max-force="3"'):
        tie = f'<joint type="hinge" a="b0" b="b1" at="0.25 0.1 0" axis="0.3 1 0.2"><drive {drive}/></joint>'
        yield f"drive {drive}", PAIR.format(v=0, e=0, tie=tie), []
    for e in (0, 0.5, 1):
        yield f"impact, restitution {e}", PAIR.format(v=-2, e=e, tie=""), []


class Momentum(ProgramTest):
    def run_system(self, text):
        self.tumble("run", self.scene(text), "-o", "o.csv", "--log", "l.csv", "--summary", "s.json",
                    "--reactions", "r.csv", "--contacts", "k.csv", "--quiet", "--verify", "off",
                    "--max-cpu", "30")
        self.bodies = json.loads(self.tumble("info", "pair.xml", "--json").stdout)["bodies"]
        self.log, self.frames, self.reactions = (
            [dict(zip(header, row)) for row in rows]
            for header, rows in map(self.table, ("l.csv", "o.csv", "r.csv")))
        with open(self.path("k.csv"), newline="") as file:
            self.contacts = list(csv.DictReader(file))

    def vector(self, row, name, axes="xyz"):
        return [row[name + axis] for axis in axes]

    def largest_impulses(self, springs, reach):
        """Largest impulse of a step, and largest angular impulse."""
        h = max(row["h"] for row in self.log)
        impulse = {frame["t"]: 0.0 for frame in self.frames}
        torque = dict(impulse)
        joints = [name[:-3] for name in self.reactions[0] if name.endswith(".fx")]
        for row in self.reactions:
            for joint in joints:
                impulse[row["t"]] += math.hypot(*self.vector(row, f"{joint}.f")) * h
                torque[row["t"]] += math.hypot(*self.vector(row, f"{joint}.t")) * h
        for row in self.contacts:
            impulse[float(row["t"])] += math.hypot(float(row["jx"]), float(row["jy"]), float(row["jz"]))
        for frame in self.frames:
            for a, b, ends, length, stiffness, damping in springs:
                points, speeds = zip(*(self.carried(frame, i, end) for i, end in zip((a, b), ends)))
                distance = math.dist(*points)
                rate = sum((y - x) * (w - v) for x, y, v, w in zip(*points, *speeds)) / distance
                impulse[frame["t"]] += abs(stiffness * (distance - length) + damping * rate) * h
        return max(impulse.values()), max(reach * impulse[t] + torque[t] for t in impulse)

    def carried(self, frame, i, point):
        """Position and velocity of a point of a body that was at a place at the start."""
        start, name = self.frames[0], f"b{i}"
        q = self.vector(start, f"{name}.q", "wxyz")
        own = [x - y for x, y in zip(point, self.vector(start, f"{name}."))]
        own = rotate([q[0], -q[1], -q[2], -q[3]], own)
        arm = rotate(self.vector(frame, f"{name}.q", "wxyz"), own)
        turned = cross(self.vector(frame, f"{name}.w"), arm)
        return ([x + y for x, y in zip(self.vector(frame, f"{name}."), arm)],
                [x + y for x, y in zip(self.vector(frame, f"{name}.v"), turned)])

    def find_faults(self, label, text, springs):
        self.run_system(text)
        masses = [body["mass"] for body in self.bodies]
        whole, steps = sum(masses), len(self.log)
        momenta = spins = reach = 0.0
        for frame in self.frames:
            places = [self.vector(frame, f"{body['name']}.") for body in self.bodies]
            center = [sum(m * x[k] for m, x in zip(masses, places)) / whole for k in range(3)]
            if frame is self.frames[0]:
                first = center
            reach = max(reach, *(math.dist(x, center) + body["radius"]
                                 for x, body in zip(places, self.bodies)))
            momenta = max(momenta, sum(body["mass"] * math.hypot(*self.vector(frame, f"{body['name']}.v"))
                                       for body in self.bodies))
            spins = max(spins, sum(max(body["principal_moments"])
                                   * math.hypot(*self.vector(frame, f"{body['name']}.w"))
                                   for body in self.bodies))
        impulse, angular = self.largest_impulses(springs, reach)
        start = self.vector(self.log[0], "p")
        linear_off = angular_off = 0.0
        for row in self.log:
            p, l = self.vector(row, "p"), self.vector(row, "l")
            # The log is about the origin. The common centre moves with p/m.
            center = [x + v * row["t"] / whole for x, v in zip(first, start)]
            about = [x - y for x, y in zip(l, cross(center, p))]
            if row is self.log[0]:
                before = about
            linear_off = max(linear_off, math.dist(p, start))
            angular_off = max(angular_off, math.dist(about, before))
        bounds = (allowed_drift(momenta, impulse, steps),
                  allowed_drift(reach * momenta + spins, angular, steps))
        return [f"{label}: {what} off by {off:.3g}, allowed {bound:.3g}"
                for what, off, bound in zip(("momentum", "angular momentum"), (linear_off, angular_off),
                                            bounds)
                if not off <= bound]

    def test_pairs_conserve_momentum(self):
        faults = []
        for label, text, springs in pairs():
            faults += self.find_faults(label, text, springs)
        self.assertEqual(len(faults), 0, "\n" + "\n".join(faults))

    def test_free_systems_conserve_momentum(self):
        faults = []
        for seed in range(SYSTEMS):
            system = System(seed)
            faults += self.find_faults(f"seed {seed}", system.xml(), system.springs)
        self.assertEqual(len(faults), 0, "\n" + "\n".join(faults[:20]))


if __name__ == "__main__":
    unittest.main(argv=[a for a in sys.argv if a != "--long"])
