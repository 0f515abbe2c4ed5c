#!/usr/bin/env python3
"""The server of `tumble view`: parts equal the recording, and everything else is refused."""
import json
import os
import re
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest

from program import PROGRAM, SIGINT, ProgramTest

SCENE = """<scene name="yard">
  <simulation duration="1" fps="30" method="fast"/>
  <world gravity="0 0 -9.81"/>
  <body name="floor" fixed="true"><plane normal="0 0 1"/></body>
  <body name="thigh" position="0 0 0.6"><box size="0.2 0.2 0.4" at="0 0 0.1"/></body>
  <body name="shin" position="0 0 0.2" angular-velocity="0 2 0"><box size="0.1 0.1 0.3"/></body>
  <joint name="knee" type="hinge" a="thigh" b="shin" at="0 0 0.4" axis="0 1 0" limits="-60deg 60deg"/>
  <spring name="cord" b="shin" at-a="0 0 2" at-b="0 0 0.2" length="1.5" stiffness="5"/>
</scene>
"""
PAGE = ('<!DOCTYPE html>\n<html><head><title>t</title></head><body>\n<!-- parts -->\n'
        '<script src="page.js"></script>\n</body></html>\n')
SCRIPT = 'console.log("</script> <!--");\n'


class Reply:
    def __init__(self, data):
        head, _, self.body = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split()[1]) if lines[0].startswith("HTTP/1.1 ") else None
        self.headers = {name.lower(): value.strip() for name, _, value in
                        (line.partition(":") for line in lines[1:])}


