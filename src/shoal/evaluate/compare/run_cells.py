"""Runs a grid: data is read and prepared once, cells run in parallel, and finished cells are not repeated."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from shoal import __version__, kernels
from shoal.data.patience import patience
from shoal.errors import OutputError
from shoal.evaluate.compare.comparison_time import expected_seconds
from shoal.evaluate.compare.grid import Cell
from shoal.evaluate.compare.shared_inputs import Given, Prepare
from shoal.evaluate.compare.worst_attack import AttackEffort
from shoal.io.comparison_files import CellFiles, PreparedFiles
from shoal.io.read.source import digest_of
from shoal.pipeline.options import Preparation, is_file

NAP_SECONDS = 0.05


@dataclass(frozen=True)
class CellRow:
    """A cell and its result: numbers, or why there are none."""

    cell: Cell
    found: dict[str, Any]


TellRow = Callable[[CellRow], None]
"""What rows are given to, as soon as they are known."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """All rows in grid order; the number of earlier results; the processor seconds of reading and preparation, once for all."""

    rows: tuple[CellRow, ...]
    resumed: int
    preparing: float


def compare(
    inputs: Sequence[Path],
    cells: Sequence[Cell],
    how: Prepare,
    files: CellFiles,
    effort: AttackEffort,
    jobs: int,
    people: int | None = None,
    tell_time: Callable[[float], None] | None = None,
    tell_row: TellRow | None = None,
) -> Comparison:
    """Run every cell without a result.

    Args:
        inputs: The input files.
        cells: The methods and settings.
        how: How the data of a cell is prepared.
        files: The directory of the comparison.
        effort: How many people are attacked.
        jobs: How many cells run at the same time.
        people: The size of the sample of people to use; None for all.
        tell_time: Is given the seconds that the cells will take, as measured on a few people, before they begin.
        tell_row: Is given every row as soon as it is known: those of an earlier comparison first, then each cell when it ends.
    """
    started = time.process_time()
    digests = [digest_of(path) for path in inputs]
    common = [__version__, digests, asdict(effort), patience(), *([] if people is None else [people])]
    keys = {cell: cell.key(json.dumps([*common, *_content(cell, how(cell))])) for cell in cells}
    waiting = [cell for cell in cells if files.result(keys[cell]) is None]
    failed: dict[Cell, str] = {}

    def row_of(cell: Cell) -> CellRow:
        return CellRow(cell, files.result(keys[cell]) or {"refused": failed[cell]})

    def tell(*known: Cell) -> None:
        for cell in known if tell_row is not None else ():
            tell_row(row_of(cell))  # type: ignore[misc]

    tell(*(cell for cell in cells if cell not in waiting))
    preparing = 0.0
    files.begin()
    if waiting:
        with PreparedFiles(files.directory) as private:
            begun = time.process_time()
            given = Given(inputs, how, private.keep, people)
            ready = {cell: place for cell in waiting if (place := given.of(cell, failed)) is not None}
            preparing = time.process_time() - begun
            tell(*failed)
            if tell_time is not None and ready:
                tell_time(expected_seconds(list(ready), given, effort, jobs, started))
            work = [_Work(cell, place, files.place(keys[cell])) for cell, place in ready.items()]
            _work_off(work, effort, jobs, len(cells) - len(waiting), failed, tell)
    return Comparison(tuple(map(row_of, cells)), len(cells) - len(waiting), preparing)


def _content(cell: Cell, how: Preparation) -> tuple[str, ...]:
    """Return what the result of a cell depends on besides the input: method, preparation, and the content of named files."""
    taxonomy = digest_of(Path(how.taxonomy)) if is_file(how.taxonomy) else ""
    items = how.read.items.source if how.read.items is not None else None
    return repr(cell.made()), repr(how), taxonomy, digest_of(Path(items)) if isinstance(items, str) else ""


class _Work(NamedTuple):
    """A cell, and the paths of its data and its result."""

    cell: Cell
    prepared: Path
    result: Path


def _work_off(
    work: Sequence[_Work], effort: AttackEffort, jobs: int, kept: int, failed: dict[Cell, str], tell: Callable[[Cell], None]
) -> None:
    """Run the cells in parallel; record which failed, and how, and tell of each that ended."""
    threads, total = max(1, kernels.threads() // jobs), kept + len(work)
    waiting, running = list(work), dict[Cell, subprocess.Popen[bytes]]()
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                one = waiting.pop(0)
                running[one.cell] = _started(one, effort, threads)
            for cell in [cell for cell, process in running.items() if process.poll() is not None]:
                code = _closed(running.pop(cell))
                if code:
                    failed[cell] = f"its process ended with exit code {code}"
                tell(cell)
            kernels.report("comparing", total - len(waiting) - len(running), total)
            time.sleep(NAP_SECONDS)
    finally:
        for process in running.values():
            process.kill()
            _closed(process)


def _closed(process: subprocess.Popen[bytes]) -> int:
    """Wait for a process that has ended or was killed; its exit code."""
    assert process.stdin is not None
    process.stdin.close()
    return process.wait()


def _started(work: _Work, effort: AttackEffort, threads: int) -> subprocess.Popen[bytes]:
    cell = work.cell
    limits = {"threads": threads, "patience": patience()}
    told = {"method": cell.method, "settings": cell.settings, "per": cell.per, "effort": asdict(effort), **limits}
    words = [sys.executable, "-m", "shoal.evaluate.compare.cell", str(work.prepared), json.dumps(told), str(work.result)]
    try:
        # Nothing is written to the pipe. Its end tells the cell that this process is gone, also if it was killed.
        return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.PIPE)
    except OSError as error:
        raise OutputError(f"no process could be started for {cell.label}: {error.strerror}", code="process-not-started") from None


# What came out of a comparison as one table.


def as_frame(rows: Sequence[CellRow]) -> pl.DataFrame:
    """Return one row per cell: method, settings, unit of a record, then all numbers; empty if a cell has none."""
    told = [{"method": row.cell.method, **dict(row.cell.settings), "per": row.cell.per, **_plain(row)} for row in rows]
    return pl.DataFrame(told, infer_schema_length=None)


def _plain(row: CellRow) -> dict[str, float | str]:
    return {name: "; ".join(value) if isinstance(value, list) else value for name, value in row.found.items()}
