"""Sensitive items in the method shoal: what it publishes, recounted in plain Python, and what the judge says if it errs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import TABLE_5_1, food, forests, numbered, on, on_nodes, published, tree
from helpers.errors import refuses
from shoal import kernels
from shoal.data.bags import Bags, Ints
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Infeasible
from shoal.io.read.parameter_files import with_files_read
from shoal.itemsets.sensitive_nodes import SensitiveNodes
from shoal.methods import shoal as method_file
from shoal.methods.shoal import Shoal
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.sensitive_share import SensitiveShare

ALE = {
    "goods": None, "drinks": "goods", "beer": "drinks", "bottled beer": "beer", "canned beer": "beer", "wine": "drinks",
    "food": "goods", "bread": "food", "milk": "food", "cake": "food",
}  # fmt: skip


def applied(method: Shoal, bags: Bags, taxonomy: Taxonomy) -> Release:
    return method.apply(Original.on(bags, taxonomy))


# -- plain Python: who holds what


def above(taxonomy: Taxonomy, node: int) -> set[int]:
    """The node and its ancestors."""
    found = set()
    while node >= 0:
        found.add(node)
        node = int(taxonomy.parent[node])
    return found


def holds(bags: Bags, taxonomy: Taxonomy, record: int, sensitive: int) -> bool:
    items = bags.items[bags.indptr[record] : bags.indptr[record + 1]]
    return any(sensitive in above(taxonomy, int(item)) for item in items)


def greatest_share(bags: Bags, taxonomy: Taxonomy, classes: Sequence[Any], sensitive: Sequence[int]) -> Fraction:
    """Over classes and items the largest share of a class's people who hold the item; a record of the class None is left out."""
    people, holders = defaultdict(set), defaultdict(set)
    for record, label in enumerate(classes):
        if label is None:
            continue
        owner = int(bags.owners[record])
        people[label].add(owner)
        for item in sensitive:
            if holds(bags, taxonomy, record, item):
                holders[label, item].add(owner)
    return max((Fraction(len(found), len(people[label])) for (label, _), found in holders.items()), default=Fraction(0))


def classes_of(release: Release) -> list[tuple[int, ...] | None]:
    """The published record of every original one."""
    rows, bags = release.secret.rows(), release.published  # type: ignore[union-attr]
    whole = [tuple(np.repeat(bags.items[a:b], bags.counts[a:b]).tolist()) for a, b in zip(bags.indptr, bags.indptr[1:], strict=False)]
    return [None if row < 0 else whole[row] for row in rows]


def everybody(bags: Bags) -> list[str | None]:
    return ["all" if length else None for length in bags.lengths]


# -- what is promised


def baskets() -> tuple[Bags, Taxonomy]:
    """Twenty people with beer, sixteen of whom have bottled beer, and forty without."""
    taxonomy = Taxonomy.from_parents(ALE)
    records = [["bottled beer", "bread"]] * 16 + [["canned beer", "bread"]] * 4 + [["milk", "bread"]] * 20 + [["cake", "wine"]] * 20
    return on(taxonomy, records), taxonomy


def test_a_substitute_does_not_give_the_item_away() -> None:
    """A release that says beer of those twenty says bottled beer of them with a certainty of 80%."""
    bags, taxonomy = baskets()
    bottled = int(taxonomy.names.codes(["bottled beer"])[0])
    release = applied(Shoal(k=5, sensitive={"bottled beer"}, h=0.5), bags, taxonomy)
    assert greatest_share(bags, taxonomy, classes_of(release), [bottled]) <= Fraction(1, 2)
    rows = release.secret.rows()  # type: ignore[union-attr]
    for item in set(release.published.items.tolist()):  # what an item gives away is bounded with the classes
        shows = [item in (shown or ()) for shown in classes_of(release)]
        held = [holds(bags, taxonomy, record, bottled) for record in np.flatnonzero(shows)]
        assert sum(held) <= len(held) / 2
    assert (rows >= 0).all()
    assert all(claim.check(release, on_nodes(bags, taxonomy)).holds for claim in release.claims)


