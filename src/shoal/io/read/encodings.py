"""Encodings of text: detection by byte order mark, and streaming conversion to UTF-8.

Unless the user names an encoding, only UTF-8 and encodings with a byte order mark are read. Nothing is guessed: most bytes are valid in
many encodings, with different names and queries in each.
"""

from __future__ import annotations

import codecs
import io
from pathlib import Path
from typing import IO

from shoal.errors import InputError, ParameterError, option
from shoal.util.wording import did_you_mean

UTF_8, UTF_16, UTF_32 = "utf-8", "utf-16", "utf-32"
# The mark of UTF-32 begins with that of UTF-16. After the mark of UTF-8 nothing needs decoding.
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
    codecs.BOM_UTF8: UTF_8,
}
LONGEST_MARK = max(map(len, MARKS))
COMMON = (
    "latin-1",
    "cp1252",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-8",
    "iso8859-15",
    "cp1250",
    "cp1251",
    "koi8-r",
    "shift_jis",
    "gb18030",
)
# Python's text codecs that are not encodings of files.
NO_FILES = frozenset({"idna", "punycode", "undefined", "unicode_escape", "unicode-escape", "raw_unicode_escape", "raw-unicode-escape"})
PIECE = 1 << 20


def canonical_encoding(name: str) -> str:
    """Return Python's canonical name of an encoding. Raise for an unknown one."""
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        found = None
    if found is None or not getattr(found, "_is_text_encoding", True) or found.name in NO_FILES or found.incrementaldecoder is None:
        hint = did_you_mean(name, COMMON, f"e.g. {', '.join(COMMON[:4])}")
        raise ParameterError(f"no encoding is called {name!r}", code="unknown-encoding", hint=hint, value=name)
    return UTF_8 if found.name == "utf-8-sig" else found.name


def is_encoding(name: object) -> bool:
    """Whether this is the canonical name of an encoding, as in a manifest."""
    try:
        return isinstance(name, str) and canonical_encoding(name) == name
    except ParameterError:
        return False


def marked_encoding(first: bytes) -> str:
    """Return the encoding that the byte order mark of a file indicates; empty if it has none."""
    return next((name for mark, name in MARKS.items() if first.startswith(mark)), "")


def encoding_of(first: bytes, name: str | None, path: Path) -> str:
    """Return the encoding of a file that begins with these bytes; empty for UTF-8, which needs no decoding.

    `name` is the user's choice in canonical form. It must agree with the mark, and specify the byte order if there is no mark.
    """
    marked = marked_encoding(first)
    if name is None or (marked and name in (marked, _family(marked))):
        return "" if marked in ("", UTF_8) else marked
    if marked:
        raise InputError(
            f"{path} begins with a byte order mark of {_family(marked).upper()}, which is not {name}",
            code="encoding-conflict",
            hint=f"leave {option('encoding')} out",
        )
    if name in (UTF_16, UTF_32):
        raise InputError(
            f"{path} has no byte order mark, so the order of its bytes is not known",
            code="byte-order-unknown",
            hint=f"use {option('encoding', f'{name}-le')} or {option('encoding', f'{name}-be')}",
        )
    return "" if name == UTF_8 else name


def _family(encoding: str) -> str:
    return encoding.removesuffix("-le").removesuffix("-be")


def unmarked_utf16(head: bytes) -> str:
    """Return the likely UTF-16 encoding of text in which every second byte is zero; otherwise empty. Only for hints."""
    pairs = len(head) // 2
    for name, zeros, others in (("utf-16-le", head[1::2], head[0::2]), ("utf-16-be", head[0::2], head[1::2])):
        if pairs and zeros.count(0) * 2 > pairs and others.count(0) * 20 < pairs:
            return name
    return ""


def transcoded(stream: IO[bytes], encoding: str, path: Path) -> IO[bytes]:
    """Return the content of a stream in UTF-8; the stream itself if it is UTF-8."""
    return io.BufferedReader(_Transcoded(stream, encoding, path), PIECE) if encoding else stream


class _Transcoded(io.RawIOBase):
    """Text of some encoding as UTF-8, converted piece by piece."""

    def __init__(self, stream: IO[bytes], encoding: str, path: Path) -> None:
        self._stream = stream
        self._encoding = encoding
        self._path = path
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready = memoryview(b"")
        self._ended = False

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill the buffer with the next piece; 0 at the end."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        while not self._ready and not self._ended:
            self._decode()
        n = min(len(view), len(self._ready))
        view[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def _decode(self) -> None:
        piece = self._stream.read(PIECE)
        self._ended = not piece
        try:
            self._ready = memoryview(self._decoder.decode(piece, self._ended).encode())
        except UnicodeError:  # its message quotes bytes
            raise not_encoded(self._path, self._encoding) from None


def not_encoded(path: Path, encoding: str) -> InputError:
    """Return the error for bytes that are not valid in the chosen or marked encoding."""
    return InputError(
        f"{path} contains bytes that are not {encoding}",
        code="wrong-encoding",
        hint=f"name its encoding with {option('encoding')}, or repair the file",
    )
