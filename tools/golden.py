#!/usr/bin/env python3
# slow: runs every scene with both methods, each one in one piece and again in two halves
"""Golden hashes: show that a change of the program does not change a single bit of the results of runs.

    tools/golden.py check [--long] [--program P] [-k NAME]    compares runs with the stored hashes
    tools/golden.py update [--long] [--program P] [-k NAME]   stores the hashes of runs
    tools/golden.py compare A B [--long] [-k NAME]            compares two programs, without stored hashes

What is run: every scene of scenes/ with --method fast and --method precise, and the lessons (LESSONS below).
Short: the first 0.3 s of each. --long: all of it, except where CAPS below says less. This needs 2 GB in the
temporary folder for each of --jobs, and twice as much for `compare`.

What is hashed, for each run:
  tumble, frames          the files of -o X.tumble and -o X.csv
  log, reactions          those of --log and --reactions
  contacts                that of --contacts, for method fast
  checkpoint              the checkpoint at the end
  half-checkpoint         the checkpoint of a run to half the time
  summary                 the summary without its wall times (WALL_TIMES below)
  exit, half-exit         only if it is not 0: the exit code, and a hash of stderr
The run to half the time is resumed to the end. Its files must equal those of the run in one piece. If they do
not, this is reported as "resume", independently of the stored hashes.

The bits depend on the compiler, the instruction set, the build type, Eigen, qhull and the C library. Together
they are the key. Each key has its own files, tests/data/golden/KEY-short.json and KEY-long.json. Without a
file for the key, `check` exits with 77, which ctest counts as skipped.

A new comment in a scene changes `tumble` and the checkpoints, because they contain the scene or its hash. It
does not change `frames`, `log` and the others.

Exit code: 0 if all is equal, 1 if something differs, 2 for a usage error, 77 without a stored file.
"""
import argparse
import concurrent.futures
import csv
import filecmp
import hashlib
import itertools
import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from judge_summary import judge_summary
from sources import ROOT

SHORT = 0.3  # s, simulated
METHODS = ("fast", "precise")
WALL_TIMES = ("wall_seconds", "verify_seconds", "realtime_factor")
THIS_PROCESS = ("evaluations",)  # of the summary: a resumed run counts only its own ones
FLAGS = ("log", "reactions", "contacts", "checkpoint")  # outputs with their own flag; the others have -o
SKIPPED = 77
TIMEOUT = 1200  # s, for one run of the program
UNITS = {"": 1.0, "s": 1.0, "ms": 1e-3, "min": 60.0, "h": 3600.0}
DURATION = re.compile(r"<simulation\b[^>]*\sduration=\"\s*([-+.0-9eE]+)\s*([a-z]*)\s*\"")
DEFAULT_DURATION = 5.0  # s, of a scene without a duration

# Largest simulated time, s, of runs that would take more than a minute of CPU, by scene and method.
CAPS = {
    ("hanging-chain", "fast"): 2,  # accuracy 1e-8: 10 s of CPU for each simulated second
    ("robot", "precise"): 0.5,  # from 0.59 s on a limit of a joint is hit at every step, of 3e-7 s
    ("rope", "precise"): 0.1,  # the same from 0.11 s on
    ("tree", "precise"): 0.56,  # from there on many steps of 1e-7 to 1e-4 s
}


class Run(NamedTuple):
    """One run of the program: scene, duration and flags."""

    name: str
    scene: str
    duration: float  # s
    flags: tuple
    has_contacts: bool
    is_resumed: bool = True
    formats: tuple = ()  # further -o files


class Lesson(NamedTuple):
    """A run with flags or attributes that no scene has."""

    name: str
    scene: str
    flags: tuple
    attributes: str = ""  # put into <simulation>
    longest: float = math.inf  # s, simulated
    is_resumed: bool = True
    formats: tuple = ()


