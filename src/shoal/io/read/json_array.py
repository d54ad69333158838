"""A JSON array of objects as JSON lines: each element becomes a line, while the array is read.

Python's decoder determines the end of an element. Bytes that are not UTF-8 are kept: the line is counted as defective like any other. Only
commas and blanks are allowed between elements.
"""

from __future__ import annotations

import codecs
import io
import json
import re
from pathlib import Path
from typing import IO

from shoal.errors import InputError

PIECE = 4 << 20
LARGEST_ELEMENT = 256 << 20
BEGIN = re.compile(rb"(?:\xef\xbb\xbf)*[ \t\r\n]*\[[ \t\r\n]*(.?)", re.DOTALL)
_BLANK = re.compile(r"[ \t\r\n]*")


def begins_array(first: bytes, path: Path, *, named_json: bool) -> bool:
    """Whether a file begins as an array of objects. Raise if it is an array of something else and its name says that it is JSON."""
    found = BEGIN.match(first)
    if found is None or (found[1] != b"{" and not named_json):
        return False
    if found[1] == b"]":
        raise InputError(f"{path} is an empty JSON array", code="empty-input")
    if found[1] != b"{":
        raise InputError(
            f"{path} is a JSON array, but not of objects",
            code="not-json-lines",
            hint='give objects with a key for each column, such as [{"user": "u1", "item": "Milk"}]',
        )
    return True


def lines_of_array(stream: IO[bytes], path: Path) -> IO[bytes]:
    """Yield the elements of the array as lines."""
    return io.BufferedReader(_Elements(stream, path), PIECE)


class _Elements(io.RawIOBase):
    """The elements of a JSON array as lines, read piece by piece."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self._stream = stream
        self._path = path
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._scan = json.JSONDecoder().raw_decode
        self._text = ""
        self._expects = "["  # before the next element, or `]` behind the last one
        self._ended = False
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill the buffer with the next elements; 0 at the end."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        while not self._ready and not (self._ended and self._expects == "end" and not self._text):
            self._fetch()
            self._ready = memoryview("".join(self._elements()).encode("utf-8", "surrogateescape"))
        n = min(len(view), len(self._ready))
        view[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def _fetch(self) -> None:
        if self._ended:
            raise self._broken("ends too early")
        piece = self._stream.read(PIECE)
        self._ended = not piece
        self._text += self._decoder.decode(piece, self._ended)

    def _elements(self) -> list[str]:
        """Return the lines of all complete elements; the rest waits for the next piece."""
        found, at, text = [], 0, self._text.removeprefix("\ufeff") if self._expects == "[" else self._text
        while True:
            start = _BLANK.match(text, at).end()  # type: ignore[union-attr]
            if start == len(text):
                at = start
                break
            sign = text[start]
            if self._expects == "end" or (self._expects in ("[", ",") and sign not in (self._expects, "]")):
                raise self._broken("is not an array of objects separated by commas")
            if sign == "]" and self._expects in (",", "element or ]"):
                self._expects, at = "end", start + 1
            elif self._expects in ("[", ","):
                self._expects, at = ("element or ]" if self._expects == "[" else "element"), start + 1
            else:
                end = self._end_of(text, start)
                if end is None:
                    at = start
                    break
                # Line ends occur between tokens alone: no JSON text holds one unescaped.
                found.append(text[start:end].replace("\r", " ").replace("\n", " ") + "\n")
                self._expects, at = ",", end
        self._text = text[at:]
        if len(self._text) > LARGEST_ELEMENT:
            raise self._broken(f"has an element that is broken, or larger than {LARGEST_ELEMENT >> 20} MB")
        return found

    def _end_of(self, text: str, start: int) -> int | None:
        """Return the end of the element that begins here; None if more must be read. A number or a word may continue in the next piece."""
        try:
            _, end = self._scan(text, start)
        except json.JSONDecodeError:  # its message and its document quote data
            if self._ended:
                raise self._broken("has an element that is not JSON, or ends too early") from None
            return None
        except RecursionError:
            raise self._broken("is nested too deeply") from None
        return end if end < len(text) or self._ended else None

    def _broken(self, what: str) -> InputError:
        return InputError(f"{self._path} begins as a JSON array, but {what}", code="invalid-json", hint="write the file again")
