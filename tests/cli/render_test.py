#!/usr/bin/env python3
# slow: draws films and the picture of every scene (--long)
"""Pictures and films as users see them: the camera, contact sheets, films, marks, faults."""
import os
import shutil
import struct
import subprocess
import sys
import time
import unittest
import zlib
from pathlib import Path

from program import SOURCE, ProgramTest

LONG, FILMS = "--long" in sys.argv, "--films" in sys.argv
FFMPEG = shutil.which("ffmpeg") and shutil.which("ffprobe")
SMALL = ("--size", "160x90")

# A ball falls behind a wall.
BIN = """<scene name="bin">
  <simulation duration="1" fps="30"/>
  <material name="red" density="1000" color="#ff0000"/>
  <material name="grey" density="1000" color="#808080"/>
  <body name="floor" fixed="true"><box size="2 0.2 2" at="0 -0.1 0" material="grey"/></body>
  <body name="front" fixed="true"><box size="2 2 0.1" at="0 1 1" material="grey"/></body>
  <body name="ball" position="0 0.8 0"><sphere radius="0.3" material="red"/></body>
</scene>
"""
# A body flies away from a heap.
HEAP = """<scene name="heap">
  <simulation duration="1" fps="30"/>
  <world gravity="0 0 0"/>
  {bodies}
  <body name="stray" position="0 5 0" velocity="0 {speed} 0"><sphere radius="0.1"/></body>
</scene>
"""


