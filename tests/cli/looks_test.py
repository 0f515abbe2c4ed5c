#!/usr/bin/env python3
# slow: starts a browser and Blender
"""three.js and Blender open a recording and show every body at the recorded pose."""
import json
import os
import subprocess
import sys
import unittest
from shutil import which

from program import SOURCE, ProgramTest

LOOK = SOURCE / "tools" / "look"
sys.path.insert(0, str(SOURCE / "tests" / "tools"))
from look_test import npm_folder  # noqa: E402

FLOAT = 2.0**-24  # relative rounding error of the numbers in a .glb


class Looks(ProgramTest):
    def look(self, *command):
        """Compares the poses in the program with the .csv, at the start, in the middle and at the end."""
        self.tumble("run", self.scene(), "--fps", "60", "-o", "a.glb", "-o", "a.csv")
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
                expected = row[at:at + 3]
                for got, value in zip(nodes[name]["position"], expected):
                    self.assert_close(got, value, 20 * FLOAT * max(map(abs, expected)), f"{name} at {row[0]}")
                w, x, y, z = row[at + 3:at + 7]
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
