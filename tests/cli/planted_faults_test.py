#!/usr/bin/env python3
"""Random scenes, half of them sound, half with a planted fault that cannot be simulated.

A sound scene must not end with 1 or 3, however tight, stiff, redundant or fast it is. A faulty scene must,
and the message must name a planted body or joint. No scene explodes and none hangs.

planted_faults_test.py [--long] [--only FAMILY | SEED]
"""
import csv
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from program import PROGRAM, ProgramTest, judge_summary

CPU_LIMIT = 30  # s, per scene


def scene(*parts, duration=1, gravity="0 -9.81 0", fps=60):
    return (f'<scene name="planted"><simulation duration="{duration}" fps="{fps}"/>'
            f'<world gravity="{gravity}"/>\n' + "\n".join(parts) + "\n</scene>\n")


def material(friction, restitution=0, density=1000, name="m"):
    return f'<material name="{name}" density="{density}" friction="{friction}" restitution="{restitution}"/>'


def box(name, at, size, extra="", shape=""):
    return (f'<body name="{name}" position="{at[0]!r} {at[1]!r} {at[2]!r}" {extra}>'
            f'<box size="{size[0]!r} {size[1]!r} {size[2]!r}" material="m" {shape}/></body>')


def ball(name, at, radius, extra=""):
    return (f'<body name="{name}" position="{at[0]!r} {at[1]!r} {at[2]!r}" {extra}>'
            f'<sphere radius="{radius!r}" material="m"/></body>')


FLOOR = '<body name="floor" fixed="true"><plane normal="0 1 0" material="m"/></body>'


def body_script(name, keys):
    """`keys`: (t, x, y, z)."""
    return (f'<script body="{name}">' +
            "".join(f'<key t="{t!r}" position="{x!r} {y!r} {z!r}"/>' for t, x, y, z in keys) + "</script>")


def joint_script(name, keys):
    return (f'<script joint="{name}">' + "".join(f'<key t="{t!r}" value="{v!r}"/>' for t, v in keys) +
            "</script>")


def bystanders(r):
    """A second island that has nothing to do with the rest, or nothing."""
    kind = r.randrange(4)
    if kind == 0:
        return [box("bystander", (5.0, 0.8, 5.0), (0.3, 0.3, 0.3), 'angular-velocity="1 2 3"')]
    if kind == 1:
        return [ball("bystander", (5.0, 1.0, 5.0), 0.1, 'velocity="-1 0 0"'),
                '<joint name="swing" type="distance" b="bystander" at-a="5 2 5" at-b="5 1 5"/>']
    return []


# Scenes that are possible. Each returns (scene, characteristic speed in m/s).

def channel(r):
    """A box that slides in a channel with little room."""
    room = 10 ** r.uniform(-6, -3)
    tilt = r.uniform(0, 30)
    return scene(
        material(r.uniform(0, 0.3)),
        '<body name="channel" fixed="true">'
        f'<box size="2 0.1 0.1" at="0 0 {-0.15 - room!r}" material="m"/>'
        f'<box size="2 0.1 0.1" at="0 0 {0.15 + room!r}" material="m"/>'
        '<box size="2 0.1 0.6" at="0 -0.1 0" material="m"/></body>',
        box("slide", (-0.5, 0.0, 0.0), (0.2, 0.1, 0.2), f'velocity="{r.uniform(0, 2)!r} 0 0"'),
        *bystanders(r),
        gravity=f"{9.81 * tilt / 60!r} -9.81 0"), 10


def stiff_springs(r):
    k = 10 ** r.uniform(4, 12)
    n = r.randint(1, 3)
    parts = [material(0.5), FLOOR]
    for i in range(n):
        x = 0.6 * i
        parts += [box(f"a{i}", (x, 0.4, 0.0), (0.2, 0.2, 0.2)), box(f"b{i}", (x, 0.9, 0.0), (0.2, 0.2, 0.2)),
                  f'<spring a="a{i}" b="b{i}" at-a="{x!r} 0.5 0" at-b="{x!r} 0.8 0" stiffness="{k!r}" '
                  f'damping="{r.choice([0, 10, 1000])}"/>']
    return scene(*parts, *bystanders(r), duration=0.5), 10


