"""The files of a checkout that the checks read."""
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def cpp_files(root=ROOT, tops=("src", "apps", "tests", "examples", "benchmarks"), suffixes=(".h", ".cpp")):
    return [file for top in tops for file in sorted((root / top).rglob("*")) if file.suffix in suffixes]
