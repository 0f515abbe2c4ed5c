#!/usr/bin/env python3
"""tools/check_layers.py reports forbidden includes with their line, and accepts allowed ones."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "check_layers.py"


def check(files):
    """Exit status and output of the tool on a checkout that holds these files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, TOOL, folder], capture_output=True, text=True)
        return done.returncode, done.stdout


class Layers(unittest.TestCase):
    def refused(self, name, line, *words):
        status, output = check({name: "#pragma once\n" + line + "\n"})
        self.assertEqual(status, 1, output)
        self.assertTrue(output.startswith(f"{name}:2: "), output)
        for word in words:
            self.assertIn(word, output)

    def passed(self, name, line):
        status, output = check({name: line + "\n"})
        self.assertEqual(status, 0, output)

    def test_a_module_may_include_modules_to_its_left(self):
        self.passed("src/tumble/simulate/a.cpp", '#include "tumble/core/ids.h"')
        self.passed("src/tumble/view/a.cpp", '#include "tumble/record/b.h"')
        self.passed("src/tumble/math/a.cpp", '#include "tumble/math/b.h"')

    def test_a_module_may_not_include_modules_to_its_right(self):
        self.refused("src/tumble/collision/a.h", '#include "tumble/model/model.h"',
                     "collision may not include model")
        self.refused("src/tumble/dynamics/a.h", '  #  include "tumble/scene/a.h"',
                     "dynamics may not include scene")

    def test_side_branches_may_not_include_each_other(self):
        self.refused("src/tumble/scene/a.cpp", '#include "tumble/record/b.h"', "scene may not include record")
        self.refused("src/tumble/record/a.cpp", '#include "tumble/simulate/b.h"')
        self.refused("src/tumble/record/a.cpp", '#include "tumble/view/b.h"')

    def test_programs_and_tests_may_include_all_headers_except_details(self):
        for user in ("apps/tumble", "tests/unit/scene", "examples", "benchmarks/micro"):
            self.passed(f"{user}/a.cpp", '#include "tumble/view/b.h"')
            self.refused(f"{user}/a.cpp", '#include "tumble/view/detail/b.h"', "detail of view")

    def test_the_umbrella_header_is_for_programs(self):
        self.passed("examples/a.cpp", "#include <tumble/tumble.h>")
        self.passed("src/tumble/tumble.h", '#include "tumble/scene/scene.h"')
        self.refused("src/tumble/view/a.cpp", '#include "tumble/tumble.h"', "not for its modules")
        self.refused("src/tumble/tumble.h", '#include "tumble/scene/detail/a.h"', "detail of scene")

    def test_details_are_private_to_their_module(self):
        self.passed("src/tumble/geometry/a.cpp", '#include "tumble/geometry/detail/b.h"')
        self.refused("src/tumble/model/a.cpp", '#include "tumble/geometry/detail/b.h"', "detail of geometry")

    def test_the_steppers_are_private_to_simulate_and_its_unit_tests(self):
        for header in ("leapfrog/stepper.h", "runge_kutta/types.h"):
            line = f'#include "tumble/simulate/{header}"'
            self.passed("src/tumble/simulate/stepper.h", line)
            self.passed("src/tumble/simulate/leapfrog/a.cpp", line)
            self.passed("tests/unit/simulate/a_test.cpp", line)
            for user in ("apps/tumble", "tests/analytic", "tests/unit/dynamics", "tests/support", "examples",
                         "benchmarks/joints"):
                self.refused(f"{user}/a.cpp", line, "simulate/simulation.h")
        self.refused("src/tumble/tumble.h", '#include "tumble/simulate/leapfrog/types.h"',
                     "belongs to a stepper")
        self.passed("tests/analytic/a_test.cpp", '#include "tumble/simulate/simulation.h"')

    def test_only_its_owner_may_include_a_library(self):
        self.passed("src/tumble/scene/a.cpp", "#include <expat.h>")
        self.refused("src/tumble/model/a.cpp", "#include <expat.h>", "only scene may")
        self.refused("src/tumble/scene/a.cpp", "#include <nlohmann/json.hpp>")
        self.refused("apps/tumble/a.cpp", "#include <png.h>")
        self.refused("src/tumble/dynamics/a.cpp", "#include <boost/numeric/odeint.hpp>")
        self.passed("src/tumble/core/a.cpp", "#include <Eigen/Core>")

    def test_a_library_that_is_not_in_the_table_is_refused(self):
        self.refused("src/tumble/core/a.cpp", "#include <fmt/format.h>", "new dependency")
        self.passed("src/tumble/core/a.cpp", "#include <vector>\n#include <sys/stat.h>\n#include <unistd.h>")

    def test_our_headers_need_the_full_path_and_quotes(self):
        self.refused("src/tumble/core/a.cpp", '#include "ids.h"', "full path")
        self.refused("src/tumble/core/a.cpp", "#include <tumble/core/ids.h>", "quotes")

    def test_a_module_that_does_not_exist_is_refused(self):
        self.refused("src/tumble/core/a.cpp", '#include "tumble/cor/ids.h"', "no module cor")
        status, output = check({"src/tumble/physics/a.cpp": "#include <vector>\n"})
        self.assertEqual(status, 1)
        self.assertIn("not in a known module", output)

    def test_a_checkout_without_sources_does_not_pass(self):
        self.assertEqual(check({})[0], 1)


if __name__ == "__main__":
    unittest.main()
