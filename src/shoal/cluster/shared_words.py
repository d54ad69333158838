"""The method `threshold` by words on a cluster: the largest set of queries such that k people share each remaining word.

Dropping queries reduces the people of their other words, so words are counted again until no query is dropped. In each round, partitions
send the people of each of their words to the partition of the word, which adds them up, and returns the words that too few people have to
the partitions that have them. The queries stay where they are: those with equal words have the same outcome in all partitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.cluster.arrow_schemas import lists_of
from shoal.cluster.exchange import ByNumber, ByText, Step, sent, stored
from shoal.cluster.log_rows import Logged, TypedTexts
from shoal.cluster.spark import Cluster
from shoal.data.bags import Ints, Small
from shoal.data.query_units import with_single_blanks, words_of
from shoal.io.step_files import forget_step
from shoal.methods.bases.threshold import Kept
from shoal.methods.bases.threshold_people import Mask
from shoal.methods.bases.threshold_words import taken
from shoal.util.numbers import distinct, runs

SPLIT = pa.schema([("indptr", pa.list_(pa.int64())), ("item", pa.list_(pa.int32())), ("name", pa.list_(pa.string()))])
"""One row: the words of each text of a partition as numbers of their names."""
LEFT = pa.schema([("stays", pa.list_(pa.bool_())), ("people", pa.list_(pa.int64()))])
"""One row: which texts of a partition stay, and the people of each word in these texts."""
COUNTS = pa.schema([("word", pa.string()), ("people", pa.int64()), ("part", pa.int64()), ("number", pa.int32())])
"""The people of a word in a partition, and its number there."""
RARE = pa.schema([("part", pa.int64()), ("number", pa.int32())])


@dataclass(frozen=True, eq=False)
class SplitTexts:
    """The words of each text of a partition: text i has `items[indptr[i]:indptr[i+1]]`, numbers of `names`."""

    indptr: Ints
    items: Small
    names: pa.Array

    @classmethod
    def of_table(cls, table: pa.Table) -> SplitTexts:
        """Read them as they were stored."""
        return cls(_numbers(table, "indptr"), _numbers(table, "item"), _values(table, "name"))

    @property
    def sizes(self) -> Ints:
        """The number of words of each text."""
        return np.diff(self.indptr)

    def texts_with(self, words: Mask) -> Mask:
        """Return which texts have any of these words."""
        return np.asarray(np.diff(np.append(0, np.cumsum(words[self.items]))[self.indptr]) > 0)

    def people_of(self, words: Mask, typed: TypedTexts, stays: Mask) -> Ints:
        """Count the people of each of these words in the texts that stay."""
        chosen = (stays & self.texts_with(words))[typed.numbers]
        starts, at = taken(self.indptr, typed.numbers[chosen].astype(np.int64))
        items, owners = self.items[at], np.repeat(typed.owners[chosen], np.diff(starts))
        counted, n = words[items], int(typed.owners.max(initial=0)) + 1
        found, people = runs(distinct(items[counted].astype(np.int64) * n + owners[counted]) // n)
        counts = np.zeros(len(words), np.int64)
        counts[found] = people
        return counts


@dataclass(frozen=True)
class WordCounting:
    """The settings, where the rows and their words are stored, and what is left of them."""

    settings: Kept
    rows: Step
    words: Step
    left: Step

    def part(self, part: int) -> tuple[SplitTexts, TypedTexts, Mask, Ints]:
        """Return the words and the texts of a partition, which texts stay, and the people of each word in them."""
        left = self.left.part(part)
        stays, people = _values(left, "stays").to_numpy(zero_copy_only=False), _numbers(left, "people")
        return SplitTexts.of_table(self.words.part(part)), TypedTexts.of_table(self.rows.part(part)), stays, people


def texts_with_shared_words(cluster: Cluster, logged: Logged, settings: Kept) -> Step:
    """Return which texts of each partition stay, in the column `stays`."""
    parts, rounds = logged.partitions, 0
    words, _ = stored(cluster, logged.rows, split_texts, None, "words")
    left, _ = stored(cluster, words, first_counts, (settings, logged.rows), "left_0")
    while True:
        counting = WordCounting(settings, logged.rows, words, left)
        counts = sent(cluster, "counts", [(left, words_left)], counting, ByText("word", parts), parts)
        rare = sent(cluster, "rare", [(counts, rare_words)], settings.k, ByNumber("part"), parts)
        if not rare.files:
            rare.remove()
            return left
        rounds += 1
        left, _ = stored(cluster, rare, without_rare, counting, f"left_{rounds}")
        forget_step(cluster.place, f"left_{rounds - 1}")


# -- on the workers


def split_texts(nothing: None, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Split texts at blanks into words."""
    found = words_of(with_single_blanks(TypedTexts.of_table(table).texts))
    names = found.vocabulary.names.to_arrow().cast(pa.string())
    yield _row(SPLIT, found.indptr, found.items, names)


def first_counts(asked: tuple[Kept, Step], part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return which texts may be published if enough people share their words, and the people of each word in them."""
    settings, rows = asked
    split, typed = SplitTexts.of_table(table), TypedTexts.of_table(rows.part(part))
    stays = (split.sizes > 0) & (True if settings.words is None else split.sizes <= settings.words)
    yield _row(LEFT, stays, split.people_of(np.ones(len(split.names), bool), typed, stays))


def words_left(counting: WordCounting, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the people of each word of this partition that is left."""
    people = _numbers(table, "people")
    held = np.flatnonzero(people)
    names = SplitTexts.of_table(counting.words.part(part)).names.take(pa.array(held))
    yield pa.table({"word": names, "people": people[held], "part": np.full(len(held), part), "number": held.astype(np.int32)}, COUNTS)


def rare_words(k: int, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the words that fewer than k people have, for the partitions that have them."""
    if len(table):
        counts = pl.from_arrow(table)
        assert isinstance(counts, pl.DataFrame)
        few = counts.filter(pl.col("people").sum().over("word") < k)
        yield few.select(RARE.names).to_arrow().cast(RARE)


def without_rare(counting: WordCounting, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return which texts stay without these rare words, and the people of each word in them."""
    split, typed, before, people = counting.part(part)
    rare = np.zeros(len(split.names), bool)
    if len(table):
        rare[table.column("number").to_numpy()] = True
    stays = before & ~split.texts_with(rare)
    fewer = np.zeros(len(rare), bool)
    fewer[split.items[np.repeat(before & ~stays, split.sizes)]] = True
    yield _row(LEFT, stays, np.where(fewer, split.people_of(fewer, typed, stays), people))


def _row(schema: pa.Schema, *columns: Any) -> pa.Table:
    """Return one row of lists."""
    lists = [pa.array([0, len(values)], pa.int32()) for values in columns]
    made = [pa.ListArray.from_arrays(ends, pa.array(values)) for ends, values in zip(lists, columns, strict=True)]
    return pa.table(made, schema=schema)


def _values(table: pa.Table, name: str) -> pa.Array:
    """Return the only list of a column."""
    return lists_of(table, name)[1]


def _numbers(table: pa.Table, name: str) -> Any:
    return _values(table, name).to_numpy()
