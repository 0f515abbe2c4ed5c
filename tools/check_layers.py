#!/usr/bin/env python3
"""Fails when a file includes what its module may not: check_layers.py [CHECKOUT]

A module may include itself and the modules to its left in CHAIN. Headers in a folder `detail` are for their
own module only. Headers of the steppers are for simulate and its unit tests only. Each third-party library
has one owner. Prints FILE:LINE: what is wrong, for every fault.
"""
import re
import sys
from pathlib import Path

from sources import ROOT, cpp_files

# Which module may include which, directly or indirectly (see docs/architecture.md).
CHAIN = ["core", "math", "geometry", "collision", "model", "contact", "dynamics", "simulate"]
ALLOWED = {module: set(CHAIN[: at + 1]) for at, module in enumerate(CHAIN)}
ALLOWED["scene"] = ALLOWED["model"] | {"scene"}
ALLOWED["record"] = ALLOWED["model"] | {"record"}
ALLOWED["view"] = ALLOWED["record"] | {"view"}
ALLOWED["page"] = ALLOWED["record"] | {"page"}
ALLOWED["plot"] = ALLOWED["record"] | {"plot"}
ALLOWED["serve"] = {"core", "serve"}
MODULES = set(ALLOWED)
UMBRELLA = "tumble/tumble.h"  # includes the public headers of every module
USERS = {"apps", "tests", "examples", "benchmarks"}  # may include every module

# Folders of headers for one module and its unit tests. All other code uses simulate::Simulation.
METHODS = ("tumble/simulate/leapfrog/", "tumble/simulate/runge_kutta/")
METHOD_USERS = (Path("src/tumble/simulate"), Path("tests/unit/simulate"))

# Third-party headers, and which modules and folders may include them.
LIBRARIES = [
    (r"Eigen/", MODULES | USERS),
    (r"libqhull_r/", {"geometry"}),
    (r"expat\.h$", {"scene"}),
    (r"nlohmann/", {"record", "page", "apps", "tests", "benchmarks"}),
    (r"png\.h$", {"view", "tests"}),
    (r"zlib\.h$", {"page", "tests"}),
    (r"boost/(asio|beast)", {"serve"}),
    (r"boost/", {"tests", "benchmarks"}),
    (r"doctest/", {"tests"}),
    (r"(fcl|ccd)/", {"tests", "benchmarks"}),
    (r"(BulletCollision|BulletDynamics|LinearMath)/|btBullet(Collision|Dynamics)Common\.h$", {"benchmarks"}),
    (r"ode/ode\.h$|dart/", {"benchmarks"}),
    (r"(Simbody|mujoco/mujoco)\.h$", {"benchmarks"}),
    (r"(FrictionContactProblem|Friction_cst|NonSmoothDrivers|Numerics(Matrix|Verbose)|SolverOptions)\.h$",
     {"tests"}),  # Siconos
]
# Headers of C, POSIX and the compiler have a suffix or a folder, those of C++ have neither.
SYSTEM = re.compile(r"(sys|arpa|netinet)/|"
                    r"(fcntl|unistd|signal|spawn|poll|time|dirent|sched|immintrin|malloc|dlfcn)\.h$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def owner(path):
    """The module of a file of src/tumble, or the top folder of another file."""
    parts = path.parts
    return parts[2] if parts[:2] == ("src", "tumble") else parts[0]


def fault_of(path, quote, header):
    """What is wrong with one include line of the file at `path` (relative to the checkout), or None."""
    who = owner(path)
    if header == UMBRELLA:
        if who in USERS:
            return None
        return f"{UMBRELLA} is for programs that use the library, not for its modules"
    if header.startswith("tumble/"):
        parts = header.split("/")
        module = parts[1]
        if module not in MODULES:
            return f'"{header}": there is no module {module}'
        if quote != '"':
            return f"<{header}>: our headers are included with quotes"
        if "detail" in parts[2:-1] and who != module:
            return f'"{header}" is a detail of {module}; {who} may not include it'
        if header.startswith(METHODS) and not any(folder in path.parents for folder in METHOD_USERS):
            return (f'"{header}" belongs to a stepper: use tumble/simulate/simulation.h; '
                    f"only {' and '.join(map(str, METHOD_USERS))} may include it")
        if who in MODULES and module not in ALLOWED[who]:
            allowed = ", ".join(sorted(ALLOWED[who]))
            return f'{who} may not include {module} ("{header}"); it may include {allowed}'
        return None
    if quote == '"':
        if who not in MODULES:
            return None
        return f'"{header}": headers of the library are included by full path, "tumble/..."'
    for pattern, users in LIBRARIES:
        if re.match(pattern, header):
            if who in users:
                return None
            return f"{who} may not include <{header}>; only {', '.join(sorted(users))} may"
    if ("/" in header or header.endswith((".h", ".hpp"))) and not SYSTEM.match(header):
        return f"<{header}> is not in the table of tools/check_layers.py: is it a new dependency?"
    return None


def check(root):
    faults, count = [], 0
    for file in cpp_files(root):
        path = file.relative_to(root)
        in_module = path.parts[1] == "tumble" and owner(path) in MODULES
        if path.parts[0] == "src" and path != Path("src", UMBRELLA) and not in_module:
            faults.append(f"{path}:1: not in a known module")
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if match:
                count += 1
                fault = fault_of(path, *match.groups())
                if fault:
                    faults.append(f"{path}:{number}: {fault}")
    return faults, count


def main():
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    faults, count = check(root)
    print("\n".join(faults) if faults else f"{count} include lines respect the layers")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
