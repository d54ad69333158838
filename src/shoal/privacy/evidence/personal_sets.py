"""Number of people with the itemsets that an attacker may know if private items differ by person; counted without any kernel.

A set is known if all its items are public for somebody who has them. Records are sets of bits, one for each record, in whole numbers of any
length, so that the records with several items are found by `&`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from shoal.data import patience
from shoal.data.bags import Bags, Ints, Vocabulary
from shoal.data.original import Original
from shoal.data.personal_items import PersonalItems
from shoal.data.release import Release
from shoal.errors import ParameterError
from shoal.privacy.evidence.claimed_item_roles import Roles
from shoal.privacy.evidence.known_sets import MOST_WITNESSES, AttackerKnowledge, holders_in
from shoal.util.wording import counted

WHAT = "counting the sets that are public for somebody"
NOT_RECODED = "the published records are not those of the original without some items everywhere"
BITS_A_STEP = 512  # of whole numbers, that are compared in one step


@dataclass(frozen=True, eq=False)
class PersonalRoles:
    """Records as bits: `having` and `showing` have the records that have an item, and those in which it is public for the person.

    `wished` has the records of the people who named an item as private. `owners` is the person of each record, empty if nobody has two.
    """

    n: int
    having: dict[int, int]
    showing: dict[int, int]
    wished: dict[int, int]
    owners: Ints

    def people(self, records: int) -> Ints | None:
        """Return the people of these records; None if each has one record."""
        return np.unique(self.owners[_numbers(records, self.n)]) if len(self.owners) else None

    def held(self, records: int) -> int:
        """Return the number of people with these records."""
        people = self.people(records)
        return records.bit_count() if people is None else len(people)


@dataclass(eq=False)
class Found:
    """What was counted: sets, the fewest people of one, the greatest share of a private item, and unsafe sets."""

    sets: int = 0
    fewest: int = 0
    breach: Fraction = Fraction(0)
    few: int = 0
    telling: int = 0
    examples: list[tuple[tuple[int, ...], int, int]] = field(default_factory=list)  # known items, their people, and the item or -1

    @property
    def unsafe(self) -> int:
        """The number of unsafe sets that contain no other unsafe set of their search."""
        return self.few + self.telling


def count_personal_sets(records: PersonalRoles, knowledge: AttackerKnowledge, costs: Sequence[Fraction]) -> Found:
    """Count every known set whose items cost at most `knowledge.most` together. A set that contains an unsafe one is not counted."""
    items = sorted(item for item in records.showing if costs[item] <= knowledge.most)
    everybody, found = (1 << records.n) - 1, Found()

    def larger(known: _Known) -> Iterator[_Known]:
        for place in range(known.following, len(items)):
            item = items[place]
            patience.spend(1 + records.n // BITS_A_STEP, WHAT)
            spent = known.spent + costs[item]
            if spent <= knowledge.most and (public := known.showing & records.showing[item]):
                yield _Known((*known.items, item), spent, known.having & records.having[item], public, place + 1)

    open_sets = [iter([_Known((), Fraction(0), everybody, everybody, 0)])]
    while open_sets:
        known = next(open_sets[-1], None)
        if known is None:
            open_sets.pop()
        elif not _unsafe(records, knowledge, found, known):
            open_sets.append(larger(known))
    return found


@dataclass(frozen=True, eq=False)
class _Known:
    """A known set, what its items cost, the records that have them and in which they are public, and the place of the following item."""

    items: tuple[int, ...]
    spent: Fraction
    having: int
    showing: int
    following: int


def _unsafe(records: PersonalRoles, knowledge: AttackerKnowledge, found: Found, known: _Known) -> bool:
    """Count one known set. Return whether it is unsafe."""
    having, people = known.having, records.held(known.having)
    found.fewest = people if not found.sets else min(found.fewest, people)
    found.sets += 1
    hidden, share = -1, Fraction(0)
    for item, by in records.wished.items():
        patience.spend(1 + records.n // BITS_A_STEP, WHAT)
        if item not in known.items and known.showing & by:
            both = having & records.having.get(item, 0)
            here = max(Fraction(both.bit_count(), having.bit_count()), Fraction(records.held(both), people))
            hidden, share = (item, here) if here > share else (hidden, share)
    found.breach = max(found.breach, share)
    few, telling = people < knowledge.k, share > knowledge.share
    found.few, found.telling = found.few + few, found.telling + (telling and not few)
    if (few or telling) and len(found.examples) < MOST_WITNESSES:
        found.examples.append((known.items, people, -1 if few else hidden))
    return few or telling


# -- records of the original, of which a release has all but some items


def wishes_of(wishes: PersonalItems, original: Original) -> dict[int, set[int]]:
    """Return the numbers of the items that each person named, by the number of the person. Raise for names that are not in the data."""
    if wishes.pairs is None or original.people is None:
        raise ParameterError("private items that differ by person need user IDs", code="no-user-ids")
    named: dict[str, set[str]] = {}
    for person, item in wishes.pairs:
        named.setdefault(person, set()).add(item)
    codes = {name: code for code, name in enumerate(original.bags.vocabulary.names.to_list())}
    ids = original.people.to_list()
    found = {owner: named[ids[owner]] for owner in set(original.bags.owners.tolist()) if ids[owner] in named}
    if len(found) < len(named):
        missing = len(named) - len(found)
        raise ParameterError(f"{missing:,} people of the claim are not in the data", code="people-not-in-data", value=missing)
    strange = {item for items in named.values() for item in items} - codes.keys()
    if strange:
        raise ParameterError(f"{len(strange):,} items of the claim are not in the data", code="items-not-in-data")
    return {owner: {codes[item] for item in items} for owner, items in found.items()}


def personal_roles(original: Original, shown: set[int], roles: Roles, wishes: dict[int, set[int]]) -> tuple[PersonalRoles, list[bool]]:
    """Return the non-empty records of the original with the published items, and which public items are private for all who have them."""
    having: dict[int, list[int]] = {}
    showing: dict[int, list[int]] = {}
    wished: dict[int, list[int]] = {}
    everybodys = np.flatnonzero(roles.private).tolist()
    public, bags = roles.public.tolist(), original.bags
    open_to_some = [False] * len(public)
    owners: list[int] = []
    starts, items = bags.indptr.tolist(), bags.items.tolist()
    for record, owner in enumerate(bags.owners.tolist()):
        held = items[starts[record] : starts[record + 1]]
        if not held:
            continue
        own, number = wishes.get(owner, set()), len(owners)
        owners.append(owner)
        for item in held:
            known = public[item] and item not in own
            open_to_some[item] |= known
            if item in shown:
                having.setdefault(item, []).append(number)
                if known:
                    showing.setdefault(item, []).append(number)
        for item in own:
            wished.setdefault(item, []).append(number)
    n = len(owners)
    has, shows, wishing = ({item: _bits(numbers, n) for item, numbers in lists.items()} for lists in (having, showing, wished))
    wishing |= dict.fromkeys(everybodys, (1 << n) - 1)
    repeated = len(set(owners)) < n
    return PersonalRoles(n, has, shows, wishing, np.array(owners if repeated else [], np.int64)), [
        known and not some for known, some in zip(public, open_to_some, strict=True)
    ]


def not_recoded(original: Original, release: Release, shown: set[int]) -> list[str]:
    """Return a fault unless the published records are the non-empty ones of the original, each without the items that nobody publishes."""
    expected = Counter(tuple(item for item in row if item in shown) for row in _rows(original.bags) if row)
    published = Counter[tuple[int, ...]]()
    for row, copies in zip(_rows(release.published), release.copies.tolist(), strict=True):
        published[tuple(row)] += copies
    return [] if expected == published else [NOT_RECODED]


def _rows(bags: Bags) -> Iterator[list[int]]:
    starts, items = bags.indptr.tolist(), bags.items.tolist()
    return (sorted(items[starts[row] : starts[row + 1]]) for row in range(len(bags)))


# -- records of which nobody knows what is private


def any_roles(release: Release, roles: Roles) -> PersonalRoles:
    """Return published records as if every item were private for some who do not have it, and public for all who have it."""
    holders = holders_in(release, None)
    rows = list(_rows(holders.published))
    having: dict[int, list[int]] = {}
    for number, row in enumerate(holders.row.tolist()):
        for item in rows[row]:
            having.setdefault(item, []).append(number)
    n = len(holders.row)
    bits = {item: _bits(numbers, n) for item, numbers in having.items()}
    showing = {item: numbers for item, numbers in bits.items() if roles.public[item]}
    return PersonalRoles(n, bits, showing, dict.fromkeys(bits, (1 << n) - 1), holders.owners)


def certainly_unsafe(records: PersonalRoles, roles: Roles, knowledge: AttackerKnowledge) -> list[str]:
    """Return what is unsafe whatever people chose: too few of them, or an item that is private for everybody and too frequent."""
    everybody = (1 << records.n) - 1
    if (people := records.held(everybody)) < knowledge.k:
        return [f"there are {people:,} records or people, fewer than k"]
    private = [records.having[item] for item in np.flatnonzero(roles.private).tolist() if item in records.having]
    often = sum(Fraction(numbers.bit_count(), records.n) > knowledge.share for numbers in private)
    return [f"{often:,} items that are private for everybody are too frequent"] if often else []


def names_of(known: tuple[int, ...], people: int, hidden: int, names: Vocabulary) -> str:
    """Describe an unsafe set by names, for the person who has the original."""
    chosen = "{" + ", ".join(names[item] for item in known) + "}"
    return f"{chosen} has only {counted(people, 'match', 'matches')}" if hidden < 0 else f"{chosen} reveals {names[hidden]!r} too often"


def _bits(numbers: list[int], n: int) -> int:
    """Return a whole number with these bits set."""
    mask = np.zeros(n, np.uint8)
    mask[numbers] = 1
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")


def _numbers(bits: int, n: int) -> Ints:
    """Return the numbers of the bits that are set."""
    content = np.frombuffer(bits.to_bytes((n + 7) // 8, "little"), np.uint8)
    return np.flatnonzero(np.unpackbits(content, bitorder="little"))