def stiff_hinge(r):
    k = 10 ** r.uniform(4, 12)
    return scene(material(0.5), FLOOR, box("bar", (0.5, 1.0, 0.0), (1.0, 0.1, 0.1)),
                 f'<joint name="pivot" type="hinge" b="bar" at="0 1 0" axis="0 0 1" stiffness="{k!r}" '
                 f'damping="{r.choice([0, 1, 100])}"/>',
                 box("load", (0.8, 1.2, 0.0), (0.2, 0.2, 0.2)), *bystanders(r), duration=0.5), 10


def redundant_door(r):
    n = r.randint(2, 4)
    hinges = "".join(f'<joint name="hinge{i}" type="hinge" b="door" at="0 {0.2 + 0.4 * i!r} 0" axis="0 1 0"/>'
                     for i in range(n))
    return scene(material(0.5), box("door", (0.5, 1.0, 0.0), (1.0, 1.8, 0.05),
                                    f'angular-velocity="0 {r.uniform(-5, 5)!r} 0"'), hinges,
                 ball("ball", (0.5, 1.0, 0.4), 0.1, 'velocity="0 2 -3"'), *bystanders(r)), 10


def redundant_bars(r):
    """A parallelogram with more bars than it needs."""
    n = r.randint(3, 5)
    parts = [material(0.5),
             box("coupler", (0.5 * (n - 1) / 2 + 0.3, 1.0, 0.0), (0.5 * (n - 1) + 0.2, 0.1, 0.1))]
    for i in range(n):
        x = 0.5 * i
        parts += [box(f"bar{i}", (x + 0.15, 1.2, 0.0), (0.04, 0.3, 0.04), 'rotate="0 0 1 0"')]
        parts += [f'<joint name="top{i}" type="hinge" b="bar{i}" at="{x + 0.15!r} 1.4 0" axis="0 0 1"/>',
                  f'<joint name="low{i}" type="hinge" a="bar{i}" b="coupler" at="{x + 0.15!r} 1.0 0" '
                  'axis="0 0 1"/>']
    return scene(*parts, duration=1, gravity="2 -9.81 0"), 10


def welded_twice(r):
    return scene(material(0.5), FLOOR, box("left", (0.0, 1.0, 0.0), (0.4, 0.2, 0.2)),
                 box("right", (0.5, 1.0, 0.0), (0.4, 0.2, 0.2)),
                 '<joint name="weld1" type="fixed" a="left" b="right" at="0.25 1 0"/>'
                 '<joint name="weld2" type="fixed" a="left" b="right" at="0.25 1.1 0"/>'
                 f'<joint name="weld3" type="hinge" a="left" b="right" at="0.25 1 0" '
                 f'axis="{r.uniform(0.1, 1)} 1 0"/>',
                 *bystanders(r)), 10


def bullet(r):
    v = 10 ** r.uniform(1, 2.7)
    return scene(material(0.3, r.choice([0, 0.5])), FLOOR,
                 '<body name="wall" fixed="true" position="2 1 0"><box size="0.1 2 2" material="m"/></body>',
                 ball("bullet", (0.0, 1.0, 0.0), 0.02, f'velocity="{v!r} {r.uniform(-1, 1)!r} 0"'),
                 box("plate", (1.0, 0.51, 0.0), (0.05, 1.0, 0.5)), *bystanders(r), duration=0.5), v


def spinner(r):
    w = 10 ** r.uniform(1, 3)
    return scene(material(0.4), FLOOR,
                 box("top", (0.0, 0.3, 0.0), (0.3, 0.1, 0.2), f'angular-velocity="1 {w!r} 2"'),
                 *bystanders(r),
                 duration=0.3), 0.2 * w


def press_with_room(r):
    """A scripted plate that ends above what it presses down, or on a spring that gives."""
    stop = r.choice([0.31, 0.3002, 0.35])
    return scene(material(0.5), FLOOR, box("load", (0.0, 0.1, 0.0), (0.2, 0.2, 0.2)),
                 box("ram", (0.0, 0.5, 0.0), (0.4, 0.2, 0.4)),
                 body_script("ram", [(0.0, 0.0, 0.5, 0.0), (0.5, 0.0, stop, 0.0), (1.0, 0.0, 0.5, 0.0)]),
                 *bystanders(r)), 10


