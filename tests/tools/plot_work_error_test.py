#!/usr/bin/env python3
"""tools/plot_work_error.py plots the output of a benchmark."""
import os
import sys
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["TUMBLE_SOURCE_DIR"]) / "tools"))
import plot_work_error  # noqa: E402

PRINTED = """top, 8 s; the reference with half as many steps differs by 1e-14
engine scene setting error cpu_ms
tumble top accuracy:1.0e-01 1.0e-03 1.5
tumble top accuracy:1.0e-02 1.0e-05 4
tumble top accuracy:1.8e-02 1.0e-04 5
mujoco top RK4-ball:60/s 1.0e-04 20

 error | tumble                              ms | simbody
"""


class Plot(unittest.TestCase):
    def test_only_rows_are_read(self):
        self.assertEqual(plot_work_error.read_rows(PRINTED),
                         {"top": {"tumble": [(1e-3, 1.5), (1e-5, 4.0), (1e-4, 5.0)],
                                  "mujoco": [(1e-4, 20.0)]}})

    def test_a_line_has_only_pareto_optimal_settings(self):
        self.assertEqual(plot_work_error.front([(1e-3, 1.5), (1e-5, 4.0), (1e-4, 5.0)]),
                         [(1e-3, 1.5), (1e-5, 4.0)])

    def test_every_setting_is_a_point_with_small_errors_to_the_right_and_long_times_above(self):
        root = ET.fromstring(plot_work_error.draw(plot_work_error.read_rows(PRINTED)))
        points = [(float(c.get("cx")), float(c.get("cy")))
                  for c in root.iter("{http://www.w3.org/2000/svg}circle")]
        self.assertEqual(len(points), 4)
        self.assertLess(points[0][0], points[1][0])
        self.assertGreater(points[0][1], points[1][1])


if __name__ == "__main__":
    unittest.main()
