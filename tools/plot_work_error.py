#!/usr/bin/env python3
"""Plots the output of ./bench joint_peers, CPU time over error, one panel per scene.

    plot_work_error.py FILE OUT.svg

Reads the rows `engine scene setting error cpu_ms`. Each setting is a point. A line joins the Pareto-optimal
settings of an engine.
"""
import math
import sys
from pathlib import Path

COLOURS = {"tumble": "#c2410c", "simbody": "#1d4ed8", "mujoco": "#15803d"}
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 330, 300, 62, 34, 12, 46
ERRORS = (1e-2, 1e-11)  # left to right


def read_rows(text):
    """Points (error, ms), grouped by scene and engine."""
    scenes = {}
    for line in text.splitlines():
        cells = line.split()
        if len(cells) == 5 and cells[0] in COLOURS:
            engine, scene, _, error, ms = cells
            scenes.setdefault(scene, {}).setdefault(engine, []).append((float(error), float(ms)))
    return scenes


def front(points):
    """The Pareto-optimal points, from large errors to small ones."""
    best, front_points = math.inf, []
    for error, ms in sorted(points):
        if ms < best:
            best = ms
            front_points.append((error, ms))
    return front_points[::-1]


def panel(scene, engines, left):
    """One scene as SVG elements."""
    times = [ms for points in engines.values() for _, ms in points]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    inner_width, inner_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(error):
        return left + LEFT + inner_width * math.log(error / ERRORS[0]) / math.log(ERRORS[1] / ERRORS[0])

    def y(ms):
        return TOP + inner_height * (1 - (math.log10(ms) - low) / (high - low))

    out = [f'<text x="{left + LEFT + inner_width / 2:.1f}" y="20" class="title">{scene}</text>']
    for exponent in range(-11, -1):
        at = x(10.0**exponent)
        out.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{TOP + inner_height}" class="grid"/>')
        if exponent % 2 == 0:
            out.append(f'<text x="{at:.1f}" y="{TOP + inner_height + 15}" class="middle">1e{exponent}</text>')
    for exponent in range(low, high + 1):
        at = y(10.0**exponent)
        out.append(f'<line x1="{left + LEFT}" x2="{left + WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" '
                   'class="grid"/>')
        out.append(f'<text x="{left + LEFT - 6}" y="{at + 4:.1f}" class="end">{10.0**exponent:g}</text>')
    out.append(f'<text x="{left + LEFT + inner_width / 2:.1f}" y="{HEIGHT - 8}" class="middle">'
               'error at the end, rad or m</text>')
    across, down = left + 14, TOP + inner_height / 2
    out.append(f'<text x="{across}" y="{down}" class="middle" transform="rotate(-90 {across} {down})">'
               'CPU, ms</text>')
    for engine, colour in COLOURS.items():
        points = [p for p in engines.get(engine, []) if ERRORS[1] < p[0] < ERRORS[0]]
        line = " ".join(f"{x(error):.1f},{y(ms):.1f}" for error, ms in front(points))
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        out += [f'<circle cx="{x(error):.1f}" cy="{y(ms):.1f}" r="2.4" fill="{colour}"/>'
                for error, ms in points]
    return out


def draw(scenes):
    """The whole picture."""
    width = WIDTH * len(scenes)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT + 24}" '
           f'viewBox="0 0 {width} {HEIGHT + 24}">',
           "<style>text{font:12px sans-serif;fill:#222}.title{font-weight:bold;text-anchor:middle}"
           ".middle{text-anchor:middle}.end{text-anchor:end}.grid{stroke:#ddd;stroke-width:1}</style>",
           f'<rect width="{width}" height="{HEIGHT + 24}" fill="white"/>']
    for index, (scene, engines) in enumerate(scenes.items()):
        out += panel(scene, engines, index * WIDTH)
    for index, (engine, colour) in enumerate(COLOURS.items()):
        left = width / 2 + 110 * (index - 1.4)
        out.append(f'<line x1="{left}" x2="{left + 22}" y1="{HEIGHT + 10}" y2="{HEIGHT + 10}" '
                   f'stroke="{colour}" stroke-width="2.5"/>')
        out.append(f'<text x="{left + 28}" y="{HEIGHT + 14}">{engine}</text>')
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Path(sys.argv[2]).write_text(draw(read_rows(Path(sys.argv[1]).read_text())))
