#!/usr/bin/env python3
"""Writes the scene of a nut on a bolt and its meshes to scenes/ or to FOLDER:

    tools/thread_scenes.py [FOLDER]

The output is reproducible: a test compares the files in scenes/ with it.
"""
import math
import sys
from pathlib import Path

from figure_scenes import element, material, number, numbers, scene

PITCH = 0.05  # m
ROOT, CREST = 0.04, 0.05  # m: radii of the bolt
PROFILE = ((ROOT, 0), (ROOT, 0.3), (CREST, 0.5), (CREST, 0.8))  # radius, and height in pitches
PARTS = 24  # segments per turn
# m, across the axis; the same along the axis on each flank, because flanks are at 45 degrees
CLEARANCE = 0.0015
BOLT_TURNS, NUT_TURNS = 7, 2
NUT_ACROSS = 0.16  # m, from flat to flat


class Solid:
    """A mesh with vertices and triangles, written as .obj."""

    def __init__(self):
        self.corners, self.faces = [], []

    def corner(self, radius, part, height):
        angle = 2 * math.pi * part / PARTS
        self.corners.append((radius * math.sin(angle), height, radius * math.cos(angle)))
        return len(self.corners)

    def face(self, *corners):
        """Adds a face of three or four corners, counter-clockwise seen from outside."""
        for k in range(1, len(corners) - 1):
            self.faces.append((corners[0], corners[k], corners[k + 1]))

    def text(self):
        return "".join(f"v {numbers(c)}\n" for c in self.corners) + "".join(f"f {a} {b} {c}\n"
                                                                            for a, b, c in self.faces)


def thread(solid, widen, foot, turns, inside):
    """Adds the surface of a thread that rises from the height `foot`.

    Returns for each of its two ends the line of corners from part 0 to part PARTS, and the profile that
    closes it.
    """
    rows = len(PROFILE)

    def add(k, part):
        radius, height = PROFILE[k % rows]
        return solid.corner(radius + widen, part, foot + PITCH * (k // rows + height + part / PARTS))

    last = turns * rows
    grid = [[add(k, part) for k in range(last + 1 + (rows if part == 0 else 0))] for part in range(PARTS)]
    grid.append(grid[0][rows:])  # after one turn the thread is one pitch higher
    for part in range(PARTS):
        for k in range(last):
            face = (grid[part][k], grid[part + 1][k], grid[part + 1][k + 1], grid[part][k + 1])
            solid.face(*(face[::-1] if inside else face))
    return tuple(([row[k] for row in grid], grid[0][k:k + rows + 1]) for k in (0, last))


def bolt():
    solid = Solid()
    foot = -BOLT_TURNS * PITCH / 2
    for end, (line, step) in enumerate(thread(solid, 0, foot, BOLT_TURNS, False)):
        middle = solid.corner(0, 0, foot + (BOLT_TURNS + 1) * PITCH * end)
        for a, b in [*zip(line, line[1:]), *zip(step[::-1], step[-2::-1])]:
            solid.face(*((middle, a, b) if end else (middle, b, a)))
    return solid.text()


def nut():
    """Has the same centre as the bolt, where its thread is midway between the flanks of the bolt."""
    solid = Solid()
    foot = -(NUT_TURNS + 1) * PITCH / 2
    side = [NUT_ACROSS / 2 / math.cos(2 * math.pi * ((part + PARTS / 12) % (PARTS / 6) - PARTS / 12) / PARTS)
            for part in range(PARTS)]
    rims = []
    for end, (line, step) in enumerate(thread(solid, CLEARANCE, foot, NUT_TURNS, True)):
        rim = [solid.corner(side[part], part, (end - 0.5) * NUT_TURNS * PITCH) for part in range(PARTS)]
        rim.append(rim[0])
        for part in range(PARTS):
            face = (line[part], rim[part], rim[part + 1], line[part + 1])
            solid.face(*(face if end else face[::-1]))
        for a, b in zip(step, step[1:]):
            solid.face(*((rim[0], b, a) if end else (rim[0], a, b))[::-1])
        rims.append(rim)
    for part in range(PARTS):
        solid.face(rims[0][part], rims[0][part + 1], rims[1][part + 1], rims[1][part])
    return solid.text()


def nut_on_bolt(height=0.07):
    turn = height / PITCH
    out = [element("simulation", duration="1.4", fps="60"), material("steel", 7800, "#6b7278", 0.02),
           material("brass", 8500, "#c9a227", 0.02),
           element("mesh", name="bolt", file="bolt.obj"), element("mesh", name="nut", file="nut.obj"),
           element("body", element("shape", mesh="bolt", material="steel"), name="bolt", fixed="true"),
           element("body", element("shape", mesh="nut", material="brass"), name="nut",
                   position=numbers((0, height, 0)),
                   rotate=f"0 1 0 {number(360 * turn % 360)}deg")]
    return scene("nut-on-bolt",
                 "A nut on a bolt, with a little room between their threads. "
                 "It spins down: a pitch with every turn.", out)


SCENES = {"nut-on-bolt": nut_on_bolt}
MESHES = {"bolt": bolt, "nut": nut}


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "scenes"
    for kind, files in (("xml", SCENES), ("obj", MESHES)):
        for name, make in files.items():
            (folder / f"{name}.{kind}").write_text(make())


if __name__ == "__main__":
    main()
