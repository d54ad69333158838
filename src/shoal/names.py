"""What may have been meant by a name that is not known: one function for all closed sets of names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

ALIKE = 0.6  # of 1, by difflib's ratio


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is most like this one, whatever its capitals, dashes and underscores; empty where none is like it."""
    plain = {_plain(one): one for one in reversed(list(known))}
    found = difflib.get_close_matches(_plain(name), plain, n=1, cutoff=ALIKE)
    return plain[found[0]] if found else ""


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """A hint for a name that is not known: the nearest one, and what there is to say in any case."""
    near = nearest(name, known)
    return " ".join(filter(None, (f"did you mean {near}?" if near else "", otherwise)))


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "-").lstrip("-")
