#!/usr/bin/env python3
"""sample_glb.py OUT.glb: two bodies with a motion in closed form, for tests of the look tools.

The cube "stone" moves along x = 2 t, y = 1 + 3 t - 2 t^2 and turns about z by 90 degrees per second. "moon"
moves on a circle in the plane y = 1. The motion has two seconds, with keys at 60 Hz and linear interpolation.
"""
import json
import math
import struct
import sys

KEYS = 121
RATE = 60


def stone(t):
    return (2 * t, 1 + 3 * t - 2 * t * t, 0.0), (0.0, 0.0, math.sin(math.pi / 4 * t),
                                                 math.cos(math.pi / 4 * t))


def moon(t):
    return (1.5 * math.cos(t), 1.0, -1.5 * math.sin(t)), (0.0, math.sin(t / 2), 0.0, math.cos(t / 2))


def cube(half):
    points, normals, corners = [], [], []
    for axis in range(3):
        for sign in (1, -1):
            first = len(points)
            for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                point = [0.0, 0.0, 0.0]
                point[axis], point[(axis + 1) % 3], point[(axis
                                                           + 2) % 3] = sign * half, u * half, sign * v * half
                points.append(point)
                normals.append([float(sign) if k == axis else 0.0 for k in range(3)])
            corners += [first + i for i in (0, 1, 2, 0, 2, 3)]
    return points, normals, corners


def build():
    blob, views, accessors = bytearray(), [], []

    def add(rows, kind, code, component, bounds=False, target=None):
        flat = [x for row in rows for x in row]
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": 4 * len(flat)} | ({"target": target}
                                                                                            if target
                                                                                            else {}))
        blob.extend(struct.pack(f"<{len(flat)}{code}", *flat))
        accessor = {"bufferView": len(views) - 1, "componentType": component, "count": len(rows),
                    "type": kind}
        if bounds:
            single = [struct.unpack("<f", struct.pack("<f", x))[0] for x in flat]
            width = len(rows[0])
            accessor |= {"min": [min(single[k::width]) for k in range(width)],
                         "max": [max(single[k::width]) for k in range(width)]}
        accessors.append(accessor)
        return len(accessors) - 1

    meshes, nodes, samplers, channels = [], [], [], []
    times = [k / RATE for k in range(KEYS)]
    clock = add([[t] for t in times], "SCALAR", "f", 5126, bounds=True)
    for index, (name, motion, half) in enumerate((("stone", stone, 0.3), ("moon", moon, 0.15))):
        points, normals, corners = cube(half)
        attributes = {"POSITION": add(points, "VEC3", "f", 5126, bounds=True, target=34962),
                      "NORMAL": add(normals, "VEC3", "f", 5126, target=34962)}
        indices = add([[c] for c in corners], "SCALAR", "I", 5125, target=34963)
        meshes.append({"primitives": [{"attributes": attributes, "indices": indices, "material": index}]})
        place, turn = motion(0)
        nodes.append({"name": name, "mesh": index, "translation": place, "rotation": turn})
        for path, kind, part in (("translation", "VEC3", 0), ("rotation", "VEC4", 1)):
            samplers.append({"input": clock, "output": add([motion(t)[part] for t in times], kind, "f", 5126),
                             "interpolation": "LINEAR"})
            channels.append({"sampler": len(samplers) - 1, "target": {"node": index, "path": path}})
    colors = ((0.7, 0.15, 0.08, 1), (0.1, 0.3, 0.65, 1))
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}], "nodes": nodes,
        "meshes": meshes,
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": c, "metallicFactor": 0,
                                                "roughnessFactor": 0.6}} for c in colors],
        "animations": [{"name": "tumble", "samplers": samplers, "channels": channels}],
        "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(blob)}],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    total = 12 + 8 + len(text) + 8 + len(blob)
    head = struct.pack("<4sIIII", b"glTF", 2, total, len(text), 0x4E4F534A)
    return head + text + struct.pack("<II", len(blob), 0x004E4942) + bytes(blob)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: sample_glb.py OUT.glb")
    with open(sys.argv[1], "wb") as out:
        out.write(build())
