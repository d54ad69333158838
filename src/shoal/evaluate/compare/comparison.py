"""A whole comparison: checks the grid, runs every cell, and writes a page and a table of the results."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from shoal.evaluate.compare.compared_data import with_format
from shoal.evaluate.compare.grid import Cell, ComparisonRequest, Left, grid, prepared_for
from shoal.evaluate.compare.run_cells import STOPPED, CellLimits, CellRow, Comparison, ComparisonEvents, RowCallback, as_frame, compare
from shoal.evaluate.compare.worst_attack import AttackEffort
from shoal.evaluate.hidden_words_trial import GAIN_LOW
from shoal.evaluate.option_defaults import DEFAULT_SECONDS, QUICK_PEOPLE, QUICK_SECONDS, USER
from shoal.io.comparison_files import CellFiles
from shoal.io.release_directory import insist_apart
from shoal.pipeline.options import Preparation
from shoal.report.comparison_page import ComparisonRow, render_comparison
from shoal.util.wording import counted, duration, listed

TABLE, PAGE, QUICK = "comparison.parquet", "comparison.html", "quick"
OFTEN = 5.0  # seconds of the clock between two pages, at least


class Making(NamedTuple):
    """How to make the release of a cell: a command, and a config file for `shoal anonymize`."""

    command: str
    config: str


Describe = Callable[[Cell, Sequence[Path], Mapping[str, Any]], Making]


@dataclass(frozen=True, eq=False)
class Finished:
    """A finished comparison: a row for each cell and each excluded method, the same as a table, and notes."""

    rows: tuple[CellRow, ...]
    table: pl.DataFrame
    notes: tuple[str, ...]


class ComparisonTask:
    """A comparison that can be run: its cells are known, and its directory is writable.

    Attributes:
        notes: What is worth knowing before the work starts: leftovers that were removed, and methods that cannot be compared.
    """

    def __init__(
        self, inputs: Sequence[Path], requested: ComparisonRequest, options: Mapping[str, Any], out: Path, title: str, describe: Describe
    ) -> None:
        """Check everything that can be checked before the run.

        Args:
            inputs: The input files.
            requested: Methods and settings.
            options: How to read and prepare the input; None for what is not set.
            out: The directory of the comparison.
            title: The name of the input for the page.
            describe: Spells how the release of a cell is made by hand.

        Raises:
            ShoalError: Nothing can be compared, or the directory cannot be written.
        """
        self._inputs, self._options, self._title, self._describe = inputs, with_format(inputs, options), title, describe
        self._grid = grid(requested.about(self._options)).where(self._preparation_of)
        self._files = CellFiles(out)
        self._files.check()
        insist_apart(out, inputs)
        self.notes = (*self._files.clear(), *map(_left_out, self._grid.left))

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells, in the order of the rows."""
        return self._grid.cells

    def run(
        self,
        effort: AttackEffort,
        jobs: int,
        *,
        quick: bool = False,
        seconds: float | None = None,
        on_estimate: Callable[[float], None] | None = None,
        on_row: RowCallback | None = None,
    ) -> Finished:
        """Run every cell without a result, and write the table and the page. The page is also written while cells run.

        Args:
            effort: How many people are attacked.
            jobs: How many cells run at the same time.
            quick: Whether a sample of people is used; rows, table and page are marked.
            seconds: The time limit of a cell, by the clock. Default: half an hour, or two minutes if `quick`.
            on_estimate: Is called with the expected seconds before the cells begin.
            on_row: Is called with every row as soon as it is known.
        """
        usual, people = (QUICK_SECONDS, QUICK_PEOPLE) if quick else (DEFAULT_SECONDS, None)
        limits = CellLimits(jobs, usual if seconds is None else seconds, people)
        watch = _PageWatch(self, quick, on_estimate, on_row)
        found = compare(self._inputs, self._grid.cells, self._preparation_of, self._files, effort, limits, watch)
        marked = [replace(row, found={QUICK: True, **row.found}) for row in found.rows] if quick else found.rows
        notes = (*([_quick_note(effort)] if quick else []), *_notes(found), *map(_left_out, self._grid.left))
        rows = (*marked, *self._excluded())
        table = as_frame(rows)
        self._files.write_table(TABLE, table)
        self.write_page(rows, notes, quick=quick)
        return Finished(rows, table, notes)

    def write_page(self, rows: Sequence[CellRow], notes: Sequence[str], *, quick: bool, waiting: Sequence[Cell] = ()) -> None:
        """Write the page with these rows. As long as cells are `waiting`, it lists them and loads itself again."""
        title = f"{'Quick comparison' if quick else 'Comparison'} of {self._title}"
        page = render_comparison(title, [self._shown(row) for row in rows], notes, [cell.label for cell in waiting])
        self._files.write(PAGE, page.encode())

    def _excluded(self) -> list[CellRow]:
        return [CellRow(Cell(one.method, (), USER), {"refused": f"it {one.reason}"}) for one in self._grid.left]

    def _preparation_of(self, cell: Cell) -> Preparation:
        return prepared_for(cell, self._options)

    def _shown(self, row: CellRow) -> ComparisonRow:
        """Return a row with the command and the config file for its release."""
        made = Making("", "") if "refused" in row.found else self._describe(row.cell, self._inputs, self._options)
        return ComparisonRow(row.cell.method, row.cell.label, row.cell.per, row.found, made.command, made.config)