FAST, PRECISE = ("--method", "fast"), ("--method", "precise")
LESSONS = (
    Lesson("euler", "t-handle", (*PRECISE, "--integrator", "euler", "--step", "0.002")),
    Lesson("rk4", "double-pendulum", (*PRECISE, "--integrator", "rk4", "--step", "0.002")),
    Lesson("cash-karp", "double-pendulum", (*PRECISE, "--integrator", "cash-karp")),
    Lesson("dopri5", "gyroscope", (*PRECISE, "--integrator", "dopri5")),
    Lesson("quergs", "t-handle", PRECISE, 'orientation="quergs" integrator="cash-karp"'),
    Lesson("baumgarte", "four-bar", PRECISE, 'baumgarte="100 20" integrator="cash-karp"'),
    Lesson("fixed-step", "ten-boxes", (*FAST, "--step", "0.005"), longest=1),
    Lesson("verify-steps", "slope-topple", (*FAST, "--verify", "steps")),
    Lesson("estimate-error", "double-pendulum", (*PRECISE, "--estimate-error"), is_resumed=False),
    Lesson("formats", "robot", FAST, longest=1, formats=("txt", "glb", "gltf")),
)


# ---- the list of runs


def duration_of(scene):
    """The duration of a scene, in s."""
    found = DURATION.search(scene.read_text(encoding="utf-8"))
    return float(found[1]) * UNITS[found[2]] if found else DEFAULT_DURATION


def plan(scenes, is_long, name):
    """The runs with `name` in their name, in the order of the report. Also writes the scenes of lessons."""
    longest = math.inf if is_long else SHORT
    runs = []
    durations = {path.stem: duration_of(path) for path in sorted(scenes.glob("*.xml"))}
    for scene, duration in durations.items():
        for method in METHODS:
            runs.append(Run(f"{scene} {method}", f"{scene}.xml",
                            min(duration, CAPS.get((scene, method), math.inf), longest),
                            ("--method", method), method == "fast"))
    for lesson in LESSONS:
        if lesson.scene not in durations:
            continue
        file = f"{lesson.scene}.xml"
        if lesson.attributes:
            text = (scenes / file).read_text(encoding="utf-8")
            file = f"lesson-{lesson.name}.xml"
            text = text.replace("<simulation ", f"<simulation {lesson.attributes} ", 1)
            (scenes / file).write_text(text, encoding="utf-8")
        runs.append(Run(f"lesson {lesson.name}", file, min(durations[lesson.scene], lesson.longest, longest),
                        lesson.flags, "fast" in lesson.flags, lesson.is_resumed, lesson.formats))
    return [run for run in runs if name in run.name]


# ---- one run


def files_of(run):
    """Name and file extension of each output except the summary."""
    names = {"tumble": "tumble", "frames": "csv", "log": "log.csv", "reactions": "reactions.csv",
             "checkpoint": "checkpoint"}
    if run.has_contacts:
        names["contacts"] = "contacts.csv"
    for end in run.formats:
        names[end] = end
    if "gltf" in run.formats:
        names["bin"] = "bin"
    return names


def simulate(program, run, scenes, stem, duration, *flags):
    """Runs the program in the folder of scenes. Its files are `stem` with the extensions of `files_of`."""
    command = [program, "run", run.scene, *run.flags, "--duration", repr(duration), "--quiet", *flags]
    for name, end in files_of(run).items():
        if name != "bin":  # is written together with gltf
            command += [f"--{name}" if name in FLAGS else "-o", f"{stem}.{end}"]
    command += ["--summary", f"{stem}.json"]
    try:
        return subprocess.run(command, cwd=scenes, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -signal.SIGKILL, b"", b"it took more than %d s" % TIMEOUT)


def short_hash(data):
    return hashlib.sha256(data).hexdigest()[:16]


