"""BUIG as the experiments of the thesis are repeated with it, against the printed algorithm line by line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.buig import TALL, buig
from helpers.data import food, on
from shoal.evaluate.reproduce.thesis import Printed, printed

S3 = [["Orange", "Apple"], ["Orange", "Banana", "Milk"], ["Banana", "Apple", "Beef"]]
ITEMS = ("Or", "Ap", "Ba", "Be", "Ch", "Soap", "Pen", "Fruit", "Food")


def bags_of(found: Printed) -> list[tuple[str, ...]]:
    names = found.taxonomy.names.names.to_list()
    bags: list[list[str]] = [[] for _ in found.sizes]
    for row in found.rows.iter_rows(named=True):
        bags[row["cluster"]] += [names[row["node"]]] * row["copies"]
    return [tuple(sorted(bag)) for bag in bags]


def test_example_5_1_1() -> None:
    """The example that chapter 5 works through: two copies of Fruit."""
    assert buig(S3, food()) == ("Fruit", "Fruit")
    assert bags_of(printed(on(food(), S3), food(), np.zeros(3, np.int64))) == [("Fruit", "Fruit")]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sets(st.sampled_from(ITEMS), min_size=1, max_size=5).map(sorted), min_size=1, max_size=4), min_size=1, max_size=3)
)
def test_all_clusters_at_once_as_one_by_one(clusters: list[list[list[str]]]) -> None:
    records = [record for cluster in clusters for record in cluster]
    numbers = np.repeat(np.arange(len(clusters)), [len(cluster) for cluster in clusters])
    assert bags_of(printed(on(TALL, records), TALL, numbers)) == [buig(cluster, TALL) for cluster in clusters]


def test_its_numbers_by_hand() -> None:
    """<Or,Ap>, <Ba,Be> give <Fruit,Root>: GGD 2 * (2/6 + 1) = 8/3 of four items; levels 3 and 1; without duplicates the same."""
    found = printed(on(TALL, [["Or", "Ap"], ["Ba", "Be"]]), TALL, np.zeros(2, np.int64))
    assert found.numbers() == pytest.approx({"loss": 8 / 12, "mean_length": 2, "mean_level": 2})
    assert found.distinct().numbers() == found.numbers()


def test_duplicates_that_are_removed_count_as_suppressed() -> None:
    """<Fruit,Fruit> for three records of 2, 3 and 3 items becomes <Fruit>: 3 * 2/7 + (1 + 2 + 2), of 8 items."""
    found = printed(on(food(), S3), food(), np.zeros(3, np.int64))
    assert found.distinct().numbers()["loss"] == pytest.approx((3 * 2 / 7 + 5) / 8)
