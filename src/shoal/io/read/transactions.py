"""Transactions: one record per line, or lists in JSON lines or Parquet, into Bags. Each has its own user."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.data.bags import Bags, united
from shoal.io.read.delimited import bags_of_lines
from shoal.io.read.formats import Layout
from shoal.io.read.json_lines import item_lists, json_frames
from shoal.io.read.options import ReadOptions
from shoal.io.read.parquet import bags_of_lists, wanted
from shoal.io.read.result import Reading, Tally
from shoal.io.read.source import Source


def read_transactions(sources: Sequence[Source], layout: Layout, options: ReadOptions) -> Reading:
    """Read the records of files with this layout. Blank lines are skipped and counted."""
    tally = Tally.of(sources, strict=options.strict, most=options.malformed, place=sources[0].place)
    found = [_records(source, layout, tally) for source in tally.each(sources)]
    bags = united([part for part, _ in found])
    tally.used = len(bags)
    notes = layout.notes + tuple(note for _, noted in found for note in noted)
    return Reading(bags, layout.format, tally.ledger(), tally.defects.frozen(), notes)


def _records(source: Source, layout: Layout, tally: Tally) -> tuple[Bags, tuple[str, ...]]:
    if layout.container == "delimited":
        return bags_of_lines(source, layout.dialect(), tally, header=layout.header), ()
    return (_from_jsonl(source, layout, tally), ()) if layout.container == "jsonl" else _from_parquet(source, layout, tally)


def _from_jsonl(source: Source, layout: Layout, tally: Tally) -> Bags:
    name = layout.columns[layout.places["item"]]
    lists = pl.concat([frame[name] for frame, _ in json_frames(source, item_lists(name), tally)])
    tally.check()
    return Bags.from_polars(lists)


def _from_parquet(source: Source, layout: Layout, tally: Tally) -> tuple[Bags, tuple[str, ...]]:
    name = layout.columns[layout.places["item"]]
    lists = wanted(source, [name])[name]
    tally.defects.add("no list of items", np.flatnonzero(lists.is_null().to_numpy()))
    tally.check()
    return bags_of_lists(lists.drop_nulls())
