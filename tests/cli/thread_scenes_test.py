#!/usr/bin/env python3
"""The shipped scene of a nut on a bolt. The test proves the claim at the top of the scene file."""
import math
import sys
import unittest

from contact_scenes_test import SceneTest, upright
from program import SOURCE

sys.path.insert(0, str(SOURCE / "tools"))
import thread_scenes  # noqa: E402


class Written(unittest.TestCase):
    def test_scene_and_meshes_are_what_the_tool_writes(self):
        for kind, files in (("xml", thread_scenes.SCENES), ("obj", thread_scenes.MESHES)):
            for name, make in files.items():
                self.assertEqual((SOURCE / "scenes" / f"{name}.{kind}").read_text(), make(), name)


class Thread(SceneTest):
    def test_a_nut_descends_by_one_pitch_per_turn(self):
        _, frames = self.run_shipped("nut-on-bolt")
        # How far the nut can be from its screw motion. The corners of its flanks lie on a helix, evenly
        # around the axis. Those of the bolt lie on another helix, a clearance away along the axis. Between
        # its corners the bolt is thinner by the height of an arc over its chord, and its flanks are at 45
        # degrees. If the nut is tilted or off the axis, one side is nearer and the opposite side is farther.
        # In the mean over all corners this gives no room, except in second order of the tilt.
        room = thread_scenes.CLEARANCE + thread_scenes.CREST * (1 - math.cos(math.pi / thread_scenes.PARTS))
        height = (thread_scenes.NUT_TURNS + 1) * thread_scenes.PITCH
        turned, last = 0, None
        for frame in frames:
            angle = 2 * math.atan2(frame["nut.qy"], frame["nut.qw"])
            turned += 0 if last is None else math.remainder(angle - last, 2 * math.pi)
            last = angle
            fallen = frame["nut.y"] - frames[0]["nut.y"] - thread_scenes.PITCH / (2 * math.pi) * turned
            self.assertLess(abs(fallen), room + height * (1 - upright(frame, "nut")), f"at {frame['t']}")
        self.assertLess(turned, -1.5 * 2 * math.pi)
        self.assertLess(math.hypot(frames[-1]["nut.x"], frames[-1]["nut.z"]), 2 * room)


if __name__ == "__main__":
    unittest.main()
