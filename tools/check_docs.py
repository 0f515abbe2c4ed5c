#!/usr/bin/env python3
"""Fails where a document is hard to read or leads nowhere: check_docs.py [CHECKOUT]

- A line of prose or code has at most 110 columns. Rows of tables, and lines without a blank, may be longer.
- A paragraph has at most 8 lines.
- A link into the repository leads to a file, and to a heading that is there.

Prints FILE:LINE: what is wrong, for every fault.
"""
import re
import sys
from pathlib import Path

from sources import ROOT

MOST_COLUMNS, MOST_LINES = 110, 8
LINK = re.compile(r"\]\(([^)\s]+)\)")
ITEM = re.compile(r"\s*([-*]|\d+\.) ")


def pages_of(root):
    names = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")
    return [root / name for name in names] + sorted((root / "docs").rglob("*.md"))


def anchors_of(text):
    """Headings as links name them."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    headings = re.findall(r"^#+ +(.*)$", prose, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def layout_faults(text):
    in_code, paragraph = False, 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        fence = line.lstrip().startswith("```")
        in_code ^= fence
        is_row = line.startswith("|") and not in_code
        if len(line) > MOST_COLUMNS and not is_row and " " in line.strip():
            yield number, f"{len(line)} columns (at most {MOST_COLUMNS})"
        is_prose = line.strip() and not (in_code or fence or is_row or line.startswith(("#", "    ", "![")))
        if paragraph > MOST_LINES and not (is_prose and not ITEM.match(line)):
            yield number - paragraph, f"a paragraph of {paragraph} lines (at most {MOST_LINES})"
        paragraph = 0 if not is_prose else 1 if ITEM.match(line) else paragraph + 1


def link_faults(page, text):
    for match in LINK.finditer(text):
        target = match[1]
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name) if name else page
        number = text.count("\n", 0, match.start()) + 1
        if not path.exists():
            yield number, f"a link to {target}, which does not exist"
        elif anchor and anchor not in anchors_of(path.read_text(encoding="utf-8")):
            yield number, f"a link to {target}, and no heading is called so"


def check(root):
    faults = []
    for page in pages_of(root):
        text = page.read_text(encoding="utf-8")
        name = page.relative_to(root)
        found = [*layout_faults(text), *link_faults(page, text)]
        faults += [f"{name}:{number}: {what}" for number, what in found]
    return faults


def main():
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    faults = check(root)
    print("\n".join(faults) if faults else f"{len(pages_of(root))} documents are fine")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
