#!/usr/bin/env python3
"""tools/long_table.py shows the results of all long tests from the report of ctest."""
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TOOLS = Path(__file__).parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
import long_table  # noqa: E402

LONG = '<properties><property name="cmake_labels" value="long"/></properties>'
REPORT = f"""<testsuite name="all" tests="7">
  <testcase name="soak" time="125.4" status="run">{LONG}</testcase>
  <testcase name="thread.determinism.threads" time="59.9" status="run"/>
  <testcase name="looks" time="3" status="fail"><failure message="Failed"/>{LONG}</testcase>
  <testcase name="peers" time="0.1" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>{LONG}</testcase>
  <testcase name="clang_tidy" time="0" status="notrun">
    <skipped message="Unable to find executable"/>{LONG}
  </testcase>
  <testcase name="core.ids" time="0.5" status="run"/>
  <testcase name="cli.run" time="10" status="fail"><failure message="Failed"/></testcase>
</testsuite>"""


class LongTable(unittest.TestCase):
    def setUp(self):
        self.lines = long_table.table(ElementTree.fromstring(REPORT), "abc1234", "2026-01-31").splitlines()

    def test_each_long_test_has_a_row(self):
        for row in ("| soak | 2:05 | passed |", "| thread.determinism.threads | 0:59 | passed |",
                    "| looks | 0:03 | FAILED |", "| peers | 0:00 | skipped |",
                    "| clang_tidy | 0:00 | FAILED |"):
            self.assertIn(row, self.lines)
        self.assertFalse([line for line in self.lines if line.startswith("| core.ids")])

    def test_totals_and_failures_are_of_all_tests(self):
        self.assertEqual(self.lines[0], "Commit abc1234, 2026-01-31.")
        for row in ("| daily | 2 | 0:10 | 1 | 1 | 0 |", "| long | 5 | 3:08 | 2 | 2 | 1 |",
                    "| all | 7 | 3:18 | 3 | 3 | 1 |",
                    "Failures: clang_tidy, cli.run, looks."):
            self.assertIn(row, self.lines)

    def test_a_run_without_failures_is_reported_as_such(self):
        report = '<testsuite><testcase name="a" time="1" status="run"/></testsuite>'
        self.assertIn("Failures: none.",
                      long_table.table(ElementTree.fromstring(report), "abc", "2026-01-31"))

    def test_it_is_written_next_to_the_report(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, TOOLS / "long_table.py", folder]
            self.assertEqual(subprocess.run(command, capture_output=True).returncode, 1)
            Path(folder, "junit.xml").write_text(REPORT)
            self.assertEqual(subprocess.run(command, capture_output=True).returncode, 0)
            self.assertIn("| soak | 2:05 | passed |", Path(folder, "long.md").read_text())


if __name__ == "__main__":
    unittest.main()
