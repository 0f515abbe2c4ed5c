#!/usr/bin/env python3
"""The shipped scene of a bowl that is filled. The test proves the claim at the top of the scene file."""
import math
import sys
import unittest

from contact_scenes_test import SceneTest, names, position
from program import SOURCE

sys.path.insert(0, str(SOURCE / "tools"))
import heap_scenes  # noqa: E402

FILLED, RESTS = 0.6, 1.25  # s: when the last body is below the rim, when all have been at rest for a while
KINDS = ("ball", "box", "ring", "capsule", "cross", "stone", "cylinder", "angle", "cone")


class Bowl(SceneTest):
    def test_it_is_filled_and_its_content_comes_to_rest(self):
        summary, frames = self.run_shipped("bowl")
        self.assertGreater(summary["impacts"], 100)
        rim, height = heap_scenes.BOWL
        bodies = [name for kind in KINDS for name in names(frames[0], kind)]
        self.assertEqual(len(bodies), 15)
        for frame in frames:
            for body in bodies:
                x, y, z = position(frame, body)
                self.assertLess(math.hypot(x, z), rim, f"{body} at {frame['t']}")
                self.assertGreater(y, 0, f"{body} at {frame['t']}")
        # they lie on top of each other
        self.assertGreater(max(frames[-1][f"{body}.y"] for body in bodies), height / 2)
        for frame in frames:
            for body in bodies:
                if frame["t"] > FILLED:
                    self.assertLess(frame[f"{body}.y"], height + 0.03, f"{body} at {frame['t']}")
                # Balls may continue to roll and spin: only contact with others stops them.
                if frame["t"] > RESTS and not body.startswith("ball"):
                    speed, turning = (math.hypot(*(frame[f"{body}.{v}{k}"] for k in "xyz")) for v in "vw")
                    # no body is larger than 5 cm
                    self.assertLess(speed + 0.05 * turning, 1e-6, f"{body} at {frame['t']}")


if __name__ == "__main__":
    unittest.main()
