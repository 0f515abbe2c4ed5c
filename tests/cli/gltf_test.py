#!/usr/bin/env python3
"""The Khronos glTF validator accepts .glb and .gltf files of all shipped scenes and of interrupted runs."""
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from program import SIGINT, SOURCE, ProgramTest

VALIDATOR = Path(os.environ["TUMBLE_BINARY_DIR"], "gltf")  # a copy of tools/gltf with its npm packages


def install_validator():
    """Installs the validator in the build tree, once for each version of its lock file."""
    source = SOURCE / "tools" / "gltf"
    lock, stamp = source / "package-lock.json", VALIDATOR / "installed-lock.json"
    VALIDATOR.mkdir(parents=True, exist_ok=True)
    for file in source.iterdir():
        if file.is_file():
            shutil.copy(file, VALIDATOR)
    if stamp.exists() and stamp.read_bytes() == lock.read_bytes():
        return
    done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=VALIDATOR, capture_output=True,
                          text=True)
    if done.returncode:
        raise RuntimeError(f"npm ci failed, the validator is not installed: {done.stderr[-2000:]}")
    shutil.copy(lock, stamp)


class Validator(ProgramTest):
    @classmethod
    def setUpClass(cls):
        install_validator()

    def validator(self, *files):
        return subprocess.run(["node", VALIDATOR / "validate.mjs", *map(str, files)], cwd=self.folder,
                              capture_output=True, text=True)

    def assert_valid(self, *files):
        done = self.validator(*files)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_scene_gives_valid_files(self):
        scenes = sorted((SOURCE / "scenes").glob("*.xml"))
        self.assertGreaterEqual(len(scenes), 7)
        files = []
        for scene in scenes:
            self.tumble("run", scene, "--duration", "0.5", "-o", f"{scene.stem}.glb",
                        "-o", f"{scene.stem}.gltf")
            files += [f"{scene.stem}.glb", f"{scene.stem}.gltf"]
        self.assert_valid(*files)

    def test_one_frame_is_valid_too(self):
        self.tumble("run", self.scene(), "--duration", "0", "-o", "a.glb")
        self.assert_valid("a.glb")

    def test_an_interrupted_run_leaves_a_valid_file(self):
        process = self.start("run", self.scene(), "--duration", "4000", "--fps", "50", "-o", "a.glb",
                             "-o", "a.csv")
        self.wait_for_bytes(process, "a.csv", 50_000)
        process.send_signal(SIGINT)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assert_valid("a.glb")

    def test_the_validator_can_fail(self):
        self.tumble("run", self.scene(), "-o", "a.glb")
        self.path("bad.glb").write_bytes(self.bytes_of("a.glb").replace(b'"asset"', b'"axxet"', 1))
        self.assertNotEqual(self.validator("bad.glb").returncode, 0)


if __name__ == "__main__":
    unittest.main()