class _PageWatch(ComparisonEvents):
    """Writes the page again after cells have ended, and passes progress on."""

    def __init__(self, task: ComparisonTask, quick: bool, on_estimate: Callable[[float], None] | None, on_row: RowCallback | None) -> None:
        self._task, self._quick, self._on_estimate, self._on_row = task, quick, on_estimate, on_row
        self._rows: dict[Cell, CellRow] = {}
        self._begun, self._written = False, -OFTEN
        self.wants_times = on_estimate is not None

    def prepared(self) -> None:
        self._begun = True
        self._write()

    def expect(self, seconds: Mapping[Cell, float], jobs: int) -> None:
        if self._on_estimate is not None:
            self._on_estimate(sum(seconds.values()) / min(jobs, len(seconds)))

    def row(self, row: CellRow) -> None:
        self._rows[row.cell] = row
        if self._on_row is not None:
            self._on_row(row)
        if self._begun and time.monotonic() - self._written >= OFTEN:
            self._write()

    def _write(self) -> None:
        waiting = [cell for cell in self._task.cells if cell not in self._rows]
        if waiting:
            rows = [self._rows[cell] for cell in self._task.cells if cell in self._rows]
            notes = [f"{len(rows):,} of {counted(len(self._task.cells), 'run')} are finished"]
            self._task.write_page(rows, notes, quick=self._quick, waiting=waiting)
            self._written = time.monotonic()


def _quick_note(effort: AttackEffort) -> str:
    return f"quick: a sample of at most {QUICK_PEOPLE:,} people, of whom {effort.targets:,} are attacked; numbers differ for all people"


def _notes(found: Comparison) -> list[str]:
    refused = sum("refused" in row.found for row in found.rows)
    notes = [counted(len(found.rows), "run")]
    if found.resumed:
        notes[0] += f", {found.resumed:,} of them from an earlier comparison"
    if refused:
        notes.append(f"{counted(refused, 'run')} not possible with this data: the page gives the reasons")
    if late := [row for row in found.rows if STOPPED in row.found]:
        notes.append(f"{counted(len(late), 'run')} stopped after the time limit of {duration(late[0].found[STOPPED])} for one run")
    if found.preparing:
        notes.append(f"reading and preparing took {found.preparing:.1f} processor seconds, once for all runs")
    of_words = any("kept" in row.found for row in found.rows)
    if of_words and not any(name in row.found for row in found.rows for name in ("completion", "next_item", "no_forecast")):
        notes.append("no forecast on a later period: the input has no times, or too few rows with times")
    if unpredictive := [row.cell.label for row in found.rows if row.found.get(GAIN_LOW, 1.0) <= 0]:
        names = listed(unpredictive, len(unpredictive))
        notes.append(f"releases of {names} predict hidden items no better than popularity alone (how many people have each item)")
    return notes


def _left_out(one: Left) -> str:
    return f"{one.method} is not compared: it {one.reason}"
