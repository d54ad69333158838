"""Writing published records, in an order that tells nothing.

Records are shuffled with the operating system's entropy and get fresh numbers; items are sorted by name.
Formats: `parquet` and `jsonl` hold lists of items; `csv` joins the items of a record with `;`; `transactions`
has one record a line, an empty line for an empty record. A name that a format cannot hold without doubt is
refused.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.data.bags import Bags, Ints, Vocabulary
from shoal.data.release import Release
from shoal.errors import OutputError, ParameterError
from shoal.io.directory import disk_errors
from shoal.io.published import read_records
from shoal.io.read.separators import JOINER, has_quotes, one_byte, separator_name
from shoal.io.read.source import ODD_BYTES

__all__ = ["RECORD_FORMATS", "FileFact", "read_records", "write_records"]

RECORD_FORMATS = {
    "parquet": "records.parquet",
    "csv": "records.csv",
    "jsonl": "records.jsonl",
    "transactions": "records.txt",
}
ROWS_AT_ONCE = 100_000
ODD_CHARACTERS = "[" + "".join(f"\\x{byte:02x}" for byte in ODD_BYTES) + "]"


@dataclass(frozen=True)
class FileFact:
    """What the manifest says of a file; `separator` is the one between items, where the format has one."""

    name: str
    rows: int
    sha256: str
    format: str = ""
    separator: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For the manifest; what does not apply is left out."""
        return {key: value for key, value in asdict(self).items() if value != ""}


def write_records(release: Release, path: str | Path, format: str = "parquet", sep: str = "\t") -> FileFact:
    """Write the published records to a file of this format and say what was written."""
    if format not in RECORD_FORMATS:
        raise ParameterError(
            f"no output format is called {format!r}",
            hint=f"there are {', '.join(RECORD_FORMATS)}",
            value=format,
        )
    separator = {"csv": JOINER, "transactions": one_byte(sep) or " "}.get(format, "")
    published = by_name(release.published)
    refuse_ambiguous(published, format, separator)
    rows = release.shuffled_rows()
    place, digest = Path(path), hashlib.sha256()
    with disk_errors(place.name), place.open("xb") as out:
        for piece in _pieces(published, rows, format, separator):
            digest.update(piece)
            out.write(piece)
    return FileFact(place.name, len(rows), digest.hexdigest(), format, separator)


def by_name(bags: Bags) -> Bags:
    """The same records over a vocabulary in the order of names, so that items are sorted by name."""
    order = bags.vocabulary.names.arg_sort().to_numpy()
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return bags.relabelled(rank, Vocabulary(bags.vocabulary.names.gather(order)))


def refuse_ambiguous(published: Bags, format: str, separator: str) -> None:
    """Raise where a name that occurs could not be read back from this format."""
    names = published.vocabulary.names.gather(np.unique(published.items))
    for what, mask in _troubles(names, format, separator):
        if mask.any():
            n = int(mask.sum())
            raise OutputError(
                f"{n:,} item names {what}, which {format} cannot hold",
                hint="write parquet or jsonl instead",
                value=n,
            )


def _troubles(names: pl.Series, format: str, separator: str) -> Iterator[tuple[str, pl.Series]]:
    """What a name may not be or hold in this format, and which names are or do."""
    if format in {"parquet", "jsonl"}:
        return
    yield "are empty", names == ""
    yield f"contain the separator ({separator_name(separator)})", names.str.contains(separator, literal=True)
    yield "contain control characters", names.str.contains(ODD_CHARACTERS)
    if format == "transactions":
        yield "contain a line end", names.str.contains(r"[\r\n]")
        yield "begin with a byte order mark", names.str.starts_with("\ufeff")
        if has_quotes(separator):
            yield "contain a quote", names.str.contains('"', literal=True)
        if separator != "\t":
            yield "begin or end with blanks", names.str.strip_chars(" \t") != names


def _pieces(published: Bags, rows: Ints, format: str, separator: str) -> Iterator[bytes]:
    """The file's bytes, a part at a time: each published row is put into words once, and then repeated."""
    lists = published.to_polars()
    if format == "parquet":
        yield _parquet(lists, rows)
        return
    if format == "csv":
        yield b"record,items\n"
    texts = _texts(lists, format, separator)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        part = rows[start : start + ROWS_AT_ONCE]
        numbers = pl.Series(np.arange(start + 1, start + len(part) + 1))
        yield _lines(texts.gather(part), numbers, format)


def _parquet(lists: pl.Series, rows: Ints) -> bytes:
    buffer = io.BytesIO()
    frame = pl.DataFrame({"record": np.arange(1, len(rows) + 1), "items": lists.gather(rows)})
    frame.write_parquet(buffer, compression="zstd", compression_level=1, statistics=False)
    return buffer.getvalue()


def _texts(lists: pl.Series, format: str, separator: str) -> pl.Series:
    if format == "jsonl":
        return pl.Series([json.dumps(items, ensure_ascii=False) for items in lists.to_list()], dtype=pl.String)
    return lists.list.join(separator)


def _lines(texts: pl.Series, numbers: pl.Series, format: str) -> bytes:
    if format == "csv":
        buffer = io.BytesIO()
        pl.DataFrame({"record": numbers, "items": texts}).write_csv(buffer, include_header=False)
        return buffer.getvalue()
    if format == "jsonl":
        numbered = pl.select(pl.format('{{"record": {}, "items": {}}}', numbers, texts)).to_series()
        return _joined(numbered)
    return _joined(texts)


def _joined(lines: pl.Series) -> bytes:
    text: str = lines.str.join("\n", ignore_nulls=False).item()
    return f"{text}\n".encode()
