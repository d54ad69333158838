"""The files that tables are written to: formats, what the manifest says of a file, and bytes on the way to the disk."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError
from shoal.io.directory import disk_errors

OUTPUT_FORMATS = {"parquet": ".parquet", "csv": ".csv", "jsonl": ".jsonl", "transactions": ".txt"}
FRAME_FORMATS = ("parquet", "csv", "jsonl")


@dataclass(frozen=True)
class FileFact:
    """What the manifest says of a file.

    `separator` is the one between items, where the format has one; `part` is told where a table is written to several files; `columns`
    are their types, and `pseudonyms` the column of fresh numbers, where a table has such.
    """

    name: str
    rows: int
    sha256: str
    format: str = ""
    separator: str = ""
    table: str = ""
    kind: str = ""
    part: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    pseudonyms: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For the manifest; what does not apply is left out."""
        return {key: value for key, value in asdict(self).items() if value not in ("", {})}


def insist_on_format(format: str, known: Iterable[str], kind: str) -> None:
    """Raise unless a table of this kind can be written in this format."""
    if format not in OUTPUT_FORMATS:
        raise ParameterError(f"no output format is called {format!r}", hint=f"there are {', '.join(OUTPUT_FORMATS)}", value=format)
    if format not in known:
        raise ParameterError(f"{format} cannot hold a table of {kind}", hint=f"formats are {', '.join(known)}", value=format)


def write_pieces(path: Path, pieces: Iterable[bytes]) -> str:
    """Write a new file and give its SHA-256."""
    digest = hashlib.sha256()
    with disk_errors(path.name), path.open("xb") as out:
        for piece in pieces:
            digest.update(piece)
            out.write(piece)
    return digest.hexdigest()
