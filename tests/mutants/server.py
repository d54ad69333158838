"""A pytest plugin that runs the tests of mutants: everything is loaded and collected once, and each mutant is a fork of that process.

A test is run for a mutant only if it reaches the changed places, the quickest first, and the first failure ends the fork. Which places a
test reaches, and how long it takes, is measured once in forks too, because the process itself must not compute: the threads of Polars
would not exist in its forks. A place of a Python file is a line; of a kernel, the number of a mutant.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings

from mutants.change import Mutant, changed
from mutants.judges import DECLARATIONS, ROOT
from mutants.log import KILLED, LATE, PASSED
from mutants.replace import LoadedFunctions, NotReplaced

SLOWEST = 20.0  # seconds of processor time of a test that takes part
BUDGET = 20.0  # seconds of processor time for one mutant, after which no further test begins
LIMIT = 20  # more seconds of it, after which a mutant counts as running without end
PATIENCE = 240.0  # seconds until a fork counts as stuck
UNREACHED, UNCHANGED = "not reached", "no effect"
ENDS = {0: PASSED, 1: KILLED, 3: UNCHANGED, -signal.SIGXCPU: LATE, -signal.SIGKILL: LATE}


@dataclass(frozen=True)
class Reached:
    """What a test reaches: the places by the path of a file; and its processor time."""

    seconds: float
    lines: dict[str, list[int]]


class MutantServer:
    """Takes the place of the loop that runs the tests. `work` is called with this object once the tests are collected."""

    def __init__(self, files: Sequence[Path], cache: Path, work: Callable[[MutantServer], None], budget: float = BUDGET) -> None:
        self._files, self._cache, self._work, self._budget = files, cache, work, budget
        self._names = {str(path): str(path.relative_to(ROOT)) for path in files}
        self._reached: dict[str, Reached] = {}

    def pytest_configure(self, config: pytest.Config) -> None:
        """Draw the same examples for all mutants, and do not reduce those that fail."""
        settings.register_profile("mutants", settings.default, phases=(Phase.explicit, Phase.generate), database=None)
        settings.load_profile("mutants")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Measure what the tests reach, and do the work."""
        if "polars-0\n" in {task.joinpath("comm").read_text() for task in Path("/proc/self/task").iterdir()}:
            raise pytest.UsageError("a test file computes while it is loaded: forks would wait for threads that they do not have")
        self._items = {item.nodeid: item for item in session.items}
        self._declaring = [name for name in self._items if any(part in name for part in DECLARATIONS)]
        self._load()
        self._base = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        self._measure()
        self._work(self)
        return True

    def _load(self) -> None:
        """Find the functions that mutants replace."""
        self._loaded = LoadedFunctions(self._files)

    # -- which tests reach what

    def _measure(self) -> None:
        """Measure the tests file by file, unless the cache has them for this test file and the judges that it reaches as they are now."""
        self._cache.mkdir(parents=True, exist_ok=True)
        self._states = {name: hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16] for path, name in self._names.items()}
        for path, items in self._by_file():
            place = self._cache / f"{path.stem}-{hashlib.sha256(path.read_bytes()).hexdigest()[:24]}.json"
            measured = self._measured(place)
            if measured is None:
                self._in_fork(partial(self._trace_all, items, place), None)
                measured = self._measured(place)
            self._reached |= measured or {}
        print(f"{len(self._reached)} of {len(self._items)} tests reach the code and pass", flush=True)

    def _measured(self, place: Path) -> dict[str, Reached] | None:
        """What the cache has of a test file, unless a judge that it reaches has changed."""
        if not place.exists():
            return None
        known = json.loads(place.read_text(encoding="utf-8"))
        if any(self._states.get(name) != state for name, state in known["judges"].items()):
            return None
        return {name: Reached(**facts) for name, facts in known["tests"].items()}

    def _by_file(self) -> Iterator[tuple[Path, list[pytest.Item]]]:
        of: dict[Path, list[pytest.Item]] = {}
        for item in self._items.values():
            of.setdefault(item.path, []).append(item)
        yield from of.items()

    def _trace_all(self, items: Sequence[pytest.Item], place: Path) -> int:
        found = {}
        for at, item in enumerate(items):
            lines: set[tuple[str, int]] = set()
            began = time.process_time()
            passed = self._trace(item, items[at + 1] if at + 1 < len(items) else None, lines)
            seconds = time.process_time() - began
            if passed and lines and seconds < SLOWEST:
                by_path: dict[str, list[int]] = {}
                for path, line in sorted(lines):
                    by_path.setdefault(path, []).append(line)
                found[item.nodeid] = asdict(Reached(round(seconds, 4), by_path))
        judges = {name: self._states[name] for facts in found.values() for name in facts["lines"]}
        place.write_text(json.dumps({"judges": judges, "tests": found}), encoding="utf-8")
        return 0

    def _trace(self, item: pytest.Item, following: pytest.Item | None, lines: set[tuple[str, int]]) -> bool:
        """Run a test and note the places that it reaches; whether it passes."""
        names = self._names

        def inside(frame: FrameType, event: str, _: Any) -> Any:
            lines.add((names[frame.f_code.co_filename], frame.f_lineno))
            return inside

        def entered(frame: FrameType, event: str, _: Any) -> Any:
            return inside(frame, event, None) if frame.f_code.co_filename in names else None

        sys.settrace(entered)
        try:
            reports = runtestprotocol(item, log=False, nextitem=following)
        finally:
            sys.settrace(None)
        return all(report.passed for report in reports)

    def _places(self, mutant: Mutant) -> Iterable[int]:
        """The places that a mutant changes."""
        return range(mutant.line, mutant.last_line + 1)

    def reaching(self, path: Path, mutant: Mutant) -> list[str]:
        """The tests that reach the changed places, the quickest first; of a line that runs while its module is loaded, all of its file."""
        file = self._names[str(path)]
        of_file = {name: reached for name, reached in self._reached.items() if file in reached.lines}
        lines = set(self._places(mutant))
        exact = [name for name, reached in of_file.items() if lines & set(reached.lines[file])]
        by_time = sorted(exact or (of_file if mutant.outside else ()), key=lambda name: of_file[name].seconds)
        return [*self._declaring, *by_time] if mutant.outside and not exact else by_time

    # -- mutants

    def outcome(self, module: str, path: Path, mutant: Mutant) -> str:
        """Whether a test that reaches the changed lines fails."""
        names = self.reaching(path, mutant)
        if not names:
            return UNREACHED
        return ENDS.get(self._in_fork(lambda: self._run_changed(module, path, mutant, names), LIMIT + round(self._budget)), KILLED)

    def _replace(self, module: str, path: Path, mutant: Mutant) -> None:
        """Make a mutant take effect in this process."""
        self._loaded.replace(module, path, changed(path.read_text(encoding="utf-8"), mutant))

    def _run_changed(self, module: str, path: Path, mutant: Mutant, names: Sequence[str]) -> int:
        try:
            self._replace(module, path, mutant)
        except NotReplaced:
            return 3
        spent = time.process_time()
        for at, name in enumerate(names):
            following = self._items[names[at + 1]] if at + 1 < len(names) else None
            if any(report.failed for report in runtestprotocol(self._items[name], log=False, nextitem=following)):
                return 1
            if time.process_time() - spent > self._budget:
                break
        return 0

    def _in_fork(self, work: Callable[[], int], seconds: int | None) -> int:
        """The exit code of some work in a fork, negative if a signal ended it. Its temporary files are removed."""
        place = self._base / "fork"
        pid = os.fork()
        if not pid:
            os._exit(self._as_fork(work, place, seconds))
        end = time.monotonic() + PATIENCE * (1 if seconds else 10)
        while not (done := os.waitpid(pid, os.WNOHANG))[0]:
            if time.monotonic() > end:
                os.kill(pid, signal.SIGKILL)
                done = os.waitpid(pid, 0)
                break
            time.sleep(0.005)
        shutil.rmtree(place, ignore_errors=True)
        return os.waitstatus_to_exitcode(done[1])

    def _as_fork(self, work: Callable[[], int], place: Path, seconds: int | None) -> int:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        place.mkdir(exist_ok=True)
        next(iter(self._items.values())).config._tmp_path_factory._basetemp = place  # type: ignore[attr-defined]
        if seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        try:
            return work()
        except BaseException:  # the change may break anything
            return 1
