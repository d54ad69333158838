"""Published rows of a log, their content, and the original rows that they represent.

A release does not state which words and values were replaced, but it follows from the data: a word was published as the lowest name above
it that is published at all, so the published names and the original determine the recoding. Then both are compared row by row.

Where queries are the unit, or their words, each different published query and word has a number. Rows are compared and people counted by
these numbers; texts are read once for each different query.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.durations import Period, at_least_as_fine, beginning
from shoal.data.query_units import EXACT, QUERY, TIME, WORD, Unit
from shoal.data.tables.rows import PAYLOAD, RowTable
from shoal.privacy.evidence.numbered_words import Ints, Sequences, Small, Spelling, different_pairs, places_of_equals, spelled
from shoal.taxonomy.generalization_ladders import Ladder, ladder_of, ladder_of_items, ladder_of_words
from shoal.util.wording import counted

if TYPE_CHECKING:
    from shoal.data.original import LogOriginal

LONGEST = 2**31 - 1  # words of a query: no text has more
WHO, WINDOW = "(who)", "(window)"  # auxiliary columns, under names that no column of the rows has


@dataclass(frozen=True)
class RowRules:
    """What a claim states about published rows."""

    unit: Unit
    rare: str
    words: int | None
    window: Period | None
    times: Period | None
    ways: Mapping[str, str]
    k: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The published columns, with the query under that name."""
        timed = (TIME,) if self.times and TIME not in self.unit.columns else ()
        return (*self.unit.columns, *self.ways, *timed)

    @property
    def cells(self) -> dict[str, str]:
        """The columns next to the unit, and how they are published."""
        return {name: self.ways.get(name, EXACT) for name in self.columns if name not in self.unit.columns}

    @property
    def times_show_windows(self) -> bool:
        """Whether rows are counted by time window, and published times determine the window."""
        return self.window is not None and self.times is not None and at_least_as_fine(self.times, self.window)


@dataclass(frozen=True)
class RowsToCount:
    """What a cluster counts for a claim on rows: the people per query or (`by_words`) per word; queries have at most `words`."""

    k: int
    words: int | None
    by_words: bool


@dataclass(frozen=True)
class CountedRows:
    """Published rows as counted on a cluster: the minimum numbers of rows and people per unit, and the units with too few.

    `long` counts published queries with too many words, `unexplained` published rows without an original row. People are None without the
    original; then `short` counts units with too few rows.
    """

    rows: int
    people: int | None
    short: int
    unexplained: int = 0
    long: int = 0


