#!/usr/bin/env python3
# slow: runs programs under callgrind
"""Contact of finely meshed surfaces costs in proportion to the triangles near the other body.

    fine_meshes_test.py [--long]

Counts the instructions of a step in units of a plain box on a plane: rolling spheres, UV spheres on a pole,
where very many triangles meet, and a box with fine faces. --long takes up to a million triangles, and adds
spheres on equally fine sheets and in bowls.
"""
import json
import math
import re
import subprocess
import sys
import unittest
from shutil import which

from program import PROGRAM, ProgramTest

LONG = "--long" in sys.argv
STEP = "tumble::simulate::LeapfrogStepper::step(*"
RADIUS = 0.5  # m
BOWL = 1.5 * RADIUS
GAP = 1e-5  # m, at the start
DURATION = 0.05  # s
BOX_STEPS = 20  # what a step with 65,000 triangles may cost, in steps of a box on a plane
PER_TRIANGLE = 10  # the same for each triangle within the shell, and for the step itself
FINE_BOX = 1.5
ICOSPHERES = (7, 22, 57, 224) if LONG else (7, 22)  # parts of an edge: 20 parts^2 triangles
UV_SPHERES = ((32, 64), (128, 256)) if LONG else ((32, 64),)  # rings and segments

SCENE = """<scene name="fine">
  <simulation duration="{duration}" fps="60" accuracy="1e-3"/>
  <world gravity="0 -9.81 0"/>
  <material name="m" density="1000" friction="0.5" restitution="0"/>
  {meshes}
  <body name="floor" fixed="true">{floor}</body>
  <body name="body" position="0 {height} 0" velocity="{velocity}" angular-velocity="{spin}">
    <inertia mass="1" center="0 0 0" moments="0.1 0.1 0.1" products="0 0 0"/>{shape}
  </body>
</scene>
"""
PLANE = '<plane normal="0 1 0" material="m"/>'


def icosphere(parts, radius):
    """20 parts^2 triangles of nearly equal size."""
    g = (1 + math.sqrt(5)) / 2
    corners = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g), (0, -1, -g), (0, 1, -g),
               (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]
    faces = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2),
             (10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5),
             (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)]
    points, known, triangles = [], {}, []

    def at(face, i, k):
        weights = tuple(sorted((c, n) for c, n in zip(face, (parts - i - k, i, k)) if n))
        if weights not in known:
            p = [sum(n * corners[c][axis] for c, n in weights) for axis in range(3)]
            known[weights] = len(points)
            points.append(tuple(radius * x / math.hypot(*p) for x in p))
        return known[weights]

    for face in faces:
        for i in range(parts):
            for k in range(parts - i):
                triangles.append((at(face, i, k), at(face, i + 1, k), at(face, i, k + 1)))
                if i + k < parts - 1:
                    triangles.append((at(face, i + 1, k), at(face, i + 1, k + 1), at(face, i, k + 1)))
    return points, triangles


def uv_sphere(rings, segments, radius):
    """2 segments (rings - 1) triangles. The poles are on y."""
    points = [(0, -radius, 0)]
    for i in range(1, rings):
        polar = math.pi * i / rings
        for k in range(segments):
            angle = 2 * math.pi * k / segments
            points.append((radius * math.sin(polar) * math.cos(angle), -radius * math.cos(polar),
                           radius * math.sin(polar) * math.sin(angle)))
    points.append((0, radius, 0))

    def at(i, k):
        return 1 + (i - 1) * segments + k % segments

    triangles = []
    for k in range(segments):
        triangles.append((0, at(1, k), at(1, k + 1)))
        triangles.append((len(points) - 1, at(rings - 1, k + 1), at(rings - 1, k)))
        for i in range(1, rings - 1):
            triangles += [(at(i, k), at(i + 1, k), at(i, k + 1)),
                          (at(i, k + 1), at(i + 1, k), at(i + 1, k + 1))]
    return points, triangles


def sheet(parts, size):
    """A flat square of 2 parts^2 triangles."""
    line = [size * (i / parts - 0.5) for i in range(parts + 1)]
    points = [(x, 0, z) for x in line for z in line]
    triangles = []
    for i in range(parts):
        for k in range(parts):
            a, b = i * (parts + 1) + k, (i + 1) * (parts + 1) + k
            triangles += [(a, a + 1, b), (a + 1, b + 1, b)]
    return points, triangles


