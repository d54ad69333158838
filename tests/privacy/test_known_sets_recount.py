"""Known sets in hand-made cases: examples, messages about work that is too much, personal and sensitive items."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.chunks import chunk_release
from helpers.errors import refuses
from shoal.data import patience
from shoal.data.bags import Bags
from shoal.data.items import Items
from shoal.data.original import Original
from shoal.data.personal_items import PersonalItems
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.errors import OutOfPatience, ParameterError
from shoal.privacy import AlphaKAnonymity, WordSupport
from shoal.privacy.evidence.affordable_sets import count_affordable_sets
from shoal.privacy.evidence.claimed_item_roles import Roles
from shoal.privacy.evidence.known_sets import AttackerKnowledge, CountedSets, Holders, all_public, count_sets
from shoal.privacy.evidence.personal_sets import Found, PersonalRoles, count_personal_sets, names_of, personal_roles, wishes_of
from shoal.privacy.evidence.sensitive_items import rows_of_records
from shoal.taxonomy.place_terms import as_typed

NOBODY = np.zeros(0, np.int64)


def holders(rows: list[list[str]]) -> Holders:
    return Holders(Bags.from_lists(rows), np.arange(len(rows), dtype=np.int64), NOBODY)


def test_before_anything_is_counted() -> None:
    assert (CountedSets(True).size, CountedSets(True).unsafe, Found().fewest, Found().unsafe) == (0, 0, 0, 0)


def test_the_longest_record() -> None:
    """Counted in public items of the records that are published, the first of them too."""
    for rows, longest in (([["a", "b"], ["c"]], 2), ([["a"], ["b", "c"]], 2), ([["a", "b"]], 2), ([[]], 0), ([], 0)):
        assert holders(rows).longest(all_public(len(holders(rows).published.vocabulary))) == longest
    some = holders([["a", "b"], ["c"]])
    public = np.array([name != "a" for name in some.published.vocabulary.names])
    assert some.longest(Roles(public, ~public)) == 1 and some.longest(Roles(~public | public & False, public)) == 1
    nothing = np.zeros(3, bool)
    assert some.longest(Roles(nothing, ~nothing)) == 0


@pytest.mark.parametrize("n", [5, 6, 9])
def test_at_most_five_examples(n: int) -> None:
    """Of n items that one person has each."""
    rows, knowledge = [[f"i{i}"] for i in range(n)], AttackerKnowledge(2, 1)
    for found in (
        count_sets(holders(rows), all_public(n), knowledge),
        count_affordable_sets(holders(rows), all_public(n), knowledge, [Fraction(1)] * n),
        count_personal_sets(_personal([{i} for i in range(n)], [set()] * n), knowledge, [Fraction(1)] * n),
    ):
        assert (found.unsafe, len(found.examples)) == (n, 5)


def _left(steps: float) -> Any:
    return patience.allowing(steps / patience.STEPS)


def _stopped(items: int, most: int, steps: float) -> tuple[int, str]:
    """The size that was not counted any more in records of so many items, and the message."""
    known = holders([[f"i{i}" for i in range(items)]] * 2)
    with _left(steps), patience.one_judgement(), pytest.raises(OutOfPatience) as raised:
        count_sets(known, all_public(items), AttackerKnowledge(2, most))
    text = str(raised.value)
    for size in range(most + 1):
        remaining = patience.large(sum(comb(items, n) for n in range(size, most + 1)))
        sizes = f"the sets of {size} to {most} items" if size < most else f"the sets of {most} item{'s' if most > 1 else ''}"
        if f"; {sizes}, {remaining} in the longest record alone, were not" in text:
            counted = sum(comb(items, n) for n in range(size))
            unit = "item" if size == 2 else "items"
            assert (f"all {counted:,} sets of up to {size - 1} {unit} were counted and are safe" in text) == (size > 1), text
            return size, text
    raise AssertionError(text)


def test_how_far_counting_came_in_numbers() -> None:
    assert _stopped(60, 30, 10**7)[0] == 3
    assert _stopped(60, 20, 10**6)[0] == 3
    assert _stopped(30_000, 1, 100_000)[0] == 1, "the last size"


def test_too_much_work_is_noticed_before_it_begins() -> None:
    """Four steps at least for each set; if all of them are too many, only a fiftieth of the budget is spent on the first sizes."""
    every = 4 * sum(comb(60, n) for n in range(4))
    assert _stopped(60, 3, every - 1)[0] == 2
    with _left(every + 200_000), patience.one_judgement():
        assert count_sets(holders([[f"i{i}" for i in range(60)]] * 2), all_public(60), AttackerKnowledge(2, 1)).size == 1
    assert _stopped(60, 4, 10**6)[0] == 3, "a quarter of the steps would be enough for one step a set"


# -- private items that differ by person


def _personal(rows: list[set[int]], wishes: list[set[int]]) -> PersonalRoles:
    """The bits of records of one person each."""
    items = set().union(*rows, *wishes)
    having = {item: sum((item in row) << i for i, row in enumerate(rows)) for item in items}
    showing = {
        item: sum((item in row and item not in own) << i for i, (row, own) in enumerate(zip(rows, wishes, strict=True))) for item in items
    }
    wished = {item: sum((item in own) << i for i, own in enumerate(wishes)) for item in items}
    return PersonalRoles(len(rows), *({item: bits for item, bits in of.items() if bits} for of in (having, showing, wished)), NOBODY)


def test_the_first_of_two_items_that_are_equally_certain() -> None:
    rows = [{0, 1, 2}, {0, 1, 2}, {0}]
    for wishes, hidden in (([{1, 2}] * 3, 1), ([{2}] * 3, 2), ([{1}, {2}, {2}], 1)):
        found = count_personal_sets(_personal(rows, wishes), AttackerKnowledge(2, 1, Fraction(1, 2)), [Fraction(1)] * 3)
        assert found.examples[0] == ((), 3, hidden)
        assert found.breach == Fraction(2, 3)


def original_of(rows: list[list[str]], owners: list[int]) -> Original:
    original = as_typed(Bags.from_lists(rows, owners), as_sets=True)
    return replace(original, people=pl.Series([f"u{n}" for n in range(max(owners) + 1)]))


def test_people_of_a_claim_that_are_not_in_the_data() -> None:
    original = original_of([["a"], ["a"]], [0, 1])
    for missing in (1, 2):
        given = PersonalItems.made_of({"u0": ["a"], "u1": ["a"], **{f"v{i}": ["a"] for i in range(missing)}})
        with pytest.raises(ParameterError, match=f"^{missing} people of the claim are not in the data") as raised:
            wishes_of(given, original)
        assert raised.value.code == "people-not-in-data"


def test_bits_of_records() -> None:
    """Records without items are left out; an item that is private for everybody is private in all of them."""
    original = original_of([["a", "x"], [], ["a"], ["b"], ["a", "b", "x"]], [0, 1, 2, 3, 4])
    a, b, x = (original.bags.vocabulary.names.to_list().index(name) for name in "abx")
    private = np.zeros(len(original.bags.vocabulary), bool)
    private[x] = True
    found, changed = personal_roles(original, {a, b, x}, Roles(~private, private), {2: {a}, 1: {b}})
    assert (found.n, found.having, found.owners.tolist()) == (4, {a: 0b1011, b: 0b1100, x: 0b1001}, [])
    assert found.showing == {a: 0b1001, b: 0b1100} and found.wished == {a: 0b0010, x: 0b1111}
    assert not any(changed[item] for item in (a, b, x))
    all_wish = personal_roles(original, {b, x}, Roles(~private, private), {0: {a}, 2: {a}, 4: {a}})[1]
    assert [all_wish[item] for item in (a, b, x)] == [True, False, False]
    again = original_of([["a"], ["a"]], [0, 0])
    twice = personal_roles(again, {0, 1}, all_public(len(again.bags.vocabulary)), {})[0]
    assert twice.owners.tolist() == [0, 0] and twice.held(0b11) == 1


def test_names_of_unsafe_sets() -> None:
    names = Bags.from_lists([["a", "b"]]).vocabulary
    assert names_of((1,), 3, 0, names) == f"{{{names[1]}}} reveals {names[0]!r} too often"
    assert names_of((0, 1), 1, -1, names) == f"{{{names[0]}, {names[1]}}} has only 1 match"
    assert names_of((), 2, -1, names) == "{} has only 2 matches"


# -- sensitive items, words of chunks


def test_sensitive_items_of_records() -> None:
    bags = Bags.from_lists([["a", "flu"], ["a", "cold"], ["a"], ["a"]])
    release = Release.from_records(bags)
    for unknown in (None, Items(), Items(file="items.txt"), Items(digest="x")):
        with refuses("items-not-named"):
            rows_of_records(release, unknown, None)
    for unknown in (Items(), Items(file="items.txt"), Items(digest="x")):
        assert AlphaKAnonymity(alpha=0.5, k=2, items=unknown).check(release).standing == "not checkable"
    tree = Taxonomy.from_parents({"all": None, "illness": "all", "flu": "illness", "cold": "illness", "a": "all"})
    below = AlphaKAnonymity(alpha=0.5, k=2, items=Items(under="illness"))
    assert below.check(release, replace(as_typed(bags), taxonomy=tree)).holds
    with refuses("needs-taxonomy"):
        below.check(release)
    some = AlphaKAnonymity(alpha=0.5, k=2, items=Items(names=frozenset({"flu", "cold", "plague"}))).check(release)
    assert some.holds and "1 of 3 named sensitive items do not occur" in some.notes


def test_words_that_the_original_lacks_belong_to_nobody() -> None:
    verdict = WordSupport(k=2).check(chunk_release((2, [["a", "az"]], "")), as_typed(Bags.from_lists([["a"], ["a"]])))
    assert (verdict.holds, verdict.achieved) == (False, {"people": 0})
