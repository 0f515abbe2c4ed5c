#!/usr/bin/env python3
"""Fails when the source has a tolerance without a name: check_numbers.py [CHECKOUT]

A chosen number has a name, a unit and a reason. It is a field of a struct in `parameters.h` or a constant of
`tolerances.h`. Otherwise it is a named constexpr or the default of a member, with a comment on its line or
above it. Reads src and prints FILE:LINE: what is wrong, for every fault:

- a literal that looks chosen: with a negative exponent (1e-9, 0x1p-40), with a large exponent (1e15), near 1
  (1.001), or a decimal fraction (0.3). Binary fractions such as 0.5 or 0.375 occur in formulas and are
  allowed;
- a real constant whose name has another value elsewhere.
"""
import re
import sys
from pathlib import Path

from sources import ROOT, cpp_files

# Files that only have numbers, each with its comment.
PARAMETERS = re.compile(r"(parameters\.(h|cpp)|tolerances\.h)$")
# Tables and closed forms: their numbers are not chosen here.
TABLES = {
    "src/tumble/dynamics/integrators/dormand_prince_8.cpp": "coefficients of a published method",
    "src/tumble/dynamics/integrators/esdirk.cpp": "coefficients of a published method",
    "src/tumble/dynamics/integrators/tableau.cpp": "coefficients of published methods",
    "src/tumble/geometry/mass_properties.cpp": "closed forms of moments of inertia",
    "src/tumble/math/elementary.h": "pi",
    "src/tumble/math/srgb.h": "the standard of sRGB",
    "src/tumble/scene/schema.cpp": "ranges of attributes, in docs/scene.md",
    "src/tumble/scene/units.cpp": "units of measurement",
}
# Names that may have several values because they are not tolerances.
SENTINELS = {"kInfinity"}

BLANK = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
NUMBER = re.compile(r"(?<![\w.])(0x[0-9a-fA-F.]+p[+-]?\d+|(?:\d[\d']*\.\d*|\.\d+|\d[\d']*)(?:[eE][+-]?\d+)?)"
                    r"[fFlL]?(?![\w.'])")
CONSTANT = re.compile(r"\bconstexpr\s+(?:double|float)\s+((?:k\w+\s*=\s*[^;,{}]+,?\s*)+);")
# A member or local whose default has only numbers, and a constant that cannot be constexpr.
MEMBER = re.compile(r"\s*(?:static\s+)?(?:const\s+)?[\w:]+(?:<[^<>]*>)?\s+\w+\s*=\s*"
                    r"\w*[-+*/\d.eExpPfF\s(){},']*$")
CONSTRUCTED = re.compile(r"\s*const\s+\w+\s+k\w+\(")
LARGEST_EXPONENT = 6  # numbers up to 1e6 are counts
NEAR_ONE = 0.1
BINARY_DIGITS = 4  # multiples of 1/16 occur in formulas


def without_comments(text):
    """The text with comments and strings replaced by blanks."""
    return BLANK.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def looks_chosen(literal):
    """Why a literal looks like a tolerance, or None."""
    text = literal.replace("'", "").lower()
    value = float.fromhex(text) if text.startswith("0x") else float(text)
    exponent = re.search(r"[ep]([+-]?\d+)$", text)
    if exponent and int(exponent[1]) < 0:
        return "a small number"
    if exponent and int(exponent[1]) > LARGEST_EXPONENT:
        return "a large number"
    if not ("." in text or exponent) or value == int(value):
        return None
    if abs(value - 1) < NEAR_ONE:
        return "a factor near 1"
    scaled = value * 2**BINARY_DIGITS
    return None if scaled == int(scaled) else "a decimal fraction"


def is_named(code, lines, at):
    """Whether the statement at character `at` of the code declares a constant or a member with a comment."""
    start = max(code.rfind(mark, 0, at) for mark in ";{}")
    while start >= 0 and code[start] == "{" and re.search(r"[=,({]\s*$", code[:start].split("\n")[-1]):
        start = max(code.rfind(mark, 0, start) for mark in ";{}")  # braces of an initialiser
    end = code.find(";", at)
    statement = code[start + 1 : end if end >= 0 else len(code)]
    if not ("constexpr" in statement or MEMBER.match(statement) or CONSTRUCTED.match(statement)):
        return False
    first = code.count("\n", 0, start + 1 + len(statement) - len(statement.lstrip()))
    last = code.count("\n", 0, end if end >= 0 else len(code))
    above = lines[first - 1].strip() if first > 0 else ""
    return above.startswith("//") or any("//" in line for line in lines[first : last + 1])


def constants_of(code):
    """(name, value as text, position in the code) of every named constant."""
    for found in CONSTANT.finditer(code):
        for one in re.finditer(r"(k\w+)\s*=\s*([^,;]+)", found[1]):
            yield one[1], " ".join(one[2].split()), found.start(1) + one.start()


def check(root):
    faults, count, values = [], 0, {}
    for file in cpp_files(root, tops=("src",)):
        path = file.relative_to(root).as_posix()
        text = file.read_text(encoding="utf-8")
        code, lines = without_comments(text), text.splitlines()
        line_of = lambda at, code=code: code.count("\n", 0, at) + 1  # noqa: E731
        for name, value, at in constants_of(code):
            first = values.setdefault(name, (value, f"{path}:{line_of(at)}"))
            if first[0] != value and name not in SENTINELS:
                faults.append(f"{path}:{line_of(at)}: {name} is {value} here and {first[0]} at {first[1]}")
        if PARAMETERS.search(path) or path in TABLES:
            continue
        for found in NUMBER.finditer(code):
            count += 1
            why = looks_chosen(found[1])
            if why and not is_named(code, lines, found.start()):
                place = f"{path}:{line_of(found.start())}"
                faults.append(f"{place}: {found[1]}: {why} without a name and a reason")
    return faults, count


def main():
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    faults, count = check(root)
    print("\n".join(faults) if faults else f"{count} numbers in the source, none of them a bare tolerance")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
