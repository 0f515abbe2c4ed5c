#!/usr/bin/env python3
"""Writes long scenes of figures to scenes/ or to FOLDER:

    tools/figure_scenes.py [FOLDER]

The output is reproducible: a test compares the files in scenes/ with it.
"""
import math
import random
import sys
from pathlib import Path

UP = (0, 1, 0)
G = 9.81


def add(a, b, factor=1.0):
    return tuple(x + factor * y for x, y in zip(a, b))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    return add((0, 0, 0), a, 1 / math.sqrt(dot(a, a)))


def number(x):
    return f"{x + 0.0:.10g}"  # ten digits: enough to close joints, and too few to show rounding


def numbers(v):
    return " ".join(number(round(x, 12)) for x in v)


def element(tag, *children, **attributes):
    """One XML element with its attributes in order. A _ in a name becomes -."""
    words = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items()
                    if value is not None)
    if not children:
        return f"<{tag}{words}/>"
    inside = "".join(f"\n  {line}" for child in children for line in child.split("\n"))
    return f"<{tag}{words}>{inside}\n</{tag}>"


def along(way):
    """The rotation from y to the direction `way`, as an attribute. None for the identity."""
    axis, cosine = cross(UP, way), dot(UP, way)
    if dot(axis, axis) < 1e-24:
        return None if cosine > 0 else "1 0 0 180deg"
    return f"{numbers(unit(axis))} {number(math.degrees(math.atan2(math.sqrt(dot(axis, axis)), cosine)))}deg"


def bone(name, start, end, radius, material, group=None):
    """A body with a capsule from one point to another."""
    way = add(end, start, -1)
    length = math.sqrt(dot(way, way))
    return element("body", element("capsule", radius=number(radius), length=number(length),
                                   material=material),
                   name=name, position=numbers(add(start, way, 0.5)), rotate=along(unit(way)), group=group)


def material(name, density, color, friction=None):
    return element("material", name=name, density=number(density), friction=friction, color=color)


def scene(name, comment, lines):
    text = "\n".join(f"  {line}" for item in lines for line in item.split("\n"))
    return ('<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<!-- {comment} -->\n<scene name="{name}">\n{text}\n</scene>\n')


def stiff_chain(links=100, stiffness=2000, damping=400, air=1.8):
    length, radius = 0.1, 0.03
    out = [element("simulation", duration="20", fps="60", method="fast", step=repr(1 / 60)),
           material("steel", 1800, "#8f9aa3"), material("dark", 1800, "#4a5560"),
           element("body", element("box", size="0.2 0.4 0.4", at="-0.1 0 0", material="dark",
                                   collide="false"), name="wall", fixed="true")]
    joints, drags = [], []
    for k in range(1, links + 1):
        at = ((k - 1) * length, 0, 0)
        out.append(bone(f"bone{k}", at, (k * length, 0, 0), radius, ("dark", "steel")[k % 2], "chain"))
        joints.append(element("joint", name=f"joint{k}", type="ball", a=f"bone{k - 1}" if k > 1 else None,
                              b=f"bone{k}",
                              at=numbers(at), stiffness=number(stiffness), damping=number(damping)))
        drags.append(element("drag", name=f"air{k}", body=f"bone{k}", linear=number(air)))
    return scene("stiff-chain", f"A chain of {links} bones on stiff and damped joints, held at one end and "
                                "level at the start. It falls and comes to rest, hanging as its\n"
                                "     springs and its weight will have it, in steps of a sixtieth of a "
                                "second; and stays bounded however stiff its joints are. The chain of "
                                "Hernandez\n"
                                "     et al. (2011).", out + [element("ignore", groups="chain chain")]
                 + joints + drags)


# x and z of the knuckle (m), lengths of the bones (m), direction, largest angle of each joint (degrees)
FINGERS = {"thumb": ((-0.046, 0.0), (0.040, 0.032, 0.026), (-0.8, 0, 0.6), 25),
           "index": ((-0.03, 0.05), (0.042, 0.026, 0.022), (-0.12, 0, 1), 55),
           "middle": ((-0.01, 0.053), (0.046, 0.029, 0.023), (0, 0, 1), 60),
           "ring": ((0.01, 0.05), (0.043, 0.027, 0.022), (0.08, 0, 1), 60),
           "little": ((0.03, 0.044), (0.034, 0.021, 0.019), (0.2, 0, 1), 60)}
