#!/usr/bin/env python3
"""Writes the scenes of bodies that hold each other and are too long to write by hand, and their meshes, into scenes/ or the folder given:

    tools/heap_scenes.py [FOLDER]

Same numbers, same bytes: a test compares the files with what is written here.
"""
import math
import sys
from pathlib import Path

from figure_scenes import element, material, number, numbers, scene


def card(name, foot, lean, size, color):
    """A card on its lower edge, which is at x and y, turned by so much about z; what is beneath it is on the side to which it leans."""
    length, thick, _ = size
    way, across = (-math.sin(lean), math.cos(lean)), (math.cos(lean), math.sin(lean))
    side = thick / 2 if lean > 0 else -thick / 2
    center = [f + length / 2 * w + side * a for f, w, a in zip(foot, way, across)]
    box = element("box", size=numbers((size[1], size[0], size[2])), material=color)
    return element("body", box, name=name, position=numbers((*center, 0)), rotate=f"0 0 1 {number(math.degrees(lean))}deg")


def card_house(storeys=2):
    size, lean, room = (0.09, 0.001, 0.06), math.radians(20), 0.004
    length, thick, width = size
    span = 2 * length * math.sin(lean)  # from foot to foot of a pair
    pitch, height = span + room, length * math.cos(lean) + thick * math.sin(lean)
    out = [element("simulation", duration="5", fps="60"), material("red", 700, "#b03a2e", 0.6), material("blue", 700, "#2e5fa3", 0.6),
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
            out.append(element("body", box, name=f"flat{storey}-{pair}", position=numbers(((pair - pairs / 2) * pitch, floor + height + thick / 2, 0))))
    return scene("card-house", f"""A house of cards, {storeys} storeys high: pairs of cards that lean on each other, flat ones on their upper edges, and more pairs on those. It stands.""", out)


SCENES = {"card-house": card_house}
MESHES = {}


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "scenes"
    for name, make in SCENES.items():
        (folder / f"{name}.xml").write_text(make())
    for name, make in MESHES.items():
        (folder / f"{name}.obj").write_text(make())


if __name__ == "__main__":
    main()
