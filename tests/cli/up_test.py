#!/usr/bin/env python3
"""glTF files are Y-up whatever the scene's up is; pictures show the scene's up; text has the scene's axes."""
import json
import struct
import unittest

from program import SOURCE, ProgramTest

FLOAT = 2.0**-24  # relative rounding error of the numbers in a .glb

# The same motion with another axis up: {g} is gravity, the vectors are (right, up, deep) of the scene.
LEVER = """<scene name="lever"><simulation duration="0.5" fps="30" method="precise"/><world {world}/>
<body name="arm" position="{arm}"><box size="0.3 0.1 0.2"/></body>
<body name="cart" position="{cart}"><sphere radius="0.1"/></body>
<script body="cart"><key t="0" position="{cart}"/><key t="1" position="{goal}"/></script>
<joint name="pivot" type="hinge" b="arm" at="{pivot}" axis="{axis}"/></scene>
"""
TURNS = {  # axis: (scene vector of (right, up, deep)), a right-handed cyclic change of axes
    "x": lambda r, u, d: (u, d, r),
    "y": lambda r, u, d: (r, u, d),
    "z": lambda r, u, d: (d, r, u),
}


def lever(axis, world=None):
    turn = TURNS[axis]
    words = lambda *v: " ".join(map(str, turn(*v)))  # noqa: E731
    return LEVER.format(world=world if world is not None else f'gravity="{words(0, -9.81, 0)}"',
                        arm=words(1, 2, 0), cart=words(0, 0.5, 3), goal=words(1, 0.5, 3),
                        pivot=words(0, 2, 0), axis=words(0, 0, 1))


def rotate(q, v):
    x, y, z, w = q
    t = (2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0]))
    return (v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
            v[2] + w * t[2] + x * t[1] - y * t[0])


