"""The reconstruction error against its definition, cell by cell, with fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest

from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.tables.groups import GroupTable
from shoal.methods.cahd import CAHD
from shoal.metrics import METRICS, measure
from shoal.metrics.reconstruction import divergence, reconstruction_error
from shoal.pipeline.contract import made_by
from shoal.taxonomy.place_terms import as_typed


def made(seed: int) -> tuple[Release, Original]:
    rng = np.random.default_rng(seed)
    records = [[*(f"i{x}" for x in set(rng.integers(0, 5, 3).tolist())), *(["s"] if i % 7 == 0 else [])] for i in range(42)]
    original = as_typed(Bags.from_lists(records), as_sets=True)
    return made_by(CAHD(p=3, sensitive=["s"]), original), original  # type: ignore[arg-type]


def by_definition(release: Release, original: Original, chosen: list[str]) -> float:
    """The sum over all presence patterns of act * ln(act / est)."""
    table = release.only(GroupTable)
    assert isinstance(table, GroupTable)
    holders = [set(record) for record in original.typed.to_polars().to_list() if "s" in record]
    total = 0.0
    for pattern in product((False, True), repeat=len(chosen)):
        inside = [sum((item in record) == has for item, has in zip(chosen, pattern, strict=True)) == len(chosen) for record in holders]
        actual = Fraction(sum(inside), len(holders))
        estimate = Fraction(0)
        for (group,), rows in table.rows.group_by("group"):
            count = table.histogram.filter(group=group, item="s")["count"].sum()
            there = sum(all((item in row) == has for item, has in zip(chosen, pattern, strict=True)) for row in rows["items"].to_list())
            estimate += Fraction(count * there, rows.height * len(holders))
        total += float(actual) * log(actual / estimate) if actual else 0.0
    return total


@pytest.mark.parametrize("seed", range(6))
def test_all_items_chosen_it_is_the_divergence_of_the_definition(seed: int) -> None:
    release, original = made(seed)
    assert reconstruction_error(release, original, r=5, queries=1) == pytest.approx(
        by_definition(release, original, [f"i{x}" for x in range(5)])
    )


def test_it_is_the_same_from_a_shuffled_file_and_by_seed() -> None:
    release, original = made(1)
    table = release.only(GroupTable)
    assert isinstance(table, GroupTable)
    shuffled = Release({"records": GroupTable(*table.shuffled())})
    numbers = [reconstruction_error(release, original, seed=seed) for seed in (0, 0, 1)]
    assert numbers[0] == numbers[1] != numbers[2]
    assert reconstruction_error(shuffled, original) == pytest.approx(numbers[0], rel=1e-12)
    assert measure(shuffled, original)["reconstruction_kl"] == pytest.approx(numbers[0], rel=1e-12)


def test_nothing_is_lost_where_all_rows_of_a_group_are_alike() -> None:
    original = as_typed(Bags.from_lists([["a", "s"], ["a"], ["b", "s"], ["b"]]), as_sets=True)
    release = made_by(CAHD(p=2, sensitive=["s"]), original)  # type: ignore[arg-type]
    assert reconstruction_error(release, original) == 0


def test_a_cell_that_the_release_rules_out_is_infinitely_far() -> None:
    assert divergence(np.array([0.5, 0.5]), np.array([1.0, 0.0])) == float("inf")
    assert divergence(np.array([1.0, 0.0]), np.array([0.5, 0.5])) == pytest.approx(log(2))


def test_words_kept_and_counted_are_shares_of_all() -> None:
    release, original = made(2)
    numbers = measure(release, original)
    assert numbers["counted_per_group"] == 6 / original.bags.occurrences
    assert numbers["kept"] == 1 - 6 / original.bags.occurrences
    assert METRICS["kept"].applies({"groups"}, "sets")
