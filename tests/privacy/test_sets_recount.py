"""Counting of known sets against plain Python: every number that a judge derives from them, for all items, roles, costs and people."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.data import TABLE_5_1, food, on, on_nodes
from helpers.errors import refuses
from shoal.data import patience
from shoal.data.bags import Bags, Vocabulary
from shoal.data.items import Items
from shoal.data.original import Original
from shoal.data.personal_items import PersonalItems
from shoal.data.release import Release, Secret
from shoal.errors import OutOfPatience
from shoal.privacy import AlphaKAnonymity, Coherence, KmAnonymity, PublicKAnonymity, RhoUncertainty
from shoal.privacy.evidence.affordable_sets import count_affordable_sets
from shoal.privacy.evidence.claimed_item_roles import Roles, roles_of, sensitive_items
from shoal.privacy.evidence.file_strength import strength_of
from shoal.privacy.evidence.global_recoding import recoding_defects
from shoal.privacy.evidence.known_sets import AttackerKnowledge, CountedSets, Holders, count_sets, repeated_items
from shoal.privacy.evidence.personal_sets import PersonalRoles, any_roles, certainly_unsafe, count_personal_sets
from shoal.taxonomy.place_terms import as_typed

Known = tuple[int, ...]


@dataclass
class Data:
    """Records of numbered items, the person of each, and which items are public and private."""

    rows: list[set[int]]
    owners: list[int]
    public: list[int]
    private: list[int]
    n: int

    @property
    def repeat(self) -> bool:
        return len(set(self.owners)) < len(self.owners)

    @property
    def roles(self) -> Roles:
        masks = [np.isin(np.arange(self.n), some) for some in (self.public, self.private)]
        return Roles(*masks)

    @property
    def holders(self) -> Holders:
        order = np.argsort(self.owners, kind="stable")
        bags = Bags.from_lists([[f"i{item}" for item in range(self.n)], *([f"i{i}" for i in sorted(row)] for row in self.rows)])
        bags = bags.select(np.arange(1, len(self.rows) + 1))
        return Holders(bags, order, np.array(self.owners)[order] if self.repeat else np.zeros(0, np.int64))

    def cohort(self, known: Known) -> tuple[list[int], int]:
        """The records with these items, and the number of their people."""
        found = [i for i, row in enumerate(self.rows) if row >= set(known)]
        return found, len({self.owners[i] for i in found}) if self.repeat else len(found)

    def share(self, known: Known, private: Sequence[int]) -> Fraction:
        """The greatest share of a private item, by records or by people."""
        cohort, people = self.cohort(known)
        shares = [Fraction(0)]
        for item in private:
            having = [i for i in cohort if item in self.rows[i]]
            shares.append(Fraction(len(having), len(cohort)))
            shares.append(Fraction(len({self.owners[i] for i in having}) if self.repeat else len(having), people))
        return max(shares)


def drawn(rng: random.Random, most: int = 10) -> Data:
    n, size = rng.randint(2, 5), rng.randint(1, most)
    density = rng.choice([0.3, 0.6, 0.9])
    rows = [{item for item in range(n) if rng.random() < density} for _ in range(size)]
    owners = [rng.choice([0, i + 1]) for i in range(size)] if rng.random() < 0.5 else list(range(size))
    roles = [rng.choice(["public", "public", "private", "other"]) for _ in range(n)]
    return Data(rows, owners, *([i for i in range(n) if roles[i] == role] for role in ("public", "private")), n)


def known_sets(data: Data, most: int) -> Iterator[list[Known]]:
    """The public sets that occur, by size."""
    for size in range(most + 1):
        found = [known for known in combinations(data.public, size) if data.cohort(known)[0]]
        if not found:
            return
        yield found


def expected(data: Data, knowledge: AttackerKnowledge, levels: Iterator[list[Known]], *, of_few: bool) -> tuple[CountedSets, list[Known]]:
    """The results, and all unsafe sets of the first size that has some; `of_few`: whether sets of too few people have a share too."""
    found, unsafe = CountedSets(people=data.repeat), []
    for size, level in enumerate(levels):
        people = [data.cohort(known)[1] for known in level]
        shares = [data.share(known, data.private) for known in level]
        few = [n < knowledge.k for n in people]
        telling = [share > knowledge.share and not rare for share, rare in zip(shares, few, strict=True)]
        fewest = min(people) if not found.sets else min(found.fewest, *people)
        breach = max([found.breach, *(share for share, rare in zip(shares, few, strict=True) if of_few or not rare)])
        found = CountedSets(data.repeat, size, found.sets + len(level), fewest, breach, sum(few), sum(telling))
        unsafe = [known for known, a, b in zip(level, few, telling, strict=True) if a or b]
        if unsafe:
            break
    return found, unsafe


def check_examples(data: Data, knowledge: AttackerKnowledge, examples: Sequence[Any], unsafe: list[Known]) -> None:
    """Examples are different unsafe sets, at most five, with their people and the item that they reveal."""
    chosen = [tuple(sorted(int(item) for item in example[0])) for example in examples]
    assert len(set(chosen)) == len(chosen) == min(5, len(unsafe)) and set(chosen) <= set(unsafe)
    for known, (_, people, hidden, *share) in zip(chosen, examples, strict=True):
        n = data.cohort(known)[1]
        assert people == n
        assert (hidden < 0) == (n < knowledge.k)
        if hidden >= 0:
            assert data.share(known, [hidden]) == data.share(known, data.private) == Fraction(*share)


KNOWLEDGE = [(1, 2, "1"), (2, 1, "1/2"), (2, 2, "1/3"), (3, 2, "1/2"), (2, 3, "2/3"), (2, 0, "1/2")]


@pytest.mark.parametrize(("k", "most", "share"), KNOWLEDGE)
def test_all_known_sets(k: int, most: int, share: str) -> None:
    rng, knowledge = random.Random(f"{k}{most}{share}"), AttackerKnowledge(k, most, Fraction(share))
    for _ in range(40):
        data = drawn(rng)
        found = count_sets(data.holders, data.roles, knowledge)
        plain, unsafe = expected(data, knowledge, known_sets(data, most), of_few=False)
        assert replace(found, examples=()) == plain
        assert found.unsafe == len(unsafe)
        check_examples(data, knowledge, found.examples, unsafe)


@pytest.mark.parametrize(("k", "most", "share"), KNOWLEDGE)
def test_sets_within_a_budget(k: int, most: int, share: str) -> None:
    rng, knowledge = random.Random(f"{k}{most}{share}costs"), AttackerKnowledge(k, most, Fraction(share))
    for _ in range(40):
        data = drawn(rng)
        costs = [Fraction(rng.choice(["1/2", "1", "3/2", "1/3", "2", "9"])) for _ in range(data.n)]
        found = count_affordable_sets(data.holders, data.roles, knowledge, costs)
        levels = [[known for known in level if sum(costs[i] for i in known) <= most] for level in known_sets(data, data.n)]
        plain, unsafe = expected(data, knowledge, (level for level in levels if level), of_few=True)
        assert replace(found, examples=()) == plain
        check_examples(data, knowledge, found.examples, unsafe)


# -- private items that differ by person


def personal(data: Data, wishes: list[set[int]]) -> PersonalRoles:
    """Bits by definition: a wish belongs to a record's person."""
    bits = {name: dict.fromkeys(range(data.n), 0) for name in ("having", "showing", "wished")}
    for i, row in enumerate(data.rows):
        for item in range(data.n):
            bits["having"][item] |= (item in row) << i
            bits["showing"][item] |= (item in row and item in data.public and item not in wishes[i]) << i
            bits["wished"][item] |= (item in wishes[i] or item in data.private) << i
    having, showing, wished = ({item: of for item, of in bits[name].items() if of} for name in ("having", "showing", "wished"))
    return PersonalRoles(len(data.rows), having, showing, wished, np.array(data.owners if data.repeat else [], np.int64))


