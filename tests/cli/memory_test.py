#!/usr/bin/env python3
# slow: with --long, it simulates many bodies for minutes
"""Memory does not grow with the length of a run: memory_test.py [--long]

A run that kept its frames in memory would need several times as much at its end as after a tenth of its time.
"""
import sys
import time
import unittest
from pathlib import Path

from program import ProgramTest

BODIES, DURATION = (1000, 100) if "--long" in sys.argv else (500, 20)  # s
MAX_GROWTH = 1.05


class Memory(ProgramTest):
    def test_a_run_needs_as_much_memory_at_its_end_as_after_a_tenth_of_its_time(self):
        bodies = "".join(f'<body name="b{i}" position="{i} 0 0" angular-velocity="0.1 {1 + i / BODIES} 0.2">'
                         '<box size="0.3 0.1 0.2"/></body>\n' for i in range(BODIES))
        simulation = f'<simulation duration="{DURATION}" fps="60" method="precise"/>'
        scene = self.scene(f'<scene name="many">{simulation}\n{bodies}</scene>\n')
        process = self.start("run", scene, "-o", "a.tumble", "-o", "a.glb", "--quiet")
        samples = []  # (bytes written, bytes of memory)
        while process.poll() is None:
            file, status = self.path("a.tumble"), Path(f"/proc/{process.pid}/statm")
            try:
                samples.append((file.stat().st_size, 4096 * int(status.read_text().split()[1])))
            except (FileNotFoundError, ProcessLookupError, IndexError):
                pass  # the file does not exist yet, or the process has ended
            time.sleep(0.002)
        self.assertEqual(process.returncode, 0, process.communicate()[1])
        written = self.path("a.tumble").stat().st_size
        samples = [(size, held) for size, held in samples if held > 0]
        early = [held for size, held in samples if 0.05 * written < size <= 0.15 * written]
        late = [held for size, held in samples if size > 0.8 * written]
        self.assertTrue(early and late, f"not enough samples: {len(samples)}")
        print(f"{BODIES} bodies, {DURATION} s: {max(early) / 1e6:.1f} MB at a tenth, "
              f"{max(late) / 1e6:.1f} MB at the end, {written / 1e6:.0f} MB written")
        self.assertGreater(written, 2 * max(early), "the run is too short for this test")
        self.assertLess(max(late), MAX_GROWTH * max(early))


if __name__ == "__main__":
    sys.argv = [a for a in sys.argv if a != "--long"]
    unittest.main()
