#!/usr/bin/env python3
"""Draws the figures of docs/computation.md that need no measurement:

    tools/draw_figures.py

writes docs/images/joint-limits.svg and docs/images/large-step.svg.
"""
import math
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "docs/images"
DARK, PATH, KICK = "#333", "#b0b7bd", "#a33b2f"
BODY_A, BODY_B = "#8a939c", "#4d7ea8"
ALLOWED, COMFORT = "#cfe3cf", "#e4f0e4"


class Drawing:
    def __init__(self, width, height):
        size = f'width="{width}" height="{height}"'
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}" '
                      f'font-family="sans-serif" font-size="15" fill="{DARK}">',
                      f'<rect {size} fill="#fff"/>']

    def line(self, x1, y1, x2, y2, color=DARK, width=1.5, dashes="", arrow=False):
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" '
                          f'stroke-width="{width}" stroke-linecap="round"{dash}/>')
        if arrow:
            self.arrow_head(x2, y2, math.atan2(y2 - y1, x2 - x1), color)

    def arrow_head(self, x, y, angle, color=DARK, size=9):
        corners = [(x, y)] + [(x - size * math.cos(angle + turn), y - size * math.sin(angle + turn))
                              for turn in (0.4, -0.4)]
        self.polygon(corners, color)

    def polygon(self, corners, fill, stroke="none"):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        self.parts.append(f'<polygon points="{points}" fill="{fill}" stroke="{stroke}"/>')

    def curve(self, points, color=DARK, width=1.5, dashes=""):
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        path = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.parts.append(f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{width}"{dash}/>')

    def circle(self, x, y, radius, fill=DARK, stroke="none"):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}" stroke="{stroke}"/>')

    def text(self, x, y, words, anchor="middle", more=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{words}</text>')

    def title(self, x, y, words):
        self.text(x, y, words, more=' font-weight="bold"')

    def note(self, x, y, words, anchor="middle", color=DARK):
        self.text(x, y, words, anchor, f' font-size="13" fill="{color}"')

    def write(self, name):
        (FOLDER / name).write_text("\n".join(self.parts + ["</svg>"]) + "\n", encoding="utf-8")


def arc(x, y, rx, ry, first, last, count=60):
    """Points of an ellipse from one angle to another, degrees, counter-clockwise seen on the page."""
    angles = [math.radians(first + (last - first) * i / count) for i in range(count + 1)]
    return [(x + rx * math.cos(a), y - ry * math.sin(a)) for a in angles]


def draw_hinge(d, x, y):
    """Seen along the axis."""
    d.title(x, 30, "hinge: limits")
    low, high, now, reach = -20, 110, 55, 92
    d.polygon([(x, y), *arc(x, y, reach, reach, low, high)], ALLOWED)
    d.polygon([(x, y), *arc(x, y, reach, reach, low + 22, high - 22)], COMFORT)
    for angle, words, dx, dy in ((low, "lo", 14, 8), (high, "hi", -6, -6)):
        end = arc(x, y, reach, reach, angle, angle, 1)[0]
        d.line(x, y, *end)
        d.text(end[0] + dx, end[1] + dy, words)
    d.line(x - 95, y, x, y, BODY_A, 14)
    d.line(x, y, *arc(x, y, reach - 14, reach - 14, now, now, 1)[0], BODY_B, 14)
    d.line(x, y, x + reach, y, DARK, 1, "4 4")
    d.curve(arc(x, y, 44, 44, 0, now - 6), DARK)
    tip = arc(x, y, 44, 44, now - 6, now - 6, 1)[0]
    d.arrow_head(*tip, -math.radians(now + 84))
    d.text(x + 56, y - 18, "x")
    d.circle(x, y, 6, "#fff", DARK)
    d.text(x - 70, y + 28, "a")
    d.text(x + 66, y - 84, "b")


def draw_twist(d, x, y):
    """The axis upright, the circle about it seen from above."""
    d.title(x, 30, "ball, cylindrical: twist")
    rx, ry = 88, 34
    d.polygon([(x, y), *arc(x, y, rx, ry, -40, 80)], ALLOWED)
    d.curve(arc(x, y, rx, ry, 0, 360), PATH)
    for angle, words, dx, dy in ((-40, "lo", 14, 12), (80, "hi", 4, -8)):
        end = arc(x, y, rx, ry, angle, angle, 1)[0]
        d.line(x, y, *end)
        d.text(end[0] + dx, end[1] + dy, words)
    d.line(x, y, *arc(x, y, rx - 6, ry - 3, 22, 22, 1)[0], BODY_B, 6)
    d.line(x, y + 70, x, y - 92, DARK, 2, arrow=True)
    d.text(x - 34, y - 80, "axis")
    d.text(x + rx + 14, y - 16, "b")
    d.curve(arc(x, y - 62, 22, 9, 200, 500), DARK)
    d.arrow_head(*arc(x, y - 62, 22, 9, 500, 500, 1)[0], math.radians(180 + 20))
    d.note(x + 36, y - 60, "ψ")


def draw_cone(d, x, y):
    d.title(x, 30, 'ball: swing="p"')
    apex, top, rx, ry = y + 62, y - 62, 78, 24
    d.polygon([(x, apex), *arc(x, top, rx, ry, 188, 352)], ALLOWED)
    d.polygon(arc(x, top, rx, ry, 0, 360), COMFORT, DARK)
    for side in (-1, 1):
        d.line(x, apex, x + side * rx * 0.99, top + 3)
    d.line(x, apex, x, top - 42, DARK, 1.5, "5 4", arrow=True)
    d.text(x - 18, top - 34, "u_a")
    d.line(x, apex, x + 40, top - 8, BODY_B, 4, arrow=True)
    d.text(x + 56, top - 6, "u_b")
    d.curve(arc(x, apex, 78, 78, 90, 71), DARK)
    d.text(x + 17, apex - 86, "θ")
    d.curve(arc(x, apex, 50, 50, 90, 122), DARK)
    d.text(x - 22, apex - 58, "p")
    d.circle(x, apex, 6, "#fff", DARK)


def draw_ellipse(d, x, y):
    """Seen along the axis: the two parts of the swing."""
    d.title(x, 30, 'ball: swing="a₁ a₂"')
    a1, a2 = 84, 48
    d.polygon(arc(x, y, a1, a2, 0, 360), ALLOWED, DARK)
    d.polygon(arc(x, y, a1 * 0.7, a2 * 0.7, 0, 360), COMFORT)
    quarters = ((a1, 88), (40, 88), (40, 30), (a1, 30))
    points = [p for i, (rx, ry) in enumerate(quarters) for p in arc(x, y, rx, ry, 90 * i, 90 * i + 90)]
    d.curve(points, BODY_A, 1.5, "5 4")
    d.line(x - 98, y, x + 104, y, DARK, 1, arrow=True)
    d.line(x, y + 76, x, y - 104, DARK, 1, arrow=True)
    d.text(x + 102, y + 20, "θ₁")
    d.text(x - 16, y - 96, "θ₂")
    d.text(x + a1 - 14, y - 6, "a₁")
    d.text(x - 14, y - a2 + 16, "a₂")
    d.line(x, y, x + 34, y - 22, BODY_B, 3)
    d.circle(x + 34, y - 22, 5, BODY_B)
    d.note(x + 34, y - 32, "u_b")
    d.note(x, y + 96, "dashed: four bounds, lo₁ hi₁ lo₂ hi₂")


def draw_limits():
    d = Drawing(920, 290)
    for draw, x in ((draw_hinge, 125), (draw_twist, 345), (draw_cone, 560), (draw_ellipse, 785)):
        draw(d, x, 150)
    d.polygon([(20, 266), (44, 266), (44, 282), (20, 282)], ALLOWED)
    d.note(52, 279, "allowed: C ≥ 0", "start")
    d.polygon([(170, 266), (194, 266), (194, 282), (170, 282)], COMFORT)
    d.note(202, 279, "before the comfort zone: no resistance", "start")
    d.write("joint-limits.svg")


def bounce(height, speed, gravity, restitution):
    """Leapfrog of a ball with steps of 1: times, positions then, velocities between. It hits the ground in
    the fifth step."""
    times, ys, vs = [0.0], [height], [speed - gravity / 2]
    for _ in range(4):
        times.append(times[-1] + 1)
        ys.append(ys[-1] + vs[-1])
        vs.append(vs[-1] - gravity)
    # The kick before the hit is for a drift of h, after which y is 0: y + h (v - gravity (1 + h)/2) = 0.
    b = vs[3] - gravity / 2
    h = (b + math.sqrt(b * b + 2 * gravity * ys[4])) / gravity
    vs[4] = vs[3] - gravity * (1 + h) / 2
    rebound = restitution * (gravity * h / 2 - vs[4])
    vs += [rebound - gravity * (1 - h) / 2, rebound - gravity * (1 - h) / 2 - gravity * (2 - h) / 2]
    times += [4 + h, 5.0, 6.0]
    ys += [0.0, vs[5] * (1 - h), vs[5] * (1 - h) + vs[6]]
    return times, ys, vs


def draw_large_step():
    d = Drawing(920, 470)
    gravity, height, start = 1.0, 4.6, 1.1
    times, ys, vs = bounce(height, start, gravity, 0.8)
    hit = times[5]
    left, across, ground, up, zero, speed = 110, 125, 215, 30, 350, 18

    def at(t):
        return left + across * t

    d.title(52, 60, "position")
    d.title(52, 290, "velocity")
    d.line(left - 20, ground, at(6.3), ground, PATH)
    d.note(at(6.3), ground + 18, "ground", "end")
    exact = [(t, height + start * t - gravity * t * t / 2) for t in (i / 50 for i in range(250))]
    d.curve([(at(t), ground - up * y) for t, y in exact if y >= 0], PATH, 6)
    d.curve([(at(t), ground - up * y) for t, y in zip(times, ys)], BODY_B, 2.5)
    for t, y in zip(times, ys):
        d.line(at(t), ground - up * y, at(t), 440, PATH, 1, "3 4")
        d.circle(at(t), ground - up * y, 6, BODY_B)
    d.note(at(1.5), ground - up * 5.9, "drift: straight, certified", color=BODY_B)
    d.note(at(3.75), ground - up * 4.4, "grey: exact path", "start")
    d.line(left - 20, zero, at(6.3), zero, PATH)
    d.note(left - 26, zero + 5, "0", "end")
    for i, v in enumerate(vs):
        d.line(at(times[i]), zero - speed * v, at(times[i + 1]), zero - speed * v, BODY_B, 3)
        if i + 1 < len(vs):
            x, before, after = at(times[i + 1]), zero - speed * v, zero - speed * vs[i + 1]
            d.line(x, before, x, after, KICK, 2.5, arrow=True)
            if times[i + 1] != hit:
                d.circle(x, (before + after) / 2, 4, "#fff", KICK)
    d.note(at(1) + 10, zero + 32, "kick", "start", KICK)
    d.note(at(2.5), zero - speed * vs[2] - 10, "v⁻")
    d.note(at(3.5), zero - speed * vs[3] - 10, "v")
    d.note(at(hit) + 10, zero - speed * 1.2, "impact", "start", KICK)
    d.circle(at(0.1), 462, 4, "#fff", KICK)
    d.note(at(0.2), 466, "velocity that a state reports: the mean before and after the kick", "start")
    for t, words in ((2, "tₙ − h⁻"), (3, "tₙ"), (4, "tₙ + h")):
        d.text(at(t), 440, words)
    for first, words in ((2, "h⁻"), (3, "h")):
        d.line(at(first) + 4, 416, at(first + 1) - 4, 416, DARK, 1, arrow=True)
        d.note(at(first + 0.5), 410, words)
    d.write("large-step.svg")


if __name__ == "__main__":
    draw_limits()
    draw_large_step()
