#!/usr/bin/env python3
"""The verbs as users see them: help, usage errors, check, info, examples, convert, render, bad input."""
import json
import struct
import unittest

from program import COLUMNS, ProgramTest

VERBS = ["run", "check", "info", "view", "render", "report", "convert", "examples"]


class Use(ProgramTest):
    def test_help_goes_to_stdout_and_names_every_verb(self):
        done = self.tumble("--help")
        for verb in VERBS:
            self.assertIn(verb, done.stdout)
        self.assertEqual(done.stderr, "")

    def test_every_verb_has_help(self):
        for verb in VERBS:
            done = self.tumble(verb, "--help")
            self.assertIn(verb, done.stdout)
            self.assertEqual(done.stderr, "")

    def test_help_of_run_names_every_flag(self):
        words = self.tumble("run", "--help").stdout
        for flag in ("--duration --fps --method --accuracy --threads --summary --log --checkpoint --resume "
                     "--verify --estimate-error --profile --quiet --verbose --integrator --step "
                     "--set --inputs --max-cpu --log-bodies").split():
            self.assertIn(flag, words)

    def test_version_names_the_instruction_set(self):
        words = self.tumble("--version").stdout
        self.assertRegex(words, r"tumble \d+\.\d+\.\d+")
        self.assertRegex(words, r"x86-64-v3|baseline")

    def test_a_usage_error_exits_with_2_and_prints_to_stderr(self):
        scene = self.scene()
        for arguments in [(), ("fly",), ("run",), ("run", scene, "--no-such-flag"),
                          ("run", scene, "--duration"),
                          ("run", scene, "--duration", "soon"), ("run", scene, "--duration", "-1"),
                          ("run", scene, "--duration", "nan"),
                          ("run", scene, "--fps", "0"), ("run", scene, "--threads", "0"),
                          ("run", scene, "--accuracy", "0"),
                          ("run", scene, "--method", "magic"), ("run", scene, "--integrator", "rk5"),
                          ("run", scene, "--step", "-0.1"),
                          ("run", scene, "-o", "a.docx"), ("run", scene, "--verify", "sometimes"),
                          ("convert", scene),
                          ("check",), ("info", scene, "extra"), ("render", scene),
                          ("view",), ("report", scene),
                          ("examples", "no-such-example")]:
            with self.subTest(arguments=arguments):
                done = self.tumble(*arguments, status=2)
                self.assertEqual(done.stdout, "")
                self.assertNotEqual(done.stderr.strip(), "")

    def test_for_a_mistyped_word_the_message_has_the_nearest_one(self):
        self.assertIn("--duration", self.tumble("run", self.scene(), "--duratoin", "1", status=2).stderr)
        self.assertIn("check", self.tumble("chekc", status=2).stderr)


