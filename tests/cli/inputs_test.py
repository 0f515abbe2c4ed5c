#!/usr/bin/env python3
"""--inputs and --max-cpu from outside.

inputs_test.py [--long]: more damaged lines, and a million events
"""
import json
import random
import resource
import sys
import unittest

from program import ProgramTest

# A box slides on ice, an arm with a drive swings between limits, and a hand hangs on nothing.
SCENE = """<scene name="yard">
  <simulation duration="1" fps="50" {attributes}/>
  <material name="ice" friction="0.05"/> <material name="rubber" friction="0.9"/>
  <contact a="ice" b="rubber" friction="0.3"/>
  <body name="floor" fixed="true"><plane normal="0 1 0" material="ice"/></body>
  <body name="box" position="0 0.1001 0" velocity="3 0 0"><box size="0.3 0.2 0.2" material="ice"/></body>
  <body name="hand" position="0 2 5"><sphere radius="0.1" material="rubber"/></body>
  <body name="arm" position="0.5 3 -5"><box size="1 0.1 0.1" material="rubber"/></body>
  <joint name="elbow" type="hinge" b="arm" at="0 3 -5" axis="0 0 1" limits="-60deg 30deg"><drive target="0.1"
    stiffness="30Nm/rad" damping="2"/></joint>
</scene>
"""
EVENTS = [
    {"t": 0.1, "set": "material:ice.friction", "value": "0.4"},
    {"t": 0.2, "pull": "hand", "at": [0, 0.1, 0], "to": [1, 3, 5], "stiffness": 500, "damping": 20},
    {"t": 0.25, "set": "world.gravity.y", "value": -1.62},
    {"t": 0.3, "set": "elbow.drive.target", "value": "20deg"},
    {"t": 0.4, "set": "elbow.limits", "value": "-70deg 0.5"},
    {"t": 0.5, "set": "hand.force", "value": [0.5, 0, 0]},
    {"t": 0.6, "release": "hand"},
    {"t": 0.7, "set": "world.gravity", "value": [0, -9.81, 0]},
    {"t": 0.7, "set": "ice,rubber.friction", "value": "0"},
]
FORMATS = ("csv", "tumble", "log.csv", "contacts.csv", "reactions.csv")


def lines_of(events):
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)


class InputsTest(ProgramTest):
    def yard(self, attributes=""):
        return self.scene(SCENE.format(attributes=attributes), "yard.xml")

    def events(self, events, name="events.jsonl"):
        self.path(name).write_text(events if isinstance(events, str) else lines_of(events))
        return name

    def outputs(self, name, method="fast"):
        flags = ["-o", f"{name}.csv", "-o", f"{name}.tumble", "--log", f"{name}.log.csv", "--reactions",
                 f"{name}.reactions.csv",
                 "--method", method, "--summary", f"{name}.json"]
        return flags + (["--contacts", f"{name}.contacts.csv"] if method == "fast" else [])

    def assert_same(self, a, b, method="fast"):
        for name in FORMATS:
            if method == "fast" or name != "contacts.csv":
                self.assertEqual(self.bytes_of(f"{a}.{name}"), self.bytes_of(f"{b}.{name}"),
                                 f"{a} {b} {name}")

    def column(self, name, column):
        header, rows = self.table(name)
        return [row[header.index(column)] for row in rows]