@pytest.mark.parametrize(("k", "most", "share"), KNOWLEDGE)
def test_sets_that_are_public_for_somebody(k: int, most: int, share: str) -> None:
    """Depth first: a set is counted if no beginning of it is unsafe."""
    rng, knowledge = random.Random(f"{k}{most}{share}own"), AttackerKnowledge(k, most, Fraction(share))
    for _ in range(40):
        data = drawn(rng)
        own = {owner: {item for item in range(data.n) if rng.random() < 0.3} for owner in data.owners}
        wishes = [own[owner] for owner in data.owners]
        costs = [Fraction(rng.choice(["1/2", "1", "3/2"])) for _ in range(data.n)]
        found = count_personal_sets(personal(data, wishes), knowledge, costs)
        counted, few, telling, unsafe = list[int](), 0, 0, set[Known]()
        breach, examples = Fraction(0), []
        orders = sorted(chain.from_iterable(combinations(range(data.n), size) for size in range(data.n + 1)))
        for known in orders:
            targets = [i for i, row in enumerate(data.rows) if set(known) <= (row & set(data.public)) - wishes[i]]
            if sum(costs[i] for i in known) > most or not (targets or not known) or any(known[:n] in unsafe for n in range(len(known))):
                continue
            _, people = data.cohort(known)
            hidden = {item for i in (targets if known else range(len(data.rows))) for item in (*wishes[i], *data.private)} - set(known)
            shares = {item: data.share(known, [item]) for item in hidden}
            worst = max(shares.values(), default=Fraction(0))
            counted.append(people)
            breach = max(breach, worst)
            few += people < k
            telling += people >= k and worst > Fraction(share)
            if people < k or worst > Fraction(share):
                unsafe.add(known)
                examples.append((known, people, {-1} if people < k else {item for item, n in shares.items() if n == worst}))
        assert (found.sets, found.fewest, found.few, found.telling, found.unsafe) == (len(counted), min(counted), few, telling, len(unsafe))
        assert found.breach == breach
        assert len(found.examples) == min(5, len(unsafe))
        for (known, people, item), (one, n, items) in zip(found.examples, examples, strict=False):
            assert (known, people, item in items) == (one, n, True)
        everybody = data.cohort(())[1]
        told = certainly_unsafe(personal(data, wishes), data.roles, knowledge)
        often = sum(Fraction(sum(item in row for row in data.rows), len(data.rows)) > Fraction(share) for item in data.private)
        if everybody < k:
            assert told == [f"there are {everybody} records or people, fewer than k"]
        else:
            assert told == [f"{often} items that are private for everybody are too frequent"] * bool(often)


