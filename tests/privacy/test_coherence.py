"""The judge of coherence: strict about people, about what was changed, and about what it was asked."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.errors import refuses
from helpers.itemsets import bags_of, on_nodes
from shoal.data.bags import Bags
from shoal.data.release import Release, Secret
from shoal.data.taxonomy import Taxonomy
from shoal.methods import Cohesion
from shoal.privacy import MODELS, Coherence, PublicKAnonymity
from shoal.taxonomy.place_terms import place_terms

RECORDS = ["a b flu", "a b", "a b", "a flu", "a c", "c flu", "c", "c b"]
CLAIM = Coherence(h=0.7, k=2, p=2, private={"flu"})


@pytest.fixture
def original():
    return on_nodes(RECORDS)


def tampered(original, records: list[str]) -> Release:
    codes = [sorted(original.taxonomy.names.codes(record.split()).tolist()) for record in records]
    rows = bags_of(codes, len(original.taxonomy))
    published = Bags(rows.indptr, rows.items, rows.counts, rows.owners, original.taxonomy.names)
    return Release.of_bags(published, np.ones(len(records), np.int64), secret=Secret(np.arange(len(records))))


HONEST = ["a flu", "a", "a", "a flu", "a c", "c flu", "c", "c"]


def test_an_honest_release_holds(original):
    claim = Coherence(h=0.7, k=2, p=1, private={"flu"})
    verdict = claim.check(tampered(original, HONEST), original)
    assert verdict.holds
    assert verdict.achieved == {"records": 4, "breach": 0.4, "p": 1}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({0: "a b flu", 1: "a b"}, "changed in some records but not in all"),
        ({0: "a"}, "items that are private were changed"),
        ({6: "a c"}, "match nothing in their record"),
        ({6: "c flu"}, "match nothing in their record"),
        ({6: "c everything"}, "match nothing in their record"),
    ],
)
def test_a_changed_release_fails(original, change: dict[int, str], says: str):
    records = [change.get(i, record) for i, record in enumerate(HONEST)]
    verdict = Coherence(h=1.0, k=2, p=1, private={"flu"}).check(tampered(original, records), original)
    assert not verdict.holds
    assert any(says in witness for witness in verdict.witnesses), verdict.witnesses


def test_lost_and_withheld_records_are_seen(original):
    release = tampered(original, HONEST)
    lost = Release.of_bags(release.published, np.array([2, *[1] * 7]), secret=release.secret)
    assert "records were lost or added without being accounted for" in CLAIM.check(lost, original).witnesses
    withheld = Release.of_bags(release.published, release.copies.copy(), secret=Secret(np.array([-1, *range(1, 8)])))
    assert "1 non-empty records were suppressed" in CLAIM.check(withheld, original).witnesses


def test_witnesses_are_counts_and_what_few_hold_is_named_apart():
    verdict = CLAIM.check(Release.from_records(Bags.from_lists(r.split() for r in RECORDS)))
    assert not verdict.holds
    assert "{a, c} has only 1 match" in verdict.rare
    assert not any("{" in witness for witness in verdict.witnesses)
    assert "{" not in str(verdict.as_dict()["witnesses"])
    assert any("may be lower" in note for note in verdict.notes)


def test_a_private_item_given_away_is_named():
    bags = Bags.from_lists([["a", "flu"], ["a", "flu"], ["b"], ["b"], ["b"]])
    verdict = Coherence(h=0.5, k=2, p=1, private={"flu"}).check(Release.from_records(bags))
    assert "{a} reveals 'flu' with a confidence of 100%" in verdict.witnesses
    assert verdict.achieved["breach"] == 1.0


def test_a_private_item_given_away_by_fewer_than_k_is_named_apart():
    bags = Bags.from_lists([["a", "flu"], ["a", "flu"], ["a"], ["b"], ["b"], ["b"]])
    verdict = Coherence(h=0.5, k=3, p=1, private={"flu"}).check(Release.from_records(bags))
    assert "{a} reveals 'flu' with a confidence of 66.7%" in verdict.rare
    assert not any("flu" in witness for witness in verdict.witnesses)


def test_copies_count_as_records():
    bags = Bags.from_lists([["a"], ["b"]])
    assert Coherence(k=3, p=1).check(Release.of_bags(bags, np.array([3, 4]))).achieved["records"] == 3
    assert not Coherence(k=4, p=1).check(Release.of_bags(bags, np.array([3, 4]))).holds


def test_people_are_counted_where_they_are_known():
    rows = [{0}, {0}, {0}, {1}, {1}, {1}]
    tree = Taxonomy.from_parents({"all": None, "i0": "all", "i1": "all"})
    lone = place_terms(bags_of(rows, 2, [7, 7, 7, 1, 2, 3]), tree, scope="whole")
    release = Release.of_bags(lone.bags, np.ones(6, np.int64), secret=Secret(np.arange(6)))
    claim = Coherence(k=3, p=1)
    assert claim.check(Release.from_records(lone.bags)).holds
    verdict = claim.check(release, lone)
    assert not verdict.holds
    assert "{i0} has only 1 match" in verdict.rare


def test_a_private_item_is_judged_by_records_and_by_people():
    # Item 0 is held by three people in four records. Private item 1: half of the records but two thirds of the people.
    rows = [{0, 1}, {0}, {0}, {0, 1}, {2}, {2}, {2}, {2}, {2}]
    owners = [1, 2, 2, 3, 4, 5, 6, 7, 8]
    tree = Taxonomy.from_parents({"all": None, "i0": "all", "i1": "all", "i2": "all"})
    original = place_terms(bags_of(rows, 3, owners), tree, scope="whole")
    release = Release.of_bags(original.bags, np.ones(9, np.int64), secret=Secret(np.arange(9)))
    claim = Coherence(h=0.6, k=2, p=1, private={"i1"})
    assert claim.check(Release.from_records(original.bags)).achieved["breach"] == 0.5
    verdict = claim.check(release, original)
    assert not verdict.holds
    assert verdict.achieved["breach"] == 0.666667


def test_repeated_items_are_knowledge_too():
    verdict = Coherence(k=2, p=1).check(Release.from_records(Bags.from_lists([["a", "a"], ["a"]])))
    assert not verdict.holds
    assert "repeated" in verdict.witnesses[0]


def test_fewer_than_k_records_fail_by_the_empty_set():
    verdict = Coherence(k=3, p=1).check(Release.from_records(Bags.from_lists([[], []])))
    assert not verdict.holds
    assert "{} has only 2 matches" in verdict.rare


def test_nothing_published_breaks_nothing():
    verdict = Coherence(k=3, p=2, h=0.1).check(Release.from_records(Bags.from_lists([])))
    assert verdict.holds
    assert verdict.achieved == {"records": 0, "breach": 0.0, "p": 2}


def test_names_that_are_not_there_are_told(original):
    release = Release.from_records(Bags.from_lists([["a", "flu"], ["a"], ["a"]]))
    verdict = Coherence(k=2, p=1, private={"flu", "typo"}).check(release)
    assert "1 of 2 named private items do not occur" in verdict.notes
    with refuses("items-not-in-data"):
        Coherence(k=2, p=1, private={"typo"}).check(release)
    with refuses("items-not-in-data"):
        Coherence(k=2, p=1, private={"typo"}).check(tampered(original, HONEST), original)


def test_items_under_a_node_need_the_taxonomy():
    data = on_nodes(["a flu", "a cold", "a", "a", "a"], under={"flu": "illness", "cold": "illness"})
    claim = Coherence(h=0.3, k=2, p=1, private="under:illness")
    release = Cohesion(h=0.3, k=2, p=1, private="under:illness").apply(data)
    assert claim.check(release, data).achieved == {"records": 5, "breach": 0.2, "p": 1}
    with refuses("needs-taxonomy"):
        claim.check(Release.from_records(release.published))


def test_p_of_eight_on_a_dense_release():
    rng = np.random.default_rng(8)
    rows = [set(np.flatnonzero(rng.random(12) < 0.9).tolist()) for _ in range(400)]
    bags = bags_of(rows, 12)
    verdict = Coherence(k=2, p=8, h=1.0).check(Release.from_records(bags))
    # The rarest occurring set of at most eight items, counted directly.
    table = np.array([[i in row for i in range(12)] for row in rows])
    from itertools import combinations

    fewest = min(n for s in combinations(range(12), 8) if (n := int(table[:, list(s)].all(1).sum())))
    assert verdict.achieved["records"] == fewest
    assert verdict.holds == (fewest >= 2)


def test_claims_can_be_written_and_read_back():
    claim = Coherence(h=0.25, k=7, p=3, private={"a|b", "c, d", "100% (sure)"})
    assert MODELS.make(str(claim)) == claim
    assert MODELS.make("coherence(h=0.8,k=2,p=2,private=under:disease)").private.under == "disease"


def test_public_parts_must_be_shared():
    data = on_nodes(["a flu", "a", "b cold", "b"])
    model = PublicKAnonymity(k=2, private={"flu", "cold"})
    assert model.check(Release.from_records(data.bags)).achieved["records"] == 2
    assert not PublicKAnonymity(k=2).check(Release.from_records(data.bags)).holds


def test_a_claim_keeps_the_methods_promise_if_only_the_names_of_items_differ():
    promise = Coherence(h=0.5, k=3, p=2, private="private.txt")
    assert Coherence(h=0.5, k=3, p=2, private={"flu"}).keeps(promise)
    assert not Coherence(h=0.6, k=3, p=2, private={"flu"}).keeps(promise)
    assert not Coherence(h=0.5, k=3, p=1, private={"flu"}).keeps(promise)
    assert not Coherence(h=0.5, k=3, p=2).keeps(promise)
    assert not PublicKAnonymity(k=3, private={"flu"}).keeps(promise)