def fine_box(size, parts):
    """A cube of 12 parts^2 triangles."""
    points, known, triangles = [], {}, []

    def at(axis, side, i, k):
        place = [0, 0, 0]
        place[axis], place[(axis + 1) % 3], place[(axis + 2) % 3] = side, i, k
        if tuple(place) not in known:
            known[tuple(place)] = len(points)
            points.append(tuple(size * (x / parts - 0.5) for x in place))
        return known[tuple(place)]

    for axis in range(3):
        for side in (0, parts):
            for i in range(parts):
                for k in range(parts):
                    a, b, c, d = (at(axis, side, i + m, k + n) for m, n in ((0, 0), (1, 0), (0, 1), (1, 1)))
                    triangles += [(a, b, c), (b, d, c)] if side else [(a, c, b), (b, c, d)]
    return points, triangles


def lower_half(mesh, radius):
    """The part of a sphere below the middle, seen from inside."""
    points, triangles = mesh
    triangles = [(a, c, b) for a, b, c in triangles
                 if max(points[i][1] for i in (a, b, c)) < 0.05 * radius]
    numbers = {old: new for new, old in enumerate(sorted({i for t in triangles for i in t}))}
    return [points[old] for old in numbers], [tuple(numbers[i] for i in t) for t in triangles]


def distance_of_plane(points, triangle):
    """Of the plane of a triangle from the origin."""
    p, q, r = (points[i] for i in triangle)
    u, w = [b - a for a, b in zip(p, q)], [b - a for a, b in zip(p, r)]
    n = (u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0])
    return abs(sum(a * b for a, b in zip(n, p))) / math.hypot(*n)


