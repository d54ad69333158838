"""The items of a record in one cell, joined with a separator by the rules of CSV: an item with the separator, a quote or a line end is
quoted, and its quotes are doubled. This is read back exactly, including empty names.
"""

from __future__ import annotations

import re

import polars as pl

QUOTE = '"'
JOINED = frozenset({"csv", "xlsx"})  # formats whose cells hold no lists


def joinable(names: pl.Series, separator: str) -> pl.Series:
    """Return names as written between separators: quoted if they would otherwise be ambiguous."""
    named = pl.col("name")
    odd = named.str.contains(separator, literal=True) | named.str.contains(r'["\n\r]') | (named == "")
    quoted = pl.format('"{}"', named.str.replace_all(QUOTE, QUOTE * 2, literal=True))
    return names.alias("name").to_frame().select(pl.when(odd).then(quoted).otherwise(named)).to_series()


def joined(lists: pl.Series, separator: str) -> pl.Series:
    """Join the items of each list into one text; null for an empty list, like an empty cell."""
    numbered = lists.alias("name").to_frame().with_row_index("row")
    flat = numbered.filter(pl.col("name").list.len() > 0).explode("name")
    texts = flat.with_columns(joinable(flat["name"], separator).alias("name"))
    cells = texts.group_by("row", maintain_order=True).agg(pl.col("name").str.join(separator))
    return numbered.select("row").join(cells, on="row", how="left", maintain_order="left")["name"].alias(lists.name)


def split_joined(texts: pl.Series, separator: str) -> pl.Series:
    """Split each cell into a list of items; an empty cell has none."""
    plain = texts.str.split(separator).list.eval(pl.element().filter(pl.element() != ""))
    marked = texts.str.contains(QUOTE, literal=True)
    if not marked.any():
        return plain
    item = re.compile(rf'"((?:[^"]|"")*)"(?={re.escape(separator)}|\Z)|([^{re.escape(separator)}]*)', re.DOTALL)
    lists = [_items(text, item, len(separator)) if has else kept for text, kept, has in zip(texts, plain.to_list(), marked, strict=True)]
    return pl.Series(texts.name, lists, dtype=pl.List(pl.String))


def _items(text: str, item: re.Pattern[str], between: int) -> list[str]:
    """Split one text. A quote counts only if an item begins with it and another closes it before the next separator."""
    found, at = [], 0
    while at <= len(text):
        next_item = item.match(text, at)
        assert next_item is not None  # its second way matches anything
        quoted, bare = next_item.groups()
        if quoted is not None:
            found.append(quoted.replace('""', QUOTE))
        elif bare:
            found.append(bare)
        at = next_item.end() + between
    return found
