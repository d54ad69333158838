"""The text of a taxonomy's file: unpacked where it is compressed, refused where it is none."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import TaxonomyError
from shoal.io.read.compression import compression_of, open_regular, opened, translated


def read_text(path: Path) -> str:
    """The file as text, its lines ended by line feeds. `.gz` and `.zst` are recognised by their first bytes."""
    raw = _read_bytes(path)
    if b"\0" in raw:
        raise TaxonomyError(f"{path} is a binary file, not text")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise TaxonomyError(f"{path}, line {line}, is not UTF-8", hint="save the file as UTF-8", line=line) from None
    if not text.strip():
        raise TaxonomyError(f"{path} is empty")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _read_bytes(path: Path) -> bytes:
    with translated(path, TaxonomyError):
        with open_regular(path, TaxonomyError) as raw:
            compression = compression_of(raw.read(4))
        with opened(path, compression) as stream:
            return stream.read()
