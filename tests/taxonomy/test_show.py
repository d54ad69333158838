"""Drawing a taxonomy and telling what it covers."""

from __future__ import annotations

import numpy as np

from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.tree_drawing import coverage, draw

FOOD = Taxonomy.from_parents(
    {
        "Food": None,
        "Fruit": "Food",
        "Apple": "Fruit",
        "Orange": "Fruit",
        "Pear": "Fruit",
        "Meat": "Food",
        "Beef": "Meat",
    }
)


def test_the_whole_tree() -> None:
    assert draw(FOOD) == [
        "Food (4 leaves)",
        "├── Fruit (3 leaves)",
        "│   ├── Apple",
        "│   ├── Orange",
        "│   └── Pear",
        "└── Meat (1 leaf)",
        "    └── Beef",
    ]


def test_a_part_of_it() -> None:
    assert draw(FOOD, depth=1) == ["Food (4 leaves)", "├── Fruit (3 leaves)", "└── Meat (1 leaf)"]
    assert draw(FOOD, "Fruit", limit=1) == ["Fruit (3 leaves)", "├── Apple", "└── ... and 2 more"]
    assert draw(FOOD, 1, depth=0) == ["Fruit (3 leaves)"]
    assert draw(FOOD, "Beef") == ["Beef"]


def test_a_node_that_is_not_there() -> None:
    with refuses("unknown-node", value="Aple"):
        draw(FOOD, "Aple")
    with refuses("unknown-node"):
        draw(FOOD, 7)


def test_coverage_counts_terms_occurrences_and_records() -> None:
    bags = Bags.from_lists([["Apple", "Apple", "soap"], ["soap", "pen", "soap"], [], ["Meat"], ["pen"]])
    found = coverage(bags, FOOD, limit=1, people=1)
    assert (found.terms, found.terms_covered) == (4, 2)
    assert (found.occurrences, found.occurrences_covered) == (8, 3)
    assert (found.records, found.records_uncovered, found.records_empty) == (5, 2, 1)
    assert found.missing == (("soap", 3),)
    assert found.share == 3 / 8


def test_terms_of_few_people_are_counted_only() -> None:
    people = np.array([1, 2, 3, 4, 5, 5, 5, 5, 5], np.int64)
    records = Bags.from_lists([["soap"]] * 5 + [["pen"]] * 4)
    found = coverage(Bags(records.indptr, records.items, records.counts, people, records.vocabulary), FOOD)
    assert (found.missing, found.missing_rare) == ((("soap", 5),), 1)


def test_terms_that_no_record_holds_do_not_count() -> None:
    bags = Bags.from_lists([["Apple"], ["soap"]]).select([0])
    found = coverage(bags, FOOD)
    assert (found.terms, found.terms_covered, found.missing) == (1, 1, ())
    assert coverage(bags.select([]), FOOD).share == 1.0
