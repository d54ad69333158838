"""A made-up taxonomy for items that have none: a balanced tree of given fan-out over the sorted item names.

Neighbours in the order of names share a parent, so it only means something where names do (codes, dates,
prices). It depends on the set of names alone, never on the order in which the data brings them.

An inner node is named by the places of its items in that order and not by the items at its ends: those may be
what one person alone has, and a name of a node may be published.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from shoal.data.bags import Vocabulary
from shoal.data.node_loss import DEFAULT_LOSS
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError, TaxonomyError
from shoal.parameters import insist_on_text

ROOT = "(any item)"

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")


def generated(vocabulary: Vocabulary | Iterable[str], fanout: int = 5, loss: str = DEFAULT_LOSS) -> Taxonomy:
    """Items become leaves; an inner node has at most `fanout` children and says which places its items have."""
    insist_on_text("loss", loss)
    if isinstance(fanout, bool) or not isinstance(fanout, int):
        raise ParameterError(f"fanout must be a whole number, not {fanout!r}", code="wrong-type", argument="fanout")
    if fanout < 2:
        raise ParameterError(f"the fan-out must be at least 2, not {fanout}", code="out-of-range", value=fanout, limit=2)
    leaves = _sorted(vocabulary.names if isinstance(vocabulary, Vocabulary) else _texts(vocabulary))
    if not leaves:
        raise TaxonomyError("there are no items to build a taxonomy from", code="no-items")
    taken = set(leaves)
    parents: dict[str, str | None] = {}
    level = [_Span(name, i, i) for i, name in enumerate(leaves)]
    spans = list(level)
    while len(level) > fanout:
        level = [_joined(level[a:b], len(leaves), parents, taken) for a, b in _cuts(len(level), fanout)]
        spans += [span for span in level if span.first < span.last]
    root = _fresh(ROOT, taken)
    parents.update({span.node: root for span in level})
    ordered = {span.node: parents[span.node] for span in sorted(spans, key=lambda span: span.first)}
    return Taxonomy.from_parents({root: None, **ordered}, loss)


class _Span(NamedTuple):
    node: str
    first: int
    last: int


def _texts(names: Any) -> list[str]:
    """Return the names, each of which must be a text."""
    if not isinstance(names, Iterable):
        what = f"vocabulary is several names, not a value of type {type(names).__name__}"
        raise ParameterError(what, code="wrong-type", argument="vocabulary")
    found = list(names)
    for name in found:
        insist_on_text("a name of the vocabulary", name)
    return found


def _sorted(names: Iterable[str]) -> list[str]:
    distinct = set(names)
    if all(_WHOLE_NUMBER.fullmatch(name) for name in distinct):
        return sorted(distinct, key=_as_number)
    return sorted(distinct)


def _as_number(name: str) -> tuple[bool, int, str, str]:
    """Sorts numerals of any length by value, without making numbers of them; equal values by spelling."""
    negative, digits = name.startswith("-"), name.lstrip("+-").lstrip("0")
    negative = negative and bool(digits)
    size = -len(digits) if negative else len(digits)
    turned = digits.translate(str.maketrans("0123456789", "9876543210")) if negative else digits
    return not negative, size, turned, name


def _cuts(n: int, fanout: int) -> list[tuple[int, int]]:
    """As few runs of at most `fanout` as will do, of sizes that differ by one at most."""
    runs = -(-n // fanout)
    bounds = np.linspace(0, n, runs + 1).astype(int).tolist()
    return list(pairwise(bounds))


def _joined(run: list[_Span], n: int, parents: dict[str, str | None], taken: set[str]) -> _Span:
    if len(run) == 1:  # a parent of one child would tell nothing new
        return run[0]
    first, last = run[0].first, run[-1].last
    name = _fresh(f"(items {first + 1} to {last + 1} of {n})", taken)
    parents.update({span.node: name for span in run})
    return _Span(name, first, last)


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name = f"({name})"
    taken.add(name)
    return name
