"""Numbers about the structure of the sources: `python scripts/structure.py [SRC] [--program PYTHON]`.

With `--program`, the Python of an installation, it also runs `shoal demo` under a profiler and counts the files of shoal that are entered.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from statistics import median

TABLES = ("BagTable", "RowTable", "ChunkTable", "GroupTable", "CountTable", "ProfileTable", "AccessTable", "WeightedBagTable")
OPTION = re.compile(r"--[a-z][a-z-]+")
FRONT_ENDS = ("cli/", "api/", "app/cli/", "app/api", "app/keywords")
TRACE = """
import os, sys, threading, shoal
entered, package = set(), os.path.dirname(shoal.__file__)
def seen(frame, event, arg):
    if event == "call" and frame.f_code.co_filename.startswith(package) and frame.f_code.co_name != "<module>":
        entered.add(frame.f_code.co_filename)
threading.setprofile(seen); sys.setprofile(seen)
try:
    CLI.run(["demo", "--out", sys.argv[1]])
finally:
    sys.setprofile(None)
print(len(entered))
"""


def code_lines(tree: ast.AST) -> list[str]:
    """The string constants of a file that are no docstrings."""
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body
        if isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    ]


def numbers(source: Path) -> dict[str, object]:
    """The table for the package below a directory."""
    files = {str(path.relative_to(source)): path.read_text("utf-8") for path in sorted(source.rglob("*.py"))}
    lines = {name: len(text.splitlines()) for name, text in files.items()}
    own = {name: n for name, n in lines.items() if not name.endswith("__init__.py")}
    trees = {name: ast.parse(text) for name, text in files.items()}
    stems = Counter(Path(name).name for name in own)
    classes = Counter(node.name for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    folders = Counter(str(Path(name).parent) for name in own)
    checks = re.compile(rf"isinstance\([^()]*\b({'|'.join(TABLES)})\b")
    outside = {name: text for name, text in files.items() if not name.startswith(("kinds/", "io/write/", "io/published/"))}
    spelled = {name for name, tree in trees.items() if not name.startswith(FRONT_ENDS) and any(map(OPTION.search, code_lines(tree)))}
    return {
        "modules": len(files),
        "median lines": median(own.values()),
        "longest": max(own.items(), key=lambda one: one[1]),
        "below 40 lines": sum(n < 40 for n in own.values()),
        "below 60 lines": sum(n < 60 for n in own.values()),
        "file names used twice": sum(n > 1 for n in stems.values()),
        "class names used twice": sum(n > 1 for name, n in classes.items() if not name.startswith("_")),
        "folders above 35 files": {name: n for name, n in folders.items() if n > 35},
        "isinstance on tables outside kinds": sum(len(checks.findall(text)) for text in outside.values()),
        "modules that spell --options outside front ends": len(spelled),
    }


def entered(python: str, cli: str) -> str:
    """The files that a run enters."""
    with tempfile.TemporaryDirectory() as place:
        program = f"import {cli} as CLI\n{TRACE}"
        done = subprocess.run(
            [str(Path(python).absolute()), "-c", program, f"{place}/demo"], cwd=place, capture_output=True, text=True, check=False
        )
        return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr.strip()[-300:]


def main() -> None:
    """Print the numbers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", type=Path, default=Path("src/shoal"))
    parser.add_argument("--program", metavar="PYTHON")
    asked = parser.parse_args()
    for name, value in numbers(asked.source).items():
        print(f"{name:50} {value}")
    if asked.program:
        cli = "shoal.cli.main" if (asked.source / "cli").exists() else "shoal.app.cli.main"
        print(f"{'files entered by a run':50} {entered(asked.program, cli)}")


if __name__ == "__main__":
    main()