class Inputs(InputsTest):
    def test_events_act_and_the_same_file_gives_the_same_bytes(self):
        scene, events = self.yard(), self.events(EVENTS)
        self.tumble("run", scene, "--inputs", events, *self.outputs("a"))
        self.tumble("run", scene, "--inputs", events, *self.outputs("b"))
        self.tumble("run", scene, *self.outputs("plain"))
        self.assert_same("a", "b")
        a, plain = self.column("a.csv", "box.vx"), self.column("plain.csv", "box.vx")
        self.assertEqual(a[:5], plain[:5])  # before 0.1 s: what is planned for later does nothing
        self.assertLess(a[15], plain[15] - 0.1)  # friction of 0.4 instead of 0.05
        hand = self.column("a.csv", "hand.y")
        self.assertGreater(max(hand[10:30]), 2.1)  # it was falling from 2 m and is pulled up to 3 m
        self.assertLess(self.column("plain.csv", "hand.y")[29], 0.9)

    def test_resumed_in_between_it_ends_with_the_same_bytes(self):
        scene, events = self.yard(), self.events(EVENTS)
        for method in ("fast", "precise"):
            flags = ["--inputs", events]
            self.tumble("run", scene, *flags, *self.outputs("whole", method))
            for stop in ("0", "0.1", "0.45", "0.7"):
                with self.subTest(method=method, stop=stop):
                    for name in FORMATS:
                        self.path(f"part.{name}").unlink(missing_ok=True)
                    self.tumble("run", scene, *flags, *self.outputs("part", method), "--duration", stop,
                                "--checkpoint", "c")
                    self.tumble("run", scene, *flags, *self.outputs("part", method), "--resume", "c")
                    self.assert_same("whole", "part", method)
            other = self.events(EVENTS[:-1], "other.jsonl")
            self.assertIn("inputs", self.tumble("run", scene, "--inputs", other, "--method", method,
                                                "--resume", "c",
                                                "--reactions", "x.csv", status=2).stderr)

    def test_an_event_acts_at_the_first_step_that_begins_at_its_time_or_later(self):
        scene = self.scene("""<scene><simulation duration="1" step="0.125" fps="8" method="precise"/>
            <world gravity="0 0 0"/><body name="b"><sphere radius="1"/></body></scene>""")
        for t, begins in ((-5, 0), (0, 0), (0.25, 0.25), (0.2500001, 0.375), (0.26, 0.375), (0.5, 0.5)):
            events = self.events([{"t": t, "set": "world.gravity", "value": [1, 0, 0]}])
            self.tumble("run", scene, "--inputs", events, "-o", "a.csv")
            for now, speed in zip(self.column("a.csv", "t"), self.column("a.csv", "b.vx")):
                self.assert_close(speed, max(0, now - begins), 1e-12, f"t {t}, now {now}")

    def test_equal_times_act_in_the_order_of_the_file_and_lines_need_not_be_sorted(self):
        scene = self.yard()
        orders = [[{"t": 0.5, "set": "world.gravity.x", "value": x} for x in (1, 2, 3)],
                  [{"t": 0.5, "set": "world.gravity.x", "value": x} for x in (2, 3)],
                  [{"t": 0.5, "set": "world.gravity.x", "value": 3}]]
        for name, events in zip("abc", orders):
            self.tumble("run", scene, "--inputs", self.events(events), "-o", f"{name}.csv")
        self.assertEqual(self.bytes_of("a.csv"), self.bytes_of("b.csv"))
        self.assertEqual(self.bytes_of("a.csv"), self.bytes_of("c.csv"))
        shuffled = EVENTS[::-1]
        shuffled.remove(EVENTS[-1])
        shuffled.append(EVENTS[-1])  # of the two at 0.7 s
        self.tumble("run", scene, "--inputs", self.events(EVENTS), "-o", "a.csv")
        self.tumble("run", scene, "--inputs", self.events(shuffled), "-o", "b.csv")
        self.assertEqual(self.bytes_of("a.csv"), self.bytes_of("b.csv"))

    def test_events_after_the_end_are_a_warning_and_shift_nothing(self):
        scene = self.yard()
        events = self.events([EVENTS[0], {"t": 7, "release": "hand"}, {"t": 1e300, "release": "hand"}])
        done = self.tumble("run", scene, "--inputs", events, *self.outputs("a"))
        self.assertRegex(done.stderr, r"warning: .*2 of 3.* t = 7 s")
        self.assertRegex(json.loads(self.path("a.json").read_text())["warnings"][-1], "2 of 3")
        # A run to 0.55 s that is resumed to 1 s is a run to 1 s, though more events came after its end.
        events = self.events(EVENTS)
        self.assertIn("3 of 9", self.tumble("run", scene, "--inputs", events, *self.outputs("part"),
                                            "--duration", "0.55",
                                            "--checkpoint", "c").stderr)
        self.tumble("run", scene, "--inputs", events, *self.outputs("part"), "--resume", "c")
        self.assertNotIn("warning", self.tumble("run", scene, "--inputs", events,
                                                *self.outputs("whole")).stderr)
        self.assert_same("whole", "part")

    def test_texts_numbers_and_lists_say_the_same(self):
        scene = self.yard()
        for name, value in (("a", "0 -1.5 0.25"), ("b", [0, -1.5, 0.25]), ("c", "0 -1.5m/s2 0.25m/s^2")):
            events = self.events([{"t": 0, "set": "world.gravity", "value": value}])
            self.tumble("run", scene, "--inputs", events, "-o", f"{name}.csv")
        self.assertEqual(self.bytes_of("a.csv"), self.bytes_of("b.csv"))
        self.assertEqual(self.bytes_of("a.csv"), self.bytes_of("c.csv"))
        a = ('\ufeff{"t":0.2,"set":"elbow.drive.target","value":"20deg"}\r\n\r\n \t{ "value" : "1N*m" , '
             '"t":"300ms","set":"elbow.drive.max-\\u0066orce" }')
        b = [{"t": 0.2, "set": "joint:elbow.drive[1].target", "value": 20 * 0.017453292519943295},
             {"t": 0.3, "set": "elbow.drive.max-force", "value": 1}]
        self.path("a.jsonl").write_bytes(a.encode())
        self.tumble("run", scene, "--inputs", "a.jsonl", "-o", "e.csv")
        self.tumble("run", scene, "--inputs", self.events(b), "-o", "f.csv")
        self.assertEqual(self.bytes_of("e.csv"), self.bytes_of("f.csv"))

    def test_as_an_attribute_it_is_a_file_beside_the_scene_and_the_flag_wins(self):
        self.path("sub").mkdir()
        self.path("sub/yard.xml").write_text(SCENE.format(attributes='inputs="e.jsonl"'))
        self.events(EVENTS, "sub/e.jsonl")
        self.yard()
        self.tumble("run", "yard.xml", "--inputs", "sub/e.jsonl", "-o", "a.csv")
        self.tumble("run", "sub/yard.xml", "-o", "b.csv")
        self.assertEqual(self.bytes_of("a.csv"), self.bytes_of("b.csv"))
        self.tumble("run", "yard.xml", "-o", "a.csv")
        self.tumble("run", "sub/yard.xml", "--inputs=", "-o", "b.csv")
        self.assertEqual(self.bytes_of("a.csv"), self.bytes_of("b.csv"))
        self.path("sub/e.jsonl").unlink()
        for verb in ("check", "info", "run"):
            self.assertRegex(self.tumble(verb, "sub/yard.xml", status=3).stderr,
                             r"^sub/yard\.xml:2:\d+: inputs.*e\.jsonl")

    def test_a_recording_has_the_inputs_as_text(self):
        scene, events = self.yard(), self.events(EVENTS)
        self.tumble("run", scene, "--inputs", events, "-o", "a.tumble", "-o", "a.csv")
        info = json.loads(self.tumble("info", "a.tumble", "--json").stdout)
        self.assertEqual(info["inputs"], self.path(events).read_text())
        self.assertIn('"release": "hand"', self.tumble("info", "a.tumble").stdout)
        self.path("again.jsonl").write_text(info["inputs"])
        self.tumble("run", scene, "--inputs", "again.jsonl", "-o", "b.tumble")
        self.assertEqual(self.bytes_of("a.tumble"), self.bytes_of("b.tumble"))
        self.tumble("convert", "a.tumble", "b.csv")
        self.assertEqual(self.bytes_of("a.csv"), self.bytes_of("b.csv"))
        self.tumble("convert", "a.tumble", "c.tumble")
        self.assertEqual(self.bytes_of("a.tumble"), self.bytes_of("c.tumble"))
        self.tumble("render", "a.tumble", "-o", "a.png", "--size", "64x64")

    def test_render_of_a_scene_has_them_and_an_error_estimate_refuses_them(self):
        scene, events = self.yard(), self.events([{"t": 0, "set": "world.gravity", "value": [0, 50, 0]}])
        self.tumble("render", scene, "--time", "0.2", "-o", "a.png", "--size", "64x64")
        self.tumble("render", scene, "--time", "0.2", "-o", "b.png", "--size", "64x64", "--inputs", events)
        self.assertNotEqual(self.bytes_of("a.png"), self.bytes_of("b.png"))
        done = self.tumble("run", scene, "--inputs", events, "--estimate-error", "--method", "precise",
                           status=2)
        self.assertIn("--estimate-error", done.stderr)

    def test_a_limit_that_the_joint_is_beyond_ends_a_precise_run(self):
        scene, events = self.yard(), self.events([EVENTS[2],
                                                  {"t": 0.5, "set": "elbow.limits", "value": "10deg 20deg"}])
        ends = []
        for _ in range(2):  # a resumed run ends in the same way
            done = self.tumble("run", scene, "--inputs", events, "--method", "precise", "-o", "a.csv",
                               "--checkpoint", "c",
                               *(["--resume", "c"] if self.path("c").exists() else []), status=1)
            self.assertRegex(done.stderr, r"events\.jsonl:2:\d+: joint \"elbow\": it is beyond")
            ends.append(self.column("a.csv", "t")[-1])
        self.assertGreaterEqual(ends[0], 0.5)
        self.assertEqual(ends[0], ends[1])
        self.tumble("run", scene, "--inputs", events, "--method", "fast", "-o", "b.csv")