class FineMeshes(ProgramTest):
    table = []

    def count(self, name, height=RADIUS + GAP, velocity="0 0 0", spin="0 0 0", shape=None, **meshes):
        """Instructions of a step, and the range of the shell (m)."""
        for mesh, (points, triangles) in meshes.items():
            self.path(f"{mesh}.obj").write_text(
                "".join("v %.17g %.17g %.17g\n" % point for point in points) +
                "".join("f %d %d %d\n" % tuple(i + 1 for i in t) for t in triangles))
        self.scene(SCENE.format(
            duration=DURATION, height=repr(height), velocity=velocity, spin=spin,
            meshes="".join(f'<mesh name="{mesh}" file="{mesh}.obj"/>' for mesh in meshes),
            floor='<shape mesh="floor" material="m"/>' if "floor" in meshes else PLANE,
            shape=shape or '<shape mesh="ball" material="m"/>'), "s.xml")
        subprocess.run(["valgrind", "--tool=callgrind", f"--toggle-collect={STEP}",
                        "--callgrind-out-file=counts", PROGRAM, "run", "s.xml", "-o", "s.csv", "--quiet",
                        "--threads", "1", "--verify", "off", "--summary", "s.json"],
                       cwd=self.folder, check=True, capture_output=True)
        total = int(re.search(r"^summary: (\d+)", self.path("counts").read_text(), re.M).group(1))
        self.assertGreater(total, 0, f"there is no function {STEP}")
        steps = json.loads(self.path("s.json").read_text())["steps"]
        # docs/computation.md: what gravity closes in two drifts, and the distance at which bodies touch.
        shell = 2 * 9.81 * (DURATION / steps) ** 2 + 1.5e-5 * RADIUS
        self.table.append((name, total / steps, shell))
        return total / steps, shell

    def plain_box(self):
        box = f'<box size="{RADIUS} {RADIUS} {RADIUS}" material="m"/>'
        return self.count("box on a plane", RADIUS / 2 + GAP, velocity="0.3 0 0", shape=box)[0]

    @staticmethod
    def near(mesh, is_near):
        """How many triangles have a corner in the shell."""
        points, triangles = mesh
        inside = [is_near(*point) for point in points]
        return sum(inside[a] or inside[b] or inside[c] for a, b, c in triangles)

    def rolling(self, parts):
        ball = icosphere(parts, RADIUS)
        cost, shell = self.count(f"{len(ball[1])} triangles on a plane", velocity="1 0 0", spin="0 0 -2",
                                 ball=ball)
        return cost, self.near(ball, lambda x, y, z: y < shell - RADIUS)

    def on_a_sheet(self, parts):
        ball = icosphere(parts, RADIUS)
        floor = sheet(round(math.sqrt(len(ball[1]) / (8 * math.pi * RADIUS ** 2))), 1)
        cost, shell = self.count(f"{len(ball[1])} triangles on a sheet", velocity="1 0 0", spin="0 0 -2",
                                 ball=ball, floor=floor)
        return cost, (self.near(ball, lambda x, y, z: y < shell - RADIUS) +
                      self.near(floor, lambda x, y, z: math.hypot(x, z) ** 2 < 2 * RADIUS * shell))

    def in_a_bowl(self, parts):
        ball = icosphere(parts, RADIUS)
        floor = lower_half(icosphere(round(parts * BOWL / RADIUS), BOWL), BOWL)
        height = RADIUS + GAP - min(distance_of_plane(floor[0], t) for t in floor[1])
        cost, shell = self.count(f"{len(ball[1])} triangles in a bowl", height, velocity="0.3 0 0", ball=ball,
                                 floor=floor)
        return cost, (self.near(ball, lambda x, y, z: BOWL - math.hypot(x, y + height, z) < shell) +
                      self.near(floor, lambda x, y, z: math.hypot(x, y - height, z) - RADIUS < shell))

    def check(self, kind):
        box = self.plain_box()
        for parts in ICOSPHERES:
            cost, triangles = kind(parts)
            print(f"{self.table[-1][0]}: {cost:.0f} instructions, {cost / box:.1f} box steps, "
                  f"{triangles} triangles within the shell", flush=True)
            self.assertLess(cost, PER_TRIANGLE * box * (1 + triangles))
            if 60_000 < 20 * parts ** 2 < 70_000:
                self.assertLess(cost, BOX_STEPS * box)

    def test_a_rolling_sphere_costs_what_its_shell_has(self):
        self.check(self.rolling)

    def test_a_sphere_on_a_pole_costs_no_more(self):
        box = self.plain_box()
        for rings, segments in UV_SPHERES:
            for spin in (0, 5):
                ball = uv_sphere(rings, segments, RADIUS)
                cost, _ = self.count("", spin=f"0 {spin} 0", ball=ball)
                print(f"{len(ball[1])} triangles on a pole, {spin} rad/s: {cost:.0f} instructions, "
                      f"{cost / box:.1f} box steps", flush=True)
                self.assertLess(cost, BOX_STEPS * box)

    def test_a_box_with_fine_faces_costs_what_a_box_costs(self):
        box = self.plain_box()
        mesh = fine_box(RADIUS, 91 if LONG else 29)
        cost, _ = self.count("", RADIUS / 2 + GAP, velocity="0.3 0 0", ball=mesh)
        print(f"box of {len(mesh[1])} triangles: {cost:.0f} instructions, plain {box:.0f}", flush=True)
        self.assertLess(cost, FINE_BOX * box)

    @unittest.skipUnless(LONG, "only with --long")
    def test_a_sphere_on_an_equally_fine_sheet_costs_what_the_shell_has(self):
        self.check(self.on_a_sheet)

    @unittest.skipUnless(LONG, "only with --long")
    def test_a_fine_sphere_in_a_bowl_costs_few_boxes(self):
        cost, _ = self.in_a_bowl(57)  # 64,980 triangles
        box = self.plain_box()
        print(f"64980 triangles in a bowl: {cost:.0f} instructions, {cost / box:.1f} box steps", flush=True)
        self.assertLess(cost, 1.3 * BOX_STEPS * box)  # not quite reached: docs/open.md

    # Not reached with 980 triangles, none of which has a corner within the shell: 17 boxes (docs/open.md).
    @unittest.expectedFailure
    @unittest.skipUnless(LONG, "only with --long")
    def test_a_sphere_in_a_bowl_costs_what_the_shell_has(self):
        self.check(self.in_a_bowl)


if __name__ == "__main__":
    if which("valgrind") is None:
        print("no valgrind here")
        sys.exit(77)
    unittest.main(argv=[argument for argument in sys.argv if argument != "--long"])
