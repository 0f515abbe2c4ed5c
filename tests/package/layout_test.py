#!/usr/bin/env python3
# slow: compiles every public header for several instruction sets
"""No layout of a public type depends on the instruction set: layout_test.py COMPILER INCLUDE_FOLDER...

The alignment of Eigen's vectors of 2, 4, 6, ... numbers depends on the instruction set. If a program and the
library were compiled for different instruction sets, they would disagree about the offsets of members. This
test compares size and alignment of all types of the public headers between instruction sets.
"""
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPILER, FOLDERS = sys.argv[1], [Path(folder) for folder in sys.argv[2:]]
# Its alignment is 16 or 32 bytes. The test must find this difference.
CONTROL = "Eigen::Vector4d"

TYPE = re.compile(r"^( *)(struct|class) (\w+)(?: final)?(?: *:[^;]*| *)\{")
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{$")


def public_headers():
    """All headers that tumble/tumble.h includes, directly or indirectly."""
    found, left = [], ["tumble/tumble.h"]
    while left:
        name = left.pop()
        path = next(folder / name for folder in FOLDERS if (folder / name).exists())
        if path not in found:
            found.append(path)
            left += re.findall(r'^#include "(tumble/[^"]+)"', path.read_text(), re.MULTILINE)
    return found


def types_of(text):
    """The types that a header defines, with public nested types. Relies on the format of clang-format."""
    found, spaces, classes = [], [], []  # classes: [indent, name, access]
    forward = re.compile(r"^namespace \w+ \{\n((class|struct) \w+;\n)+\}.*\n", re.MULTILINE)
    lines = forward.sub("", text).splitlines()
    for at, line in enumerate(lines):
        namespace = NAMESPACE.match(line)
        if namespace:
            spaces.append(namespace[1])
        elif re.match(r"^\}  // namespace", line):
            spaces.pop()
        while classes and re.match(rf"^ {{{classes[-1][0]}}}\}}", line):
            classes.pop()
        label = re.match(r"^( +)(public|protected|private):", line)
        if label and classes and len(label[1]) == classes[-1][0] + 1:
            classes[-1][2] = label[2]
        match = TYPE.match(line)
        if not match:
            continue
        template = at > 0 and lines[at - 1].lstrip().startswith("template")
        hidden = template or any(access != "public" for _, _, access in classes)
        if not hidden:
            found.append("::".join([*spaces, *(name for _, name, _ in classes), match[3]]))
        if not line.rstrip().endswith("};"):
            classes.append([len(match[1]), match[3], "hidden" if hidden or match[2] == "class" else "public"])
            if match[2] == "class" and not hidden:
                classes[-1][2] = "private"
    return found


def measure(types, march):
    """Size and alignment of each type."""
    program = "#include <tumble/tumble.h>\n#include <cstddef>\n"
    program += "extern const size_t measured[];\nconst size_t measured[] = {\n"
    program += "".join(f"sizeof({name}), alignof({name}),\n" for name in types) + "};\n"
    command = [COMPILER, "-std=c++20", f"-march={march}", "-S", "-O0", "-x", "c++", "-", "-o", "-"]
    command += [word for folder in FOLDERS for word in ("-isystem", str(folder))]
    done = subprocess.run(command, input=program, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr[-4000:])
    assembly = done.stdout[re.search(r"^measured:", done.stdout, re.MULTILINE).end():]
    numbers = []
    for line in assembly.splitlines()[1:]:
        number = re.match(r"\s+\.quad\s+(\d+)", line)
        if not number:
            break
        numbers.append(int(number[1]))
    if len(numbers) != 2 * len(types):
        raise AssertionError(f"{len(types)} types, {len(numbers)} numbers")
    return dict(zip(types, zip(numbers[::2], numbers[1::2])))


def supported(march):
    command = [COMPILER, f"-march={march}", "-x", "c++", "-fsyntax-only", "-"]
    return subprocess.run(command, input="", text=True, capture_output=True).returncode == 0


class Layout(unittest.TestCase):
    def test_types_are_found(self):
        text = "namespace a::b {\nstruct S {\n  struct T { int i; };\n  class U {\n   public:\n" \
               "    struct V {\n    };\n  };\n};\nclass C final : public S {\n  struct P {\n  };\n" \
               " public:\n  struct Q {\n  };\n};\n" \
               "template <class X>\nstruct W {\n};\nclass F;\n}  // namespace a::b\n"
        self.assertEqual(types_of(text),
                         [f"a::b::{name}" for name in ("S", "S::T", "S::U", "S::U::V", "C", "C::Q")])

    def test_no_layout_depends_on_the_instruction_set(self):
        types = [name for header in public_headers() for name in types_of(header.read_text())]
        for expected in ("tumble::simulate::Simulation", "tumble::model::State", "tumble::model::BodySpec"):
            self.assertIn(expected, types)
        self.assertGreater(len(types), 80)
        if not supported("x86-64-v3"):
            self.skipTest("not an x86 compiler")
        tables = {march: measure([CONTROL, *types], march)
                  for march in ("x86-64", "x86-64-v3", "native") if supported(march)}
        first = tables["x86-64"]
        self.assertNotEqual(first.pop(CONTROL), tables["x86-64-v3"].pop(CONTROL))
        for march, table in tables.items():
            table.pop(CONTROL, None)
            different = {name: (first[name], table[name]) for name in types if first[name] != table[name]}
            self.assertEqual(different, {}, f"(size, alignment) for x86-64 and for {march}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
