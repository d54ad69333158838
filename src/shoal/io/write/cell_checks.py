"""Checks of texts in the cells of a file: names that a format cannot represent, and texts that a spreadsheet executes as formulas.

Names that could not be read back are rejected. A CSV cell that begins with =, +, -, @, a tab or a carriage return is harmless to programs
that read text, but a spreadsheet may execute it. The content is written unchanged, because what is read back must be what was published. So
terminal, manifest and report state the number of such texts. In a workbook (the format xlsx) texts stay texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from shoal.data.release import Release
from shoal.errors import OutputError
from shoal.io.read.delimited import has_quotes, separator_name
from shoal.io.read.source import ODD_BYTES
from shoal.util.wording import counted

# -- names that cannot be read back


ODD_CHARACTERS = "[" + "".join(f"\\x{byte:02x}" for byte in ODD_BYTES) + "]"


def refuse_ambiguous(names: pl.Series, format: str, separator: str) -> None:
    """Raise if one of the occurring names could not be read back from this format."""
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
    """Raise if an item has an empty name: in the long layout such a row is an empty record."""
    n = int((names == "").sum())
    if n:
        raise OutputError(
            "an item has an empty name, which the layout long cannot represent",
            code="value-not-writable",
            hint="choose the layout lists",
            value=n,
        )


def _troubles(names: pl.Series, format: str, separator: str) -> Iterator[tuple[str, pl.Series]]:
    """Return what this format does not allow in a name, and the names concerned."""
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


# -- formulas


FORMULA = r"^([=+@\t\r]|-.)"  # a single dash means that there is nothing
HOW = (
    "with =, +, -, @ or a tab: a spreadsheet may run such a cell of the CSV as a formula; import the file as text, or write xlsx, "
    "where texts stay texts"
)


def formula_notes(release: Release, format: str) -> list[str]:
    """Return a warning with the number of distinct texts of a CSV release that a spreadsheet may execute; empty if there are none."""
    if format != "csv":
        return []
    found = sum(int(texts.str.contains(FORMULA).sum()) for table in release.tables.values() for texts in table.texts())
    return [f"{counted(found, 'text begins', 'texts begin')} {HOW}"] if found else []


def formula_notes_in(notes: Iterable[str]) -> list[str]:
    """Return the notes of a manifest that warn about formulas."""
    return [note for note in notes if note.endswith(HOW)]