def with_people(rows: list[list[str]], owners: list[int]) -> Original:
    original = as_typed(Bags.from_lists(rows, owners), as_sets=True)
    return replace(original, people=pl.Series([f"u{n}" for n in range(max(owners) + 1)]))


def test_claims_with_personal_items() -> None:
    rows = [["a", "X"], ["a", "X"], ["a", "b"], ["b"], ["b", "X"], []]
    original = with_people(rows, [0, 1, 2, 3, 4, 5])
    release = Release.of_bags(original.bags.select(np.arange(5)), np.ones(5, np.int64), secret=Secret(np.array([0, 1, 2, 3, 4, -1])))
    claim = Coherence(k=2, p=1, h=0.6, private_of=PersonalItems.made_of({"u0": ["X"]}))
    verdict = claim.check(release, original)
    assert (verdict.holds, verdict.achieved) == (False, {"people": 3, "p": 1})
    assert verdict.rare == ("{a} reveals 'X' too often",)
    assert "1 set of items that are public for somebody reveals too much: 0 shared by too few people, 1 that reveal" in verdict.witnesses[0]
    few = Coherence(k=4, p=1, h=0.9, private_of=PersonalItems.made_of({"u0": ["X"]})).check(release, original)
    assert "3 shared by too few people, 0 that reveal" in few.witnesses[0] and "{X} has only 3 matches" in few.rare
    assert Coherence(k=3, p=1, h=0.7, private_of=PersonalItems.made_of({"u0": ["X"]})).check(release, original).holds
    hidden = PersonalItems.made_of({f"u{n}": ["X"] for n in (0, 1, 4)})
    safe = Coherence(k=3, p=1, h=0.7, private_of=hidden)
    assert safe.check(release, original).holds
    without = [[item for item in row if item != "X"] for row in rows[:5]]
    gone = Release.of_bags(Bags.from_lists(without), np.ones(5, np.int64))
    assert "1 items that are private for all who have them were changed" in safe.check(gone, original).witnesses
    wrong = Release.of_bags(Bags.from_lists([["a"], *rows[1:5]]), np.ones(5, np.int64))
    assert any("are not those of the original" in one for one in safe.check(wrong, original).witnesses)
    with refuses("people-not-in-data"):
        Coherence(k=2, p=1, private_of=PersonalItems.made_of({"u9": ["X"]})).check(release, original)
    with refuses("items-not-in-data"):
        Coherence(k=2, p=1, private_of=PersonalItems.made_of({"u0": ["Z"]})).check(release, original)
    with refuses("no-user-ids"):
        claim.check(release, replace(original, people=None))


