#!/usr/bin/env python3
"""--set from outside: the same bytes as an edited file, and messages that name the nearest right word.

set_test.py [--long]: 200 attributes of the shipped scenes instead of 12
"""
import json
import random
import re
import sys
import unittest

from program import SOURCE, ProgramTest

TAG = re.compile(r"<!--.*?-->|<\?.*?\?>|<(/?)([\w-]+)((?:\s+[\w-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(/?)>",
                 re.DOTALL)
ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*(\"[^\"]*\"|'[^']*')")
NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(.*)")
CALLED_AFTER_OTHERS = {"contact": ("a", "b"), "ignore": ("a", "b"), "script": ("joint",)}
NAMED = ("material", "mesh", "body", "joint", "spring", "force", "torque", "attraction", "drag")
FILES = {"file", "summary", "log", "checkpoint", "resume", "contacts", "reactions", "inputs"}


class Element:
    def __init__(self, kind, path, begin, attributes):
        self.kind, self.path, self.begin, self.attributes = kind, path, begin, attributes


def elements_of(text):
    """Every element of a scene file with its path, by reading the text alone: no parser of ours is used."""
    stack, counts, numbers, found = [], [{}], {}, []
    for tag in TAG.finditer(text):
        closing, kind, inside, alone = tag.groups()
        if kind is None:
            continue
        if closing:
            stack.pop()
            counts.pop()
            continue
        attributes = {m[1]: (m[2][1:-1], tag.start(3) + m.start(2) + 1) for m in ATTRIBUTE.finditer(inside)}
        counts[-1][kind] = counts[-1].get(kind, 0) + 1
        number = counts[-1][kind]
        value = {name: text for name, (text, _) in attributes.items()}
        path = None
        if len(stack) == 0 or kind in ("simulation", "world"):
            path = kind
        elif len(stack) == 1 and kind in NAMED:
            numbers[kind] = numbers.get(kind, 0) + 1
            path = f"{kind}:{value.get('name', kind + str(numbers[kind]))}"
        elif len(stack) == 1 and kind in CALLED_AFTER_OTHERS:
            if all(name in value for name in CALLED_AFTER_OTHERS[kind]):
                path = f"{kind}:" + ",".join(value[name] for name in CALLED_AFTER_OTHERS[kind])
        elif len(stack) == 2 and stack[-1] is not None:
            path = f"{stack[-1]}.{kind}" + (f"[{number}]" if number > 1 else "")
        if path is not None:
            found.append(Element(kind, path, tag.start() + 1 + len(kind), attributes))
        if not alone:
            stack.append(path)
            counts.append({})
    return found


class Sample:
    """An attribute, the setting for it, and the file edited the same way."""

    def __init__(self, text, choice):
        all_elements = elements_of(text)
        elements = [e for e in all_elements if any(name not in FILES | {"name"} for name in e.attributes)]
        element = choice.choice(elements)
        name = choice.choice(sorted(set(element.attributes) - FILES - {"name"}))
        old, at = element.attributes[name]
        words = old.split()
        self.address = f"{element.path}.{name}"
        kind, _, rest = element.path.partition(":")
        kinds_and_names = [e.path.partition(":") for e in all_elements]
        shared = {other for other, _, called in kinds_and_names if called == rest.split(".")[0]}
        if rest and kind != "script" and len(shared - {"script"}) == 1 and choice.random() < 0.5:
            self.address = f"{rest}.{name}"
        extra = ADDED.get(element.kind)
        if choice.random() < 0.2 and extra and extra[0] not in element.attributes:
            name, self.value = extra  # an attribute that is not there yet
            self.address = self.address.rpartition(".")[0] + "." + name
            self.edited = text[: element.begin] + f' {name}="{self.value}"' + text[element.begin:]
        elif words and all(NUMBER.fullmatch(word) for word in words):
            i = choice.randrange(len(words))
            digits, unit = NUMBER.fullmatch(words[i]).groups()
            changed = repr(float(digits) * choice.choice([1.001, 0.999, 1.0625]) or 0.001) + unit
            if len(words) > 1 and choice.random() < 0.5:
                has_axes = len(words) == 3 or name == "rotate"
                letters = "wxyz" if name == "quaternion" else "xyz" if has_axes else ""
                self.address += "." + (letters[i] if i < len(letters) and choice.random() < 0.5 else str(i))
                self.value = changed
            else:
                self.value = " ".join([*words[:i], changed, *words[i + 1:]])
            self.edited = text[:at] + " ".join([*words[:i], changed, *words[i + 1:]]) + text[at + len(old):]
        else:
            self.value = {"true": "false", "false": "true"}.get(old, old)
            self.edited = text[:at] + self.value + text[at + len(old):]


