"""Published tables from an Excel workbook, and what else such a file holds: a comment or the author's name is published as well."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import polars as pl

from shoal.errors import InputError
from shoal.io.beside import METADATA
from shoal.io.read.excel import damaged, sheet_of
from shoal.io.read.packed import content_of, open_regular, translated

# The parts of a workbook that holds one sheet and nothing else; styles and themes have no content.
_PARTS = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|docProps/(app|core)\.xml|xl/workbook\.xml|xl/_rels/workbook\.xml\.rels|xl/styles\.xml"
    r"|xl/theme/theme1\.xml|xl/sharedStrings\.xml|xl/worksheets/sheet1\.xml"
)
_CORE = "docProps/core.xml"
_PROPERTY = re.compile(r"<(?:\w+:)?(\w+)(?:\s[^>]*)?>([^<]+)</")
_DATES = {"created", "modified"}
LARGEST_PART = 1 << 20


def sheet_frame(path: Path) -> pl.DataFrame:
    """The only sheet of a workbook, its first row as names of columns, all other cells as text."""
    cells = sheet_of(content_of(path), path)
    names = [name or "" for name in cells.row(0)]
    if len(set(names)) < len(names) or "" in names:
        raise InputError(f"{path.name} leaves a column without a name or names two alike", hint="a release is judged whole or not at all")
    return cells.slice(1).rename(dict(zip(cells.columns, names, strict=True)))


def parts_beside(path: Path) -> tuple[str, ...]:
    """What a workbook holds beside its sheet, under names that a user can allow: comments, pictures, properties such as an author."""
    with translated(path), open_regular(path) as stream:
        try:
            with zipfile.ZipFile(stream) as archive:
                parts = [METADATA + name for name in archive.namelist() if not _PARTS.fullmatch(name)]
                return (*parts, *(METADATA + name for name in _properties(archive)))
        except zipfile.BadZipFile:
            raise damaged(path) from None


def _properties(archive: zipfile.ZipFile) -> list[str]:
    """The names of properties that are filled in, but for the times of writing."""
    if _CORE not in archive.namelist():
        return []
    if archive.getinfo(_CORE).file_size > LARGEST_PART:
        return [_CORE]
    found = _PROPERTY.findall(archive.read(_CORE).decode("utf-8", "replace"))
    return [name for name, text in found if name not in _DATES and text.strip()]