def test_personal_items_without_the_original() -> None:
    claim = Coherence(k=2, p=1, h=0.5, private_of=PersonalItems.made_of({"u0": ["X"]}))
    few = claim.check(Release.from_records(Bags.from_lists([["a"]])))
    assert (few.standing, few.achieved) == ("fails", {"records": 1, "p": 1})
    safe = Release.from_records(Bags.from_lists([["a"], ["a"], ["b"], ["b"]]))
    verdict = claim.check(safe)
    assert (verdict.standing, verdict.achieved) == ("verified", {"records": 2, "p": 1})
    assert "every set of public items is safe, whoever keeps what private" in verdict.notes
    open_end = Release.from_records(Bags.from_lists([["a", "b"], ["a", "b"]]))
    assert claim.check(open_end).standing == "not checkable"
    owned = Release.from_records(Bags.from_lists([["a"], ["a"], ["b"], ["b"]], owners=[0, 0, 1, 2]), owned=True)
    assert claim.check(owned).standing == "not checkable"
    assert claim.check(Release.from_records(Bags.from_lists([["a", "a"], ["a"]]))).standing == "fails"
    roles = Roles(np.array([True, False]), np.array([False, True]))
    found = any_roles(Release.of_bags(Bags.from_lists([["a"], ["a", "b"]]), np.array([2, 1])), roles)
    assert (found.n, found.having, found.showing, found.wished) == (3, {0: 7, 1: 4}, {0: 7}, {0: 7, 1: 7})


# -- roles of items


