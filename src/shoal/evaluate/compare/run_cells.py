"""Runs a grid: data is read and prepared once, cells run in parallel, and finished cells are not repeated."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from shoal import __version__, kernels
from shoal.data.patience import patience
from shoal.errors import OutputError
from shoal.evaluate.compare.comparison_time import expected_seconds, in_order
from shoal.evaluate.compare.grid import Cell
from shoal.evaluate.compare.shared_inputs import CellInputs, PreparationOfCell
from shoal.evaluate.compare.worst_attack import AttackEffort
from shoal.io.comparison_files import CellFiles, PreparedFiles
from shoal.io.read.source import digest_of
from shoal.pipeline.options import Preparation, is_file
from shoal.util.wording import duration

NAP_SECONDS = 0.05
STOPPED = "stopped_after"  # seconds of the clock, in the row of a cell that took longer than it may


@dataclass(frozen=True)
class CellRow:
    """A cell and its result: numbers, or why there are none."""

    cell: Cell
    found: dict[str, Any]


RowCallback = Callable[[CellRow], None]
"""What rows are given to, as soon as they are known."""


class ComparisonEvents:
    """Callbacks for the progress of a comparison. Each method does nothing unless a subclass overrides it.

    Attributes:
        wants_times: Whether cells are tried on a few people first, to tell how long they take and to order them by it.
    """

    wants_times = False

    def prepared(self) -> None:
        """Data has been read and prepared, and the cells are about to begin."""

    def expect(self, seconds: Mapping[Cell, float], jobs: int) -> None:
        """Report the expected seconds of each waiting cell, measured on a few people; `jobs` cells run at the same time."""

    def row(self, row: CellRow) -> None:
        """Report a row: first those of an earlier comparison, then each cell when it ends."""


@dataclass(frozen=True)
class CellLimits:
    """How many cells run at the same time, the seconds of the clock that each may take, and the size of the sample of people, if any."""

    jobs: int
    seconds: float
    people: int | None = None


@dataclass(frozen=True, eq=False)
class Comparison:
    """All rows in grid order; the number of earlier results; the processor seconds of reading and preparation, once for all."""

    rows: tuple[CellRow, ...]
    resumed: int
    preparing: float


def compare(
    inputs: Sequence[Path],
    cells: Sequence[Cell],
    preparation_of: PreparationOfCell,
    files: CellFiles,
    effort: AttackEffort,
    limits: CellLimits,
    watch: ComparisonEvents,
) -> Comparison:
    """Run every cell without a result.

    Args:
        inputs: The input files.
        cells: The methods and settings.
        preparation_of: How the data of a cell is prepared.
        files: The directory of the comparison.
        effort: How many people are attacked.
        limits: How many cells run at the same time, for how long, and on how many people.
        watch: Progress callbacks.
    """
    started = time.process_time()
    digests = [digest_of(path) for path in inputs]
    common = [__version__, digests, asdict(effort), patience(), *([] if limits.people is None else [limits.people])]
    keys = {cell: cell.key(json.dumps([*common, *_content(cell, preparation_of(cell))])) for cell in cells}
    waiting = [cell for cell in cells if files.result(keys[cell]) is None]
    failed: dict[Cell, str] = {}
    stopped: set[Cell] = set()

    def row_of(cell: Cell) -> CellRow:
        late = {STOPPED: limits.seconds} if cell in stopped else {}
        return CellRow(cell, files.result(keys[cell]) or {"refused": failed[cell], **late})

    def report(*known: Cell) -> None:
        for cell in known:
            watch.row(row_of(cell))

    report(*(cell for cell in cells if cell not in waiting))
    preparing = 0.0
    files.begin()
    if waiting:
        with PreparedFiles(files.directory) as private:
            begun = time.process_time()
            cell_inputs = CellInputs(inputs, preparation_of, private.keep, limits.people)
            ready = {cell: place for cell in waiting if (place := cell_inputs.of(cell, failed)) is not None}
            preparing = time.process_time() - begun
            report(*failed)
            watch.prepared()
            seconds = dict.fromkeys(ready, 0.0)
            if watch.wants_times and ready:
                seconds = expected_seconds(list(ready), cell_inputs, effort, limits.jobs, started)
                watch.expect(seconds, limits.jobs)
            work = [_Work(cell, ready[cell], files.place(keys[cell])) for cell in in_order(list(ready), seconds)]
            _work_off(work, effort, limits, len(cells) - len(waiting), failed, stopped, report)
    return Comparison(tuple(map(row_of, cells)), len(cells) - len(waiting), preparing)


def _content(cell: Cell, preparation: Preparation) -> tuple[str, ...]:
    """Return what the result of a cell depends on besides the input: method, preparation, and the content of named files."""
    taxonomy = digest_of(Path(preparation.taxonomy)) if is_file(preparation.taxonomy) else ""
    items = preparation.read.items.source if preparation.read.items is not None else None
    return repr(cell.made()), repr(preparation), taxonomy, digest_of(Path(items)) if isinstance(items, str) else ""


class _Work(NamedTuple):
    """A cell, and the paths of its data and its result."""

    cell: Cell
    prepared: Path
    result: Path


class _Running(NamedTuple):
    """The process of a cell, and when it must be finished, in seconds of the clock."""

    process: subprocess.Popen[bytes]
    deadline: float

    def ended(self) -> bool:
        return self.process.poll() is not None

    def end(self) -> None:
        self.process.kill()
        self.close()

    def close(self) -> int:
        """Wait for a process that has ended or was killed; its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait()


