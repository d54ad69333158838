"""Records of words, as they were typed: of a log at hand, or of one that is read part by part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Small, Vocabulary, canonical_rows
from shoal.data.column_storage import IN_MEMORY, RowStack
from shoal.data.log import Log
from shoal.data.table import Table
from shoal.errors import ParameterError, option
from shoal.io.disk_columns import Spill
from shoal.io.read.streaming_records import Gathering, MemoryParcels
from shoal.pipeline.options import Preparation
from shoal.taxonomy.place_terms import in_lower_case
from shoal.text.terms import TermSplitter


@dataclass(frozen=True, eq=False)
class Records:
    """Records of words as they were typed; `texts` says whether they were split from texts, `stop_words` how many were left out then."""

    bags: Bags
    texts: bool = False
    stop_words: int = 0

    @property
    def folded(self) -> Bags:
        """The records as a taxonomy is asked for them: words of texts in lower case."""
        if not self.texts:
            return self.bags
        words, number = in_lower_case(self.bags.vocabulary)
        return self.bags.relabelled(number, words)

    @property
    def folded_words(self) -> Vocabulary:
        """Their words alone."""
        return in_lower_case(self.bags.vocabulary)[0] if self.texts else self.bags.vocabulary


def records_of(data: Log | Bags | Table, how: Preparation) -> Records:
    """One bag of words per user, session or event."""
    if isinstance(data, Table):
        raise ParameterError("this needs records of items, but the input is a table of microdata", code="wrong-kind-of-input")
    if isinstance(data, Log):
        gatherer = RecordGatherer(how)
        # Times take a good part of a log, the largest thing in memory.
        return gatherer.gathered(iter([data if how.per == "session" else data.without_times()]))
    if how.per != "user":
        raise ParameterError(
            f"transactions have no {how.per}s: each line is one person's record",
            code="option-not-applicable",
            hint=f"leave {option('per')} out",
        )
    return Records(data)


class RecordGatherer:
    """Makes records of a log, one part after the other; a part has all events of its people. `records` are there when all were taken."""

    def __init__(self, how: Preparation, spill: Spill | None = None) -> None:
        self.records: Records | None = None
        self._spill = spill
        self._how = how
        self._words = TermSplitter(as_typed=True)
        self._items = _kernels.Interner()

    @property
    def gathering(self) -> Gathering:
        """For a reader, which has the parts."""
        parcels = MemoryParcels() if self._spill is None else self._spill
        return Gathering(lambda parts: self.gathered(parts).bags, parcels, bounded=self._spill is not None)

    def gathered(self, parts: Iterator[Log]) -> Records:
        """The records of all parts."""
        stack, texts = RowStack(self._spill or IN_MEMORY), False
        for log in parts:
            if log.has_records and self._how.per != "record":
                raise ParameterError(
                    "the rows already belong to records",
                    code="records-already-read",
                    hint="give record here too, or leave it out in reading",
                )
            texts = log.kind == "text"
            indptr, items, counts, owners = log.rows(*self._split(log), self._how.per, self._how.pause)
            stack.add(*canonical_rows(indptr, items, counts, self._n_items), owners)
        vocabulary = self._words.vocabulary if texts else Vocabulary(self._items.strings())
        self.records = Records(stack.bags(vocabulary), texts, self._words.stopped)
        return self.records

    @property
    def _n_items(self) -> int:
        """How many words or items were met, which are numbered below that."""
        return len(self._words) + len(self._items)

    def _split(self, log: Log) -> tuple[Ints, Small]:
        """The words, or the item, of each event."""
        payload: pl.Series = log.frame["payload"]
        if log.kind == "text":
            return self._words.split(payload)
        return np.arange(len(payload) + 1), kernels.run(self._items.encode, payload.__arrow_c_stream__())
