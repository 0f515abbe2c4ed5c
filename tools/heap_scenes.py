#!/usr/bin/env python3
"""Writes long scenes of bodies in contact, and their meshes, to scenes/ or to FOLDER:

    tools/heap_scenes.py [FOLDER]

The output is reproducible: a test compares the files in scenes/ with it.
"""
import math
import sys
from pathlib import Path

from figure_scenes import element, material, number, numbers, scene


def card(name, foot, lean, size, color):
    """A card that stands on its lower edge, at x and y of `foot`, and is rotated by `lean` about z.

    The edge is that of the lower face, on the side to which the card leans.
    """
    length, thick, _ = size
    way, across = (-math.sin(lean), math.cos(lean)), (math.cos(lean), math.sin(lean))
    side = thick / 2 if lean > 0 else -thick / 2
    center = [f + length / 2 * w + side * a for f, w, a in zip(foot, way, across)]
    box = element("box", size=numbers((size[1], size[0], size[2])), material=color)
    return element("body", box, name=name, position=numbers((*center, 0)),
                   rotate=f"0 0 1 {number(math.degrees(lean))}deg")


def card_house(storeys=2):
    size, lean, room = (0.09, 0.001, 0.06), math.radians(20), 0.004
    length, thick, width = size
    span = 2 * length * math.sin(lean)  # between the feet of a pair
    pitch, height = span + room, length * math.cos(lean) + thick * math.sin(lean)
    out = [element("simulation", duration="5", fps="60"), material("red", 700, "#b03a2e", 0.6),
           material("blue", 700, "#2e5fa3", 0.6),
           material("white", 700, "#ece8dc", 0.6), material("table", 700, "#4f7a4f", 0.6),
           element("body", element("plane", normal="0 1 0", material="table"), name="table", fixed="true")]
    for storey in range(1, storeys + 1):
        pairs, floor = storeys + 1 - storey, (storey - 1) * (height + thick)
        for pair in range(1, pairs + 1):
            middle = (pair - (pairs + 1) / 2) * pitch
            out.append(card(f"left{storey}-{pair}", (middle - span / 2, floor), -lean, size, "red"))
            out.append(card(f"right{storey}-{pair}", (middle + span / 2, floor), lean, size, "blue"))
        for pair in range(1, pairs):
            box = element("box", size=numbers((length, thick, width)), material="white")
            out.append(element("body", box, name=f"flat{storey}-{pair}",
                               position=numbers(((pair - pairs / 2) * pitch, floor + height + thick / 2, 0))))
    return scene("card-house", f"A house of cards, {storeys} storeys high: pairs of cards that lean on "
                               "each other, flat ones on their upper edges, and more pairs on those. It "
                               "stands.", out)


