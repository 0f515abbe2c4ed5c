#!/usr/bin/env python3
# slow: starts Blender
"""Blender opens a recording as it is, and every body is where the numbers say at every frame."""
import json
import subprocess
import sys
import unittest
from shutil import which

from program import ProgramTest

if which("blender") is None:
    print("no Blender here")
    sys.exit(77)

# Runs inside Blender. Its importer turns y up into z up: (x, y, z) becomes (x, -z, y).
LOOK = """
import bpy, json, sys
path, names, frames = json.loads(sys.argv[-1])
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = 24
bpy.ops.import_scene.gltf(filepath=path)
found = []
for frame in range(frames):
    bpy.context.scene.frame_set(frame)
    places = [bpy.data.objects[name].matrix_world.translation for name in names]
    found.append([[p.x, p.z, -p.y] for p in places])
meshes = sum(len(mesh.polygons) > 0 for mesh in bpy.data.meshes)
print("LOOK " + json.dumps([found, meshes]))
"""


class Blender(ProgramTest):
    def test_bodies_move_as_recorded(self):
        self.tumble("run", self.scene(), "--fps", "24", "-o", "a.glb", "-o", "a.csv")
        header, rows = self.table("a.csv")
        names = ["stone", "ball", "post"]
        self.path("look.py").write_text(LOOK)
        done = subprocess.run(["blender", "-b", "--factory-startup", "--python-exit-code", "5", "--python", "look.py", "--",
                               json.dumps([str(self.path("a.glb")), names, len(rows)])], cwd=self.folder, capture_output=True, text=True, timeout=300)
        answer = [line for line in done.stdout.splitlines() if line.startswith("LOOK ")]
        self.assertTrue(answer, done.stdout[-3000:] + done.stderr[-3000:])
        found, meshes = json.loads(answer[0][5:])
        self.assertEqual(meshes, 3)
        for row, places in zip(rows, found):
            for name, place in zip(names, places):
                at = header.index(f"{name}.x")
                for got, expected in zip(place, row[at:at + 3]):
                    self.assert_close(got, expected, 2e-7 * 2 * max(abs(v) for v in row), name)  # floats, a few roundings


if __name__ == "__main__":
    unittest.main()
