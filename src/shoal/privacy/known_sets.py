"""How many people hold the sets of items that an attacker may know, counted from the published records by a kernel that no method calls."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal import _kernels, kernels
from shoal.data.bags import Ints
from shoal.data.release import Release
from shoal.privacy.roles import Roles

if TYPE_CHECKING:
    from shoal.data.original import Original

MOST_WITNESSES = 5
MOST_KNOWN = 10_000  # items that an attacker may know: kernels reserve room for so many


@dataclass(frozen=True)
class Knowledge:
    """At most `most` items are known; fewer than `k` people who hold them are too few, and a private item beyond `share` is too certain."""

    k: int
    most: int
    share: Fraction = Fraction(1)


@dataclass(frozen=True)
class Counted:
    """What was found of all sets of up to `size` public items."""

    people: bool
    size: int = 0
    sets: int = 0
    fewest: int = 0
    breach: Fraction = Fraction(0)
    few: int = 0
    telling: int = 0
    examples: tuple[Any, ...] = ()

    @property
    def unsafe(self) -> int:
        """Sets that tell too much, all of the largest size that was counted."""
        return self.few + self.telling

    @property
    def level(self) -> dict[str, int]:
        """The fewest people behind any set, or the fewest records where people are not known."""
        return {"people" if self.people else "records": self.fewest}

    def with_level(self, size: int, level: dict[str, Any]) -> Counted:
        """With the sets of this size too."""
        if not level["counted"]:
            return self
        return Counted(
            people=self.people,
            size=size,
            sets=self.sets + level["counted"],
            fewest=min(self.fewest, level["fewest"]) if self.sets else level["fewest"],
            breach=max(self.breach, Fraction(level["holders"], level["cohort"])),
            few=level["few"],
            telling=level["telling"],
            examples=tuple(level["examples"]),
        )


def count_known_sets(release: Release, original: Original | None, roles: Roles, knowledge: Knowledge) -> Counted:
    """Sets of no item, of one, of two, and so on. Where some of a size are unsafe the claim is broken, and the count ends."""
    row, owners = _shown(release, original)
    masks = roles.public.astype(np.uint8), roles.private.astype(np.uint8)
    counted = Counted(people=len(owners) > 0)
    for size in range(min(knowledge.most, len(roles.public)) + 1):
        question = _kernels.SetQuestion(
            size=size,
            k=knowledge.k,
            h_numerator=knowledge.share.numerator,
            h_denominator=knowledge.share.denominator,
            most_examples=MOST_WITNESSES,
        )
        arguments = release.published.view, row, owners, *masks, question, kernels.threads()
        level = kernels.run(_kernels.known_sets, *arguments, label="counting known sets")
        counted = counted.with_level(size, level)
        if counted.unsafe or not level["counted"]:
            break
    return counted


def repeated_items(release: Release) -> list[str]:
    """That an item is repeated in its record: sets of items are counted, and how often one is there would be knowledge too."""
    repeated = int(((release.published.counts > 1) * np.repeat(release.copies, np.diff(release.published.indptr))).sum())
    return [f"{repeated:,} items are repeated in their record, and how often is knowledge too"] if repeated else []


def items(n: int) -> str:
    """The word after a number of items."""
    return "item" if n == 1 else "items"


def _shown(release: Release, original: Original | None) -> tuple[Ints, Ints]:
    """The published row of every record, and the records' owners, by which they are sorted; no owners where none has two records."""
    nobody = np.zeros(0, np.int64)
    if original is None or release.secret is None:
        return np.repeat(np.arange(len(release.published), dtype=np.int64), release.copies), nobody
    rows = release.secret.rows()
    shown = np.flatnonzero(rows >= 0)
    owners = original.bags.owners[shown]
    order = np.argsort(owners, kind="stable")
    owners = owners[order]
    return rows[shown][order], owners if (owners[1:] == owners[:-1]).any() else nobody