# Motion of the wrist of the glove: along x, upwards, and rotation about the forearm, at 0, 1, 2 and 3 s
GLOVE = {"rail": ("slider", "1 0 0", "m", (0, 0.15, -0.1, 0)),
         "lift": ("slider", "0 1 0", "m", (0, 0.05, 0.1, 0)),
         "turn": ("hinge", "0 0 1", "deg", (0, 40, -40, 0))}


def script(joint, values, dimension, times=(0, 1, 2, 3)):
    keys = [element("key", t=number(t), value=f"{number(v)}{dimension}",
                    velocity="0" if t in (times[0], times[-1]) else None)
            for t, v in zip(times, values)]
    return element("script", *keys, joint=joint)


def hand(stiffness=1000, torsion=5, wire=200):
    """A glove that follows scripts, and a hand that follows the glove.

    The palm of the hand is on sliders and a ball joint with springs. Its fingers are pulled by wires.
    """
    wrist, radius = (0, 0, -0.06), 0.008
    bodies, joints, springs, scripts = [], [], [], []

    def carrier(name, kind, above, **more):
        bodies.append(element("body", element("inertia", mass="0.02", moments="1e-5 1e-5 1e-5"), name=name,
                              position=numbers(wrist)))
        joints.append(element("joint", name=f"{name}.guide", type=kind, a=above, b=name, at=numbers(wrist),
                              **more))
        return name

    def figure(owner, thin, **joint):
        palm = element("box", size=numbers((0.085, 0.016 * thin, 0.095)), material=owner)
        bodies.append(element("body", palm, name=f"{owner}.palm", group="hands"))
        for finger, ((x, z), lengths, way, _) in FINGERS.items():
            at, way, above = (x, 0, z), unit(way), f"{owner}.palm"
            for k, length in enumerate(lengths, 1):
                name, end = f"{owner}.{finger}{k}", add(at, way, length)
                bodies.append(bone(name, at, end, radius * thin, owner, "hands"))
                joints.append(element("joint", name=f"{name}.joint", type="hinge", a=above, b=name,
                                      at=numbers(at),
                                      axis=numbers(unit(cross(UP, way))), **joint))
                at, above = end, name

    above = None
    for name, (kind, axis, dimension, values) in GLOVE.items():
        above = carrier(name, kind, above, axis=axis)
        scripts.append(script(f"{name}.guide", values, dimension))
    figure("glove", 0.4)
    joints.append(element("joint", name="glove.wrist", type="fixed", a=above, b="glove.palm"))
    for axis, name in (("1 0 0", "give-x"), ("0 1 0", "give-y"), ("0 0 1", "give-z")):
        above = carrier(name, "slider", above, axis=axis, stiffness=number(stiffness), damping="40")
    figure("hand", 1, stiffness="0.05", damping="0.002", limits="-10deg 90deg")
    joints.append(element("joint", name="hand.wrist", type="ball", a=above, b="hand.palm", at=numbers(wrist),
                          stiffness=number(torsion), damping="0.2"))
    for finger, ((x, z), lengths, way, bend) in FINGERS.items():
        at, way = (x, 0, z), unit(way)
        for k, length in enumerate(lengths, 1):
            tip = numbers(add(at, way, length))
            scripts.append(script(f"glove.{finger}{k}.joint", (0, bend, bend / 4, bend, bend / 8), "deg",
                                  (0, 1, 1.6, 2.3, 3)))
            springs.append(element("spring", name=f"{finger}{k}.wire", a=f"glove.{finger}{k}",
                                   b=f"hand.{finger}{k}", at_a=tip, at_b=tip, length="0",
                                   stiffness=number(wire), damping="1"))
            at = add(at, way, length)
    return scene("hand", "A hand of 16 bones and 15 joints that follows a glove (yellow), which follows "
                         "scripts. Linear and torsional springs hold its palm to the\n"
                         "     glove's wrist, and a wire from tip to tip pulls each bone of a finger. The "
                         "hand of Hernandez et al. (2011).",
                 [element("simulation", duration="5", fps="60", method="fast"),
                  material("hand", 1100, "#e0c4a8"), material("glove", 1100, "#e0b010")]
                 + bodies + [element("ignore", groups="hands hands")] + joints + springs + scripts)


