"""Names of items that a format cannot hold without doubt are refused."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from shoal.errors import OutputError
from shoal.io.read.delimited import has_quotes, separator_name
from shoal.io.read.source import ODD_BYTES

ODD_CHARACTERS = "[" + "".join(f"\\x{byte:02x}" for byte in ODD_BYTES) + "]"


def refuse_ambiguous(names: pl.Series, format: str, separator: str) -> None:
    """Raise if one of the names that occur could not be read back from this format."""
    for what, mask in _troubles(names, format, separator):
        if mask.any():
            n = int(mask.sum())
            raise OutputError(
                f"{n:,} item names {what}, which {format} cannot represent",
                code="value-not-writable",
                hint="write parquet or jsonl instead",
                value=n,
            )


def refuse_empty(names: pl.Series) -> None:
    """Raise if an item has no name: in the long layout such a row is a record without items."""
    n = int((names == "").sum())
    if n:
        raise OutputError(
            "an item has an empty name, which the layout long cannot represent",
            code="value-not-writable",
            hint="choose the layout lists",
            value=n,
        )


def _troubles(names: pl.Series, format: str, separator: str) -> Iterator[tuple[str, pl.Series]]:
    """What a name may not be or hold in this format, and which names are or do."""
    if format in {"parquet", "jsonl"}:
        return
    yield "contain control characters", names.str.contains(ODD_CHARACTERS)
    if format == "transactions":
        yield "are empty", names == ""
        yield f"contain the separator ({separator_name(separator)})", names.str.contains(separator, literal=True)
        yield "contain a line end", names.str.contains(r"[\r\n]")
        yield "begin with a byte order mark", names.str.starts_with("\ufeff")
        if has_quotes(separator):
            yield "contain a quote", names.str.contains('"', literal=True)
        if separator != "\t":
            yield "begin or end with blanks", names.str.strip_chars(" \t") != names
