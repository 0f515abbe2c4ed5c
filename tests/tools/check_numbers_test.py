#!/usr/bin/env python3
"""tools/check_numbers.py reports bare tolerances with their line, and accepts those with name and reason."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "check_numbers.py"
CPP = "src/tumble/core/a.cpp"


def check(files):
    """Exit status and output of the tool on a checkout that holds these files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, TOOL, folder], capture_output=True, text=True)
        return done.returncode, done.stdout


class Numbers(unittest.TestCase):
    def refused(self, line, *words, name=CPP):
        status, output = check({name: "#pragma once\n" + line + "\n"})
        self.assertEqual(status, 1, output)
        self.assertTrue(output.startswith(f"{name}:2: "), output)
        for word in words:
            self.assertIn(word, output)

    def passed(self, text, name=CPP):
        status, output = check({name: "int one = 1;\n" + text + "\n"})
        self.assertEqual(status, 0, output)

    def test_a_small_number_is_refused(self):
        self.refused("bool f(double x) { return x < 1e-9; }", "1e-9", "a small number")
        self.refused("bool f(double x) { return x < 0x1p-40; }", "0x1p-40")
        self.refused("bool f(double x) { return x < 2.5E-3f; }", "2.5E-3")
        self.refused("double f(double x) { return x + 1 * (1 + 1e-12); }", "1e-12")

    def test_a_threshold_is_refused(self):
        self.refused("bool f(double x) { return x < 0.95; }", "0.95", "near 1")
        self.refused("double f(double x) { return 1.001 * x; }", "1.001")
        self.refused("double f(double x) { return x > 0.3; }", "0.3", "a decimal fraction")
        self.refused("bool f(double x) { return x < 1e15; }", "1e15", "a large number")

    def test_formulas_pass(self):
        self.passed("double f(double x) { return 0.5 * x * x - 0.375 * x + 3 * x / 7.0 + 1.5 + 0.0625; }")
        self.passed("int f(int x) { return 1'000'000 * x + 0x7f + (x >> 2); }")
        self.passed("double f(double x) { return 1e3 * x; }")

    def test_a_named_constant_with_a_reason_passes(self):
        self.passed("constexpr double kNear = 1e-9;  // m: rounding")
        self.passed("// m: rounding of a sum.\nconstexpr double kNear = 1e-9, kFar = 1e15;")
        self.passed("struct A {\n  /// Part of the size: what a file can say.\n  double slack = 1e-9;\n};")
        self.passed("struct A {\n  Color color = {0.3, 0.3, 0.3};  // sRGB\n};")
        self.passed("const Rgb kSky(0.44, 0.46, 0.5);  // light from above")

    def test_a_name_without_a_reason_is_refused(self):
        self.refused("constexpr double kNear = 1e-9;", "without a name and a reason")
        self.refused("struct A { double slack = 1e-9; };")

    def test_a_reason_without_a_name_is_refused(self):
        self.refused("bool f(double x) { return x < 1e-9; }  // rounding")
        text = "void f(double x) {\n  // rounding\n  const double y = x < 1e-4 ? 1 : x;\n}\n"
        status, output = check({CPP: text})
        self.assertEqual(status, 1)
        self.assertTrue(output.startswith(f"{CPP}:3: "), output)

    def test_comments_and_strings_are_ignored(self):
        self.passed('// below 1e-9 it is rounding\n/* 0.3 */ const char* s = "1e-9";')

    def test_files_of_numbers_and_tables_pass(self):
        for name in ("core/parameters.h", "core/solver_parameters.h", "core/tolerances.h", "scene/units.cpp"):
            text = "double f() { return 1e-9; }\n"
            status, output = check({CPP: "int one = 1;\n", f"src/tumble/{name}": text})
            self.assertEqual(status, 0, output)

    def test_a_name_has_one_value(self):
        first, second = "constexpr double kNear = 1e-9;  // m\n", "constexpr double kNear = 1e-8;  // m\n"
        status, output = check({CPP: first, "src/tumble/math/tolerances.h": "\n" + second})
        self.assertEqual(status, 1)
        expected = "src/tumble/math/tolerances.h:2: kNear is 1e-8 here and 1e-9 at "
        self.assertTrue(output.startswith(expected), output)
        status, output = check({"src/tumble/core/a.cpp": first, "src/tumble/math/a.cpp": first})
        self.assertEqual(status, 0, output)

    def test_numbers_outside_of_src_are_ignored(self):
        status, output = check({CPP: "int one = 1;\n", "tests/a.cpp": "double x = 1e-9;\n"})
        self.assertEqual(status, 0, output)

    def test_a_checkout_without_sources_does_not_pass(self):
        self.assertEqual(check({})[0], 1)


if __name__ == "__main__":
    unittest.main()
