#!/usr/bin/env python3
"""Fails on long lines and on words that readers do not understand.

check_language.py [--root CHECKOUT] [PATH...]

Reads source, scripts and Markdown, and prints FILE:LINE: what is wrong, for every fault:

- a line over 110 characters. In Markdown, tables, code blocks, images and lines of one link may be longer,
  because they cannot be broken. Data files (XML, JSON, OBJ, ...) are not read;
- a word or phrase of BANNED, in comments, names, strings and text. The message suggests a replacement.

Without PATH it reads the whole checkout except NOT_CLEAN_YET. With PATH (files or folders) it reads these.
"""
import argparse
import re
import sys
from pathlib import Path

from sources import ROOT

MAX_COLUMNS = 110
TOPS = ("src", "apps", "tests", "tools", "examples", "benchmarks", "docs", "cmake", "CMakeLists.txt",
        "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "tumble", "test", "bench")
SUFFIXES = {".h", ".cpp", ".py", ".cmake", ".sh", ".md", ".mjs", ".js", ".in"}
SKIPPED_FOLDERS = {"node_modules", "__pycache__", "corpus", "data"}
# Parts of the checkout that have faults. An entry without faults is itself a fault: remove it then.
NOT_CLEAN_YET = ()

# (words, what to write instead). A blank also matches an underscore or a line break inside a comment. Words
# are found inside of names, too: `program_wishes` and `ProgramWishes` both contain "wishes".
BANNED = [
    ("tell|tells|telling|told", "say 'reports', 'prints', 'stores', 'says' or 'distinguishes'"),
    ("foresee|foresees|foreseen|foresaw", "say 'predict'"),
    ("what is kept|what was kept", "name it, e.g. 'the contact offset'"),
    ("keep books|keeps books|keep house|keeps house", "say 'accounting', or name what is stored"),
    ("ledger", "say 'energy balance' or 'statistics'"),
    ("spoken of", "say 'reported' or 'described'"),
    ("wish|wishes|wished", "say 'options' or 'requests'"),
    ("struck", "say 'hit' or 'in impact'"),
    ("mend|mends|mended|mending", "say 'repair' or 'fix'"),
    ("nobody asks|nobody asked|nobody sees|nobody would", "say what does not happen"),
    ("as it were|next to nothing|is no number|are no numbers", "say it literally, e.g. 'is not finite'"),
    ("whereof|thereof|whereby|thereby|hereby|wherein|therein|herein|whence|thence|whereupon|lest|naught"
     "|nought|withal", "use plain words: 'because', 'so that', 'from this', 'zero'"),
    ("dear|dearer|dearest|dearly", "say 'expensive' or 'slower'"),
    ("afresh", "say 'again' or 'from scratch'"),
    ("at hand|in hand", "say 'current'"),
    ("restless", "say 'stalled' or 'not converged'"),
]
# The same, but only in the code of src, where comments and strings do not count: honest words, opaque names.
BANNED_NAMES = [
    ("bend|bends|bent", "name the quantity, e.g. 'gap_curvature'"),
    ("go along|come back", "name the step of the algorithm, e.g. 'begin_fused', 'back_substitute'"),
    ("side by side", "say 'Arena' or 'SIMD lanes'"),
    ("lack|lacks", "say 'residual'"),
]
# Honest uses: (file, words in lower case or * for all, reason). An entry without use is a fault.
EXCUSED = [
    ("tools/check_language.py", "*", "has the list"),
    ("tests/tools/check_language_test.py", "*", "tests the list"),
    ("CHANGELOG.md", "ledger", "the old name of a class"),
    ("CHANGELOG.md", "wishes", "the old name of a member"),
]

# Between two words: blanks, an underscore, or a line break with the mark of a comment.
BETWEEN = r"(?:_|[ \t]+|[ \t]*\n[ \t]*(?:(?://[/!]?|\#+|>)[ \t]*)?)"
CPP_BLANK = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
FENCE = re.compile(r"\s*(```|~~~)")
LINK = r"(?:!?\[[^\]]*\]\([^)\s]*\)|\[[^\]]*\]:\s*\S+|<?https?://\S+>?)"
ONE_LINK = re.compile(r"[\s>*#/+-]*(?:\d+\.\s+)?" + LINK + r"[.,;:]?\s*$")
IMAGE = re.compile(r"\s*(?:!\[|\[!\[|<img\b)")


def pattern_of(words):
    """A regular expression that finds these words in text, in snake_case and in PascalCase."""
    pascal = "|".join("".join(part.capitalize() for part in one.split()) for one in words.split("|"))
    text = words.replace(" ", BETWEEN)
    return re.compile(rf"(?<![A-Za-z])(?i:{text})(?![A-Za-z])|(?<![A-Z])(?:{pascal})(?![a-z])")


RULES = [(pattern_of(words), advice, False) for words, advice in BANNED]
RULES += [(pattern_of(words), advice, True) for words, advice in BANNED_NAMES]


def is_read(path):
    """Whether a file is source, a script or Markdown."""
    if path.suffix in SUFFIXES or path.name == "CMakeLists.txt":
        return True
    if path.suffix:
        return False
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def files_under(path):
    if path.is_file():
        return [path] if is_read(path) else []
    files = (file for file in sorted(path.rglob("*")) if file.is_file() and not file.is_symlink())
    inside = (file for file in files if not SKIPPED_FOLDERS & set(file.relative_to(path).parent.parts))
    return [file for file in inside if is_read(file)]


def long_lines(path, text):
    """(line, length) of every line that is too long and could be broken."""
    markdown, fenced = path.suffix == ".md", False
    for number, line in enumerate(text.split("\n"), 1):
        if markdown and FENCE.match(line):
            fenced = not fenced
        if len(line) <= MAX_COLUMNS or ONE_LINK.match(line):
            continue
        if markdown and (fenced or line.lstrip().startswith("|") or IMAGE.match(line)):
            continue
        yield number, len(line)


def names_of(path, text):
    """The code of a C++ file of src, with comments and strings blank; nothing for other files."""
    if path.parts[0] != "src" or path.suffix not in (".h", ".cpp"):
        return ""
    return CPP_BLANK.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def faults_of(path, text, used):
    """(line, what is wrong) of a file, named relative to the checkout. Adds the excuses it uses to `used`."""
    for number, length in long_lines(path, text):
        yield number, f"{length} columns; at most {MAX_COLUMNS}"
    names = names_of(path, text)
    for pattern, advice, only_names in RULES:
        for found in pattern.finditer(names if only_names else text):
            words = " ".join(re.split(r"[\s_/#!>]+", found[0].lower()))
            excuse = next((e for e in EXCUSED if e[0] == path.as_posix() and e[1] in ("*", words)), None)
            if excuse:
                used.add(excuse)
            else:
                yield text.count("\n", 0, found.start()) + 1, f"'{words}': {advice}"


def check(root, paths=None, not_clean=()):
    """All faults, and how many files were read. Without `paths` it skips the parts `not_clean`."""
    tops = paths if paths else [root / top for top in TOPS if (root / top).exists()]
    files = {file.relative_to(root): file for top in tops for file in files_under(top)}
    faults, count, used, unclean = [], 0, set(), set()
    for path, file in sorted(files.items()):
        entry = next((e for e in not_clean if path == Path(e) or Path(e) in path.parents), None)
        found = sorted(set(faults_of(path, file.read_text(encoding="utf-8"), used)))
        if entry and not paths:
            unclean |= {entry} if found else set()
            continue
        count += 1
        faults += [f"{path}:{number}: {what}" for number, what in found]
    if not paths:
        tool = "tools/check_language.py:1"
        clean = [entry for entry in not_clean if entry not in unclean]
        faults += [f"{tool}: {part} has no faults: remove it from NOT_CLEAN_YET" for part in clean]
        unused = [excuse for excuse in EXCUSED if root == ROOT and excuse not in used]
        faults += [f"{tool}: the excuse of {file} for '{words}' has no use" for file, words, _ in unused]
    return faults, count


def main():
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--root", type=Path, default=ROOT, metavar="CHECKOUT", help="default: of this tool")
    parser.add_argument("paths", type=Path, nargs="*", metavar="PATH")
    arguments = parser.parse_args()
    missing = [str(path) for path in arguments.paths if not path.exists()]
    if missing:
        parser.error("there is no " + ", ".join(missing))
    root, paths = arguments.root.resolve(), [path.resolve() for path in arguments.paths]
    faults, count = check(root, paths, NOT_CLEAN_YET if root == ROOT else ())
    print("\n".join(faults) if faults else f"{count} files: lines and words are plain")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