class Faults(InputsTest):
    # A line, the column of its fault, and words that the message holds.
    WRONG = [
        ('{"t":1,"set":"icy.friction","value":1}', 14, '"ice"'),
        ('{"t":1,"set":"ice.frction","value":1}', 14, '"friction"'),
        ('{"t":1,"set":"ice.density","value":1}', 14, "cannot change"),
        ('{"t":1,"set":"car.friction","value":1}', 14, "nothing is called"),
        ('{"t":1,"set":"friction","value":1}', 14, "NAME.ATTRIBUTE"),
        ('{"t":1,"set":"elbow.stiffness","value":1}', 14, "no spring"),
        ('{"t":1,"set":"floor.force","value":[1,2,3]}', 14, "fixed"),
        ('{"t":1,"set":"ice.friction","value":-1}', 37, "negative"),
        ('{"t":1,"set":"ice.friction","value":"-1"}', 37, "negative"),
        ('{"t":1,"set":"ice.friction","value":[1,2]}', 37, "2 numbers"),
        ('{"t":1,"set":"ice.friction","value":[]}', 37, "0 numbers"),
        ('{"t":1,"set":"ice.friction","value":"1 2"}', 37, "2 numbers"),
        ('{"t":1,"set":"ice.friction","value":"1m"}', 37, "no unit"),
        ('{"t":1,"set":"ice.friction","value":""}', 37, "empty"),
        ('{"t":1,"set":"ice.friction","value":"nan"}', 37, "finite"),
        ('{"t":1,"set":"ice.friction","value":NaN}', 37, "not JSON"),
        ('{"t":1,"set":"ice.friction","value":1e999}', 37, "too large"),
        ('{"t":1,"set":"ice.friction","value":null}', 37, "null"),
        ('{"t":1,"set":"ice.friction","value":true}', 37, "true"),
        ('{"t":1,"set":"ice.friction","value":{}}', 37, "{"),
        ('{"t":1,"set":"ice.friction","value":[[1]]}', 38, "number"),
        ('{"t":1,"set":"ice.friction","value":["1"]}', 38, "number"),
        ('{"t":1,"set":"ice.friction","value":01}', 37, "begin with 0"),
        ('{"t":1,"set":"ice.friction","value":1.}', 39, "digit"),
        ('{"t":1,"set":"ice.friction","value":+1}', 37, "not JSON"),
        ('{"t":1,"set":"ice.friction","value":1,}', 39, "name"),
        ('{"t":1,"set":"ice.friction","value":1', 38, "the line ends"),
        ('{"t":1,"set":"ice.friction","value":"1', 37, "close it"),
        ('{"t":1,"set":"ice.friction","value":1} {}', 40, "one event"),
        ('{"t":1,"set":"ice.friction"}', 1, '"value"'),
        ('{"set":"ice.friction","value":1}', 1, '"t"'),
        ('{"t":"soon","set":"ice.friction","value":1}', 6, "not a number"),
        ('{"t":"1kg","set":"ice.friction","value":1}', 6, "ms"),
        ('{"t":[1,2],"set":"ice.friction","value":1}', 6, "2 numbers"),
        ('{"t":1e999,"set":"ice.friction","value":1}', 6, "too large"),
        ('{"t":1,"t":2,"set":"ice.friction","value":1}', 8, "twice"),
        ('{"t":1,"set":"ice.friction","vlaue":1}', 29, '"value"'),
        ('{"t":1,"set":7,"value":1}', 14, "text"),
        ('{"t":1,"ste":"ice.friction","value":1}', 1, '"set"'),
        ('{"t":1}', 1, '"release"'),
        ('{}', 1, '"release"'),
        ('{"t":1,"set":"ice.friction","release":"hand","value":1}', 1, "several"),
        ('{"t":1,"release":"hnad"}', 18, '"hand"'),
        ('{"t":1,"release":"floor"}', 18, "fixed"),
        ('{"t":1,"release":["hand"]}', 19, "number"),
        ('{"t":1,"release":"hand","to":[1,2,3]}', 25, "belong"),
        ('{"t":1,"pull":"hand","stiffness":1}', 1, '"to"'),
        ('{"t":1,"pull":"hand","to":[1,2,3]}', 1, '"stiffness"'),
        ('{"t":1,"pull":"hand","to":[1,2],"stiffness":1}', 27, "2 numbers"),
        ('{"t":1,"pull":"hand","to":[1,2,3],"stiffness":-1}', 15, "negative"),
        ('{"t":1,"pull":"hand","to":[1,2,3],"stiffness":"1kg"}', 47, "N/m"),
        ('{"t":1,"pull":"elbow","to":[1,2,3],"stiffness":1}', 15, "body"),
        ('{"t":1,"set":"é\\n.friction","value":1}', 14, "nothing is called"),
        ('{"é":1,"t":1,"set":"ice.frction","value":1}', 2, "belong"),
        ('{"t":1,"set":"\\ud800","value":1}', 15, "half"),
        ('{"t":1,"set":"\\x","value":1}', 15, "escape"),
        ('[]', 1, "braces"),
        ('# no comment', 1, "braces"),
        ("{'t':1}", 2, "double quotes"),
        ('{"t":1,"set":"elbow.limits","value":[2,1]}', 37, "limits"),
        ('{"t":1,"set":"elbow.limits","value":"0 12cm"}', 37, "deg"),
    ]

    def test_every_fault_has_its_line_and_column_and_all_come_at_once(self):
        scene = self.yard()
        events = self.events("".join(line + "\n" for line, _, _ in self.WRONG))
        done = self.tumble("run", scene, "--inputs", events, "-o", "a.csv", "--checkpoint", "c", status=3)
        lines = done.stderr.splitlines()
        for number, (line, column, word) in enumerate(self.WRONG, 1):
            with self.subTest(line=line):
                found = [text for text in lines if text.startswith(f"events.jsonl:{number}:")]
                self.assertEqual(len(found), 1, f"{found}\n{lines}")
                self.assertTrue(found[0].startswith(f"events.jsonl:{number}:{column}: "), found[0])
                self.assertIn(word, found[0])
        self.assertEqual(len(lines), len(self.WRONG))
        self.assertEqual(self.files(), ["events.jsonl", "yard.xml"])  # nothing was written

    def test_hundreds_of_faults_are_cut(self):
        for line in ('{"t":1,"set":"icy.friction","value":1}', '{"t":1,"set":"ice.friction","value":-1}',
                     "{"):
            done = self.tumble("run", self.yard(), "--inputs", self.events((line + "\n") * 5000), status=3)
            self.assertEqual(len(done.stderr.splitlines()), 101)
            self.assertIn("4900 more", done.stderr)

    def test_a_file_that_is_missing_a_directory_or_no_text(self):
        scene = self.yard()
        self.path("folder").mkdir()
        self.path("noise").write_bytes(bytes(range(256)) * 20)
        for name in ("nowhere", "folder", "noise", "/dev/zero"):
            self.assertTrue(self.tumble("run", scene, "--inputs", name, "-o", "a.csv",
                                        status=3).stderr.startswith(name))
        self.events("", "empty")
        self.tumble("run", scene, "--inputs", "empty", "--duration", "0.1", "-o", "a.tumble")
        self.tumble("run", scene, "--duration", "0.1", "-o", "b.tumble")
        self.assertEqual(self.bytes_of("a.tumble"), self.bytes_of("b.tumble"))
        events = self.events(EVENTS)
        self.assertIn("file", self.tumble("run", scene, "--inputs", events, "--log", events, status=2).stderr)

    def test_damaged_lines_are_answered_with_their_place(self):
        scene, choice = self.yard(), random.Random(11)
        good = lines_of(EVENTS)
        for _ in range(600 if LONG else 25):
            data = bytearray(good.encode())
            for _ in range(choice.randrange(1, 4)):
                at = choice.randrange(len(data))
                kind = choice.randrange(4)
                if kind == 0:
                    del data[at:at + choice.randrange(1, 9)]
                elif kind == 1:
                    data[at:at] = choice.choice([b'"', b"{", b"}", b"[", b",", b":", b"\\", b"1e400", b"\n",
                                                 b"\xff", b"\x00", b"-"])
                elif kind == 2:
                    data[at] = choice.randrange(256)
                else:
                    data[at:at] = data[at:at + 20]
            self.path("damaged").write_bytes(data)
            done = self.tumble("run", scene, "--inputs", "damaged", "--duration", "0", status=(0, 3),
                               errors="replace")
            self.assertNotIn("internal error", done.stderr)
            if done.returncode == 3:
                for line in done.stderr.splitlines():
                    self.assertRegex(line, r"^damaged:\d+:\d+: ", bytes(data))