@settings(max_examples=150, deadline=None)
@given(
    forests(nodes=9, records=(3, 24), items=(0, 3)),
    st.lists(st.integers(0, 23), min_size=24, max_size=24),
    st.sets(st.integers(1, 8), min_size=1, max_size=3),
    st.sampled_from([0.1, 0.25, 1 / 3, 0.5, 0.6, 0.75]),
    st.booleans(),
)
def test_every_class_is_within_the_share_or_nothing_could_be(
    forest: tuple[tuple[int, ...], list[list[int]]], owners: list[int], sensitive: set[int], h: float, several: bool
) -> None:
    parent, records = forest
    taxonomy = tree(parent)
    bags = numbered(taxonomy, records, owners[: len(records)] if several else None)
    used = {item for record, length in zip(range(len(bags)), bags.lengths, strict=True) for item in _held(bags, taxonomy, record) if length}
    named = sorted(sensitive & used)
    if not named or bags.select(np.flatnonzero(bags.lengths > 0)).n_owners < 2:
        return
    method = Shoal(k=2, sensitive={f"n{node}" for node in named}, h=h)
    share = Fraction(repr(h))
    if greatest_share(bags, taxonomy, everybody(bags), named) > share:
        with refuses("sensitive-item-too-frequent"):
            applied(method, bags, taxonomy)
        return
    release = applied(method, bags, taxonomy)
    greatest = greatest_share(bags, taxonomy, classes_of(release), named)
    assert greatest <= share
    assert not any(set(named) & above(taxonomy, item) for item in release.published.items.tolist())
    verdict = SensitiveShare(h=h, items={f"n{node}" for node in named}).check(release, on_nodes(bags, taxonomy))
    assert verdict.holds and verdict.achieved == {"h": math.ceil(greatest * 10**6) / 10**6, "named": 0}
    assert KAnonymity(k=2).check(release, on_nodes(bags, taxonomy)).holds


def _held(bags: Bags, taxonomy: Taxonomy, record: int) -> set[int]:
    items = bags.items[bags.indptr[record] : bags.indptr[record + 1]]
    return {node for item in items for node in above(taxonomy, int(item))}


def test_people_are_counted_and_not_their_records() -> None:
    """Two of four people have beef: half, although they have all but two of the records."""
    taxonomy = food()
    bags = on(taxonomy, [["Beef"]] * 6 + [["Milk"]] * 2, owners=[0, 0, 0, 1, 1, 1, 2, 3])
    release = applied(Shoal(k=2, sensitive={"Beef"}, h=0.5), bags, taxonomy)
    assert SensitiveShare(h=0.5, items={"Beef"}).check(release, on_nodes(bags, taxonomy)).achieved["h"] == 0.5
    with refuses("sensitive-item-too-frequent", value=0.5, limit=0.49):
        applied(Shoal(k=2, sensitive={"Beef"}, h=0.49), bags, taxonomy)


def test_what_stands_for_nothing_but_sensitive_items_is_not_published() -> None:
    taxonomy = food()
    bags = on(taxonomy, [["Beef", "Apple"], ["Chicken", "Apple"]] * 3 + [["Apple", "Milk"]] * 6)
    release = applied(Shoal(k=3, sensitive={"Beef", "Chicken"}), bags, taxonomy)
    # Meat is nothing but Beef and Chicken.
    assert set(published(release)) == {("Apple", "Food"), ("Apple", "Milk")}
    assert release.claims == (KAnonymity(k=3), SensitiveShare(h=0.5, items={"Beef", "Chicken"}))
    everything = applied(Shoal(k=3, sensitive={"Beef", "Chicken"}, h=1.0), bags, taxonomy)
    assert published(everything) == published(applied(Shoal(k=3), bags, taxonomy))


def test_everything_under_a_node_is_one_sensitive_item() -> None:
    """Beef and Chicken are each held by three of ten; Meat by six."""
    taxonomy = food()
    bags = on(taxonomy, [["Beef"]] * 3 + [["Chicken"]] * 3 + [["Milk"]] * 4)
    with refuses("sensitive-item-too-frequent", value=0.6, limit=0.5):
        applied(Shoal(k=3, sensitive="under:Meat"), bags, taxonomy)
    release = applied(Shoal(k=3, sensitive="under:Meat", h=0.6), bags, taxonomy)
    assert set(published(release)) == {("Food",)}
    assert SensitiveShare(h=0.6, items="under:Meat").check(release, on_nodes(bags, taxonomy)).achieved == {"h": 0.6, "named": 0}


@pytest.mark.parametrize("written", ["beef", "BEEF", "Beefs", " be-ef", "Bèef"])
def test_names_match_whatever_their_case_plural_and_accents(written: str) -> None:
    taxonomy = food()
    bags = on(taxonomy, [["Beef", "Apple"]] * 3 + [["Apple", "Milk"]] * 6)
    release = applied(Shoal(k=3, sensitive={written}), bags, taxonomy)
    assert set(published(release)) == {("Apple", "Food"), ("Apple", "Milk")} or set(published(release)) == {("Apple", "Food")}
    assert SensitiveShare(items={written}).check(release, on_nodes(bags, taxonomy)).holds


