#!/usr/bin/env python3
"""Bodies in contact as users see them: the fast method, its output of contacts, the choice of the method."""
import csv
import json
import math
import unittest

from program import ProgramTest

G = 9.81
FLOOR = '<body name="floor" fixed="true"><plane normal="{normal}" material="stuff"/></body>'
BOX = ('<body name="box" position="{at}" rotate="0 0 1 {angle}" {more}>'
       '<box size="0.4 0.2 0.3" material="stuff"/></body>')
MASS = 0.4 * 0.2 * 0.3 * 500


def box_scene(height=0.0, slope=0.0, friction=0.5, restitution=0.0, duration=1, options="", velocity=0.0,
              more=""):
    """A box above a plane that slopes down towards +x by `slope` (degrees)."""
    s, c = math.sin(math.radians(slope)), math.cos(math.radians(slope))
    up = 0.1 + height
    return (f'<scene><simulation duration="{duration}" fps="60" {options}/>'
            f'<material name="stuff" density="500" friction="{friction}" restitution="{restitution}"/>'
            + FLOOR.format(normal=f"{s!r} {c!r} 0")
            + BOX.format(at=f"{up * s!r} {up * c!r} 0", angle=f"{-slope!r}deg",
                         more=f'velocity="{velocity * c!r} {-velocity * s!r} 0"') + more + "</scene>")


# Corners, edges and curved surfaces. The bodies fall, collide, roll and come to rest.
HEAP = """<scene name="heap"><simulation duration="1.2" fps="50"/>
  <material name="stuff" density="500" friction="0.4" restitution="0.3"/>
  <body name="floor" fixed="true"><plane normal="0 1 0" material="stuff"/></body>
  <body name="post" fixed="true" position="0.05 0.2 0"><box size="0.1 0.4 0.1" material="stuff"/></body>
  <body name="box" position="0 0.7 0" rotate="1 2 3 40deg"><box size="0.3 0.2 0.1" material="stuff"/></body>
  <body name="ball" position="0.05 1.0 0.02" velocity="0 -1 0.1"><sphere radius="0.08" material="stuff"/>
  </body>
  <body name="tin" position="-0.3 0.3 0.1" angular-velocity="1 2 3">
    <cylinder radius="0.07" length="0.2" material="stuff"/></body>
</scene>"""


class ContactTest(ProgramTest):
    def run_scene(self, text, *more):
        self.tumble("run", self.scene(text), "-o", "out.csv", "--summary", "s.json", *more)
        return json.loads(self.path("s.json").read_text())

    def frames(self, name="out.csv"):
        header, rows = self.table(name)
        return [dict(zip(header, row)) for row in rows]

    def contacts(self, name="c.csv"):
        """Rows of --contacts, grouped by the time of their frame."""
        frames = {}
        with open(self.path(name), newline="") as file:
            for row in csv.DictReader(file):
                row = {k: v if k in ("a", "b", "state") else float(v) for k, v in row.items()}
                frames.setdefault(row["t"], []).append(row)
        return frames


