"""Published records from JSON lines: a list per line, or an object with a list of items and possibly other keys, which are named.

Lines with a record number and a list of items, or with the list alone, are decoded by Polars; a chunk of the file with any other line is
read line by line. A repeated key is an error: a reader sees only one of its values, and the other would not be verified.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from shoal.data.bags import Bags, Ints
from shoal.io.extra_columns import ExtraKeys, distinct_keys
from shoal.io.read.delimited import text_lines
from shoal.io.read.json_lines import LIST, NATURAL, DefectiveLine, decoded, holds_nothing_odd, json_items, loads_with, value_of
from shoal.io.read.result import Tally
from shoal.io.read.source import Source

RECORD, ITEMS = "record", "items"

_LISTS = pl.List(pl.String())
_PLAIN = rf'^\{{\s*(?:"{RECORD}"\s*:\s*{NATURAL}\s*,\s*)?"{ITEMS}"\s*:\s*{LIST}\s*\}}$'


def json_records(source: Source, tally: Tally, before: int = 0) -> tuple[Bags, tuple[str, ...], tuple[str, ...]]:
    """Return the records of a file, the other keys that do more than number them (on from `before`), and those that only number them."""
    parts, keys = [pl.Series(ITEMS, [], dtype=_LISTS)], ExtraKeys(before)
    for texts, lines in text_lines(source, tally):
        found = _decoded(texts)
        if found is None:
            parts.append(_line_by_line(texts, lines, keys, tally))
        else:
            parts.append(found[ITEMS])
            keys.add_numbers(RECORD, found[RECORD])
    tally.check()
    return Bags.from_polars(pl.concat(parts)), *keys.names()


def is_long(source: Source) -> bool:
    """Whether the first line is an item rather than a record: an object with `record` and `item` and without a list."""
    try:
        value = value_of(source.head.lstrip().split(b"\n", 1)[0].decode(), loads_with(dict))
    except (DefectiveLine, UnicodeDecodeError):
        return False
    return isinstance(value, dict) and {RECORD, "item"} <= value.keys() and not any(isinstance(held, list) for held in value.values())


def _decoded(texts: pl.Series) -> pl.DataFrame | None:
    """Decode lines that all have the simple form; None if one does not."""
    plain = pl.select(holds_nothing_odd(pl.lit(texts)) & pl.lit(texts).str.contains(_PLAIN)).to_series()
    return decoded(texts, {RECORD: pl.Int64(), ITEMS: _LISTS}) if plain.all() else None


def _line_by_line(texts: pl.Series, lines: Ints, keys: ExtraKeys, tally: Tally) -> pl.Series:
    loads = loads_with(distinct_keys(tally.source.path))
    records = []
    for line, written in zip(lines.tolist(), texts, strict=True):
        try:
            value = value_of(written, loads)
            key = _items_key(value)
            records.append(_items(value if key is None else value[key]))
            keys.add(value, key)
        except DefectiveLine as defect:
            tally.defects.add(str(defect), [line])
    return pl.Series(ITEMS, records, dtype=_LISTS)


def _items(value: Any) -> list[str]:
    items = json_items(value)
    if items is None:
        raise DefectiveLine("no list of items")
    return items


def _items_key(value: Any) -> str | None:
    """Return the key of the items in a JSON object: `items`, or the key of its only list; None if the value is the record itself."""
    if not isinstance(value, dict):
        return None
    lists = [key for key, held in value.items() if isinstance(held, list)]
    if ITEMS in value:
        return ITEMS
    return lists[0] if len(lists) == 1 else None
