#!/usr/bin/env python3
"""`tumble run` as users see it: frames, files, summary, log, reproducible bytes, failures of outputs."""
import json
import math
import os
import resource
import struct
import unittest

from program import ProgramTest

SUMMARY_KEYS = """scene version method accuracy duration frames steps rejected_steps substeps holds freezes
handovers impacts max_contacts energy_start energy_end max_energy_gain max_energy_drift max_penetration
max_joint_error wall_seconds verify_seconds realtime_factor warnings""".split()
LOG_HEADER = "t,h,kinetic,potential,energy,px,py,pz,lx,ly,lz,contacts,max_penetration,max_joint_error,impacts"
FALL = """<scene name="fall"><body name="b" position="0 10 0" velocity="1 2 0" angular-velocity="0 3 0">\
<sphere radius="0.5"/></body></scene>"""


class Frames(ProgramTest):
    def test_there_are_round_duration_times_fps_plus_one_frames_at_k_over_fps(self):
        scene = self.scene()
        for duration, fps in [("1", "30"), ("0.99", "30"), ("0.5", "7"), ("1", "29.97"), ("0", "60"),
                              ("0.01", "60"), ("3.3", "0.5")]:
            self.tumble("run", scene, "--duration", duration, "--fps", fps, "-o", "a.csv", "--quiet")
            _, rows = self.table("a.csv")
            exact = float(duration) * float(fps)
            self.assertEqual(len(rows), math.floor(exact + 0.5) + 1, f"{duration} s at {fps}")
            self.assertEqual([row[0] for row in rows], [k / float(fps) for k in range(len(rows))])

    def test_flags_override_the_scene(self):
        self.tumble("run", self.scene(duration="2", fps="10"), "-o", "a.csv")
        self.assertEqual(len(self.table("a.csv")[1]), 21)
        self.tumble("run", "pair.xml", "--duration", "1", "-o", "a.csv")
        self.assertEqual(len(self.table("a.csv")[1]), 11)

    def test_a_falling_body_is_where_the_textbook_says(self):
        self.tumble("run", self.scene(FALL), "--duration", "2", "--fps", "10", "-o", "a.csv")
        for row in self.table("a.csv")[1]:
            self.assertTrue(all(map(math.isfinite, row)), row)
            t, x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz = row
            # The default accuracy 1e-6 bounds the error. Polynomials and a steady spin are far better.
            for got, exact in [(x, t), (y, 10 + 2 * t - 9.81 / 2 * t * t), (z, 0), (vx, 1),
                               (vy, 2 - 9.81 * t), (vz, 0), (wx, 0), (wy, 3), (wz, 0)]:
                self.assert_close(got, exact, 1e-6 * 30)
            self.assert_close(math.hypot(qw, qx, qy, qz), 1, 1e-14)
            self.assert_close(abs(qw * math.cos(1.5 * t) + qy * math.sin(1.5 * t)), 1, 1e-10)

    def test_the_text_for_octave_has_the_same_numbers(self):
        self.tumble("run", self.scene(), "-o", "a.csv", "-o", "a.txt")
        lines = [line for line in self.path("a.txt").read_text().splitlines() if line and line[0] not in "#%"]
        numbers = [[float(word) for word in line.replace(",", " ").split()] for line in lines]
        self.assertEqual(numbers, self.table("a.csv")[1])

    def test_numbers_are_written_so_that_they_read_back_exactly(self):
        self.tumble("run", self.scene(), "-o", "a.csv", "--duration", "0.1")
        cells = self.path("a.csv").read_text().splitlines()[-1].split(",")
        self.assertTrue(any(len(c.lstrip("-0.").replace(".", "").split("e")[0]) >= 16 for c in cells), cells)

    def test_the_glb_is_one_whole_container_with_our_animation(self):
        self.tumble("run", self.scene(), "-o", "a.glb")
        data = self.bytes_of("a.glb")
        magic, version, length = struct.unpack("<III", data[:12])
        self.assertEqual((magic, version, length), (0x46546C67, 2, len(data)))
        size, kind = struct.unpack("<II", data[12:20])
        self.assertEqual(kind, 0x4E4F534A)
        document = json.loads(data[20:20 + size])
        animation = document["animations"][0]
        self.assertEqual(animation["name"], "tumble")
        self.assertEqual({document["nodes"][c["target"]["node"]]["name"] for c in animation["channels"]},
                         {"stone", "ball"})
        for sampler in animation["samplers"]:
            self.assertEqual(document["accessors"][sampler["output"]]["count"], 31)


