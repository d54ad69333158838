"""Which identities hold for sums of squares and L: SSE + SSA = SST for means of numbers, and for no other kind of centroid.

The ARES report (2.4) defines SST as SSA + SSE although its centroids are semantic. Its Table 2.2 then has another SST for every k, although
the documents are the same, so that its L cannot be compared over k.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.mixed import PLACES, Centroid, Distance, lower_median, lowest_ancestor, mixed_table, plurality, random_rows, wu_palmer
from shoal.data.table import Attribute
from shoal.microaggregation.attributes import attribute_space, between_groups, information_loss, standardised, sum_of_squares, within_groups
from shoal.microaggregation.spaces import groups_of_table

# k, data set, SSE, SSA, SST, L as printed.
PRINTED = [
    (2, 50, 4.938, 30.929, 35.867, 13.766),
    (2, 100, 4.936, 37.119, 42.055, 11.736),
    (3, 50, 11.407, 21.390, 32.797, 34.780),
    (3, 100, 12.049, 29.733, 41.782, 28.838),
    (4, 50, 15.693, 21.556, 37.249, 42.131),
    (4, 100, 16.647, 22.759, 39.406, 42.245),
    (5, 50, 20.404, 11.890, 32.294, 63.181),
    (5, 100, 21.070, 19.157, 40.227, 52.377),
    (6, 50, 23.072, 17.372, 40.444, 57.046),
    (6, 100, 24.516, 18.336, 42.852, 57.212),
    (7, 50, 25.109, 11.332, 36.441, 68.903),
    (7, 100, 26.712, 18.981, 45.693, 58.560),
    (8, 50, 27.034, 8.986, 36.0194, 75.053),
    (8, 100, 27.662, 16.101, 43.763, 63.209),
    (9, 50, 28.529, 10.085, 38.614, 73.883),
    (9, 100, 30.107, 11.657, 41.764, 72.088),
    (10, 50, 31.670, 5.680, 37.350, 84.793),
    (10, 100, 31.455, 10.857, 42.312, 74.341),
]
MISPRINTED = {(7, 100): 58.460}


@pytest.mark.parametrize("row", PRINTED, ids=lambda row: f"k={row[0]} f{row[1]}x50")
def test_the_printed_table_is_l_of_ssa_plus_sse(row):
    k, terms, sse, ssa, sst, loss = row
    assert sse + ssa == pytest.approx(sst, abs=0.0015)
    assert MISPRINTED.get((k, terms), loss) == pytest.approx(100 * sse / sst, abs=0.006)


def test_the_printed_sst_changes_with_k():
    """As no sum of squared distances to the centroid of all documents can."""
    for terms, lowest, highest in ((50, 32.294, 40.444), (100, 39.406, 45.693)):
        printed = [row[4] for row in PRINTED if row[1] == terms]
        assert (min(printed), max(printed)) == (lowest, highest)


# -- numbers


@pytest.mark.parametrize("k", [2, 3, 7])
def test_numbers_part_into_within_and_between_with_one_sst_for_every_k(k):
    values = standardised(np.random.default_rng(1).normal(size=(60, 4)))
    group = groups_of_table(mixed_table(random_rows(np.random.default_rng(2), 60)), k)  # any grouping will do
    within, between = within_groups(values, group), between_groups(values, group)
    assert within + between == pytest.approx(sum_of_squares(values))
    assert sum_of_squares(values) == pytest.approx(values.size)  # standardised: rows times columns
    assert information_loss(values, group) == pytest.approx(1 - between / values.size)


def test_the_loss_is_the_mean_over_columns_and_the_same_with_either_deviation():
    values = np.random.default_rng(3).normal(size=(40, 3)) * [1, 50, 0.01]
    group = np.arange(40) // 4
    columns = [information_loss(values[:, [j]], group) for j in range(3)]
    assert information_loss(values, group) == pytest.approx(math.fsum(columns) / 3)
    sample = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    assert within_groups(sample, group) / sum_of_squares(sample) == pytest.approx(information_loss(values, group))


# -- other kinds


def sums(values: Sequence[Any], groups: Sequence[Sequence[Any]], distance: Distance, centroid: Centroid) -> tuple[float, float, float]:
    """SSE, SSA and SST by definition."""
    middle = centroid(values)
    centres = [centroid(group) for group in groups]
    within = math.fsum(distance(x, centre) ** 2 for centre, group in zip(centres, groups, strict=True) for x in group)
    between = math.fsum(len(group) * distance(centre, middle) ** 2 for centre, group in zip(centres, groups, strict=True))
    return within, between, math.fsum(distance(x, middle) ** 2 for x in values)


@pytest.mark.parametrize(
    ("attribute", "distance", "centroid", "expected"),
    [
        # Groups aab and bba: one of each differs from its group. All have a and b thrice, so a; the second group stands for b.
        (Attribute("x", "nominal", pl.Series(list("aabbba"))), lambda a, b: a != b, plurality("ab"), (2, 3, 3)),
        # Ranks 0, 0, 1 and 2, 2, 0 around medians 0 and 2; the lower median of all is 0.
        (Attribute("x", "ordinal", pl.Series([0.0, 0, 1, 2, 2, 0])), lambda a, b: a - b, lower_median, (1 + 4, 3 * 4, 1 + 4 + 4)),
        # Munich, Munich, Bavaria under Bavaria; Ulm thrice under Ulm; all under South.
        (
            Attribute("x", "hierarchical", pl.Series(["Munich", "Munich", "Bavaria", "Ulm", "Ulm", "Ulm"]), hierarchy=PLACES),
            wu_palmer,
            lowest_ancestor,
            (2 * (1 / 7) ** 2, 6 * (1 / 5) ** 2, 2 * (2 / 6) ** 2 + 4 * (1 / 5) ** 2),
        ),
    ],
    ids=["nominal", "ordinal", "hierarchical"],
)
def test_other_kinds_do_not_part_so(attribute, distance, centroid, expected):
    values = attribute.values.to_list()
    found = sums(values, [values[:3], values[3:]], distance, centroid)
    assert found == pytest.approx(expected)
    assert attribute_space(attribute, np.arange(6)).spread() == pytest.approx(found[2])  # what L is computed with: SST itself
    assert abs(found[0] + found[1] - found[2]) > 0.01
