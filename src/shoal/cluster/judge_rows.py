"""Verification of published rows on a cluster.

The judge counts from the published queries and the original rows, independently of the method. It reads the original texts again: their
words, and the query that would be published for each. Published queries and the texts of each partition meet in the partition of the query.
The texts that are published are reported back to the partitions of their people, which count them. The driver gets sums.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.cluster.arrow_schemas import frame_as, lists_of
from shoal.cluster.exchange import ByNumber, ByText, NumberedPartitions, Step, collected_words, sent, stored
from shoal.cluster.log_rows import TypedTexts
from shoal.cluster.spark import Cluster
from shoal.data.query_units import WORD
from shoal.errors import GuaranteeNotMet
from shoal.io.step_files import published_table
from shoal.privacy.evidence.numbered_words import different_pairs, spelled
from shoal.privacy.evidence.row_support import CountedRows, RowsToCount

TEXTS = {"part": pa.int64(), "number": pa.int32(), "typed": pa.bool_()}
MET = pa.schema({"query": pa.string(), "shown": pa.int64(), "there": pa.int64(), "people": pa.int64(), **TEXTS})
"""A published query and its rows (`shown`); or the query of a text of a partition, its rows (`there`), people and number, and whether it is
typed as it is published."""
MADE = pa.schema([("query", pa.string()), ("shown", pa.int64()), *((name, pa.list_(kind)) for name, kind in TEXTS.items())])
"""A published query, its rows, and the texts of all partitions that it stands for."""
UNITS = pa.schema([("unit", pa.string()), ("rows", pa.int64()), ("people", pa.int64())])
"""A word, and its published rows or the people of a partition with it."""
WRITTEN = pa.schema([("query", pa.string()), ("written", pa.int64())])
LEAST = ("fewest_rows", "fewest_people")
NOTHING_WRITTEN = "nothing was written"


@dataclass(frozen=True)
class Judging:
    """What is judged.

    Attributes:
        claim: What is counted for the claim.
        by_words: Whether words of a query count separately; those of items do not.
        rows: Where the rows of the original are stored.
        column: The published column.
    """

    claim: RowsToCount
    by_words: bool
    rows: Step
    column: str

    @property
    def reads_words(self) -> bool:
        """Whether words matter: otherwise a query is its text."""
        return self.by_words or self.claim.words is not None

    @property
    def parts(self) -> int:
        """The number of partitions."""
        return len(self.rows.files)

    def counted(self, sums: Mapping[str, int], *, people: bool) -> CountedRows:
        """Return what the model needs from sums over all units."""
        least = sums.get("fewest_people", 0) if people else None
        short = sums["few_people" if people else "few_rows"]
        return CountedRows(sums.get("fewest_rows", 0), least, short, sums.get("unexplained", 0), sums["long"])


@dataclass(frozen=True)
class Released:
    """What is judged, the published queries as they were made, and the files of the release."""

    judging: Judging
    made: Step
    files: tuple[Path, ...]


def count_made(cluster: Cluster, published: Step, judging: Judging) -> tuple[Step, dict[str, int]]:
    """Compare published queries with the rows of the original; return where they are stored, and sums.

    Rows of published queries that are not published are `lost`: a query is published in all its rows.
    """
    parts = judging.parts
    met = sent(cluster, "met", [(published, shown_rows), (judging.rows, original_texts)], judging, ByText("query", parts), parts)
    made, words = stored(cluster, met, matched, judging, "made")
    found = sent(cluster, "found", [(made, found_texts)], None, ByNumber("part"), parts)
    if not judging.by_words:
        return made, totals([*words, *collected_words(cluster, found, people_of_texts, judging)])
    units = sent(cluster, "units", [(made, made_words), (found, people_of_texts)], judging, ByText("unit", parts), parts)
    return made, totals([*words, *units.words, *collected_words(cluster, units, counted_units, judging)])


def count_written(cluster: Cluster, released: Released) -> dict[str, int]:
    """Compare the files with the queries as they were made, and count their rows, as anybody can."""
    judging, parts, files = released.judging, released.judging.parts, NumberedPartitions(len(released.files))
    written = sent(cluster, "written", [(files, written_rows)], released, ByText("query", parts), parts)
    words = collected_words(cluster, written, compared, released)
    if judging.by_words:
        units = sent(cluster, "written_units", [(files, written_words)], released, ByText("unit", parts), parts)
        words += collected_words(cluster, units, counted_units, judging)
    return totals(words)


def totals(words: Sequence[str]) -> dict[str, int]:
    """Add the sums of all partitions, or take the least of them."""
    found: dict[str, int] = {}
    for word in words:
        for name, n in json.loads(word).items():
            if n is not None:
                found[name] = n if name not in found else min(found[name], n) if name in LEAST else found[name] + n
    return found


# -- on the workers: with the original


def shown_rows(judging: Judging, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the number of rows of each published query."""
    shown = np.diff(lists_of(table, "place")[0])
    yield pa.table({"query": table.column("query"), "shown": shown}, pa.schema([MET.field(name) for name in ("query", "shown")]))