def test_roles_that_claims_give() -> None:
    names = Vocabulary(["a", "b", "X", "Y"])

    def masks(private: set[str] | None, public: set[str] | None) -> tuple[str, str, int]:
        items = [None if some is None else Items(names=frozenset(some)) for some in (private, public)]
        found = roles_of(names, items[0], items[1], None, strict=False)
        told = ("".join(name for name, there in zip(names.names, mask, strict=True) if there) for mask in (found.public, found.private))
        return (*told, len(found.notes))  # type: ignore[return-value]

    assert masks(None, None) == ("abXY", "", 0)
    assert masks({"X"}, None) == ("abY", "X", 0)
    assert masks(None, {"a"}) == ("a", "bXY", 0)
    assert masks({"X"}, {"a"}) == ("a", "X", 0)
    assert masks({"X", "Z"}, {"a", "c"}) == ("a", "X", 2)
    for private, public, code in (({"X"}, {"X", "a"}, "item-role-conflict"), ({"Z"}, None, "items-not-in-data")):
        with refuses(code):
            masks(private, public)
    with refuses("items-not-in-data"):
        roles_of(names, Items(names=frozenset("XZ")), None, None, strict=True)
    with refuses("items-not-named"):
        sensitive_items(names, None, None, strict=True)
    tree = food()
    below = roles_of(tree.names, Items(under="Meat"), None, tree, strict=True)
    assert [name for name, there in zip(tree.names.names, below.private, strict=True) if there] == ["Meat", "Beef", "Chicken"]
    everything = roles_of(tree.names, Items(under="Food"), None, tree, strict=True)
    assert everything.private.all() and not everything.public.any()
    typed = roles_of(Vocabulary(["Beef", "Tofu", "Apple"]), Items(under="Meat"), None, tree, strict=True)
    assert typed.private.tolist() == [True, False, False]
    assert roles_of(Vocabulary(["Food", "Tofu"]), Items(under="Food"), None, tree, strict=True).private.tolist() == [True, False]
    with refuses("unknown-node"):
        roles_of(tree.names, Items(under="Fish"), None, tree, strict=True)


def test_private_items_of_a_claim() -> None:
    release = Release.from_records(Bags.from_lists([["a", "X"], ["a", "X"], ["a"], ["b"], ["b", "Y"], ["b"]]))
    verdict = Coherence(k=3, p=1, h=0.5, private={"X", "Y"}).check(release)
    assert verdict.achieved == {"records": 3, "breach": 0.666667, "p": 1}
    assert "{a} reveals 'X' with a confidence of 66.7%" in verdict.rare and not any("no private item" in note for note in verdict.notes)
    first = Release.from_records(Bags.from_lists([["X", "a"], ["X", "a"], ["X", "a"]]))
    told = Coherence(k=2, p=1, h=0.5, private={"X"}).check(first)
    assert "{} reveals 'X' with a confidence of 100%" in told.witnesses and told.rare == ()
    assert "3 sets" not in " ".join(told.notes) and "1 sets of public items were counted" in told.notes[0]
    assert "no private item was listed" in Coherence(k=2, p=1).check(first).notes[1]
    exact = Release.from_records(Bags.from_lists([["a", "X"]] * 29 + [["a"]] * 71))
    assert Coherence(k=2, p=1, h=0.29, private={"X"}).check(exact).holds
    assert not Coherence(k=2, p=1, h=0.28999, private={"X"}).check(exact).holds
    third = Release.from_records(Bags.from_lists([["a", "X"], ["a"], ["a"]]))
    assert not Coherence(k=2, p=1, h=1 / 3, private={"X"}).check(third).holds
    assert Coherence(k=2, p=1, h=0.3333333333333334, private={"X"}).check(third).holds


def test_private_items_with_costs() -> None:
    release = Release.from_records(Bags.from_lists([["a", "b"], ["a", "b"], ["a"], ["b"]]))
    assert Coherence(k=3, p=1, costs={"a": 0.5, "b": 0.5}).check(release).achieved["records"] == 2
    assert Coherence(k=3, p=1, costs={"a": 0.5, "b": 0.51}).check(release).holds
    assert Coherence(k=3, p=1, costs={"a": 0.5}).check(release).holds