ADDED = {"body": ("velocity", "0 0.1 0"), "material": ("restitution", "0.25"), "box": ("at", "0 1mm 0"),
         "sphere": ("at", "0 0 1mm"), "joint": ("collide", "false"), "simulation": ("accuracy", "2e-3")}


class Same(ProgramTest):
    def outputs(self, name):
        return ["-o", f"{name}.csv", "-o", f"{name}.glb", "--log", f"{name}.log", "--quiet"]

    def run_both(self, scene, text, settings, edited, *flags):
        """Runs the scene with settings and the edited one. True if both ran, and wrote the same bytes."""
        self.path("edited").mkdir(exist_ok=True)
        for folder in (self.folder, self.path("edited")):
            for file in SOURCE.glob("scenes/*"):
                if not (folder / file.name).exists():
                    (folder / file.name).symlink_to(file)
        for path, content in ((self.path(scene), text), (self.path(f"edited/{scene}"), edited)):
            path.unlink(missing_ok=True)
            path.write_text(content)
        set_flags = [word for setting in settings for word in ("--set", setting)]
        a = self.tumble("run", scene, *set_flags, *flags, *self.outputs("a"), status=(0, 1, 2, 3))
        b = self.tumble("run", f"edited/{scene}", *flags, *self.outputs("b"), status=(0, 1, 2, 3))
        self.assertEqual(a.returncode in (0, 1), b.returncode in (0, 1),
                         f"{settings}\n{a.stderr}\n{b.stderr}")
        if a.returncode > 1:
            return False
        for ending in ("csv", "glb", "log"):
            self.assertEqual(self.bytes_of(f"a.{ending}"), self.bytes_of(f"b.{ending}"),
                             f"{scene} {settings} {ending}")
        return True

    def test_attributes_of_shipped_scenes_are_the_same_as_in_an_edited_file(self):
        choice = random.Random(2026)
        slow = {"tree", "hand", "bowl", "rings", "nut-on-bolt", "card-house", "ragdoll"}
        scenes = sorted(p for p in SOURCE.glob("scenes/*.xml") if LONG or p.stem not in slow)
        wanted, ran, known = 200 if LONG else 12, 0, set()
        for _ in range(wanted):
            scene = choice.choice(scenes)
            sample = Sample(scene.read_text(), choice)
            known.add(sample.address.rpartition(".")[2])
            with self.subTest(scene=scene.name, setting=f"{sample.address}={sample.value}"):
                ran += self.run_both(scene.name, scene.read_text(), [f"{sample.address}={sample.value}"],
                                     sample.edited, "--duration", "0.02", "--fps", "200")
        self.assertGreaterEqual(ran, wanted * 2 // 3)  # the others are refused, both of them
        self.assertGreater(len(known), wanted // 8)

    def test_several_settings_are_several_edits_and_the_last_one_counts(self):
        text = ('<scene><material name="ice"/><body name="car"><box size="1 1 1" material="ice"/>'
                '<box size="2 1 1"/></body></scene>')
        edited = ('<scene><world gravity="0 -1.62 0"/><material name="ice" density="2g/cm3"/>'
                  '<body name="car" velocity="3 0 -4"><box size="1 1 1" material="ice"/><box size="2 5 1"/>'
                  '</body>'
                  '<simulation duration="0.1"/></scene>')
        settings = ["world.gravity=0 1 0", "world.gravity.y=-1.62", "ice.density=2g/cm3", "car.velocity.x=7",
                    "car.velocity.z=-4", "body:car.velocity.x=3", "car.box[2].size.1=5",
                    "simulation.duration=0.1s"]
        self.assertTrue(self.run_both("s.xml", text, settings, edited))

    def test_names_with_dots_colons_and_equals_signs(self):
        body = '<body name="{}"{}><sphere radius="1"/></body>'
        for name in ("a.b", "body:x", "x.velocity", "a=b", "simulation", "world", "1.x", "ü.ö",
                     "a.velocity.x"):
            with self.subTest(name=name):
                other = body.format("a", ' position="9 0 0"')
                text = f"<scene>{body.format(name, '')}{other}</scene>"
                edited = text.replace(body.format(name, ""), body.format(name, ' velocity="0 0 2"'))
                self.assertTrue(self.run_both("s.xml", text, [f"{name}.velocity.z=2"], edited, "--duration",
                                              "0.1"))

    def test_elements_of_included_files_and_those_without_a_name(self):
        part = '<scene><material name="oak"/><body><sphere radius="1" material="oak"/></body></scene>'
        text = ('<scene><include file="part.xml"/><body position="0 5 0"><sphere radius="1" material="oak"/>'
                '</body><contact a="oak" b="oak" friction="0.1"/></scene>')
        self.path("part.xml").write_text(part)
        self.path("edited").mkdir()
        self.path("edited/part.xml").write_text(part.replace("<body>", '<body velocity="1 0 0">')
                                                .replace('"oak"/>', '"oak" density="500"/>', 1))
        edited = text.replace("0.1", "0.9").replace('0 5 0"', '0 5 0" velocity="0 0 1"')
        settings = ["body1.velocity=1 0 0", "oak.density=500", "oak,oak.friction=0.9", "body2.velocity.z=1"]
        self.assertTrue(self.run_both("s.xml", text, settings, edited, "--duration", "0.1"))

    def test_check_info_render_and_convert_take_it(self):
        scene = self.scene()
        self.tumble("check", scene, "--set", "ball.sphere.radius=1mm")
        self.assertIn("radius", self.tumble("check", scene, "--set", "ball.sphere.radius=-1",
                                            status=2).stderr)
        info = json.loads(self.tumble("info", scene, "--json", "--set", "steel.density=78").stdout)
        self.assert_close(info["bodies"][0]["mass"], 78 * 0.3 * 0.1 * 0.2, 1e-12)
        self.tumble("convert", scene, "a.csv", "--set", "ball.position.y=7")
        self.assertEqual(self.table("a.csv")[1][0][15], 7)
        self.tumble("render", scene, "-o", "a.png", "--size", "64x64")
        self.tumble("render", scene, "-o", "b.png", "--size", "64x64", "--set", "ball.sphere.radius=0.3")
        self.assertNotEqual(self.bytes_of("a.png"), self.bytes_of("b.png"))

    def test_a_recording_has_its_settings_and_is_read_with_them(self):
        scene = self.scene(duration="0.1")
        settings = ["--set", "ball.sphere.radius=0.3", "--set", "stone.velocity.x=-1"]
        self.tumble("run", scene, *settings, "-o", "a.tumble", "-o", "a.csv")
        info = json.loads(self.tumble("info", "a.tumble", "--json").stdout)
        self.assertEqual(info["settings"], settings[1::2])
        self.assertIn("ball.sphere.radius=0.3", self.tumble("info", "a.tumble").stdout)
        self.tumble("convert", "a.tumble", "b.csv")
        self.assertEqual(self.bytes_of("a.csv"), self.bytes_of("b.csv"))
        # The camera frames all of the motion, so that of the start alone is compared.
        self.tumble("run", scene, *settings, "--duration", "0", "-o", "start.tumble")
        self.tumble("render", "start.tumble", "-o", "a.png", "--size", "64x64")
        self.tumble("render", scene, *settings, "-o", "b.png", "--size", "64x64", "--time", "0")
        self.assertEqual(self.bytes_of("a.png"), self.bytes_of("b.png"))
        self.tumble("run", scene, "-o", "plain.tumble")
        # Programs that knew no settings must not take it for the plain scene: they refuse version 3.
        self.assertEqual((self.bytes_of("plain.tumble")[8], self.bytes_of("a.tumble")[8]), (3, 3))
        for verb in (["info", "a.tumble"], ["render", "a.tumble", "-o", "c.png"]):
            self.assertIn("recording", self.tumble(*verb, "--set", "ball.velocity=0 0 0", status=2).stderr)

    def test_a_resumed_run_must_have_the_same_settings(self):
        scene = self.scene(duration="0.4", fps="50")
        setting = ["--set", "ball.velocity.x=5"]
        self.tumble("run", scene, *setting, "-o", "whole.csv", "-o", "whole.tumble")
        self.tumble("run", scene, *setting, "-o", "part.csv", "-o", "part.tumble", "--duration", "0.2",
                    "--checkpoint", "c")
        self.assertIn("set", self.tumble("run", scene, "--resume", "c", "-o", "x.csv", status=2).stderr)
        self.tumble("run", scene, *setting, "--resume", "c", "-o", "part.csv", "-o", "part.tumble")
        for name in ("csv", "tumble"):
            self.assertEqual(self.bytes_of(f"whole.{name}"), self.bytes_of(f"part.{name}"))


class Faults(ProgramTest):
    SCENE = """<scene>
      <material name="ice" friction="0.1"/> <material name="wood"/>
      <contact a="wood" b="ice" friction="0.2"/>
      <body name="car" velocity="1 2 3"><box size="1 1 1" material="ice"/></body>
      <body name="arm" position="5 0 0"><box size="1 1 1"/></body>
      <body name="ice" position="9 0 0" fixed="true"><sphere radius="1"/></body>
      <joint name="elbow" type="hinge" b="arm" at="5 0 0" axis="0 0 1"><drive damping="1"/></joint>
      <script joint="elbow"><key t="0" value="0"/><key t="1" value="1"/></script>
      </scene>"""

    # The setting, what the line about it begins with (if not with the address), and words that it must hold.
    WRONG = [
        ("cra.velocity=0 0 0", '"car"'),
        ("car.velocty=0 0 0", '"velocity"'),
        ("car.bx.size=1 1 1", '"box"'),
        ("car.box[2].size=1 1 1", "1 <box>"),
        ("car.box[0].size=1 1 1", "from 1"),
        ("car.box.siz=1 1 1", '"size"'),
        ("car.box=1", "size"),
        ("car.sphere.radius=1", "no <sphere>"),
        ("car.velocity.w=1", ".x, .y and .z"),
        ("car.velocity.3=1", ".0 to .2"),
        ("car.velocity.x.y=1", ".x, .y and .z"),
        ("car.velocity.x=1 2", "one number"),
        ("car.velocity.x=", "one number"),
        ("car.velocity.x=12kg", "m/s"),
        ("car.velocity=1 2", "3 velocities"),
        ("car.velocity=", "3 velocities"),
        ("car.velocity.x=nan", "finite"),
        ("car.velocity.x=1e999", "too large"),
        ("car.velocity.x=fast", "not a number"),
        ("car.fixed.x=1", "not a list"),
        ("car.fixed=yes", "true or false"),
        ("car.box.material=iec", '"ice"'),
        ("car.box.size.y=-1", "positive"),
        ("ice.friction=0.2", "material:ice", "body:ice"),
        ("ice.nothing=0.2", "material:ice", "body:ice"),
        ("material:ice.frction=0.2", '"friction"'),
        ("material:car.friction=0.2", 'body "car"'),
        ("materail:ice.friction=0.2", '"material"'),
        ("wood,icy.friction=0.2", '"wood,ice"'),
        ("elbow.limits.0=1", "give all of it", "2 angles"),
        ("elbow.drive[2].target=1", "drive"),
        ("elbow.drve.target=1", '"drive"'),
        ("elbow.typ=ball", '"type"'),
        ("elbow.type=hnge", '"hinge"'),
        ("script:elbow.key[3].t=1", "2 <key>"),
        ("simulation.duraton=1", '"duration"'),
        ("simulation.duration=1kg", "ms"),
        ("simulatoin.duration=1", '"simulation"'),
        ("world.gravty=0 0 0", '"gravity"'),
        ("world.gravity.x=1m", "m/s2"),
        ("car=1", "no attribute", "PATH.ATTRIBUTE"),
        ("car.velocity", "no =", "PATH.ATTRIBUTE"),
        ("=1", "PATH.ATTRIBUTE"),
        ("", "PATH.ATTRIBUTE"),
        (".velocity=1", "nothing is called"),
        ("car..velocity=1", "no attribute"),
        ("car.color=#ffffff\x07", "no attribute"),
        ("ice.ice.color=#fffff\x07", ""),
        ("material:ice.color=\x07", "control character"),
        ("car.name=a\x01", "control character"),
    ]

    def test_wrong_settings_exit_with_2_and_name_the_nearest_right_word(self):
        scene = self.scene(self.SCENE)
        for setting, *words in self.WRONG:
            for verb in ("run", "check", "info"):
                with self.subTest(setting=setting, verb=verb):
                    done = self.tumble(verb, scene, "--set", setting, status=2)
                    self.assertEqual(done.stdout, "")
                    lines = done.stderr.splitlines()
                    self.assertEqual(len(lines), 1, done.stderr)
                    address = setting.partition("=")[0].replace("\x07", " ")
                    self.assertTrue(lines[0].startswith(f"--set {address}: "), lines[0])
                    for word in words:
                        self.assertIn(word, lines[0])

    def test_bytes_that_are_not_text_are_refused(self):
        scene = self.scene(self.SCENE)
        value = b"material:ice.color=\xff\xfe".decode("utf-8", "surrogateescape")
        done = self.tumble("check", scene, "--set", value, status=2, errors="replace")
        self.assertIn("UTF-8", done.stderr)

    def test_all_faults_are_said_at_once_and_a_faulty_scene_is_bad_input(self):
        scene = self.scene(self.SCENE)
        done = self.tumble("check", scene, "--set", "cra.velocity=1", "--set", "car.box.size=1", "--set",
                           "car.fixd=1", status=2)
        self.assertEqual(len(done.stderr.splitlines()), 3)
        self.scene(self.SCENE.replace('velocity="1 2 3"', 'velcity="1 2 3"'), "bad.xml")
        done = self.tumble("check", "bad.xml", "--set", "cra.velocity=1", status=3)
        self.assertEqual([line.split(":")[0] for line in done.stderr.splitlines()],
                         ["bad.xml", "--set cra.velocity"])
        self.tumble("check", "nowhere.xml", "--set", "car.velocity=1", status=3)
        self.scene("<scene><body name='car'", "cut.xml")
        self.assertEqual(len(self.tumble("check", "cut.xml", "--set", "boat.velocity=1",
                                         status=3).stderr.splitlines()), 1)

    def test_any_text_is_answered(self):
        scene = self.scene(self.SCENE)
        choice = random.Random(7)
        pieces = ["car", "ice", ".", ".", "=", ":", "[", "]", "box", "velocity", "x", "1", "-", "material",
                  "elbow", "drive",
                  "simulation", "world", "gravity", ",", " ", "é", "0 0 0", '"', "<", "&", "2]", "\n"]
        for _ in range(400 if LONG else 40):
            setting = "".join(choice.choice(pieces) for _ in range(choice.randrange(12)))
            done = self.tumble("check", scene, "--set", setting, status=(0, 2, 3))
            self.assertEqual(done.returncode == 0, done.stderr == "", (setting, done.stderr))
            self.assertNotIn("internal error", done.stderr, setting)
        self.tumble("check", scene, "--set", "car." * 20000 + "velocity=1", status=2)
        self.tumble("check", scene, "--set", "car.velocity=" + "=" * 50000, status=2)


LONG = "--long" in sys.argv
if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--long"])
