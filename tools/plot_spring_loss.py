#!/usr/bin/env python3
"""Draws docs/images/spring-loss.svg: what a spring loses in a period, over the steps in it.

    tools/plot_spring_loss.py build/test/bin/tumble > docs/images/spring-loss.svg

Measured on a mass of 1 kg on a spring with a period of 1 s, over 20 periods. The lines are 4 pi e s of
docs/computation.md (13.10), and the rule with theta = 1/2 + s/64 that it replaced.
"""
import csv
import math
import subprocess
import sys
import tempfile
from pathlib import Path

STEPS = (5, 6, 8, 10, 12, 16, 20, 24, 32, 40)
PERIODS = 20
ACCURACY = 1e-3
SCENE = """<scene><simulation method="fast" duration="{}"/><world gravity="0 0 0"/>
<body name="m" velocity="0.0001 0 0"><inertia mass="1" moments="1 1 1"/>
<box size="0.1 0.1 0.1" collide="false"/></body>
<joint type="slider" b="m" axis="1 0 0" stiffness="{!r}"/></scene>"""
LEFT, TOP, WIDTH, HEIGHT = 90, 24, 520, 360
RANGE = (5, 40)  # steps a period
BEST, WORST = -7, 0  # exponents of the loss


def measure(program, steps):
    """Loss per period: the energy is the mean over the first and over the last two periods."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "s.xml").write_text(SCENE.format(PERIODS, (2 * math.pi) ** 2))
        subprocess.run([program, "run", "s.xml", "--step", repr(1 / steps), "--fps", "1", "--log", "l.csv",
                        "-o", "o.csv", "--quiet"], cwd=folder, check=True)
        with open(Path(folder, "l.csv"), newline="") as file:
            energies = [float(row["energy"]) for row in csv.DictReader(file)]
    first, last = (sum(part) / len(part) for part in (energies[:2 * steps], energies[-2 * steps:]))
    return 1 - (last / first) ** (1 / (PERIODS - 2))


def formula(steps):
    s, c = 2 * math.pi / steps, 0.8 * math.sqrt(ACCURACY)
    return 4 * math.pi * c * s ** 4 / (40 + s ** 4) * s


def old_rule(steps):
    """theta = 1/2 + s/64 loses 4 pi (theta - 1/2) s of the energy in a period, for small s."""
    s = 2 * math.pi / steps
    return 1 - math.exp(-4 * math.pi * s / 64 * s)


def x_of(steps):
    return LEFT + WIDTH * math.log(steps / RANGE[0]) / math.log(RANGE[1] / RANGE[0])


def y_of(loss):
    return TOP + HEIGHT * (WORST - math.log10(loss)) / (WORST - BEST)


def draw(points):
    size = f'width="{LEFT + WIDTH + 40}" height="{TOP + HEIGHT + 60}"'
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="15" '
           f'fill="#333">', f'<rect {size} fill="#fff"/>']
    for exponent in range(BEST, WORST + 1):
        y = y_of(10.0 ** exponent)
        power = "10" + "".join("⁻" if c == "-" else "⁰¹²³⁴⁵⁶⁷⁸⁹"[int(c)] for c in str(exponent))
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + WIDTH}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 5:.1f}" text-anchor="end">{power}</text>')
    for steps in (5, 6, 8, 12, 16, 24, 40):
        out.append(f'<text x="{x_of(steps):.1f}" y="{TOP + HEIGHT + 22}" '
                   f'text-anchor="middle">{steps}</text>')
    out.append(f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 46}" text-anchor="middle">'
               'steps in a period</text>')
    grid = [RANGE[0] * (RANGE[1] / RANGE[0]) ** (k / 60) for k in range(61)]
    for rule, color, words in ((formula, "#1f3d5c", "4π ε s"), (old_rule, "#b5651d", "θ = ½ + s/64")):
        line = " ".join(f"{x_of(n):.1f},{y_of(rule(n)):.1f}" for n in grid)
        out.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        x, y = x_of(18) + 8, y_of(rule(18)) - 10
        out.append(f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}">{words}</text>')
    for steps, loss in points:
        out.append(f'<circle cx="{x_of(steps):.1f}" cy="{y_of(loss):.1f}" r="4" fill="#8c2f1b"/>')
    out.append(f'<text x="{LEFT + 10}" y="{TOP + HEIGHT - 12}" fill="#8c2f1b">● measured: part of the energy '
               'lost in a period</text></svg>')
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.stdout.write(draw([(steps, measure(str(Path(sys.argv[1]).resolve()), steps)) for steps in STEPS]))
