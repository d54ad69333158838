"""How well a later period of a log is forecast from a release of an earlier one: the next word of a query, a person's next items.

The model is simple: words co-occur as in published records. A word is scored by the share of the records with a known word that also
contain it, summed over the known words; the ten highest scores are guessed, ties by name. Case is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Bags, Ints, Vocabulary
from shoal.data.log import Kind, Log
from shoal.data.release import Release
from shoal.data.tables.bags import BagTable
from shoal.data.tables.chunks import CHUNK, CLUSTER, ITEM, JOINT, SUBRECORD, ChunkTable
from shoal.data.tables.column_types import ITEMS
from shoal.data.tables.groups import GroupTable
from shoal.data.tables.profiles import ProfileTable
from shoal.data.tables.rows import RowTable
from shoal.evaluate.compare.words_kept import typed_words
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import Prepared, prepare
from shoal.text.terms import in_one_case, terms_of

# An earlier and a later period of a log: a release of the former is the training data, the latter the test data.


EARLIER = 0.7  # share of the rows that lie in the earlier period, about
TRIED, SEED = 500, 1  # numbers of queries and steps that are tried, the same in every cell

Tried = TypeVar("Tried")
Words = tuple[str, ...]
Step = tuple[Words, Words]
"""What somebody did, and what was new in what the same person did next."""


@dataclass(frozen=True, eq=False)
class PeriodSplit:
    """The rows of the earlier period, and the tests from the later one."""

    early: Log
    queries: tuple[Words, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class EarlierPeriod:
    """The earlier period as a method takes it and as typed, and the tests from the later one."""

    earlier: Prepared
    raw: Log
    queries: tuple[Words, ...]
    steps: tuple[Step, ...]


def split_of(log: Log) -> PeriodSplit | None:
    """Return both periods, if the log has times and rows in both."""
    if not log.all_timed:
        return None
    times = log.frame["time"]
    begin = times.sort()[int(EARLIER * len(log))]
    early, late = log.frame.filter(times < begin), log.frame.filter(times >= begin)
    if not len(early) or not len(late):
        return None
    events = events_of(Log(late, log.kind))
    return PeriodSplit(Log(early, log.kind), _queries(events) if log.kind == "text" else (), _steps(events))


def periods_of(split: PeriodSplit, preparation: Preparation) -> EarlierPeriod:
    """Return both periods for methods with this preparation."""
    raw = Log(split.early.frame.select("owner", "payload"), split.early.kind)
    return EarlierPeriod(prepare(split.early, preparation), raw, split.queries, split.steps)


def events_of(log: Log) -> pl.DataFrame:
    """Return each person's words or items at each time, in order and without case."""
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
    """Return queries of two words or more."""
    return _some([tuple(words) for words in events["words"].to_list() if len(words) > 1])


def _steps(events: pl.DataFrame) -> tuple[Step, ...]:
    """Return each step of a person, with the new items of the next one."""
    after = events.with_columns(following=pl.col("words").shift(-1).over("owner"))
    pairs = after.filter(pl.col("following").is_not_null()).select("words", "following").iter_rows()
    steps = [(tuple(words), tuple(word for word in following if word not in words)) for words, following in pairs]
    return _some([(words, fresh) for words, fresh in steps if words and fresh])


def _some(found: Sequence[Tried]) -> tuple[Tried, ...]:
    """Draw at most a fixed number, with a fixed seed."""
    chosen = np.sort(np.random.default_rng(SEED).permutation(len(found))[:TRIED])
    return tuple(found[int(i)] for i in chosen)


GUESSES = 10


