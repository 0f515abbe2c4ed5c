#!/usr/bin/env python3
"""`tumble plot` draws the columns of recordings and CSV files, and its pictures can be read back."""
import csv
import math
import unittest
import xml.etree.ElementTree as ElementTree

from program import SOURCE, ProgramTest

SVG = "{http://www.w3.org/2000/svg}"
PIXEL = 0.005  # half of the last decimal of a coordinate

# Two equal rods on hinges. Each has its mass m = 1 kg in the middle and m l^2 / 12 about it; l = 1 m.
PENDULUM = """<scene name="small-swings">
  <simulation duration="40" fps="60" method="precise" accuracy="1e-9"/>
  <world gravity="0 -9.81 0"/>
  <body name="upper" rotate="0 0 1 0.5deg">
    <inertia mass="1kg" center="0 -0.5 0" moments="{moment} {moment} {moment}"/>
  </body>
  <body name="lower" position="0.008726535498373935 -0.9999619230641713 0" rotate="0 0 1 -0.3deg">
    <inertia mass="1kg" center="0 -0.5 0" moments="{moment} {moment} {moment}"/>
  </body>
  <joint name="shoulder" type="hinge" b="upper" at="0 0 0" axis="0 0 1"/>
  <joint name="elbow" type="hinge" a="upper" b="lower" at="0.008726535498373935 -0.9999619230641713 0"
         axis="0 0 1"/>
</scene>
""".format(moment=1 / 12)


class Axis:
    """An axis of a panel, from its data attributes."""

    def __init__(self, panel, name, first, last):
        self.lo, self.hi = (float(panel.get(f"data-{name}-{end}")) for end in ("min", "max"))
        self.first, self.last = float(panel.get(f"data-{first}")), float(panel.get(f"data-{last}"))
        self.log = panel.get(f"data-{name}-scale") == "log"

    def value(self, pixel):
        part = (pixel - self.first) / (self.last - self.first)
        if self.log:
            return self.lo * (self.hi / self.lo) ** part
        return self.lo + part * (self.hi - self.lo)

    def resolution(self):
        """Half of the last decimal of a coordinate; on a logarithmic axis as a factor."""
        part = 1.01 * PIXEL / abs(self.last - self.first)
        return (self.hi / self.lo) ** part - 1 if self.log else (self.hi - self.lo) * part


class Curve:
    def __init__(self, panel, group):
        self.column, self.unit, self.file = (group.get(f"data-{name}") for name in ("column", "unit", "file"))
        self.x, self.y = Axis(panel, "x", "left", "right"), Axis(panel, "y", "bottom", "top")
        path = group.find(f"{SVG}path[@class='points']")
        self.lines = [[tuple(map(float, point.split(","))) for point in line.replace("h0", "").split()]
                      for line in path.get("d").split("M")[1:]]
        self.points = [(self.x.value(x), self.y.value(y)) for line in self.lines for x, y in line]
        self.dashes = path.get("stroke-dasharray")
        numbers = group.find(f"{SVG}metadata")
        self.numbers = None if numbers is None else [
            tuple(map(float, point.split(","))) for point in (numbers.text or "").split()]


class Picture:
    def __init__(self, path):
        self.root = ElementTree.parse(path).getroot()
        self.panels = self.root.findall(f"{SVG}g[@class='panel']")
        self.titles = [panel.get("data-title") for panel in self.panels]
        self.curves = [Curve(panel, group) for panel in self.panels
                       for group in panel.findall(f"{SVG}g[@class='curve']")]
        self.peaks = [(float(text.get("data-frequency")), float(text.get("data-amplitude")), text.text)
                      for text in self.root.iter(f"{SVG}text") if text.get("data-frequency")]
        self.texts = [text.text for text in self.root.iter(f"{SVG}text")]

    def curve(self, column, file=0):
        found = [curve for curve in self.curves if curve.column == column]
        return found[-1 - file]  # later files are drawn first

    def columns(self, panel):
        return sorted({group.get("data-column")
                       for group in self.panels[panel].findall(f"{SVG}g[@class='curve']")})