def press_on_spring(r):
    k = 10 ** r.uniform(3, 6)
    return scene(material(0.5), box("table", (0.0, 0.5, 0.0), (0.5, 0.1, 0.5)),
                 f'<joint name="guide" type="slider" b="table" at="0 0.5 0" axis="0 1 0" stiffness="{k!r}" '
                 f'damping="{0.02 * k!r}"/>',
                 box("load", (0.0, 0.66, 0.0), (0.2, 0.2, 0.2)), box("ram", (0.0, 1.0, 0.0), (0.4, 0.2, 0.4)),
                 body_script("ram", [(0.0, 0.0, 1.0, 0.0), (1.0, 0.0, 0.8, 0.0)]), *bystanders(r)), 10


def push_away(r):
    """A scripted ram takes bodies along that can give way."""
    n = r.randint(1, 4)
    row = [box(f"b{i}", (0.3 + 0.21 * i, 0.101, 0.0), (0.2, 0.2, 0.2)) for i in range(n)]
    return scene(material(r.uniform(0, 0.6)), FLOOR, box("ram", (-0.2, 0.15, 0.0), (0.2, 0.2, 0.4)), *row,
                 body_script("ram", [(0.0, -0.2, 0.15, 0.0), (1.0, r.uniform(0.3, 1.5), 0.15, 0.0)]),
                 *bystanders(r)), 10


def limited_clamp(r):
    return scene(material(0.5), FLOOR, box("load", (0.0, 0.1, 0.0), (0.2, 0.2, 0.2)),
                 box("jaw", (0.3, 0.12, 0.0), (0.1, 0.2, 0.2)),
                 '<joint name="guide" type="slider" b="jaw" at="0.3 0.12 0" axis="-1 0 0">'
                 f'<drive target="0.5" stiffness="{10 ** r.uniform(2, 6)!r}" '
                 f'damping="{10 ** r.uniform(1, 3)!r}" '
                 f'max-force="{10 ** r.uniform(0, 4)!r}"/></joint>',
                 '<body name="stop" fixed="true" position="-0.16 0.5 0"><box size="0.1 1 1" '
                 'material="m"/></body>',
                 *bystanders(r)), 10


def script_to_limit(r):
    """A script that ends where a neighbour's limit begins."""
    end = r.uniform(0.2, 0.6)
    return scene(material(0.5), box("arm", (0.3, 1.0, 0.0), (0.6, 0.1, 0.1)),
                 '<joint name="shoulder" type="hinge" b="arm" at="0 1 0" axis="0 0 1"/>',
                 box("fore", (0.9, 1.0, 0.0), (0.5, 0.1, 0.1)),
                 f'<joint name="elbow" type="hinge" a="arm" b="fore" at="0.62 1 0" axis="0 0 1" '
                 f'limits="{-end!r} {end!r}"/>',
                 joint_script("shoulder", [(0.0, 0.0), (0.5, end), (1.0, -end)]), *bystanders(r)), 10


def four_bar_driven(r):
    """A crank that turns all around (Grashof)."""
    turns = r.uniform(0.5, 2) * 6.283
    return scene(material(0.5), box("crank", (0.0, 1.1, 0.0), (0.05, 0.2, 0.05)),
                 box("rocker", (1.0, 1.4, 0.0), (0.05, 0.8, 0.05)),
                 box("coupler", (0.5, 1.5, 0.2), (1.0, 0.05, 0.05)),
                 '<joint name="crank0" type="hinge" b="crank" at="0 1 0" axis="0 0 1"/>'
                 '<joint name="rocker0" type="hinge" b="rocker" at="1 1 0" axis="0 0 1"/>'
                 '<joint name="left" type="ball" a="crank" b="coupler" at="0 1.2 0.2"/>'
                 '<joint name="right" type="ball" a="rocker" b="coupler" at="1 1.8 0.2"/>',
                 joint_script("crank0", [(0.0, 0.0), (1.0, turns)]), duration=1), 20


