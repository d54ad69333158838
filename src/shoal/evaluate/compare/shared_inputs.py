"""Input of the cells of a comparison: read and prepared once for all cells that need it in the same form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from shoal.data.log import Log
from shoal.errors import ShoalError
from shoal.evaluate.advise.sample import owners_of, sample_of
from shoal.evaluate.compare.grid import Cell
from shoal.evaluate.compare.later_period import EarlierPeriod, PeriodSplit, periods_of, split_of
from shoal.io.read.dispatch import Reading, ReadOptions, read
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import Prepared, prepare
from shoal.util.numbers import distinct

PreparationOfCell = Callable[[Cell], Preparation]
"""How the data of a cell is to be prepared."""


class CellInputs:
    """Data in the forms that cells need, each prepared once and stored for the processes of the cells."""

    def __init__(
        self, inputs: Sequence[Path], preparation_of: PreparationOfCell, keep: Callable[[object], Path], people: int | None = None
    ) -> None:
        """Nothing is read yet. `people` is the size of the sample; None for everybody."""
        self._inputs, self._preparation_of, self._keep, self._people = tuple(inputs), preparation_of, keep, people
        self._readings: dict[str, Reading] = {}
        self._splits: dict[str, PeriodSplit | None] = {}
        self._made: dict[str, Path | str] = {}

    def of(self, cell: Cell, failed: dict[Cell, str]) -> Path | None:
        """Return the path of this cell's data; if preparation failed, record the reason."""
        preparation = self._preparation_of(cell)
        name = repr(preparation)
        if name not in self._made:
            self._made[name] = self._prepared(preparation)
        made = self._made[name]
        if isinstance(made, str):
            failed[cell] = made
            return None
        return made

    def _prepared(self, preparation: Preparation) -> Path | str:
        try:
            reading = self._reading(preparation.reading)
            return self._keep((prepare(replace(reading), preparation), self._periods(reading, preparation)))
        except ShoalError as error:
            return error.message

    def _reading(self, options: ReadOptions) -> Reading:
        name = repr(options)
        if name not in self._readings:
            whole = read(self._inputs, options)
            self._readings[name] = whole if self._people is None else sample_of(whole, self._people)
        return self._readings[name]

    def some(self, cell: Cell, people: int) -> tuple[Prepared, EarlierPeriod | None, int]:
        """Return the data of a cell for this many people, or all if they are fewer; and the number of all people."""
        preparation = self._preparation_of(cell)
        whole = self._reading(preparation.reading)
        part = sample_of(whole, people)
        split = split_of(part.data) if isinstance(part.data, Log) and part.timed else None
        return prepare(part, preparation), None if split is None else periods_of(split, preparation), len(distinct(owners_of(whole.data)))

    def _periods(self, reading: Reading, preparation: Preparation) -> EarlierPeriod | None:
        """Return an earlier and a later period of a log, if its times can be read."""
        if not isinstance(reading.data, Log) or not reading.timed:
            return None
        try:
            split = self._split(reading.data, preparation.reading)
            return None if split is None else periods_of(split, preparation)
        except ShoalError:
            return None  # no times, or no records in the earlier period: what needs them is not tried, and the page says so

    def _split(self, log: Log, options: ReadOptions) -> PeriodSplit | None:
        """Return the periods of a log, split once; its times may not have been read yet."""
        name = repr(options)
        if name not in self._splits:
            timed = log if log.all_timed else self._reading(replace(options, needs_times=True)).data
            self._splits[name] = split_of(timed) if isinstance(timed, Log) else None
        return self._splits[name]

    @property
    def readings(self) -> int:
        """The number of times the input was read."""
        return len(self._readings)

    @property
    def preparations(self) -> int:
        """The number of prepared forms of the data."""
        return len(self._made)
