"""Recoded items, classes of records and published columns in hand-made cases at the limits of their judges."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.data import food, on, on_nodes
from helpers.item_tables import LEVELS, REGIONS
from shoal.data.bags import Bags
from shoal.data.items import Items
from shoal.data.original import TableOriginal
from shoal.data.release import Release, Secret
from shoal.data.table import Attribute, Table
from shoal.data.tables.rows import RowTable
from shoal.data.taxonomy import Taxonomy
from shoal.privacy import MicrodataKAnonymity
from shoal.privacy.evidence import equivalence_classes, generalized_columns
from shoal.privacy.evidence.claimed_item_roles import roles_of
from shoal.privacy.evidence.equivalence_classes import ClassCounts, classes_of, find_origins, judge_counts
from shoal.privacy.evidence.generalized_columns import classes_without_rows, penalty
from shoal.privacy.evidence.global_recoding import recoding_defects
from shoal.privacy.evidence.microdata_evidence import RowClasses, classes_of_rows, is_centroid, people_of_classes
from shoal.privacy.evidence.numbered_words import different_pairs

# -- one recoding everywhere


def recoding(tree: Taxonomy, records: list[list[str]], published: list[list[str]], private: str = "") -> str:
    """The faults of records that are published one by one; all other items are public."""
    original = on_nodes(on(tree, records), tree)
    release = Release.of_bags(on(tree, published), np.ones(len(published), np.int64), secret=Secret(np.arange(len(published))))
    roles = roles_of(tree.names, Items(names=frozenset({private})) if private else None, None, tree, strict=True)
    return " ".join(recoding_defects(original, release, roles))


@pytest.mark.parametrize("above", ["Fruit", "Food"])
def test_an_item_is_not_published_together_with_one_above_it(above: str) -> None:
    """Not even if all records with the item have both, nor in the first record alone."""
    tree, records = food(), [["Apple", "Milk"], ["Apple"], ["Beef"]]
    every = [sorted({*record, above}) if "Apple" in record else record for record in records]
    assert recoding(tree, records, every) == "2 published items match nothing in their record"
    assert recoding(tree, records, [sorted({"Apple", "Milk", above}), *records[1:]]) == "1 published items match nothing in their record"
    assert recoding(tree, records, [[above, "Milk"], [above], ["Beef"]]) == ""
    assert recoding(tree, records, [[above, "Milk"], [above], ["Beef"]], "Apple") != ""
    assert recoding(tree, records, [["Milk"], [], ["Beef"]]) == ""


def test_ancestors_at_several_heights() -> None:
    """One item is replaced by its parent, another by a node far above it."""
    tree = Taxonomy.from_parents({"top": None, "A": "top", "a": "A", "B": "top", "C": "B", "D": "C", "b": "D"})
    records = [["a", "b"], ["a"], ["b"]]
    for node in ("D", "C", "B", "top"):
        assert recoding(tree, records, [sorted({"A", node}), ["A"], [node]]) == "", node
        assert recoding(tree, records, [sorted({"A", node}), ["A"], ["b"]]) != "", node


# -- classes of records


def test_counts_of_workers_are_true_by_default() -> None:
    assert judge_counts("k-anonymity", 2, ClassCounts(2, 2, 0, 0, 0)).holds
    assert not judge_counts("k-anonymity", 2, ClassCounts(2, 2, 0, 0, 0, untrue=1)).holds


def test_classes_of_records_without_copies() -> None:
    bags = Bags.from_lists([["a"], ["b"], ["a"], []])
    for copies, sizes, label in (
        ([1, 2, 3, 4], [4, 2, 4], [0, 1, 0, 2]),
        ([1, 0, 3, 4], [4, 4], [0, -1, 0, 1]),
        ([0, 1, 0, 0], [1], [-1, 0, -1, -1]),
    ):
        found = classes_of(Release.of_bags(bags, np.array(copies, np.int64)))
        assert found.sizes.tolist() == sizes and [max(-1, n) for n in found.label.tolist()] == label
    nothing = classes_of(Release.of_bags(bags.select(np.zeros(0, np.int64)), np.zeros(0, np.int64)))
    assert (len(nothing.label), len(nothing.sizes), nothing.smallest) == (0, 0, 0)


def test_classes_with_too_many_originals_are_left_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five originals below the one class and two below the other: only the records of decided classes can lack an original."""
    tree = food()
    original = on_nodes(on(tree, [["Apple"]] * 5 + [["Milk"]] * 2), tree)
    for fruit, dairy, most, unmatched, undecided in (
        *((5, 2, 7, 0, 0), (5, 3, 7, 1, 0), (6, 3, 7, 2, 0)),
        *((5, 2, 6, 0, 1), (5, 3, 6, 1, 1), (6, 3, 6, 1, 1), (6, 3, 1, 0, 2)),
    ):
        monkeypatch.setattr(equivalence_classes, "MOST_PAIRS", most)
        published = Release.of_bags(on(tree, [["Fruit"], ["Dairy"]]), np.array([fruit, dairy], np.int64))
        found = find_origins(published, original)
        assert (found.unmatched, found.undecided_classes) == (unmatched, undecided), (fruit, dairy, most)