class ServerTest(ProgramTest):
    recording = "yard.tumble"

    def setUp(self):
        super().setUp()
        self.path("web").mkdir()
        self.path("web/page.html").write_text(PAGE)
        self.path("web/page.js").write_text(SCRIPT)
        self.environment = {**os.environ, "TUMBLE_WEB": str(self.path("web")), "DISPLAY": "",
                            "WAYLAND_DISPLAY": ""}
        self.scene(SCENE, "yard.xml")
        self.tumble("run", "yard.xml", "-o", "yard.tumble", "-o", "yard.csv", "--log", "yard.log.csv",
                    "--reactions", "yard.reactions.csv", "--contacts", "yard.contacts.csv")

    def view(self, *arguments):
        """Starts the server; self.port and self.token are those of its address."""
        self.process = subprocess.Popen([PROGRAM, "view", *arguments], cwd=self.folder,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(self.end, self.process)
        self.url = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", self.url)
        self.assertTrue(match, f"{self.url}\n{self.process.stderr.read() if not self.url else ''}")
        self.port, self.token = int(match[1]), match[2]
        return self.process

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        self.addCleanup(connection.close)
        return connection

    def send(self, data):
        """Sends bytes and returns what comes until the server closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(data)
            received = b""
            try:
                while block := connection.recv(1 << 16):
                    received += block
            except ConnectionResetError:
                pass
        return Reply(received)

    def get(self, path, method="GET", host=None, extra=""):
        host = f"127.0.0.1:{self.port}" if host is None else host
        host = f"Host: {host}\r\n" if host else ""
        return self.send(f"{method} {path} HTTP/1.1\r\n{host}{extra}Connection: close\r\n\r\n".encode())

    def part(self, name):
        reply = self.get(f"/{self.token}/{name}")
        self.assertEqual(reply.status, 200, name)
        self.assertEqual(int(reply.headers["content-length"]), len(reply.body))
        return reply.body

    def assert_alive(self):
        self.assertEqual(self.get(f"/{self.token}/").status, 200)


class Parts(ServerTest):
    def test_the_page_and_every_part_are_those_of_the_recording(self):
        self.view("yard.tumble", "--no-open")
        self.assertEqual(self.part("").decode(), PAGE)
        self.assertEqual(self.part("page.js").decode(), SCRIPT)
        manifest = json.loads(self.part("0/run.json"))
        self.assertEqual((manifest["scene"], manifest["frames"], manifest["fps"]), ("yard", 31, 30))
        self.assertEqual((manifest["up"], manifest["precision"], manifest["numbers_per_body"]),
                         ([0, 0, 1], "f64", 13))
        self.assertEqual([body["name"] for body in manifest["bodies"]], ["floor", "thigh", "shin"])
        self.assertEqual(manifest["command"], "tumble run yard.xml -o yard.tumble --duration 1.0 --fps 30.0 "
                                              "--method fast --accuracy 0.001 --reactions reactions.csv")

        blocks = range((31 + manifest["frames_per_block"] - 1) // manifest["frames_per_block"])
        numbers = struct.unpack(f"<{31 * 27}d", b"".join(self.part(f"0/frames/{b}") for b in blocks))
        rows = self.table("yard.csv")[1]
        for k, row in enumerate(rows):  # without the fixed floor
            self.assertEqual(list(numbers[27 * k:27 * k + 27]), [row[0], *row[14:]])

        names = ["floor", "thigh", "shin"]
        expected = []
        for line in self.path("yard.contacts.csv").read_text().splitlines()[1:]:
            cells = line.split(",")
            expected.append([round(float(cells[0]) * 30), names.index(cells[1]), names.index(cells[2]),
                             *map(float, cells[3:15]), ["stick", "slip", "impact"].index(cells[15])])
        contacts = b"".join(self.part(f"0/contacts/{b}") for b in blocks)
        self.assertGreater(len(expected), 20)
        self.assertEqual([list(row) for row in struct.iter_unpack("<16d", contacts)], expected)

        reactions = b"".join(self.part(f"0/reactions/{b}") for b in blocks)
        self.assertEqual([list(row) for row in struct.iter_unpack("<7d", reactions)],
                         [row[1:] for row in self.table("yard.reactions.csv")[1]])

        header, rows = self.table("yard.log.csv")
        log = manifest["log"]
        self.assertEqual([column["name"] for column in log["columns"]], header)
        values = struct.unpack(f"<{log['rows'] * len(header)}d", self.part("0/log"))
        self.assertEqual([list(values[i::log["rows"]]) for i in range(log["rows"])], rows)

    def test_joints_springs_and_bodies_stand_where_the_scene_has_them(self):
        self.view("yard.tumble", "--no-open")
        manifest = json.loads(self.part("0/run.json"))
        floor, thigh, shin = manifest["bodies"]
        self.assertEqual((floor["fixed"], floor["mass"]), (True, None))
        self.assert_close(thigh["mass"], 16, 1e-12)
        self.assertEqual(thigh["center"], [0, 0, 0.1])
        for moment, exact in zip(sorted(thigh["principal"]["moments"]),
                                 sorted([16 / 12 * (0.04 + 0.04), 16 / 12 * 0.2, 16 / 12 * 0.2])):
            self.assert_close(moment, exact, 1e-12)
        joint, = manifest["joints"]
        self.assertEqual((joint["name"], joint["type"], joint["a"], joint["b"]), ("knee", "hinge", 1, 2))
        for point, exact in ((joint["point_a"], [0, 0, -0.2]), (joint["point_b"], [0, 0, 0.2]),
                             (joint["axis_a"], [0, 1, 0]), (joint["axis_b"], [0, 1, 0])):
            for x, y in zip(point, exact):
                self.assert_close(x, y, 1e-12)
        self.assert_close(joint["limits"]["angle"][1], 1.0471975511965976, 1e-15)
        self.assertTrue(joint["xml"].startswith('<joint name="knee"') and joint["xml"].endswith("/>"))
        spring, = manifest["springs"]
        self.assertEqual((spring["name"], spring["rest"]), ("cord", 1.5))
        self.assertEqual({(spring["a"], *spring["point_a"]), (spring["b"], *spring["point_b"])},
                         {(-1, 0, 0, 2), (2, 0, 0, 0)})  # -1: the world
        data = self.part("0/scene.glb")
        document = json.loads(data[20:20 + struct.unpack_from("<I", data, 12)[0]])
        self.assertNotIn("animations", document)
        self.assertEqual([document["nodes"][body["node"]]["name"] for body in manifest["bodies"]],
                         ["floor", "thigh", "shin"])
        root = document["nodes"][document["scenes"][0]["nodes"][0]]
        self.assertEqual(sorted(root["children"]), [0, 1, 2])
        row = self.table("yard.csv")[1][0]
        self.assert_close(document["nodes"][1]["translation"][2], row[16] - 0.1, 1e-9)
        center, radius = manifest["focus"]["center"], manifest["focus"]["radius"]
        for row in self.table("yard.csv")[1]:
            for body in (14, 27):
                away = sum((x - c) ** 2 for x, c in zip(row[body:body + 3], center)) ** 0.5
                self.assertLess(away, radius)
        self.assertLess(radius, 2)

    def test_promises_name_value_bound_and_moment(self):
        self.view("yard.tumble", "--no-open")
        promises = {p["name"]: p for p in json.loads(self.part("0/run.json"))["promises"]}
        self.assertEqual({p["held"] for p in promises.values()}, {True})
        self.assertEqual(promises["energy gain"]["bound"], 10 * 1e-3)
        self.assertEqual((promises["penetration"]["value"], promises["penetration"]["bound"]), (0, 0))
        header, rows = self.table("yard.log.csv")
        column = header.index("max_joint_error")
        widest = max(rows, key=lambda row: row[column])
        self.assertEqual((promises["joint gap"]["value"], promises["joint gap"]["worst"]["t"]),
                         (widest[column], widest[0]))

    def test_a_second_recording_is_part_1(self):
        self.tumble("run", "yard.xml", "-o", "other.tumble", "--set", "shin.angular-velocity.y=3")
        self.view("yard.tumble", "--no-open", "--compare", "other.tumble")
        first, second = (json.loads(self.part(f"{i}/run.json")) for i in (0, 1))
        self.assertEqual((first["compare"], second["compare"]), (True, False))
        self.assertEqual(second["settings"], ["shin.angular-velocity.y=3"])
        self.assertNotEqual(self.part("0/frames/0"), self.part("1/frames/0"))
        self.assertEqual(self.get(f"/{self.token}/2/run.json").status, 404)

    def test_a_scene_is_run_first_and_leaves_no_file(self):
        self.environment["TMPDIR"] = str(self.path("tmp"))
        self.path("tmp").mkdir()
        process = self.view("yard.xml", "--no-open", "--duration", "0.5", "--set",
                            "shin.angular-velocity.y=3")
        manifest = json.loads(self.part("0/run.json"))
        self.assertEqual((manifest["frames"], manifest["settings"]), (16, ["shin.angular-velocity.y=3"]))
        self.assertIn("-o yard.tumble", manifest["command"])
        process.send_signal(SIGINT)
        self.assertIn("yard: 0.5 s in", process.communicate(timeout=20)[1])
        self.assertEqual(process.returncode, 130)
        self.assertEqual(list(self.path("tmp").iterdir()), [])

    def test_a_killed_run_is_shown_as_far_as_it_goes(self):
        data = self.bytes_of("yard.tumble")
        self.path("cut.tumble").write_bytes(data[:len(data) * 2 // 3])
        self.view("cut.tumble", "--no-open")
        manifest = json.loads(self.part("0/run.json"))
        self.assertTrue(5 < manifest["frames"] < 31)
        self.assertIsNone(manifest["summary"])
        self.assertEqual(len(self.part("0/frames/0")), manifest["frames"] * 27 * 8)

    def test_the_saved_page_is_the_report(self):
        self.view("yard.tumble", "--no-open")
        saved = self.part("page.html")
        self.tumble("report", "yard.tumble", "-o", "page.html", env=self.environment)
        self.assertEqual(saved, self.bytes_of("page.html"))

    def test_what_cannot_be_shown_is_refused(self):
        def refuse(status, *arguments):
            return self.tumble("view", *arguments, "--no-open", status=status, env=self.environment).stderr
        self.assertIn("shows recordings of type .tumble", refuse(2, "yard.csv"))
        self.assertIn("missing.tumble", refuse(3, "missing.tumble"))
        self.path("broken.tumble").write_bytes(b"nonsense")
        self.assertIn("is not a recording", refuse(3, "broken.tumble"))
        self.assertIn("belongs to a run", refuse(2, "yard.tumble", "--fps", "10"))
        self.assertIn("--port", refuse(2, "yard.tumble", "--port", "70000"))
        self.path("bad.xml").write_text("<scene><body/></scene>")
        self.assertIn("bad.xml:1", refuse(3, "bad.xml"))
        self.environment["TUMBLE_WEB"] = str(self.path("nowhere"))
        self.assertIn("the page is not built", refuse(2, "yard.tumble"))

    def test_a_port_can_be_chosen_and_a_taken_one_is_refused(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.view("yard.tumble", "--no-open", "--port", str(port))
        self.assertEqual(self.port, port)
        words = self.tumble("view", "yard.tumble", "--no-open", "--port", port, status=2,
                            env=self.environment).stderr
        self.assertIn("cannot be used", words)


class Refusals(ServerTest):
    def setUp(self):
        super().setUp()
        self.view("yard.tumble", "--no-open")

    def test_only_loopback_is_bound(self):
        inodes = set()
        for link in os.listdir(f"/proc/{self.process.pid}/fd"):
            target = os.readlink(f"/proc/{self.process.pid}/fd/{link}")
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
        found = []
        for family in ("tcp", "tcp6", "udp", "udp6"):
            with open(f"/proc/net/{family}") as file:
                for line in file.readlines()[1:]:
                    cells = line.split()
                    if cells[9] in inodes and cells[3] in ("0A", "07"):
                        found.append((family, cells[1]))
        self.assertEqual(found, [("tcp", f"0100007F:{self.port:04X}")])

    def test_a_missing_or_wrong_token_is_refused(self):
        wrong = self.token[:-1] + ("0" if self.token[-1] != "0" else "1")
        for path in ("/", "/0/run.json", "//", f"/{wrong}/", f"/{wrong}/0/run.json", f"/{self.token[:-1]}/",
                     f"/{self.token}0/", f"/{self.token.upper()}x/", "/" + "0" * 32 + "/page.js",
                     f"/x/{self.token}/", f"/?{self.token}/", f"/%20{self.token}/"):
            reply = self.get(path)
            self.assertEqual(reply.status, 404, path)
            self.assertNotIn(self.token.encode(), reply.body)
        self.assertEqual(self.get(f"/{self.token}").headers["location"], f"/{self.token}/")

    def test_every_run_has_another_token(self):
        token = self.token
        self.view("yard.tumble", "--no-open")
        self.assertNotEqual(token, self.token)

    def test_other_hosts_and_origins_are_refused(self):
        path, here = f"/{self.token}/", f"127.0.0.1:{self.port}"
        for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1.evil.example", "127.0.0.2", "",
                     "localhost.evil.example:80", "127.0.0.1:", "127.0.0.1:80x", "[::1]", "0.0.0.0",
                     "127.0.0.1@evil.example"):
            self.assertIn(self.get(path, host=host).status, (400, 403), host)
        self.assertEqual(self.get(path, extra="Host: evil.example\r\n").status, 400)  # a second one
        for host in (here, f"localhost:{self.port}", "localhost:8080", "localhost"):  # also of a tunnel
            self.assertEqual(self.get(path, host=host).status, 200, host)
        for origin in ("http://evil.example", f"https://{here}", "null", "http://127.0.0.1",
                       f"http://localhost:{self.port}", f"http://{here}.evil.example", ""):
            self.assertEqual(self.get(path, extra=f"Origin: {origin}\r\n").status, 403, origin)
        self.assertEqual(self.get(path, extra=f"Origin: http://{here}\r\n").status, 200)

    def test_nothing_of_the_disk_is_reached(self):
        self.path("web/secret.txt").write_text("secret")
        token = self.token
        for name in ("../secret.txt", "secret.txt", "web/secret.txt", "..", "./page.js", "//page.js",
                     "%2e%2e/secret.txt", "..%2fsecret.txt", "page.js%00", "page.js/", "page.js?",
                     "page.js#x", "0/../page.js", "0//run.json", "0/frames/../log", "/etc/passwd",
                     "../../etc/passwd",
                     "0/frames/-1", "0/frames/00", "0/frames/1e0", "0/frames/ 0", "0/frames/",
                     "0/frames/99999999999999999999", "00/run.json", "-1/run.json", "0", "0/", "run.json",
                     "yard.tumble", "0/yard.tumble", "page.css", "\\..\\secret.txt"):
            reply = self.get(f"/{token}/{name}")
            self.assertIn(reply.status, (400, 404), name)
            self.assertNotIn(b"secret\n", reply.body)
            self.assertLess(len(reply.body), 100, name)
        for target in ("/../../etc/passwd", f"http://127.0.0.1:{self.port}/{token}/", "*", "yard.tumble"):
            self.assertIn(self.get(target).status, (400, 404), target)

    def test_only_get_and_head_are_answered(self):
        path = f"/{self.token}/"
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "PROPFIND", "get",
                       "X"):
            reply = self.get(path, method=method)
            self.assertIn(reply.status, (400, 405), method)
            if reply.status == 405:
                self.assertEqual(reply.headers["allow"], "GET, HEAD")
        head = self.get(path, method="HEAD")
        self.assertEqual((head.status, head.body, head.headers["content-length"]), (200, b"", str(len(PAGE))))

    def test_oversized_and_malformed_requests_are_refused(self):
        path, host = f"/{self.token}/", f"Host: 127.0.0.1:{self.port}\r\n"
        self.assertEqual(self.get(path, extra="X: " + "x" * 9000 + "\r\n").status, 431)
        self.assertEqual(self.get("/" + "x" * 9000).status, 431)
        self.assertEqual(self.get(path, extra="".join(f"X{i}: 1\r\n" for i in range(5000))).status, 431)
        for body in ("Content-Length: 5\r\n", "Content-Length: 99999999999\r\n",
                     "Transfer-Encoding: chunked\r\n"):
            self.assertIn(self.send(f"POST {path} HTTP/1.1\r\n{host}{body}\r\nhello".encode()).status,
                          (400, 405, 413), body)
        for data in (b"nonsense\r\n\r\n", b"\r\n\r\n", b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                     f"GET {path}\r\n\r\n".encode(), f"GET {path} HTTP/1.1\r\n\r\n".encode(),
                     f"GET {path} HTTP/1.1\r\n{host}bad header\r\n\r\n".encode(),
                     f"GET {path} HTTP/1.1\r\n{host}Content-Length: -1\r\n\r\n".encode(),
                     f"GET {path} HTTP/1.1\n{host}\n".encode(), "GÉT / HTTP/1.1\r\n\r\n".encode(),
                     b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 200):
            reply = self.send(data)
            self.assertIn(reply.status, (400, 405, None), data[:60])
            self.assertNotIn(PAGE.encode(), reply.body)
        self.assert_alive()

    def test_every_answer_has_the_headers_that_protect_it(self):
        for path in ("/", f"/{self.token}/", f"/{self.token}/page.js", f"/{self.token}/0/run.json"):
            headers = self.get(path).headers
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertEqual(headers["referrer-policy"], "no-referrer")
            self.assertEqual(headers["cache-control"], "no-store")
            self.assertIn("default-src 'none'", headers["content-security-policy"])
            self.assertIn("frame-ancestors 'none'", headers["content-security-policy"])
            self.assertNotIn("unsafe-eval", headers["content-security-policy"])
            self.assertNotIn("access-control-allow-origin", headers)

    def test_a_flood_of_connections_does_not_lock_the_page_out(self):
        idle = [self.connect() for _ in range(300)]
        for connection in idle[::3]:
            try:
                connection.sendall(b"GET / HT")
            except OSError:
                pass
        self.assert_alive()
        self.assertLess(len(os.listdir(f"/proc/{self.process.pid}/fd")), 100)
        wrong = [threading.Thread(target=self.get, args=("/wrong/",)) for _ in range(60)]
        for thread in wrong:
            thread.start()
        self.assert_alive()
        for thread in wrong:
            thread.join()
        self.assert_alive()

    def test_clients_that_vanish_or_are_slow_do_no_harm(self):
        request = f"GET /{self.token}/0/log HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        for _ in range(50):
            connection = self.connect()
            connection.sendall(request * 20)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()  # with a reset, while answers are under way
        for _ in range(20):
            connection = self.connect()
            connection.sendall(request[:30])
            connection.close()
        deaf = self.connect()
        deaf.sendall(request)  # and never reads
        slow = self.connect()
        begin = time.monotonic()
        received = None
        while time.monotonic() - begin < 15 and received is None:
            try:
                slow.sendall(b"G" if time.monotonic() - begin < 0.1 else b"E")
                slow.settimeout(0.5)
                received = slow.recv(10)
            except TimeoutError:
                continue
            except OSError:
                received = b""
        self.assertEqual(received, b"")  # it was closed
        self.assertLess(time.monotonic() - begin, 12)
        self.assert_alive()

    def test_a_connection_serves_several_requests(self):
        connection = self.connect()
        for _ in range(3):
            connection.sendall(f"GET /{self.token}/page.js HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            received = b""
            while not received.endswith(SCRIPT.encode()):
                block = connection.recv(1 << 16)
                self.assertTrue(block)
                received += block
            self.assertEqual(Reply(received).headers["connection"], "keep-alive")

    def test_ctrl_c_and_sigterm_end_it_at_once(self):
        open_connection = self.connect()
        self.process.send_signal(SIGINT)
        begin = time.monotonic()
        self.process.communicate(timeout=20)
        self.assertEqual(self.process.returncode, 130)
        self.assertLess(time.monotonic() - begin, 3)
        open_connection.close()
        process = self.view("yard.tumble", "--no-open")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, 143)


if __name__ == "__main__":
    unittest.main()