class Reports(ProgramTest):
    def test_summary_has_every_key(self):
        self.tumble("run", self.scene(), "--summary", "s.json", "-o", "a.csv")
        summary = json.loads(self.path("s.json").read_text())
        self.assertEqual([key for key in SUMMARY_KEYS if key not in summary], [])
        self.assertEqual((summary["frames"], summary["duration"], summary["method"]), (31, 1, "precise"))
        self.assertEqual(summary["accuracy"], 1e-6)
        self.assertEqual((summary["impacts"], summary["max_contacts"]), (0, 0))
        # the diameter of the ball, which may penetrate the stone
        self.assertLess(summary["max_penetration"], 0.2)
        self.assertIsInstance(summary["warnings"], list)
        self.assertGreater(summary["steps"], 0)

    def test_energy_is_conserved_and_the_summary_reports_it(self):
        self.tumble("run", self.scene(FALL), "--duration", "2", "--summary", "s.json", "--log", "l.csv")
        summary = json.loads(self.path("s.json").read_text())
        self.assertLess(summary["max_energy_drift"], 1e-6)
        self.assertLess(summary["max_energy_gain"], 1e-6)
        header, rows = self.table("l.csv")
        mass = 1000 * 4 / 3 * math.pi * 0.5**3
        for row in rows:
            at = dict(zip(header, row))
            self.assert_close(at["kinetic"] + at["potential"], at["energy"], 1e-9 * mass * 100)
            self.assert_close(at["energy"], rows[0][4], 1e-6 * mass * 200)
            self.assert_close(at["px"], mass, 1e-9 * mass)
            self.assert_close(at["py"], mass * (2 - 9.81 * at["t"]), 1e-6 * mass)

    def test_the_log_has_the_promised_columns_and_begins_at_t_0(self):
        self.tumble("run", self.scene(), "--log", "l.csv")
        text = self.path("l.csv").read_text()
        self.assertTrue(text.startswith(LOG_HEADER), text[:200])
        _, rows = self.table("l.csv")
        times = [row[0] for row in rows]
        self.assertEqual(times, sorted(set(times)))
        self.assertEqual(times[0], 0)
        self.assertGreaterEqual(times[-1], 1)

    def test_stdout_stays_empty_and_a_pipe_gets_no_progress_bar(self):
        done = self.tumble("run", self.scene(), "-o", "a.csv", "--quiet")
        self.assertEqual((done.stdout, done.stderr), ("", ""))
        done = self.tumble("run", self.scene(), "-o", "a.csv")
        self.assertNotIn("\r", done.stderr + done.stdout)
        self.assertNotIn("\x1b", done.stderr + done.stdout)

    def test_estimate_error_reports_a_small_difference(self):
        self.tumble("run", self.scene(), "-o", "a.csv", "--estimate-error", "--summary", "s.json")
        self.assertRegex(self.path("s.json").read_text(), r"error")

    def test_every_integrator_runs_and_a_worse_one_is_worse(self):
        scene = self.scene("""<scene name="spin"><world gravity="0 0 0"/>
            <body name="b" angular-velocity="0.1 6 0.1"><box size="0.1 0.2 0.3"/></body></scene>""")
        self.tumble("run", scene, "--duration", "1", "--fps", "10", "--accuracy", "1e-11", "-o", "exact.csv")
        exact = self.table("exact.csv")[1][-1]
        errors = {}
        for integrator in ("dopri8", "dopri5", "cash-karp", "rk4", "euler"):
            self.tumble("run", scene, "--duration", "1", "--fps", "10", "--integrator", integrator,
                        "--step", "0.01", "-o", "a.csv")
            last = self.table("a.csv")[1][-1]
            errors[integrator] = max(abs(a - b) for a, b in zip(last, exact))
        self.assertLess(errors["dopri8"], 1e-8)
        self.assertLess(errors["rk4"], 1e-4)
        self.assertGreater(errors["euler"], 1e-3)
        self.assertGreater(errors["euler"], 100 * errors["rk4"])


