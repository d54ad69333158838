"""Formatting of values: readable numbers, and text that is safe in HTML.

A non-zero number never prints as 0, and names are sanitized. Text is escaped only here, for every page, chart and notebook view. A page has
a Content-Security-Policy that lists its scripts and style sheets by hash, so that a browser runs no other, whatever a text may contain.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shoal.util.wording import percent

if TYPE_CHECKING:
    from markupsafe import Markup


LONGEST_NAME = 80
UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})
JOINERS = frozenset("\u200c\u200d")
SHORT_SCALES = ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "k"))


def count(n: float) -> str:
    """Format a count with thousands separators."""
    return f"{n:,.0f}"


def short(n: float) -> str:
    """Format a count for an axis: 2.5k, 10M."""
    for scale, sign in SHORT_SCALES:
        if abs(n) >= scale:
            return f"{n / scale:g}{sign}"
    return f"{n:g}"


def share_of(part: int, whole: int) -> str:
    """Format one count as a percentage of another."""
    return percent(part / whole) if whole else "–"


def number(value: Any) -> str:
    """Format any value of a manifest for readers."""
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
    """Format a key of the manifest as words."""
    return plain(key.replace("_", " "))


def plural(n: int, noun: str, many: str = "") -> str:
    """Return `1 record`, `2,000 records`."""
    return f"{count(n)} {noun if n == 1 else many or noun + 's'}"


def plain(text: str) -> str:
    """Return a user's text without unprintable characters and those that change the text direction."""
    return "".join("\N{REPLACEMENT CHARACTER}" if is_unprintable(c) else c for c in text)


def name(text: str) -> str:
    """Return an item's name, truncated if it is too long."""
    shown = plain(text)
    return shown if len(shown) <= LONGEST_NAME else shown[: LONGEST_NAME - 1].rstrip() + "…"


def is_unprintable(char: str) -> bool:
    """Whether a character is unprintable, or only disguises others."""
    # Joiners are part of how some scripts are written; all other format characters only disguise.
    return unicodedata.category(char) in UNPRINTABLE and char not in JOINERS


# -- HTML


LAYOUT = frozenset("\n\t")  # control characters that a page may hold
_ENDS_SCRIPT = re.compile(r"<(?=/script|!--|script)", re.IGNORECASE)
_IN_BACKTICKS = re.compile(r"`([\w-]+(?: [\w-]+)*)`")  # names of options, commands and columns
_IN_JSON = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "'": "\\u0027"}


def escaped(value: Any) -> Markup:
    """Escape a value for HTML text or a quoted attribute. Markup made by this package is kept.

    Characters that are unprintable, change the text direction, or are unpaired surrogates are replaced.
    """
    from markupsafe import Markup, escape

    if isinstance(value, Markup):
        return value
    text = str(value)
    if not text.isprintable():
        text = "".join("\N{REPLACEMENT CHARACTER}" if c not in LAYOUT and is_unprintable(c) else c for c in text)
    return escape(text)


def own_markup(text: str) -> Markup:
    """Mark HTML that this package wrote, with escaped texts in it, as safe."""
    from markupsafe import Markup

    return Markup(text)


def with_code(text: Any) -> Markup:
    """Escape a sentence of this package, with text between backticks as code."""
    return own_markup(_IN_BACKTICKS.sub(r"<code>\1</code>", str(escaped(text))))


def json_block(value: Any) -> Markup:
    """Serialize a value as JSON inside `<script type="application/json">`: ASCII, without characters special in HTML."""
    text = json.dumps(value, ensure_ascii=True)
    return own_markup("".join(_IN_JSON.get(c, c) for c in text))


def own_script(text: str) -> Markup:
    """Return a script of this package, in which nothing ends the script element."""
    return own_markup(_ENDS_SCRIPT.sub(r"\\x3c", text))


def policy(styles: Sequence[str], scripts: Sequence[str] = ()) -> Markup:
    """Return the policy of a page that loads nothing and contains exactly these style sheets and scripts."""
    rules = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", f"style-src {_hashes(styles)}"]
    if scripts:
        rules.append(f"script-src {_hashes(scripts)}")
    return own_markup("; ".join(rules))


def _hashes(sources: Sequence[str]) -> str:
    return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'" for source in sources)