class Up(ProgramTest):
    def document(self, name):
        data = self.bytes_of(name)
        if name.endswith(".gltf"):
            return json.loads(data), self.bytes_of(name.replace(".gltf", ".bin"))
        size = struct.unpack_from("<I", data, 12)[0]
        return json.loads(data[20:20 + size]), data[20 + size + 8:]

    def shown(self, name, body):
        """Positions of a body's origin in the world of the viewer, one for each frame."""
        json_, data = self.document(name)
        nodes, animation = json_["nodes"], json_["animations"][0]
        index = [node.get("name") for node in nodes].index(body)
        channel = next(c for c in animation["channels"]
                       if c["target"] == {"node": index, "path": "translation"})
        accessor = json_["accessors"][animation["samplers"][channel["sampler"]]["output"]]
        at = json_["bufferViews"][accessor["bufferView"]]["byteOffset"] + accessor["byteOffset"]
        points = [struct.unpack_from("<3f", data, at + 12 * k) for k in range(accessor["count"])]
        roots = json_["scenes"][0]["nodes"]
        if index not in roots:
            parents = [nodes[root] for root in roots if index in nodes[root]["children"]]
            self.assertEqual(len(parents), 1)
            points = [rotate(parents[0]["rotation"], p) for p in points]
        return points

    def origins(self, name, body):
        """The same from the .csv. Origin and centre of mass are the same for these bodies."""
        header, rows = self.table(name)
        at = header.index(f"{body}.x")
        return [row[at:at + 3] for row in rows]

    def assert_up(self, scene, axis, sign=1):
        """Height in the viewer is sign times the coordinate along the axis; distances stay."""
        self.tumble("run", scene, "-o", "a.glb", "-o", "a.gltf", "-o", "a.csv")
        for name in ("a.glb", "a.gltf"):
            for body in ("arm", "cart"):
                for got, p in zip(self.shown(name, body), self.origins("a.csv", body), strict=True):
                    size = 20 * FLOAT * max(map(abs, p))
                    self.assert_close(got[1], sign * p["xyz".index(axis)], size, f"{name} {body}")
                    self.assert_close(sum(x * x for x in got), sum(x * x for x in p), size * max(map(abs, p)))

    def test_up_follows_from_gravity(self):
        for axis in "xyz":
            self.assert_up(self.scene(lever(axis)), axis)

    def test_gravity_may_pull_along_a_positive_axis(self):
        for axis, gravity in (("x", "9.81 0 0"), ("y", "0 9.81 0"), ("z", "1 2 9.81")):
            self.assert_up(self.scene(lever(axis, f'gravity="{gravity}"')), axis, -1)

    def test_the_axis_nearest_to_the_opposite_of_gravity_is_up(self):
        self.assert_up(self.scene(lever("z", 'gravity="3 -4 -9"')), "z")

    def test_up_can_be_given(self):
        self.assert_up(self.scene(lever("z", 'gravity="0 0 0" up="z"')), "z")
        self.assert_up(self.scene(lever("x", 'up="x"')), "x")  # gravity is 0 -9.81 0
        self.assert_up(self.scene(lever("y", 'gravity="0 0 0"')), "y")
        self.scene(lever("y", 'up="w"'))
        self.assertIn("x, y or z", self.tumble("check", "pair.xml", status=3).stderr)

    def test_text_has_the_coordinates_of_the_scene(self):
        self.tumble("run", self.scene(lever("y", 'gravity="0 0 -9.81"')), "-o", "a.csv", "-o", "a.txt")
        self.tumble("run", self.scene(lever("y", 'gravity="0 0 -9.81" up="x"')), "-o", "b.csv", "-o", "b.txt")
        for suffix in ("csv", "txt"):
            self.assertEqual(self.bytes_of(f"a.{suffix}"), self.bytes_of(f"b.{suffix}"))

    def test_pictures_of_a_turned_scene_and_its_recordings_are_the_same(self):
        """A .glb has no grid. So pictures are compared format by format."""
        pictures = {}
        for axis in "xz":
            scene = self.scene(lever(axis))
            self.tumble("run", scene, "-o", "a.glb", "-o", "a.gltf", "-o", "a.tumble")
            for source in (scene, "a.glb", "a.gltf", "a.tumble"):
                self.tumble("render", source, "-o", "p.png", "--size", "320x180")
                pictures[axis, source] = self.bytes_of("p.png")
            self.assertEqual(pictures[axis, "a.glb"], pictures[axis, "a.gltf"])
        # Another up gives another picture of the same bodies.
        self.tumble("render", self.scene(lever("x", 'gravity="-9.81 0 0" up="y"')), "-o", "p.png", "--size",
                    "320x180")
        self.assertNotEqual(self.bytes_of("p.png"), pictures["x", "pair.xml"])

    def test_a_run_continues_a_turned_file(self):
        scene = self.scene(lever("z"))
        self.tumble("run", scene, "--duration", "0.2", "-o", "a.glb", "--checkpoint", "c")
        self.tumble("run", scene, "--resume", "c", "-o", "a.glb")
        self.tumble("run", scene, "-o", "b.glb")
        self.assertEqual(self.bytes_of("a.glb"), self.bytes_of("b.glb"))


class Names(ProgramTest):
    """three.js removes []:./ from names, makes _ of blanks, and numbers names that are then equal."""

    def names(self, text):
        self.tumble("run", self.scene(text), "-o", "a.gltf")
        json_ = json.loads(self.bytes_of("a.gltf"))
        return json_["scenes"][0]["name"], [node["name"] for node in json_["nodes"]]

    def test_bodies_keep_their_names_in_three(self):
        two = '<sphere radius="0.1"/><sphere radius="0.1" at="0.3 0 0"/>'
        scene, nodes = self.names(
            '<scene name="ball"><simulation duration="0.1" method="precise"/><world gravity="0 0 -9.81"/>'
            f'<body name="ball">{two}</body><body name="ball1" position="0 5 0">{two}</body>'
            f'<body name="y-up" position="0 9 0">{two}</body></scene>')
        self.assertEqual(nodes[:3], ["ball", "ball1", "y-up"])
        plain = ["".join("_" if c.isspace() else c for c in name if c not in "[]:./")
                 for name in [scene, *nodes]]
        self.assertEqual(len(plain), len(set(plain)), plain)

    def test_other_names_stay(self):
        scene, nodes = self.names((SOURCE / "scenes" / "t-handle.xml").read_text())
        self.assertEqual(scene, "t-handle")


if __name__ == "__main__":
    unittest.main()