def shaken_box(r):
    """A body rattles in a scripted box."""
    f = r.uniform(0.05, 0.2)
    walls = ('<box size="0.1 0.5 0.5" at="-0.3 0 0" material="m"/>'
             '<box size="0.1 0.5 0.5" at="0.3 0 0" material="m"/>'
             '<box size="0.5 0.1 0.5" at="0 -0.3 0" material="m"/>'
             '<box size="0.5 0.1 0.5" at="0 0.3 0" material="m"/>')
    return scene(material(0.4, r.choice([0, 0.5])), f'<body name="case" position="0 1 0">{walls}</body>',
                 ball("pea", (0.05, 1.0, 0.0), r.uniform(0.05, 0.2)),
                 body_script("case", [(0.25 * i, f if i % 2 else 0.0, 1.0, 0.0) for i in range(5)]),
                 *bystanders(r)), 20


def slide_between_scripts(r):
    """Two scripted jaws move together with a body between them that just fits."""
    room = 10 ** r.uniform(-5, -3)
    w = 0.1 + room
    return scene(material(r.uniform(0, 0.3)), FLOOR,
                 box("left", (-w - 0.1, 0.2, 0.0), (0.2, 0.2, 0.2)),
                 box("right", (w + 0.1, 0.2, 0.0), (0.2, 0.2, 0.2)),
                 box("load", (0.0, 0.1, 0.0), (0.2, 0.2, 0.2)),
                 body_script("left", [(0.0, -w - 0.1, 0.2, 0.0), (1.0, 0.4 - w, 0.2, 0.0)]),
                 body_script("right", [(0.0, w + 0.1, 0.2, 0.0), (1.0, 0.6 + w, 0.2, 0.0)]),
                 *bystanders(r)), 10


def tight_pin(r):
    """A hinged bar between two cheeks with hardly any room."""
    room = 10 ** r.uniform(-6, -3)
    return scene(material(0.3), '<body name="cheeks" fixed="true">'
                 f'<box size="0.3 0.3 0.1" at="0 1 {-0.1 - room!r}" material="m"/>'
                 f'<box size="0.3 0.3 0.1" at="0 1 {0.1 + room!r}" material="m"/></body>',
                 box("bar", (0.4, 1.0, 0.0), (0.9, 0.1, 0.1)),
                 '<joint name="pin" type="hinge" a="cheeks" b="bar" at="0 1 0" axis="0 0 1" collide="true"/>',
                 *bystanders(r)), 10


def wheel(r):
    """A wheel on an axle that touches the floor."""
    return scene(material(r.uniform(0, 1)), FLOOR,
                 ball("wheel", (0.0, 0.1, 0.0), 0.1, 'angular-velocity="0 0 5"'),
                 '<joint name="axle" type="hinge" b="wheel" at="0 0.1 0" axis="0 0 1"/>', *bystanders(r)), 10


def full_bin(r):
    """Boxes that fill a bin without any room."""
    n, m = r.randint(1, 3), r.randint(1, 2)
    boxes = [box(f"b{i}{k}", (0.1 + 0.2 * i, 0.1 + 0.2 * k, 0.0), (0.2, 0.2, 0.2))
             for i in range(n) for k in range(m)]
    return scene(material(r.uniform(0, 0.5)), FLOOR,
                 f'<body name="bin" fixed="true"><box size="0.2 1 0.4" at="-0.1 0.5 0" material="m"/>'
                 f'<box size="0.2 1 0.4" at="{0.2 * n + 0.1!r} 0.5 0" material="m"/></body>', *boxes,
                 *bystanders(r), duration=0.5), 10


def full_row(r):
    """Touching balls between two walls."""
    n = r.randint(1, 5)
    balls = [ball(f"b{i}", (0.05 + 0.1 * i, 0.0, 0.0), 0.05) for i in range(n)]
    return scene(material(0, r.choice([0, 1])),
                 '<body name="walls" fixed="true"><box size="0.1 0.3 0.3" at="-0.05 0 0" material="m"/>'
                 f'<box size="0.1 0.3 0.3" at="{0.1 * n + 0.05!r} 0 0" material="m"/></body>', *balls,
                 *bystanders(r), gravity=f"{r.uniform(-2, 2)!r} 0 0", duration=0.5), 10