class Look(ProgramTest):
    def test_check_prints_the_content_of_the_scene(self):
        done = self.tumble("check", self.scene())
        self.assertIn("3", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_check_json_is_one_object(self):
        done = self.tumble("check", self.scene(), "--json")
        self.assertIsInstance(json.loads(done.stdout), dict)

    def test_info_json_has_the_mass_properties_in_the_world(self):
        scene = self.scene("""<scene name="one"><body name="b" position="1 2 3" rotate="0 0 1 90deg">
            <box size="0.4 0.2 0.1" at="0.5 0 0"/></body>
            <body name="f" fixed="true"><sphere radius="1"/></body></scene>""")
        info = json.loads(self.tumble("info", scene, "--json").stdout)
        body, fixed = info["bodies"]
        self.assertEqual([body["name"], body["fixed"], fixed["name"], fixed["fixed"]],
                         ["b", False, "f", True])
        mass = 1000 * 0.4 * 0.2 * 0.1  # the default density is 1000
        self.assert_close(body["mass"], mass, 1e-12 * mass)
        for got, expected in zip(body["center"], (1, 2.5, 3)):  # the offset is rotated by 90 degrees about z
            self.assert_close(got, expected, 1e-12)
        # Moments of a box. The rotation exchanges x and y.
        expected = [mass / 12 * (0.4**2 + 0.1**2), mass / 12 * (0.2**2 + 0.1**2),
                    mass / 12 * (0.4**2 + 0.2**2)]
        for i in range(3):
            for j in range(3):
                self.assert_close(body["inertia"][i][j], expected[i] if i == j else 0, 1e-12 * expected[2])
        self.assertEqual(info["joints"], [])
        self.assertTrue(info["chosen"])

    def test_info_as_text_has_bodies_and_accuracy(self):
        words = self.tumble("info", self.scene()).stdout
        self.assertIn("stone", words)
        self.assertIn("accuracy", words)


class BadInput(ProgramTest):
    def test_a_scene_that_is_missing_or_a_directory_is_bad_input(self):
        for scene in ("nowhere.xml", "."):
            for verb in (["check"], ["info"], ["run", "-o", "out.csv"], ["render", "-o", "out.png"]):
                done = self.tumble(verb[0], scene, *verb[1:], status=3)
                self.assertEqual(done.stdout, "")
                self.assertNotEqual(done.stderr.strip(), "")
        self.assertEqual(self.files(), [])

    def test_all_faults_are_reported_with_line_and_column_and_nothing_is_written(self):
        scene = self.scene('<scene name="bad">\n'
                           '  <body name="a" positoin="0 0 0">\n'
                           '    <sphere radius="-1"/>\n'
                           '  </body>\n'
                           '  <body name="a"><inertia mass="-2" moments="1 1 1"/></body>\n'
                           '</scene>\n', name="bad.xml")
        for arguments in (["check", scene], ["info", scene],
                          ["run", scene, "-o", "out.csv", "-o", "out.glb", "--summary", "s.json"]):
            done = self.tumble(*arguments, status=3)
            self.assertEqual(done.stdout, "")
            lines = done.stderr.splitlines()
            for line in (2, 3, 5):
                self.assertTrue(any(l.startswith(f"bad.xml:{line}:") for l in lines),
                                f"nothing about line {line}:\n{done.stderr}")
            self.assertRegex(done.stderr, r"bad\.xml:\d+:\d+: ")
            self.assertIn("position", next(l for l in lines if l.startswith("bad.xml:2:")))
        self.assertEqual(self.files(), ["bad.xml"])

    def test_a_recording_is_not_a_scene_and_an_empty_name_is_a_usage_error(self):
        self.tumble("run", self.scene(), "-o", "a.tumble", "-o", "A.CSV", "-o", "a.glb")
        for name in ("a.tumble", "A.CSV", "a.glb"):
            self.assertRegex(self.tumble("run", name, status=3).stderr, rf"{name}:1:1: .*<scene>")
        self.tumble("run", "", status=2)

    def test_a_file_that_is_not_a_scene_is_bad_input(self):
        for name, text in {"empty.xml": "", "half.xml": "<scene name='x'><body",
                           "dtd.xml": "<!DOCTYPE scene [<!ENTITY a 'b'>]>\n<scene name='x'/>",
                           "other.xml": "<html/>"}.items():
            self.assertRegex(self.tumble("check", self.scene(text, name), status=3).stderr,
                             rf"{name}:\d+:\d+: ")

    def test_an_open_mesh_on_a_moving_body_is_refused_with_the_line_of_the_scene(self):
        self.path("open.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n")
        scene = self.scene('<scene name="m">\n<mesh name="t" file="open.obj"/>\n'
                           '<body name="b"><shape mesh="t"/></body>\n</scene>', "m.xml")
        words = self.tumble("check", scene, status=3).stderr
        self.assertIn("m.xml:", words)
        self.assertRegex(words, r"3 .*edges")


class Examples(ProgramTest):
    def test_every_example_is_listed_copied_and_valid(self):
        names = [line.split()[0] for line in self.tumble("examples").stdout.splitlines() if line.strip()]
        self.assertGreaterEqual(len(names), 7)
        for name in names:
            with self.subTest(example=name):
                self.tumble("examples", name, f"copy-{name}")
                scenes = sorted(self.path(f"copy-{name}").glob("*.xml"))
                self.assertTrue(scenes)
                self.tumble("check", next((s for s in scenes if s.stem == name), scenes[0]))

    def test_a_copy_does_not_overwrite_existing_files(self):
        name = self.tumble("examples").stdout.split()[0]
        self.tumble("examples", name, "mine")
        file = sorted(self.path("mine").glob("*.xml"))[0]
        file.write_text("changed by the user")
        self.tumble("examples", name, "mine", status=2)
        self.assertEqual(file.read_text(), "changed by the user")


class Convert(ProgramTest):
    def test_a_converted_recording_has_the_bytes_that_a_run_writes(self):
        self.tumble("run", self.scene(), "-o", "a.tumble", "-o", "a.csv", "-o", "a.txt", "-o", "a.glb")
        for suffix in ("csv", "txt", "glb"):
            self.tumble("convert", "a.tumble", f"b.{suffix}")
            self.assertEqual(self.bytes_of(f"a.{suffix}"), self.bytes_of(f"b.{suffix}"), suffix)

    def test_a_tumble_file_converts_to_tumble_without_loss(self):
        self.tumble("run", self.scene(), "-o", "a.tumble")
        self.tumble("convert", "a.tumble", "b.tumble")
        self.assertEqual(self.bytes_of("a.tumble"), self.bytes_of("b.tumble"))
        self.tumble("convert", "a.tumble", "no/such/b.tumble", status=2)
        for kind in (b"FRAM", b"LOGR", b"INDX"):
            damaged = bytearray(self.bytes_of("a.tumble"))
            damaged[damaged.index(kind) + 20] ^= 1
            self.path("damaged.tumble").write_bytes(damaged)
            self.assertRegex(self.tumble("convert", "damaged.tumble", "c.tumble", status=3).stderr,
                             r"damaged\.tumble: byte \d+: ")
            self.assertFalse(self.path("c.tumble").exists())
        self.path("cut.tumble").write_bytes(self.bytes_of("a.tumble")[:-10])
        self.assertIn("cut off", self.tumble("convert", "cut.tumble", "d.tumble").stderr)
        self.assertEqual(self.tumble("convert", "d.tumble", "e.csv").stderr, "")

    def test_a_file_that_cannot_be_converted_is_reported(self):
        self.path("broken.tumble").write_bytes(b"\x00\x01\x02 this is no recording")
        self.tumble("convert", "broken.tumble", "out.csv", status=3)
        self.tumble("convert", "missing.tumble", "out.csv", status=3)
        self.assertEqual(self.files(), ["broken.tumble"])


class Render(ProgramTest):
    def picture(self, *arguments):
        self.tumble("render", *arguments, "-o", "p.png")
        data = self.bytes_of("p.png")
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", data[16:24])
        self.assertGreaterEqual(min(width, height), 200)
        return data

    def test_a_scene_and_each_recording_of_it_give_a_picture(self):
        scene = self.scene()
        self.tumble("run", scene, "-o", "a.tumble", "-o", "a.glb", "-o", "a.gltf", "-o", "A.GLTF")
        for source in (scene, "a.tumble", "a.glb", "a.gltf", "A.GLTF"):
            self.assertGreater(len(self.picture(source)), 1000)

    def test_bodies_without_shapes_are_reported(self):
        point = self.scene("<scene><body name='p'><inertia mass='1' moments='1 1 1'/></body></scene>",
                           "point.xml")
        self.assertIn('"p" has no shapes', self.tumble("render", point, "-o", "p.png").stderr)
        self.assertIn('"p" has no shapes', self.tumble("run", point, "-o", "p.glb").stderr)
        self.assertIn("shape", self.tumble("render", "p.glb", "-o", "p.png").stderr)
        self.assertNotIn("shapes", self.tumble("run", point, "-o", "p.csv").stderr)
        self.assertEqual(self.tumble("run", point, "-o", "p.glb", "--quiet").stderr, "")

    def test_the_same_command_gives_the_same_picture(self):
        scene = self.scene()
        self.assertEqual(self.picture(scene), self.picture(scene))

    def test_a_time_after_the_end_shows_the_end_with_a_message(self):
        self.tumble("run", self.scene(), "-o", "a.tumble", "-o", "a.glb")
        for source in ("a.tumble", "a.glb"):
            for time in ("7", "1e300"):
                self.assertIn("ends at t = 1 s",
                              self.tumble("render", source, "--time", time, "-o", "p.png").stderr)
            self.tumble("render", source, "--time", "-1", "-o", "p.png", status=2)

    def test_other_verbs_refuse_a_gltf_in_plain_words(self):
        self.tumble("run", self.scene(), "-o", "a.gltf", "-o", "a.glb")
        for name in ("a.gltf", "a.glb"):
            self.assertIn("can only be rendered", self.tumble("convert", name, "b.csv", status=2).stderr)
            for verb in ("run", "check", "info"):
                self.assertIn("is no scene", self.tumble(verb, name, status=3).stderr)

    def test_a_picture_that_cannot_be_written_is_a_usage_error(self):
        self.tumble("render", self.scene(), "-o", "no/such/folder/p.png", status=2)


class Columns(ProgramTest):
    def test_csv_names_every_body_in_scene_order(self):
        self.tumble("run", self.scene(), "-o", "a.csv")
        header, _ = self.table("a.csv")
        self.assertEqual(header, ["t"] + [f"{body}.{c}" for body in ("stone", "ball", "post")
                                          for c in COLUMNS])


if __name__ == "__main__":
    unittest.main()
