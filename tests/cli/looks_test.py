#!/usr/bin/env python3
# slow: starts a browser and Blender
"""three.js and Blender open a recording and show every body at the recorded pose."""
import json
import os
import subprocess
import sys
import unittest
from shutil import which

from program import SCENE, SOURCE, ProgramTest

LOOK = SOURCE / "tools" / "look"
sys.path.insert(0, str(SOURCE / "tests" / "tools"))
from look_test import npm_folder  # noqa: E402

FLOAT = 2.0**-24  # relative rounding error of the numbers in a .glb


class Looks(ProgramTest):
    def look(self, *command):
        self.look_at(SCENE.format(duration=1, fps=60), lambda x, y, z: (x, y, z), command)
        # Z is up, and a body has the name of the scene. Every other program shows (x, y, z) at (x, z, -y).
        turned = SCENE.replace("0 -9.81 0", "0 0 -9.81").replace('scene name="pair"', 'scene name="stone"')
        self.look_at(turned.format(duration=1, fps=60), lambda x, y, z: (x, z, -y), command)

    def look_at(self, scene, shown, command):
        """Compares the poses in the program with the .csv, at the start, in the middle and at the end."""
        self.tumble("run", self.scene(scene), "-o", "a.glb", "-o", "a.csv")
        header, rows = self.table("a.csv")
        # Blender uses the first python3 on the path. It must be that of Debian, which has NumPy.
        environment = os.environ | {"PATH": os.pathsep.join(("/usr/bin", "/bin", os.environ["PATH"]))}
        for row in (rows[0], rows[25], rows[-1]):
            done = subprocess.run([*map(str, command), "a.glb", "p.png", repr(row[0])], cwd=self.folder,
                                  env=environment, capture_output=True, text=True, timeout=300)
            answer = [line for line in done.stdout.splitlines() if line.startswith("{")]
            self.assertEqual((done.returncode, len(answer)), (0, 1),
                             done.stdout[-2000:] + done.stderr[-2000:])
            nodes = {node["name"]: node for node in json.loads(answer[0])["nodes"]}
            for name in ("stone", "ball", "post"):
                at = header.index(f"{name}.x")
                expected = shown(*row[at:at + 3])
                for got, value in zip(nodes[name]["position"], expected):
                    self.assert_close(got, value, 20 * FLOAT * max(map(abs, expected)), f"{name} at {row[0]}")
                w, x, y, z = row[at + 3:at + 7]
                if shown(0, 0, 1) == (0, 1, 0):  # times the quarter turn about x, (w - x) and so on / sqrt 2
                    h = 0.5**0.5
                    w, x, y, z = h * (w + x), h * (x - w), h * (y + z), h * (z - y)
                same = abs(sum(a * b for a, b in zip(nodes[name]["quaternion"], (x, y, z, w))))
                self.assert_close(same, 1, 20 * FLOAT, f"{name} at {row[0]}")

    @unittest.skipUnless(which("chromium") and which("npm"), "no Chromium here")
    def test_three(self):
        self.look("node", npm_folder() / "look_three.mjs")

    @unittest.skipUnless(which("blender"), "no Blender here")
    def test_blender(self):
        self.look("blender", "-b", "--factory-startup", "--python-exit-code", "1",
                  "--python", LOOK / "look_blender.py", "--")


if __name__ == "__main__":
    if not (which("chromium") or which("blender")):
        print("neither Chromium nor Blender here")
        sys.exit(77)
    unittest.main()