class WordPairs:
    """Co-occurrences of words in published records."""

    def __init__(self, records: Bags, copies: Ints) -> None:
        names = in_one_case(records.vocabulary.names)
        words = Vocabulary(names.unique().sort())
        self._held = records.relabelled(words.codes(names), words, as_sets=True).to_scipy()
        self._by_word, self._copies = self._held.tocsc(), copies.astype(float)
        self._words: list[str] = words.names.to_list()
        self._codes = {word: code for code, word in enumerate(self._words)}

    def guesses(self, known: Sequence[str], n: int = GUESSES) -> list[str]:
        """Return the words that co-occur most with the known ones."""
        codes = [self._codes[word] for word in known if word in self._codes]
        scores = np.zeros(len(self._words))
        for code in codes:
            scores += self._shares_with(code)
        scores[codes] = 0
        scores = np.round(scores, 9)
        found = np.flatnonzero(scores)
        best = found[np.lexsort((found, -scores[found]))[:n]]
        return [self._words[int(word)] for word in best]

    def _shares_with(self, code: int) -> npt.NDArray[np.float64]:
        """Of the records with a word, the share that has each word."""
        rows = self._by_word.indices[self._by_word.indptr[code] : self._by_word.indptr[code + 1]]
        first, weights = self._held.indptr[rows], self._copies[rows]
        sizes = self._held.indptr[rows + 1] - first
        entries = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        held = np.bincount(self._held.indices[entries], np.repeat(weights, sizes), len(self._words))
        return np.asarray(held / max(1.0, weights.sum()))


def completion(model: WordPairs, queries: Iterable[Sequence[str]]) -> float:
    """Return the share of queries whose second word is among the guesses from the first."""
    hits = [query[1] in model.guesses(query[:1]) for query in queries]
    return sum(hits) / max(1, len(hits))


def next_items(model: WordPairs, steps: Iterable[tuple[Sequence[str], Sequence[str]]]) -> float:
    """Return the mean share of a person's new items that are among the guesses from the previous step."""
    found = [len(set(fresh) & set(model.guesses(done))) / len(fresh) for done, fresh in steps]
    return sum(found) / max(1, len(found))


def forecasts(release: Release, periods: EarlierPeriod) -> dict[str, float]:
    """Return the forecasts from the release of an earlier period, and those from the original period."""
    records = learnt_from(release, periods.raw.kind)
    if records is None:
        return {}
    raw = typed_words(periods.raw)
    every = np.ones(len(raw), np.int64)
    return {**_tried(WordPairs(*records), periods, ""), **_tried(WordPairs(raw, every), periods, "_original")}


def _tried(model: WordPairs, periods: EarlierPeriod, of: str) -> dict[str, float]:
    found = {f"completion{of}": completion(model, periods.queries)} if periods.queries else {}
    return found | ({f"next_item{of}": next_items(model, periods.steps)} if periods.steps else {})


def learnt_from(release: Release, kind: Kind) -> tuple[Bags, Ints] | None:
    """Return published records, or parts of records, with multiplicities; None if words are published singly."""
    learn = _BY_KIND.get(min(release.kinds))
    return None if learn is None else learn(release, kind)


def _records(release: Release, kind: Kind) -> tuple[Bags, Ints]:
    return release.published, release.copies


def _rows(release: Release, kind: Kind) -> tuple[Bags, Ints]:
    """Return rows of one pseudonym as one record; without pseudonyms each row."""
    table = release.tables_of(RowTable)[0]
    texts = table.frame[table.unit] if table.has_unit else pl.Series([], dtype=pl.String)
    owners = table.frame[table.pseudonyms] if table.pseudonyms is not None else pl.Series(np.arange(len(texts)))
    return _once(typed_words(Log(pl.DataFrame({"owner": owners.cast(pl.Int64), "payload": texts}), kind)))


def _groups(release: Release, kind: Kind) -> tuple[Bags, Ints]:
    table = release.only(GroupTable)
    return _once(Bags.from_polars(table.rows[ITEMS]))


def _chunks(release: Release, kind: Kind) -> tuple[Bags, Ints]:
    """Return parts of records, without their associations."""
    table = release.only(ChunkTable)
    parts = [(table.subrecords, CLUSTER), (table.shared, JOINT)]
    lists = [frame.group_by(whole, CHUNK, SUBRECORD, maintain_order=True).agg(ITEM)[ITEM] for frame, whole in parts]
    return _once(Bags.from_polars(pl.concat(lists)))


def _once(records: Bags) -> tuple[Bags, Ints]:
    return records, np.ones(len(records), np.int64)


_BY_KIND: Mapping[str, Callable[[Release, Kind], tuple[Bags, Ints]]] = {
    BagTable.kind: _records,
    RowTable.kind: _rows,
    ProfileTable.kind: _rows,
    GroupTable.kind: _groups,
    ChunkTable.kind: _chunks,
}
