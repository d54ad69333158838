"""A copy of the sources in which a page of the documentation is followed."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import shoal
from helpers.docs import ROOT, Block, blocks
from shoal import _kernels

PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md")
COPIED = (*PAGES, "LICENSE", "pyproject.toml", "cpp", "docs", "scripts", "tests")
# Copied files keep their times, so bytecode is up to date in the copy, too. What is being written of it has a suffix.
NOT_COPIED = shutil.ignore_patterns("*.pyc.*")
NOT_OF_THE_PACKAGE = shutil.ignore_patterns("_kernels*.so", "*.pyc.*")

# What a developer's editable installation puts before the search path would find the sources here, not their copy.
RUN = (
    "import runpy, sys; sys.meta_path[:] = [f for f in sys.meta_path if 'ScikitBuild' not in type(f).__name__]; "
    "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)


@dataclass(frozen=True)
class Copy:
    """A copy of the sources in which somebody adds methods, and a directory to type commands in."""

    root: Path
    home: Path

    def run(self, module: str, *words: str, at: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run a module, such as the program itself, on the copy."""
        command = [sys.executable, "-c", RUN, module, *words]
        path = os.pathsep.join(str(self.root / place) for place in ("src", "scripts"))
        env = {**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"}
        return subprocess.run(command, cwd=at or self.home, env=env, capture_output=True, text=True, check=False, timeout=300)

    def type(self, line: str) -> str:
        """What a command of the program prints. It must succeed."""
        done = self.run(*shlex.split(line))
        assert done.returncode == 0, f"$ {line}\n{done.stdout}{done.stderr}"
        return done.stdout

    def test(self, *words: str) -> str:
        """What tests of the copy print. They must pass."""
        done = self.run("pytest", "-p", "no:cacheprovider", *words, at=self.root)
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
        return done.stdout

    def files(self) -> dict[str, bytes]:
        """All files but what Python compiles and what Hypothesis remembers."""
        found = (file for file in self.root.rglob("*") if file.is_file() and not {"__pycache__", ".hypothesis"} & set(file.parts))
        return {str(file.relative_to(self.root)): file.read_bytes() for file in found}


def file_blocks(page: str) -> dict[str, str]:
    """The files that a page shows, by name."""
    return {block.file: text_of(block) for block in blocks(page) if block.file}


def text_of(block: Block) -> str:
    """The text of a block."""
    return "\n".join(block.lines) + "\n"


def fresh_copy(root: Path) -> None:
    """Copy the sources, the tests and the documentation."""
    for name in COPIED:
        place = ROOT / name
        shutil.copytree(place, root / name, ignore=NOT_COPIED) if place.is_dir() else shutil.copy(place, root / name)
    package = root / "src" / "shoal"
    shutil.copytree(Path(shoal.__file__).parent, package, ignore=NOT_OF_THE_PACKAGE)
    shutil.copy(_kernels.__file__, package)
