"""Number of people with the itemsets that an attacker may know, counted from the published records by a kernel that no method calls."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal import _kernels, kernels
from shoal.data import patience
from shoal.data.bags import Bags, Ints
from shoal.data.release import Release
from shoal.errors import OutOfPatience
from shoal.privacy.evidence.claimed_item_roles import Roles

if TYPE_CHECKING:
    from shoal.data.original import Original

MOST_WITNESSES = 5
PEOPLE_NOT_COUNTED = "people have several records; records were counted, because files do not contain user IDs"
MOST_KNOWN = 10_000  # items that an attacker may know
STEPS_A_SET = 4  # at least, for each set that is counted


@dataclass(frozen=True)
class AttackerKnowledge:
    """Attacker knowledge: at most `most` items; fewer than `k` people is too few, and a private item above `share` is too certain."""

    k: int
    most: int
    share: Fraction = Fraction(1)


@dataclass(frozen=True)
class CountedSets:
    """Results of counting all sets of up to `size` public items."""

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
        """The number of unsafe sets, all of the largest counted size."""
        return self.few + self.telling

    @property
    def level(self) -> dict[str, int]:
        """The minimum number of people per set, or of records if people are not known."""
        return {"people" if self.people else "records": self.fewest}

    def with_level(self, size: int, level: dict[str, Any]) -> CountedSets:
        """Return these results with the sets of this size added."""
        if not level["counted"]:
            return self
        return CountedSets(
            people=self.people,
            size=size,
            sets=self.sets + level["counted"],
            fewest=min(self.fewest, level["fewest"]) if self.sets else level["fewest"],
            breach=max(self.breach, Fraction(level["holders"], level["cohort"])),
            few=level["few"],
            telling=level["telling"],
            examples=tuple(level["examples"]),
        )


@dataclass(frozen=True, eq=False)
class Holders:
    """The published row of every record, sorted by the users of the records; without users if nobody owns two of them."""

    published: Bags
    row: Ints
    owners: Ints

    def count(self, size: int, roles: Roles, knowledge: AttackerKnowledge, most_examples: int = MOST_WITNESSES) -> dict[str, Any]:
        """Count all sets of this size."""
        question = _kernels.SetQuestion(
            size=size,
            k=knowledge.k,
            h_numerator=knowledge.share.numerator,
            h_denominator=knowledge.share.denominator,
            most_examples=most_examples,
        )
        masks = roles.public.astype(np.uint8), roles.private.astype(np.uint8)
        arguments = self.published.view, self.row, self.owners, *masks, question, kernels.threads()
        what = f"counting the sets of {size:,} {items(size)}"
        found: dict[str, Any] = patience.run(_kernels.known_sets, *arguments, label="counting known sets", what=what)
        return found

    def longest(self, roles: Roles) -> int:
        """Return the number of public items in the longest record."""
        public = np.append(0, np.cumsum(roles.public[self.published.items]))
        lengths = public[self.published.indptr[1:]] - public[self.published.indptr[:-1]]
        return int(lengths[self.row].max(initial=0))


def all_public(n: int) -> Roles:
    """Return roles in which every item may be known and none is private."""
    return Roles(np.ones(n, bool), np.zeros(n, bool))


def count_known_sets(release: Release, original: Original | None, roles: Roles, knowledge: AttackerKnowledge) -> CountedSets:
    """Count sets of zero, one, two and more items. Counting stops at the first size with unsafe sets, because the claim fails."""
    return count_sets(holders_in(release, original), roles, knowledge)


def count_sets(holders: Holders, roles: Roles, knowledge: AttackerKnowledge) -> CountedSets:
    """Do the same for any records whose users are known."""
    counted, longest = CountedSets(people=len(holders.owners) > 0), holders.longest(roles)
    last = min(knowledge.most, longest)
    if (left := patience.steps_left()) is not None and _sets_of_one(longest, 0, last) * STEPS_A_SET > left:
        patience.curtail()  # small sets may still break the claim, which is soon found
    for size in range(last + 1):
        try:
            _insist_on_patience(size, longest)
            level = holders.count(size, roles, knowledge)
        except OutOfPatience as stopped:
            raise OutOfPatience(
                f"{_how_far(counted, size, last, longest)}: {stopped.marked_message}", code=stopped.code, hint=stopped.marked_hint
            ) from None
        counted = counted.with_level(size, level)
        if counted.unsafe or not level["counted"]:
            break
    return counted


def _insist_on_patience(size: int, longest: int) -> None:
    """Raise, before the work, if the longest record alone has too many sets."""
    left, least = patience.steps_left(), comb(longest, size) * STEPS_A_SET
    if left is not None and least > left:
        needed = f"takes at least {patience.large(least)} steps, and {patience.large(left)} are left"
        what = f"counting the sets of {size:,} {items(size)} {needed}"
        raise OutOfPatience(what, code="too-much-work", hint=patience.advice())


def _sets_of_one(length: int, first: int, last: int) -> int:
    """Return the number of sets of `first` to `last` items of a record of this length."""
    total, of_size = 0, comb(length, first)
    for size in range(first, last + 1):
        total, of_size = total + of_size, of_size * (length - size) // (size + 1)
    return total


def _how_far(counted: CountedSets, size: int, last: int, longest: int) -> str:
    """Describe what was counted before the budget was exhausted, and how many sets remain at least."""
    remaining = _sets_of_one(longest, size, last)
    done = (
        f"all {counted.sets:,} sets of up to {size - 1:,} {items(size - 1)} were counted and are safe"
        if size > 1
        else "nothing was counted"
    )
    sizes = f"{size:,} to {last:,}" if last > size else f"{size:,}"
    return f"{done}; the sets of {sizes} {items(last)}, {patience.large(remaining)} in the longest record alone, were not"


def repeated_items(release: Release) -> list[str]:
    """Return a fault if an item is repeated in its record: sets are counted, but multiplicities would be knowledge too."""
    repeated = int(((release.published.counts > 1) * np.repeat(release.copies, np.diff(release.published.indptr))).sum())
    return [f"{repeated:,} items are repeated in their record, but the number of repetitions is knowledge too"] if repeated else []


def items(n: int) -> str:
    """Return `item` or `items` for a number."""
    return "item" if n == 1 else "items"


def holders_in(release: Release, original: Original | None) -> Holders:
    """Return the users of the records: from the original, or those that the published file names, if it does."""
    published, nobody = release.published, np.zeros(0, np.int64)
    if original is not None and release.secret is not None:
        every = release.secret.rows()
        shown = np.flatnonzero(every >= 0)
        rows, owners = every[shown], original.bags.owners[shown]
    else:
        rows = np.repeat(np.arange(len(published), dtype=np.int64), release.copies)
        if not published.owners_repeat:
            return Holders(published, rows, nobody)
        owners = published.owners[rows]
    order = np.argsort(owners, kind="stable")
    owners = owners[order]
    return Holders(published, rows[order], owners if (owners[1:] == owners[:-1]).any() else nobody)
