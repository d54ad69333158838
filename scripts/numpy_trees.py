"""Whether other versions of numpy learn the same topics: `python scripts/numpy_trees.py VERSION...`, for example 1.26.4 2.0.2.

For each version, pip makes an environment with it and with the other dependencies in build/numpy-VERSION. There, topics are learned from
the bundled samples and from a generated log, with the kernels of this checkout, and the digests of the trees are compared with those of
this environment. The exit code is 1 if a digest differs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import venv
from hashlib import sha256
from pathlib import Path

import numpy as np

import shoal
from shoal.io.synthetic_log import generate
from shoal.io.write.taxonomy_file import edges_text

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ("queries.tsv.gz", "baskets.csv", "access.log")
PEOPLE = 2_000  # of the generated log
DIGESTS = "--digests"  # prints the digests of the environment that runs this


def main(versions: list[str]) -> int:
    """Compare the trees of these versions of numpy with those of this environment; return the exit code."""
    log = ROOT / "build" / f"numpy-trees-{PEOPLE}.tsv"
    if not log.exists():
        log.parent.mkdir(exist_ok=True)
        generate(log, PEOPLE)
    here = digests_of(Path(sys.executable), log)
    print(f"numpy {here.pop('numpy')}: {here}")
    differing = 0
    for version in versions:
        there = digests_of(environment(version), log)
        if there.pop("numpy") != version:
            raise RuntimeError(f"the environment does not have numpy {version}")
        different = [name for name in here if here[name] != there[name]]
        print(f"numpy {version}: {f'other trees of {different}' if different else 'the same trees'}")
        differing += bool(different)
    return int(differing > 0)


def environment(version: str) -> Path:
    """The Python of an environment with this version of numpy, which is made if it is absent."""
    directory = ROOT / "build" / f"numpy-{version}"
    python = directory / "bin" / "python"
    if not python.exists():
        venv.create(directory, with_pip=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    others = [one for one in project["dependencies"] if not one.startswith("numpy")]
    subprocess.run([python, "-m", "pip", "install", "--quiet", f"numpy=={version}", *others], check=True)
    return python


def digests_of(python: Path, log: Path) -> dict[str, str]:
    """The digests of the trees that are learned by this Python, and its version of numpy."""
    found = subprocess.run(
        [python, __file__, DIGESTS, log], env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, stdout=subprocess.PIPE, check=True
    )
    digests: dict[str, str] = json.loads(found.stdout)
    return digests


def print_digests(log: Path) -> None:
    """Print the version of numpy, and a digest of the tree with all words of each input."""
    digests = {"numpy": np.__version__}
    for path in (*(ROOT / "src" / "shoal" / "samples" / name for name in SAMPLES), log):
        tree = shoal.learn_taxonomy(path, people=5, all_words=True)
        digests[path.name] = sha256(edges_text(tree).encode()).hexdigest()[:16]
    print(json.dumps(digests))


if __name__ == "__main__":
    if sys.argv[1:2] == [DIGESTS]:
        print_digests(Path(sys.argv[2]))
    else:
        sys.exit(main(sys.argv[1:]))
