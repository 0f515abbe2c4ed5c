#!/usr/bin/env python3
# slow: starts a browser and Blender
"""Both look tools print the poses at a given time, and fail for a file that is not a .glb."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LOOK = Path(__file__).resolve().parents[2] / "tools" / "look"
sys.path.insert(0, str(LOOK))
import sample_glb  # noqa: E402

# Keys are floats up to 4. Both programs read them and convert quaternions to matrices and back.
TOLERANCE = 20 * 4 * 2.0 ** -24


def npm_folder():
    """A copy of tools/look/three with its packages, in the build tree, so that the checkout is not
    changed."""
    folder = Path(os.environ.get("TUMBLE_BINARY_DIR", tempfile.gettempdir()), "look_three")
    lock, stamp = LOOK / "three" / "package-lock.json", folder / "installed-lock.json"
    shutil.copytree(LOOK / "three", folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules"))
    if not (stamp.exists() and stamp.read_bytes() == lock.read_bytes()):
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=folder, check=True, capture_output=True,
                       timeout=300)
        shutil.copy(lock, stamp)
    return folder


class Look(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.glb, self.picture = self.folder / "sample.glb", self.folder / "out.png"
        self.glb.write_bytes(sample_glb.build())

    def run_tool(self, command):
        # Blender uses the first python3 on the path. It must be that of Debian, which has NumPy.
        path = os.pathsep.join(("/usr/bin", "/bin", os.environ["PATH"]))
        return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300,
                              env=os.environ | {"PATH": path})

    def check(self, command):
        for frame in (0, 75, 120):  # the start, a key in between, the end
            time = frame / sample_glb.RATE
            done = self.run_tool([*command, self.glb, self.picture, time])
            answers = [line for line in done.stdout.splitlines() if line.startswith("{")]
            self.assertEqual((done.returncode, len(answers)), (0, 1),
                             done.stdout[-2000:] + done.stderr[-2000:])
            found = json.loads(answers[0])
            self.assertEqual(found["tracks"], 4)
            self.assertAlmostEqual(found["duration"], 2, delta=TOLERANCE)
            nodes = {node["name"]: node for node in found["nodes"]}
            for name, motion in (("stone", sample_glb.stone), ("moon", sample_glb.moon)):
                place, turn = motion(time)
                for got, expected in zip(nodes[name]["position"], place):
                    self.assertAlmostEqual(got, expected, delta=TOLERANCE, msg=f"{name} at {time}")
                same = abs(sum(a * b for a, b in zip(nodes[name]["quaternion"], turn)))
                self.assertAlmostEqual(same, 1, delta=TOLERANCE, msg=f"{name} at {time}")
            self.assertEqual(self.picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
            self.picture.unlink()
        self.glb.write_bytes(b"glTF but not really")
        self.assertEqual(self.run_tool([*command, self.glb, self.picture, 0]).returncode, 1)

    @unittest.skipUnless(shutil.which("chromium") and shutil.which("npm"), "no Chromium here")
    def test_three(self):
        self.check(["node", npm_folder() / "look_three.mjs"])

    @unittest.skipUnless(shutil.which("blender"), "no Blender here")
    def test_blender(self):
        self.check(["blender", "-b", "--factory-startup", "--python-exit-code", "1",
                    "--python", LOOK / "look_blender.py", "--"])


if __name__ == "__main__":
    if not (shutil.which("chromium") or shutil.which("blender")):
        print("neither Chromium nor Blender here")
        sys.exit(77)
    unittest.main()
