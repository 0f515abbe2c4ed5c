"""Judges the summary of a run by its exit status, messages, recording and log. For tests and golden.py."""
import csv
import json
import math
from pathlib import Path


def judge_summary(folder, arguments, done):
    """Compares the summary of a run with its exit status, messages, recording and log.

    Returns a list of what they contradict. Empty if the run has no summary.
    """
    arguments = [str(a) for a in arguments]
    after = {a: arguments[i + 1] for i, a in enumerate(arguments[:-1])}
    if "--summary" not in after or not (Path(folder) / after["--summary"]).is_file():
        return []
    try:
        s = json.loads((Path(folder) / after["--summary"]).read_text())
    except ValueError as error:
        return [f"the summary cannot be read: {error}"]
    faults = []

    def expect(good, text):
        if not good:
            faults.append("summary: " + text)

    numbers = {key: value for key, value in s.items() if isinstance(value, (int, float))}
    expect(all(math.isfinite(value) for value in numbers.values()), f"not finite: {numbers}")
    expect(all(value >= 0 for key, value in numbers.items() if not key.startswith("energy_")),
           f"negative: {numbers}")
    expect((done.returncode == 0) == ("stopped" not in s),
           f"exit {done.returncode}, but stopped: {s.get('stopped')}")
    if done.returncode == 0:
        expect(s["holds"] <= max(3, 1e-3 * s["steps"]), f"{s['holds']} holds in {s['steps']} steps")
        if "--step" not in after:
            expect(s["max_energy_gain"] <= max(100 * s["accuracy"], 1e-3),
                   f"energy gain {s['max_energy_gain']}")
    if s["method"] == "fast":
        expect((s["holds"] > 0) == any("held in place" in w for w in s["warnings"]),
               "holds without a warning")
    for name in ("gain", "drift"):
        joules = s[f"max_energy_{name}_joules"]
        expect(abs(s[f"max_energy_{name}"] * s["energy_scale"] - joules) <= 1e-12 * joules,
               f"max_energy_{name} is not joules over energy_scale")
    if "--quiet" not in arguments and "--resume" not in arguments and isinstance(done.stderr, str):
        spoken = done.stderr.replace("\n", " ")
        expect(all(" ".join(w.split()) in " ".join(spoken.split()) for w in s["warnings"]),
               f"warnings that were not printed: {s['warnings']}")
    if "--resume" in arguments:
        return faults  # files of a continued run have other rows
    table = after.get("-o", "")
    if table.endswith(".csv") and (Path(folder) / table).is_file():
        with open(Path(folder) / table, newline="") as file:
            lines = sum(1 for _ in file)  # none: not even the names of the columns found room
            # Where a disk was full, another recording may have fewer: the summary counts what all have.
            fewer = arguments.count("-o") > 1 and "stopped" in s and lines > s["frames"]
            expect(lines == s["frames"] + 1 or lines == s["frames"] == 0 or fewer,
                   f"{s['frames']} frames, the recording has others")
    if "--log" in after and "--inputs" not in after and (Path(folder) / after["--log"]).is_file():
        faults += judge_log(Path(folder) / after["--log"], s)
    return faults


def judge_log(path, s):
    """Computes figures of the summary `s` from the rows of the log."""
    whole = "stopped" not in s
    judged = whole or s["stopped"].startswith("t = ")  # not a full disk or an interruption
    with open(path, newline="") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    if not rows:
        return ["the log is empty"]
    faults = []
    balance = [row["energy"] - row.get("work", 0.0) for row in rows]
    least, gain = balance[0], 0.0
    for value in balance:
        least = min(least, value)
        gain = max(gain, value - least)
    drift = max(abs(value - balance[0]) for value in balance)
    rounding = 1e-12 * max(max(abs(row[key]) for key in ("kinetic", "potential", "work") if key in row)
                           for row in rows)
    for key, value in (("max_energy_gain_joules", gain), ("max_energy_drift_joules", drift),
                       ("max_joint_error", max(row["max_joint_error"] for row in rows)),
                       ("max_penetration", max(row["max_penetration"] for row in rows))):
        # The summary may know more than the log: frames, and the step that ended a run.
        if s[key] < value - rounding:
            faults.append(f"{key}: {s[key]} in the summary, {value} in the log")
    if whole and abs(s["max_energy_gain_joules"] - gain) > rounding:
        faults.append(f"max_energy_gain_joules: {s['max_energy_gain_joules']} in the summary, "
                      f"{gain} in the log")
    allowed = max(balance[0] + row.get("work", 0.0) - row["potential"] for row in rows)
    if s["energy_scale"] < allowed - rounding:
        faults.append(f"energy_scale: {s['energy_scale']}, the log allows {allowed} J of motion")
    if judged and abs(s["energy_end"] - rows[-1]["energy"]) > rounding:
        faults.append(f"energy_end: {s['energy_end']} in the summary, {rows[-1]['energy']} in the log")
    if whole and s["impacts"] != rows[-1]["impacts"]:
        faults.append(f"impacts: {s['impacts']} in the summary, {rows[-1]['impacts']} in the log")
    return faults