class Boxes(ContactTest):
    def test_a_box_falls_and_rests(self):
        summary = self.run_scene(box_scene(height=0.5, duration=2), "--verify", "steps", "--log", "l.csv")
        self.assertEqual(summary["method"], "fast")
        self.assertEqual(summary["accuracy"], 1e-3)
        self.assertEqual((summary["max_penetration"], summary["holds"], summary["freezes"],
                          summary["warnings"]), (0, 0, 0, []))
        self.assertEqual(summary["max_contacts"], 4)
        self.assertGreater(summary["factorisations"], summary["steps"] // 2)
        self.assertLess(summary["max_contact_residual"], 1e-6)
        self.assertLess(summary["max_energy_gain"], 1e-3)
        # All potential energy of the fall is dissipated.
        self.assert_close(summary["energy_start"] - summary["energy_end"], MASS * G * 0.5, 1e-3 * MASS * G)
        end = self.frames()[-1]
        radius = math.hypot(0.2, 0.1, 0.15)
        # the contact offset is a hundredth of the accuracy
        self.assert_close(end["box.y"], 0.1, 2e-5 * radius)
        for column in ("vx", "vy", "vz", "wx", "wy", "wz"):
            self.assert_close(end[f"box.{column}"], 0, 1e-6, column)
        header, rows = self.table("l.csv")
        last = dict(zip(header, rows[-1]))
        self.assertEqual((last["contacts"], last["impacts"]), (4, summary["impacts"]))

    def test_frames_between_steps_are_interpolated(self):
        """Free fall: positions within a step are on a chord of the parabola, at most g h^2 / 8 from it."""
        self.run_scene(box_scene(height=2, duration=0.5), "--fps", "1000", "--step", "0.03")
        for frame in self.frames():
            t = frame["t"]
            self.assert_close(frame["box.y"], 2.1 - G * t * t / 2, G * 0.03 ** 2 / 8 + 1e-12, f"at {t}")
            self.assert_close(frame["box.vy"], -G * t, 1e-12, f"at {t}")

    def test_more_frames_do_not_change_the_motion(self):
        self.tumble("run", self.scene(HEAP), "--fps", "10", "-o", "a.csv")
        self.tumble("run", self.scene(HEAP), "--fps", "20", "-o", "b.csv")
        self.assertEqual(self.table("a.csv")[1], self.table("b.csv")[1][::2])

    def test_the_error_estimate_compares_with_a_finer_fast_run(self):
        summary = self.run_scene(box_scene(slope=40, friction=0.3, velocity=1, duration=0.5),
                                 "--estimate-error")
        # The accuracy bounds the error per time scale, and the run has three of them.
        self.assertGreater(summary["error_estimate"]["max_position_error"], 0)
        self.assertLess(summary["error_estimate"]["max_position_error"], 4e-3)

    def test_the_precise_method_warns_that_it_has_no_contact(self):
        done = self.tumble("run", self.scene(box_scene(height=0.1)), "--method", "precise",
                           "--summary", "s.json")
        self.assertIn("contact is not simulated by the precise method", done.stderr)
        self.assertGreater(json.loads(self.path("s.json").read_text())["max_penetration"], 1)

    def test_the_energy_balance_includes_the_work_of_a_force(self):
        """Without contact, energy minus work is constant up to rounding: constant forces are exact."""
        more = '<force body="box" value="3 200 2"/>'
        summary = self.run_scene(box_scene(height=1, more=more), "--log", "l.csv")
        self.assertLess(summary["max_energy_drift"], 1e-12)
        header, rows = self.table("l.csv")
        last = dict(zip(header, rows[-1]))
        force = [c for c in header if c.startswith("work.")][0]
        end = self.frames()[-1]
        done = 3 * end["box.x"] + 200 * (end["box.y"] - 1.1) + 2 * end["box.z"]
        self.assert_close(last[force], done, 1e-9 * done)


class Contacts(ContactTest):
    def test_the_columns(self):
        self.run_scene(box_scene(), "--contacts", "c.csv")
        with open(self.path("c.csv")) as file:
            header = file.readline().strip()
        self.assertTrue(header.startswith("t,a,b,x,y,z,nx,ny,nz,gap,jn,jx,jy,jz,slip,state"), header)

    def test_contact_impulses_carry_a_box_at_rest(self):
        self.run_scene(box_scene(), "--contacts", "c.csv")
        frames = self.contacts()
        self.assertEqual(len(frames), 60)  # no impulses before the first frame
        for t, rows in list(frames.items())[10:]:
            self.assertEqual({(r["a"], r["b"], r["state"], r["patch"]) for r in rows},
                             {("floor", "box", "stick", 1)})
            # n points from b to a, that is down, and the box presses the floor down.
            self.assertEqual({(r["nx"], r["ny"], r["nz"]) for r in rows}, {(0, -1, 0)})
            self.assert_close(sum(r["jn"] for r in rows), MASS * G / 60, 1e-6 * MASS * G, f"at {t}")
            self.assert_close(sum(r["jy"] for r in rows), -MASS * G / 60, 1e-6 * MASS * G, f"at {t}")
            for r in rows:
                self.assert_close(r["patch_jy"], -MASS * G / 60, 1e-6 * MASS * G)
                self.assert_close(r["patch_x"], 0, 1e-6)
                self.assert_close(r["patch_z"], 0, 1e-6)
                self.assert_close(r["patch_moment"], 0, 1e-6)
                self.assert_close(r["slip"], 0, 1e-9)

    def test_friction_on_a_sliding_box_opposes_its_motion(self):
        self.run_scene(box_scene(slope=40, friction=0.3, velocity=1), "--contacts", "c.csv")
        s, c = math.sin(math.radians(40)), math.cos(math.radians(40))
        for t, rows in list(self.contacts().items())[10:]:
            self.assertEqual({r["state"] for r in rows}, {"slip"})
            normal, along = sum(r["jn"] for r in rows), sum(r["jx"] * c - r["jy"] * s for r in rows)
            self.assert_close(normal, MASS * G * c / 60, 1e-3 * normal)
            # the friction on the floor is along the motion of the box
            self.assert_close(along / normal, 0.3, 1e-6)
            for r in rows:
                self.assert_close(r["slip"], 1 + G * (s - 0.3 * c) * t, 0.1)

    def test_an_impact_is_written_with_its_whole_impulse(self):
        """A ball that bounces with restitution 1/2 gets 1.5 m v."""
        scene = box_scene(height=0.5, restitution=0.5).replace('<box size="0.4 0.2 0.3"',
                                                               '<sphere radius="0.1"')
        self.run_scene(scene, "--contacts", "c.csv", "--duration", "0.4")
        hits = [r for rows in self.contacts().values() for r in rows if r["state"] == "impact"]
        self.assertEqual(len(hits), 1)
        mass, fall = 500 * 4 / 3 * math.pi * 1e-3, math.sqrt(2 * G * 0.5)
        self.assert_close(hits[0]["jn"], 1.5 * mass * fall, 1e-3 * mass * fall)

    def test_impulses_and_gravity_sum_to_the_change_of_momentum(self):
        """Checked between consecutive frames of a box that falls on its corner, tumbles and comes to rest."""
        scene = box_scene(height=0.5).replace('rotate="0 0 1', 'rotate="1 2 3').replace("-0.0deg", "40deg")
        self.run_scene(scene, "--contacts", "c.csv", "--fps", "60")
        self.assertIn("40deg", scene)
        contacts, frames = self.contacts(), self.frames()
        for before, after in zip(frames, frames[1:]):
            for k in "xyz":
                passed = -sum(r[f"j{k}"] for r in contacts.get(after["t"], []))
                weight = MASS * G if k == "y" else 0
                change = MASS * (after[f"box.v{k}"] - before[f"box.v{k}"]) + weight / 60
                self.assert_close(passed, change, 1e-6 * MASS * 3, f"{k} at {after['t']}")


class Resumed(ContactTest):
    def test_a_heap_resumed_at_any_time_has_the_same_bytes(self):
        scene = self.scene(HEAP)

        def files(name):
            return ["-o", f"{name}.csv", "-o", f"{name}.tumble", "--log", f"{name}.log.csv",
                    "--contacts", f"{name}.contacts.csv",
                    "--summary", f"{name}.json"]

        self.tumble("run", scene, *files("whole"))
        whole = json.loads(self.path("whole.json").read_text())
        self.assertGreater(whole["impacts"], 3)
        for stop in ("0.0", "0.2", "0.5123", "0.9"):
            with self.subTest(stop=stop):
                self.tumble("run", scene, "--duration", stop, *files("part"), "--checkpoint", "c")
                self.tumble("run", scene, "--resume", "c", *files("part"))
                for name in ("csv", "tumble", "log.csv", "contacts.csv"):
                    self.assertEqual(self.bytes_of(f"part.{name}"), self.bytes_of(f"whole.{name}"),
                                     f"{name} after {stop} s")
                part = json.loads(self.path("part.json").read_text())
                for key in ("steps", "substeps", "impacts", "max_contacts", "factorisations",
                            "max_contact_residual", "max_energy_gain"):
                    self.assertEqual(part[key], whole[key], key)


class Soft(ContactTest):
    def test_a_compliant_floor_is_compressed_by_the_weight_and_its_energy_is_in_the_balance(self):
        soft = '<contact a="stuff" b="stuff" stiffness="5kN/m" damping="{}" layer="2cm"/>'
        summary = self.run_scene(box_scene(duration=3, more=soft.format("100N*s/m")), "--contacts", "c.csv",
                                 "--verify", "steps")
        self.assertEqual((summary["max_penetration"], summary["holds"], summary["warnings"]), (0, 0, []))
        offset = 1e-5 * math.hypot(0.2, 0.1, 0.15)
        last = self.contacts()[3.0]
        self.assertEqual(len(last), 4)
        for point in last:
            self.assert_close(point["gap"], offset + 0.02 - MASS * G / 4 / 5e3, 1e-7)
            self.assertEqual(point["state"], "stick")
        # Without damping it oscillates. 13 times it crosses the edge of the layer or turns there, and each of
        # these may change the energy by (h w)^2 = 0.0017 of it.
        summary = self.run_scene(box_scene(duration=1, more=soft.format("0")), "--log", "l.csv",
                                 "--step", "1e-3")
        self.assertLess(summary["max_energy_gain"], 2e-3)
        header, rows = self.table("l.csv")
        energy = [row[header.index("energy")] for row in rows]
        self.assertLess(max(energy) - min(energy), 0.03 * max(row[header.index("kinetic")] for row in rows))


class Reactions(ContactTest):
    # A load is welded to a box that falls a little and comes to rest. A flap swings from a pin.
    SCENE = box_scene(height=0.02, duration=1, more="""
      <body name="load" position="0 0.4 0"><inertia mass="3" moments="0.1 0.1 0.1"/></body>
      <body name="flap" position="1 0 0.2"><inertia mass="2" moments="0.1 0.1 0.1"/></body>
      <joint name="weld" type="fixed" a="box" b="load" at="0 0.3 0"/>
      <joint name="pin" type="ball" b="flap" at="1 0.5 0"/>""")

    def test_joint_forces_account_for_the_change_of_momenta_including_the_impact(self):
        self.run_scene(self.SCENE, "--method", "fast", "--reactions", "r.csv")
        frames, forces = self.frames(), self.frames("r.csv")
        self.assertEqual(list(forces[0]), ["t"] + [f"{joint}.{part}" for joint in ("weld", "pin")
                                                   for part in ("fx", "fy", "fz", "tx", "ty", "tz",
                                                                "effort")])
        hit = 0
        for before, now, force in zip(frames, frames[1:], forces[1:]):
            for joint, body, mass in (("weld", "load", 3), ("pin", "flap", 2)):
                for axis, g in (("x", 0), ("y", -G), ("z", 0)):
                    change = (now[f"{body}.v{axis}"] - before[f"{body}.v{axis}"]) / (now["t"] - before["t"])
                    # Contacts are solved to 1e-8. Impulses of 2 N s in 1/60 s are forces of 120 N.
                    self.assert_close(force[f"{joint}.f{axis}"] + mass * g, mass * change, 1e-4,
                                      f"{joint} at {now['t']}")
            hit = max(hit, force["weld.fy"])
        # The impact takes at least the speed of the fall at the start of its frame.
        self.assertGreater(hit, 3 * (math.sqrt(2 * G * 0.02) - G / 60) * 60)
        self.assert_close(forces[-1]["weld.fy"], 3 * G, 1e-4)
        self.assert_close(forces[0]["weld.fy"], 0, 1e-6)  # it is in free fall

    def test_resumed_reactions_have_the_same_bytes(self):
        scene = self.scene(self.SCENE)
        self.tumble("run", scene, "--reactions", "whole.csv")
        for stop in ("0.0", "0.05", "0.613"):
            self.tumble("run", scene, "--duration", stop, "--reactions", "part.csv", "--checkpoint", "c")
            self.tumble("run", scene, "--resume", "c", "--reactions", "part.csv")
            self.assertEqual(self.bytes_of("whole.csv"), self.bytes_of("part.csv"), stop)


class Choice(ContactTest):
    def chosen(self, text, *flags):
        info = json.loads(self.tumble("info", self.scene(text), "--json", *flags).stdout)
        return info["chosen"], info["reasons"]

    def test_auto_chooses_fast_if_bodies_can_collide_and_explains_how_to_change_it(self):
        chosen, reasons = self.chosen(box_scene())
        self.assertEqual((chosen["method"], chosen["accuracy"], chosen["integrator"]),
                         ("fast", 1e-3, "leapfrog"))
        self.assertIn("bodies can collide", reasons["method"])
        self.assertIn("--method", reasons["method"])
        self.assertIn("fast", self.tumble("info", self.scene(box_scene())).stdout)
        # A sixtieth of a second is a multiple of the step.
        self.assert_close(1 / 60 / chosen["step"] % 1, 0, 1e-9)

    def test_auto_chooses_precise_if_no_bodies_can_collide(self):
        for more in ('<ignore a="box" b="floor"/>', ""):
            text = box_scene(more=more)
            if not more:
                text = text.replace('material="stuff"/></body>', 'material="stuff" collide="false"/></body>',
                                    1)
            chosen, reasons = self.chosen(text)
            self.assertEqual((chosen["method"], chosen["accuracy"], chosen["integrator"]),
                             ("precise", 1e-6, "dopri8"))
            self.assertIn("no two bodies can collide", reasons["method"])

    def test_a_requested_method_is_used(self):
        chosen, reasons = self.chosen(box_scene(), "--method", "precise")
        self.assertEqual((chosen["method"], chosen["accuracy"]), ("precise", 1e-6))
        self.assertIn("asked for", reasons["method"])
        chosen, _ = self.chosen(box_scene(options='method="fast" accuracy="1e-4"'))
        self.assertEqual((chosen["method"], chosen["accuracy"]), ("fast", 1e-4))

    def test_conflicting_flags_are_reported(self):
        for text, flags, word in [(box_scene(), ["--method", "fast", "--integrator", "dopri5"], "precise"),
                                  (box_scene(), ["--method", "precise", "--contacts", "c.csv"],
                                   "--method fast"),
                                  (box_scene(more='<ignore a="box" b="floor"/>'), ["--contacts", "c.csv"],
                                   "no two bodies")]:
            with self.subTest(flags=flags):
                words = self.tumble("run", self.scene(text), *flags, "-o", "out.csv", status=2).stderr
                self.assertIn(word, words)
                self.assertFalse(self.path("out.csv").exists())

    def test_the_fast_method_has_limits_of_joints(self):
        limited = box_scene(height=0.5, more='<joint name="hinge" type="hinge" b="box" at="0 0.6 0" '
                                             'axis="0 0 1" limits="-1 1"/>')
        chosen, _ = self.chosen(limited)
        self.assertEqual(chosen["method"], "fast")
        self.assertNotIn("limit", self.tumble("run", self.scene(limited), "-o", "out.csv").stderr)

    def test_the_profile_has_the_times_of_contact(self):
        words = self.tumble("run", self.scene(box_scene()), "--profile").stderr
        self.assertRegex(words, r"collision \d+\.\d+ s, contact \d+\.\d+ s, certificate \d+\.\d+ s")


if __name__ == "__main__":
    unittest.main()