def original_texts(judging: Judging, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the query of each text of a partition, as the judge reads it, with its rows and people."""
    typed = TypedTexts.of_table(table)
    queries, sizes = _read(judging, typed.texts)
    n, pairs = len(queries), different_pairs(typed.numbers.astype(np.int64), typed.owners.astype(np.int64))
    frame = pl.DataFrame(
        {
            "query": queries,
            "there": np.bincount(typed.numbers, typed.times, minlength=n).astype(np.int64),
            "people": np.bincount(pairs[0], minlength=n),
            "part": np.full(n, part),
            "number": np.arange(n),
            "typed": queries == typed.texts,
        }
    )
    within = (queries != "").to_numpy() if judging.claim.words is None else (queries != "").to_numpy() & (sizes <= judging.claim.words)
    yield frame.filter(within).to_arrow().cast(pa.schema([MET.field(name) for name in frame.columns]))


def _read(judging: Judging, texts: pl.Series) -> tuple[pl.Series, Any]:
    """Return the query that would be published for each text, and the number of its words."""
    if not judging.reads_words:
        return texts, np.ones(len(texts), np.int64)
    read = spelled(texts, split=True)
    if not judging.by_words or not read.odd.any():
        return texts, read.texts.sizes
    odd = pl.Series(read.odd)
    return texts.clone().scatter(odd.arg_true(), texts.filter(odd).str.extract_all(WORD).list.join(" ")), read.texts.sizes


def matched(judging: Judging, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Pair the published queries of this partition with the texts that they stand for, and return sums over them."""
    met = frame_as(table, MET)
    shown = met.filter(pl.col("shown").is_not_null()).group_by("query").agg(pl.col("shown").sum())
    texts = met.filter(pl.col("there").is_not_null()).join(shown, on="query", how="semi")
    stood_for = texts.group_by("query").agg(pl.col("there", "people").sum(), *TEXTS)
    made = shown.join(stood_for, on="query", how="left").with_columns(pl.col("there", "people").fill_null(0))
    more = made["shown"] - made["there"]
    sums = {
        "unexplained": int(more.clip(0).sum()),
        "lost": int((-more).clip(0).sum()),
        "published_texts": texts.filter("typed")["query"].n_unique(),
    }
    yield json.dumps(
        sums | {"long": _long(judging, made["query"])} | ({} if judging.by_words else _sums(made["shown"], made["people"], judging))
    )
    yield made.with_columns(pl.col(*TEXTS).fill_null([])).select(MADE.names).to_arrow().cast(MADE)


def _sums(rows: pl.Series, people: pl.Series, judging: Judging) -> dict[str, Any]:
    """Return the least rows and people of any unit, and how many units have too few."""
    few = {"few_rows": int((rows < judging.claim.k).sum()), "few_people": int((people < judging.claim.k).sum())}
    return {"fewest_rows": rows.min(), "fewest_people": people.min(), **few}


def _long(judging: Judging, queries: pl.Series) -> int:
    """Count the queries with too many words."""
    most = judging.claim.words
    return 0 if most is None else int((queries.str.extract_all(WORD).list.len() > most).sum())


def found_texts(nothing: None, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the texts that published queries stand for, for the partitions of their people."""
    yield pa.table({name: lists_of(table, name)[1] for name in TEXTS}, pa.schema(TEXTS))


def people_of_texts(judging: Judging, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Count the people of this partition with a text that is published as typed, and those with each word of published queries."""
    found = frame_as(table, pa.schema(TEXTS))
    typed = TypedTexts.of_table(judging.rows.part(part))
    as_typed = np.zeros(len(typed), bool)
    as_typed[found.filter("typed")["number"].to_numpy()] = True
    yield json.dumps({"published_people": len(np.unique(typed.owners[as_typed[typed.numbers]]))})
    if judging.by_words:
        place = np.full(len(typed), -1)
        place[found["number"].to_numpy()] = np.arange(len(found))
        read = spelled(typed.texts.gather(found["number"]), split=True)
        theirs = place[typed.numbers] >= 0
        texts = read.texts.taken(place[typed.numbers[theirs]])
        people = np.repeat(typed.owners[theirs], texts.sizes)
        words, _ = different_pairs(texts.numbers.astype(np.int64), people.astype(np.int64))
        yield pa.table({"unit": read.words.to_arrow(), "people": np.bincount(words, minlength=len(read.words))}).cast(_units("people"))


def _units(name: str) -> pa.Schema:
    return pa.schema([UNITS.field("unit"), UNITS.field(name)])


def made_words(judging: Judging, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the published rows of each word of these queries."""
    yield _rows_of_words(frame_as(table, MADE)["query"], table.column("shown").to_numpy())


def _rows_of_words(queries: pl.Series, rows: Any) -> pa.Table:
    """Count the rows of each word: a word that is repeated in a query has its rows as often."""
    read = spelled(queries, split=True)
    counts = np.bincount(read.texts.numbers, np.repeat(rows, read.texts.sizes), minlength=len(read.words)).astype(np.int64)
    return pa.table({"unit": read.words.to_arrow(), "rows": counts}).cast(_units("rows"))


def counted_units(judging: Judging, part: int, table: pa.Table) -> Iterator[str]:
    """Sum over the units of this partition that are published."""
    units = frame_as(table, UNITS).group_by("unit").agg(pl.col("rows", "people").sum()).filter(pl.col("rows") > 0)
    yield json.dumps(_sums(units["rows"], units["people"], judging))


# -- on the workers: without the original


def written_rows(released: Released, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the rows of each query in the files with these numbers."""
    for queries, rows in _in_files(released, table):
        yield pa.table({"query": queries.to_arrow(), "written": rows}).cast(WRITTEN)


def written_words(released: Released, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the rows of each word of the queries in the files with these numbers."""
    for queries, rows in _in_files(released, table):
        yield _rows_of_words(queries, rows)


def _in_files(released: Released, table: pa.Table) -> Iterator[tuple[pl.Series, Any]]:
    """Read the different queries of files, and their numbers of rows."""
    for number in table.column("id").to_pylist():
        content = published_table(released.files[number])
        if content.columns != [released.judging.column]:
            raise GuaranteeNotMet("the files have other columns than the release", code="files-differ-from-release", hint=NOTHING_WRITTEN)
        counts = content.to_series().value_counts(name="rows")
        yield counts.to_series(), counts["rows"].to_numpy().astype(np.int64)


def compared(released: Released, part: int, table: pa.Table) -> Iterator[str]:
    """Sum over the queries of this partition that are written, and count those that are not written as often as they were made."""
    judging, written = released.judging, frame_as(table, WRITTEN).group_by("query").agg(pl.col("written").sum())
    made = frame_as(released.made.part(part), MADE).select("query", "shown")
    both = made.join(written, on="query", how="full", coalesce=True)
    differing = int((both["shown"].fill_null(0) != both["written"].fill_null(0)).sum())
    rows = written["written"]
    sums = {} if judging.by_words else _sums(rows, rows, judging)
    yield json.dumps({"differing": differing, "long": _long(judging, written["query"])} | sums)