def taut_rope(r):
    x, y = r.uniform(0.3, 1), r.uniform(0.3, 1)
    length = f"{(x * x + y * y) ** 0.5:.8f}"
    return scene(material(0.5), ball("bob", (x, 2.0 - y, 0.0), 0.1),
                 f'<joint name="rope" type="distance" b="bob" at-a="0 2 0" at-b="{x!r} {2 - y!r} 0" '
                 f'range="0 {length}"/>',
                 *bystanders(r)), 10


SOUND = [channel, stiff_springs, stiff_hinge, redundant_door, redundant_bars, welded_twice, bullet, spinner,
         press_with_room, press_on_spring, push_away, limited_clamp, script_to_limit, four_bar_driven,
         shaken_box,
         slide_between_scripts, tight_pin, wheel, full_bin, full_row, taut_rope]


# Scenes that are not possible. Each returns (scene, planted names, characteristic speed).

def contradicting_script(r):
    """A script moves a body that other joints hold, behind 0 to 3 welded bodies."""
    n = r.randint(1, 4)
    parts = [material(0.5)] + [box(f"link{i}", (1.2 * i, 0.0, 0.0), (1.0, 1.0, 1.0)) for i in range(n)]
    parts += [f'<joint name="weld{i}" type="fixed" a="link{i}" b="link{i + 1}" at="{1.2 * i + 0.6!r} 0 0"/>'
              for i in range(n - 1)]
    x = 1.2 * (n - 1)
    parts += ['<joint name="rail" type="slider" b="link0" at="0 0 0" axis="0 1 0"/>',
              joint_script("rail", [(0.0, 0.0), (1.0, r.uniform(0.5, 4))]),
              f'<joint name="pin" type="{r.choice(["nail", "ball", "fixed"])}" b="link{n - 1}" '
              f'at="{x!r} 0 0"/>']
    return scene(*parts, *bystanders(r)), ["rail", "pin"] + [f"weld{i}" for i in range(n)] + \
        [f"link{i}" for i in range(n)], 10


def two_drivers(r):
    """Two scripts drive the two ends of one loop differently."""
    return scene(material(0.5), box("left", (0.0, 1.5, 0.0), (0.1, 1.0, 0.1)),
                 box("right", (1.0, 1.5, 0.0), (0.1, 1.0, 0.1)),
                 box("coupler", (0.5, 2.0, 0.2), (1.0, 0.1, 0.1)),
                 '<joint name="a" type="hinge" b="left" at="0 1 0" axis="0 0 1"/>'
                 '<joint name="b" type="hinge" b="right" at="1 1 0" axis="0 0 1"/>'
                 '<joint name="c" type="ball" a="left" b="coupler" at="0 2 0.2"/>'
                 '<joint name="d" type="ball" a="right" b="coupler" at="1 2 0.2"/>',
                 joint_script("a", [(0.0, 0.0), (1.0, r.uniform(0.2, 1))]),
                 joint_script("b", [(0.0, 0.0), (1.0, -r.uniform(0.2, 1))]), *bystanders(r)), \
        ["a", "b", "c", "d", "left", "right", "coupler"], 10


def beyond_reach(r):
    """A script pulls a body away that rods, or ropes, hold."""
    rope = r.random() < 0.5
    length = 'range="0 0.8"' if rope else ""
    x = 0.5 if rope else 0.8
    middle = r.random() < 0.5
    parts = [material(0.5), ball("hand", (x, 1.0, 0.0), 0.05)]
    if middle:
        parts += [ball("mid", (0.5 * x, 1.0, 0.0), 0.05),
                  f'<joint name="rope1" type="distance" b="mid" at-a="0 1 0" at-b="{0.5 * x!r} 1 0" '
                  f'{length.replace("0.8", "0.4")}/>',
                  f'<joint name="rope2" type="distance" a="mid" b="hand" at-a="{0.5 * x!r} 1 0" '
                  f'at-b="{x!r} 1 0" '
                  f'{length.replace("0.8", "0.4")}/>']
    else:
        parts += [f'<joint name="rope1" type="distance" b="hand" at-a="0 1 0" at-b="{x!r} 1 0" {length}/>']
    parts += [body_script("hand", [(0.0, x, 1.0, 0.0), (1.0, x + r.uniform(0.5, 2), 1.0, 0.0)])]
    return scene(*parts, *bystanders(r)), ["rope1", "rope2", "hand", "mid"], 10


