"""Small files for the tests of readers."""

from __future__ import annotations

import gzip
from pathlib import Path

AOL_HEADER = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL"


def written(directory: Path, name: str, content: str | bytes) -> Path:
    """A file of this content; packed where the name asks for it."""
    import zstandard

    raw = content.encode() if isinstance(content, str) else content
    if name.endswith(".gz"):
        raw = gzip.compress(raw)
    if name.endswith(".zst"):
        raw = zstandard.compress(raw)
    path = directory / name
    path.write_bytes(raw)
    return path


def aol(*rows: str, header: bool = True) -> str:
    """A log with AOL's columns; rows are `user|query|time` or all five fields."""
    lines = [AOL_HEADER] if header else []
    for row in rows:
        fields = row.split("|")
        lines.append("\t".join(fields + [""] * (5 - len(fields))))
    return "\n".join(lines) + "\n"