def lathe(profile, parts):
    """A solid of revolution about y as .obj, with `parts` segments. The profile is a closed line of (radius,
    height) that goes upwards on the outside. The middle of a segment is along z."""
    lines, corners = [], []
    for radius, height in profile:
        row = []
        for part in range(parts if radius else 1):
            angle = 2 * math.pi * (part + 0.5) / parts
            lines.append(f"v {numbers((radius * math.sin(angle), height, radius * math.cos(angle)))}")
            row.append(len(lines))
        corners.append(row * (parts // len(row)))
    faces = []
    for low, high in zip(corners, corners[1:] + corners[:1]):
        for k in range(parts):
            a, b, c, d = low[k], low[(k + 1) % parts], high[(k + 1) % parts], high[k]
            faces += [face for face in ((a, b, c), (a, c, d)) if len(set(face)) == 3]
    return "".join(f"{line}\n" for line in lines) + "".join(f"f {a} {b} {c}\n" for a, b, c in faces)


# m: radius to the centre of the bar at the middle of a segment, half its thickness; segments
RING = (0.05, 0.008, 12)


def ring():
    radius, half, parts = RING
    edge = 1 / math.cos(math.pi / parts)
    profile = [(radius + x * half, y * half)
               for x, y in ((1, -0.5), (1, 0.5), (0.5, 1), (-0.5, 1), (-1, 0.5), (-1, -0.5), (-0.5, -1),
                            (0.5, -1))]
    return lathe([(r * edge, y) for r, y in profile], parts)


def rings(count=8, slack=0.004, askew=8, push=(0.3, 0, 0.12)):
    """Each ring is perpendicular to the one above it, and then turned a little. The first one is fixed."""
    radius, half, _ = RING
    out = [element("simulation", duration="4", fps="60"), material("iron", 7800, "#6b7278", 0.3),
           material("brass", 8500, "#c9a227", 0.3),
           element("mesh", name="ring", file="ring.obj")]
    for k in range(count):
        # Turns the axis of the ring from y to z or x. Segments have their middle at the top and at the
        # bottom.
        turn = "1 0 0 90deg" if k % 2 == 0 else "1 1 1 -120deg"
        shape = element("shape", mesh="ring", material="iron" if k % 2 == 0 else "brass", rotate=turn)
        height = -k * (2 * (radius - half) - slack)
        out.append(element("body", shape, name=f"ring{k + 1}", fixed="true" if k == 0 else None,
                           position=numbers((0, height, 0)),
                           rotate=f"0 1 0 {askew * k}deg" if k else None,
                           velocity=numbers([k * v for v in push]) if k else None))
    return scene("rings", f"A chain of {count} rings with facets, held together by nothing but contact; "
                          "the first one is fixed. The others fall a\n"
                          "     little and swing, and none ever leaves its neighbours. The chain of Hahn "
                          "(1988).", out)


def prism(outline, middle, half):
    """A prism as .obj, from z = -half to half. The outline is counter-clockwise, star-shaped about
    `middle`."""
    count, lines = len(outline), []
    for z in (-half, half):
        lines += [f"v {numbers((*point, z))}\n" for point in (*outline, middle)]
    faces = []
    for k in range(count):
        a, b, m = k + 1, (k + 1) % count + 1, count + 1
        c, d, top = a + m, b + m, 2 * m
        faces += [(b, a, m), (c, d, top), (a, b, d), (a, d, c)]
    return "".join(lines) + "".join(f"f {a} {b} {c}\n" for a, b, c in faces)


def angle_iron():
    """A prism with the shape of the letter L."""
    return prism([(-0.03, -0.03), (0.04, -0.03), (0.04, -0.01), (-0.01, -0.01), (-0.01, 0.04), (-0.03, 0.04)],
                 (-0.02, -0.02), 0.012)


def cross():
    arm, half = 0.04, 0.011
    corner = [(half, half), (half, arm), (-half, arm)]  # of one quarter; rotated by 90 degrees for the next
    turns = ((1, 0), (0, 1), (-1, 0), (0, -1))
    return prism([(c * x - s * y, s * x + c * y) for c, s in turns for x, y in corner], (0, 0), half)


BOWL = (0.17, 0.1)  # m: radius and height of the inner edge of its rim


def bowl_mesh():
    radius, height = BOWL
    outside = [(0, -0.012), (0.07, -0.012), (0.13, 0.025), (radius + 0.008, height)]
    inside = [(radius, height), (0.122, 0.03), (0.066, 0), (0, 0)]
    return lathe(outside + inside, 24)


def bowl(layers=5):
    """Each layer has three bodies, 120 degrees apart, and is turned relative to the layer below."""
    def solid(mesh, stuff):
        return element("shape", mesh=mesh, material=stuff)

    kinds = {"ball": element("sphere", radius="0.028", material="glass"),
             "box": element("box", size="0.055 0.045 0.035", material="wood"),
             "ring": solid("ring", "brass"),
             "capsule": element("capsule", radius="0.018", length="0.04", material="rubber"),
             "cross": solid("cross", "iron"), "stone": element("hull", mesh="stone", material="stone"),
             "cylinder": element("cylinder", radius="0.022", length="0.05", material="wood"),
             "angle": solid("angle", "iron"),
             "cone": element("cone", radius="0.03", length="0.06", material="rubber")}
    out = [element("simulation", duration="1.5", fps="60"), material("porcelain", 2300, "#e4e2da", 0.4),
           material("glass", 2500, "#3f8f8a", 0.4), material("wood", 700, "#b5793a", 0.5),
           material("brass", 8500, "#c9a227", 0.4),
           material("rubber", 1100, "#b03a2e", 0.7), material("iron", 7800, "#6b7278", 0.4),
           material("stone", 2500, "#8a8f94", 0.5),
           element("mesh", name="bowl", file="bowl.obj"),
           element("mesh", name="ring", file="ring.obj", scale="0.7"),
           element("mesh", name="cross", file="cross.obj"), element("mesh", name="angle", file="angle.obj"),
           element("mesh", name="stone", file="stone.obj", scale="0.15"),
           element("body", element("cylinder", radius="0.22", length="0.02", at="0 -0.023 0",
                                   material="wood"), name="table", fixed="true"),
           element("body", solid("bowl", "porcelain"), name="bowl", fixed="true")]
    for k in range(3 * layers):
        layer, place = divmod(k, 3)
        angle = 2 * math.pi * (place / 3 + 0.11 * layer)
        name, shape = list(kinds.items())[k % len(kinds)]
        out.append(element("body", shape, name=f"{name}{k // len(kinds) + 1}",
                           position=numbers((0.055 * math.sin(angle), 0.08 + 0.1 * layer,
                                             0.055 * math.cos(angle))),
                           rotate=f"{1 + k % 2} {k % 3 - 1} {1 - k % 4} {(37 * k) % 180}deg"))
    return scene("bowl", "A bowl is filled: balls, boxes, capsules, cylinders, cones, stones, and rings, "
                         "crosses and angles, which are not convex, fall\n"
                         "     into it and come to rest; none of them leaves it.", out)


# Semi-axes of the ellipsoid, its skew against the axes of inertia, and the height of the centre of mass.
RATTLEBACK = {"axes": (0.12, 0.05, 0.04), "skew": math.radians(30), "height": 0.02}


def rattleback_mesh(parts=40, slope=0.3):
    """The bottom of an ellipsoid, divided evenly in the slopes of its normals, and a low roof. Relative to
    the centre of mass."""
    (a, c, b), height = RATTLEBACK["axes"], RATTLEBACK["height"]
    cosine, sine = math.cos(RATTLEBACK["skew"]), math.sin(RATTLEBACK["skew"])
    corners = []
    for i in range(parts + 1):
        for k in range(parts + 1):
            p, q = slope * (2 * i / parts - 1), slope * (2 * k / parts - 1)
            length = math.sqrt((a * p) ** 2 + c ** 2 + (b * q) ** 2)
            x, y, z = a * a * p / length, -c * c / length, b * b * q / length
            corners.append((x * cosine + z * sine, y + c - height, z * cosine - x * sine))
    corners.append((0, -0.25 * height, 0))

    def at(i, k):
        return i * (parts + 1) + k + 1

    faces = []
    for i in range(parts):
        for k in range(parts):
            faces += [(at(i, k), at(i + 1, k), at(i, k + 1)), (at(i + 1, k), at(i + 1, k + 1), at(i, k + 1))]
    rim = [at(i, 0) for i in range(parts)] + [at(parts, k) for k in range(parts)]
    rim += [at(i, parts) for i in range(parts, 0, -1)] + [at(0, k) for k in range(parts, 0, -1)]
    faces += [(after, before, len(corners)) for before, after in zip(rim, rim[1:] + rim[:1])]
    return ("# A rattleback, by tools/heap_scenes.py\n" +
            "".join("v {:.7f} {:.7f} {:.7f}\n".format(*corner) for corner in corners) +
            "".join("f {} {} {}\n".format(*face) for face in faces))


def rattleback():
    inertia = element("inertia", mass="1", center="0 0 0", moments="0.0005 0.0035 0.0032", products="0 0 0")
    out = [element("simulation", duration="3", fps="60", accuracy="1e-4"),
           material("wood", 700, "#8a5a2b", 1), material("table", 700, "#4f7a4f", 1),
           element("mesh", name="stone", file="rattleback.obj"),
           element("body", element("plane", normal="0 1 0", material="table"), name="table", fixed="true"),
           element("body", inertia, element("shape", mesh="stone", material="wood"), name="stone",
                   position=numbers((0, RATTLEBACK["height"], 0)), angular_velocity="0.2 3 1")]
    return scene("rattleback", "A rattleback: its axes of inertia are skewed against the curvature of "
                               "its bottom, 3,200 triangles.\n     It spins the wrong way, begins to "
                               "rattle, and turns back. Spun the other way it does not.", out)


SCENES = {"bowl": bowl, "card-house": card_house, "rattleback": rattleback, "rings": rings}
MESHES = {"angle": angle_iron, "bowl": bowl_mesh, "cross": cross, "rattleback": rattleback_mesh, "ring": ring}


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "scenes"
    for name, make in SCENES.items():
        (folder / f"{name}.xml").write_text(make())
    for name, make in MESHES.items():
        (folder / f"{name}.obj").write_text(make())


if __name__ == "__main__":
    main()
