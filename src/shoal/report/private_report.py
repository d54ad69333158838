"""The private page: a few records as typed, next to what is published for them. Only for the publisher.

It contains no user ID, but what people typed; so it is never part of a release (`PrivateFile` in `io/atomic_file.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.bags import Bags, Ints
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.report.facts import information_of
from shoal.report.formatting import count, name
from shoal.report.page import template

MOST_PAIRS = 3  # of each sort
MOST_WORDS = 40  # of a record


@dataclass(frozen=True)
class Side:
    """A record before or after: its items with counts above one, and the number of further items."""

    items: tuple[tuple[str, str], ...]
    more: str


@dataclass(frozen=True)
class Pair:
    """One record as typed, and as published."""

    before: Side
    after: Side


def render_private(release: Release, original: Original) -> str:
    """Render the page of a new release: for one read from a file the record-to-group mapping is not known."""
    assert release.secret is not None
    rows, published = release.secret.rows(), original.aligned(release).published
    chosen = _chosen(rows, published, original)
    pairs = [(heading, [_pair(original, published, i, int(rows[i])) for i in records]) for heading, records in chosen]
    return template("private.html").render(pairs=pairs)


def _chosen(rows: Ints, published: Bags, original: Original) -> list[tuple[str, list[int]]]:
    """Choose records of which most, a medium part and least is kept, without duplicates."""
    order = original.bags.content_order()
    shown = order[rows[order] >= 0]
    ranked = shown[np.argsort(-information_of(published, original.tree)[rows[shown]], kind="stable")].tolist()
    middle = len(ranked) // 2
    sorts = {"Most specific": ranked[:MOST_PAIRS], "Typical": ranked[middle : middle + MOST_PAIRS], "Least specific": ranked[-MOST_PAIRS:]}
    seen: set[int] = set()
    chosen = []
    for heading, records in sorts.items():
        fresh = [record for record in records if record not in seen]
        seen.update(fresh)
        chosen += [(heading, fresh)] if fresh else []
    return chosen


def _pair(original: Original, published: Bags, record: int, row: int) -> Pair:
    return Pair(_side(original.typed, record), _side(published, row))


def _side(records: Bags, row: int) -> Side:
    items = sorted(records.record(row).items())
    shown = tuple((name(text), count(n) if n > 1 else "") for text, n in items[:MOST_WORDS])
    more = len(items) - len(shown)
    return Side(shown, count(more) if more else "")
