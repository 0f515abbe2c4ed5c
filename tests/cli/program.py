"""Runs the built program as a user would. Shared by the tests in this folder.

These tests assert what the documentation promises to users, not how the code works.
"""
import csv
import json
import math
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["TUMBLE_PROGRAM"]
SOURCE = Path(os.environ["TUMBLE_SOURCE_DIR"])
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


def judge_summary(folder, arguments, done):
    """Compares the summary of a run with its exit status, messages, recording and log.

    Returns a list of what they contradict. Empty if the run has no summary.
    """
    arguments = [str(a) for a in arguments]
    after = {a: arguments[i + 1] for i, a in enumerate(arguments[:-1])}
    if "--summary" not in after or not (Path(folder) / after["--summary"]).is_file():
        return []
    try:
        s = json.loads((Path(folder) / after["--summary"]).read_text())
    except ValueError as error:
        return [f"the summary cannot be read: {error}"]
    faults = []

    def expect(good, text):
        if not good:
            faults.append("summary: " + text)

    numbers = {key: value for key, value in s.items() if isinstance(value, (int, float))}
    expect(all(math.isfinite(value) for value in numbers.values()), f"not finite: {numbers}")
    expect(all(value >= 0 for key, value in numbers.items() if not key.startswith("energy_")),
           f"negative: {numbers}")
    expect((done.returncode == 0) == ("stopped" not in s),
           f"exit {done.returncode}, but stopped: {s.get('stopped')}")
    if done.returncode == 0:
        expect(s["holds"] <= max(3, 1e-3 * s["steps"]), f"{s['holds']} holds in {s['steps']} steps")
        if "--step" not in after:
            expect(s["max_energy_gain"] <= max(100 * s["accuracy"], 1e-3),
                   f"energy gain {s['max_energy_gain']}")
    if s["method"] == "fast":
        expect((s["holds"] > 0) == any("held in place" in w for w in s["warnings"]),
               "holds without a warning")
    for name in ("gain", "drift"):
        joules = s[f"max_energy_{name}_joules"]
        expect(abs(s[f"max_energy_{name}"] * s["energy_scale"] - joules) <= 1e-12 * joules,
               f"max_energy_{name} is not joules over energy_scale")
    if "--quiet" not in arguments and "--resume" not in arguments and isinstance(done.stderr, str):
        spoken = done.stderr.replace("\n", " ")
        expect(all(" ".join(w.split()) in " ".join(spoken.split()) for w in s["warnings"]),
               f"warnings that were not printed: {s['warnings']}")
    if "--resume" in arguments:
        return faults  # files of a continued run have other rows
    table = after.get("-o", "")
    if table.endswith(".csv") and (Path(folder) / table).is_file():
        with open(Path(folder) / table, newline="") as file:
            lines = sum(1 for _ in file)  # none: not even the names of the columns found room
            expect(lines == s["frames"] + 1 or lines == s["frames"] == 0,
                   f"{s['frames']} frames, the recording has others")
    if "--log" in after and "--inputs" not in after and (Path(folder) / after["--log"]).is_file():
        faults += judge_log(Path(folder) / after["--log"], s, done.returncode == 0)
    return faults


def judge_log(path, s, whole):
    """Computes figures of the summary `s` from the rows of the log. `whole`: the run ended well."""
    with open(path, newline="") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    if not rows:
        return ["the log is empty"]
    faults = []
    balance = [row["energy"] - row.get("work", 0.0) for row in rows]
    least, gain = balance[0], 0.0
    for value in balance:
        least = min(least, value)
        gain = max(gain, value - least)
    drift = max(abs(value - balance[0]) for value in balance)
    rounding = 1e-12 * max(max(abs(row[key]) for key in ("kinetic", "potential", "work") if key in row)
                           for row in rows)
    for key, value in (("max_energy_gain_joules", gain), ("max_energy_drift_joules", drift),
                       ("max_joint_error", max(row["max_joint_error"] for row in rows)),
                       ("max_penetration", max(row["max_penetration"] for row in rows))):
        # The summary may know more than the log: frames, and the step that ended a run.
        if s[key] < value - rounding:
            faults.append(f"{key}: {s[key]} in the summary, {value} in the log")
    if whole and abs(s["max_energy_gain_joules"] - gain) > rounding:
        faults.append(f"max_energy_gain_joules: {s['max_energy_gain_joules']} in the summary, "
                      f"{gain} in the log")
    allowed = max(balance[0] + row.get("work", 0.0) - row["potential"] for row in rows)
    if s["energy_scale"] < allowed - rounding:
        faults.append(f"energy_scale: {s['energy_scale']}, the log allows {allowed} J of motion")
    if whole and abs(s["energy_end"] - rows[-1]["energy"]) > rounding:
        faults.append(f"energy_end: {s['energy_end']} in the summary, {rows[-1]['energy']} in the log")
    if whole and s["impacts"] != rows[-1]["impacts"]:
        faults.append(f"impacts: {s['impacts']} in the summary, {rows[-1]['impacts']} in the log")
    return faults


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