class Many(InputsTest):
    def test_a_million_events_are_read_in_seconds_and_do_not_slow_steps(self):
        count = 1_000_000 if LONG else 50_000
        scene = self.yard()
        with open(self.path("many.jsonl"), "w") as file:
            for i in range(count):
                what = (f'"pull":"hand","to":[1,{2 + i / count},5],"stiffness":500,"damping":20',
                        f'"set":"elbow.drive.target","value":"{i % 30}deg"',
                        f'"set":"world.gravity","value":[0,-9.81,{i % 7}]')[i % 3]
                file.write(f'{{"t":{i / count},{what}}}\n')
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.tumble("run", scene, "--inputs", "many.jsonl", "-o", "a.csv", "--verify", "off")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime - before.ru_utime
        self.assertLess(seconds, 10 * count / 1e6 + 2)  # 10 us an event, and 2 s for the run itself
        # Those that have not come yet cost nothing: as many of them, all after the end.
        self.path("many.jsonl").write_text('{"t":5,"set":"world.gravity","value":[0,0,0]}\n' * count)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.tumble("run", scene, "--inputs", "many.jsonl", "-o", "a.csv", "--verify", "off")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime - before.ru_utime, 5 * count / 1e6 + 2)
        self.tumble("run", scene, "-o", "b.csv")
        self.assertEqual(self.bytes_of("a.csv"), self.bytes_of("b.csv"))