class SameBytes(ProgramTest):
    def test_a_repeated_run_and_any_number_of_threads_give_the_same_bytes(self):
        scene = self.scene()
        names = ["csv", "txt", "glb", "tumble"]
        self.tumble("run", scene, *[w for n in names for w in ("-o", f"a.{n}")], "--log", "a.log.csv")
        for threads in ("1", "2", "3", "8"):
            self.tumble("run", scene, "--threads", threads, *[w for n in names for w in ("-o", f"b.{n}")],
                        "--log", "b.log.csv")
            for name in names + ["log.csv"]:
                self.assertEqual(self.bytes_of(f"a.{name}"), self.bytes_of(f"b.{name}"),
                                 f"{name}, {threads} threads")

    def test_more_output_files_do_not_change_the_motion(self):
        scene = self.scene()
        self.tumble("run", scene, "-o", "a.csv")
        self.tumble("run", scene, "-o", "b.csv", "-o", "b.glb", "--log", "l.csv", "--summary", "s.json",
                    "--checkpoint", "c", "--profile", "--verify", "steps")
        self.assertEqual(self.bytes_of("a.csv"), self.bytes_of("b.csv"))

    def test_more_frames_do_not_change_the_motion(self):
        self.tumble("run", self.scene(), "--fps", "10", "-o", "a.csv")
        self.tumble("run", self.scene(), "--fps", "20", "-o", "b.csv")
        self.assertEqual(self.table("a.csv")[1], self.table("b.csv")[1][::2])


class Verify(ProgramTest):
    """An independent checker measures penetration, which the precise method does not prevent."""

    # A ball falls from rest. Its lowest point starts 1 m above a half-space and is 0.5 g t^2 - 1 below it
    # at t.
    FALL = """<scene><simulation duration="1" fps="20" method="precise"/><world gravity="0 -10 0"/>
        <body name="ground" fixed="true"><plane normal="0 1 0"/></body>
        <body name="ball" position="0 1.5 0"><sphere radius="0.5"/></body></scene>"""

    def run_verified(self, where, *more):
        self.tumble("run", self.scene(self.FALL), "--verify", where, "-o", f"{where}.csv",
                    "--log", f"{where}.log.csv",
                    "--summary", f"{where}.json", *more)
        return json.loads(self.path(f"{where}.json").read_text())

    def test_the_summary_reports_the_largest_penetration(self):
        for where in ("frames", "steps"):
            summary = self.run_verified(where)
            self.assert_close(summary["max_penetration"], 4, 1e-6)
            self.assertGreater(summary["verify_seconds"], 0)
        summary = self.run_verified("off")
        self.assertEqual((summary["max_penetration"], summary["verify_seconds"]), (0, 0))
        self.tumble("run", self.scene(self.FALL.replace("fps", "verify='off' fps")), "--summary", "s.json")
        self.assertEqual(json.loads(self.path("s.json").read_text())["max_penetration"], 0)

    def test_verification_does_not_change_the_motion(self):
        for where in ("off", "frames", "steps"):
            self.run_verified(where)
        self.assertEqual(self.bytes_of("off.csv"), self.bytes_of("frames.csv"))
        self.assertEqual(self.bytes_of("off.csv"), self.bytes_of("steps.csv"))

    def test_a_log_row_has_the_largest_penetration_since_the_row_before(self):
        self.run_verified("steps")
        header, rows = self.table("steps.log.csv")
        at = [dict(zip(header, row)) for row in rows]
        for row in at:
            self.assert_close(row["max_penetration"], max(0, 5 * row["t"] ** 2 - 1), 1e-6)
        self.run_verified("frames")
        frames = [k / 20 for k in range(21)]
        header, rows = self.table("frames.log.csv")
        before = -1
        for row in (dict(zip(header, row)) for row in rows):
            seen = [t for t in frames if before < t <= row["t"]]
            deepest = max([max(0, 5 * t * t - 1) for t in seen], default=0)
            self.assert_close(row["max_penetration"], deepest, 1e-6)
            before = row["t"]

    def test_ignored_pairs_are_not_verified(self):
        text = self.FALL.replace("</scene>", "<ignore a='ball' b='ground'/></scene>")
        self.tumble("run", self.scene(text), "--summary", "s.json")
        self.assertEqual(json.loads(self.path("s.json").read_text())["max_penetration"], 0)

    def test_a_resumed_run_reports_the_same_penetration(self):
        for where in ("frames", "steps"):
            whole = self.run_verified(where)
            files = ["--verify", where, "-o", "part.csv", "--log", "part.log.csv", "--summary", "part.json"]
            for more in (["--duration", "0.31", "--checkpoint", "c"],
                         ["--duration", "0.63", "--resume", "c", "--checkpoint", "c"],
                         ["--resume", "c"]):
                self.tumble("run", self.scene(self.FALL), *files, *more)
            self.assertEqual(self.bytes_of("part.log.csv"), self.bytes_of(f"{where}.log.csv"))
            self.assertEqual(json.loads(self.path("part.json").read_text())["max_penetration"],
                             whole["max_penetration"])


