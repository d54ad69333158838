"""How values become text: numbers as people read them, and text that is safe in HTML.

A small number is never rounded to nothing, and names are made harmless. Text is escaped here and nowhere else, for every page, chart and
notebook view. A page has a policy (Content-Security-Policy) that names each of its own scripts and style sheets by its hash, so that a
browser runs no other, whatever a text may contain.
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


# -- HTML


LAYOUT = frozenset("\n\t")  # control characters that a page may hold
_ENDS_SCRIPT = re.compile(r"<(?=/script|!--|script)", re.IGNORECASE)
_IN_BACKTICKS = re.compile(r"`([\w-]+(?: [\w-]+)*)`")  # names of options, commands and columns
_IN_JSON = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "'": "\\u0027"}


def escaped(value: Any) -> Markup:
    """A value as text of a page or of an attribute in quotes. What is markup of our own stays as it is.

    Characters that do not print, turn the direction of what follows, or are half of a surrogate pair are replaced.
    """
    from markupsafe import Markup, escape

    if isinstance(value, Markup):
        return value
    text = str(value)
    if not text.isprintable():
        text = "".join("\N{REPLACEMENT CHARACTER}" if c not in LAYOUT and is_unprintable(c) else c for c in text)
    return escape(text)


def own_markup(text: str) -> Markup:
    """Marks what this package wrote itself, with escaped texts in it, as ready for the page."""
    from markupsafe import Markup

    return Markup(text)


def with_code(text: Any) -> Markup:
    """A sentence of our own as text of a page, with what stands between backticks as code."""
    return own_markup(_IN_BACKTICKS.sub(r"<code>\1</code>", str(escaped(text))))


def json_block(value: Any) -> Markup:
    """A value as JSON inside `<script type="application/json">`: in ASCII, without a character that means anything in HTML."""
    text = json.dumps(value, ensure_ascii=True)
    return own_markup("".join(_IN_JSON.get(c, c) for c in text))


def own_script(text: str) -> Markup:
    """A script of our own, in which nothing ends the element that holds it."""
    return own_markup(_ENDS_SCRIPT.sub(r"\\x3c", text))


def policy(styles: Sequence[str], scripts: Sequence[str] = ()) -> Markup:
    """The policy of a page that loads nothing and has these style sheets and scripts, exactly as they are between their tags."""
    rules = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", f"style-src {_hashes(styles)}"]
    if scripts:
        rules.append(f"script-src {_hashes(scripts)}")
    return own_markup("; ".join(rules))


def _hashes(sources: Sequence[str]) -> str:
    return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'" for source in sources)