@pytest.mark.parametrize("rho", [0.5, 0.6, 2 / 3])
def test_certainty_of_sensitive_items(rho: float) -> None:
    rng = random.Random(str(rho))
    for _ in range(30):
        data = drawn(rng, 7)
        if not any(2 in row for row in data.rows) or data.n < 3:
            continue
        names = [[f"i{i}" for i in sorted(row)] for row in data.rows]
        original = as_typed(Bags.from_lists([["i0", "i1", "i2", "i3", "i4"], *names], [99, *data.owners])).bags
        bags = original.select(np.arange(1, len(original)))
        for most in (None, 1):
            verdict = RhoUncertainty(rho=rho, sensitive={"i2"}, antecedent=most).check(Release.from_records(bags, owned=True))
            sizes = range((data.n if most is None else most) + 1)
            sets = [known for n in sizes for known in combinations([i for i in range(data.n) if i != 2], n) if data.cohort(known)[0]]
            worst = max(data.share(known, [2]) for known in sets)
            assert verdict.achieved == {"certainty": math.ceil(worst * 10**6) / 10**6}
            assert verdict.holds == (worst <= Fraction(repr(rho)))
            assert len(verdict.rare) == (0 if verdict.holds else 1)


# -- km-anonymity and public parts beside the original


def test_claims_beside_the_original() -> None:
    tree = food()
    original = on_nodes(on(tree, TABLE_5_1, [0, 1, 2, 3, 3]), tree)
    rows = [["Fruit", "Meat"], ["Fruit", "Meat"], ["Meat", "Dairy"], ["Fruit", "Meat"], ["Meat"]]
    bags = on(tree, rows)
    release = Release.of_bags(bags, np.ones(5, np.int64), secret=Secret(np.arange(5)))
    verdict = KmAnonymity(k=3, m=1).check(release, original)
    assert (verdict.holds, verdict.achieved) == (False, {"people": 1, "m": 1})
    assert verdict.rare == ("{Dairy} has only 1 match",)
    assert "1 set of 1 published item is shared by fewer than 3 people" in verdict.witnesses
    assert (
        verdict.notes[0] == "4 sets of published items (including the empty one) were counted, by people"
        and "sets of more than 1 item were not" in verdict.notes[1]
    )
    assert KmAnonymity(k=2, m=1).check(Release.from_records(bags.select(np.array([0, 1, 3, 4])))).achieved == {"records": 3, "m": 1}
    loose = KmAnonymity(k=3, m=1).check(Release.from_records(bags), original)
    assert loose.achieved == {"records": 1, "m": 1} and any("people have several records" in note for note in loose.notes)
    wrong = Release.of_bags(on(tree, [["Dairy"], *rows[1:]]), np.ones(5, np.int64), secret=Secret(np.arange(5)))
    assert "1 published records do not generalize their original" in KmAnonymity(k=2, m=1).check(wrong, original).witnesses
    lost = Release.of_bags(bags, np.ones(5, np.int64), secret=Secret(np.arange(4)))
    assert any("refers to 4 records" in one for one in KmAnonymity(k=2, m=1).check(lost, original).witnesses)
    none = KmAnonymity(k=2, m=1).check(Release.from_records(on(tree, [["Milk"], ["Milk"]])), original)
    assert "1 published record matches no remaining original record" in none.witnesses
    public = PublicKAnonymity(k=2, private={"Chicken"}).check(Release.from_records(on(tree, [["Beef", "Chicken"], ["Beef"]])))
    assert (public.holds, public.achieved) == (True, {"records": 2})


def test_repeated_items_count_with_their_copies() -> None:
    release = Release.of_bags(Bags.from_lists([["a", "a", "b"], ["b"]]), np.array([3, 1]))
    assert "3 items are repeated" in repeated_items(release)[0]
    assert repeated_items(Release.of_bags(Bags.from_lists([["a", "a"], ["b"]]), np.array([0, 1]))) == []


# -- recodings