class MaxCpu(InputsTest):
    FLAGS = ["--duration", "100000", "--fps", "50"]

    def test_it_stops_closes_the_files_and_can_be_resumed(self):
        scene = self.scene()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = self.tumble("run", scene, *self.FLAGS, "-o", "a.csv", "-o", "a.tumble", "--checkpoint", "c",
                           "--summary", "a.json",
                           "--max-cpu", "0.3", status=1)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.assertGreater(taken, 0.29)
        self.assertLess(taken, 0.3 + 1)  # the checkpoint is written, too
        self.assertRegex(done.stderr, r"stopped: .*0\.3 s of CPU")
        self.assertIn("CPU", json.loads(self.path("a.json").read_text())["stopped"])
        rows = self.table("a.csv")[1]
        self.assertGreater(len(rows), 10)
        self.tumble("convert", "a.tumble", "read.csv")
        self.assertEqual(self.bytes_of("read.csv"), self.bytes_of("a.csv"))
        duration = str((len(rows) + 20) / 50)
        self.tumble("run", scene, "--fps", "50", "--duration", duration, "-o", "a.csv", "-o", "a.tumble",
                    "--resume", "c")
        self.tumble("run", scene, "--fps", "50", "--duration", duration, "-o", "b.csv", "-o", "b.tumble")
        for name in ("csv", "tumble"):
            self.assertEqual(self.bytes_of(f"a.{name}"), self.bytes_of(f"b.{name}"))

    def test_a_run_that_needs_less_is_not_touched_and_the_flag_wins_over_the_attribute(self):
        scene = self.scene('<scene><simulation duration="100000" fps="1000" max-cpu="200ms"/>'
                           '<body name="b" angular-velocity="1 2 3"><box size="1 2 3"/></body></scene>')
        self.tumble("run", scene, "--max-cpu", "60", "--duration", "1", "-o", "a.csv")
        self.assertIn("0.2 s", self.tumble("run", scene, "-o", "b.csv", status=1).stderr)
        self.assertIn("0.1 s", self.tumble("run", scene, "--max-cpu", "0.1", "-o", "b.csv", status=1).stderr)
        for wrong in ("0", "-1", "soon", "nan"):
            self.tumble("run", scene, "--max-cpu", wrong, status=2)
        self.assertIn("positive", self.tumble("check",
                                              self.scene('<scene><simulation max-cpu="0"/></scene>', "x.xml"),
                                              status=3).stderr)


LONG = "--long" in sys.argv
if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--long"])