# -- microdata


def test_sizes_of_classes_of_rows() -> None:
    assert RowClasses(np.arange(2), np.array([2, 3])).shorter_than(3) == ["2 rows are in 1 classes of fewer than 3; the smallest has 2"]
    assert RowClasses(np.arange(2), np.array([3, 3])).shorter_than(3) == []
    nothing = classes_of_rows(pl.DataFrame({"a": []}), ["a"])
    assert (len(nothing.label), len(nothing.sizes), nothing.smallest) == (0, 0, 0)
    assert people_of_classes(nothing, np.zeros(0, np.int64), Secret(np.zeros(0, np.int64))) == (0, "")


def numbers(**columns: list[float]) -> tuple[Attribute, ...]:
    return tuple(Attribute(name, "numeric", pl.Series(values, dtype=pl.Float64)) for name, values in columns.items())


def faults(attributes: tuple[Attribute, ...], published: dict[str, list[Any]], rows: list[int] | None = None) -> str:
    quasi = [attribute.name for attribute in attributes if attribute.quasi]
    n = len(attributes[0].values)
    release = Release({"microdata": RowTable(pl.DataFrame(published))}, secret=None if rows is None else Secret(np.array(rows, np.int64)))
    return " ".join(MicrodataKAnonymity(k=2, columns=quasi).check(release, TableOriginal(Table(attributes, np.arange(n)))).witnesses)


def test_numbers_beyond_those_of_the_original() -> None:
    """A mean is between the lowest and the highest value of its column: the total alone would accept these."""
    beyond = "1 columns contain values that no rows of the original yield, the first of them 'age'"
    ages = [1.0, 1.0, 3.0, 3.0]
    assert faults(numbers(age=ages), {"age": [2.0] * 4}) == faults(numbers(age=ages), {"age": ages}) == ""
    assert faults(numbers(age=ages), {"age": [-5.0, -5.0, 9.0, 9.0]}) == beyond
    assert faults(numbers(age=ages), {"age": [0.0, 0.0, 4.0, 4.0]}) == beyond
    assert beyond in faults(numbers(age=ages), {"age": [2.0**60, 2.0**60, -(2.0**60), -(2.0**60)]}), "whose rounding hides the total"
    assert beyond in faults(numbers(age=ages, size=[1.0] * 4), {"age": [3.5, 3.5, 1.0, 1.0], "size": [1.0] * 4})
    assert "the first of them 'age'" in faults(numbers(age=ages, size=ages), {"age": [0.0, 0.0, 4.0, 4.0], "size": [0.0, 0.0, 4.0, 4.0]})
    thirds = [0.1, 0.1, 0.1]
    mean = sum(thirds) / 3
    assert mean > 0.1 and faults(numbers(age=thirds), {"age": [mean] * 3}) == "", "the last digit is rounded"
    below = float(np.nextafter(0.1, 0))
    assert faults(numbers(age=thirds), {"age": [below] * 3}) == ""
    for far in (np.nextafter(mean, 1), np.nextafter(below, 0)):
        assert faults(numbers(age=thirds), {"age": [float(far)] * 3}).startswith(beyond)


def test_totals_up_to_rounding() -> None:
    """The tolerance is relative to the largest value: of two rows, 2 units in the last place of a number from 0.5 to 1."""
    wrong = "the mean of 1 columns is not that of the original: 'age'"
    for scale in (1.0, 2.0**30, 2.0**-30):
        ages = [0.5 * scale, 0.75 * scale]
        limit = 2 * 2.0**-52 * scale
        for low, high, fits in ((limit, 0.0, True), (2 * limit, -limit, True), (limit, limit, False), (limit + 2.0**-52 * scale, 0, False)):
            found = [0.625 * scale + low, 0.625 * scale + high]
            assert (wrong in faults(numbers(age=ages), {"age": found})) == (not fits), (scale, low, high)
    huge = [1e15 + i for i in range(40)]
    assert wrong not in faults(numbers(age=[*huge, 0.5]), {"age": [sum(huge) / 40] * 40 + [0.5]})