def holding_moment(beyond, at):
    """The moment that a joint at `at` needs to hold the bones beyond it, a list of (mass, centre)."""
    moment = (0, 0, 0)
    for mass, center in beyond:
        moment = add(moment, cross(add(center, at, -1), (0, mass * G, 0)))
    return moment


def capsule_mass(start, end, radius, density):
    way = add(end, start, -1)
    return density * math.pi * radius ** 2 * (math.sqrt(dot(way, way)) + 4 / 3 * radius)


def loads(parts, density):
    """For each part the load on its joint: (mass, centre) of itself and all parts beyond.

    `parts` has parents before children.
    """
    beyond = {}
    for name, _, start, end, radius in reversed(parts):
        beyond.setdefault(name, []).append((capsule_mass(start, end, radius, density),
                                            add(start, add(end, start, -1), 0.5)))
        parent = next(part[1] for part in parts if part[0] == name)
        beyond.setdefault(parent, []).extend(beyond[name])
    return beyond


# Parts of a robot that looks along z: name, parent, start (m), end (m), radius (m)
ROBOT = [("head", "trunk", (0, 1.48, 0), (0, 1.62, 0.02), 0.09)]
for _side, _s in (("left", 1), ("right", -1)):
    ROBOT += [(f"{_side}-upper-arm", "trunk", (0.25 * _s, 1.36, 0), (0.52 * _s, 1.30, 0.02), 0.045),
              (f"{_side}-forearm", f"{_side}-upper-arm", (0.52 * _s, 1.30, 0.02), (0.66 * _s, 1.24, 0.22),
               0.04),
              (f"{_side}-hand", f"{_side}-forearm", (0.66 * _s, 1.24, 0.22), (0.68 * _s, 1.23, 0.30), 0.035),
              (f"{_side}-thumb", f"{_side}-hand", (0.65 * _s, 1.25, 0.33), (0.61 * _s, 1.26, 0.38), 0.012),
              (f"{_side}-finger", f"{_side}-hand", (0.69 * _s, 1.23, 0.34), (0.71 * _s, 1.22, 0.42), 0.015),
              (f"{_side}-thigh", "trunk", (0.1 * _s, 0.88, 0), (0.1 * _s, 0.5, 0), 0.07),
              (f"{_side}-shin", f"{_side}-thigh", (0.1 * _s, 0.5, 0), (0.1 * _s, 0.1, 0), 0.055),
              (f"{_side}-foot", f"{_side}-shin", (0.1 * _s, 0.1, 0), (0.1 * _s, 0.06, 0.14), 0.04)]
# By kind of joint: stiffness and damping with torques, damping without torques
TORQUES = {"head": (60, 2, 0.5), "upper-arm": (60, 6, 2), "forearm": (40, 2, 0.6), "hand": (10, 0.3, 0.05),
           "thumb": (1, 0.01, 0.002),
           "finger": (1, 0.01, 0.002), "thigh": (300, 15, 6), "shin": (150, 8, 2), "foot": (40, 1, 0.1)}


