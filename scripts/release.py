"""Checks that this commit can be released as the version in pyproject.toml, and tags it: `python scripts/release.py [--dry-run]`.

The files in dist, made by `make wheels` and `python scripts/sbom.py dist`, are checked as they are. Then `.ci/run` decides, and the tag is
set; pushing it starts .github/workflows/publish.yml. With `--dry-run` all problems are listed, no test runs, and nothing is tagged. The
exit code is 1 if there is a problem.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wheels import LARGEST, TARGETS

ROOT = Path(__file__).resolve().parents[1]
FILES = "shoal_privacy"
NOT_IN_ARCHIVE = ("benchmarks", "docs/images", "docs/papers", "tests/releases", "tests/fuzz/kept")
LICENCES = ("LICENSE", "NOTICE", "licences/llvm.txt", "licences/nanobind.txt", "licences/robin-map.txt", "licences/zig.txt")
WORDNET = "shoal/taxonomy/wordnet-data/"


def main() -> None:
    """Check, test and tag."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry-run", action="store_true", help="list all problems, run no tests and set no tag")
    options = parser.parse_args()
    project = read_project(ROOT)
    found = [
        *metadata_problems(ROOT, project),
        *repository_problems(ROOT, project["version"]),
        *file_problems(ROOT / "dist", project["version"]),
    ]
    for problem in found:
        print(f"problem: {problem}")
    if found:
        sys.exit(1)
    tag = f"v{project['version']}"
    if options.dry_run:
        print(f"{tag} can be tagged after .ci/run")
        return
    subprocess.run([ROOT / ".ci" / "run"], check=True)
    git(ROOT, "tag", "--annotate", tag, "--message", f"shoal {project['version']}")
    print(f"tagged {tag}; `git push origin {tag}` publishes it")


def read_project(root: Path) -> dict[str, Any]:
    """Return the project table of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return table


def git(root: Path, *words: str) -> str:
    """Return what a command of git prints."""
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


# -- sources


def metadata_problems(root: Path, project: dict[str, Any]) -> Iterator[str]:
    """The version is the same everywhere, the changelog has its date, and the index can show where the project is."""
    version = project["version"]
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
        yield f"{version} is not a version that is released"
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d{{2}}-\d{{2}}$", changelog, re.MULTILINE):
        yield f"CHANGELOG.md has no section [{version}] with a date"
    if f"\nversion: {version}\n" not in (root / "CITATION.cff").read_text("utf-8"):
        yield f"CITATION.cff is not of version {version}"
    if not {"Source", "Issues"} <= set(project.get("urls", {})):
        yield "pyproject.toml has no project.urls with Source and Issues"


def repository_problems(root: Path, version: str) -> Iterator[str]:
    """Everything is committed on the main branch, and the version was not released before."""
    if git(root, "status", "--porcelain"):
        yield "there are changes that are not committed"
    if (branch := git(root, "branch", "--show-current")) != "main":
        yield f"the branch is {branch or 'none'}, not main"
    if git(root, "tag", "--list", f"v{version}"):
        yield f"the tag v{version} exists already"


# -- files


def file_problems(dist: Path, version: str) -> Iterator[str]:
    """The source archive, all wheels and the bill of materials are there, are of this version, and contain what they must."""
    archive, bill = dist / f"{FILES}-{version}.tar.gz", dist / f"{FILES}-{version}.cdx.json"
    expected = {archive.name, bill.name, *wheel_names(version)}
    present = {without_aliases(file.name): file for file in dist.glob("*")}
    yield from (f"dist has no {name}" for name in sorted(expected - present.keys()))
    yield from (f"dist has {name}, which is no file of this release" for name in sorted(present.keys() - expected))
    if archive.name in present:
        yield from archive_problems(archive)
    for name in sorted(wheel_names(version) & present.keys()):
        yield from wheel_problems(present[name])
    if bill.name in present and json.loads(bill.read_text("utf-8"))["metadata"]["component"]["version"] != version:
        yield f"{bill.name} is of another version"


def wheel_names(version: str) -> set[str]:
    """Return the names of all wheels that `make wheels` builds."""
    interfaces = ("cp311-cp311", "cp312-abi3")
    return {f"{FILES}-{version}-{interface}-{target.tag}.whl" for interface in interfaces for target in TARGETS.values()}


def without_aliases(name: str) -> str:
    """Return the name of a wheel without the older names of its systems, such as manylinux2014, which auditwheel adds."""
    return re.sub(r"manylinux(1|2010|2014)_\w+\.(?=manylinux)|\.manylinux(1|2010|2014)_\w+(?=\.)", "", name)


def archive_problems(archive: Path) -> Iterator[str]:
    """The source archive has what building needs, and nothing large that it does not need."""
    try:
        with tarfile.open(archive) as opened:
            names = {name.partition("/")[2] for name in opened.getnames()}
    except (tarfile.ReadError, EOFError):
        yield f"{archive.name} is damaged"
        return
    yield from (f"{archive.name} lacks {name}" for name in (*LICENCES, "CMakeLists.txt", "pyproject.toml") if name not in names)
    yield from (f"{archive.name} contains {place}" for place in NOT_IN_ARCHIVE if any(name.startswith(f"{place}/") for name in names))


def wheel_problems(wheel: Path) -> Iterator[str]:
    """A wheel is small, and has the kernels, WordNet and all licences."""
    if wheel.stat().st_size > LARGEST:
        yield f"{wheel.name} is larger than {LARGEST / 1e6:.0f} MB"
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
    licensed = {name.partition("/licenses/")[2] for name in names}
    yield from (f"{wheel.name} lacks the licence file {name}" for name in (*LICENCES, f"src/{WORDNET}LICENSE") if name not in licensed)
    if f"{WORDNET}nodes.parquet" not in names:
        yield f"{wheel.name} lacks WordNet"
    if sum(name.startswith("shoal/_kernels.") and name.endswith(".so") for name in names) != 1:
        yield f"{wheel.name} does not have exactly one module of kernels"
    yield from (f"{wheel.name} contains {name}" for name in names if name.startswith(("tests/", "docs/", "benchmarks/")))


if __name__ == "__main__":
    main()
