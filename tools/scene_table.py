#!/usr/bin/env python3
"""Prints a Markdown table of runs of every shipped scene with the fast method: energy, joints, penetration.

    tools/scene_table.py [--program build/release/bin/tumble] [--longest S] [SCENE...]

Each scene runs three times with accuracy 1e-3: with the default step, with a half and with a quarter of it.
The first run verifies every step. Let E be energy minus work. Without contact the band is the largest |E - E
at the start|. Contact dissipates energy, so with contact the band is the largest rise of E above its least
value before. The factors are by how much the band shrinks from step to half step and from half step to
quarter step.
"""
import argparse
import csv
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ACCURACY = 1e-3


def run(program, scene, folder, *flags):
    """Summary and rows of the log of one run."""
    log, summary = folder / "log.csv", folder / "summary.json"
    subprocess.run([program, "run", scene, "--method", "fast", "--accuracy", str(ACCURACY), "--quiet",
                    "--log", log, "--summary", summary, *flags],
                   check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    with open(log, newline="") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    return json.loads(summary.read_text()), rows


def compute_bands(rows):
    """Of energy minus work, in J: largest deviation from the start, largest rise above the least value."""
    start = least = rows[0]["energy"] - rows[0]["work"]
    drift = gain = 0.0
    for row in rows:
        now = row["energy"] - row["work"]
        least = min(least, now)
        drift, gain = max(drift, abs(now - start)), max(gain, now - least)
    return drift, gain


def is_smooth(rows):
    """Whether the run had no contacts and no impacts."""
    return rows[-1]["impacts"] == 0 and all(row["contacts"] == 0 for row in rows)


def compute_rounding(rows):
    """Estimate of the rounding error of the energy, in J."""
    size = max(max(row["kinetic"], abs(row["energy"])) for row in rows)
    return math.sqrt(len(rows)) * 16 * sys.float_info.epsilon * size


def factor(wide, narrow, rounding):
    """By how much a band shrank, if it is above rounding."""
    return f"{wide / narrow:.2f}" if narrow > 10 * rounding else "–"


def measure(program, scene, longest, folder):
    duration = ["--duration", str(longest)] if longest else []
    summary, rows = run(program, scene, folder, "--verify", "steps", *duration)
    step = max(row["h"] for row in rows)
    halves = [run(program, scene, folder, "--verify", "off", "--step", repr(step / parts), *duration)[1]
              for parts in (2, 4)]
    kind = 0 if is_smooth(rows) else 1
    bands = [compute_bands(r)[kind] for r in (rows, *halves)]
    kinetic, rounding = max(row["kinetic"] for row in rows), compute_rounding(rows)
    return [scene.stem, f"{1e3 * step:.3g}", summary["steps"], "band" if kind == 0 else "rise",
            f"{bands[0]:.1e}",
            f"{bands[0] / kinetic:.1e}" if kinetic > 0 else "–",
            *(factor(*pair, rounding) for pair in zip(bands, bands[1:])), f"{summary['max_joint_error']:.1e}",
            f"{summary['max_penetration']:.1g}", summary["impacts"], summary["substeps"], summary["holds"],
            summary["freezes"],
            f"{summary['max_contact_residual']:.0e}", f"{summary['wall_seconds']:.1f}",
            len(summary["warnings"])]


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("--program", default=ROOT / "build/release/bin/tumble")
    options.add_argument("--longest", type=float, help="largest simulated time of a run, s")
    options.add_argument("scenes", nargs="*")
    given = options.parse_args()
    names = given.scenes or sorted(path.stem for path in (ROOT / "scenes").glob("*.xml"))
    columns = ["scene", "step, ms", "steps", "of", "J", "over kinetic", "factor", "factor", "joints, m",
               "overlap, m", "impacts", "substeps", "holds",
               "freezes", "residual", "s", "warnings"]
    print("| " + " | ".join(columns) + " |\n" + "| --- " * len(columns) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            cells = measure(given.program, ROOT / "scenes" / f"{name}.xml", given.longest, Path(folder))
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