def stretched_arm(r):
    """The hand of a two-link arm follows a script that leads beyond its reach."""
    return scene(material(0.5), box("upper", (0.25, 1.0, 0.0), (0.4, 0.1, 0.1)),
                 box("lower", (0.75, 1.0, 0.0), (0.4, 0.1, 0.1)), ball("hand", (1.0, 1.0, 0.0), 0.05),
                 '<joint name="shoulder" type="ball" b="upper" at="0 1 0"/>'
                 '<joint name="elbow" type="ball" a="upper" b="lower" at="0.5 1 0"/>'
                 '<joint name="wrist" type="ball" a="lower" b="hand" at="1 1 0"/>',
                 body_script("hand", [(0.0, 1.0, 1.0, 0.0), (0.5, 0.7, 1.2, 0.0),
                                      (1.0, 1.0 + r.uniform(0.3, 1), 1.3, 0.0)])), \
        ["shoulder", "elbow", "wrist", "upper", "lower", "hand"], 10


def past_limit(r):
    """A script moves a loop beyond a limit of another joint, or pulls a slider to its end."""
    if r.random() < 0.5:
        return scene(material(0.5), box("cart", (0.0, 1.0, 0.0), (0.3, 0.2, 0.2)),
                     '<joint name="rail" type="slider" b="cart" at="0 1 0" axis="1 0 0" limits="-0.2 0.2"/>',
                     body_script("cart", [(0.0, 0.0, 1.0, 0.0), (1.0, r.uniform(0.4, 1), 1.0, 0.0)])), \
            ["rail", "cart"], 10
    return scene(material(0.5), box("left", (0.0, 1.5, 0.0), (0.1, 1.0, 0.1)),
                 box("right", (1.0, 1.5, 0.0), (0.1, 1.0, 0.1)),
                 box("coupler", (0.5, 2.0, 0.2), (1.0, 0.1, 0.1)),
                 '<joint name="a" type="hinge" b="left" at="0 1 0" axis="0 0 1"/>'
                 '<joint name="b" type="hinge" b="right" at="1 1 0" axis="0 0 1" limits="-0.2 0.2"/>'
                 '<joint name="c" type="ball" a="left" b="coupler" at="0 2 0.2"/>'
                 '<joint name="d" type="ball" a="right" b="coupler" at="1 2 0.2"/>',
                 joint_script("a", [(0.0, 0.0), (1.0, r.choice([-1, 1]) * r.uniform(0.5, 1))]),
                 *bystanders(r)), \
        ["a", "b", "c", "d", "left", "right", "coupler"], 10


def nutcracker(r):
    size = r.uniform(0.05, 0.07)
    nut = r.choice(["box", "stack"])
    nuts = [box("nut", (0.25, size / 2 + 1e-4, 0.0), (size, size, size))]
    if nut == "stack":
        nuts = [box("nut", (0.25, size / 4 + 1e-4, 0.0), (size, size / 2, size)),
                box("nut2", (0.25, 0.75 * size + 2e-4, 0.0), (size, size / 2, size))]
    return scene(material(r.uniform(0.5, 1)),
                 '<body name="anvil" fixed="true"><box size="0.4 0.02 0.1" at="0.2 -0.01 0" '
                 'material="m"/></body>'
                 '<body name="upper" position="0 0.05 0" rotate="0 0 1 20deg">'
                 '<box size="0.4 0.02 0.1" at="0.2 0.01 0" material="m"/></body>'
                 '<joint name="jaw" type="hinge" a="anvil" b="upper" at="0 0.05 0" axis="0 0 1"/>'
                 '<script joint="jaw"><key t="0" value="0"/><key t="1" value="-22deg"/></script>',
                 *nuts, *bystanders(r)), ["anvil", "upper", "jaw", "nut", "nut2"], 10


