#!/usr/bin/env python3
# slow: runs the program under valgrind
"""The whole program makes no invalid memory access and has no leaks."""
import subprocess
import sys
import unittest
from shutil import which

from program import PROGRAM, ProgramTest

if which("valgrind") is None:
    print("no valgrind here")
    sys.exit(77)


class Valgrind(ProgramTest):
    def clean(self, *arguments, status=0):
        done = subprocess.run(["valgrind", "-q", "--error-exitcode=99", "--leak-check=full",
                               "--errors-for-leak-kinds=definite", PROGRAM, *arguments],
                              cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stderr[-3000:]}")

    def test_a_run_a_resume_a_picture_and_a_refusal(self):
        scene = self.scene()
        outputs = [word for f in ("csv", "txt", "glb", "tumble")
                   for word in ("-o", f"a.{f}")] + ["--log", "l.csv", "--summary", "s.json"]
        self.clean("run", scene, "--duration", "0.2", "--threads", "2", *outputs, "--checkpoint", "c")
        self.clean("run", scene, "--duration", "0.4", *outputs, "--resume", "c")
        self.clean("info", scene, "--json")
        self.clean("convert", "a.tumble", "b.glb")
        self.clean("render", "a.tumble", "-o", "p.png")
        self.scene('<scene name="x"><body nmae="a"/></scene>', "bad.xml")
        self.clean("check", "bad.xml", status=3)


if __name__ == "__main__":
    unittest.main()
