"""Wording of messages: counted nouns, percentages, lists of names, and suggestions for misspelled names."""

from __future__ import annotations

import difflib
import json
import math
import unicodedata
from collections.abc import Iterable, Sequence


def counted(n: int, one: str, several: str = "") -> str:
    """Format a counted noun; `several` is an irregular plural. A verb can be included: `record is`, `records are`."""
    return f"{n:,} {one if n == 1 else several or one + 's'}"


def percent(share: float, digits: int = 1) -> str:
    """Format a share in percent. A non-zero value never prints as 0, and an incomplete one never as 100."""
    if not math.isfinite(share):
        return "not defined"
    if share in {0, 1}:
        return f"{share:.0%}"
    least = 10.0 ** -(digits + 2)
    written, nothing, everything = (f"{value:.{digits}%}" for value in (share, 0.0, 1.0))
    if written.lstrip("-") == nothing:
        return f"<{least:.{digits}%}" if share > 0 else f">-{least:.{digits}%}"
    if written == everything:
        return f">{1 - least:.{digits}%}" if share < 1 else ">100%"
    return written


def split_default(text: str) -> tuple[str, str]:
    """Split the description of a parameter that states its default, as in `levels to use (default: all)`, into description and default."""
    before, found, after = text.partition(" (default: ")
    default, closed, rest = after.partition(")")
    return (before + rest, default) if found and closed else (text, "")


def duration(seconds: float) -> str:
    """Format a rough duration in the largest unit that fits: `12 seconds`, `5 minutes`, `3 hours`."""
    if seconds < 90:
        return counted(max(1, round(seconds)), "second")
    return counted(round(seconds / 60), "minute") if seconds < 5400 else counted(round(seconds / 3600), "hour")


# Suggestions for unknown names: one function for all closed sets of names.


ALIKE = 0.6  # of 1, by difflib's ratio


def nearest(name: str, known: Iterable[str], alike: float = ALIKE) -> str:
    """Return the known name most similar to this one, ignoring case, dashes and underscores; empty if none is similar."""
    plain = {_plain(one): one for one in reversed(list(known))}
    found = difflib.get_close_matches(_plain(name), plain, n=1, cutoff=alike)
    return plain[found[0]] if found else ""


def several_nearest(name: str, known: Iterable[str], most: int) -> list[str]:
    """Return the names similar to this one as written, the most similar first."""
    return difflib.get_close_matches(name, list(known), n=most, cutoff=ALIKE)


def there_are(name: str, known: Iterable[str]) -> str:
    """Return a hint for a name outside of a closed set: the nearest of the set, and all of them."""
    names = list(known)
    return did_you_mean(name, names, f"available: {', '.join(names)}")


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "", alike: float = ALIKE) -> str:
    """Return a hint for an unknown name: the nearest one, and a fixed hint."""
    near = nearest(name, known, alike)
    return " ".join(filter(None, (f"did you mean {near}?" if near else "", otherwise)))


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "-").lstrip("-")


# Text from files, data and manifests as a terminal may show it: control characters are written out instead.
#
# An item may hold the escape sequences with which a program moves the cursor, colours and overwrites lines, or characters that reorder or
# hide what is next to them; printed as they are, they could put any verdict on the screen.


# Controls, invisible format characters (bidirectional overrides, zero width), halves of surrogate pairs, line and paragraph separators.
STEERING = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def visible(text: str) -> str:
    """Escape every control character of the text as \\x1b or \\u202e."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_written_out(c) if unicodedata.category(c) in STEERING else c for c in text)


def _written_out(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Return the first few names, quoted, and the number of others."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more


def toml_value(value: object) -> str:
    """Return a text, number, truth value or list of these as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(toml_value(one) for one in value)}]"
    if isinstance(value, (int, float)):
        return str(value)
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