def _work_off(
    work: Sequence[_Work],
    effort: AttackEffort,
    limits: CellLimits,
    kept: int,
    failed: dict[Cell, str],
    stopped: set[Cell],
    on_end: Callable[[Cell], None],
) -> None:
    """Run the cells in parallel; record which failed or were stopped, and why, and report each that ended."""
    threads, total = max(1, kernels.threads() // limits.jobs), kept + len(work)
    waiting, running = list(work), dict[Cell, _Running]()
    try:
        while waiting or running:
            while waiting and len(running) < limits.jobs:
                one = waiting.pop(0)
                running[one.cell] = _Running(_started(one, effort, threads), time.monotonic() + limits.seconds)
            for cell in [cell for cell, one in running.items() if one.ended() or time.monotonic() > one.deadline]:
                one_running = running.pop(cell)
                if not one_running.ended():
                    one_running.end()
                    stopped.add(cell)
                    failed[cell] = f"it was stopped after its time limit of {duration(limits.seconds)}"
                elif code := one_running.close():
                    failed[cell] = f"its process ended with exit code {code}"
                on_end(cell)
            kernels.report("comparing", total - len(waiting) - len(running), total)
            time.sleep(NAP_SECONDS)
    finally:
        for one_running in running.values():
            one_running.end()


def _started(work: _Work, effort: AttackEffort, threads: int) -> subprocess.Popen[bytes]:
    cell = work.cell
    limits = {"threads": threads, "patience": patience()}
    task = {"method": cell.method, "settings": cell.settings, "per": cell.per, "effort": asdict(effort), **limits}
    words = [sys.executable, "-m", "shoal.evaluate.compare.cell", str(work.prepared), json.dumps(task), str(work.result)]
    try:
        # Nothing is written to the pipe. Its end tells the cell that this process is gone, also if it was killed.
        return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.PIPE)
    except OSError as error:
        raise OutputError(f"no process could be started for {cell.label}: {error.strerror}", code="process-not-started") from None


# What came out of a comparison as one table.


def as_frame(rows: Sequence[CellRow]) -> pl.DataFrame:
    """Return one row per cell: method, settings, unit of a record, then all numbers; empty if a cell has none."""
    rows_of_cells = [{"method": row.cell.method, **dict(row.cell.settings), "per": row.cell.per, **_plain(row)} for row in rows]
    return pl.DataFrame(rows_of_cells, infer_schema_length=None)


def _plain(row: CellRow) -> dict[str, float | str]:
    numbers = {name: value for name, value in row.found.items() if not isinstance(value, dict)}
    return {name: "; ".join(value) if isinstance(value, list) else value for name, value in numbers.items()}
