"""The information loss against its definition, on random tables."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from helpers.microdata import plain_loss, random_table
from shoal.data.original import TableOriginal
from shoal.data.release import Release
from shoal.data.table import Table
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.methods.mdav import MDAV
from shoal.metrics import METRICS, measure


@pytest.mark.parametrize("seed", range(8))
def test_sse_over_sst_of_standardised_values(seed: int) -> None:
    original = random_table(30, 3, 30, seed)
    release = MDAV(k=2 + seed % 4).apply(original)
    expected = plain_loss(original.table.numbers, release.tables["microdata"].frame.to_numpy())
    assert 0 < expected < 1
    assert measure(release, original) == {"information_loss": pytest.approx(expected)}
    shuffled = Release({"microdata": RowTable(release.tables["microdata"].frame[::-1])})
    assert measure(shuffled, original) == {"information_loss": pytest.approx(expected)}


def test_the_ends_of_the_scale() -> None:
    different = TableOriginal(Table.from_numbers([[1.0], [2.0], [4.0]]))
    assert measure(MDAV(k=3).apply(different), different) == {"information_loss": 1.0}
    alike = TableOriginal(Table.from_numbers([[1.0], [1.0], [4.0], [4.0]]))
    assert measure(MDAV(k=2).apply(alike), alike) == {"information_loss": 0.0}
    constant = TableOriginal(Table.from_numbers([[5.0], [5.0]]))
    assert measure(MDAV(k=2).apply(constant), constant) == {"information_loss": 0.0}


@pytest.mark.parametrize("scale", [1e-300, 1e150, 1e300])
def test_the_size_of_numbers_does_not_matter(scale: float) -> None:
    values = np.random.default_rng(3).normal(size=(20, 2))
    losses = []
    for factor in (1.0, scale):
        original = TableOriginal(Table.from_numbers(values * factor))
        losses.append(measure(MDAV(k=3).apply(original), original)["information_loss"])
    assert losses[0] == pytest.approx(losses[1])


def test_values_that_are_no_means_are_refused_where_the_groups_are_not_known() -> None:
    original = TableOriginal(Table.from_numbers([[1.0], [2.0], [3.0], [6.0]]))
    for values in ([2.0, 2.0, 4.0, 6.0], [-9.0, -9.0, 15.0, 15.0], [3.0, 3.0, 3.0]):
        release = Release({"microdata": RowTable(pl.DataFrame({"1": values}))})
        with pytest.raises(ParameterError):
            METRICS["information_loss"].measure(release, original)
