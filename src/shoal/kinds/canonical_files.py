"""The canonical form of every file format.

The content of a file is what is read from it and verified. Everything else can carry a hidden message: metadata, quoting, blank lines, the
spelling of numbers, bytes between pages. So the content is written again, and the result is compared with the file. A file of a release
directory must be in canonical form. A file from another tool may use another style, which is reported; anything that can carry free text
fails, unless it is allowed by name.
"""

from __future__ import annotations

import io
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.io.canonical.findings import Finding, carries, different
from shoal.io.canonical.packed import gzip_findings, zstd_findings
from shoal.io.canonical.parquet_file import parquet_findings
from shoal.io.canonical.text import Syntax, differences, style_of
from shoal.io.canonical.workbook import workbook_findings
from shoal.io.read.access_logs.access_log_lines import looks_like_access_log
from shoal.io.read.excel import is_workbook
from shoal.io.read.source import PARQUET, compression_of, content_of, translated, unpacked
from shoal.io.release_directory import MANIFEST, NOTICE
from shoal.io.rules_file import RULES, read_rules
from shoal.kinds.canonical_tables import table_form
from shoal.util.wording import counted

FIRST_BYTES, FIRST_LINES = 1 << 16, 20  # that show whether a text is an access log

__all__ = ["DirectoryForm", "directory_form", "file_findings"]


@dataclass(frozen=True)
class DirectoryForm:
    """How the files of a release directory differ from their canonical form.

    Attributes:
        files: How many files were compared.
        broken: What is not canonical, one line each, which names the file.
        notes: Files whose structure was checked because their bytes are not those of the present writer.
    """

    files: int
    broken: tuple[str, ...]
    notes: tuple[str, ...]


def directory_form(directory: Path, manifest: Mapping[str, Any], written_manifest: bytes, lack: str) -> DirectoryForm:
    """Compare the files of a release directory with their canonical form.

    Args:
        directory: The release directory.
        manifest: Its manifest.
        written_manifest: The manifest as the writer writes it.
        lack: What the manifest says where the release guarantees nothing.
    """
    found: dict[str, tuple[Finding, ...]] = {}
    changed: list[str] = []
    before: dict[str, int] = {}
    names = [MANIFEST, *(file["name"] for file in manifest["files"])]
    for name in names:
        found[name] = tuple(_irregular(directory / name))
    found[MANIFEST] += tuple(differences(content_of(directory / MANIFEST), written_manifest))
    for file in manifest["files"]:
        name = file["name"]
        if not (directory / name).is_file():
            continue
        if "table" in file:
            form = table_form(directory, file, before.get(file["table"], 0))
            before[file["table"]] = before.get(file["table"], 0) + form.rows
            found[name] += form.findings
            changed += [] if form.identical or form.findings else [name]
        elif name in (RULES, NOTICE):
            found[name] += tuple(_page_findings(directory / name, lack, manifest["shoal"]))
    broken = tuple(f"{name} is not in canonical form: {one.words}" for name, several in found.items() for one in different(several))
    return DirectoryForm(len(names), broken, tuple(_noted(changed)))


def _irregular(path: Path) -> Iterator[Finding]:
    """Return a fault if a file of a release is a symbolic link, or not a file."""
    try:
        kind = path.lstat().st_mode
    except OSError:
        return
    if stat.S_ISLNK(kind):
        yield carries("link", "a symbolic link, not a file")
    elif not stat.S_ISREG(kind):
        yield carries("link", "not a regular file")


def _page_findings(path: Path, lack: str, version: str) -> list[Finding]:
    """Return deviations in the form of the recoding rules or of the notice that nothing is guaranteed."""
    found = content_of(path)
    if path.name == NOTICE:
        return differences(found, f"{lack}\n".encode())
    rules = read_rules(path)  # an error where it is not a file of rules
    return differences(found, rules.content(version).encode("utf-8", "surrogatepass"))


def _noted(changed: list[str]) -> Iterator[str]:
    if changed:
        first = changed[0] if len(changed) == 1 else f"{changed[0]} and {counted(len(changed) - 1, 'other file', 'other files')}"
        yield f"{first}: the bytes are not those that this version writes, so the structure was checked instead"


def _syntax_of(text: bytes) -> Syntax:
    if text.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return "json"
    return "access log" if looks_like_access_log(text[:FIRST_BYTES].decode("utf-8", "replace").splitlines()[:FIRST_LINES]) else "fields"


def file_findings(path: Path) -> tuple[Finding, ...]:
    """Return what a single file of any tool contains beyond its content."""
    raw = content_of(path)
    compression = compression_of(raw[:4])
    found: list[Finding] = []
    if compression:
        name = path.stem
        with translated(path):
            found += gzip_findings(raw, name) if compression == "gzip" else zstd_findings(raw)
            raw = unpacked(io.BytesIO(raw), compression).read()
    if raw.startswith(PARQUET):
        found += parquet_findings(raw, pl.read_parquet(io.BytesIO(raw)))
    elif is_workbook(io.BytesIO(raw)):
        found += workbook_findings(raw)
    else:
        found += style_of(raw, _syntax_of(raw))
    return different(found)