@pytest.mark.parametrize(
    ("published", "says"),
    [
        ([["Fruit", "Milk"], ["Fruit"], ["Beef"]], ""),
        ([["Apple", "Milk"], ["Fruit"], ["Beef"]], ""),
        ([["Food", "Milk"], ["Food"], ["Beef"]], ""),
        ([["Milk"], [], ["Beef"]], ""),
        ([["Fruit", "Milk"], ["Apple"], ["Beef"]], "published items match nothing"),
        ([["Fruit", "Milk"], ["Fruit"], ["Meat"]], "1 items that are private were changed"),
        ([["Fruit", "Milk"], ["Fruit"], []], "1 items that are private were changed"),
        ([["Fruit", "Milk"], ["Fruit", "Dairy"], ["Beef"]], "1 published items match nothing"),
        ([["Meat", "Milk"], ["Fruit"], ["Beef"]], "published items match nothing"),
    ],
    ids=str,
)
def test_recodings_that_are_global(published: list[list[str]], says: str) -> None:
    tree = food()
    original = on_nodes(on(tree, [["Apple", "Milk"], ["Orange"], ["Beef"]]), tree)
    release = Release.of_bags(on(tree, published), np.ones(3, np.int64), secret=Secret(np.arange(3)))
    roles = roles_of(tree.names, Items(names=frozenset({"Beef"})), None, tree, strict=True)
    found = " ".join(recoding_defects(original, release, roles))
    assert says in found and bool(says) == bool(found), found


def test_recodings_of_some_records_only() -> None:
    tree = food()
    original = on_nodes(on(tree, [["Apple", "Beef"], ["Apple", "Beef"], [], ["Milk"]]), tree)
    roles = roles_of(tree.names, Items(names=frozenset({"Beef"})), None, tree, strict=True)

    def defects(published: list[list[str]], rows: list[int], private_may_go: bool = False, copies: list[int] | None = None) -> str:
        counts = np.array(copies or np.bincount([row for row in rows if row >= 0], minlength=len(published)), np.int64)
        release = Release.of_bags(on(tree, published), counts, secret=Secret(np.array(rows, np.int64)))
        return " ".join(recoding_defects(original, release, roles, private_may_go=private_may_go))

    assert defects([["Apple", "Beef"], ["Milk"]], [0, 0, -1, 1]) == ""
    assert defects([["Fruit", "Beef"], ["Dairy"], []], [0, 0, 2, 1]) == ""
    assert defects([["Apple", "Beef"], ["Beef"], ["Milk"]], [0, 1, -1, 2]) == "1 items were changed in some records but not in all"
    assert defects([["Apple"], ["Milk"]], [0, 0, -1, 1]) == "1 items that are private were changed"
    assert defects([["Apple"], ["Milk"]], [0, 0, -1, 1], True) == ""
    assert defects([["Apple", "Beef"], ["Apple"], ["Milk"]], [0, 1, -1, 2], True) == "1 items that are private were changed"
    assert defects([["Apple", "Beef"]], [0, 0, -1, -1]) == "1 non-empty records were suppressed"
    assert "refers to 3 records" in defects([["Apple", "Beef"]], [0, 0, -1])
    assert "lost or added" in defects([["Apple", "Beef"], ["Milk"]], [0, 0, -1, 1], copies=[2, 2])
    partly = defects([["Fruit", "Beef"], ["Food", "Beef"], ["Milk"]], [0, 1, -1, 2])
    assert partly == "2 published items match nothing in their record"


def test_names_that_were_not_typed_so() -> None:
    original = as_typed(Bags.from_lists([["a"], ["b"]]))
    for records, holds in (([["a"], ["b"]], True), ([["b"], ["a"]], False)):
        bags = Bags.from_lists([["a", "b"], *records]).select(np.array([1, 2]))
        release = Release.of_bags(bags, np.ones(2, np.int64), secret=Secret(np.arange(2)))
        verdict = RhoUncertainty(rho=0.9, sensitive={"b"}).check(release, original)
        assert ("were not typed in their record" in " ".join(verdict.witnesses)) == (not holds)


# -- people behind sensitive items