def robot():
    """Two robots that are pulled equally. Torques in its joints hold the posture of the first one."""
    bodies, joints, forces = [], [], []
    held = loads(ROBOT, 900)
    for robot_name, x, torques in (("stiff", -1, True), ("limp", 1, False)):
        def moved(point):
            return add(point, (x, 0, 0))
        shapes = [element("box", size="0.36 0.56 0.22", at="0 1.16 0", material=robot_name),
                  element("box", size="0.08 1.3 0.08", at="0 0.65 -0.15", material="post"),
                  element("box", size="0.5 0.04 0.3", at="0 0.02 -0.26", material="post")]
        bodies.append(element("body", *shapes, name=f"{robot_name}.trunk", fixed="true",
                              position=numbers((x, 0, 0))))
        for name, parent, start, end, radius in ROBOT:
            bodies.append(bone(f"{robot_name}.{name}", moved(start), moved(end), radius, robot_name))
            kind = name.split("-", 1)[-1]
            stiffness, damping, loose = TORQUES[kind]
            more = {"stiffness": number(stiffness),
                    "damping": number(damping)} if torques else {"damping": number(loose)}
            moment = holding_moment(held[name], start)
            if kind in ("thumb", "finger"):
                axis = unit(cross(UP, add(end, start, -1)))
                more.update(type="hinge", axis=numbers(axis), limits="-20deg 60deg")
                rest = number(dot(moment, axis) / stiffness)
            else:
                more.update(type="ball", axis="0 1 0", axis2="0 0 1",
                            swing="40deg" if kind == "head" else None)
                rest = numbers((moment[1] / stiffness, moment[2] / stiffness, moment[0] / stiffness))
            joints.append(element("joint", name=f"{robot_name}.{name}.joint", a=f"{robot_name}.{parent}",
                                  b=f"{robot_name}.{name}", at=numbers(moved(start)),
                                  **more, rest=rest if torques else None))
        forces.append(element("force", name=f"{robot_name}.pull", body=f"{robot_name}.left-hand",
                              value="25 10 15", **{"from": "0.5", "to": "2.5"}))
    return scene("robot", "Two robots, bolted to posts, are pulled by the left hand for two seconds, one "
                          "with torques in its joints and one without. The one gives\n"
                          "     way a little and comes back to its posture; the other dangles. The robot "
                          "of Hernandez et al. (2011).",
                 [element("simulation", duration="8", fps="60"), material("stiff", 900, "#4d7ea8"),
                  material("limp", 900, "#b5651d"), material("post", 900, "#5a5f66")]
                 + bodies + joints + forces)


def grow(joints, seed=3):
    """A tree of `joints` bones: (name, parent, start, end, radius), parents first, and the names of the tips.

    A branch divides when it has its full number of bones.
    """
    chance = random.Random(seed)
    parts, open_ends = [], [("", (0, 0, 0), (0, 1, 0), 0.45, 5)]
    while len(parts) < joints:
        parent, start, way, length, left = open_ends.pop(0)
        name, end = f"bone{len(parts) + 1}", add(start, way, length)
        parts.append([name, parent, start, end, 0])

        def deflected(by, upwards):
            side = (chance.uniform(-1, 1), 0, chance.uniform(-1, 1))
            return unit(add(add(way, side, by), UP, upwards))
        if left > 1:
            open_ends.append((name, end, deflected(0.08, 0.02), length, left - 1))
        else:
            for by in ((0.9, 0.9, 0.9) if len(parts) < joints / 4 else (0.7, 0.7)):
                open_ends.append((name, end, deflected(by, 0.1), max(0.75 * length, 0.12),
                                  2 + int(3 * chance.random())))
    tips = {part[0]: 0 for part in parts}
    for name, parent, *_ in reversed(parts):  # the cross section of a branch is the sum of those of its twigs
        tips[name] = tips[name] or 1
        if parent:
            tips[parent] += tips[name]
    ends = {part[0] for part in parts} - {part[1] for part in parts}
    return [(name, parent, start, end, 0.009 * math.sqrt(tips[name]))
            for name, parent, start, end, _ in parts], ends


def tree(joints=500):
    """Each joint is as stiff as a beam of wet wood of its thickness. Its rest angle compensates its load."""
    modulus, density, settling = 1e9, 700, 0.15  # N/m2, kg/m3, s
    parts, ends = grow(joints)
    held = loads(parts, density)
    bodies, ties, gusts = [], [], []
    for name, parent, start, end, radius in parts:
        bodies.append(bone(name, start, end, radius, "twig" if name in ends else "wood", "tree"))
        way = add(end, start, -1)
        stiffness = modulus * math.pi / 4 * radius ** 4 / math.sqrt(dot(way, way))
        ties.append(element("joint", name=f"joint{name[4:]}", type="ball", a=parent or None, b=name,
                            at=numbers(start), axis="1 0 0", axis2="0 1 0",
                            stiffness=number(stiffness), damping=number(settling * stiffness),
                            rest=numbers(add((0, 0, 0), holding_moment(held[name], start), 1 / stiffness))))
        if name in ends:
            for gust, (begin, end_time, value) in enumerate(((0.5, 1.2, "8 0 1"), (1.6, 2, "12 0 -3"),
                                                             (2.4, 3.2, "6 0 3")), 1):
                late = (start[0] + 3) / 20  # the gust crosses the tree at 20 m/s
                gusts.append(element("force", name=f"gust{gust}.{name}", body=name, value=value,
                                     **{"from": number(begin + late), "to": number(end_time + late)}))
    return scene("tree", f"A tree of {joints} bones on stiff joints, in three gusts that cross it. It "
                         "stands as it grew, sways, and comes back.",
                 [element("simulation", duration="10", fps="60", method="fast"),
                  material("wood", density, "#6b4a2b"), material("twig", density, "#5f8f3a")]
                 + bodies + [element("ignore", groups="tree tree")] + ties + gusts)


