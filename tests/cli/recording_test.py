#!/usr/bin/env python3
"""A .tumble holds what docs/recording.md says, read here from that page alone; --log-bodies adds up."""
import csv
import json
import struct
import unittest

from program import ProgramTest

# Two jointed boxes fall on a floor and a ball rolls; a spring and drag act.
YARD = """<scene name="yard">
  <simulation duration="1" fps="30" method="fast"/>
  <body name="floor" fixed="true"><plane normal="0 1 0"/></body>
  <body name="thigh" position="0 0.6 0"><box size="0.2 0.4 0.2"/></body>
  <body name="shin" position="0 0.2 0" angular-velocity="0 0 2"><box size="0.1 0.3 0.1"/></body>
  <body name="ball" position="1 0.2 0" velocity="1 0 0.3"><sphere radius="0.2"/></body>
  <joint name="knee" type="hinge" a="thigh" b="shin" at="0 0.4 0" axis="0 0 1" limits="-60deg 60deg"/>
  <spring a="thigh" b="ball" at-a="0.1 0.6 0" at-b="0.8 0.2 0" length="0.5" stiffness="50"/>
  <drag body="ball" linear="0.3"/>
</scene>
"""
STATES = ["stick", "slip", "impact"]


def read_chunks(data):
    """Type, offset and payload of every chunk. Checks magic, version and checksums."""
    assert data[:8] == b"\x89TMB\r\n\x1a\n" and struct.unpack_from("<II", data, 8) == (3, 0)
    chunks, at = [], 16
    while at < len(data):
        kind, length = data[at:at + 4].decode(), struct.unpack_from("<Q", data, at + 4)[0]
        end = at + 12 + length
        padded = data[at:end] + bytes(-(12 + length) % 8)
        h = 0xcbf29ce484222325
        for (word,) in struct.iter_unpack("<Q", padded):
            h = (h ^ word) * 0x100000001b3 % 2**64
            h ^= h >> 32
        assert struct.unpack_from("<Q", data, end)[0] == h, f"{kind} at {at}"
        chunks.append((kind, at, data[at + 12:end]))
        at = end + 8
    return chunks


