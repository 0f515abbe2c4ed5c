#!/usr/bin/env python3
"""Bad luck on purpose: disks that fill, pipes that close and signals, at random moments of random runs.

What was written can be read, exit codes are those of the interface, and the time in a message is that of the
last whole frame in the file. `--long` makes 200 runs of each kind.
"""
import errno
import json
import os
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from program import PROGRAM, SOURCE, ProgramTest, judge_summary

LONG = "--long" in sys.argv
RUNS = 200 if LONG else 10
SEED = 20261118
# Scenes that differ in their outputs: with and without contact and joints.
SCENES = ["double-pendulum", "ten-boxes", "rope", "stack"]
FRAMES = ["a.csv", "a.txt", "a.glb", "a.gltf", "a.tumble"]
EXTRAS = [["--log", "l.csv"], ["--reactions", "r.csv"], ["--contacts", "c.csv"], ["--summary", "s.json"],
          ["--checkpoint", "k"]]


def limit_files(size):
    """Files of the process can have that many bytes: a disk that fills."""
    def set_limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return set_limit


class BadLuck(ProgramTest):
    def choose_run(self, chance):
        scene = chance.choice(SCENES)
        arguments = ["run", SOURCE / "scenes" / f"{scene}.xml", "--method", "fast",
                     "--duration", chance.choice(["0.7", "1.9", "60"]),
                     "--fps", chance.choice(["10", "60", "999"])]
        for name in chance.sample(FRAMES, chance.randint(1, 3)):
            arguments += ["-o", name]
        for extra in chance.sample(EXTRAS, chance.randint(0, 3)):
            arguments += extra
        return [str(a) for a in arguments]

    def clear(self):
        for path in self.folder.iterdir():
            path.unlink()

    def rows_of(self, name, cut):
        """The rows of a text file. `cut`: the last one may be incomplete, and is left out."""
        data = self.bytes_of(name)
        lines = data.split(b"\n")
        rest = lines.pop()
        self.assertTrue(rest == b"" or cut, f"{name} ends within a row")
        head = [line for line in lines if line[:1] == b"%" or not line[:1].isdigit()]
        rows = [line for line in lines if line not in head]
        separator = b" " if name.endswith(".txt") else b","
        self.assertLessEqual(len({len(row.split(separator)) for row in rows}), 1, name)
        return rows

    def last_time(self, name, cut=False):
        """The time of the last whole frame or row of a file, or None."""
        path = self.path(name)
        if not path.exists() or path.stat().st_size == 0:
            return None
        if name.endswith((".csv", ".txt")):
            rows = self.rows_of(name, cut)
            return float(re.split(rb"[ ,]", rows[-1])[0]) if rows else None
        if name.endswith(".tumble"):
            info = subprocess.run([PROGRAM, "info", "--json", name], cwd=self.folder, capture_output=True,
                                  text=True, timeout=60)
            self.assertEqual(info.returncode, 0, info.stderr)
            report = json.loads(info.stdout)
            if report["frames"] == 0:
                return None
            with tempfile.TemporaryDirectory(prefix="tumble-cli-") as aside:
                done = subprocess.run([PROGRAM, "convert", name, f"{aside}/read.csv"], cwd=self.folder,
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, done.stderr)
                rows = Path(f"{aside}/read.csv").read_bytes().splitlines()
            self.assertEqual(len(rows) - 1, report["frames"])
            return (report["first_frame"] + report["frames"] - 1) / report["fps"]
        return self.last_time_of_gltf(name)

    def last_time_of_gltf(self, name):
        data = self.bytes_of(name)
        if name.endswith(".glb"):
            magic, version, length = struct.unpack("<III", data[:12])
            self.assertEqual((magic, version, length), (0x46546C67, 2, len(data)))
            size = struct.unpack("<I", data[12:16])[0]
            document = json.loads(data[20:20 + size])
            binary = data[20 + size + 8:]
        else:
            document = json.loads(data)
            binary = self.bytes_of(document["buffers"][0]["uri"])
        animation = document["animations"][0]
        ends = []
        for sampler in animation["samplers"]:
            accessor = document["accessors"][sampler["input"]]
            view = document["bufferViews"][accessor["bufferView"]]
            at = view.get("byteOffset", 0) + accessor.get("byteOffset", 0) + 4 * (accessor["count"] - 1)
            ends.append(struct.unpack("<f", binary[at:at + 4])[0])
            self.assertEqual(document["accessors"][sampler["output"]]["count"], accessor["count"])
        self.assertEqual(len(set(ends)), 1)
        return ends[0]

    def judge_files(self, arguments, cut=False):
        """Every file that the run left is readable or absent."""
        for name in FRAMES + ["l.csv", "r.csv", "c.csv"]:
            if name in arguments:
                self.last_time(name, cut)
        if self.path("s.json").exists():
            json.loads(self.path("s.json").read_text())
        self.assertEqual([f for f in self.files() if f.endswith(".new") and not cut], [])

    def judge_times(self, errors, names):
        """The message about each file that failed has the time of the last whole frame in it."""
        for name, text in re.findall(r"stopped: (\S+): cannot be written: [^;]*; (.*)", errors):
            if name not in names and name != "a.bin":
                continue
            until = re.match(r"written up to t = (\S+) s", text)
            there = self.last_time("a.gltf" if name == "a.bin" else name)
            if until is None:
                self.assertIsNone(there, f"{name}: {text}")
            else:
                self.assertIsNotNone(there, f"{name}: {text}")
                self.assert_close(there, float(until[1]), 1e-6 * max(1, there), f"{name}: {text}")

    def run_and_judge(self, arguments, **options):
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, **options)
        self.assertNotIn("internal error", done.stderr)
        self.judge_files(arguments)
        return done

    def test_a_disk_that_fills(self):
        for i in range(RUNS):
            chance = random.Random(SEED + i)
            arguments = self.choose_run(chance)
            arguments[arguments.index("--duration") + 1] = chance.choice(["0.7", "1.9", "4"])
            size = int(10 ** chance.uniform(0, 6.5))
            with self.subTest(seed=SEED + i, size=size, arguments=" ".join(arguments)):
                self.clear()
                done = self.run_and_judge(arguments, preexec_fn=limit_files(size))
                large = [f for f in self.files() if self.path(f).stat().st_size > size]
                self.assertEqual(large, [])
                self.assertEqual(done.returncode != 0, "File too large" in done.stderr, done.stderr)
                self.assertIn(done.returncode, (0, 1, 2), done.stderr)
                if done.returncode == 2:  # a format that needs its whole size before the run
                    self.assertRegex(done.stderr, r"a\.(glb|gltf|bin): cannot be (written|resized)")
                self.judge_times(done.stderr, arguments)
                if done.returncode == 1 and "--summary" in arguments and self.path("s.json").exists():
                    self.assertIn("stopped", json.loads(self.path("s.json").read_text()))
                if done.returncode != 2:
                    self.assertEqual(judge_summary(self.folder, arguments, done), [])

    def test_a_device_without_room(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        for name in FRAMES + ["l.csv", "r.csv", "c.csv", "s.json", "k"]:
            with self.subTest(file=name):
                self.clear()
                os.symlink("/dev/full", self.path(name))
                flags = {extra[1]: extra[0] for extra in EXTRAS}
                done = subprocess.run([PROGRAM, "run", SOURCE / "scenes/stack.xml", "--duration", "0.2",
                                       flags.get(name, "-o"), name, "-o", "good.csv"],
                                      cwd=self.folder, capture_output=True, text=True, timeout=60)
                self.assertIn(done.returncode, (1, 2) if name in ("a.glb", "a.gltf") else (1,), done.stderr)
                self.assertRegex(done.stderr, re.escape(name) + ".*No space left on device")
                self.assertTrue(self.path(name).is_symlink())
                if done.returncode == 1:
                    self.assertEqual(self.last_time("good.csv"), 0.2)

    def test_a_file_system_that_fills(self):
        """A small file system in memory: allocation fails, not only growth. Needs the right to mount."""
        small = self.path("small")
        small.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", small],
                                 capture_output=True).returncode == 0
        if not mounted:
            self.skipTest("mount is not permitted")
        self.addCleanup(subprocess.run, ["umount", small], capture_output=True)
        whole, self.folder = self.folder, small
        try:
            for i in range(RUNS):
                chance = random.Random(SEED + 10000 + i)
                arguments = self.choose_run(chance)
                arguments[arguments.index("--duration") + 1] = chance.choice(["0.7", "1.9", "4"])
                with self.subTest(seed=SEED + 10000 + i, arguments=" ".join(arguments)):
                    self.clear()
                    self.path("ballast").write_bytes(bytes(chance.randint(0, 250_000)))
                    done = subprocess.run([PROGRAM, *arguments], cwd=small, capture_output=True, text=True,
                                          timeout=120)
                    self.path("ballast").unlink()
                    self.assertEqual(done.returncode != 0, "No space left" in done.stderr, done.stderr)
                    self.judge_files(arguments)
                    self.judge_times(done.stderr, arguments)
        finally:
            self.folder = whole

    def test_signals_at_random_times(self):
        for i in range(RUNS):
            chance = random.Random(SEED + 20000 + i)
            arguments = self.choose_run(chance)
            how = chance.choice([signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
            delay = chance.choice([0.02, 0.2, 1.5]) * chance.random()
            with self.subTest(seed=SEED + 20000 + i, signal=how.name, delay=delay,
                              arguments=" ".join(arguments)):
                self.clear()
                process = self.start(*arguments)
                time.sleep(delay)
                process.send_signal(how)
                errors = process.communicate(timeout=60)[1]
                cut = how == signal.SIGKILL
                # Before files are opened a signal ends the program at once, after the end it does nothing.
                allowed = {-how, 0} if cut else {128 + how, -how, 0}
                self.assertIn(process.returncode, allowed, errors)
                if process.returncode == -how and not cut:
                    self.assertEqual(self.files(), [])
                self.judge_files(arguments, cut)
                if process.returncode == 128 + how:
                    reached = float(re.search(r"interrupted at t = (\S+) s", errors)[1])
                    for name in FRAMES:
                        if name in arguments:
                            self.assert_close(self.last_time(name) or 0, reached, 1e-6 * max(1, reached),
                                              name)
                    if "--summary" in arguments:
                        self.assertIn("stopped", json.loads(self.path("s.json").read_text()))

    def test_pipes_that_close(self):
        """A reader that goes away: of stdout (exit 1), of the messages (no matter)."""
        scene = SOURCE / "scenes/ten-boxes.xml"
        verbs = [["info", scene], ["info", "--json", scene], ["check", scene], ["examples"], ["--help"],
                 ["--version"], ["run", "--help"]]
        for verb in verbs:
            with self.subTest(verb=verb):
                read, write = os.pipe()
                os.close(read)
                done = subprocess.run([PROGRAM, *verb], cwd=self.folder, stdout=write, stderr=subprocess.PIPE,
                                      text=True, timeout=60)
                os.close(write)
                self.assertEqual(done.returncode, 1)
                self.assertIn("stdout cannot be written: " + os.strerror(errno.EPIPE), done.stderr)
                for stdout in ("/dev/full", None):
                    done = subprocess.run(["sh", "-c", '"$0" "$@" >' + (stdout or "&-"), PROGRAM, *verb],
                                          cwd=self.folder, stderr=subprocess.PIPE, text=True, timeout=60)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn("stdout cannot be written", done.stderr)
        # A closed stdout does not become the first file that is opened.
        done = subprocess.run(["sh", "-c", '"$0" run "$1" --duration 0.1 -o a.csv >&-', PROGRAM, scene],
                              cwd=self.folder, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.last_time("a.csv"), 0.1)
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([PROGRAM, "run", scene, "--duration", "0.1", "-o", "b.csv"], cwd=self.folder,
                              stderr=write, timeout=60)
        os.close(write)
        self.assertEqual((done.returncode, self.last_time("b.csv")), (0, 0.1))

    def test_wholes_are_whole_or_absent(self):
        """A picture, a mesh, an example: nothing is left of one that did not fit."""
        for arguments, name in ((["render", SOURCE / "scenes/stack.xml", "-o", "p.png"], "p.png"),
                                (["convert", SOURCE / "scenes/bowl.obj", "m.stl"], "m.stl"),
                                (["examples", "ten-boxes"], "ten-boxes.xml")):
            for old in (None, b"old"):
                with self.subTest(name=name, old=old):
                    self.clear()
                    if old and name != "ten-boxes.xml":
                        self.path(name).write_bytes(old)
                    done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True,
                                          text=True, timeout=60, preexec_fn=limit_files(100))
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn("File too large", done.stderr)
                    kept = [name] if old and name != "ten-boxes.xml" else []
                    self.assertEqual(self.files(), kept)


if __name__ == "__main__":
    if LONG:
        sys.argv.remove("--long")
    unittest.main()
