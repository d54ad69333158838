"""People drawn from data, for trials of growing size. Data is read once for each way of reading it, of large files the first part."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.data.accounting import Ledger, kept
from shoal.data.bags import Bags, Ints
from shoal.data.log import Log
from shoal.data.table import Table
from shoal.data.taxonomy import Taxonomy
from shoal.errors import InputError, ParameterError
from shoal.evaluate.attack.case import CaseSource, part_of
from shoal.io.read.dispatch import Reading, read
from shoal.io.read.items_table import cells_of, with_items
from shoal.io.read.options import ReadOptions
from shoal.io.read.paths import STDIN, are_paths
from shoal.io.read.source import Portion
from shoal.pipeline.contract import USED
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import read_whole
from shoal.util.numbers import distinct

BYTES = 64 << 20  # of the input that are read for samples, about
SEED = 0
ONCE = "the input can be read only once"


class Samples:
    """Samples of people of some data."""

    def __init__(self, data: Any, most_bytes: int = BYTES) -> None:
        self._data = data
        self._bytes = most_bytes
        self._readings: dict[ReadOptions, Reading] = {}
        self._seconds: dict[ReadOptions, float] = {}
        if (are_paths(data) and STDIN in _names(data)) or (hasattr(data, "__next__") and not are_paths(data)):
            raise ParameterError(ONCE, code="input-read-once", hint="write it to a file first")

    def reading(self, preparation: Preparation) -> Reading:
        """Return the data, or the first part of it, as this preparation reads it."""
        if isinstance(self._data, Log | Bags | Table):
            return read_whole(self._data, preparation)
        return self._read(preparation.reading)

    def seconds(self, preparation: Preparation) -> float:
        """Return how long it takes to read all of the data as this preparation reads it."""
        reading = self.reading(preparation)
        return self._seconds.get(preparation.reading, 0.0) / max(reading.part, 1e-9)

    def _read(self, options: ReadOptions) -> Reading:
        """Return the data, which is read once. A product table is joined to data that was read without it."""
        if options not in self._readings:
            begun, before = time.perf_counter(), 0.0
            if options.items is None:
                self._readings[options] = read(self._data, options, most=Portion(self._bytes))
            else:
                cells_of(options.items)
                plain = self._read(replace(options, items=None))
                before = self._seconds[plain.options]
                begun = time.perf_counter()
                self._readings[options] = with_items(replace(plain, options=options))
            self._seconds[options] = before + time.perf_counter() - begun
        return self._readings[options]

    def of(self, preparation: Preparation, people: int, loaded_taxonomy: Taxonomy | None = None) -> CaseSource:
        """Return the rows or records of `people` people, drawn by a fixed seed; smaller samples are part of larger ones."""
        unlimited = replace(preparation, memory=None)
        source = CaseSource(self.reading(unlimited), unlimited, loaded_taxonomy)
        everybody = distinct(owners_of(source.reading.data))
        return source if len(everybody) <= people else drawn(source, everybody, people)


def sample_of(reading: Reading, people: int) -> Reading:
    """Return the data of `people` people, drawn by a fixed seed; all data if there are no more people."""
    everybody = distinct(owners_of(reading.data))
    return reading if len(everybody) <= people else drawn(CaseSource(reading, Preparation()), everybody, people).reading


def drawn(source: CaseSource, everybody: Ints, people: int) -> CaseSource:
    """Draw `people` of these people by the seed."""
    chosen = np.random.default_rng(SEED).permutation(everybody)[:people]
    mask = np.isin(owners_of(source.reading.data), chosen)
    data = source.reading.data
    part = data.select(mask) if isinstance(data, Table) else part_of(data, mask)
    rows = Ledger(len(part), {USED: kept(len(part))})
    return replace(source, reading=replace(source.reading, data=part, part=0.0, rows=rows))


def owners_of(data: Log | Bags | Table) -> Ints:
    """Return the user of each row or record."""
    if isinstance(data, Log):
        return data.frame["owner"].to_numpy()
    if isinstance(data, Bags | Table):
        return data.owners
    raise InputError("a sample is drawn of records, of rows of a log or of a table", code="wrong-kind-of-input")


def _names(data: Any) -> list[str]:
    return [str(data)] if not isinstance(data, list | tuple) else [str(path) for path in data]
