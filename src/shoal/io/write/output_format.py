"""Output files of tables: formats, their manifest entries, and writing of bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError
from shoal.packages import insist_on_extra
from shoal.util.wording import there_are

if TYPE_CHECKING:  # the names of formats and layouts are listed without loading polars
    import polars as pl

OUTPUT_FORMATS = {"parquet": ".parquet", "csv": ".csv", "jsonl": ".jsonl", "xlsx": ".xlsx", "transactions": ".txt", "accesslog": ".log"}
ACCESSLOG = "accesslog"
FRAME_FORMATS = ("parquet", "csv", "jsonl", "xlsx")
LAYOUTS = ("lists", "long")
LISTS, LONG = LAYOUTS
SETS = "sets"  # bags in which no item is repeated, as the kind that a method publishes

Levels = Callable[["pl.Series"], "pl.Series"]
"""Names of items to their depths in the taxonomy, null where it lacks one."""


@dataclass(frozen=True, eq=False)
class OutputForm:
    """How tables are written: the file format and, for records, the item separator and whether a row is a record or an item.

    `levels` returns the level of an item in the taxonomy, if there is one; the root has level 1.
    """

    format: str = "parquet"
    sep: str = "\t"
    layout: str = LISTS
    levels: Levels | None = None

    def __post_init__(self) -> None:
        if self.layout not in LAYOUTS:
            raise ParameterError(
                f"no layout is called {self.layout!r}", code="unknown-layout", hint=there_are(self.layout, LAYOUTS), value=self.layout
            )
        if self.layout == LONG and self.format == "transactions":
            raise ParameterError(
                "a line of transactions is a whole record, but the layout is long", code="options-conflict", hint="choose another format"
            )
        if self.format == "xlsx":
            insist_on_extra("excel")

    def refuse_layout(self, kind: str) -> None:
        """Raise if a layout is requested for a kind of table that has only one."""
        from shoal.data.tables import KINDS

        if self.layout != LISTS and not (kind == SETS or (kind in KINDS and KINDS[kind].has_layouts)):
            raise ParameterError(
                f"the layout {self.layout} is for records of items, but this is a table of {kind}",
                code="option-not-applicable",
                hint="leave it out",
            )


def default_format(kind: str) -> str:
    """Return the default format for a table of this kind."""
    from shoal.data.tables import KINDS

    return KINDS["bags" if kind == SETS else kind].default_format


@dataclass(frozen=True)
class FileFact:
    """The manifest entry of a file.

    `separator` is the item separator, if the format has one; `part` is set if a table is written to several files; `columns` are their
    types, and `pseudonyms` is the column of random numbers, if there is one. `layout`: whether a row is a record or an item.
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
    layout: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the manifest entry without fields that do not apply."""
        return {key: value for key, value in asdict(self).items() if value not in ("", {})}


def named_as_file(directory: Path) -> str:
    """Return the format suggested by the suffix of a release directory, as in `x.csv`; empty if there is none, or if a file exists
    there.
    """
    if directory.is_file():  # which is refused with better reason
        return ""
    return next((format for format, suffix in OUTPUT_FORMATS.items() if directory.name.lower().endswith(suffix)), "")


def insist_on_format(format: str, known: Iterable[str], kind: str) -> None:
    """Raise unless a table of this kind can be written in this format."""
    if format not in OUTPUT_FORMATS:
        raise ParameterError(
            f"no output format is called {format!r}", code="unknown-output-format", hint=there_are(format, OUTPUT_FORMATS), value=format
        )
    if format not in known:
        raise ParameterError(
            f"{format} cannot represent a table of {kind}",
            code="output-format-not-applicable",
            hint=f"formats are {', '.join(known)}",
            value=format,
        )


def write_pieces(path: Path, pieces: Iterable[bytes]) -> str:
    """Write a new file and return its SHA-256. If the first piece cannot be made, no file is created."""
    from shoal.io.release_directory import disk_errors

    digest, coming = hashlib.sha256(), iter(pieces)
    first = next(coming, b"")
    with disk_errors(path.name), path.open("xb") as out:
        for piece in chain([first], coming):
            digest.update(piece)
            out.write(piece)
    return digest.hexdigest()
