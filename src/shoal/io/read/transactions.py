"""Transactions: a record a line, or lists in JSON lines or Parquet, into Bags. Each has its own owner."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.data.bags import Bags
from shoal.io.read.delimited import bags_of_lines
from shoal.io.read.formats import Layout
from shoal.io.read.json_lines import item_lists, json_frames
from shoal.io.read.options import ReadOptions
from shoal.io.read.parquet import bags_of_lists, whole
from shoal.io.read.reading import Reading, Tally
from shoal.io.read.source import Source


def read_transactions(source: Source, layout: Layout, options: ReadOptions) -> Reading:
    """The records of a file laid out like this. Blank lines are skipped and counted."""
    tally = Tally(source, strict=options.strict, most=options.malformed, place="row" if layout.container == "parquet" else "line")
    notes: tuple[str, ...] = ()
    if layout.container == "delimited":
        bags = bags_of_lines(source, layout.dialect(), tally, header=layout.header)
    elif layout.container == "jsonl":
        bags = _from_jsonl(source, layout, tally)
    else:
        bags, notes = _from_parquet(source, layout, tally)
    tally.used = len(bags)
    return Reading(bags, layout.format, tally.ledger(), tally.defects.frozen(), layout.notes + notes)


def _from_jsonl(source: Source, layout: Layout, tally: Tally) -> Bags:
    name = layout.columns[layout.places["item"]]
    lists = pl.concat([frame[name] for frame, _ in json_frames(source, item_lists(name), tally)])
    tally.check()
    return Bags.from_polars(lists)


def _from_parquet(source: Source, layout: Layout, tally: Tally) -> tuple[Bags, tuple[str, ...]]:
    name = layout.columns[layout.places["item"]]
    lists = whole(source, [name])[name]
    tally.defects.add("no list of items", np.flatnonzero(lists.is_null().to_numpy()))
    tally.check()
    return bags_of_lists(lists.drop_nulls())