def pixels(data):
    """Width, height and rows of RGB bytes of a PNG of eight bits per channel."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert (depth, kind) == (8, 2)
    at, packed = 8, b""
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        if name == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += length + 12
    raw, rows, last = zlib.decompress(packed), [], bytes(3 * width)
    for y in range(height):
        at = y * (3 * width + 1)
        mode, line = raw[at], bytearray(raw[at + 1:at + 3 * width + 1])
        for i in range(3 * width):
            a, b, c = (line[i - 3] if i >= 3 else 0), last[i], (last[i - 3] if i >= 3 else 0)
            if mode == 1:
                line[i] = (line[i] + a) & 255
            elif mode == 2:
                line[i] = (line[i] + b) & 255
            elif mode == 3:
                line[i] = (line[i] + (a + b) // 2) & 255
            elif mode == 4:
                p = a + b - c
                nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                line[i] = (line[i] + nearest) & 255
        rows.append(bytes(line))
        last = line
    return width, height, rows


def is_red(rows, x, y):
    r, g, b = rows[y][3 * x:3 * x + 3]
    return r > 1.6 * g and r > 1.6 * b


class RenderTest(ProgramTest):
    def picture(self, *arguments, name="p.png", **options):
        self.tumble("render", *arguments, "-o", name, **options)
        return self.bytes_of(name)

    def red_rows(self, *arguments):
        """The rows of the picture that show something red."""
        width, height, rows = pixels(self.picture(*arguments))
        return height, [y for y in range(height) if any(is_red(rows, x, y) for x in range(width))]


class Camera(RenderTest):
    def test_the_camera_does_not_jump_within_a_recording(self):
        """A fixed body is drawn at the same pixels at every time."""
        still = BIN.replace('name="front" fixed="true"', 'name="front" fixed="true" position="-9 0 0"')
        self.tumble("run", self.scene(still), "-o", "a.tumble")
        corners = set()
        for t in ("0", "0.3", "0.7", "1"):
            rows = pixels(self.picture("a.tumble", "--time", t, *SMALL))[2]
            corners.add(rows[89])  # the lowest row: only floor and background
        self.assertEqual(len(corners), 1)

    def test_the_motion_fills_the_picture_although_one_body_flies_away(self):
        red = '<material name="red" density="1" color="#ff0000"/>'
        bodies = "".join(f'<body name="b{i}" position="{i % 3} {i // 3 % 3} {i // 9}">'
                         '<box size="0.5 0.5 0.5" material="red"/></body>' for i in range(18))
        heights = []
        for speed in ("0", "1000"):
            self.tumble("run", self.scene(HEAP.format(bodies=red + bodies, speed=speed)), "-o", "a.tumble")
            height, rows = self.red_rows("a.tumble", "--time", "0", *SMALL)
            heights.append(len(rows) / height)
        self.assertGreater(heights[1], 1 / 3)
        self.assertGreater(heights[1], heights[0] / 2)

    def test_a_wall_in_front_is_seen_through(self):
        self.tumble("run", self.scene(BIN), "-o", "a.tumble")
        self.assertTrue(self.red_rows("a.tumble", "--camera", "front", *SMALL)[1])
        self.assertFalse(self.red_rows("a.tumble", "--camera", "front", "--solid", *SMALL)[1])

    def test_views_by_name_and_by_angles_agree(self):
        scene = self.scene(BIN)
        for name, angles in (("front", "0,0"), ("side", "90,0"), ("back", "180,0"), ("top", "0,90")):
            with self.subTest(name):
                self.assertEqual(self.picture(scene, "--camera", name, *SMALL),
                                 self.picture(scene, "--camera", angles, *SMALL))
        pictures = {self.picture(scene, *SMALL, *more)
                    for more in ((), ("--camera", "front"), ("--camera", "side"), ("--camera", "top"),
                                 ("--camera", "back"), ("--camera", "front", "--orthographic"),
                                 ("--fov", "60"), ("--look-at", "floor"), ("--look-at", "0,1,0"),
                                 ("--zoom", "2"), ("--camera", "follow:ball"))}
        self.assertEqual(len(pictures), 11)

    def test_a_followed_body_stays_in_the_middle(self):
        self.tumble("run", self.scene(BIN), "-o", "a.tumble")
        for t in ("0", "0.2", "1"):
            width, height, rows = pixels(
                self.picture("a.tumble", "--camera", "follow:ball", "--time", t, "--solid", *SMALL))
            self.assertTrue(is_red(rows, width // 2, height // 2), t)

    def test_an_orthographic_ball_has_the_same_size_near_and_far(self):
        two = """<scene name="two"><world gravity="0 0 0"/><material name="red" density="1" color="#ff0000"/>
          <body name="near" position="-2 0 8"><sphere radius="1" material="red"/></body>
          <body name="far" position="2 0 -8"><sphere radius="1" material="red"/></body></scene>"""
        data = self.picture(self.scene(two), "--camera", "front", "--orthographic", *SMALL)
        width, height, rows = pixels(data)
        count = [sum(is_red(rows, x, y) for x in columns for y in range(height))
                 for columns in (range(width // 2), range(width // 2, width))]
        self.assertGreater(count[0], 100)
        self.assertLess(abs(count[0] - count[1]), 0.05 * count[0])

    def test_a_glb_takes_the_same_options(self):
        self.tumble("run", self.scene(BIN), "-o", "a.glb")
        self.assertTrue(self.red_rows("a.glb", "--camera", "front", *SMALL)[1])
        self.assertTrue(self.red_rows("a.glb", "--camera", "follow:ball", *SMALL)[1])


class Sheets(RenderTest):
    def test_a_sheet_has_a_picture_for_each_time(self):
        self.tumble("run", self.scene(BIN), "-o", "a.tumble")
        for flags, columns, rows in ((("--times", "0,0.5,1"), 3, 1), (("--sheet", "6"), 3, 2)):
            width, height, _ = pixels(self.picture("a.tumble", *flags, *SMALL))
            self.assertEqual((width, height), (columns * 164 - 4, rows * 94 - 4))
        self.assertEqual(self.picture("a.tumble", "--sheet", "3", *SMALL),
                         self.picture("a.tumble", "--times", "0,0.5,1", *SMALL))

    def test_threads_do_not_change_a_byte(self):
        self.tumble("run", self.scene(BIN), "-o", "a.tumble")
        sheets = {self.picture("a.tumble", "--sheet", "7", "--threads", n, *SMALL) for n in "1233"}
        self.assertEqual(len(sheets), 1)


class Marks(RenderTest):
    def test_each_mark_changes_the_picture(self):
        scene = self.scene("""<scene name="marks"><simulation duration="0.5" fps="30"/>
          <body name="floor" fixed="true"><box size="2 0.2 2" at="0 -0.1 0"/></body>
          <body name="box" position="0 0.25 0"><box size="0.5 0.5 0.5"/></body>
          <body name="arm" position="0.8 1 0"><box size="0.6 0.1 0.1"/></body>
          <joint name="pivot" type="hinge" b="arm" at="0.5 1 0" axis="0 0 1"/>
          <spring b="arm" at-a="1.1 1.6 0" at-b="1.1 1 0" length="0.5" stiffness="50"/></scene>""")
        self.tumble("run", scene, "-o", "a.tumble", "--method", "fast")
        pictures = {self.picture("a.tumble", *SMALL, *more)
                    for more in [()] + [("--show", mark) for mark in (
                        "contacts", "forces", "joints", "springs", "names", "skeleton")]
                    + [("--show", "names,joints"), ("--wireframe",)]}
        self.assertEqual(len(pictures), 9)
        # A scene has no recorded contacts.
        done = self.tumble("render", scene, "-o", "q.png", "--show", "contacts", status=2)
        self.assertIn(".tumble", done.stderr)

    def test_there_is_ground_only_where_the_scene_has_one(self):
        floating = BIN[:BIN.index("  <body")] + BIN[BIN.index('  <body name="ball"'):]
        scene = self.scene(floating)
        plain = pixels(self.picture(scene, *SMALL))
        for y in range(plain[1]):  # left of the ball there is only the background
            self.assertEqual(plain[2][y][:3 * 20], plain[2][y][:3] * 20)
        self.assertNotEqual(self.picture(scene, *SMALL, "--show", "grid"), self.picture(scene, *SMALL))


class Faults(RenderTest):
    def test_wrong_use_exits_2_with_a_hint(self):
        self.tumble("run", self.scene(BIN), "-o", "a.tumble")
        for flags, hint in ((("--camera", "left"), "front, side"), (("--camera", "1"), "AZIMUTH,ELEVATION"),
                            (("--camera", "1,2,3"), "AZIMUTH,ELEVATION"), (("--camera", "0,91"), "-90 to 90"),
                            (("--camera", "nan,0"), "AZIMUTH"), (("--camera", "follow:"), "name of a body"),
                            (("--camera", "follow:bal"), 'did you mean "ball"'),
                            (("--look-at", "nobody"), 'no body "nobody"'),
                            (("--look-at", "ball", "--camera", "follow:ball"), "exclude"),
                            (("--fov", "0"), "1 to 150"), (("--fov", "180"), "1 to 150"),
                            (("--fov", "40", "--orthographic"), "--zoom"),
                            (("--zoom", "0"), "greater than 0"),
                            (("--times", "0,x"), "0,0.5,1"), (("--times", "0,"), "0,0.5,1"),
                            (("--times", "-1"), "0,0.5,1"), (("--sheet", "0"), "1 to"),
                            (("--sheet", "2", "--times", "1"), "exclude"),
                            (("--sheet", "2", "--time", "1"), "--times"),
                            (("--show", "contact"), "did you mean contacts"), (("--show", "x"), "springs"),
                            (("--speed", "2"), "for films"), (("--from", "0"), "films and --sheet"),
                            (("--sheet", "2", "--from", "1", "--to", "0"), "before"),
                            (("--sheet", "2", "--from", "7"), "ends at"),
                            (("--size", "0x5"), "WIDTHxHEIGHT"), (("--threads", "0"), "between 1"),
                            (("-o", "a.avi"), ".mp4")):
            with self.subTest(flags):
                done = self.tumble("render", "a.tumble", "-o", "p.png", *flags, status=2)
                self.assertIn(hint, done.stderr)
        self.assertEqual(self.files(), ["a.tumble", "pair.xml"])

    def test_a_missing_ffmpeg_is_named(self):
        environment = os.environ | {"PATH": str(self.folder)}
        done = self.tumble("render", self.scene(BIN), "-o", "a.mp4", status=2, env=environment)
        self.assertIn("ffmpeg, which is not installed", done.stderr)
        self.assertEqual(self.files(), ["pair.xml"])

    def film_with(self, script, **options):
        """Draws a film with a shell script in the place of ffmpeg. An old film must survive a failure."""
        Path(self.folder, "bin").mkdir()
        fake = Path(self.folder, "bin", "ffmpeg")
        fake.write_text("#!/bin/sh\n" + script)
        fake.chmod(0o755)
        self.path("a.mp4").write_bytes(b"old")
        environment = os.environ | {"PATH": f"{fake.parent}:{os.environ['PATH']}"}
        done = self.tumble("render", self.scene(BIN), "-o", "a.mp4", *SMALL, status=1, env=environment)
        self.assertEqual(self.bytes_of("a.mp4"), b"old")
        self.assertEqual(self.files(), ["a.mp4", "bin", "pair.xml"])
        return done.stderr

    def test_an_ffmpeg_that_fails_is_quoted(self):
        self.assertRegex(self.film_with("echo unknown encoder >&2; exit 7\n"), "status 7.*unknown encoder")

    def test_an_ffmpeg_that_is_killed_is_reported(self):
        self.assertIn("signal 9", self.film_with("head -c 100000 >/dev/null; kill -9 $$\n"))


@unittest.skipUnless(FILMS, "a test of its own: --films")
class Films(RenderTest):
    def probe(self, name):
        """Frames, frame rate, width and height."""
        wanted = "stream=nb_read_frames,r_frame_rate,width,height"
        done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0",
                               "-show_entries", wanted, "-of", "default=nw=1", name], cwd=self.folder,
                              capture_output=True, text=True, timeout=60, check=True)
        found = dict(line.split("=") for line in done.stdout.split())
        up, down = map(int, found["r_frame_rate"].split("/"))
        return int(found["nb_read_frames"]), up / down, int(found["width"]), int(found["height"])

    def test_each_format_has_the_right_number_of_frames(self):
        self.tumble("run", self.scene(BIN), "-o", "a.tumble")
        for name, flags, frames, rate in (
                ("a.mp4", (), 31, 30), ("a.webm", ("--fps", "10"), 11, 10), ("a.gif", (), 21, 20),
                ("b.mp4", ("--speed", "0.5"), 61, 30), ("c.mp4", ("--from", "0.2", "--to", "0.7"), 16, 30),
                ("d.mp4", ("--speed", "4", "--fps", "24"), 7, 24)):
            with self.subTest(name):
                self.tumble("render", "a.tumble", "-o", name, *SMALL, *flags)
                self.assertEqual(self.probe(name), (frames, rate, 160, 90))
        self.assertIn("even", self.tumble("render", "a.tumble", "-o", "e.mp4", "--size", "161x90",
                                          status=2).stderr)

    def test_threads_do_not_change_a_film(self):
        self.tumble("run", self.scene(BIN), "-o", "a.tumble")
        films = set()
        for n in ("1", "2", "3", "3"):
            self.tumble("render", "a.tumble", "-o", "a.mp4", "--threads", n, *SMALL)
            films.add(self.bytes_of("a.mp4"))
        self.assertEqual(len(films), 1)

    def test_a_scene_is_simulated_for_its_film(self):
        self.tumble("render", self.scene(BIN), "-o", "a.mp4", *SMALL, "--duration", "0.5")
        self.assertEqual(self.probe("a.mp4")[0], 16)

    def test_ctrl_c_leaves_a_film_of_what_was_drawn(self):
        process = self.start("render", self.scene(BIN), "-o", "a.mp4", "--speed", "0.001", *SMALL)
        self.wait_for_bytes(process, "a.mp4.part", 0)
        time.sleep(1)
        process.send_signal(2)
        errors = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 130, errors)
        self.assertGreater(self.probe("a.mp4")[0], 1)
        self.assertFalse(self.path("a.mp4.part").exists())


class Gallery(RenderTest):
    """The moving part fills at least a third of the height of the picture of each scene."""

    SOME = ("double-pendulum", "stack", "bowl", "rings", "dominoes", "door")

    def test_the_moving_part_is_large(self):
        scenes = sorted(path.stem for path in (SOURCE / "scenes").glob("*.xml")) if LONG else self.SOME
        small = []
        for scene in scenes:
            text = SOURCE / "scenes" / f"{scene}.xml"
            self.tumble("run", text, "-o", "a.tumble", "--verify", "off", "--quiet", "--fps", "30",
                              *(() if LONG else ("--duration", "0.5")), status=(0, 1))
            done = self.tumble("render", "a.tumble", "-o", "p.png", *SMALL, "--verbose")
            fill = float(done.stderr.split("the motion fills ")[1].split("%")[0])
            if fill < 100 / 3:
                small.append((scene, fill))
        self.assertEqual(small, [])


if __name__ == "__main__":
    sys.argv = [word for word in sys.argv if word not in ("--long", "--films")]
    if FILMS and not FFMPEG:
        print("no ffmpeg here")
        sys.exit(77)
    if FILMS or LONG:
        sys.argv.append("Films" if FILMS else "Gallery")
    unittest.main()
