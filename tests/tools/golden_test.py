#!/usr/bin/env python3
"""tools/golden.py finds one changed bit or hash, and accepts equal runs. The tests use a fake program."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("TUMBLE_SOURCE_DIR", Path(__file__).parents[2]))
TOOL = SOURCE / "tools" / "golden.py"
sys.path.insert(0, str(SOURCE / "tools"))
import golden  # noqa: E402

# Writes the table of a sliding body to every output file. `behaviour` is code that changes something.
FAKE = '''#!{python} -IS
import json, sys, time
words = sys.argv[1:]
if words == ["--version"]:
    print("tumble 0.0 (x86-64-v3, GNU 12.2.0, Release)")
    sys.exit()
flags = {{a: b for a, b in zip(words[2:], words[3:]) if a.startswith("-")}}
files = [b for a, b in zip(words, words[1:]) if a == "-o"]
duration, method, resumed = float(flags["--duration"]), flags["--method"], "--resume" in flags
speed, extra = 2.0, ""
{behaviour}
rows = ["t,body.x"] + [f"{{i / 20}},{{speed * i / 20}}" for i in range(round(duration * 20) + 1)]
figures = "energy,kinetic,potential,max_joint_error,max_penetration,impacts".split(",")
log = [row + "," + (",".join(figures) if row[0] == "t" else "0,0,0,0,0,0") for row in rows]
for flag in ("--log", "--reactions", "--contacts"):
    if flag in flags:
        lines = log if flag == "--log" else rows
        open(flags[flag], "w").write("\\n".join(lines) + "\\n" + (extra if flag == "--log" else ""))
for file in files:
    open(file, "w").write("\\n".join(rows) + "\\n")
open(flags["--checkpoint"], "w").write(f"at {{duration}}")
summary = {{"steps": len(rows), "evaluations": 7 if resumed else 14, "method": method, "accuracy": 1e-3,
           "frames": len(rows) - 1, "holds": 0, "impacts": 0, "warnings": [], "energy_end": 0,
           "energy_scale": 0, "max_energy_gain": 0, "max_energy_gain_joules": 0, "max_energy_drift": 0,
           "max_energy_drift_joules": 0, "max_joint_error": 0, "max_penetration": 0}}
summary |= dict.fromkeys(("wall_seconds", "verify_seconds", "realtime_factor"), time.time())
json.dump(summary, open(flags["--summary"], "w"))
'''


class Golden(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "scenes").mkdir()
        for name, duration in (("slide", "200ms"), ("drop", "2")):
            self.scene(name, duration)
        self.good = self.program("good")

    def scene(self, name, duration):
        text = f'<scene>\n  <simulation fps="60" duration="{duration}"/>\n</scene>\n'
        (self.folder / "scenes" / f"{name}.xml").write_text(text)

    def program(self, name, behaviour=""):
        path = self.folder / name
        path.write_text(FAKE.format(python=sys.executable, behaviour=behaviour))
        path.chmod(0o755)
        return path

    def golden(self, *words, status=0):
        """Output of the tool, which must end with the exit code `status`."""
        command = [sys.executable, TOOL, *words, "--scenes", self.folder / "scenes"]
        if words[0] != "compare":
            command += ["--data", self.folder / "data", "--key", "fake"]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def stored(self):
        return json.loads((self.folder / "data" / "fake-short.json").read_text())

    def test_a_check_after_an_update_finds_no_difference(self):
        self.golden("update", "--program", self.good)
        self.assertIn("golden: 4 runs, 0 differ", self.golden("check", "--program", self.good))
        lines = (self.folder / "data" / "fake-short.json").read_text().splitlines()
        self.assertEqual(len(lines) - 2, len(self.stored()))
        self.assertEqual(sum(line.startswith('"slide fast ') for line in lines), 8)
        self.assertEqual(sum(line.startswith('"slide precise ') for line in lines), 7)  # no contacts

    def test_a_changed_hash_is_reported_with_its_run_and_output(self):
        self.golden("update", "--program", self.good)
        hashes = self.stored()
        old = hashes["slide fast contacts"]
        hashes["slide fast contacts"] = "0" * 16
        (self.folder / "data" / "fake-short.json").write_text(json.dumps(hashes))
        output = self.golden("check", "--program", self.good, status=1)
        self.assertIn(f"slide fast: contacts is {old}, stored is {'0' * 16}\n", output)
        self.assertIn("golden: 4 runs, 1 differ", output)
        self.assertIn("0 differ", self.golden("check", "--program", self.good, "-k", "drop"))

    def test_one_changed_bit_of_one_method_is_found(self):
        self.golden("update", "--program", self.good)
        other = self.program("other", 'speed = 2.0000000000000004 if method == "precise" else 2.0')
        output = self.golden("check", "--program", other, status=1)
        for name in ("tumble", "frames", "log", "reactions"):
            self.assertIn(f"drop precise: {name} is ", output)
        self.assertNotIn(" fast: ", output)
        self.assertIn("golden: 4 runs, 2 differ", output)

    def test_a_new_run_and_a_removed_one_are_differences(self):
        self.golden("update", "--program", self.good)
        (self.folder / "scenes" / "drop.xml").rename(self.folder / "scenes" / "fall.xml")
        output = self.golden("check", "--program", self.good, status=1)
        self.assertIn("fall fast: log is ", output)
        self.assertIn("drop fast: is stored, but there is no such run", output)

    def test_without_a_stored_file_the_check_is_skipped_and_explains_how_to_make_one(self):
        output = self.golden("check", "--program", self.good, status=77)
        self.assertIn("fake-short.json", output)
        self.assertIn(f"tools/golden.py update --program {self.good}", output)
        self.assertIn("update --long", self.golden("check", "--long", "--program", self.good, status=77))

    def test_a_resumed_run_must_equal_the_run_in_one_piece(self):
        bad = self.program("bad", 'extra = "more\\n" if resumed and method == "fast" else ""')
        output = self.golden("update", "--program", bad, status=1)
        self.assertIn("slide fast: resume: log is not that of the run in one piece: 6 and 7 rows", output)
        self.assertNotIn("precise", output)
        self.assertFalse((self.folder / "data").exists())
        self.golden("update", "--program", self.good)
        self.assertIn("golden: 4 runs, 2 differ", self.golden("check", "--program", bad, status=1))

    def test_a_refusal_is_stored_with_its_message(self):
        refuse = 'if method == "precise": sys.stderr.write("{} cannot"); sys.exit(2)'
        self.golden("update", "--program", self.program("refuse", refuse.format("I")))
        self.assertEqual([key for key in self.stored() if "precise" in key],
                         ["drop precise exit", "slide precise exit"])
        self.golden("check", "--program", self.folder / "refuse")
        output = self.golden("check", "--program", self.program("other", refuse.format("You")), status=1)
        self.assertIn("drop precise: exit is 2 ", output)

    def test_a_crash_is_never_stored(self):
        crash = self.program("crash", 'if method == "fast": import os; os.kill(os.getpid(), 9)')
        self.assertIn("slide fast: ended by signal 9", self.golden("update", "--program", crash, status=1))
        self.assertFalse((self.folder / "data").exists())

    def test_an_update_of_some_runs_leaves_the_others(self):
        self.golden("update", "--program", self.good)
        before = self.stored()
        self.golden("update", "--program", self.program("other", "speed = 3.0"), "-k", "slide fast")
        changed = sorted(key for key, value in self.stored().items() if before[key] != value)
        outputs = ("contacts", "frames", "log", "reactions", "tumble")
        self.assertEqual(changed, [f"slide fast {output}" for output in outputs])

    def test_two_programs_are_compared_cell_by_cell(self):
        self.assertIn("golden: 4 runs, 0 differ", self.golden("compare", self.good, self.good))
        other = self.program("other", "speed = 2.5")
        output = self.golden("compare", self.good, other, "-k", "slide fast", status=1)
        self.assertIn("slide fast: log differs: first at row 2, body.x, t = 0.05: 0.1 and 0.125; "
                      "largest difference 0.1 at row 5, body.x, t = 0.2\n", output)
        self.assertIn("slide fast: tumble differs: first at byte ", output)
        self.assertIn("golden: 1 run, 1 differ", output)

    def test_long_runs_go_to_the_end_of_the_scene(self):
        self.golden("update", "--long", "--program", self.good)
        long = json.loads((self.folder / "data" / "fake-long.json").read_text())
        self.golden("update", "--program", self.good)
        short = self.stored()
        self.assertNotEqual(long["drop fast log"], short["drop fast log"])  # 2 s and 0.3 s
        self.assertEqual(long["slide fast log"], short["slide fast log"])  # 0.2 s

    def test_the_key_names_compiler_instructions_and_libraries(self):
        (self.folder / "cmake").mkdir()
        (self.folder / "CMakeCache.txt").write_text(f"A:B=c\nEigen3_DIR:PATH={self.folder}/cmake\n")
        (self.folder / "cmake" / "Eigen3ConfigVersion.cmake").write_text('set(PACKAGE_VERSION "3.4.0")\n')
        key, _ = golden.key_of(str(self.good))
        self.assertTrue(key.startswith("gcc-12.2.0-x86-64-v3-release-eigen-3.4.0-qhull-unknown-"), key)

    def test_the_scene_of_every_lesson_exists(self):
        for lesson in golden.LESSONS:
            text = (SOURCE / "scenes" / f"{lesson.scene}.xml").read_text()
            self.assertIn("<simulation ", text)
        for scene, _ in golden.CAPS:
            self.assertTrue((SOURCE / "scenes" / f"{scene}.xml").exists(), scene)


if __name__ == "__main__":
    unittest.main()
