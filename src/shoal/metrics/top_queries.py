"""What is most frequent in a log before and after: the ten most frequent queries, and the ten most frequent words."""

from __future__ import annotations

import polars as pl

from shoal.data.input_shapes import Shape
from shoal.data.original_rows import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.profiles import ProfileTable
from shoal.metrics import Metric
from shoal.text.terms import terms_of

TOP = 10
_KINDS: frozenset[str] = frozenset({"profiles"})
_TAKES: frozenset[Shape] = frozenset({"log"})


def shares(values: pl.Series) -> dict[str, float]:
    """How often each value occurs, as a share of all; the most frequent first, of equals by name."""
    counted = pl.DataFrame({"value": values}).group_by("value").agg(n=pl.len()).sort("n", "value", descending=[True, False])
    return {value: n / len(values) for value, n in counted.iter_rows()}


def words(texts: pl.Series) -> pl.Series:
    """The words of all texts in lower case, without stop words and single letters."""
    found = terms_of(texts)
    return found.vocabulary.names.gather(found.items)


def texts_of(release: Release, original: LogOriginal) -> tuple[pl.Series, pl.Series]:
    """The queries before and after, as often as they stand there."""
    table = release.only(ProfileTable.kind)
    assert isinstance(table, ProfileTable)
    asked = original.log.frame["payload"]
    return asked.filter(asked != ""), table.frame[table.unit]


def overlap(before: pl.Series, after: pl.Series) -> float:
    """The share of the most frequent values before that are among as many most frequent ones after."""
    first, then = list(shares(before))[:TOP], list(shares(after))[:TOP]
    return len(set(first) & set(then)) / max(1, len(first))


def top_queries(release: Release, original: LogOriginal) -> float:
    """Of queries."""
    return overlap(*texts_of(release, original))


def top_words(release: Release, original: LogOriginal) -> float:
    """Of words."""
    before, after = texts_of(release, original)
    return overlap(words(before), words(after))


TOP_QUERIES = Metric(
    "top_queries",
    f"share of the {TOP} most frequent queries that are still among the {TOP} most frequent",
    "higher",
    top_queries,
    highest=1.0,
    kinds=_KINDS,
    takes=_TAKES,
)
TOP_WORDS = Metric(
    "top_words",
    f"share of the {TOP} most frequent words that are still among the {TOP} most frequent",
    "higher",
    top_words,
    highest=1.0,
    kinds=_KINDS,
    takes=_TAKES,
)