def vice(r):
    """A jaw on a slider, or on a path, presses a row of bodies against a wall."""
    n = r.randint(1, 4)
    row = [box(f"b{i}", (0.11 + 0.22 * i, 0.1 + 1e-5, 0.0), (0.2, 0.2, 0.2)) for i in range(n)]
    if r.random() < 0.4:
        row = [ball(f"b{i}", (0.11 + 0.22 * i, 0.1, 0.0), 0.1) for i in range(min(n, 1))]
        n = len(row)
    wall = 0.22 * n
    x = wall + 0.3
    move = x - 0.1 - wall + r.uniform(0.1, 0.25)
    joint = r.random() < 0.5
    drive = ['<joint name="guide" type="slider" b="jaw" at="0 0.2 0" axis="-1 0 0"/>',
             joint_script("guide", [(0.0, 0.0), (1.0, move)])] if joint else \
        [body_script("jaw", [(0.0, x, 0.2, 0.0), (1.0, x - move, 0.2, 0.0)])]
    return scene(material(0.6), FLOOR, '<body name="wall" fixed="true" position="-0.1 0.3 0">'
                 '<box size="0.2 0.6 1" material="m"/></body>', *row,
                 box("jaw", (x, 0.2, 0.0), (0.2, 0.3, 0.4)),
                 *drive, *bystanders(r)), ["jaw", "guide", "wall", "floor"] + [f"b{i}" for i in range(n)], 10


def press(r):
    """A scripted plate presses a stack into the floor."""
    n = r.randint(1, 3)
    stack = [box(f"b{i}", (0.0, 0.1 + 0.2 * i, 0.0), (0.2, 0.2, 0.2)) for i in range(n)]
    y = 0.2 * n + 0.2
    return scene(material(0.8), FLOOR, *stack, box("plate", (0.0, y, 0.0), (0.5, 0.1, 0.5)),
                 body_script("plate", [(0.0, 0.0, y, 0.0),
                                       (r.uniform(0.3, 1), 0.0, y - r.uniform(0.25, 0.35), 0.0)]),
                 *bystanders(r)), ["plate", "floor"] + [f"b{i}" for i in range(n)], 10


def press_on_joint(r):
    """A scripted plate presses on a body that a joint holds."""
    joint = r.choice(['<joint name="hold" type="fixed" b="block" at="0 0.5 0"/>',
                      '<joint name="hold" type="slider" b="block" at="0 0.5 0" axis="1 0 0"/>',
                      '<joint name="hold" type="hinge" b="block" at="0 0.5 0" axis="0 1 0"/>'])
    return scene(material(0.5), box("block", (0.0, 0.5, 0.0), (0.4, 0.2, 0.4)), joint,
                 box("plate", (0.0, 0.8, 0.0), (0.3, 0.1, 0.3)),
                 body_script("plate", [(0.0, 0.0, 0.8, 0.0), (0.8, 0.0, 0.55, 0.0)]), *bystanders(r)), \
        ["block", "hold", "plate"], 10


def two_scripts_meet(r):
    return scene(material(0.5), box("left", (-0.5, 0.5, 0.0), (0.4, 0.4, 0.4)),
                 box("right", (0.5, 0.5, 0.0), (0.4, 0.4, 0.4)),
                 box("between", (0.0, 0.5, 0.0), (0.3, 0.3, 0.3)),
                 '<joint name="hang" type="slider" b="between" at="0 0.5 0" axis="1 0 0"/>',
                 body_script("left", [(0.0, -0.5, 0.5, 0.0), (1.0, r.uniform(-0.2, 0), 0.5, 0.0)]),
                 body_script("right", [(0.0, 0.5, 0.5, 0.0), (1.0, r.uniform(0, 0.2), 0.5, 0.0)]),
                 *bystanders(r)), ["left", "right", "between", "hang"], 10


def open_joint(r):
    """A joint that is far open at the start, or cannot be closed with the others."""
    if r.random() < 0.5:
        return scene(material(0.5), box("one", (0.0, 1.0, 0.0), (0.2, 0.2, 0.2)),
                     box("two", (1.0, 1.0, 0.0), (0.2, 0.2, 0.2)),
                     '<joint name="rod1" type="distance" a="one" b="two" at-a="0 1 0" at-b="1 1 0" '
                     'length="0.98"/>'
                     f'<joint name="rod2" type="distance" a="one" b="two" at-a="0 1 0" at-b="1 1 0" '
                     f'length="{r.uniform(1.0, 1.02)!r}"/>', *bystanders(r)), \
            ["rod1", "rod2", "one", "two"], 10
    return scene(material(0.5), box("one", (0.0, 1.0, 0.0), (0.2, 0.2, 0.2)),
                 f'<joint name="rod" type="distance" b="one" at-a="0 2 0" at-b="0 1 0" '
                 f'length="{r.uniform(2, 3)!r}"/>',
                 *bystanders(r)), ["rod", "one"], 10


