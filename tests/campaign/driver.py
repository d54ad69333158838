"""The driver of a campaign: makes the cases that its log does not have yet, in this process or in several."""

from __future__ import annotations

import gc
import json
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

from campaign.summary import summary
from fuzz.make.every import method_of, numbers_from
from fuzz.running import Outcome, fresh, run_number

CPU_SECONDS = 300  # of one case; no case needs a tenth of it
MEMORY = Path("/dev/shm")  # where files are written without waiting for a disk
BATCH = 50  # cases per process between two looks at the clock

Line = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """Which cases to make: the first number, how many of which methods (all if none is named), in how many processes, for how long."""

    first: int
    runs: int
    methods: tuple[str, ...] = ()
    jobs: int = 1
    hours: float = float("inf")


def one(number: int) -> Line:
    """Make one case in a directory that is removed afterwards, and return its line of the log."""
    place = MEMORY if MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="shoal-fuzz-", dir=place) as aside:
        try:
            with fresh(Path(aside) / str(number)) as directory, _limited():
                return asdict(run_number(number, directory))
        except Exception:
            return _failed(number, f"the checker failed: {traceback.format_exc()}")


def repeat(number: int, keep: bool) -> Line:
    """Make one case again; with `keep` in a directory `run-NUMBER`, which stays."""
    if not keep:
        return one(number)
    place = Path(f"run-{number}").absolute()
    place.mkdir()
    return asdict(run_number(number, place))


def campaign(plan: Plan, log: Path | None) -> int:
    """Make the cases that the log does not have yet, print a summary, and return the number of failures."""
    known = lines_of(log) if log else []
    done = {line["number"] for line in known}
    numbers = (number for number in numbers_from(plan.first, plan.runs, plan.methods) if number not in done)
    began, failures, made = time.monotonic(), 0, 0
    with ExitStack() as stack:
        if log:
            end_last_line(log)
            file = stack.enter_context(log.open("a", encoding="utf-8"))
        for line in _made(numbers, plan, stack):
            known.append(line)
            made += 1
            if log:
                file.write(json.dumps(line) + "\n")
                file.flush()
            if line["wrong"]:
                failures += 1
                print(f"run {line['number']}: {line['command']}\n   {'; '.join(line['wrong'])}", flush=True)
            if made % 1000 == 0:
                print(f"{made} runs, {made / (time.monotonic() - began):.1f} a second, {failures} failures", flush=True)
    print(f"{made} runs in {time.monotonic() - began:.0f} s")
    print(summary(known))
    return failures


def _made(numbers: Iterable[int], plan: Plan, stack: ExitStack) -> Iterator[Line]:
    """The lines of the cases, until they are done or the time is over."""
    make: Callable[[list[int]], Iterable[Line]]
    if plan.jobs > 1:
        pool = _Pool(plan.jobs, stack)
        make = pool.lines
    else:
        make = lambda batch: map(_next, batch)  # noqa: E731
    end, rest = time.monotonic() + 3600 * plan.hours, iter(numbers)
    while time.monotonic() < end and (batch := list(islice(rest, BATCH * plan.jobs))):
        yield from make(batch)


class _Pool:
    """Processes that make cases; one that dies is replaced, and the case that ended it is found."""

    def __init__(self, jobs: int, stack: ExitStack) -> None:
        self._jobs, self._stack = jobs, stack
        self._start()

    def _start(self) -> None:
        self._pool = self._stack.enter_context(ProcessPoolExecutor(self._jobs))

    def lines(self, batch: list[int]) -> Iterator[Line]:
        """The lines of some cases."""
        made = 0
        try:
            for line in self._pool.map(_next, batch, chunksize=5):
                made += 1
                yield line
        except BrokenProcessPool:
            self._start()
            yield from map(_alone, batch[made:])


def _alone(number: int) -> Line:
    """One case in a process of its own, which may die."""
    with ProcessPoolExecutor(1) as pool:
        try:
            return pool.submit(one, number).result()
        except BrokenProcessPool:
            return _failed(number, "the process died")


_cases = count()  # that this process has made


def _next(number: int) -> Line:
    """Make one of many cases. What the cases before have loaded stays."""
    if next(_cases) % BATCH == 0:
        settle()
    return one(number)


def settle() -> None:
    """Spare the garbage collector what was loaded: it would walk through all of it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@contextmanager
def _limited() -> Iterator[None]:
    """Raise an error in the block once it has used `CPU_SECONDS`."""

    def over(*_: object) -> None:
        raise TimeoutError(f"it took more than {CPU_SECONDS} s of computing")

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _failed(number: int, wrong: str) -> Line:
    return asdict(Outcome(number, method_of(number), "", -1, wrong=[wrong]))


def lines_of(log: Path) -> list[Line]:
    """What a log contains; a last line that was cut off is left out."""
    found = []
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else []:
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def end_last_line(log: Path) -> None:
    """End a last line that was cut off, so that the next one does not become part of it."""
    if log.exists() and (content := log.read_bytes()) and not content.endswith(b"\n"):
        with log.open("ab") as file:
            file.write(b"\n")
