"""Run the tests of a judge on its mutants, each in a process that is forked from one with all packages but shoal loaded."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import re
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"
JUDGES = SOURCES / "shoal" / "privacy"
PLACES = ("privacy", "contract", "cli", "leaks", "app")  # in which the tests of a judge are searched, and in this order
OF_AUDITS = "cli/test_*audit*.py"  # tests of what no judge uses, but audits do
SLOWEST = 300.0  # seconds
PASSED, KILLED, LATE = "survived", "killed", "too slow"


def judges() -> list[Path]:
    """The files of all models, and of what they count with."""
    return sorted(JUDGES.rglob("*.py"))


def own_tests(judge: Path) -> list[str]:
    """Test files that import a judge or name its model, those closest to it first; for a part of judges, the tests of those.

    Without such a file it is used by audits alone, and these are the tests of audits: pytest without a file would run all tests.
    """
    names = "|".join(name for stem in _with_users(judge.stem) for name in (stem, stem.replace("_", "-"), *_models(stem)))
    named = re.compile(rf"(?<![\w-])({names})(?![\w-])")
    paths = [path for place in PLACES for path in sorted((ROOT / "tests" / place).glob("test_*.py"))]
    naming = [path for path in paths if named.search(path.read_text(encoding="utf-8"))]
    naming.sort(key=lambda path: path.stem != f"test_{judge.stem}")
    return [str(path.relative_to(ROOT)) for path in naming or sorted((ROOT / "tests").glob(OF_AUDITS))]


def _models(stem: str) -> list[str]:
    """The names of the models in a module, by which most tests import them; its other classes are not known elsewhere."""
    path = JUDGES / f"{stem}.py"
    return re.findall(r"^class ([A-Z]\w+)", path.read_text(encoding="utf-8"), re.MULTILINE) if path.exists() else []


def _with_users(stem: str) -> list[str]:
    """A module of the package, and those that import it, directly or not."""
    found = [stem]
    for one in found:
        imports = re.compile(rf"from shoal\.privacy\.(evidence\.)?{one} import")
        users = (path.stem for path in judges() if imports.search(path.read_text(encoding="utf-8")))
        found += [user for user in users if user not in {*found, "__init__"}]
    return found


def load_packages() -> None:
    """Load what the tests need from other projects, so that forks have it. Nothing is computed with it here."""
    for name in ("numpy", "polars", "pyarrow", "pytest", "click", "jinja2", "scipy.stats", "xlsxwriter", "fastexcel"):
        importlib.import_module(name)


def outcome(judge: Path, source: str | None, tests: Sequence[str]) -> str:
    """Whether the tests notice a changed judge: first some cases of large families, and then all. Without a source, it is as it is."""
    found = _outcome(judge, source, tests)
    return _outcome(judge, source, tests, "--everything") if found == PASSED and source is not None else found


def _outcome(judge: Path, source: str | None, tests: Sequence[str], *options: str) -> str:
    pid = os.fork()
    if not pid:
        os._exit(_tested(judge, source, [*options, *tests]))
    end = time.monotonic() + SLOWEST
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return KILLED if os.waitstatus_to_exitcode(status) else PASSED
        time.sleep(0.05)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return LATE


def _tested(judge: Path, source: str | None, tests: Sequence[str]) -> int:
    os.setpgid(0, 0)
    os.chdir(ROOT)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    if source is not None:
        sys.meta_path.insert(0, _Changed(".".join(judge.relative_to(SOURCES).with_suffix("").parts), judge, source))
    import pytest

    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--hypothesis-seed=0"]
    return int(pytest.main([*options, *tests]))


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives one module another source."""

    def __init__(self, name: str, path: Path, source: str) -> None:
        self._name, self._path, self._source = name, path, source

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        """The changed module, and no other."""
        return importlib.util.spec_from_file_location(name, self._path, loader=self) if name == self._name else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed source."""
        exec(compile(self._source, self._path, "exec"), module.__dict__)