def hash_file(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def summary_without(path, keys):
    summary = json.loads(path.read_text(encoding="utf-8"))
    return json.dumps({k: v for k, v in summary.items() if k not in keys}, sort_keys=True, indent=1)


def was_killed(done):
    """A list of faults: one if the program was ended by a signal, otherwise empty."""
    if done.returncode >= 0:
        return []
    return [f"ended by signal {-done.returncode} {text_of(done.stderr)}".strip()]


def text_of(stderr):
    return stderr.decode(errors="replace").strip()[:200]


def execute(program, run, scenes, folder):
    """Runs in one piece, then in two halves. Returns hashes by output, and a list of faults."""
    for part in ("whole", "half"):
        (folder / part).mkdir(parents=True)
    place = os.path.relpath(folder, scenes)
    whole = simulate(program, run, scenes, f"{place}/whole/run", run.duration)
    if was_killed(whole):
        return {}, was_killed(whole)
    hashes = {}
    if whole.returncode != 0:
        hashes["exit"] = f"{whole.returncode} {short_hash(whole.stderr)}"
    for name, end in files_of(run).items():
        if (folder / f"whole/run.{end}").exists():
            hashes[name] = hash_file(folder / f"whole/run.{end}")
    if (folder / "whole/run.json").exists():
        hashes["summary"] = short_hash(summary_without(folder / "whole/run.json", WALL_TIMES).encode())
    faults = judge_summary(scenes, whole.args[1:], whole)
    if faults or not run.is_resumed or whole.returncode not in (0, 1):  # 1: it stopped early
        return hashes, faults

    half = simulate(program, run, scenes, f"{place}/half/run", run.duration / 2)
    if half.returncode != 0:
        if half.returncode > 0:
            hashes["half-exit"] = f"{half.returncode} {short_hash(half.stderr)}"
        return hashes, was_killed(half)
    (folder / "half/run.checkpoint").rename(folder / "half/checkpoint")  # the resumed run writes a new one
    hashes["half-checkpoint"] = hash_file(folder / "half/checkpoint")
    rest = simulate(program, run, scenes, f"{place}/half/run", run.duration,
                    "--resume", f"{place}/half/checkpoint")
    return hashes, was_killed(rest) or differences_of_resume(run, folder, whole, rest)


def differences_of_resume(run, folder, whole, rest):
    """How the files of a resumed run differ from those of the run in one piece. They must not."""
    if rest.returncode != whole.returncode or rest.stderr != whole.stderr:
        return [f"resume: exit codes {whole.returncode} and {rest.returncode} {text_of(rest.stderr)}".strip()]
    found = []
    for name, end in files_of(run).items():
        a, b = folder / f"whole/run.{end}", folder / f"half/run.{end}"
        if a.exists() != b.exists() or (a.exists() and not filecmp.cmp(a, b, shallow=False)):
            found.append(f"resume: {name} is not that of the run in one piece: {describe(name, a, b)}")
    a, b = (summary_without(folder / f"{part}/run.json", WALL_TIMES + THIS_PROCESS)
            for part in ("whole", "half"))
    if a != b:
        found.append(f"resume: summary is not that of the run in one piece: {describe_summaries(a, b)}")
    return found


# ---- how two files differ


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def describe_tables(a, b):
    """First differing cell and largest difference of two CSV files. Row 0 is the header."""
    first, largest, where_largest, header, rows = "", -1.0, "", [], [0, 0]
    with open(a, newline="", encoding="utf-8") as left, open(b, newline="", encoding="utf-8") as right:
        for index, pair in enumerate(itertools.zip_longest(csv.reader(left), csv.reader(right))):
            header = header or pair[0] or []
            rows = [count + (row is not None) for count, row in zip(rows, pair)]
            if None in pair or pair[0] == pair[1]:
                continue
            for column, (x, y) in enumerate(itertools.zip_longest(*pair, fillvalue="nothing")):
                if x == y:
                    continue
                name = header[column] if column < len(header) else f"column {column}"
                where = f"row {index}, {name}, {header[0]} = {pair[0][0]}"
                first = first or f"first at {where}: {x} and {y}"
                u, v = number(x), number(y)
                size = abs(u - v) if u is not None and v is not None else -1.0
                if size > largest or math.isnan(size):
                    largest, where_largest = (math.inf if math.isnan(size) else size), where
    parts = [first] if first else []
    if where_largest:
        parts.append(f"largest difference {largest:.3g} at {where_largest}")
    if rows[0] != rows[1]:
        parts.append(f"{rows[0]} and {rows[1]} rows")
    return "; ".join(parts) or "other line ends or quotes"


def describe_bytes(a, b):
    left, right = a.read_bytes(), b.read_bytes()
    at, block = 0, 1 << 16
    while at < len(left) and left[at:at + block] == right[at:at + block]:
        at += block
    end = min(len(left), len(right))
    at = next((i for i in range(at, end) if left[i] != right[i]), end)
    return f"first at byte {at} of {len(left)} and {len(right)}"


def describe_summaries(a, b):
    """Keys and values that differ, of two summaries as text."""
    a, b = json.loads(a), json.loads(b)
    keys = [key for key in sorted({*a, *b}) if a.get(key) != b.get(key)]
    return ", ".join(f"{key} {a.get(key)} and {b.get(key)}" for key in keys)


def describe(name, a, b):
    """How two files of an output differ."""
    if not a.exists() or not b.exists():
        return f"{'the first' if b.exists() else 'the second'} is missing"
    if name == "summary":
        return describe_summaries(summary_without(a, WALL_TIMES), summary_without(b, WALL_TIMES))
    return describe_tables(a, b) if a.suffix == ".csv" else describe_bytes(a, b)


def file_of(run, folder, name):
    """The file that an output of `execute` was hashed from, or None."""
    if name == "half-checkpoint":
        return folder / "half/checkpoint"
    ends = {**files_of(run), "summary": "json"}
    return folder / f"whole/run.{ends[name]}" if name in ends else None


# ---- the key, and the stored hashes


def package_version(cache, name):
    """Version of a package that CMake found, read from the version file of the package."""
    found = re.search(rf"^{name}_DIR:PATH=(.+)$", cache, re.M)
    path = Path(found[1], f"{name}ConfigVersion.cmake") if found else None
    if not path or not path.exists():
        return "unknown"
    version = re.search(r"set\s*\(PACKAGE_VERSION \"?([\w.]+)", path.read_text(encoding="utf-8"))
    return version[1] if version else "unknown"


def key_of(program):
    """The key of a program as part of a file name, or None and the reason."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"\(([^,]+), (\S+) ([^,]+), ([^,)]*)\)", said)
    if not found:
        return None, f"cannot read the compiler in: {said.strip()}"
    instructions, compiler, version, build = found.groups()
    compiler = {"GNU": "gcc", "Clang": "clang"}.get(compiler, compiler.lower())
    tree = next((p for p in Path(program).resolve().parents if (p / "CMakeCache.txt").exists()), None)
    if not tree:
        return None, "the program is in no build folder of CMake, so Eigen's version is not known; give --key"
    cache = (tree / "CMakeCache.txt").read_text(encoding="utf-8")
    eigen, qhull = package_version(cache, "Eigen3"), package_version(cache, "Qhull")
    library = (os.confstr("CS_GNU_LIBC_VERSION") or "libc unknown").replace(" ", "-")
    return f"{compiler}-{version}-{instructions}-{build.lower()}-eigen-{eigen}-qhull-{qhull}-{library}", ""


def read_hashes(path):
    return json.loads(path.read_text(encoding="utf-8"))


def write_hashes(path, hashes):
    """One line for each output of each run, in the order of their names."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(hashes, indent=0, sort_keys=True) + "\n", encoding="utf-8")


# ---- commands


def in_order(jobs, work, runs):
    """work(run) for each run, several at once, results in the order of the runs."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from zip(runs, pool.map(work, runs))


def folder_name(run):
    return run.name.replace(" ", ".")


def run_name(key):
    """The run that a stored hash belongs to."""
    return key.rsplit(" ", 1)[0]


def hash_all(arguments, runs, scenes, folder):
    """For each run, in order: the run, its hashes by output, and faults that do not depend on hashes."""
    def work(run):
        place = folder / folder_name(run)
        try:
            return execute(arguments.program, run, scenes, place)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    for run, (hashes, faults) in in_order(arguments.jobs, work, runs):
        yield run, {f"{run.name} {name}": value for name, value in hashes.items()}, faults


def report(run, faults):
    """Prints the faults of a run. Returns whether there are any."""
    for fault in faults:
        print(f"{run.name}: {fault}", flush=True)
    return bool(faults)


def check(arguments, runs, scenes, folder, stored):
    """Compares with the stored hashes. Returns how many runs differ."""
    differ = 0
    for run, found, faults in hash_all(arguments, runs, scenes, folder):
        own = {key: value for key, value in stored.items() if run_name(key) == run.name}
        for key in sorted({*own, *found}):
            if own.get(key) != found.get(key):
                output = key.rsplit(" ", 1)[1]
                faults.append(f"{output} is {found.get(key, 'missing')}, stored is {own.get(key, 'nothing')}")
        differ += report(run, faults)
    if not arguments.k:
        missing = sorted({run_name(key) for key in stored} - {run.name for run in runs})
        for name in missing:
            print(f"{name}: is stored, but there is no such run")
        differ += len(missing)
    if differ:
        print("To see what differs, build the commit before and run tools/golden.py compare OLD NEW.\n"
              "If the change is intended, run tools/golden.py update and say why in the commit.")
    return differ


def update(arguments, runs, scenes, folder, path):
    """Stores the hashes, unless a run has faults. Returns how many have."""
    names = {run.name for run in runs}
    old = read_hashes(path) if arguments.k and path.exists() else {}
    hashes = {key: value for key, value in old.items() if run_name(key) not in names}
    broken = 0
    for run, found, faults in hash_all(arguments, runs, scenes, folder):
        hashes.update(found)
        broken += report(run, faults)
        if f"{run.name} exit" in found:
            print(f"{run.name}: note: exit code {found[run.name + ' exit'].split()[0]}")
    if broken:
        print("Nothing is stored, because the runs above have faults.")
    else:
        write_hashes(path, hashes)
    return broken


def compare(arguments, runs, scenes, folder):
    """Runs everything with both programs. Returns how many runs differ."""
    def work(run):
        places = [folder / side / folder_name(run) for side in "ab"]
        try:
            programs = (arguments.program_a, arguments.program_b)
            (a, faults_a), (b, faults_b) = (execute(program, run, scenes, place)
                                            for program, place in zip(programs, places))
            faults = [f"A: {fault}" for fault in faults_a] + [f"B: {fault}" for fault in faults_b]
            for name in sorted({*a, *b}):
                if a.get(name) != b.get(name):
                    files = [file_of(run, place, name) for place in places]
                    how = describe(name, *files) if files[0] else f"{a.get(name, 0)} and {b.get(name, 0)}"
                    faults.append(f"{name} differs: {how}")
            return faults
        finally:
            for place in places:
                shutil.rmtree(place, ignore_errors=True)

    differ = 0
    for run, faults in in_order(arguments.jobs, work, runs):
        differ += report(run, faults)
    return differ


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    program = os.environ.get("TUMBLE_PROGRAM", str(ROOT / "build/test/bin/tumble"))
    for name, text in (("check", "compare with the stored hashes"), ("update", "store the hashes"),
                       ("compare", "compare two programs")):
        command = commands.add_parser(name, help=text)
        add = command.add_argument
        if name == "compare":
            add("program_a", metavar="A")
            add("program_b", metavar="B")
        else:
            add("--program", default=program, help="default: $TUMBLE_PROGRAM or build/test/bin/tumble")
            add("--key", help="default: from the program and its build folder")
            add("--data", type=Path, default=ROOT / "tests/data/golden", help="folder of stored hashes")
        add("--long", action="store_true", help="whole durations instead of the first 0.3 s")
        add("-k", metavar="NAME", default="", help="only runs with NAME in their name")
        add("--jobs", type=int, default=2, help="runs at once (default 2)")
        add("--scenes", type=Path, default=ROOT / "scenes", help="folder of scenes")
    arguments = parser.parse_args()
    for name in ("program", "program_a", "program_b"):
        if hasattr(arguments, name):
            path = Path(getattr(arguments, name)).resolve()
            if not path.is_file():
                parser.error(f"there is no program {path}")
            setattr(arguments, name, str(path))
    return arguments


def stored_file(arguments):
    """The file with the stored hashes of the program, or None and the reason."""
    key, why = (arguments.key, "") if arguments.key else key_of(arguments.program)
    return (arguments.data / f"{key}-{'long' if arguments.long else 'short'}.json" if key else None), why


def main():
    arguments = parse()
    path = None
    if arguments.command != "compare":
        path, why = stored_file(arguments)
        if not path:
            print(f"golden: {why}")
            return SKIPPED if arguments.command == "check" else 2
    if arguments.command == "check" and not path.exists():
        print(f"golden: there is no {path.name}.\n"
              "To make it, check out a commit that you trust, build it, and run\n"
              f"  tools/golden.py update{' --long' if arguments.long else ''} --program {arguments.program}")
        return SKIPPED

    with tempfile.TemporaryDirectory(prefix="tumble-golden-") as temporary:
        folder = Path(temporary)
        scenes = folder / "scenes"
        shutil.copytree(arguments.scenes, scenes)
        runs = plan(scenes, arguments.long, arguments.k)
        if not runs:
            print(f"golden: no run has {arguments.k!r} in its name")
            return 2
        if arguments.command == "compare":
            count = compare(arguments, runs, scenes, folder)
        elif arguments.command == "check":
            count = check(arguments, runs, scenes, folder, read_hashes(path))
        else:
            count = update(arguments, runs, scenes, folder, path)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    if arguments.command == "update":
        result = f"{count} broken" if count else f"stored in {path.name}"
    else:
        result = f"{count} differ"
    runs_text = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
    print(f"golden: {runs_text}, {result} ({used.ru_utime + used.ru_stime:.0f} s of CPU)")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
