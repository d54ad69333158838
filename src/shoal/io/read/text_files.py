"""Small text files that are read as a whole, such as taxonomies and links between pages: decompressed, and refused if they are not text."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import InputError, TaxonomyError
from shoal.io.read.source import compression_of, open_regular, opened, translated


def read_text(path: Path, kind: type[InputError] = TaxonomyError) -> str:
    """Read the file as text with line feeds. `.gz` and `.zst` are recognized by their first bytes. Errors are of this kind."""
    raw = _read_bytes(path, kind)
    if b"\0" in raw:
        raise kind(f"{path} is a binary file, not text", code="not-plain-text")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise kind(f"{path}, line {line}, is not UTF-8", code="not-utf8", hint="save the file as UTF-8", line=line) from None
    if not text.strip():
        raise kind(f"{path} is empty", code="empty-input")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _read_bytes(path: Path, kind: type[InputError]) -> bytes:
    with translated(path, kind):
        with open_regular(path, kind) as raw:
            compression = compression_of(raw.read(4))
        with opened(path, compression) as stream:
            return stream.read()
