"""Transactions: one record a line, or lists of items in JSON lines or Parquet, into Bags. Each record is its own owner."""

from __future__ import annotations

import json

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Vocabulary
from shoal.io.formats import Layout
from shoal.io.reading import Reading, Tally
from shoal.io.source import Source


def read_transactions(source: Source, layout: Layout, *, strict: bool) -> Reading:
    """The records of a file laid out like this. Blank lines are skipped and counted."""
    tally = Tally(source, strict=strict, place="row" if layout.container == "parquet" else "line")
    make = {"delimited": _from_lines, "jsonl": _from_jsonl, "parquet": _from_parquet}[layout.container]
    bags = make(source, layout, tally)
    tally.used = len(bags)
    return Reading(bags, layout.format, tally.ledger(), tally.defects.frozen(), layout.notes)


def _from_lines(source: Source, layout: Layout, tally: Tally) -> Bags:
    return bags_of_lines(source, layout.dialect(), tally, header=layout.header, keep_blank=False)


def bags_of_lines(source: Source, dialect: _kernels.Dialect, tally: Tally, *, header: bool, keep_blank: bool) -> Bags:
    """One record a line. With `keep_blank` an empty line is a record without items."""
    interner = _kernels.Interner()
    pointers, items = [np.zeros(1, np.int64)], []
    line, header_left = 0, header

    def use(text: bytes, last: bool) -> int:
        nonlocal line, header_left
        skipped = 0
        if header_left:
            _, lines, skipped = _kernels.first_records(text, dialect, last, 1)[0]
            text, line, header_left = text[skipped:], line + lines, False
        indptr, codes, facts = kernels.run(_kernels.cut_items, text, dialect, interner, keep_blank, last)
        tally.blank += facts.blank
        tally.defects.add_broken(facts.broken, facts.defects, line)
        tally.check()
        pointers.append(indptr[1:] + pointers[-1][-1])
        items.append(codes)
        line += facts.lines
        return skipped + int(facts.consumed)

    source.each_chunk(use)
    all_items = np.concatenate(items)
    ones = np.ones(len(all_items), np.int32)
    return Bags.from_rows(np.concatenate(pointers), all_items, ones, Vocabulary(interner.strings()))


def _from_jsonl(source: Source, layout: Layout, tally: Tally) -> Bags:
    name = layout.columns[layout.places["item"]]
    dialect = _kernels.Dialect("\n", False)
    records: list[list[str]] = []
    line = 0

    def use(text: bytes, last: bool) -> int:
        nonlocal line
        (column,), facts = kernels.run(_kernels.cut_columns, text, dialect, [0], 1, 1, last)
        tally.blank += facts.blank
        tally.defects.add_broken(facts.broken, facts.defects, line)
        for number, written in zip((facts.row_lines() + line).tolist(), pl.Series(column), strict=True):
            items = _json_items(written, name)
            if items is None:
                tally.defects.add("not a JSON object with a list of items", [number])
            else:
                records.append(items)
        tally.check()
        line += facts.lines
        return int(facts.consumed)

    source.each_chunk(use)
    return Bags.from_lists(records)


def _json_items(written: str, name: str) -> list[str] | None:
    try:
        record = json.loads(written)
    except ValueError:
        return None
    items = record.get(name) if isinstance(record, dict) else None
    if not isinstance(items, list) or not all(isinstance(i, (str, int)) for i in items):
        return None
    return [str(item) for item in items]


def _from_parquet(source: Source, layout: Layout, tally: Tally) -> Bags:
    name = layout.columns[layout.places["item"]]
    lists = pl.read_parquet(source.path, columns=[name])[name]
    missing = np.flatnonzero(lists.is_null().to_numpy())
    tally.defects.add("no list of items", missing)
    tally.check()
    return Bags.from_polars(lists.drop_nulls().cast(pl.List(pl.String)).list.drop_nulls())
