"""Text from files, data and manifests as a terminal may show it: control characters are written out instead.

An item may hold the escape sequences with which a program moves the cursor, colours and overwrites lines, or characters that reorder or
hide what stands beside them; printed as they are, they could put any verdict on the screen.
"""

from __future__ import annotations

import unicodedata

# Controls, invisible format characters (bidirectional overrides, zero width), halves of surrogate pairs, line and paragraph separators.
STEERING = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def visible(text: str) -> str:
    """The text with every control character written as \\x1b or \\u202e."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_written_out(c) if unicodedata.category(c) in STEERING else c for c in text)


def _written_out(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