def rope(segments=25, tail=5):
    """A rising loop in the air.

    The axes of joints are inclined by 45 degrees, so that a rotation about the vertical is one about two of
    them.
    """
    length, radius, rise, height, curvature = 0.08, 0.012, 0.05, 0.1, 19
    half = math.sqrt(0.5)
    bodies, joints, at, turn = [], [], (0, height, 0), 0.0
    for k in range(1, segments + 1):
        bend = curvature if tail < k <= segments - tail + 1 else 0
        side = unit((math.sin(turn), 0, math.cos(turn)))  # sideways from the segment before
        turn += math.radians(bend)
        end = add(at, unit((math.cos(turn), rise, -math.sin(turn))), length)
        bodies.append(bone(f"segment{k}", at, end, radius, ("hemp", "light")[k % 2]))
        if k > 1:
            limits = {f"limits_{axis}": "-15deg 15deg" for axis in "xyz"}
            joints.append(element("joint", name=f"joint{k - 1}", type="ball", a=f"segment{k - 1}",
                                  b=f"segment{k}", at=numbers(at),
                                  axis=numbers(add((0, half, 0), side, half)),
                                  axis2=numbers(add((0, half, 0), side, -half)),
                                  zero=f"{number(-bend * half)}deg {number(-bend * half)}deg 0"
                                  if bend else None, **limits, damping="0.002"))
        at = end
    floor = element("body", element("plane", normal="0 1 0", material="stone"), name="floor", fixed="true")
    push = numbers((-2 * math.sin(turn), 0, -2 * math.cos(turn)))
    return scene("rope", f"A rope of {segments} segments, each joint of which bends and twists by at most "
                         "15 degrees about each of its axes. It falls in a loop, its end\n"
                         "     across its beginning; the end is pushed inwards, so that the loop tightens "
                         "to its limits; it comes to rest on the ground, against itself.",
                 [element("simulation", duration="2", fps="60"), material("hemp", 1000, "#b08d57", 0.5),
                  material("light", 1000, "#d9c49a", 0.5),
                  material("stone", 2500, "#8a8f94", 0.5), floor] + bodies + joints
                 + [element("force", name="push", body=f"segment{segments}", value=push, to="0.2")])


# A figure that stands at 0 and looks along z. Bones: name, centre (m), length of the axis of the capsule (m),
# radius (m), direction. Joints (TIES): type, parent, position (m), axis, and in degrees swing and twist of
# ball joints or limits of hinges. benchmarks/contact/peers has the same figure without STIFF, the stiffness
# (N m/rad) of neck and ankles. Without this stiffness the head would roll to and fro for half a minute.
BONES = [("pelvis", (0, 1.0, 0), 0.14, 0.09, (1, 0, 0)), ("belly", (0, 1.16, 0), 0.12, 0.085, (1, 0, 0)),
         ("chest", (0, 1.36, 0), 0.16, 0.10, (1, 0, 0)),
         ("neck", (0, 1.535, 0), 0.02, 0.045, UP), ("head", (0, 1.66, 0), 0.06, 0.09, UP)]
TIES = {"belly": ("ball", "pelvis", (0, 1.08, 0), UP, (25, 30)),
        "chest": ("ball", "belly", (0, 1.25, 0), UP, (25, 30)),
        "neck": ("ball", "chest", (0, 1.48, 0), UP, (30, 40)),
        "head": ("ball", "neck", (0, 1.58, 0), UP, (25, 30))}
