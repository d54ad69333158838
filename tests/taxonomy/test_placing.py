"""Original: terms become nodes; what the taxonomy does not know is kept, dropped or refused, and counted."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import food, names_of
from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.place_terms import UNLISTED, frequent_unknown_terms, place_terms, restricted

RECORDS = [["Apple", "Apple", "soap"], ["Beef", "pen", "soap"], ["pen"], []]


def parents(taxonomy: Taxonomy) -> dict[str, str]:
    names = taxonomy.names
    return {names[i]: names[int(p)] for i, p in enumerate(taxonomy.parent) if p >= 0}


def told(found: Original) -> tuple[int, ...]:
    return (
        found.typed.occurrences,
        found.steps.unknown_kept,
        found.steps.unknown_dropped,
        found.steps.repeats_dropped,
        found.steps.unknown_terms,
    )


def test_unknown_terms_are_kept_under_a_shelf_of_their_own() -> None:
    found = place_terms(Bags.from_lists(RECORDS), food())
    assert names_of(found.bags) == [tuple(sorted(record)) for record in RECORDS]
    assert parents(found.taxonomy) == {
        "Fruit": "Food",
        "Apple": "Fruit",
        "Meat": "Food",
        "Beef": "Meat",
        UNLISTED: "Food",
        "pen": UNLISTED,
        "soap": UNLISTED,
    }
    assert told(found) == (7, 4, 0, 0, 2)


def test_unknown_terms_are_dropped_and_counted() -> None:
    found = place_terms(Bags.from_lists(RECORDS), food(), unknown="drop")
    assert names_of(found.bags) == [("Apple", "Apple"), ("Beef",), (), ()]
    assert UNLISTED not in parents(found.taxonomy)
    assert told(found) == (7, 0, 4, 0, 2)


def test_unknown_terms_are_refused() -> None:
    with refuses("terms-not-in-taxonomy"):
        place_terms(Bags.from_lists(RECORDS), food(), unknown="refuse")
    known = Bags.from_lists(RECORDS).select([3])
    assert told(place_terms(known, food(), unknown="refuse")) == (0, 0, 0, 0, 0)


def test_the_whole_tree_or_what_is_used_of_it() -> None:
    bags = Bags.from_lists([["Apple"], ["Meat"]])
    used = place_terms(bags, food()).taxonomy
    assert used.names.names.to_list() == ["Food", "Fruit", "Apple", "Meat"]
    assert used.n_leaves == 2
    whole = place_terms(bags, food(), scope="whole").taxonomy
    assert whole.names.names.to_list() == food().names.names.to_list()


def test_the_loss_is_kept() -> None:
    bags = Bags.from_lists(RECORDS)
    for scope in ("used", "whole"):
        assert place_terms(bags, food().with_loss("height"), scope=scope).taxonomy.loss_name == "height"


def test_as_sets_a_node_counts_once_a_record() -> None:
    found = place_terms(Bags.from_lists(RECORDS), food(), as_sets=True)
    assert names_of(found.bags)[0] == ("Apple", "soap")
    assert told(found) == (7, 4, 0, 1, 2)


def test_two_terms_of_one_node_are_one_item() -> None:
    class Lexicon:
        def nodes(self, terms):  # type: ignore[no-untyped-def]
            return np.array([{"apples": 2, "apple": 2}.get(t, -1) for t in terms], np.int32)

    plain = food()
    taxonomy = Taxonomy(plain.names, plain.parent.copy(), lexicon=Lexicon())
    bags = Bags.from_lists([["apples", "apple", "Apple"]])
    found = place_terms(bags, taxonomy)
    assert found.bags.record(0) == {"Apple": 2, f"Apple {UNLISTED}": 1}
    assert place_terms(bags, taxonomy, unknown="drop", as_sets=True).steps.repeats_dropped == 1


def test_terms_that_no_record_holds_leave_no_trace() -> None:
    bags = Bags.from_lists([["Apple"], ["Milk", "soap"]]).select([0])
    found = place_terms(bags, food())
    assert found.taxonomy.names.names.to_list() == ["Food", "Fruit", "Apple"]
    assert told(found) == (1, 0, 0, 0, 0)


def test_the_shelf_finds_a_name_of_its_own() -> None:
    taxonomy = Taxonomy.from_parents({"r": None, UNLISTED: "r", "a": UNLISTED})
    terms = ["a", "x", f"{UNLISTED} {UNLISTED}"]
    found = place_terms(Bags.from_lists([terms]), taxonomy)
    assert len(found.taxonomy) == 6
    assert found.bags.record(0) == dict.fromkeys(terms, 1)


def test_the_shelf_has_not_the_name_of_a_node_that_no_record_uses() -> None:
    """What is published as the user's node must not mean an unknown term, even where the user's node was cut away."""
    taxonomy = Taxonomy.from_parents({"r": None, UNLISTED: "r", "a": "r"})
    found = place_terms(Bags.from_lists([["a", "x"]]), taxonomy, scope="used")
    assert found.taxonomy.names.names.to_list() == ["r", "a", f"{UNLISTED} {UNLISTED}", "x"]


def test_a_term_called_like_the_shelf_is_still_a_term() -> None:
    terms = ["Apple", UNLISTED, f"{UNLISTED} {UNLISTED}"]
    found = place_terms(Bags.from_lists([terms]), food())
    assert found.bags.record(0) == dict.fromkeys(terms, 1)
    shelf = found.taxonomy.unlisted
    assert shelf is not None
    assert shelf not in found.bags.items
    assert len(found.taxonomy.children(shelf)) == 2


def test_records_without_anything() -> None:
    for bags in (Bags.from_lists([]), Bags.from_lists([[], []])):
        found = place_terms(bags, food())
        assert len(found.bags) == len(bags)
        assert found.taxonomy.names.names.to_list() == ["Food"]


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.lists(st.sampled_from(["Apple", "Fruit", "Milk", "soap", "pen", "cup"]), max_size=4), max_size=6),
    st.randoms(),
)
def test_the_order_of_records_does_not_matter(records: list[list[str]], random) -> None:
    shuffled = records.copy()
    random.shuffle(shuffled)
    one, other = (place_terms(Bags.from_lists(some), food()) for some in (records, shuffled))
    assert one.taxonomy.names.names.to_list() == other.taxonomy.names.names.to_list()
    assert sorted(names_of(one.bags)) == sorted(names_of(other.bags)) == sorted(tuple(sorted(r)) for r in records)


def test_restricted_numbers_nodes_anew() -> None:
    cut, renumbered = restricted(food(), np.array([8, 10], np.int32))
    assert cut.names.names.to_list() == ["Food", "Dairy", "Cheese"]
    assert [cut.names[renumbered[i]] for i in (0, 8, 10)] == [food().names[i] for i in (0, 8, 10)]
    assert renumbered[1] == -1


def test_frequent_unknown_terms_by_falling_count_then_name() -> None:
    bags = Bags.from_lists([["soap", "soap", "pen"], ["cup", "pen", "Apple"]])
    assert frequent_unknown_terms(bags, food())[:2] == [("pen", 2), ("soap", 2)]
    assert frequent_unknown_terms(bags, food())[-1] == ("cup", 1)