@dataclass(frozen=True, eq=False)
class SeenRows:
    """Published rows: the claim's columns, the query as `query`, and optionally the user (WHO) and the window (WINDOW).

    If queries belong to the unit, `frame` has their numbers: their places in `queries`, where each is once. If words are the unit,
    `spelling` has the words of these queries.
    """

    frame: pl.DataFrame
    rules: RowRules
    faults: tuple[str, ...] = ()
    texts: bool = True
    queries: pl.Series = field(default_factory=pl.Series)
    spelling: Spelling | None = None

    @classmethod
    def of(cls, table: RowTable, rules: RowRules, pseudonyms: str | None) -> SeenRows:
        """Return the rows of a table, with faults of its columns."""
        payload = table.unit if QUERY in rules.columns else ""
        named = {name: payload if name == QUERY else name for name in rules.columns}
        missing = [column for column in named.values() if column not in table.columns]
        if pseudonyms is not None and table.pseudonyms is None:
            return cls(table.frame, rules, ("the claim is about pseudonyms, but there are none",))
        if missing:
            return cls(table.frame, rules, (f"there is no column {missing[0]!r}",))
        numbered = QUERY in rules.unit.columns
        queries, numbers = table.numbered_unit if numbered else (pl.Series(dtype=pl.String), None)
        if numbers is None:
            frame = table.frame.select(pl.col(column).alias(name) for name, column in named.items())
        else:
            columns = {name: table.others[column] for name, column in named.items() if name != QUERY}
            frame = pl.DataFrame({**columns, QUERY: pl.Series(numbers).cast(pl.UInt32, strict=False)})
        if pseudonyms is not None and table.pseudonyms is not None:
            frame = frame.with_columns(table.others[table.pseudonyms].alias(WHO))
        faults = tuple(_faults(frame, rules, queries if numbered else None))
        if rules.times_show_windows and rules.window is not None and not faults and not frame[TIME].null_count():
            frame = frame.with_columns(beginning(TIME, rules.window).alias(WINDOW))
        texts = payload != PAYLOAD["item"]
        spelling = _spelling_of(table, queries, texts) if rules.unit.splits else None
        return cls(frame, rules, faults, texts, queries, spelling)

    @property
    def windowed(self) -> list[str]:
        """The window column, if rows have windows."""
        return [WINDOW] if WINDOW in self.frame.columns else []

    @property
    def unit(self) -> list[str]:
        """The columns that identify a unit."""
        return [*self.rules.unit.columns, *self.windowed]

    @property
    def only_numbers(self) -> bool:
        """Whether units are queries or words alone, of which every published row has one: then they are counted as an array."""
        return self.unit == [QUERY] and not self.frame[QUERY].null_count()

    @property
    def linked(self) -> pl.DataFrame | None:
        """The rows with their users, if known."""
        return self.frame if WHO in self.frame.columns else None

    def split(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Split rows into one per unit: if words are the unit, a row becomes one per word of its query, with the number of the word."""
        if self.spelling is None:
            return frame
        known = frame.drop_nulls(QUERY)
        words = self.spelling.texts.taken(known[QUERY].to_numpy().astype(np.int64))
        row = np.repeat(np.arange(len(known)), words.sizes)
        return known.drop(QUERY)[row].with_columns(pl.Series(QUERY, words.numbers.astype(np.int64)))

    @cached_property
    def rows_of_queries(self) -> Ints:
        """The number of published rows with each query."""
        return np.bincount(self.frame[QUERY].to_numpy(), minlength=len(self.queries))

    def rows_of_units(self) -> pl.Series:
        """Count the published rows of each unit."""
        keys = self.unit
        if self.only_numbers:
            often = self.rows_of_queries
            if self.spelling is not None:
                texts = self.spelling.texts
                often = kernels.run(_kernels.sums_of_units, often, texts.starts, texts.numbers, len(self.spelling.words))
            return pl.Series(often)
        alike = self.frame.group_by(keys).agg(rows=pl.len())
        return self.split(alike).group_by(keys).agg(pl.col("rows").sum())["rows"]


_SPELLINGS: WeakKeyDictionary[RowTable, tuple[pl.Series, bool, Spelling]] = WeakKeyDictionary()


def _spelling_of(table: RowTable, queries: pl.Series, texts: bool) -> Spelling:
    """Return the words of a table's queries. They are read once, although a release is verified with the original and without it.

    So are those of a table that was read back and has the same series of queries.
    """
    read = (spelling for known, split, spelling in _SPELLINGS.values() if known is queries and split == texts)
    found = next(read, None) or spelled(queries, split=texts)
    _SPELLINGS[table] = queries, texts, found
    return found


def _faults(frame: pl.DataFrame, rules: RowRules, queries: pl.Series | None) -> list[str]:
    """Return faults of the published rows alone; `queries` are the different queries, if rows have their numbers."""
    found = []
    if rules.words is not None:
        queries = frame[QUERY].unique() if queries is None else queries
        if long := int((queries.str.count_matches(WORD) > min(rules.words, LONGEST)).sum()):
            found.append(too_long(long, rules.words))
    if rules.times is not None:
        if frame.schema[TIME] != pl.Datetime("us"):
            return [*found, f"the column {TIME!r} does not contain times"]
        finer = int(frame.select((pl.col(TIME) != beginning(TIME, rules.times)).sum()).item() or 0)
        if rules.window and rules.unit.splits and frame[TIME].null_count():
            found.append(f"rows have no time, but words are counted within one {rules.window}")
        if finer:
            found.append(f"{finer:,} published {'time is' if finer == 1 else 'times are'} more precise than the {rules.times}")
    return found


def too_long(n: int, words: int) -> str:
    """Return the message about published queries with more than this many words."""
    return f"{n:,} published {'query has' if n == 1 else 'queries have'} more than {counted(words, 'word')}"


# -- the original


@dataclass(frozen=True, eq=False)
class RecodedOriginal:
    """The original rows that published rows represent, with their users (WHO), and the number of published rows without one."""

    rows: pl.DataFrame
    unexplained: int


def recoded_original(seen: SeenRows, original: LogOriginal) -> RecodedOriginal:
    """Recode the original by the published words and values. Rows that equal no published row are left out."""
    rules, log = seen.rules, original.log
    columns = [pl.col("owner").alias(WHO)]
    columns += [pl.lit(pl.Series("text", log.texts.items)).cast(pl.UInt32)] if QUERY in rules.columns else []
    columns += [beginning(TIME, rules.times).alias(TIME)] if rules.times else []
    columns += [beginning(TIME, rules.window).alias(WINDOW)] if rules.window else []
    further = [name for name in rules.columns if name not in (QUERY, TIME)]
    rows = log.others.select(*columns, *further)
    texts = pl.DataFrame({"typed": log.texts.vocabulary.names}).with_row_index("text")
    if rules.words is not None:
        long = texts.filter(pl.col("typed").str.count_matches(WORD) > min(rules.words, LONGEST))
        rows = rows.join(long, on="text", how="anti")
    if QUERY in rules.unit.columns and rules.unit.splits:
        rows = _with_words(rows, log.texts.vocabulary.names, seen, original)
    elif QUERY in rules.unit.columns:
        rows = _matched(rows, texts.filter(pl.col("typed") != "").rename({"typed": QUERY}), seen)
    elif QUERY in rules.ways:
        rows = rows.join(texts.rename({"typed": QUERY}), on="text", how="left").drop("text")
    if rules.window and not rules.unit.splits:
        rows = _in_frequent_windows(rows, rules)
    for name, way in rules.cells.items():
        rows = rows.with_columns(_recoded_cells(rows[name], seen.frame[name], way).alias(name))
    return _explained(rows, seen)


def _matched(rows: pl.DataFrame, published: pl.DataFrame, seen: SeenRows) -> pl.DataFrame:
    """Return the rows whose texts are published under some name (`query` in `published`), with the number of that query."""
    numbers = pl.DataFrame({QUERY: seen.queries}).with_row_index("number")
    keys = [name for name in published.columns if name != QUERY]
    known = published.join(numbers, on=QUERY, how="inner").select(*keys, pl.col("number").alias(QUERY))
    return rows.join(known, on=keys, how="inner").drop("text")


def _with_words(rows: pl.DataFrame, texts: pl.Series, seen: SeenRows, original: LogOriginal) -> pl.DataFrame:
    """Return the rows with their queries recoded by the published words, per window if these are published.

    Texts are sequences of numbers of words. A word becomes the number of the lowest published word at or above it, and the recoded texts
    are compared with the published queries.
    """
    assert seen.spelling is not None
    windowed, typed = seen.windowed, spelled(texts, split=seen.texts)
    pairs = rows.select("text", *windowed).unique() if windowed else pl.DataFrame({"text": np.arange(len(texts), dtype=np.uint32)})
    which = pairs["text"].to_numpy().astype(np.int64)
    words = typed.texts.taken(which) if windowed else typed.texts
    found = _published_words(words, pairs.select(windowed), _ladder(typed.words, seen, original), seen)
    recoded = words.replaced(found)
    places = places_of_equals(recoded, seen.spelling.without_odd())
    places[(texts == "").to_numpy()[which]] = -1
    if seen.rules.rare == "drop":
        places[recoded.incomplete()] = -1
    if windowed:
        known = pairs.with_columns(pl.Series(QUERY, places)).filter(pl.col(QUERY) >= 0).with_columns(pl.col(QUERY).cast(pl.UInt32))
        return rows.join(known, on=["text", *windowed], how="inner").drop("text")
    query = places.astype(np.int32)[rows["text"].to_numpy()]
    known_rows = query >= 0
    kept = {column.name: column.filter(pl.Series(known_rows)) for column in rows if column.name != "text"}
    return pl.DataFrame({**kept, QUERY: query[known_rows].view(np.uint32)})


def _published_words(words: Sequences, windows: pl.DataFrame, ladder: Ladder, seen: SeenRows) -> Small:
    """Return the number of the lowest published word at or above each of these words, in the window of its text; -1 if there is none."""
    if not windows.width:
        found = _lowest(pl.DataFrame({"rung": np.arange(len(ladder))}), ladder, seen)
        number = np.full(len(ladder), -1, np.int32)
        number[found["rung"].to_numpy()] = found["number"].to_numpy()
        return number[words.numbers]
    entries = pl.DataFrame({"rung": words.numbers.astype(np.int64)})
    entries = entries.hstack(windows[np.repeat(np.arange(len(words)), words.sizes)])
    found = _lowest(entries.unique(), ladder, seen)
    joined = entries.join(found, on=entries.columns, how="left", maintain_order="left")
    return joined["number"].fill_null(-1).cast(pl.Int32).to_numpy()


def _ladder(words: pl.Series, seen: SeenRows, original: LogOriginal) -> Ladder:
    """Return what each of these words, which are all that were typed, may be published as; they are its first rungs."""
    if seen.rules.rare != "generalize":
        return ladder_of(words, EXACT)
    return (ladder_of_words if seen.texts else ladder_of_items)(words, original.taxonomy)


def _lowest(pairs: pl.DataFrame, ladder: Ladder, seen: SeenRows) -> pl.DataFrame:
    """Return, for each pair of rung and window, the number of the lowest published word at or above it; none if there is none."""
    assert seen.spelling is not None
    windowed = seen.windowed
    words = pl.DataFrame({"name": seen.spelling.words}).with_row_index("number").with_columns(pl.col("number").cast(pl.Int64))
    if windowed:
        published = seen.split(seen.frame.select(QUERY, *windowed).unique()).unique()
        words = words.join(published.rename({QUERY: "number"}), on="number", how="inner")
    names = pl.DataFrame({"name": ladder.names, "next": ladder.parent}).with_row_index("at").with_columns(pl.col("at").cast(pl.Int64))
    published_words = names.join(words, on="name", how="inner").select("at", "number", *windowed)
    found, left = [], pairs.with_columns(at="rung")
    while len(left):
        here = left.join(published_words, on=["at", *windowed], how="left")
        found.append(here.filter(pl.col("number").is_not_null()).select("rung", *windowed, "number"))
        rest = here.filter(pl.col("number").is_null()).drop("number")
        above = rest.join(names.select("at", "next"), on="at", how="left")
        left = above.filter(pl.col("next") >= 0).with_columns(at=pl.col("next")).drop("next")
    empty = pairs.with_columns(pl.lit(None, pl.Int64).alias("number")).clear()
    return pl.concat([empty.select("rung", *windowed, "number"), *found])


def _in_frequent_windows(rows: pl.DataFrame, rules: RowRules) -> pl.DataFrame:
    """Return the rows whose unit k people have in their window."""
    keys = [*rules.unit.columns, WINDOW]
    people = rows.select(*keys, WHO).unique().group_by(keys).agg(people=pl.len())
    return rows.join(people.filter(pl.col("people") >= rules.k).drop("people"), on=keys, how="semi", nulls_equal=True)


def _recoded_cells(column: pl.Series, published: pl.Series, way: str) -> pl.Series:
    """Recode a column of the original by the published values: each value as the lowest of them, or null."""
    values = column.drop_nulls().unique(maintain_order=True)
    values = values.filter(values != "") if values.dtype == pl.String else values
    ladder = ladder_of(values, way)
    shown = ladder.names.is_in(published.drop_nulls().unique().implode()) if len(ladder) else pl.Series([], dtype=pl.Boolean)
    seen = shown.to_numpy()
    at = np.arange(len(values))
    while len(off := np.flatnonzero((at >= 0) & ~seen[at])):
        at[off] = ladder.parent[at[off]]
    cells = ladder.names.gather(pl.Series(at).replace(-1, None).cast(pl.UInt32))
    table = pl.DataFrame({"value": values, "recoded": cells})
    return pl.DataFrame({"value": column}).join(table, on="value", how="left", maintain_order="left")["recoded"]


def _explained(rows: pl.DataFrame, seen: SeenRows) -> RecodedOriginal:
    """Return the rows that equal published ones, and the number of published rows beyond those."""
    keys = list(seen.rules.columns)
    if keys == [QUERY] and seen.only_numbers:
        known = np.bincount(rows[QUERY].to_numpy(), minlength=len(seen.queries))
        return RecodedOriginal(rows, int(np.maximum(seen.rows_of_queries - known, 0).sum()))
    published = seen.frame.group_by(keys).agg(shown=pl.len().cast(pl.Int64))
    there = rows.group_by(keys).agg(there=pl.len().cast(pl.Int64))
    both = published.join(there, on=keys, how="left", nulls_equal=True).with_columns(pl.col("there").fill_null(0))
    more = int((both["shown"] - both["there"]).clip(lower_bound=0).sum())
    matched = rows if keys == [QUERY] else rows.join(published, on=keys, how="semi", nulls_equal=True)
    return RecodedOriginal(matched, more)


# -- counting people


@dataclass(frozen=True, eq=False)
class PeopleBehind:
    """The people behind each published unit, and behind each published value of the other columns."""

    units: pl.DataFrame
    cells: dict[str, pl.Series]

    @property
    def levels(self) -> dict[str, int]:
        """The minimum of both."""
        found = {"people": _least(self.units["people"])}
        return found | ({"people_of_cells": min(_least(people) for people in self.cells.values())} if self.cells else {})


def people_behind(seen: SeenRows, rows: pl.DataFrame) -> PeopleBehind:
    """Count the distinct people (WHO) of these rows with each published unit and value."""
    keys = seen.unit
    cells = {name: _people_of(rows, seen.frame[name], name) for name in seen.rules.cells}
    if seen.only_numbers and _is_whole(rows[WHO]):
        return PeopleBehind(pl.DataFrame({"people": _people_of_numbers(seen, rows)}), cells)
    people = _different(seen.split(_different(rows.select(*keys, WHO)))).group_by(keys).agg(people=pl.len().cast(pl.Int64))
    units = seen.split(seen.frame.select(keys).unique()).unique()
    counted = units.join(people, on=keys, how="left", nulls_equal=True).with_columns(pl.col("people").fill_null(0))
    return PeopleBehind(counted, cells)


def _people_of_numbers(seen: SeenRows, rows: pl.DataFrame) -> Ints:
    """Count the distinct people of each published query or word, by its number."""
    n = len(seen.queries)
    units = Sequences(np.arange(n + 1), np.arange(n, dtype=np.int32)) if seen.spelling is None else seen.spelling.texts
    n_units = n if seen.spelling is None else len(seen.spelling.words)
    query, who = rows[QUERY].to_numpy().astype(np.int32), rows[WHO].to_numpy().astype(np.int64, copy=False)
    people: Ints = kernels.run(_kernels.people_of_units, query, who, units.starts, units.numbers, n_units)
    return people


def _different(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the different rows; pairs of two whole numbers are sorted as one number each, which takes far less time."""
    if len(pairs.columns) != 2 or not all(_is_whole(column) for column in pairs):
        return pairs.unique()
    found = different_pairs(*(column.to_numpy().astype(np.int64) for column in pairs))
    return pl.DataFrame(dict(zip(pairs.columns, found, strict=True)), schema=pairs.schema)


def _is_whole(numbers: pl.Series) -> bool:
    return numbers.dtype.is_integer() and not numbers.null_count() and bool((numbers >= 0).all())


def _people_of(rows: pl.DataFrame, published: pl.Series, name: str) -> pl.Series:
    people = rows.select(name, WHO).unique().group_by(name).agg(people=pl.len().cast(pl.Int64))
    values = pl.DataFrame({name: published.drop_nulls().unique()})
    return values.join(people, on=name, how="left")["people"].fill_null(0)


def strangers(seen: SeenRows, rows: pl.DataFrame) -> int:
    """Count the pseudonyms that do not have exactly the rows of one person each."""
    keys = list(seen.rules.columns)
    mine, theirs = (_prints(frame, keys) for frame in (seen.frame, rows))
    both = mine.join(theirs, on=["rows", "print", "other"], how="left").with_columns(pl.col("n_right").fill_null(0))
    return int((both["n"] - both["n_right"]).clip(lower_bound=0).sum())


def _prints(frame: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Count the people with each set of rows; sets are identified by their size and two sums of hashes."""
    hashed = frame.select(WHO, first=pl.struct(keys).hash(1), second=pl.struct(keys).hash(2))
    whole = hashed.group_by(WHO).agg(rows=pl.len(), print=pl.col("first").sum(), other=pl.col("second").sum())
    return whole.group_by("rows", "print", "other").agg(n=pl.len().cast(pl.Int64))


def _least(numbers: pl.Series) -> int:
    return int(numbers.to_numpy().min()) if len(numbers) else 0
