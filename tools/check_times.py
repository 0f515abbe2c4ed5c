#!/usr/bin/env python3
"""Fails when a test took over 20 s without a reason: check_times.py CTEST_FOLDER

Reads the times of the last ctest run (junit.xml in CTEST_FOLDER). The reason is in the first line of the
source of the test (the second one after a #! line): `// slow: reason` or `# slow: reason`.
"""
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

LIMIT = 20.0  # s
REASON = re.compile(r"(//|#) slow: \S")


def source_of(command, root):
    """The source file of a test: the script of its command, or the file of --source-file=."""
    for argument in command:
        if argument.startswith("--source-file="):
            found = sorted((root / "tests").glob("**/" + argument.split("*/", 1)[1]))
            return found[0] if found else None
        if argument.endswith((".py", ".sh", ".mjs")) and Path(argument).is_file():
            return Path(argument)
    return None


def has_reason(source):
    lines = source.read_text(encoding="utf-8").splitlines()[:2]
    if lines and not lines[0].startswith("#!"):
        lines = lines[:1]
    return any(REASON.match(line) for line in lines)


def faults(seconds, commands, root):
    """One line for each test over the limit without a reason. `seconds` and `commands` are by test name."""
    found = []
    for name, time in sorted(seconds.items()):
        if time > LIMIT:
            source = source_of(commands.get(name, []), root)
            if source is None or not has_reason(source):
                where = f"the first line of {source}" if source else "its source, which was not found"
                found.append(f"{name} took {time:.0f} s, more than {LIMIT:.0f}: shorten it, "
                             f"or write a reason (`// slow: ...`) into {where}")
    return found


def main():
    folder = Path(sys.argv[1])
    root = Path(__file__).resolve().parent.parent
    if not (folder / "junit.xml").exists():
        return 0  # ctest did not run tests, e.g. it listed them
    report = read_report(folder)
    seconds = {case.get("name"): float(case.get("time")) for case in report.iter("testcase")
               if "long" not in labels(case)}
    commands = {test["name"]: test.get("command", []) for test in list_tests(folder)}
    found = faults(seconds, commands, root)
    for line in found:
        print("slow test:", line)
    return 1 if found else 0


def list_tests(folder):
    """The tests of a build folder, as ctest describes them."""
    listing = subprocess.run(["ctest", "--show-only=json-v1"], cwd=folder, check=True, capture_output=True,
                             text=True).stdout
    return json.loads(listing)["tests"]


def read_report(folder):
    """The root element of junit.xml. Adds the labels of the tests, which ctest 3.25 leaves out."""
    report = ElementTree.parse(folder / "junit.xml").getroot()
    by_name = {test["name"]: test.get("properties", []) for test in list_tests(folder)}
    for case in report.iter("testcase"):
        for item in by_name.get(case.get("name"), []):
            if item["name"] == "LABELS":
                ElementTree.SubElement(case, "property", name="cmake_labels", value=";".join(item["value"]))
    return report


def labels(case):
    """The ctest labels of a test case of the report."""
    found = [p.get("value", "") for p in case.iter("property") if p.get("name") == "cmake_labels"]
    return ";".join(found).split(";")


if __name__ == "__main__":
    sys.exit(main())
