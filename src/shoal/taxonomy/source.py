"""The text of a taxonomy's file: unpacked where it is compressed, refused where it is none."""

from __future__ import annotations

import gzip
import importlib
import zlib
from pathlib import Path

from shoal.errors import MissingExtra, TaxonomyError

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"


def read_text(path: Path) -> str:
    """The file as text. `.gz` and `.zst` are told by their first bytes, whatever the file is called."""
    raw = _unpacked(_read_bytes(path))
    if b"\0" in raw:
        raise TaxonomyError("the file is binary, not text")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise TaxonomyError(f"line {line} is not UTF-8", hint="save the file as UTF-8", line=line) from None
    if not text.strip():
        raise TaxonomyError("the file is empty")
    return text


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise TaxonomyError("there is no such file") from None
    except IsADirectoryError:
        raise TaxonomyError("this is a directory, not a file") from None
    except OSError as error:
        raise TaxonomyError(f"the file cannot be read: {error.strerror or error}") from None


def _unpacked(raw: bytes) -> bytes:
    if raw.startswith(_GZIP):
        try:
            return gzip.decompress(raw)
        except (OSError, EOFError, zlib.error):
            raise TaxonomyError("the gzip data is damaged") from None
    return _unpacked_zstd(raw) if raw.startswith(_ZSTD) else raw


def _unpacked_zstd(raw: bytes) -> bytes:
    """By the standard library where it can (Python 3.14 on), else by the package zstandard."""
    try:
        zstd = importlib.import_module("compression.zstd")
    except ModuleNotFoundError:
        return _unpacked_by_package(raw)
    try:
        return bytes(zstd.decompress(raw))
    except (zstd.ZstdError, EOFError):
        raise TaxonomyError("the zstd data is damaged") from None


def _unpacked_by_package(raw: bytes) -> bytes:
    try:
        zstandard = importlib.import_module("zstandard")
    except ModuleNotFoundError:
        hint = "pip install 'shoal[zstd]'"
        raise MissingExtra("reading .zst needs the package zstandard", hint=hint) from None
    unpacked = bytearray()
    while raw:  # frame by frame, as this is how a cut-off last frame is told
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            unpacked += frame.decompress(raw)
        except zstandard.ZstdError:
            raise TaxonomyError("the zstd data is damaged") from None
        if not frame.eof:
            raise TaxonomyError("the zstd data is damaged")
        raw = frame.unused_data
    return bytes(unpacked)
