#!/usr/bin/env python3
"""The shipped scene of a nut on a bolt, and the claim it opens with."""
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
    def test_a_nut_goes_down_by_a_pitch_with_every_turn(self):
        _, frames = self.run_shipped("nut-on-bolt")
        # The corners of the nut's flanks lie on a true helix, as many on every side, and those of the bolt on another one, a
        # clearance away along the axis; between its corners the bolt is thinner by what an arc is higher than its chord, and its flanks rise as much as they
        # go in. Where the nut stands askew or aside, one side is nearer for the other being farther: none of it gains room in the mean over
        # all corners, but for the second power of its tilt.
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
