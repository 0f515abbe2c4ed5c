#!/usr/bin/env python3
"""Every command of README.md works as printed, in a folder with the layout of the checkout."""
import os
import re
import subprocess
import unittest

from program import PROGRAM, SOURCE, ProgramTest

# Commands that fetch, install or run these tests are tried by hand on a clean clone.
# `view` ends with Ctrl-C; tests/web/program.test.mjs has it.
SKIPPED = re.compile(r"(git clone|cd |sudo |apt-get |\./test\b|\./bench\b|\./tumble view\b)")


def commands():
    """The lines of the ```sh blocks of the README, without comments, with continued lines joined."""
    text = (SOURCE / "README.md").read_text(encoding="utf-8")
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S):
        for line in block.replace("\\\n", " ").splitlines():
            line = re.sub(r"\s+# .*", "", line).strip()
            if line and not line.startswith("#"):
                yield line


class Readme(ProgramTest):
    def test_its_commands_work_in_the_order_given(self):
        # The built program replaces the script ./tumble, which would build it.
        self.path("tumble").write_text(f'#!/bin/bash\nexec "{PROGRAM}" "$@"\n')
        self.path("tumble").chmod(0o755)
        for name in ("scenes", "examples", "docs"):
            os.symlink(SOURCE / name, self.path(name))
        tried = [line for line in commands() if not SKIPPED.match(line)]
        self.assertGreaterEqual(len(tried), 3, "the README has too few commands")
        for line in tried:
            done = subprocess.run(["bash", "-c", line], cwd=self.folder, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout[-1000:]}\n{done.stderr[-1000:]}")

    def test_its_links_are_not_broken(self):
        for page in [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md",
                     *sorted((SOURCE / "docs").rglob("*.md"))]:
            text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
            for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
                if not link.startswith(("http:", "https:", "mailto:")):
                    self.assertTrue((page.parent / link).exists(),
                                    f"{page.relative_to(SOURCE)} links to {link}")


if __name__ == "__main__":
    unittest.main()