class Attributes(ProgramTest):
    """Every flag of run is also an attribute of <simulation>. The flag overrides the attribute."""

    def scene_with(self, attributes, name="with.xml"):
        simulation = f"\n<simulation duration='1' fps='10' {attributes}/>\n"
        return self.scene(FALL.replace("<body", simulation + "<body", 1), name)

    def test_files_are_written_relative_to_the_current_folder(self):
        self.path("deep").mkdir()
        self.scene_with("log='l.csv' summary='s.json' checkpoint='c'", "deep/with.xml")
        self.tumble("run", "deep/with.xml")
        self.assertEqual(self.files(), ["c", "deep", "l.csv", "s.json"])
        self.tumble("run", "deep/with.xml", "--log", "other.csv", "--summary=", "--checkpoint", "")
        self.assertEqual(self.files(), ["c", "deep", "l.csv", "other.csv", "s.json"])
        self.assertEqual(self.bytes_of("l.csv"), self.bytes_of("other.csv"))

    def test_switches_are_on_unless_a_flag_switches_them_off(self):
        scene = self.scene_with("quiet='true' estimate-error='true' summary='s.json'")
        self.assertEqual(self.tumble("run", scene).stderr, "")
        self.assertIn("error_estimate", json.loads(self.path("s.json").read_text()))
        self.assertIn("1 s in", self.tumble("run", scene, "--quiet=false", "--estimate-error=false").stderr)
        self.assertNotIn("error_estimate", json.loads(self.path("s.json").read_text()))
        self.tumble("run", scene, "--quiet=maybe", status=2)
        words = self.tumble("run", self.scene_with("verbose='true' profile='true'")).stderr
        self.assertIn("time scale", words)
        self.assertIn("profile:", words)

    def test_the_resume_attribute_continues_a_run(self):
        scene = self.scene_with("checkpoint='c' resume='c'")
        self.tumble("run", scene, status=2)  # there is no checkpoint yet
        self.tumble("run", scene, "--resume=", "-o", "a.csv")
        self.tumble("run", scene, "--duration", "2", "-o", "a.csv")
        self.tumble("run", scene, "--duration", "2", "--resume=", "-o", "b.csv")
        self.assertEqual(self.bytes_of("a.csv"), self.bytes_of("b.csv"))

    def test_conflicting_attributes_are_reported_with_their_line_unless_a_flag_overrides_them(self):
        for attributes, word, flags in [
                ("method='fast' integrator='dopri5'", "--method precise", ["--method", "precise"]),
                ("integrator='rk4'", "step", ["--integrator", "dopri5"]),
                ("contacts='c.csv'", "contacts", ["--contacts="]),
                ("step='1e-300'", "longer", ["--step", "0.1"]),
                ("estimate-error='true' resume='c'", "whole runs", ["--estimate-error=false", "--resume="]),
                ("estimate-error='true' accuracy='1e-13'", "finer", ["--accuracy", "1e-8"])]:
            with self.subTest(attributes=attributes):
                scene = self.scene_with(attributes)
                for verb in ("check", "run"):
                    words = self.tumble(verb, scene, status=3).stderr
                    self.assertRegex(words, r"^with\.xml:2:\d+: .*" + word)
                self.tumble("run", scene, *flags)
        scene = self.scene_with("method='fast' integrator='dopri5'")
        report = json.loads(self.tumble("check", "--json", scene, status=3).stdout)
        self.assertEqual((report["ok"], report["errors"][0]["line"]), (False, 2))

    def test_flag_and_attribute_have_the_same_bounds(self):
        for name, good, bad in [("accuracy", ["1e-13", "0.1"], ["0.9e-13", "0.11", "0", "-1"]),
                                ("threads", ["1", "1024"], ["0", "1025"]), ("fps", ["0.5"], ["0", "-1"]),
                                ("duration", ["0"], ["-1"]), ("step", ["0.1"], ["0"]),
                                ("verify", ["off"], ["no"])]:
            for value in good + bad:
                with self.subTest(name=name, value=value):
                    plain = self.scene(FALL, "plain.xml")
                    self.tumble("run", plain, "--duration", "0.1", f"--{name}", value,
                                status=0 if value in good else 2)
                    text = FALL.replace("<body", f"<simulation {name}='{value}'/><body", 1)
                    self.tumble("check", self.scene(text, "with.xml"), status=0 if value in good else 3)


