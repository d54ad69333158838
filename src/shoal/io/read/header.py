"""The names of a file's columns, before anybody has said what they mean."""

from __future__ import annotations

from pathlib import Path

from shoal.io.read.columns import knows_any
from shoal.io.read.delimited import one_byte, separators_in
from shoal.io.read.formats import first_lines, first_records, json_names, looks_like_header
from shoal.io.read.parquet import schema_of
from shoal.io.read.source import EXCEL, Source

SAMPLE = 50
MOST_COLUMNS = 200


def column_names(path: Path, sep: str | None = None, encoding: str | None = None) -> list[str]:
    """The names of the columns, or their numbers from 1 where the first line does not look like names; empty if lines differ in length.

    Args:
        path: A file.
        sep: The separator, if it is known.
        encoding: The encoding of a text file, if it is known.
    """
    source = Source.of_data(path, None, encoding)
    try:
        if source.is_parquet:
            return list(schema_of(source))[:MOST_COLUMNS]
        if source.is_json_lines:
            return json_names(source)[0][:MOST_COLUMNS]
        lines = first_lines(source)
        if not lines:
            return []
        between = "," if source.compression == EXCEL else separators_in(lines[0])[0] if sep is None else one_byte(sep)
        rows = first_records(source, between, SAMPLE)
    finally:
        source.close()
    if not rows or len({len(row) for row in rows}) > 1:
        return []
    names = [name.strip() for name in rows[0]]
    named = looks_like_header(rows) or knows_any(names)
    return (names if named else [str(n + 1) for n in range(len(names))])[:MOST_COLUMNS]
