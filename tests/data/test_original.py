"""Original: words are counted by what preparation made of them, and a release is read in the original's vocabulary, or refused."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.data import food, on
from helpers.errors import refuses
from shoal.data.bags import Bags, Vocabulary
from shoal.data.original import Original
from shoal.data.release import Release, Secret
from shoal.data.taxonomy import Taxonomy
from shoal.metrics import METRICS, measure
from shoal.privacy.coherence import Coherence
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.public_k_anonymity import PublicKAnonymity
from shoal.taxonomy.place_terms import as_typed, place_terms
from shoal.taxonomy.wordnet import wordnet

RECORDS = [["automobile", "flu"], ["automobile", "flu"], ["car", "Flu", "qwrtzk"]]


def everything(original: Original, published: Bags) -> Release:
    """A release in which record i became row i."""
    n = len(published)
    return Release.of_bags(published, np.ones(n, np.int64), secret=Secret(np.arange(n, dtype=np.int64)))


def test_every_word_falls_into_one_step() -> None:
    found = place_terms(Bags.from_lists([*RECORDS, ["Car"]]), wordnet(), fold=True, stop_words=2).steps
    assert found.ledger.as_dict() == {
        "in": 10,
        "unchanged": 1,  # car
        "lower-cased": 1,  # Car
        "under another name": 5,  # automobile, flu and Flu, which is influenza
        "not in the taxonomy": 1,
        "dropped: stop words and single letters": 2,
    }


def test_names_stay_as_typed_without_a_taxonomy() -> None:
    found = as_typed(Bags.from_lists(RECORDS))
    assert [sorted(r) for r in found.bags.to_polars().to_list()] == [sorted(r) for r in RECORDS]
    assert found.steps.ledger.as_dict() == {"in": 7, "unchanged": 7}
    assert not found.on_taxonomy


def test_the_typed_tree_does_not_depend_on_the_order_of_records_nor_on_a_name() -> None:
    names = [["b", "(anything)"], ["a"], ["((anything))"]]
    one, other = (as_typed(Bags.from_lists(r)) for r in (names, names[::-1]))
    assert one.tree.names.names.to_list() == other.tree.names.names.to_list()
    assert one.tree.names[0] not in {"b", "a", "(anything)", "((anything))"}


def test_what_is_published_under_another_name_was_not_typed_so() -> None:
    """Of 'automobile', 'automobile', 'car' on the node *car*, only the last is published as typed."""
    original = place_terms(Bags.from_lists([["automobile"], ["automobile"], ["car"], ["automobile", "car"]]), wordnet(), as_sets=True)
    assert original.misspelled(original.bags, np.arange(4)) == 2
    assert original.misspelled(original.bags, np.array([0, -1, 2, 3])) == 1


def test_in_bags_each_occurrence_is_told_apart() -> None:
    original = place_terms(Bags.from_lists([["automobile", "car", "car"]]), wordnet())
    one_car = original.bags.as_sets()
    assert original.misspelled(original.bags, np.array([0])) == 1
    assert original.misspelled(one_car, np.array([0])) == 0  # the one that is published may be the one that was typed


# -- one vocabulary

SHUFFLED = Vocabulary(sorted(food().names.names.to_list(), reverse=True))
BASKETS = [["Apple", "Beef"], ["Apple", "Milk"]]


def reversed_vocabulary(bags: Bags) -> Bags:
    return bags.relabelled(SHUFFLED.codes(bags.vocabulary.names), SHUFFLED)


def test_a_release_in_another_vocabulary_is_measured_by_names() -> None:
    """Numbers of one vocabulary mean other nodes in another: compared as numbers, what is unchanged seemed lost and the reverse."""
    original = Original.on(on(food(), BASKETS), food())
    root = on(food(), [["Food"], ["Food"]])
    same = measure(everything(original, root), original, ["loss", "ggd", "mean_level", "frequency_distance"])
    assert same["loss"] == 1.0
    assert measure(everything(original, reversed_vocabulary(root)), original, list(same)) == same
    unchanged = everything(original, reversed_vocabulary(original.bags))
    assert METRICS["loss"].measure(unchanged, original) == 0.0
    assert (
        KAnonymity(k=2).check(unchanged, original).witnesses
        == KAnonymity(k=2).check(everything(original, original.bags), original).witnesses
    )


def test_a_release_with_foreign_names_is_refused_everywhere() -> None:
    original = Original.on(on(food(), BASKETS), food())
    foreign = Release.from_records(Bags.from_lists([["Apple", "petrol"], ["Apple"]]))
    assert original.foreign(foreign) == 1
    for ask in (
        lambda: original.aligned(foreign),
        lambda: measure(foreign, original, ["loss"]),
        lambda: METRICS["loss"].measure(foreign, original),
        lambda: KAnonymity(k=2).check(foreign, original),
        lambda: Coherence(k=2).check(foreign, original),
    ):
        with refuses("release-not-of-original", foreign=1):
            ask()


def test_records_of_another_vocabulary_make_no_original() -> None:
    with refuses("taxonomy-mismatch"):
        Original.on(Bags.from_lists(BASKETS), food())


def test_a_metric_that_needs_a_taxonomy() -> None:
    original = as_typed(Bags.from_lists(BASKETS))
    release = Release.from_records(original.bags)
    routine = measure(release, original)
    assert "mean_level" not in routine
    assert routine["loss"] == 0.0
    with refuses("needs-taxonomy"):
        measure(release, original, ["mean_level"])


# -- the judge looks at what was typed


@pytest.mark.parametrize("model", [Coherence(k=2, p=1), PublicKAnonymity(k=2)], ids=lambda model: model.name)
def test_a_name_that_nobody_typed_in_the_record_fails(model: Coherence | PublicKAnonymity) -> None:
    """Records that a preparation renamed, and says that it did not."""
    typed = Bags.from_lists([["automobile"]] * 3)
    renamed = as_typed(Bags.from_lists([["car"]] * 3))
    original = Original(renamed.bags, renamed.tree, typed, np.array([1], np.int32), renamed.steps, None)
    verdict = model.check(everything(original, renamed.bags), original)
    assert not verdict.holds
    assert any("3 published items were not typed in their record" in w for w in verdict.witnesses)
    honest = as_typed(typed)
    assert model.check(everything(honest, honest.bags), honest).holds


def test_under_a_node_means_what_was_typed() -> None:
    """A taxonomy named for a method that needs none says which typed words lie under a node, synonyms too; names stay."""
    from shoal.data.items import Items
    from shoal.itemsets.item_roles import parts_of
    from shoal.itemsets.itemset_support import PRIVATE

    original = as_typed(Bags.from_lists(RECORDS), wordnet())
    parts = parts_of(original.tree.names, Items(under="car"), None, original.taxonomy)
    assert sorted(original.tree.names[int(i)] for i in np.flatnonzero(parts == PRIVATE)) == ["automobile", "car"]
    assert isinstance(original.taxonomy, Taxonomy)
