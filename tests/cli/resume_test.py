#!/usr/bin/env python3
"""Interrupted runs leave readable files. Resumed, they write the same bytes as an uninterrupted run."""
import json
import struct
import unittest

from program import SIGINT, SIGKILL, ProgramTest

FORMATS = ["csv", "txt", "glb", "tumble"]
LONG = ["--duration", "4000", "--fps", "50"]  # long enough to be interrupted, short enough to finish


def outputs(name):
    return [word for f in FORMATS for word in ("-o", f"{name}.{f}")] + ["--log", f"{name}.log.csv"]


class Resume(ProgramTest):
    def assert_same(self, a, b, names=(*FORMATS, "log.csv")):
        for name in names:
            left, right = self.bytes_of(f"{a}.{name}"), self.bytes_of(f"{b}.{name}")
            if left != right:
                at = next((i for i, (x, y) in enumerate(zip(left, right)) if x != y),
                          min(len(left), len(right)))
                self.fail(f"{a}.{name} ({len(left)} bytes) and {b}.{name} ({len(right)}) "
                          f"differ from byte {at} on")

    def assert_readable(self, name, killed=False):
        """Each file of an interrupted run is readable up to its end. A kill may cut off the last row."""
        whole = self.bytes_of(f"{name}.csv")
        self.path("whole-rows.csv").write_bytes(whole[:whole.rindex(b"\n") + 1] if killed else whole)
        header, rows = self.table("whole-rows.csv")
        self.assertGreater(len(rows), 1)
        self.assertEqual({len(row) for row in rows}, {len(header)})
        self.tumble("convert", f"{name}.tumble", "read.csv")
        self.assertGreater(len(self.table("read.csv")[1]), 1)

    def assert_whole_glb(self, name):
        data = self.bytes_of(name)
        self.assertEqual(struct.unpack("<I", data[8:12])[0], len(data))
        size = struct.unpack("<I", data[12:16])[0]
        document = json.loads(data[20:20 + size])
        self.assertLessEqual(document["buffers"][0]["byteLength"], len(data) - 28 - size)
        return document

    def test_5_seconds_resumed_to_10_equal_10_seconds(self):
        scene = self.scene(duration="10", fps="30")
        self.tumble("run", scene, *outputs("whole"))
        self.tumble("run", scene, "--duration", "5", *outputs("part"), "--checkpoint", "half")
        self.tumble("run", scene, "--resume", "half", *outputs("part"))
        self.assert_same("whole", "part")

    def test_a_run_of_any_duration_can_be_resumed(self):
        scene = self.scene(duration="3", fps="7")
        self.tumble("run", scene, *outputs("whole"))
        self.tumble("run", scene, "--duration", "0.1234567", *outputs("part"), "--checkpoint", "c")
        self.tumble("run", scene, "--duration", "1.7654321", *outputs("part"), "--resume", "c",
                    "--checkpoint", "c")
        self.tumble("run", scene, *outputs("part"), "--resume", "c")
        self.assert_same("whole", "part")

    def test_a_pendulum_that_hits_its_limits_can_be_resumed(self):
        scene = self.scene("""<scene><simulation duration="3" fps="60"/>
            <body name="upper" position="0.5 0 0"><box size="1 0.1 0.1"/></body>
            <body name="lower" position="1.5 0 0" velocity="0 1 0"><box size="1 0.1 0.1"/></body>
            <joint name="shoulder" type="hinge" b="upper" at="0 0 0" axis="0 0 1"/>
            <joint name="elbow" type="hinge" a="upper" b="lower" at="1 0 0" axis="0 0 1"
                   limits="-20deg 30deg" restitution="0.3"/>
            </scene>""", "pendulum.xml")
        self.tumble("run", scene, *outputs("whole"), "--summary", "whole.json")
        end = json.loads(self.path("whole.json").read_text())
        self.assertGreater(end["impacts"], 2)
        self.assertLess(end["max_joint_error"], 1e-12)
        self.assertIn("start velocity violates a joint", end["warnings"][0])
        for stop in ("0.31", "1.17"):
            self.tumble("run", scene, "--duration", stop, *outputs("part"), "--checkpoint", "c")
            self.tumble("run", scene, "--resume", "c", *outputs("part"), "--summary", "part.json")
            self.assert_same("whole", "part")
            part = json.loads(self.path("part.json").read_text())
            for key in ("impacts", "max_joint_error", "max_energy_drift", "warnings"):
                self.assertEqual(part[key], end[key], key)

    def test_a_stiff_joint_can_be_resumed_between_implicit_steps(self):
        scene = self.scene("""<scene><simulation duration="2" fps="60"/>
            <body name="arm" position="0.5 0 0"><box size="1 0.1 0.1"/></body>
            <joint name="hip" type="ball" b="arm" at="0 0 0" stiffness="1e5" damping="1e6"/>
            </scene>""", "stiff.xml")
        self.tumble("run", scene, *outputs("whole"), "--summary", "whole.json")
        end = json.loads(self.path("whole.json").read_text())
        self.assertGreater(end["implicit_steps"], 5)
        for stop in ("0.5", "1.2345"):
            self.tumble("run", scene, "--duration", stop, *outputs("part"), "--checkpoint", "c")
            self.tumble("run", scene, "--resume", "c", *outputs("part"), "--summary", "part.json")
            self.assert_same("whole", "part")
            self.assertEqual(json.loads(self.path("part.json").read_text())["implicit_steps"],
                             end["implicit_steps"])

    def test_a_run_resumed_into_a_new_file_writes_the_remaining_frames(self):
        scene = self.scene(duration="2", fps="10")
        self.tumble("run", scene, "-o", "whole.csv")
        self.tumble("run", scene, "--duration", "1", "-o", "first.csv", "--checkpoint", "c")
        self.tumble("run", scene, "--resume", "c", "-o", "rest.csv")
        whole, first, rest = (self.table(f"{n}.csv")[1] for n in ("whole", "first", "rest"))
        self.assertEqual(first + [row for row in rest if row[0] > first[-1][0]], whole)
        self.assertLessEqual(len(rest), 11)

    def test_ctrl_c_closes_the_files_exits_with_130_and_can_be_resumed(self):
        scene = self.scene()
        process = self.start("run", scene, *LONG, *outputs("part"), "--checkpoint", "c")
        self.wait_for_bytes(process, "part.csv", 100_000)
        process.send_signal(SIGINT)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assert_readable("part")
        rows = len(self.table("part.csv")[1])
        document = self.assert_whole_glb("part.glb")
        self.assertEqual({document["accessors"][s["output"]]["count"]
                          for s in document["animations"][0]["samplers"]}, {rows})
        self.assertLess(rows, 4000 * 50 + 1)
        duration = str((rows + 500) / 50)
        self.tumble("run", scene, *LONG, "--duration", duration, *outputs("whole"))
        self.tumble("run", scene, *LONG, "--duration", duration, *outputs("part"), "--resume", "c")
        self.assert_same("whole", "part", FORMATS)

    def test_a_killed_run_leaves_readable_files_and_resumes_from_its_last_checkpoint(self):
        scene = self.scene(duration="30", fps="30")
        self.tumble("run", scene, "--duration", "10", *outputs("part"), "--checkpoint", "c")
        process = self.start("run", scene, *LONG, "--fps", "30", *outputs("part"), "--resume", "c")
        self.wait_for_bytes(process, "part.csv", self.path("part.csv").stat().st_size + 200_000)
        process.send_signal(SIGKILL)
        process.communicate(timeout=30)
        self.assert_readable("part", killed=True)
        self.tumble("run", scene, *outputs("part"), "--resume", "c")
        self.tumble("run", scene, *outputs("whole"))
        self.assert_same("whole", "part", FORMATS)

    def test_repeated_kills_leave_whole_rows_except_the_last_one(self):
        scene = self.scene(fps="1000", duration="4000")
        for i in range(12):
            process = self.start("run", scene, *outputs("part"))
            self.wait_for_bytes(process, "part.csv", 1_500_000 + 300_000 * i)
            process.send_signal(SIGKILL)
            process.communicate(timeout=30)
            for name, separator in (("part.csv", b","), ("part.txt", b" "), ("part.log.csv", b",")):
                whole = self.bytes_of(name).rsplit(b"\n", 1)[0].split(b"\n")
                rows = [line for line in whole if not line.startswith(b"%")]
                self.assertEqual({row.count(separator) for row in rows}, {rows[-1].count(separator)}, name)
            self.tumble("convert", "--scene", scene, "part.csv", "read.tumble")

    def test_a_checkpoint_of_another_scene_or_a_broken_one_is_refused(self):
        scene = self.scene()
        self.tumble("run", scene, "--checkpoint", "c")
        other = self.scene('<scene name="other"><body name="b"><sphere radius="1"/></body></scene>',
                           "other.xml")
        self.tumble("run", other, "--resume", "c", "-o", "a.csv", status=(2, 3))
        data = self.bytes_of("c")
        for name, broken in {"short": data[: len(data) // 2], "empty": b"",
                             "noise": b"not a checkpoint"}.items():
            self.path(name).write_bytes(broken)
            self.tumble("run", scene, "--resume", name, "-o", "a.csv", status=(2, 3))
        self.tumble("run", scene, "--resume", "nowhere", "-o", "a.csv", status=(2, 3))
        self.assertFalse(self.path("a.csv").exists())

    def test_a_finished_run_that_is_resumed_changes_nothing(self):
        scene = self.scene()
        self.tumble("run", scene, *outputs("a"), "--checkpoint", "c")
        for name in (*FORMATS, "log.csv"):
            self.path(f"before.{name}").write_bytes(self.bytes_of(f"a.{name}"))
        self.tumble("run", scene, *outputs("a"), "--resume", "c")
        self.assert_same("before", "a")


if __name__ == "__main__":
    unittest.main()