class Plots(ProgramTest):
    def plot(self, *arguments, status=0):
        self.words = self.tumble("plot", *arguments, "-o", "out.svg", status=status).stderr
        return Picture(self.path("out.svg")) if status == 0 else self.words

    def columns(self, name):
        with open(self.path(name), newline="") as file:
            rows = list(csv.DictReader(file))
        return {column: [float(row[column]) for row in rows] for column in rows[0]}

    def assert_equals_column(self, curve, t, values):
        """Every row of a short column is a point, to half of the last decimal of its coordinates."""
        self.assertEqual(len(curve.points), len(values))
        for (x, y), time, value in zip(curve.points, t, values):
            self.assert_close(x, time, curve.x.resolution())
            self.assert_close(y, value, curve.y.resolution())

    def test_cradle_and_pendulum_show_the_graphs_of_2007(self):
        """Energy, momentum of each ball, step size: read back from the picture, they equal the log."""
        for scene, bodies in (("newton-cradle", [f"ball{i}" for i in range(1, 6)]),
                              ("newton-cradle-lossy", [f"ball{i}" for i in range(1, 6)]),
                              ("pendulum-8", ["rod1", "rod8"])):
            self.tumble("run", SOURCE / f"scenes/{scene}.xml", "-o", "run.tumble", "--log", "log.csv",
                        "--log-bodies", ",".join(bodies), "--duration", "1.5")
            log = self.columns("log.csv")
            for file in ("run.tumble", "log.csv"):
                picture = self.plot(file, "--numbers")
                self.assertEqual(self.words, "")
                self.assertEqual(picture.titles[0], "energy (J)")
                self.assertIn("step size (s)", picture.titles)
                drawn = {curve.column for curve in picture.curves}
                self.assertTrue({f"{body}.px" for body in bodies} <= drawn)
                for column in ("kinetic", "potential", "energy", "h", *(f"{body}.px" for body in bodies)):
                    curve = picture.curve(column)
                    self.assert_equals_column(curve, log["t"], log[column])
                    self.assertEqual(curve.numbers, list(zip(log["t"], log[column])))
        self.assertIn("momentum along x (kg m/s)", picture.titles)

    def test_columns_of_a_recording_are_those_of_the_files(self):
        self.tumble("run", SOURCE / "scenes/newton-cradle.xml", "-o", "run.tumble", "-o", "run.csv",
                    "--reactions", "reactions.csv", "--contacts", "contacts.csv", "--duration", "0.5")
        for file, columns in (("run.csv", "ball1.x,ball1.qw,ball1.vx,ball5.vy,ball1.wz"),
                              ("reactions.csv", "pivot1.fx,pivot1.fy,pivot5.tx,pivot5.effort")):
            table = self.columns(file)
            for source in ("run.tumble", file):
                picture = self.plot(source, "--columns", columns)
                for column in columns.split(","):
                    self.assert_equals_column(picture.curve(column), table["t"], table[column])
        with open(self.path("contacts.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        for file in ("run.tumble", "contacts.csv"):
            picture = self.plot(file, "--columns", "jn,gap,slip,contacts.count,contacts.force")
            for column in ("jn", "gap", "slip"):
                self.assert_equals_column(picture.curve(column), [float(row["t"]) for row in rows],
                                          [float(row[column]) for row in rows])
            force = {}
            for row in rows:
                force.setdefault(float(row["t"]), []).append(100 * float(row["jn"]))  # 100 frames/s
            curve = picture.curve("contacts.force")
            drawn = {round(x, 2): y for x, y in curve.points}
            for t, parts in force.items():
                self.assert_close(drawn[round(t, 2)], sum(parts), curve.y.resolution() + 1e-12)
            counted = max(round(y) for _, y in picture.curve("contacts.count").points)
            self.assertEqual(counted, max(len(parts) for parts in force.values()))

    def test_small_double_pendulum_has_its_two_lines(self):
        """Lagrange's equations for small angles: [4/3 1/2; 1/2 1/3] a'' + g [3/2 0; 0 1/2] a = 0."""
        self.scene(PENDULUM, "p.xml")
        self.tumble("run", "p.xml", "-o", "p.tumble", "-o", "p.csv")
        g = 9.81
        # det(K - w^2 M) = 0: 7/36 z^2 - (3/2 * 1/3 + 1/2 * 4/3) g z + 3/4 g^2 = 0 with z = w^2
        a, b, c = 4 / 9 - 1 / 4, -(0.5 + 2 / 3) * g, 0.75 * g * g
        root = math.sqrt(b * b - 4 * a * c)
        lines = [math.sqrt(z) / (2 * math.pi) for z in ((-b - root) / (2 * a), (-b + root) / (2 * a))]
        for file in ("p.tumble", "p.csv"):
            for column in ("lower.x", "upper.x,lower.x"):
                picture = self.plot(file, "--spectrum", "--columns", column)
                found = sorted(picture.peaks)
                self.assertEqual(len(found), 2)
                for (frequency, _, text), exact in zip(found, lines):
                    self.assert_close(frequency, exact, 1e-3 * exact)
                    self.assert_close(float(text.removesuffix(" Hz")), frequency, 1e-4 * frequency)
                self.assertIn("frequency (Hz)", picture.texts)
                self.assertEqual(picture.titles, ["amplitude of position (m)"])

    def test_second_file_is_dashed_over_the_first(self):
        for name, accuracy in (("a", "1e-3"), ("b", "1e-4")):
            self.tumble("run", SOURCE / "scenes/bouncing-ball.xml", "-o", f"{name}.tumble", "--log",
                        f"{name}.csv", "--duration", "1", "--accuracy", accuracy)
        picture = self.plot("a.tumble", "b.csv", "--columns", "kinetic,h", "--title", "one <and> two")
        self.assertEqual(picture.titles, ["energy (J)", "step size (s)"])
        self.assertEqual(picture.texts[0], "one <and> two")
        for file, name in enumerate(("a.tumble", "b.csv")):
            log = self.columns(f"{name[0]}.csv")
            for column in ("kinetic", "h"):
                curve = picture.curve(column, file)
                self.assertEqual(curve.file, name)
                self.assertEqual(curve.dashes is None, file == 0)
                self.assert_equals_column(curve, log["t"], log[column])
        self.assertTrue({"a.tumble", "b.csv"} <= set(picture.texts))

    def test_a_long_column_keeps_its_extremes(self):
        rows = [(0.001 * i, math.sin(0.05 * i)) for i in range(50000)]
        rows[12345] = (12.345, 7.25)
        rows[12346] = (12.346, -6.5)
        self.path("long.csv").write_text("t,a\n" + "".join(f"{t!r},{y!r}\n" for t, y in rows))
        curve = self.plot("long.csv", "--numbers").curve("a")
        self.assertLess(len(curve.points), 4000)
        self.assertTrue({rows[0], rows[12345], rows[12346], rows[-1]} <= set(curve.numbers))
        self.assertTrue(set(curve.numbers) <= set(rows))
        for (x, y), (t, value) in zip(curve.points, curve.numbers):
            self.assert_close(x, t, curve.x.resolution())
            self.assert_close(y, value, curve.y.resolution())

    def test_paths_lie_in_the_plane_of_most_motion_with_equal_scales(self):
        self.scene("""<scene name="plane"><simulation duration="1" fps="50" method="precise"/>
          <world gravity="0 0 -9.81" up="z"/>
          <body name="stone" velocity="0 3 4"><sphere radius="0.1"/></body></scene>""", "s.xml")
        self.tumble("run", "s.xml", "-o", "s.tumble", "-o", "s.csv")
        table = self.columns("s.csv")
        picture = self.plot("s.tumble", "--path", "stone", "--from", "0.2")
        curve = picture.curve("stone")
        self.assertIn("y (m)", picture.texts)
        self.assertEqual(picture.titles, ["z (m)"])
        self.assert_equals_column(curve, table["stone.y"][10:], table["stone.z"][10:])
        per_pixel = [(axis.hi - axis.lo) / abs(axis.last - axis.first) for axis in (curve.x, curve.y)]
        self.assert_close(per_pixel[0], per_pixel[1], 1e-9 * per_pixel[0])

    def test_logarithmic_axes_gaps_and_range(self):
        self.path("bench.csv").write_text("links,time (ms),2011 (ms)\n1,0.001,\n10,0.01,\n100,0.1,3\n"
                                          "1000,1,22\n10000,0,\n100000,100,\n")
        picture = self.plot("bench.csv", "--log-x", "--log-y")
        self.assertIn("time (ms): 1 point is not above 0", self.words)
        self.assertIn("links", picture.texts)
        self.assertEqual([len(line) for line in picture.curve("time (ms)").lines], [4, 1])
        self.assertEqual([len(line) for line in picture.curve("2011 (ms)").lines], [2])
        curve = picture.curve("time (ms)")
        for (x, y), links in zip(curve.points, (1, 10, 100, 1000)):
            self.assert_close(x, links, curve.x.resolution() * links)
            self.assert_close(y, 1e-3 * links, curve.y.resolution() * 1e-3 * links)
        picture = self.plot("bench.csv", "--from", "10", "--to", "1000", "--columns", "time*", "--size",
                            "500x300")
        self.assertEqual(len(picture.curve("time (ms)").points), 3)
        self.assertEqual((picture.root.get("width"), picture.root.get("height")), ("500", "300"))

    def test_wildcards_and_panels(self):
        self.tumble("run", SOURCE / "scenes/newton-cradle.xml", "-o", "run.tumble", "--duration", "0.1")
        picture = self.plot("run.tumble", "--columns", "ball*.vx,energy", "--columns", "ball1.vx")
        self.assertEqual([picture.columns(i) for i in range(3)],
                         [[f"ball{i}.vx" for i in range(1, 6)], ["energy"], ["ball1.vx"]])

    def test_columns_that_are_zero_are_left_out_by_default(self):
        self.scene("""<scene name="throw"><simulation duration="1" method="precise"/>
          <body name="stone" velocity="3 4 0"><sphere radius="0.1"/></body></scene>""", "s.xml")
        self.tumble("run", "s.xml", "-o", "run.tumble")
        columns = {curve.column for curve in self.plot("run.tumble").curves}
        self.assertEqual(columns, {"kinetic", "potential", "energy", "px", "py", "h"})

    def test_same_command_same_bytes(self):
        self.tumble("run", self.scene(), "-o", "a.tumble")
        self.plot("a.tumble")
        first = self.bytes_of("out.svg")
        self.plot("a.tumble")
        self.assertEqual(first, self.bytes_of("out.svg"))

    def test_wrong_use_says_what_to_do(self):
        self.tumble("run", self.scene(duration="0.5"), "-o", "a.tumble", "--log", "log.csv")
        self.path("t.csv").write_text("t,a,state\n0,1,stick\n1,2,slip\n")
        for arguments, says in (
                (("a.tumble", "--columns", "ball.vX"), "did you mean ball.vx"),
                (("a.tumble", "--columns", "ball.vX"), "columns: h, kinetic"),
                (("a.tumble", "--columns", "stick*"), 'no column "stick*"'),
                (("a.tumble", "--columns", "h,,t"), "empty name"),
                (("t.csv", "--columns", "state"), "has words, not numbers"),
                (("log.csv", "--spectrum", "--columns", "energy"), "even times"),
                (("log.csv", "--from", "5"), "the data go from 0 to 0.5"),
                (("log.csv", "--from", "2", "--to", "1"), "--from must be before --to"),
                (("log.csv", "--size", "9x9"), "no room"), (("log.csv", "--size", "big"), "--size takes"),
                (("a.tumble", "--path", "balls"), "did you mean ball.x"),
                (("a.tumble", "--path", "ball", "--spectrum"), "--path draws places"),
                (("pair.xml",), "run it first"), (("a.glb",), "expected a .tumble"),
                (("log.csv", "t.csv", "log.csv", "t.csv", "t.csv"), "usage")):
            self.assertIn(says, self.plot(*arguments, status=2), arguments)
        self.assertFalse(self.path("out.svg").exists())
        self.assertIn("a plot is an .svg", self.tumble("plot", "t.csv", "-o", "a.png", status=2).stderr)
        self.assertIn("name the picture", self.tumble("plot", "t.csv", status=2).stderr)
        self.tumble("plot", "t.csv", "-o", "none/a.svg", status=2)

    def test_bad_files_are_refused_with_their_place(self):
        for text, says in (("", ":1: the file is empty"), ("t,a\n", ": the file has no row"),
                           ("t,a\n0,1\n1\n", ":3: this row has 1 cell"),
                           ("t,a\n0,1\n1,2,3\n", ":3: this row has 3"),
                           ("t,a\n0,1\n1,nan\n", ':3:3: "nan" is not finite'),
                           ("t,a\n0,1\n1,1e999\n", ':3:3: "1e999" is too large'),
                           ("t,a\n0,1\n1,\x01\n", ":3:3: expected a number")):
            self.path("bad.csv").write_text(text)
            self.assertIn("bad.csv" + says, self.plot("bad.csv", status=3))
        self.path("bad.tumble").write_bytes(b"no recording")
        self.assertIn("bad.tumble", self.plot("bad.tumble", status=3))
        self.assertIn("missing.csv", self.plot("missing.csv", status=3))
        self.path("cut.csv").write_text("t,a\n0,1\n1,2\n2,")
        self.assertEqual(len(self.plot("cut.csv").curve("a").points), 2)
        self.assertIn("cut.csv:4: warning: the last row has no line end", self.words)


if __name__ == "__main__":
    unittest.main()
