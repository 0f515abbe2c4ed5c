"""Runs the built program as a user would. Shared by the tests in this folder.

These tests assert what the documentation promises to users, not how the code works.
"""
import csv
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["TUMBLE_PROGRAM"]
SOURCE = Path(os.environ["TUMBLE_SOURCE_DIR"])
sys.path.append(str(SOURCE / "tools"))
from judge_summary import judge_summary  # noqa: E402, F401 (other tests import it from here)

COLUMNS = ["x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"]

# Two bodies that move in different ways, and a fixed one. The forces make the step size vary.
SCENE = """<scene name="pair">
  <simulation duration="{duration}" fps="{fps}" method="precise"/>
  <world gravity="0 -9.81 0"/>
  <material name="steel" density="7800" color="#8899aa"/>
  <body name="stone" position="0 100 0" velocity="3 20 0" angular-velocity="0.01 9 0.02">
    <box size="0.3 0.1 0.2" material="steel"/>
  </body>
  <body name="ball" position="1 100 0" velocity="3 20 1">
    <sphere radius="0.1"/>
  </body>
  <body name="post" fixed="true" position="0 50 -3">
    <cylinder radius="0.1" length="1"/>
  </body>
  <spring a="stone" b="ball" at-a="0.15 100 0" at-b="0.9 100 0" length="0.5" stiffness="400" damping="0.5"/>
  <drag body="ball" quadratic="0.02" wind="5 0 0"/>
</scene>
"""


class ProgramTest(unittest.TestCase):
    """A temporary folder to work in, and the program."""

    maxDiff = None

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tumble-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return self.folder / name

    def scene(self, text=None, name="pair.xml", duration="1", fps="30"):
        self.path(name).write_text(text if text is not None else SCENE.format(duration=duration, fps=fps))
        return name

    def tumble(self, *arguments, status=0, **options):
        """Runs the program in the folder. Checks its exit status (one or several) and returns the process."""
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, **options)
        self.assertIn(done.returncode, status if isinstance(status, tuple) else (status,),
                      f"tumble {' '.join(map(str, arguments))}\n"
                      f"--stdout\n{done.stdout[:2000]}\n--stderr\n{done.stderr[:2000]}")
        self.assertEqual(judge_summary(self.folder, arguments, done), [])
        return done

    def start(self, *arguments):
        """Starts the program and returns the running process."""
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def wait_for_bytes(self, process, name, count):
        """Waits until a running process has written that many bytes to a file."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self.path(name).exists() and self.path(name).stat().st_size >= count:
                return
            if process.poll() is not None:
                errors = process.communicate()[1]
                self.fail(f"ended with {process.returncode} before it was interrupted: {errors}")
            time.sleep(0.005)
        self.fail(f"{name} did not reach {count} bytes in a minute")

    def bytes_of(self, name):
        return self.path(name).read_bytes()

    def table(self, name):
        """Header and rows of numbers of a CSV file."""
        with open(self.path(name), newline="") as file:
            rows = list(csv.reader(file))
        return rows[0], [[float(cell) for cell in row] for row in rows[1:]]

    def files(self):
        return sorted(p.name for p in self.folder.iterdir())

    def assert_close(self, a, b, tolerance, message=""):
        self.assertTrue(math.isfinite(a) and abs(a - b) <= tolerance,
                        f"{a} is not {b} within {tolerance} {message}")


SIGINT, SIGKILL = signal.SIGINT, signal.SIGKILL