class Outputs(ProgramTest):
    def test_an_output_that_cannot_be_opened_is_reported_before_the_run(self):
        scene = self.scene(duration="100000")  # would take a long time
        self.path("folder.csv").mkdir()
        for flag, name in [("-o", "no/such/a.csv"), ("-o", "no/such/a.glb"), ("-o", "no/such/a.tumble"),
                           ("-o", "no/such/a.txt"), ("-o", "folder.csv"),
                           ("--log", "no/such/l.csv"), ("--summary", "no/such/s.json"),
                           ("--checkpoint", "no/such/c")]:
            with self.subTest(output=name):
                done = self.tumble("run", scene, flag, name, status=2)
                self.assertIn(name, done.stderr)
        self.assertEqual(self.files(), ["folder.csv", "pair.xml"])

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_a_full_disk_is_a_failed_run(self):
        scene = self.scene(duration="20", fps="100")
        for suffix in ("csv", "txt", "tumble", "glb"):
            os.symlink("/dev/full", self.path(f"full.{suffix}"))
            # A format that writes a header before the run fails then, as an output that cannot be opened.
            done = self.tumble("run", scene, "-o", f"full.{suffix}", status=(1, 2) if suffix == "glb" else 1)
            self.assertIn(f"full.{suffix}", done.stderr)

    def test_a_run_fails_if_a_file_cannot_grow_and_its_content_stays_readable(self):
        scene = self.scene(duration="100", fps="100")
        limit = 200_000
        for suffix in ("csv", "txt", "tumble", "glb"):
            with self.subTest(format=suffix):
                done = self.tumble("run", scene, "-o", f"a.{suffix}", status=(1, 2) if suffix == "glb" else 1,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                                         (limit, limit)))
                self.assertRegex(done.stderr, rf"a\.{suffix}.*(large|contain)")
                self.assertNotIn("Traceback", done.stderr)
                if suffix == "glb":  # has its whole size from the beginning: it is not begun
                    self.assertFalse(self.path("a.glb").exists())
                else:
                    self.assertLessEqual(self.path(f"a.{suffix}").stat().st_size, limit)
        for name in ("a.csv", "a.txt"):  # whole rows, as many as fit
            self.assertTrue(self.bytes_of(name).endswith(b"\n"))
            self.assertGreater(len(self.bytes_of(name)), limit - 2000)
        self.tumble("convert", "a.tumble", "read.csv")
        self.assertGreater(len(self.table("read.csv")[1]), 300)

    def test_the_same_file_twice_is_a_usage_error(self):
        self.tumble("run", self.scene(), "-o", "a.csv", "-o", "a.csv", status=2)

    def test_a_run_needs_no_outputs(self):
        self.tumble("run", self.scene())
        self.assertEqual(self.files(), ["pair.xml"])


if __name__ == "__main__":
    unittest.main()
