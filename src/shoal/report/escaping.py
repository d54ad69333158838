"""Text on its way into HTML: the only place where it is escaped, for every page, chart and notebook view.

A page has a policy (Content-Security-Policy) that names each of its own scripts and style sheets by its hash, so that a browser runs no
other, whatever a text may contain.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shoal.report.number_format import is_unprintable

if TYPE_CHECKING:
    from markupsafe import Markup

LAYOUT = frozenset("\n\t")  # control characters that a page may hold
_ENDS_SCRIPT = re.compile(r"<(?=/script|!--|script)", re.IGNORECASE)
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


def json_block(value: Any) -> Markup:
    """A value as JSON inside `<script type="application/json">`: in ASCII, without a character that means anything in HTML."""
    text = json.dumps(value, ensure_ascii=True)
    return own_markup("".join(_IN_JSON.get(c, c) for c in text))


def own_script(text: str) -> Markup:
    """A script of our own, in which nothing ends the element that holds it."""
    return own_markup(_ENDS_SCRIPT.sub(r"\\x3c", text))


def policy(styles: Sequence[str], scripts: Sequence[str] = (), *, style_attributes: bool = False) -> Markup:
    """The policy of a page that loads nothing and has these style sheets and scripts, exactly as they are between their tags."""
    rules = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", f"style-src {_hashes(styles)}"]
    if style_attributes:  # a style attribute runs nothing; a library sets some of its own
        rules += [f"style-src-elem {_hashes(styles)}", "style-src-attr 'unsafe-inline'"]
    if scripts:
        rules.append(f"script-src {_hashes(scripts)}")
    return own_markup("; ".join(rules))


def _hashes(sources: Sequence[str]) -> str:
    return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'" for source in sources)
