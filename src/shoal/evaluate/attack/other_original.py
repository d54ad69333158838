"""Checks whether an original is the one of a release: attack rates with another one are meaningless.

A manifest that records the numbers of people, records and items decides it. Otherwise published records are compared with the original:
each generalizes at least one original record, unless the method adds items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from shoal.data.bags import Bags, Ints
from shoal.data.original import AnyOriginal, Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.errors import InputError, ReleaseWarning
from shoal.util.wording import counted

COUNTED = {"owners": "people", "records": "records", "rows": "rows", "items": "distinct items", "occurrences": "items"}
TRIED = 50  # published records that are looked for in the original
MOST_OCCURRENCES = 5_000_000  # of an original in which they are looked for


def insist_on_same_original(manifest: Mapping[str, Any] | None, facts: Mapping[str, Any]) -> None:
    """Raise if the manifest of a release records other numbers of its input than this input has.

    Raises:
        InputError: The numbers differ.
    """
    recorded = manifest["input"] if manifest else {}
    for name, noun in COUNTED.items():
        stated, found = recorded.get(name), facts.get(name)
        if isinstance(stated, int) and isinstance(found, int) and stated != found:
            raise InputError(
                f"the release was not made from this original: its manifest records {stated:,} {noun}, but the original has {found:,}",
                code="release-not-of-original",
                hint="name the file that the release was made from, with the same options",
                stated=stated,
                found=found,
            )


def strange_records(release: Release, original: AnyOriginal) -> Iterator[ReleaseWarning]:
    """Return a warning if published records generalize no original record; both must be in the same vocabulary."""
    if not isinstance(original, Original) or not release.of_records or release.adds_items:
        return
    if original.bags.occurrences > MOST_OCCURRENCES:
        return
    published = release.published
    filled = np.flatnonzero((published.lengths > 0) & (release.copies > 0))
    tried = filled[np.linspace(0, len(filled) - 1, min(TRIED, len(filled)), dtype=np.int64)]
    strange = sum(not _generalizes_one(published, int(row), original.bags, original.tree) for row in tried)
    if strange:
        text = f"{strange:,} of {counted(len(tried), 'published record')} generalize no record of the original"
        yield ReleaseWarning("other-original", f"{text}: the release may not have been made from it, and the rates mean nothing then")


def _generalizes_one(published: Bags, row: int, bags: Bags, tree: Taxonomy) -> bool:
    """Whether some record has, for every item of a published record, that item or one below it."""
    holds = np.ones(len(bags), bool)
    for item in published.items[published.indptr[row] : published.indptr[row + 1]].tolist():
        holds &= _holders(bags, item, int(tree.end[item]))
    return bool(holds.any())


def _holders(bags: Bags, first: int, end: int) -> Ints:
    """Return which records have an item from `first` up to `end`."""
    at = np.concatenate([[0], np.cumsum((bags.items >= first) & (bags.items < end))])
    return np.asarray(at[bags.indptr[1:]] > at[bags.indptr[:-1]])
