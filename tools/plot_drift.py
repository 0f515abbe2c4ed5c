#!/usr/bin/env python3
"""Draws docs/images/joint-drift.svg from the output of the drift test:

    build/test/bin/test_analytic -tc='*drift*' | tools/plot_drift.py > docs/images/joint-drift.svg

As in the figure of 2007, one decade on the x axis is as long as five on the y axis: slope 5 is a diagonal.
"""
import math
import sys

# column, colour, dashes, label
LINES = (
    ("total", "#8c2f1b", "8 5", "gap after 8 s, nothing closes it"),
    ("held", "#b5651d", "2 4", "gap after 8 s, k = 400/s², d = 40/s"),
    ("step", "#5b8fb9", "", "gap of one step"),
    ("estimate", "#1f3d5c", "", "order 4 against 5 in one step"),
    ("closed", "#3b7d3b", "", "gap, joints closed at every step"),
)
LEFT, TOP, DECADE, DECADES_UP, LABELS = 90, 24, 200, 17, 270
ACROSS = (1e-4, 1e-2)  # s
TOP_VALUE = 0          # exponent at the upper edge


def read(stream):
    rows = []
    for line in stream:
        words = line.split()
        if words[:2] == ["drift", "h"]:
            rows.append({name: float(value) for name, value in zip(words[1::2], words[2::2])})
    return rows


def x_of(h):
    return LEFT + DECADE * math.log10(h / ACROSS[0])


def y_of(error):
    return TOP + DECADE / 5 * (TOP_VALUE - math.log10(error))


def draw(rows):
    right, bottom = x_of(ACROSS[1]), y_of(10.0 ** (TOP_VALUE - DECADES_UP))
    size = f'width="{right + LABELS:.0f}" height="{bottom + 60:.0f}"'
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="15" '
           'fill="#333">',
           f'<rect {size} fill="#fff"/>']

    def line(x1, y1, x2, y2, color):
        out.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}"/>')

    def text(x, y, words, anchor="middle", more=""):
        out.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{words}</text>')

    def power(exponent):
        return "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(c)] if c.isdigit() else "⁻" for c in str(exponent))

    for exponent in range(TOP_VALUE - DECADES_UP, TOP_VALUE + 1):
        y = y_of(10.0 ** exponent)
        line(LEFT, y, right, y, "#ddd")
        if exponent % 2 == 0:
            text(LEFT - 10, y + 5, power(exponent), "end")
    for exponent in range(-4, -1):
        for digit in range(1, 10):
            if digit * 10.0 ** exponent <= 1.0001 * ACROSS[1]:
                x = x_of(digit * 10.0 ** exponent)
                line(x, TOP, x, bottom, "#ccc" if digit == 1 else "#eee")
        text(x_of(10.0 ** exponent), bottom + 24, power(exponent))
    text((LEFT + right) / 2, bottom + 48, "step h, s")
    text(0, 0, "error, m", more=f' transform="translate(28 {(TOP + bottom) / 2:.0f}) rotate(-90)"')

    for column, color, dashes, label in LINES:
        points = [(x_of(row["h"]), y_of(row[column])) for row in rows]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2.5"'
                   + (f' stroke-dasharray="{dashes}"' if dashes else "") + "/>")
        longest = max(points)
        text(longest[0] + 8, longest[1] + 5, label, "start", f' fill="{color}"')
    out.append("</svg>")
    return "\n".join(out)


if __name__ == "__main__":
    table = read(sys.stdin)
    if not table:
        sys.exit("plot_drift: standard input has no output of the drift test")
    print(draw(table))
