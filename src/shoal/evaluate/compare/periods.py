"""An earlier and a later period of a log: what is learnt from a release of the one is tried on the other, as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import polars as pl

from shoal.data.log import Log
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import Prepared, prepare
from shoal.text.terms import in_one_case, terms_of

EARLIER = 0.7  # share of the rows that lie in the earlier period, about
TRIED, SEED = 500, 1  # so many queries and steps are tried, the same in every cell

Tried = TypeVar("Tried")
Words = tuple[str, ...]
Step = tuple[Words, Words]
"""What somebody did, and what was new in what the same person did next."""


@dataclass(frozen=True, eq=False)
class Split:
    """The rows of the earlier period, and what is tried of the later one."""

    early: Log
    queries: tuple[Words, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class Periods:
    """The earlier period as a method takes it, the same as it was typed, and what is tried of the later one."""

    earlier: Prepared
    raw: Log
    queries: tuple[Words, ...]
    steps: tuple[Step, ...]


def split_of(log: Log) -> Split | None:
    """Both periods, where the log tells times and has rows in both."""
    if not log.all_timed:
        return None
    times = log.frame["time"]
    begin = times.sort()[int(EARLIER * len(log))]
    early, late = log.frame.filter(times < begin), log.frame.filter(times >= begin)
    if not len(early) or not len(late):
        return None
    events = events_of(Log(late, log.kind))
    return Split(Log(early, log.kind), _queries(events) if log.kind == "text" else (), _steps(events))


def periods_of(split: Split, how: Preparation) -> Periods:
    """Both periods for methods whose data is prepared so."""
    raw = Log(split.early.frame.select("owner", "payload"), split.early.kind)
    return Periods(prepare(split.early, how), raw, split.queries, split.steps)


def events_of(log: Log) -> pl.DataFrame:
    """What each person did at each time, in order: the words of a query as they come, or the items of one moment; in one case."""
    frame = log.frame.select("owner", "time", words=_words(log))
    if log.kind == "text":
        return frame.sort("owner", "time", maintain_order=True)
    together = frame.group_by("owner", "time").agg(pl.col("words").explode())
    return together.with_columns(pl.col("words").list.unique().list.sort()).sort("owner", "time")


def _words(log: Log) -> pl.Series:
    payload = in_one_case(log.frame["payload"])
    if log.kind == "item":
        return payload.reshape((-1, 1)).arr.to_list()
    found = terms_of(payload)
    rows = pl.Series(np.repeat(np.arange(len(found)), np.diff(found.indptr)))
    words = pl.DataFrame({"row": rows, "word": found.vocabulary.names.gather(found.items)})
    lists = words.group_by("row").agg(pl.col("word").unique(maintain_order=True))
    every = pl.DataFrame({"row": np.arange(len(found))})
    empty = pl.Series([[]], dtype=pl.List(pl.String))
    return every.join(lists, on="row", how="left", maintain_order="left")["word"].fill_null(empty)


def _queries(events: pl.DataFrame) -> tuple[Words, ...]:
    """Queries of two words or more."""
    return _some([tuple(words) for words in events["words"].to_list() if len(words) > 1])


def _steps(events: pl.DataFrame) -> tuple[Step, ...]:
    """Each thing that a person did, with what was new in the next."""
    after = events.with_columns(following=pl.col("words").shift(-1).over("owner"))
    pairs = after.filter(pl.col("following").is_not_null()).select("words", "following").iter_rows()
    steps = [(tuple(words), tuple(word for word in following if word not in words)) for words, following in pairs]
    return _some([(words, fresh) for words, fresh in steps if words and fresh])


def _some(found: Sequence[Tried]) -> tuple[Tried, ...]:
    """At most so many, drawn with a fixed seed."""
    chosen = np.sort(np.random.default_rng(SEED).permutation(len(found))[:TRIED])
    return tuple(found[int(i)] for i in chosen)
