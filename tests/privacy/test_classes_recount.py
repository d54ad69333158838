"""Models of equivalence classes against a recount in plain Python: random releases, true ones and tampered ones, around the limit."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from helpers.data import FOOD, food, on, on_nodes
from helpers.matching import placed
from helpers.twins import generalizes
from shoal.data.bags import Bags
from shoal.data.items import Items
from shoal.data.original import Original
from shoal.data.release import Release, Secret
from shoal.privacy import KAnonymity, KDeltaAnonymity, PublicKAnonymity, SensitiveShare, SharedTerms, VocabularyKAnonymity
from shoal.privacy.evidence.equivalence_classes import ClassCounts, find_origins, people_not_counted
from shoal.taxonomy.place_terms import as_typed
from shoal.util.wording import counted

TREE = food()
NAMES = TREE.names.names.to_list()
PARENT = tuple(TREE.parent.tolist())
LEAVES = [name for name in FOOD if name not in FOOD.values()]
Record = tuple[str, ...]


@dataclass
class Case:
    """A release of records: what each original record is published as (None: withheld), and its user."""

    records: list[Record]
    published: list[Record | None]
    owners: list[int]

    @property
    def original(self) -> Original:
        return on_nodes(on(TREE, self.records, self.owners), TREE)

    @property
    def shown(self) -> list[Record]:
        return [one for one in self.published if one is not None]

    def release(self, *, secret: bool = True, apart: bool = False) -> Release:
        """One row for each different record, or (`apart`) one for each published one."""
        rows = self.shown if apart else sorted(set(self.shown))
        places = iter(range(len(rows)))
        number = [-1 if one is None else next(places) if apart else rows.index(one) for one in self.published]
        copies = np.bincount([n for n in number if n >= 0], minlength=len(rows)).astype(np.int64)
        return Release.of_bags(on(TREE, rows), copies, secret=Secret(np.array(number, np.int64)) if secret else None)

    def classes(self) -> dict[Record, list[int]]:
        found: dict[Record, list[int]] = defaultdict(list)
        for number, one in enumerate(self.published):
            if one is not None:
                found[tuple(sorted(one))].append(number)
        return found

    def people(self) -> int:
        return min((len({self.owners[i] for i in members}) for members in self.classes().values()), default=0)


def above(name: str, steps: int) -> str:
    for _ in range(steps):
        name = FOOD[name] or name
    return name


def numbers(record: Record) -> list[int]:
    return [NAMES.index(name) for name in record]


def true_of(published: Record, record: Record) -> bool:
    return generalizes(PARENT, numbers(published), numbers(record))


def cases(seed: int, n: int) -> Iterator[Case]:
    """Groups of 1 to 4 records that are published as one common generalization of most of them; some owners have several records."""
    rng = random.Random(seed)
    for _ in range(n):
        case = Case([], [], [])
        for _ in range(rng.randint(1, 3)):
            size = rng.randint(1, 4)
            base = rng.sample(LEAVES, rng.randint(0, 3))
            members = [tuple(rng.choice([leaf for leaf in LEAVES if FOOD[leaf] == FOOD[name]]) for name in base) for _ in range(size)]
            told: Record = tuple(above(name, rng.choice([0, 1, 1, 2])) for name in base if rng.random() < 0.9)
            for record in members:
                case.records.append(record)
                case.published.append(None if rng.random() < 0.07 else told)
                case.owners.append(rng.choice([len(case.owners) + 10, 3, 3]) if rng.random() < 0.5 else len(case.owners) + 10)
        yield case


@pytest.mark.parametrize("k", [2, 3])
def test_k_anonymity_counts_classes_people_and_truth(k: int) -> None:
    for case in cases(k, 40):
        classes = case.classes()
        least = min(map(len, classes.values()), default=0)
        short = [members for members in classes.values() if len(members) < k]
        untrue = sum(one is not None and not true_of(one, record) for one, record in zip(case.published, case.records, strict=True))
        people = case.people()
        for apart in (False, True):
            release = case.release(apart=apart)
            records = sum(map(len, short))
            told = [f"{records:,} records are in {len(short):,} classes of fewer than {k}; the smallest has {least}"] * bool(short)
            alone = KAnonymity(k=k).check(case.release(secret=False, apart=apart))
            assert (alone.achieved, list(alone.witnesses)) == ({"records": least}, told)
            empty = sum(one == () for one in case.published)
            assert alone.notes == ((f"{empty:,} empty records were counted as ordinary records" if empty else "no record is empty"),)
            few = [f"the records of a class belong to only {counted(people, 'person', 'people')}"] * (people < min(k, least))
            false = [f"{untrue:,} published records do not generalize their original"] * bool(untrue)
            level = {"records": least} | ({"people": people} if classes else {})
            for model, wrong in ((KAnonymity(k=k), false), (VocabularyKAnonymity(k=k, people=True), [])):
                verdict = model.check(release, case.original)
                assert (verdict.achieved, list(verdict.witnesses)) == (level, [*told, *few, *wrong])
                assert verdict.holds == (not (short or few or wrong))
            plain = VocabularyKAnonymity(k=k).check(release, case.original)
            assert (plain.achieved, list(plain.witnesses)) == ({"records": least}, told)


def matched(case: Case) -> int:
    """How many published records can be given an original of their own, by augmenting paths."""
    shown = case.shown
    return sum(placed(len(shown), len(case.records), lambda i, j: true_of(shown[i], case.records[j])))


def test_without_the_mapping_records_are_matched_to_originals() -> None:
    repeated = people_not_counted("records")
    for case in cases(7, 30):
        release, lost = case.release(secret=False), len(case.shown) - matched(case)
        found = find_origins(release, case.original)
        assert (found.unmatched, found.undecided_classes) == (lost, 0)
        verdict = KAnonymity(k=2).check(release, case.original)
        assert ("no remaining original record" in " ".join(verdict.witnesses)) == (lost > 0)
        assert (repeated in verdict.notes) == (len(set(case.owners)) < len(case.owners))
        assert "people" not in verdict.achieved
        more = Case(case.records, [*case.published, ("Food",), ()], case.owners)
        excess = len(more.shown) - len(case.records)
        told = f"{len(more.shown):,} records are published of only {len(case.records):,}"
        verdict = KAnonymity(k=2).check(more.release(secret=False), case.original)
        assert (told in verdict.witnesses) == (excess > 0)
        assert (told in VocabularyKAnonymity(k=2).check(more.release(secret=False), case.original).witnesses) == (excess > 0)


def test_records_that_were_lost_or_added() -> None:
    case = Case([("Apple",), ("Orange",), ("Milk",)], [("Fruit",), ("Fruit",), ("Food",)], [0, 1, 2])
    good = case.release()
    published, copies = good.published, good.copies
    wrong = {
        "short": Secret(np.array([0, 0], np.int64)),
        "long": Secret(np.array([0, 0, 1, 1], np.int64)),
        "beyond": Secret(np.array([1, 1, 2], np.int64)),
        "withheld": Secret(np.array([1, 1, -1], np.int64)),
        "moved": Secret(np.array([1, 0, 0], np.int64)),
    }
    assert KAnonymity(k=2).check(good, case.original).achieved == {"records": 1, "people": 1}
    for name, secret in wrong.items():
        release = Release.of_bags(published, copies, secret=secret)
        verdict = KAnonymity(k=2).check(release, case.original)
        assert verdict.achieved == {"records": 1}, name
        assert any("lost or added" in one or "refers to" in one for one in verdict.witnesses), name
        for model in (KDeltaAnonymity(k=2, delta=0), SharedTerms()):
            if name in {"short", "long"}:
                assert not model.check(release, case.original).holds


def test_files_that_name_people_are_counted_by_people() -> None:
    bags = Bags.from_lists([["a"], ["a"], ["a"], ["b"], ["b"]], owners=[1, 1, 2, 3, 4])
    verdict = KAnonymity(k=2).check(Release.from_records(bags, owned=True))
    assert (verdict.holds, verdict.achieved) == (True, {"records": 2, "people": 2})
    verdict = KAnonymity(k=3).check(Release.from_records(bags.select(np.array([0, 1, 2])), owned=True))
    assert (verdict.holds, verdict.achieved) == (False, {"records": 3, "people": 2})


def test_nothing_published() -> None:
    case = Case([("Apple",)], [None], [0])
    for verdict in (KAnonymity(k=2).check(case.release()), KAnonymity(k=2).check(case.release(), case.original)):
        assert (verdict.holds, verdict.achieved) == (True, {"records": 0})
    assert KDeltaAnonymity(k=2).check(case.release()).achieved == {"records": 0}
    assert SharedTerms().check(case.release(), case.original).achieved == {}


CLUSTERED = [(3, None, 0, 0), (2, None, 1, 0), (3, 3, 0, 0), (3, 2, 0, 0), (3, 3, 0, 1)]


@pytest.mark.parametrize(("smallest", "fewest", "short", "untrue"), CLUSTERED)
def test_counts_of_a_cluster(smallest: int, fewest: int | None, short: int, untrue: int) -> None:
    verdict = KAnonymity(k=3).judge_counted(ClassCounts(smallest, fewest, short, 2 * short, 0, untrue))
    assert verdict.achieved == {"records": smallest} | ({} if fewest is None else {"people": fewest})
    assert verdict.holds == (not short and not untrue and fewest in {None, 3})
    assert verdict.notes == ("no record is empty",)


# -- terms of several people, shares of sensitive items


def holding(case: Case, node: str, members: Sequence[int]) -> set[int]:
    return {case.owners[i] for i in members if any(node in ups(name) for name in case.records[i])}


def ups(name: str) -> list[str]:
    found = [name]
    while (up := FOOD[found[-1]]) is not None:
        found.append(up)
    return found


@pytest.mark.parametrize("least", [1, 2, 3])
def test_shared_terms_are_held_by_people_of_their_class(least: int) -> None:
    for case in cases(20 + least, 20):
        counts = [len(holding(case, node, members)) for told, members in case.classes().items() for node in set(told)]
        verdict = SharedTerms(owners=least).check(case.release(), case.original)
        assert verdict.achieved == ({"people": min(counts)} if counts else {})
        assert verdict.holds == all(n >= least for n in counts)
        short = sum(n < least for n in counts)
        told = f"{short:,} published {'term is' if short == 1 else 'terms are'} used by fewer than {least} people"
        assert list(verdict.witnesses) == [told] * bool(short)
        terms = {node for told in case.shown for node in told}
        alone = SharedTerms(owners=least).check(case.release(secret=False), case.original)
        everyone = [len(holding(case, node, range(len(case.records)))) for node in terms]
        assert alone.achieved == ({"people": min(everyone)} if terms else {})
        bare = SharedTerms(owners=least).check(case.release(secret=False))
        records = Counter(node for told in case.shown for node in set(told))
        assert bare.achieved == ({"records": min(records.values())} if terms else {})
        assert bare.holds == all(n >= least for n in records.values())


@pytest.mark.parametrize("h", [0.25, 0.5, 2 / 3])
def test_shares_of_sensitive_items_in_classes(h: float) -> None:
    wanted = ["Apple", "Beef", "Dairy"]
    claim = SensitiveShare(h=h, items=Items(names=frozenset(wanted)))
    for case in cases(30 + round(10 * h), 20):
        if not {FOOD[name] for record in case.records for name in record}:
            continue
        shares = []
        for members in case.classes().values():
            people = {case.owners[i] for i in members}
            shares.append(max(Fraction(len(holding(case, item, members)), len(people)) for item in wanted))
        inside = {"Apple", "Beef", "Dairy", "Milk", "Cheese", "Butter"}
        named = len(inside & {node for told in case.shown for node in told})
        verdict = claim.check(case.release(), case.original)
        assert verdict.achieved == {"h": math.ceil(max(shares, default=0) * 10**6) / 10**6, "named": named}
        assert verdict.holds == (not named and all(share <= Fraction(repr(h)) for share in shares))
        over = sum(share > Fraction(repr(h)) for share in shares)
        told = f"in {over:,} of {len(shares):,} classes more than {h:g} of the people have the same sensitive item"
        assert (told in verdict.witnesses) == (over > 0)
        bare, written = claim.check(case.release(secret=False)), len(set(wanted) & {node for told in case.shown for node in told})
        assert (bare.holds, bare.achieved) == (not written, {"named": written})
        forced = claim.check(case.release(secret=False), case.original)
        if len(set(case.owners)) < len(case.owners):
            assert (forced.holds, forced.achieved) == (not named, {"named": named})
            continue
        least = []
        for told, members in case.classes().items():
            fits = [record for record in case.records if true_of(told, record)]
            most = max(sum(any(item in ups(name) for name in record) for record in fits) for item in wanted)
            least.append(Fraction(max(0, len(members) - (len(fits) - most)), len(members)))
        if all(true_of(one, record) for one, record in zip(case.published, case.records, strict=True) if one is not None):
            assert forced.achieved == {"h_at_least": math.floor(max(least, default=0) * 10**6) / 10**6, "named": named}
            assert forced.holds == (not named and all(share <= Fraction(repr(h)) for share in least))


# -- distances


@pytest.mark.parametrize(("k", "delta"), [(2, 0.0), (2, 0.5), (3, 1 / 3 + 0.166667), (3, 0.6), (2, 0.25)])
def test_records_within_delta(k: int, delta: float) -> None:
    rng = random.Random(k * 100 + int(delta * 10))
    delta = round(delta, 6)
    for _ in range(15):
        n = rng.randint(1, 9)
        records = [tuple(sorted(rng.sample("abcdef", rng.randint(0, 5)))) for _ in range(rng.randint(1, 5))]
        told = [rng.choice(records) for _ in range(n)]
        owners = [rng.randint(0, n) for _ in range(n)]
        near = {one: [i for i, other in enumerate(told) if distance(one, other) <= Fraction(repr(delta))] for one in set(told)}
        names = [["a", "b", "c", "d", "e", "f"], *map(list, told)]
        original = typed_original(names, [99, *owners])
        rows = np.arange(-1, n, dtype=np.int64)
        published = Bags.from_lists(names).select(np.arange(1, n + 1))
        release = Release.of_bags(published, np.ones(n, np.int64), secret=Secret(rows))
        alone, beside = (KDeltaAnonymity(k=k, delta=delta).check(release, one) for one in (None, original))
        least = min(map(len, near.values()))
        people = min(len({owners[i] for i in members}) for members in near.values())
        short = [len(members) for members in near.values() if len(members) < k]
        assert (alone.achieved, alone.holds) == ({"records": least}, least >= k)
        assert (beside.achieved, beside.holds) == ({"records": least, "people": people}, people >= k)
        assert (f"the least has {min(short, default=0)} record" in " ".join(alone.witnesses)) == bool(short)
        assert (f"{len(short)} different record" in " ".join(alone.witnesses)) == bool(short)
        empty = told.count(())
        assert alone.notes == ((f"{empty:,} empty records were counted as ordinary records" if empty else "no record is empty"),)


def distance(one: Record, other: Record) -> Fraction:
    union = set(one) | set(other)
    return Fraction(len(union) - len(set(one) & set(other)), len(union)) if union else Fraction(0)


def typed_original(records: list[list[str]], owners: list[int]) -> Original:
    return as_typed(Bags.from_lists(records, owners))


def test_more_records_than_there_were() -> None:
    original = typed_original([["a"], ["a"]], [0, 1])
    for n in (1, 2, 3):
        release = Release.of_bags(Bags.from_lists([["a"]]), np.array([n], np.int64))
        assert KDeltaAnonymity(k=2, delta=0).check(release, original).holds == (n == 2)
    for rows, holds in (([0, 0], True), ([0, 1], False), ([0, 0, 0], False)):
        release = Release.of_bags(Bags.from_lists([["a"]]), np.array([2], np.int64), secret=Secret(np.array(rows, np.int64)))
        assert KDeltaAnonymity(k=2, delta=0).check(release, original).holds == holds
    assert not PublicKAnonymity(k=2).check(Release.from_records(Bags.from_lists([["a"]]))).holds


def test_a_share_of_one_allows_everything() -> None:
    case = Case([("Apple",), ("Apple",)], [("Apple",), ("Apple",)], [0, 1])
    for h, holds in ((1.0, True), (0.99, False)):
        verdict = SensitiveShare(h=h, items=Items(names=frozenset({"Apple"}))).check(case.release(), case.original)
        assert (verdict.holds, verdict.achieved) == (holds, {"h": 1.0, "named": 1})
        bare = SensitiveShare(h=h, items=Items(names=frozenset({"Apple"}))).check(case.release(secret=False))
        assert bare.standing == ("not checkable" if holds else "fails")
    for rows in ([0, 0, 0], [0, -1]):
        wrong = Release.of_bags(on(TREE, [("Apple",)]), np.array([2]), secret=Secret(np.array(rows, np.int64)))
        verdict = SensitiveShare(h=1.0, items=Items(names=frozenset({"Apple"}))).check(wrong, case.original)
        assert verdict.witnesses == ("records were lost or added without being accounted for",)