FAULTY = [contradicting_script, two_drivers, beyond_reach, stretched_arm, past_limit, nutcracker, vice, press,
          press_on_joint, two_scripts_meet, open_joint]


def make(seed):
    """(family, scene, planted names or None, speed)."""
    r = random.Random(seed)
    sound = seed % 2 == 0
    families = SOUND if sound else FAULTY
    family = families[seed // 2 % len(families)]
    made = family(r)
    return (family.__name__, made[0], None, made[1]) if sound else (family.__name__, *made)


def limit_cpu():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT + 1))


def find_fault(seed):
    """Runs one scene. Returns what is wrong with the run, or an empty text."""
    family, text, planted, speed = make(seed)
    with tempfile.TemporaryDirectory(prefix="tumble-planted-") as name:
        folder = Path(name)
        (folder / "scene.xml").write_text(text)
        arguments = ["run", "scene.xml", "-o", "out.csv", "--summary", "s.json", "--log", "log.csv",
                     "--verify", "steps"]
        done = subprocess.run([PROGRAM, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True,
                              text=True, preexec_fn=limit_cpu)
        status = done.returncode
        if status not in (0, 1, 3):
            return f"exit {status}"
        faults = []
        if status != 3:
            faults += judge_summary(folder, arguments, done)
            summary = json.loads((folder / "s.json").read_text())
            if summary["max_penetration"] > 0:
                faults.append(f"overlap of {summary['max_penetration']} m")
            if not is_sensible(summary, folder / "log.csv"):
                faults.append(f"an energy drift of {summary['max_energy_drift_joules']} J")
            fastest = find_fastest(folder / "out.csv")
            if not fastest < 100 * speed:
                faults.append(f"a body reaches {fastest} m/s")
        if planted is None and status != 0:
            faults.append(f"exit {status}: {done.stderr.strip()[-400:]}")
        if planted is not None:
            if status == 0:
                faults.append("exit 0")
            elif not set(re.findall(r'"([^"]+)"', done.stderr.strip().splitlines()[-1])) & \
                    {n for p in planted for n in (p, p + ".script")}:
                faults.append(f"no planted name in: {done.stderr.strip()[-400:]}")
        return "; ".join(faults)


def is_sensible(summary, log):
    """Energy less work changes by no more than a thousand times the energy that there is."""
    with open(log, newline="") as opened:
        rows = [{key: float(row[key]) for key in ("kinetic", "potential")} for row in csv.DictReader(opened)]
    potential = [row["potential"] for row in rows]
    there = max(row["kinetic"] for row in rows) + max(potential) - min(potential)
    return summary["max_energy_drift_joules"] <= 1000 * (there + 1e-3)


def find_fastest(file):
    with open(file, newline="") as opened:
        rows = list(csv.reader(opened))
    columns = [i for i, name in enumerate(rows[0]) if name.endswith((".vx", ".vy", ".vz"))]
    return max((abs(float(row[i])) for row in rows[1:] for i in columns), default=0.0)


def judge(seed):
    fault = find_fault(seed)
    return f"seed {seed} ({make(seed)[0]}): {fault}" if fault else ""


class PlantedFaults(ProgramTest):
    def test_sound_scenes_run_and_faulty_scenes_name_the_fault(self):
        seeds = range(4000 if "--long" in sys.argv else 400)
        with ThreadPoolExecutor(2) as pool:
            faults = [fault for fault in pool.map(judge, seeds) if fault]
        self.assertFalse(faults, "\n".join(faults))


if __name__ == "__main__":
    if "--only" in sys.argv:
        which = sys.argv[sys.argv.index("--only") + 1]
        if which.isdigit():
            print(make(int(which))[1])
            print(judge(int(which)) or "good")
        else:
            for s in range(400):
                if make(s)[0] == which:
                    print(judge(s) or f"seed {s}: good", flush=True)
    else:
        unittest.main(argv=[a for a in sys.argv if a != "--long"])
