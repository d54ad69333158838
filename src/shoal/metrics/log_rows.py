"""What is left of a log whose rows are published: rows, different queries, people."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal import _kernels, kernels
from shoal.data.input_shapes import Shape
from shoal.data.log import Log, people_from_zero
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.counts import CountTable
from shoal.data.tables.profiles import ProfileTable
from shoal.data.tables.rows import RowTable
from shoal.metrics import Metric
from shoal.text.terms import terms_of

Mask = npt.NDArray[np.bool_]

_KINDS: frozenset[str] = frozenset({"rows", "profiles"})
_TAKES: frozenset[Shape] = frozenset({"log"})


def rows_kept(release: Release, original: LogOriginal) -> float:
    """Published rows, as a share of the rows that the method was given."""
    return release.n_rows / max(1, len(original.log))


def queries_kept(release: Release, original: LogOriginal) -> float:
    """Different queries of the original that are published, as a share of all of them; a row without a text has no query."""
    there = int((original.log.texts.vocabulary.names != "").sum())
    return int(np.count_nonzero(_shown(release, original))) / max(1, there)


def people_kept(release: Release, original: LogOriginal) -> float:
    """People of whom a query is published, as a share of all people."""
    owners = original.log.others["owner"].to_numpy()
    people = people_from_zero(owners)
    left = np.zeros(int(people.max(initial=-1)) + 1, bool)
    left[people[_shown(release, original)[original.log.texts.items]]] = True
    return int(np.count_nonzero(left)) / max(1, original.n_owners)


_SHOWN: WeakKeyDictionary[RowTable, tuple[Log, Mask]] = WeakKeyDictionary()


def _shown(release: Release, original: LogOriginal) -> Mask:
    """Return which of the different queries of the original are published exactly as typed; none if no queries are published.

    They are compared once for the metrics of one table.
    """
    (table,) = release.tables_of(RowTable)
    known = _SHOWN.get(table)
    if known is None or known[0] is not original.log:
        original_texts = original.log.texts.vocabulary.names
        published = table.numbered_unit[0] if table.has_unit else pl.Series([], dtype=pl.String)
        streams = original_texts.__arrow_c_stream__(), published.__arrow_c_stream__()
        shown: Mask = kernels.run(_kernels.texts_among, *streams).astype(bool)
        known = original.log, shown & (original_texts != "").to_numpy()
        _SHOWN[table] = known
    return known[1]


ROWS_KEPT = Metric(
    "rows_kept", "share of the log's rows that are published", "higher", rows_kept, highest=1.0, kinds=frozenset({"rows"}), takes=_TAKES
)
QUERIES_KEPT = Metric(
    "queries_kept", "share of distinct queries that are published", "higher", queries_kept, highest=1.0, kinds=_KINDS, takes=_TAKES
)
PEOPLE_KEPT = Metric(
    "people_kept", "share of people with at least one published query", "higher", people_kept, highest=1.0, kinds=_KINDS, takes=_TAKES
)


# What is most frequent in a log before and after: the ten most frequent queries, and the ten most frequent words.


TOP = 10
_TOP_KINDS: frozenset[str] = frozenset({"profiles"})
_TOP_TAKES: frozenset[Shape] = frozenset({"log"})


def shares(values: pl.Series) -> dict[str, float]:
    """Return how often each value occurs, as a share of all; the most frequent first, of equals by name."""
    counted = pl.DataFrame({"value": values}).group_by("value").agg(n=pl.len()).sort("n", "value", descending=[True, False])
    return {value: n / len(values) for value, n in counted.iter_rows()}


def most_frequent(values: pl.Series) -> list[str]:
    """Return the first of `shares`, without sorting all values."""
    counted = pl.DataFrame({"value": values}).group_by("value").agg(n=pl.len())
    if len(counted) > TOP:
        counted = counted.filter(pl.col("n") >= counted["n"].top_k(TOP).min())
    return counted.sort("n", "value", descending=[True, False])["value"].head(TOP).to_list()


def words(texts: pl.Series) -> pl.Series:
    """Return the words of all texts in lower case, without stop words and single letters."""
    found = terms_of(texts)
    return found.vocabulary.names.gather(found.items)


def texts_of(release: Release, original: LogOriginal) -> tuple[pl.Series, pl.Series]:
    """Return the queries before and after, with repetitions."""
    table = release.only(ProfileTable)
    original_texts = original.log.frame["payload"]
    return original_texts.filter(original_texts != ""), table.frame[table.unit]


def overlap(before: pl.Series, after: pl.Series) -> float:
    """Return the share of the most frequent values before that are among as many most frequent ones after."""
    first, then = most_frequent(before), most_frequent(after)
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
    kinds=_TOP_KINDS,
    takes=_TOP_TAKES,
)
TOP_WORDS = Metric(
    "top_words",
    f"share of the {TOP} most frequent words that are still among the {TOP} most frequent",
    "higher",
    top_words,
    highest=1.0,
    kinds=_TOP_KINDS,
    takes=_TOP_TAKES,
)


# What is left of a log of which counts are published: the words that occur in a counted value. Shown only to the owner of the log.


WORDS = r"[\p{L}\p{M}\p{N}]+"
WHOLE = ("query", "item")  # columns of values that are whole payloads; others hold words


def words_counted(release: Release, original: LogOriginal) -> float:
    """Words of published queries, published words, or published items: their uses as a share of all."""
    table = release.tables_of(CountTable)[0]
    payloads = original.log.frame["payload"]
    whole = next((name for name in WHOLE if name in table.columns), None)
    if original.log.kind == "item":
        shown = table.frame[whole] if whole else table.words
        return _share(payloads.is_in(shown.unique().implode()).sum(), len(payloads))
    words = payloads.str.count_matches(WORDS)
    if whole is not None:
        return _share(words.filter(payloads.is_in(table.frame[whole].implode())).sum(), words.sum())
    typed = payloads.str.extract_all(WORDS).explode(empty_as_null=False)
    return _share(typed.is_in(table.words.implode()).sum(), words.sum())


def _share(part: Any, whole: Any) -> float:
    return int(part) / max(1, int(whole))


WORDS_COUNTED = Metric(
    "words_counted",
    "share of original words that occur in a published counted value",
    "higher",
    words_counted,
    highest=1.0,
    kinds=frozenset({"counts"}),
    takes=frozenset({"log"}),
)
