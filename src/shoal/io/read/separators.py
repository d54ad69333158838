"""What stands between fields or items: written by users in several ways, guessed where they say nothing."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import ParameterError

BLANKS = ""  # runs of spaces and tabs
JOINER = ";"  # between the items of a record in a CSV that shoal writes

NAMES = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "bar", BLANKS: "blanks", " ": "space"}
WRITTEN = {name: separator for separator, name in NAMES.items()} | {"\\t": "\t", "whitespace": BLANKS}


def one_byte(sep: str) -> str:
    """The separator that a user means: one character, or a word such as `tab`, `comma` or `blanks`."""
    found = WRITTEN.get(sep, sep)
    if len(found) > 1 or not found.isascii() or found in {"\n", "\r", '"', "\0"}:
        raise ParameterError(
            f"a separator is one ASCII character, not {sep!r}",
            hint=f"or one of {', '.join(WRITTEN)}",
            value=sep,
        )
    return found


def separator_name(separator: str) -> str:
    """The separator in words."""
    return NAMES.get(separator, repr(separator))


def has_quotes(separator: str) -> bool:
    """Whether fields may be quoted; with blanks and tabs not, as query logs hold quotes that mean nothing."""
    return separator not in {"\t", " ", ""}


def guess_separator(lines: Sequence[bytes]) -> str:
    """What stands between items: tab, comma or semicolon, whichever most of the lines have; else blanks."""
    having = {sign: sum(sign.encode() in line for line in lines) for sign in "\t,;"}
    best = max(having, key=lambda sign: having[sign])
    return best if having[best] else BLANKS


def separators_in(line: str) -> list[str]:
    """The signs that may separate the columns of a file with this first line, the most frequent first."""
    return sorted((sign for sign in "\t,;|" if sign in line), key=lambda sign: -line.count(sign)) or ["\t"]