class Recordings(ProgramTest):
    def run_yard(self, name, *flags, status=0):
        self.scene(YARD, "yard.xml")
        return self.tumble("run", "yard.xml", "-o", f"{name}.tumble", "--contacts", f"{name}.contacts.csv",
                           "--reactions", f"{name}.reactions.csv", "--log", f"{name}.log.csv", *flags,
                           status=status)

    def of_kind(self, name, kind):
        return [payload for k, _, payload in read_chunks(self.bytes_of(f"{name}.tumble")) if k == kind]

    def test_contacts_are_those_of_the_contacts_file(self):
        self.run_yard("a")
        names = json.loads(self.of_kind("a", "INFO")[0])["bodies"]
        rows = []
        for k, payload in enumerate(self.of_kind("a", "CONT")):
            frame, t, points, patches = struct.unpack_from("<QdII", payload)
            self.assertEqual((frame, t), (k, k / 30))
            self.assertEqual(len(payload), 24 + 112 * points + 56 * patches)
            for i in range(points):
                a, b, state, patch, *numbers = struct.unpack_from("<IIII12d", payload, 24 + 112 * i)
                of_patch = struct.unpack_from("<7d", payload, 24 + 112 * points + 56 * (patch - 1))
                rows.append([t, names[a], names[b], *numbers, STATES[state], patch, *of_patch])
        with open(self.path("a.contacts.csv"), newline="") as file:
            expected = [[float(x) if i not in (1, 2, 15) else x for i, x in enumerate(row)]
                        for row in list(csv.reader(file))[1:]]
        self.assertGreater(len(rows), 30)
        self.assertEqual(rows, expected)

    def test_reactions_are_those_of_the_reactions_file(self):
        self.run_yard("a")
        info = json.loads(self.of_kind("a", "INFO")[0])
        self.assertEqual((info["joints"], info["reactions"], info["contacts"]), (["knee"], True, True))
        rows = [list(struct.unpack("<Q8d", payload)) for payload in self.of_kind("a", "REAC")]
        self.assertEqual([row[0] for row in rows], list(range(31)))
        self.assertEqual([row[1:] for row in rows], self.table("a.reactions.csv")[1])
        self.tumble("run", "yard.xml", "-o", "b.tumble")
        self.assertEqual(self.of_kind("b", "REAC"), [])
        self.assertEqual(len(self.of_kind("b", "CONT")), 31)

    def test_a_smooth_run_has_no_contacts(self):
        self.tumble("run", self.scene(), "-o", "a.tumble", "--step", "0.01", "--integrator", "rk4")
        self.assertEqual(self.of_kind("a", "CONT"), [])
        info = json.loads(self.tumble("info", "a.tumble", "--json").stdout)
        self.assertEqual((info["contacts"], info["reactions"], info["step"]), (False, False, 0.01))

    def test_the_index_leads_to_every_chunk_that_follows_the_head(self):
        self.run_yard("a", "--log-bodies", "ball", "--duration", "10", "--accuracy", "1e-5")
        data = self.bytes_of("a.tumble")
        chunks = read_chunks(data)
        self.assertEqual([kind for kind, _, _ in chunks[-3:]], ["DONE", "INDX", "TAIL"])
        self.assertEqual(data[-28:-24], b"TAIL")
        block_at, found, blocks = struct.unpack_from("<Q", data, len(data) - 16)[0], [], 0
        payloads = {at: payload for _, at, payload in chunks}
        while block_at:
            self.assertEqual(data[block_at:block_at + 4], b"INDX")
            payload, blocks = payloads[block_at], blocks + 1
            found = [(kind.decode(), at) for kind, at in struct.iter_unpack("<4sQ", payload[8:])] + found
            block_at = struct.unpack_from("<Q", payload)[0]
        self.assertGreater(blocks, 1)
        self.assertEqual(found, [(kind, at) for kind, at, _ in chunks
                                 if kind not in ("INFO", "FILE", "SETT", "INPT", "INDX", "TAIL")])

    def test_a_resumed_run_ends_with_the_same_bytes(self):
        flags = ["--log-bodies", "ball,shin"]
        self.run_yard("whole", *flags)
        for stop in ("0.37", "0.5"):
            self.run_yard("part", *flags, "--duration", stop, "--checkpoint", "c")
            refused = self.run_yard("part", "--resume", "c", status=2).stderr
            self.assertIn("other options", refused)  # without --log-bodies
            self.run_yard("part", *flags, "--resume", "c")
            for kind in ("tumble", "contacts.csv", "reactions.csv", "log.csv"):
                self.assertEqual(self.bytes_of(f"part.{kind}"), self.bytes_of(f"whole.{kind}"), kind)

    def test_a_recording_that_only_the_resumed_run_writes_has_whole_contacts(self):
        self.scene(YARD, "yard.xml")
        self.tumble("run", "yard.xml", "-o", "whole.tumble")
        self.tumble("run", "yard.xml", "-o", "a.csv", "--duration", "0.52", "--checkpoint", "c")
        self.tumble("run", "yard.xml", "-o", "rest.tumble", "--resume", "c")
        rest = self.of_kind("rest", "CONT")
        self.assertGreater(len(rest), 10)
        self.assertEqual(rest, self.of_kind("whole", "CONT")[-len(rest):])

    def test_a_recording_without_its_end_is_read_and_converted(self):
        self.run_yard("a")
        data = self.bytes_of("a.tumble")
        tail = next(at for kind, at, _ in read_chunks(data) if kind == "DONE")
        self.path("killed.tumble").write_bytes(data[:tail])
        whole = json.loads(self.tumble("info", "a.tumble", "--json").stdout)
        killed = json.loads(self.tumble("info", "killed.tumble", "--json").stdout)
        self.assertEqual((whole["format"], whole["index"], killed["index"]), (3, True, False))
        for key in ("frames", "log_rows", "contacts", "reactions", "joints", "bodies", "warnings"):
            self.assertEqual(killed[key], whole[key], key)
        self.assertIn("no index", self.tumble("info", "killed.tumble").stdout)
        for name in ("a", "killed"):
            self.tumble("convert", f"{name}.tumble", f"{name}.copy.tumble")
            self.assertEqual(self.bytes_of(f"{name}.copy.tumble"), self.bytes_of(f"{name}.tumble"))
            self.tumble("convert", f"{name}.tumble", f"{name}.csv")
        self.assertEqual(self.bytes_of("a.csv"), self.bytes_of("killed.csv"))

    def test_a_newer_recording_is_refused_with_a_word(self):
        self.run_yard("a")
        data = bytearray(self.bytes_of("a.tumble"))
        data[8] = 4
        self.path("b.tumble").write_bytes(data)
        self.assertIn("a newer one wrote it", self.tumble("info", "b.tumble", status=3).stderr)


