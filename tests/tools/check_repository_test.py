#!/usr/bin/env python3
"""tools/check_repository.py and tools/check_times.py find the faults that they are for."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
import check_times  # noqa: E402


def check(name, text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        done = subprocess.run([sys.executable, TOOLS / "check_repository.py", folder], capture_output=True,
                              text=True)
        return done.returncode, done.stdout


class Repository(unittest.TestCase):
    def test_clean_files_pass(self):
        for name, text in {
            "a.h": "#pragma once\n",
            "README.md": "See docs/homework.md, https://a.example/root/b and ${HOME}/work/x.\n",
            "a.cpp": "using namespace std;\n",
        }.items():
            self.assertEqual(check(name, text)[0], 0, check(name, text)[1])

    def test_faults_are_found_at_their_line(self):
        for name, text, word in [
            ("a.md", "\nlook in /ho" + "me/ada/tumble\n", "one machine"),
            ("a.sh", "\ncd /wo" + "rk/main\n", "one machine"),
            ("a.cpp", "\n// TO" + "DO: later\n", "unfinished"),
            ("a.h", "#pragma once\nusing namespace std;\n", "using namespace"),
        ]:
            status, output = check(name, text)
            self.assertEqual(status, 1, text)
            self.assertTrue(output.startswith(f"{name}:2: "), output)
            self.assertIn(word, output)

    def test_headers_are_guarded_and_files_are_short(self):
        self.assertIn("#pragma once", check("a.h", "int x;\n")[1])
        self.assertEqual(check("a.cpp", "//\n" * 800)[0], 0)
        self.assertEqual(check("a.cpp", "//\n" * 801)[0], 1)

    def test_an_empty_folder_does_not_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(subprocess.run([sys.executable, TOOLS / "check_repository.py", folder],
                                            capture_output=True).returncode, 1)


class Times(unittest.TestCase):
    def faults(self, seconds, first_line):
        """Faults that check_times finds in one test with this time and this first line of its source."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "tests/unit/core/a_test.cpp")
            source.parent.mkdir(parents=True)
            source.write_text(first_line + "\nint x;\n")
            command = ["bin/test_core", "--source-file=*/unit/core/a_test.cpp"]
            return check_times.faults({"core.a": seconds}, {"core.a": command}, Path(folder))

    def test_a_slow_test_needs_its_reason_in_its_first_line(self):
        self.assertEqual(self.faults(19.9, "// quick"), [])
        self.assertEqual(self.faults(20.1, "// slow: a million triangles"), [])
        self.assertEqual(len(self.faults(20.1, "// a million triangles")), 1)
        self.assertEqual(len(self.faults(20.1, "// slow:")), 1)


if __name__ == "__main__":
    unittest.main()
