"""Text files: differences from their canonical bytes, and the style of files from other tools."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Literal

from shoal.io.canonical.findings import Finding, carries, styled
from shoal.util.wording import counted

Syntax = Literal["json", "access log", "fields"]

BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_ODD_LINE_ENDS = re.compile(rb"\r|\x0b|\x0c|\x1c|\x1d|\x1e|\xc2\x85|\xe2\x80[\xa8\xa9]")
_BLANK_LINE = re.compile(rb"(?:^|\n)[ \t\r]*(?=\n)")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_ENDS_IN_BLANKS = re.compile(rb"[ \t]\r?(?:\n|$)")
_INVISIBLE = re.compile(rb"\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf|\xc2\xad")
_STAMP = re.compile(rb"\d\d/(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}")


def differences(content: bytes, canonical: bytes, *, only_features: bool = False) -> list[Finding]:
    """Return how the bytes of a file differ from the writer's output for its content; empty if they are equal.

    With `only_features` it names features that canonical files never have, because the canonical bytes are not known.
    """
    if content == canonical:
        return []
    features = [carries("bytes:text", words) for words in _features(content, canonical)]
    return features if only_features else features or [carries("bytes:text", _first_difference(content, canonical))]


def _features(content: bytes, canonical: bytes) -> Iterator[str]:
    if content.startswith(BYTE_ORDER_MARKS) and not canonical.startswith(BYTE_ORDER_MARKS):
        yield "a byte order mark"
    if len(_ODD_LINE_ENDS.findall(content)) > len(_ODD_LINE_ENDS.findall(canonical)):
        yield "line ends other than a line feed"
    if len(_BLANK_LINE.findall(content)) > len(_BLANK_LINE.findall(canonical)):
        yield "blank lines"
    if len(_CONTROL.findall(content)) > len(_CONTROL.findall(canonical)):
        yield "control characters"
    if canonical.endswith(b"\n") and not content.endswith(b"\n"):
        yield "no line feed at the end"


def _first_difference(content: bytes, canonical: bytes) -> str:
    here, there = content.split(b"\n"), canonical.split(b"\n")
    unlike = [number for number, (one, other) in enumerate(zip_longest(here, there), 1) if one != other]
    return f"{counted(len(unlike), 'line is', 'lines are')} not written as the writer writes the content, first line {unlike[0]:,}"


def style_of(content: bytes, syntax: Syntax) -> Iterator[Finding]:
    """Return the style of a text file from any tool, where several are possible."""
    if content.startswith(BYTE_ORDER_MARKS):
        yield styled("a byte order mark")
    ends = set(re.findall(rb"\r?\n", content)) | ({b"\r"} if re.search(rb"\r(?!\n)", content) else set())
    if ends - {b"\n"}:
        yield styled("line ends of several kinds" if len(ends) > 1 else "line ends with a carriage return")
    if _BLANK_LINE.search(content):
        yield styled("blank lines")
    if content and not content.endswith((b"\n", b"\r")):
        yield styled("no line feed at the end")
    if _ENDS_IN_BLANKS.search(content):
        yield styled("blanks at the ends of lines")
    if _CONTROL.search(content):
        yield styled("control characters")
    if _INVISIBLE.search(content, 3):
        yield styled("characters that cannot be seen")
    if syntax == "json":
        yield from _style_of_json(content)
    elif syntax == "access log":
        yield from _spellings(content)
    else:
        yield from _style_of_fields(content)


def _spellings(content: bytes) -> Iterator[Finding]:
    """Return times and sizes that are not written as servers write them: such spellings can number the lines of a person."""
    if any(not _STAMP.fullmatch(stamp) for stamp in set(re.findall(rb'^[^\["\n]*\[([^\]\n]+)\] "', content, re.MULTILINE))):
        yield carries("spelling:time", "times that are not written as 01/Mar/2006:10:00:00 +0000")
    if re.search(rb'" [1-9]\d\d 0\d+(?: "|\r?$)', content, re.MULTILINE):
        yield carries("spelling:size", "sizes with zeros before them")


def _style_of_fields(content: bytes) -> Iterator[Finding]:
    if b'"' in content:
        yield styled("quotes around fields, or in them")
    if re.search(rb"[,;|\t] | [,;|\t]", content):
        yield styled("blanks next to separators")


def _style_of_json(content: bytes) -> Iterator[Finding]:
    """Return spacing outside of texts, and characters written as escapes."""
    if b"\\" in content:
        yield styled("characters that are written as escapes")
    outside = re.sub(rb'"(?:[^"\\]|\\.)*"', b'"', content)
    spaces = set(re.findall(rb"([:,\[\]{}]?)([ \t]+)([:,\[\]{}]?)", outside))
    wide = {before + after for before, blank, after in spaces if blank != b" "}
    dense = re.search(rb"[:,][^ \t\r\n]", outside) is not None
    if wide or {before for before, _, _ in spaces} - {b":", b","} or (spaces and dense):
        yield styled("spacing that is not the same everywhere")
    if re.search(rb"[:,\[ ]-?(?:0\d|\d+\.\d*0(?!\d)|\d[\d.]*[eE]|-0\b)", outside):
        yield styled("numbers that could be written in a shorter way")
