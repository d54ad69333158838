"""Words and numbers as people read them: a little is never rounded to nothing, names are made harmless."""

from __future__ import annotations

import math
import unicodedata
from typing import Any

from shoal.util.wording import percent

LONGEST_NAME = 80
UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})
JOINERS = frozenset("\u200c\u200d")
SHORT_SCALES = ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "k"))


def count(n: float) -> str:
    """A count with its thousands set apart."""
    return f"{n:,.0f}"


def short(n: float) -> str:
    """A count as an axis shows it: 2.5k, 10M."""
    for scale, sign in SHORT_SCALES:
        if abs(n) >= scale:
            return f"{n / scale:g}{sign}"
    return f"{n:g}"


def share_of(part: int, whole: int) -> str:
    """One count as a percentage of another."""
    return percent(part / whole) if whole else "–"


def number(value: Any) -> str:
    """Any value of a manifest, as a reader wants it."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return _decimal(value)
    if isinstance(value, (list, tuple)):
        return ", ".join(number(v) for v in value) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{spoken(str(k))} {number(v)}" for k, v in value.items()) or "none"
    return plain(str(value))


def _decimal(value: float) -> str:
    if not math.isfinite(value):
        return "not defined"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if value and abs(value) < 0.001:
        return f"{value:.1e}"
    return f"{value:,.3f}".rstrip("0").rstrip(".")


def spoken(key: str) -> str:
    """A key of the manifest as words."""
    return plain(key.replace("_", " "))


def plural(n: int, noun: str, many: str = "") -> str:
    """`1 record`, `2,000 records`."""
    return f"{count(n)} {noun if n == 1 else many or noun + 's'}"


def plain(text: str) -> str:
    """A user's text without characters that do not print or that turn the direction of what follows."""
    return "".join("\N{REPLACEMENT CHARACTER}" if is_unprintable(c) else c for c in text)


def name(text: str) -> str:
    """An item's name, cut where it is too long to be read."""
    shown = plain(text)
    return shown if len(shown) <= LONGEST_NAME else shown[: LONGEST_NAME - 1].rstrip() + "…"


def is_unprintable(char: str) -> bool:
    """Whether a character does not print, or only disguises others."""
    # Joiners are part of how some scripts are written; all other format characters only disguise.
    return unicodedata.category(char) in UNPRINTABLE and char not in JOINERS
