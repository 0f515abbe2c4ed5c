#!/usr/bin/env python3
# slow: compiles programs that use the library
"""The installed library, as other projects use it: package_test.py TREE COMPILER [--long] [--sanitizers]

Installs the library of a build tree and builds tests/package/consumer with it, with find_package and with
pkg-config. The output of the consumer must be the last row of `tumble run`. --long: more compiler settings, a
shared library, a copy of the sources in another project. All files are in TREE/package. The folder is always
the same, so that ccache finds its results.
"""
import argparse
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
CONSUMER = SOURCE / "tests" / "package" / "consumer"
SCENE = SOURCE / "tests" / "package" / "drop.xml"
MODULES = "core math geometry collision model contact dynamics simulate scene record view".split()
QUICK_BUILD = ("-DTUMBLE_PRECOMPILE=ON", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=12")

parser = argparse.ArgumentParser()
parser.add_argument("tree", type=Path)
parser.add_argument("compiler")
parser.add_argument("--long", action="store_true")
parser.add_argument("--sanitizers", action="store_true")
OPTIONS = parser.parse_args() if __name__ == "__main__" else None


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env={**os.environ, **environment}, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def install(tree, prefix):
    run("cmake", "--install", tree, "--prefix", prefix, "--component", "library")
    return prefix


def consume_by_cmake(prefix, folder, build_type, flags=""):
    """Builds the consumer with find_package. Returns the program."""
    run("cmake", "-G", "Ninja", "-S", CONSUMER, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_COMPILER={OPTIONS.compiler}", f"-DCMAKE_BUILD_TYPE={build_type}",
        f"-DCMAKE_CXX_FLAGS={flags}", *launcher())
    run("cmake", "--build", folder)
    return folder / "consumer"


def consume_by_pkg_config(prefix, folder, *flags, static=True):
    words = run("pkg-config", "--cflags", "--libs", *(["--static"] if static else []), "tumble",
                PKG_CONFIG_PATH=f"{next(prefix.glob('**/tumble.pc')).parent}").split()
    folder.mkdir(parents=True)
    # Compile and link separately, because ccache stores only results of compilation.
    ccache = [shutil.which("ccache")] if shutil.which("ccache") else []
    compile_words = [word for word in words if word.startswith(("-I", "-D", "-std", "-m"))]
    object_file = folder / "consumer.o"
    run(*ccache, OPTIONS.compiler, *flags, *compile_words, "-c", CONSUMER / "consumer.cpp", "-o", object_file)
    run(OPTIONS.compiler, *flags, object_file, "-o", folder / "consumer", *words)
    return folder / "consumer"


def configure_parent(tree, *settings):
    """Configures a project that contains a copy of tumble. Returns the output of CMake."""
    return run("cmake", "-G", "Ninja", "-S", SOURCE / "tests" / "package" / "parent", "-B", tree,
               f"-DTUMBLE_SOURCE_DIR={SOURCE}", f"-DCMAKE_CXX_COMPILER={OPTIONS.compiler}", *settings)


def launcher():
    return [f"-DCMAKE_CXX_COMPILER_LAUNCHER={shutil.which('ccache')}"] if shutil.which("ccache") else []


def instruction_sets():
    """Flags for the compilation of a consumer: none, and -march=native if the compiler has it."""
    command = [OPTIONS.compiler, "-march=native", "-x", "c++", "-fsyntax-only", "-"]
    known = subprocess.run(command, input="", text=True, capture_output=True).returncode == 0
    return ["", "-march=native"] if known else [""]


class Package(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = OPTIONS.tree.resolve() / "package" / ("long" if OPTIONS.long else "short")
        shutil.rmtree(cls.folder, ignore_errors=True)
        cls.prefix = install(OPTIONS.tree, cls.folder / "prefix")
        # The sanitizer tree has no program. In every ./test the tree `test` has one.
        program = Path(os.environ.get("TUMBLE_PROGRAM", OPTIONS.tree / ".." / "test" / "bin" / "tumble"))
        cls.expected = None
        if program.exists():
            run(program, "run", SCENE, "--quiet", "-o", cls.folder / "drop.csv")
            cls.expected = (cls.folder / "drop.csv").read_text().splitlines()[-1]

    def check(self, program, **environment):
        numbers = run(program, SCENE, **environment).strip()
        self.assertGreater(numbers.count(","), 50, numbers)
        if self.expected:
            self.assertEqual(list(map(float, numbers.split(","))), list(map(float, self.expected.split(","))))


class Short(Package):
    def test_find_package(self):
        # In a Debug build nothing is inlined. So functions that program and library share are tested.
        self.check(consume_by_cmake(self.prefix, self.folder / "cmake", "Debug"))

    @unittest.skipIf(OPTIONS and OPTIONS.sanitizers, "find_package is sufficient")
    def test_pkg_config(self):
        folder = self.folder / "pkg-config"
        self.check(consume_by_pkg_config(self.prefix, folder, "-O1", *instruction_sets()[1:]))

    def test_what_is_installed(self):
        include = self.prefix / "include"
        headers = {str(path.relative_to(include)) for path in include.rglob("*.h")}
        self.assertIn("tumble/tumble.h", headers)
        self.assertIn("tumble/simulate/simulation.h", headers)
        # Headers of the methods have matrices whose layout depends on the instruction set.
        for private in ("simulate/stepper.h", "dynamics/linear/kkt_solver.h", "scene/xml.h"):
            self.assertNotIn("tumble/" + private, headers)
        self.assertFalse([name for name in headers if "/detail/" in name])
        for text in (*self.prefix.glob("**/*.cmake"), *self.prefix.glob("**/*.pc")):
            self.assertNotIn(str(self.prefix), text.read_text(), f"{text}: the folder cannot be moved")

    @unittest.skipIf(OPTIONS and OPTIONS.sanitizers, "the same for every tree")
    def test_add_subdirectory_adds_only_the_library(self):
        words = configure_parent(self.folder / "parent", "-DTUMBLE_TESTS=ON",
                                 "-DTUMBLE_BENCHMARKS=ON").splitlines()
        targets = dict(line.split()[2:] for line in words if line.startswith("-- target "))
        libraries = {f"tumble_{name}": "STATIC_LIBRARY" for name in [*MODULES, "library"]}
        interfaces = {f"tumble_{name}": "INTERFACE_LIBRARY" for name in ("modules", "settings")}
        self.assertEqual(targets, libraries | interfaces)
        settings = dict(line.split(" ", 2)[2].split("=", 1) for line in words
                        if line.startswith("-- setting "))
        self.assertGreater(len(settings), 8)
        self.assertEqual(settings, {name: "" for name in settings})


class Long(Package):
    def test_instruction_sets_and_build_types(self):
        for flags in instruction_sets():
            for build_type in ("Debug", "Release"):
                with self.subTest(flags=flags, build_type=build_type):
                    folder = self.folder / f"cmake{flags}-{build_type}"
                    self.check(consume_by_cmake(self.prefix, folder, build_type, flags))
            with self.subTest(flags=flags, by="pkg-config"):
                folder = self.folder / f"pkg-config{flags}"
                self.check(consume_by_pkg_config(self.prefix, folder, "-O2", *flags.split()))

    def test_shared_library(self):
        tree = self.folder / "shared"
        run("cmake", "-G", "Ninja", "-S", SOURCE, "-B", tree, f"-DCMAKE_CXX_COMPILER={OPTIONS.compiler}",
            "-DBUILD_SHARED_LIBS=ON", "-DCMAKE_BUILD_TYPE=Release", *QUICK_BUILD)
        run("cmake", "--build", tree, "--target", "tumble_library", "--parallel", "2")
        prefix = install(tree, self.folder / "shared-prefix")
        library = next(prefix.glob("**/libtumble.so"))
        self.assertEqual(library.readlink().name, "libtumble.so.0")
        self.assertEqual((library.parent / "libtumble.so.0").readlink().name, "libtumble.so.0.1.0")
        self.assertIn("[libtumble.so.0]", run("readelf", "-d", library))
        for flags in instruction_sets():
            with self.subTest(flags=flags):
                self.check(consume_by_cmake(prefix, self.folder / f"shared-cmake{flags}", "Debug", flags))
                folder = self.folder / f"shared-pkg-config{flags}"
                program = consume_by_pkg_config(prefix, folder, "-O1", *flags.split(), static=False)
                self.check(program, LD_LIBRARY_PATH=str(library.parent))

    def test_add_subdirectory_builds(self):
        tree = self.folder / "parent"
        configure_parent(tree, "-DCMAKE_BUILD_TYPE=Debug", *QUICK_BUILD)
        run("cmake", "--build", tree, "--target", "consumer", "--parallel", "2")
        self.check(tree / "consumer")


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Long if OPTIONS.long else Short)
    sys.exit(0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1)
