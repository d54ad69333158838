"""What may have been meant by a name that is not known: one function for all closed sets of names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

ALIKE = 0.6  # of 1, by difflib's ratio


def nearest(name: str, known: Iterable[str], alike: float = ALIKE) -> str:
    """The known name that is most like this one, whatever its capitals, dashes and underscores; empty where none is like it."""
    plain = {_plain(one): one for one in reversed(list(known))}
    found = difflib.get_close_matches(_plain(name), plain, n=1, cutoff=alike)
    return plain[found[0]] if found else ""


def several_nearest(name: str, known: Iterable[str], most: int) -> list[str]:
    """The names that are like this one as it is written, the most like first."""
    return difflib.get_close_matches(name, list(known), n=most, cutoff=ALIKE)


def there_are(name: str, known: Iterable[str]) -> str:
    """A hint for a name that is not in a closed set: the nearest of the set, and all of them."""
    names = list(known)
    return did_you_mean(name, names, f"there are {', '.join(names)}")


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "", alike: float = ALIKE) -> str:
    """A hint for a name that is not known: the nearest one, and what there is to say in any case."""
    near = nearest(name, known, alike)
    return " ".join(filter(None, (f"did you mean {near}?" if near else "", otherwise)))


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "-").lstrip("-")