def test_one_class_of_several_is_wrong() -> None:
    ages, rows = [1.0, 3.0, 5.0, 7.0], [0, 1, 2, 3]
    assert faults(numbers(age=ages), {"age": [2.0, 2.0, 6.0, 6.0]}, rows) == ""
    for published, n in (([2.0, 2.0, 6.5, 6.5], 1), ([2.5, 2.5, 6.0, 6.0], 1), ([2.5, 2.5, 5.5, 5.5], 2), ([4.0] * 4, 0)):
        text = f"{n} classes do not have the means of their rows" * bool(n)
        assert faults(numbers(age=ages), {"age": published}, rows) == text


def test_values_that_a_column_cannot_have() -> None:
    ages = numbers(age=[1.0, 3.0])
    assert "missing or not a finite number" in faults(ages, {"age": ["2.0", "two"]})
    assert faults(ages, {"age": ["2.0", "2.0"]}) == ""
    kept = Attribute("size", "numeric", pl.Series([1.0, 2.0]), quasi=False)
    assert faults((*ages, kept), {"age": [2.0, 2.0], "size": ["1.0", "2.0"]}) == ""
    assert faults((*ages, kept), {"age": [2.0, 2.0], "size": ["1.0", "x"]}) != ""
    school = Attribute("school", "ordinal", pl.Series(["low", "low", "high", "high"]), levels=LEVELS)
    beyond = "1 columns contain values that no rows of the original yield, the first of them 'school'"
    assert faults((school,), {"school": ["low", "low", "top", "top"]}) == beyond
    assert faults((school,), {"school": ["low", "low", "low", "low"]}) == ""


def test_centroids_at_their_limits() -> None:
    school = Attribute("school", "ordinal", pl.Series(["low"]), levels=LEVELS)
    for values, median in (
        (["low", "middle", "high"], "middle"),
        (["high", "low"], "low"),
        (["high", "middle", "low", "high"], "middle"),
        (["middle", "high", "high", "low", "low", "high"], "middle"),
    ):
        assert [is_centroid(school, level, values) for level in LEVELS] == [level == median for level in LEVELS]
    town = Attribute("town", "hierarchical", pl.Series(["Ulm"]), hierarchy=REGIONS)
    assert is_centroid(town, "Germany", ["Ulm", "Kiel"]) and not is_centroid(town, "Rome", ["Ulm", "Kiel"])


# -- generalized columns


def test_penalties_of_columns_of_few_values() -> None:
    both, alone = (Attribute("sex", "nominal", pl.Series(values)) for values in (["f", "m"], ["f", "f"]))
    assert (penalty(both, "f"), penalty(both, "f|m"), penalty(alone, "f")) == (0, 1, 0)
    ranks, rank = (Attribute("rank", "ordinal", pl.Series(values)) for values in ([1.0, 2.0], [1.0, 1.0]))
    assert (penalty(ranks, "1"), penalty(ranks, "1..2"), penalty(rank, "1")) == (0, 1, 0)
    for towns, share in ((["South", "Ulm"], 2 / 3), (["South", "Kiel"], 0), (["Ulm", "Munich"], 2 / 3)):
        assert penalty(Attribute("town", "hierarchical", pl.Series(towns), hierarchy=REGIONS), "South") == pytest.approx(share)


def test_too_many_rows_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two classes and three rows are six pairs."""
    table = Table(numbers(age=[1.0, 2.0, 3.0]), np.arange(3))
    frame, label = pl.DataFrame({"age": ["1..2", "1..2", "4"]}), np.array([0, 0, 1])
    for most, found in ((6, (1, False)), (5, (0, True)), (2, (0, True))):
        monkeypatch.setattr(generalized_columns, "MOST_COMPARED", most)
        assert classes_without_rows(table, frame, label) == found


# -- pairs of numbers


@pytest.mark.parametrize(("first", "second"), [(2**32, 2**31 - 1), (2**31, 2**32 - 1), (2**32 - 1, 2**31 - 1), (2**62, 0), (2**62, 1)])
def test_pairs_at_the_limit_of_one_number(first: int, second: int) -> None:
    rng = random.Random(first + second)
    pairs = [(first, second), (first, 0), (0, second), (first - 1, second), (first, min(5, second)), (0, 0)]
    drawn = [rng.choice(pairs) for _ in range(20)] + pairs
    found = different_pairs(*(np.array([pair[side] for pair in drawn], np.int64) for side in (0, 1)))
    assert list(zip(found[0].tolist(), found[1].tolist(), strict=True)) == sorted(set(pairs))