for _side, _s in (("left", 1), ("right", -1)):
    BONES += [(f"{_side}-thigh", (0.1 * _s, 0.73, 0), 0.26, 0.065, UP),
              (f"{_side}-shin", (0.1 * _s, 0.32, 0), 0.27, 0.05, UP),
              (f"{_side}-foot", (0.1 * _s, 0.06, 0.05), 0.10, 0.04, (0, 0, 1)),
              (f"{_side}-arm", (0.33 * _s, 1.42, 0), 0.18, 0.045, (1, 0, 0)),
              (f"{_side}-forearm", (0.6 * _s, 1.42, 0), 0.17, 0.04, (1, 0, 0))]
    TIES.update({f"{_side}-thigh": ("ball", "pelvis", (0.1 * _s, 0.93, 0), (0, -1, 0), (70, 30)),
                 f"{_side}-shin": ("hinge", f"{_side}-thigh", (0.1 * _s, 0.53, 0), (1, 0, 0), (0, 140)),
                 f"{_side}-foot": ("hinge", f"{_side}-shin", (0.1 * _s, 0.1, 0), (1, 0, 0), (-40, 30)),
                 f"{_side}-arm": ("ball", "chest", (0.2 * _s, 1.42, 0), (_s, 0, 0), (80, 40)),
                 f"{_side}-forearm": ("hinge", f"{_side}-arm", (0.47 * _s, 1.42, 0), UP,
                                      (-140, 0) if _s > 0 else (0, 140))})
STIFF = {"neck": "3", "head": "3", "foot": "2"}
CLOTHES = {"pelvis": "trousers", "thigh": "trousers", "shin": "trousers", "belly": "shirt", "chest": "shirt",
           "foot": "shoe"}
for _part in ("neck", "head", "arm", "forearm"):
    CLOTHES[_part] = "skin"
# Overlapping parts without a joint between them
NEAR = [("left-thigh", "belly"), ("right-thigh", "belly"), ("left-arm", "neck"), ("right-arm", "neck"),
        ("left-thigh", "right-thigh"),
        ("neck", "belly"), ("head", "chest")]


def ragdoll(steps=8, seconds=12):
    """The figure starts above the highest step and moves along the stairs."""
    rise, run, start = 0.2, 0.3, (0, 1.75, -0.1)
    stairs = [element("box", size=numbers((3, rise * (steps - k), run)),
                      at=numbers((0, rise / 2 * (steps - k), run * k)), material="stone")
              for k in range(steps)]
    bodies = [element("body", element("box", size="6 0.2 7", at="0 -0.1 2", material="floor"), name="floor",
                      fixed="true"),
              element("body", *stairs, name="stairs", fixed="true")]
    for name, center, length, radius, way in BONES:
        bodies.append(element("body",
                              element("capsule", radius=number(radius), length=number(length),
                                      material=CLOTHES[name.split("-")[-1]]), name=name,
                              position=numbers(add(center, start)), rotate=along(way), velocity="0 0 1.5"))
    joints = []
    for name, (kind, on, at, axis, bounds) in TIES.items():
        if kind == "ball":
            more = {"swing": f"{bounds[0]}deg", "twist": f"{-bounds[1]}deg {bounds[1]}deg", "damping": "0.5"}
        else:
            more = {"limits": f"{bounds[0]}deg {bounds[1]}deg", "damping": "0.3"}
        joints.append(element("joint", name=f"{name}.joint", type=kind, a=on, b=name,
                              at=numbers(add(at, start)), axis=numbers(axis), **more,
                              stiffness=STIFF.get(name.split("-")[-1])))
    return scene("ragdoll", f"A figure of {len(BONES)} capsules on {len(TIES)} joints, each with its "
                            f"limits and some damping, is thrown off the top of a flight of {steps} "
                            "stairs. It\n"
                            "     tumbles down and comes to rest where friction and its limits hold it.",
                 [element("simulation", duration=number(seconds), fps="60")]
                 + [material(name, 1000, color, 0.6) for name, color in
                    (("skin", "#e0c4a8"), ("shirt", "#a33b2f"), ("trousers", "#4d7ea8"), ("shoe", "#3a3f45"),
                     ("stone", "#8a8f94"), ("floor", "#b5b9bd"))]
                 + bodies + [element("ignore", a=a, b=b) for a, b in NEAR] + joints)


SCENES = {"stiff-chain": stiff_chain, "hand": hand, "robot": robot, "tree": tree, "rope": rope,
          "ragdoll": ragdoll}


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "scenes"
    for name, make in SCENES.items():
        (folder / f"{name}.xml").write_text(make())


if __name__ == "__main__":
    main()
