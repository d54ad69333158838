"""Counted values: whole queries, their terms, items, or pairs of these, as rows of a user and a value."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from shoal.data.log import URL, Log
from shoal.errors import InputError, ParameterError, option
from shoal.noise.per_person_bounds import OWNER, distinct_of_people
from shoal.text.terms import terms_of

QUERY, TERM, ITEM, PAIR = "query", "term", "item", "pair"
UNITS = (QUERY, TERM, ITEM, PAIR)
FIRST, SECOND = "first", "second"  # the columns of a pair, in alphabetical order
LONGEST = 32  # terms of a query, or items of a person, that are paired


def unit_of(kind: str, requested: str | None) -> str:
    """Return the requested unit, or the whole payload. Raise if a log of this kind has none."""
    whole = ITEM if kind == "item" else QUERY
    unit = requested or whole
    if unit != PAIR and (unit == ITEM) != (whole == ITEM):
        other = (
            "items, of which items and pairs can be counted" if whole == ITEM else "texts, of which queries, terms and pairs can be counted"
        )
        raise ParameterError(f"there is no {unit} to count: the input has {other}", code="unit-not-in-input", hint=f"set {option('unit')}")
    return unit


def columns_of(unit: str) -> tuple[str, ...]:
    """Return the columns of a value."""
    return (FIRST, SECOND) if unit == PAIR else (unit,)


def values_of_log(log: Log, unit: str) -> pl.DataFrame:
    """Return a user and a value in each row, ordered by time if there are times."""
    frame = _in_time(log.without_repeats())
    if unit == PAIR and log.kind == "item":
        return _pairs_of_items(frame)
    return _BY_UNIT[unit](frame)


def clicked(log: Log, queries: pl.Series) -> pl.DataFrame:
    """Return a user, a query and the URL clicked after it, for clicks after these queries."""
    if URL not in log.frame.columns:
        raise InputError(
            "there are no clicks to count: no column of URLs was found",
            code="missing-column",
            hint=f"name it with {option('url')}, or leave {option('clicks')} out",
        )
    wanted = pl.DataFrame({QUERY: queries})
    rows = _in_time(log).select(OWNER, URL, query="payload").filter(pl.col(URL).is_not_null() & (pl.col(URL) != ""))
    return rows.join(wanted, on=QUERY, how="semi", maintain_order="left").select(OWNER, QUERY, URL)


def _in_time(log: Log) -> pl.DataFrame:
    frame = log.frame.filter(pl.col("payload").str.strip_chars() != "")
    return frame.sort("time", maintain_order=True) if log.timed else frame


def _queries(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(OWNER, query="payload")


def _items(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(OWNER, item="payload")


def _terms(frame: pl.DataFrame) -> pl.DataFrame:
    """Return every term of every query, as typed."""
    return _with_rows(frame).select(OWNER, TERM)


def _with_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the terms of all queries, each with its user and the number of its row."""
    found = terms_of(frame["payload"], as_typed=True)
    rows = np.repeat(np.arange(len(frame)), np.diff(found.indptr))
    return pl.DataFrame({"row": rows, OWNER: frame[OWNER].to_numpy()[rows], TERM: found.vocabulary.names.gather(found.items)})


def _pairs_of_terms(frame: pl.DataFrame) -> pl.DataFrame:
    """Return pairs of different terms of one query."""
    terms = _with_rows(frame).unique(maintain_order=True).group_by("row", maintain_order=True).head(LONGEST)
    return _paired(terms, "row", TERM)


def _pairs_of_items(frame: pl.DataFrame) -> pl.DataFrame:
    """Return pairs of different items of one person."""
    return _paired(distinct_of_people(_items(frame), LONGEST).frame, OWNER, ITEM)


def _paired(frame: pl.DataFrame, together: str, column: str) -> pl.DataFrame:
    """Return all pairs of values that occur together, each in alphabetical order."""
    columns = frame.select(together, OWNER, value=column) if together != OWNER else frame.select(OWNER, value=column)
    both = columns.join(columns.select(together, other="value"), on=together, maintain_order="left_right")
    return both.filter(pl.col("value") < pl.col("other")).select(OWNER, first="value", second="other")


_BY_UNIT: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {QUERY: _queries, TERM: _terms, ITEM: _items, PAIR: _pairs_of_terms}