class LogOfBodies(ProgramTest):
    def test_columns_add_up_to_the_totals_in_csv_and_recording(self):
        self.scene(YARD, "yard.xml")
        for method in ("fast", "precise"):
            text = YARD if method == "fast" else YARD.replace('<plane normal="0 1 0"/>', "")
            self.scene(text.replace('limits="-60deg 60deg"', ""), "yard.xml")
            self.tumble("run", "yard.xml", "--method", method, "--log-bodies", "all", "--log", "l.csv", "-o",
                        "a.tumble")
            header, rows = self.table("l.csv")
            bodies = ["thigh", "shin", "ball"]
            columns = ["px", "py", "pz", "lx", "ly", "lz", "kinetic", "potential"]
            self.assertEqual(header[-24:], [f"{body}.{column}" for body in bodies for column in columns])
            recorded = [struct.unpack("<24d", payload[-24 * 8:]) for kind, _, payload in
                        read_chunks(self.bytes_of("a.tumble")) if kind == "LOGR"]
            self.assertEqual(recorded, [tuple(row[-24:]) for row in rows])
            self.assertGreater(len(rows), 10)
            for row in rows:
                at = dict(zip(header, row))
                for column in columns[:-1]:
                    parts = [at[f"{body}.{column}"] for body in bodies]
                    # round-off of a sum of three: each part may be as large as an arm times a momentum
                    size = sum(map(abs, parts)) + abs(at["kinetic"]) + 1
                    self.assert_close(sum(parts), at[column], 1e-14 * size, column)
            # The rest of the potential energy is that of the spring, which falls with its stretch.
            first = dict(zip(header, rows[0]))
            gravity = sum(first[f"{body}.potential"] for body in bodies)
            length = ((0.8 - 0.1) ** 2 + 0.4**2) ** 0.5
            self.assert_close(first["potential"] - gravity, 25 * (length - 0.5) ** 2, 1e-3)

    def test_angular_momentum_is_about_the_world_origin(self):
        self.scene("""<scene><simulation duration="0"/><world gravity="0 -10 0"/>
          <body name="far" position="3 2 0" velocity="0 4 0"><inertia mass="2" moments="1 1 1"/></body>
          <body name="post" fixed="true"/></scene>""", "s.xml")
        self.tumble("run", "s.xml", "--log-bodies", "far,post", "--log", "l.csv")
        header, rows = self.table("l.csv")
        at = dict(zip(header, rows[0]))
        columns = ("px", "py", "pz", "lx", "ly", "lz", "kinetic", "potential")
        self.assertEqual([at[f"far.{c}"] for c in columns], [0, 8, 0, 0, 0, 24, 16, 40])
        self.assertEqual({at[f"post.{c}"] for c in ("py", "lz", "kinetic", "potential")}, {0})

    def test_names_are_checked_and_the_scene_may_ask(self):
        self.scene(YARD, "yard.xml")
        words = self.tumble("run", "yard.xml", "--log", "l.csv", "--log-bodies", "bal", status=2).stderr
        self.assertIn('--log-bodies: there is no body "bal"; did you mean "ball"?', words)
        words = self.tumble("run", "yard.xml", "--log", "l.csv", "--log-bodies", "ball,ball", status=2).stderr
        self.assertIn("named twice", words)
        self.scene(YARD.replace('method="fast"', 'method="fast" log-bodies="shin" log="l.csv"'), "asks.xml")
        self.tumble("run", "asks.xml")
        self.assertTrue(self.table("l.csv")[0][-1] == "shin.potential")
        self.tumble("run", "asks.xml", "--log-bodies", "ball")
        self.assertTrue(self.table("l.csv")[0][-1] == "ball.potential")
        self.scene(YARD.replace('method="fast"', 'method="fast" log-bodies="knee" log="l.csv"'), "asks.xml")
        self.assertIn("asks.xml:2:", self.tumble("run", "asks.xml", status=3).stderr)


if __name__ == "__main__":
    unittest.main()
