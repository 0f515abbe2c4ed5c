#!/usr/bin/env python3
"""Writes the results of ./test --long as Markdown: long_table.py CTEST_FOLDER

Reads junit.xml of the last ctest run in CTEST_FOLDER and writes long.md in the same folder. It contains
commit and date, time and result of the tests labelled `long` and of the ThreadSanitizer build, totals of all
tests, and all failures. Times depend on the machine, which is not named.
"""
import subprocess
import sys
import textwrap
from datetime import date
from pathlib import Path

from check_times import labels, read_report

RESULTS = {"run": "passed", "fail": "FAILED", "disabled": "skipped"}
COLUMNS = 110


def result_of(case):
    """passed, skipped or FAILED. A test that could not be started counts as failed."""
    if case.get("status") == "notrun":
        return "skipped" if case.find("skipped[@message]").get("message").startswith("SKIP_") else "FAILED"
    return RESULTS[case.get("status")]


def minutes(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def is_long(case):
    return "long" in labels(case) or case.get("name").startswith("thread.")


def table(report, commit, day):
    """The Markdown text. `report` is the root element of junit.xml."""
    cases = sorted(report.iter("testcase"), key=lambda case: case.get("name"))
    lines = [f"Commit {commit}, {day}.", "", "| test | time (min:s) | result |", "|---|---:|---|"]
    lines += [f"| {case.get('name')} | {minutes(float(case.get('time')))} | {result_of(case)} |"
              for case in cases if is_long(case)]
    lines += ["", "| tests | number | time (min:s) | passed | failed | skipped |",
              "|---|---:|---:|---:|---:|---:|"]
    for name, chosen in (("daily", [c for c in cases if not is_long(c)]),
                         ("long", [c for c in cases if is_long(c)]), ("all", cases)):
        results = [result_of(case) for case in chosen]
        passed, failed = results.count("passed"), results.count("FAILED")
        total = minutes(sum(float(case.get("time")) for case in chosen))
        skipped = len(chosen) - passed - failed
        lines.append(f"| {name} | {len(chosen)} | {total} | {passed} | {failed} | {skipped} |")
    failures = [case.get("name") for case in cases if result_of(case) == "FAILED"]
    lines += ["", *textwrap.wrap("Failures: " + (", ".join(failures) if failures else "none") + ".", COLUMNS)]
    return "\n".join(lines) + "\n"


def commit_of(root):
    """The short hash of the commit, with + if the checkout differs from it."""
    def git(*words):
        return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True)
    name = git("rev-parse", "--short", "HEAD")
    if name.returncode != 0:
        return "unknown"
    changed = git("status", "--porcelain", "--untracked-files=no").stdout.strip()
    return name.stdout.strip() + ("+" if changed else "")


def main():
    folder = Path(sys.argv[1])
    if not (folder / "junit.xml").exists():
        print(f"{folder / 'junit.xml'} does not exist: ctest ran no tests")
        return 1
    report = read_report(folder)
    text = table(report, commit_of(Path(__file__).resolve().parent.parent), date.today().isoformat())
    (folder / "long.md").write_text(text, encoding="utf-8")
    print(f"wrote {folder / 'long.md'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