def test_people_of_records_with_sensitive_items() -> None:
    X = Items(names=frozenset("X"))
    bags = Bags.from_lists([["a", "X"], ["a", "X"], ["a"], ["a"]], owners=[0, 0, 1, 2])
    original = as_typed(bags)
    claim = AlphaKAnonymity(alpha=0.4, k=2, items=X)
    linked = Release.of_bags(original.bags, np.ones(4, np.int64), secret=Secret(np.arange(4)))
    assert claim.check(linked, original).achieved == {"records": 3, "alpha": 0.333334}
    bare = Release.from_records(bags)
    assert claim.check(bare).achieved == {"records": 4, "alpha": 0.5}
    unknown = claim.check(bare, original)
    assert unknown.achieved == {"records": 4, "alpha": 0.5} and any("records were counted" in note for note in unknown.notes)
    assert claim.check(Release.from_records(bags, owned=True)).achieved == {"records": 3, "alpha": 0.333334}
    for rows in ([0, 1, 2], [0, 0, 1, 2]):
        lost = Release.of_bags(original.bags, np.ones(4, np.int64), secret=Secret(np.array(rows, np.int64)))
        assert claim.check(lost, original).witnesses == ("records were lost or added without being accounted for",)
    part = Release.of_bags(original.bags.select(np.array([0, 2])), np.ones(2, np.int64), secret=Secret(np.array([0, -1, 1, -1])))
    assert claim.check(part, original).achieved == {"records": 2, "alpha": 0.5}
    assert AlphaKAnonymity(items=X).check(Release.from_records(Bags.from_lists([["X"]]).select(np.zeros(0, np.int64)))).standing == "fails"


# -- work that is too much, and the strength of files


def test_how_far_counting_came() -> None:
    rows = [[f"i{i}" for i in range(14)] for _ in range(3)]
    release = Release.from_records(Bags.from_lists(rows))
    with patience.allowing(1e-6):
        verdict = KmAnonymity(k=2, m=14).check(release)
    assert verdict.standing in {"verified", "not judged"}
    wide = Release.from_records(Bags.from_lists([[f"i{i}" for i in range(60)]] * 2))
    with patience.allowing(1e-4):
        verdict = KmAnonymity(k=2, m=30).check(wide)
    assert verdict.standing == "not judged"
    assert "sets of up to" in verdict.unchecked and "were counted and are safe; the sets of" in verdict.unchecked
    assert "to 30 items" in verdict.unchecked
    rare = Release.from_records(Bags.from_lists([[f"i{i}" for i in range(60)], ["i0"]]))
    assert KmAnonymity(k=2, m=30).check(rare).standing == "fails", "a small rare set is found although all sets are too many"
    with pytest.raises(OutOfPatience), patience.allowing(1e-6), patience.one_judgement():
        patience.spend(10**9, "this")


def test_strength_of_files() -> None:
    rng = random.Random(3)
    for _ in range(40):
        data = drawn(rng, 12)
        data.public = list(range(data.n))
        bags = data.holders.published
        release = Release.from_records(bags)
        found = strength_of(release, 2)
        alone = Data(data.rows, list(range(len(data.rows))), data.public, [], data.n)
        longest = max(map(len, data.rows))
        fewest = [min(alone.cohort(known)[1] for level in known_sets(alone, m) for known in level) for m in range(longest + 1)]
        assert [level.k for level in found.levels] == fewest[1 : len(found.levels) + 1]
        assert [level.m for level in found.levels] == list(range(1, len(found.levels) + 1))
        assert all(level.exact for level in found.levels)
        whole = min(sum(row == other for other in data.rows) for row in data.rows)
        assert found.whole_record == whole
        if found.levels:
            assert len(found.levels) == longest or found.levels[-1].k == whole
        holding = [m for m in range(1, longest + 1) if fewest[m] >= 2]
        if longest:
            assert found.every_m == (fewest[longest] >= 2)
            assert found.every_m or found.largest_m == max(holding, default=0)
            assert found.largest_m_exact or found.every_m