def test_names_that_match_nothing_are_refused(tmp_path: Path) -> None:
    bags = on(food(), TABLE_5_1)
    with refuses("items-not-in-data", items=["Bief"]):
        applied(Shoal(k=2, sensitive={"Bief", "Beef"}), bags, food())
    with refuses("items-not-in-data", items=["Fish"]):
        applied(Shoal(k=2, sensitive="under:Fish"), bags, food())
    nobody = on(food(), [["Milk"]] * 4)
    with refuses("items-not-in-data", items=["Beef"]):
        applied(Shoal(k=2, sensitive={"Beef"}), nobody, food())
    with refuses("file-not-read"):
        applied(Shoal(k=2, sensitive=str(tmp_path / "terms.txt")), bags, food())
    with refuses("file-not-found"):
        with_files_read(Shoal(k=2, sensitive=str(tmp_path / "absent.txt")))


def test_what_cannot_be_is_refused_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> Ints:
        raise AssertionError("groups were formed although no release exists")

    monkeypatch.setattr(Shoal, "_cluster", never)
    bags = on(food(), [["Beef"]] * 30 + [["Milk"]] * 20)
    with refuses("sensitive-item-too-frequent", value=0.6, limit=0.5):
        applied(Shoal(k=2, sensitive={"Beef", "Milk"}), bags, food())
    few = on(food(), [["Beef"]] * 3 + [["Milk"]] * 2)
    with pytest.raises(Infeasible) as raised:  # an item of few people is not named
        applied(Shoal(k=2, sensitive={"Beef", "Milk"}), few, food())
    assert "Beef" not in str(raised.value) and "number 1 of 2 by name" in str(raised.value)


@pytest.mark.parametrize("effort", ["fast", "balanced"])
@pytest.mark.parametrize("people", [700, 300])
def test_threads_and_order_do_not_matter(effort: str, people: int) -> None:
    """Many records are identical without their sensitive items: which of them has one must not depend on the order either."""
    rng = np.random.default_rng(3)
    taxonomy = tree([-1, *[0] * 4, *[1] * 0, *[4] * 6])
    leaves = np.array([1, 2, 3, *range(5, 11)])
    bags = numbered(taxonomy, [rng.choice(leaves, rng.integers(1, 4), replace=False).tolist() for _ in range(700)])
    owners = np.arange(700) if people == 700 else rng.integers(0, people, 700)
    bags = Bags(bags.indptr, bags.items, bags.counts, owners, bags.vocabulary)
    method = Shoal(k=3, sensitive={"n6", "n7"}, h=0.4 if people == 700 else 0.6, effort=effort)
    with kernels.using(threads=1):
        one = published(applied(method, bags, taxonomy))
    with kernels.using(threads=4):
        other = bags.select(rng.permutation(len(bags)))
        renamed = Bags(other.indptr, other.items, other.counts, rng.permutation(people)[other.owners], other.vocabulary)
        assert published(applied(method, renamed, taxonomy)) == one


# -- mutations: what the method uses is broken, and the judge must refuse


def judged(release: Release, bags: Bags, taxonomy: Taxonomy) -> bool:
    return SensitiveShare(h=0.5, items={"bottled beer"}).check(release, on_nodes(bags, taxonomy)).holds


def test_the_judge_refuses_where_the_method_merges_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    bags, taxonomy = baskets()
    method = Shoal(k=5, sensitive={"bottled beer"}, h=0.5)
    assert judged(applied(method, bags, taxonomy), bags, taxonomy)

    def unmerged(bags: Bags, taxonomy: Taxonomy, groups: Ints, *_: Any) -> tuple[Ints, Bags]:
        return groups, method_file.meet(bags, taxonomy, groups)

    monkeypatch.setattr(method_file, "within_share", unmerged)
    assert not judged(applied(method, bags, taxonomy), bags, taxonomy)


def test_the_judge_refuses_where_the_method_overlooks_a_node(monkeypatch: pytest.MonkeyPatch) -> None:
    bags, taxonomy = baskets()
    other = SensitiveNodes.of(taxonomy, Shoal(sensitive={"wine"}).sensitive)  # type: ignore[arg-type]
    monkeypatch.setattr(SensitiveNodes, "of", classmethod(lambda *_: other))
    release = applied(Shoal(k=4, sensitive={"bottled beer"}, h=0.5), bags, taxonomy)
    assert not judged(release, bags, taxonomy)


def test_the_judge_refuses_where_the_method_publishes_the_item(monkeypatch: pytest.MonkeyPatch) -> None:
    taxonomy = Taxonomy.from_parents(ALE)
    bags = on(taxonomy, [["bottled beer", "bread"]] * 5 + [["cake", "wine"]] * 15)
    monkeypatch.setattr(SensitiveNodes, "harmless", lambda self: np.arange(len(self.taxonomy), dtype=np.int32))
    monkeypatch.setattr(method_file, "within_share", lambda b, t, g, *_: (g, method_file.meet(b, t, g)))
    assert not judged(applied(Shoal(k=5, sensitive={"bottled beer"}), bags, taxonomy), bags, taxonomy)
