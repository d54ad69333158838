"""Numbers about the structure of the sources: `python scripts/structure.py [SRC] [--program PYTHON] [--list]`.

With `--program`, the Python of an installation, it also runs `shoal anonymize` on the bundled sample under a profiler and counts the files
of shoal that the run enters. Calls made while a module is being imported do not count: a file is entered if one of its functions is called
by the run itself. Two runs are counted: with k = 2, whose release keeps enough words, and with k = 5, after which other methods are tried
on samples and recommended. `--list` also prints the files.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from statistics import median

TABLES = ("BagTable", "RowTable", "ChunkTable", "GroupTable", "CountTable", "ProfileTable", "AccessTable", "WeightedBagTable")
OPTION = re.compile(r"--[a-z][a-z-]+")
FRONT_ENDS = ("cli/", "api/", "studio/")
TRACE = """
import os, sys, threading, shoal
package = os.path.dirname(shoal.__file__)
entered = set()
def importing(frame):
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(package):
            return True
        frame = frame.f_back
    return False
def seen(frame, event, arg):
    place = frame.f_code.co_filename
    if event == "call" and place not in entered and place.startswith(package) and not importing(frame):
        entered.add(place)
threading.setprofile(seen); sys.setprofile(seen)
try:
    import shoal.cli.main
    shoal.cli.main.run(sys.argv[1:])
except SystemExit:
    pass
finally:
    sys.setprofile(None)
print("entered", *sorted(os.path.relpath(place, package) for place in entered), sep="\\n")
"""
RUNS = {"a run": "2", "a run with advice": "5"}  # k: few words are kept with 5, so the run ends with advice


def plain_strings(tree: ast.AST) -> list[str]:
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
    outside = {name: text for name, text in files.items() if not name.startswith(("kinds/", "io/write/", "io/published"))}
    spelled = {name for name, tree in trees.items() if not name.startswith(FRONT_ENDS) and any(map(OPTION.search, plain_strings(tree)))}
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


def entered(python: str, source: Path, k: str) -> list[str]:
    """The files that a run on the bundled sample enters."""
    with tempfile.TemporaryDirectory() as place:
        log = Path(place, "queries.tsv")
        log.write_bytes(gzip.decompress((source / "samples" / "queries.tsv.gz").read_bytes()))
        command = [str(Path(python).absolute()), "-c", TRACE]
        command += ["anonymize", str(log), "--method", "shoal", "--k", k, "--out", f"{place}/release"]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True)
        return done.stdout.rpartition("entered\n")[2].split()


def main() -> None:
    """Print the numbers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", type=Path, default=Path("src/shoal"))
    parser.add_argument("--program", metavar="PYTHON")
    parser.add_argument("--list", action="store_true", help="print the files that the runs enter")
    options = parser.parse_args()
    for name, value in numbers(options.source).items():
        print(f"{name:50} {value}")
    for name, k in RUNS.items() if options.program else ():
        files = entered(options.program, options.source, k)
        print(f"{f'files entered by {name}':50} {len(files)}")
        if options.list:
            print(*(f"  {file}" for file in files), sep="\n")


if __name__ == "__main__":
    main()
