"""Attributes of several kinds: MDAV against its definition in plain Python, each kind's distance and centroid, degenerate tables."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

from helpers.errors import refuses
from helpers.mdav import plain_generic_mdav
from helpers.mixed import JOBS, PLACES, lower_median, lowest_ancestor, mixed_table, plain_space, plurality, random_rows, wu_palmer
from shoal import kernels
from shoal.data.original import TableOriginal
from shoal.data.release import Release
from shoal.data.table import Attribute, Table
from shoal.errors import InputError
from shoal.methods.mdav import MDAV
from shoal.metrics import measure
from shoal.microaggregation.attributes import attribute_space
from shoal.microaggregation.spaces import groups_of_table
from shoal.pipeline.contract import made_by


@pytest.mark.parametrize("seed", range(25))
def test_groups_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(5, 45)), int(rng.integers(2, 6))
    rows = random_rows(rng, n)
    owners = rng.integers(0, n, n).tolist() if seed % 2 else list(range(n))
    owners[:k] = range(k)
    table = mixed_table(rows, owners)
    order = table.content_order()
    points, distance, centroid = plain_space(rows)
    twin = plain_generic_mdav([points[i] for i in order], [owners[i] for i in order], k, distance, centroid)
    assert groups_of_table(table, k)[order].tolist() == twin


def spaces(table):
    return {attribute.name: attribute_space(attribute, np.arange(len(table))) for attribute in table.quasi}


def test_distances_and_centroids_by_hand():
    rows = [
        (20.0, "low", "baker", "Munich"),
        (30.0, "high", "clerk", "Ulm"),
        (40.0, "middle", "clerk", "Bavaria"),
        (50.0, "none", "baker", "Kiel"),
    ]
    space, every = spaces(mixed_table(rows)), np.arange(4)
    ages = space["age"]
    assert ages.centroid(every) == pytest.approx(0)
    assert ages.spread() == pytest.approx(4)  # standardised
    ranks = space["education"]
    assert ranks.centroid(every) == 1  # the lower of low and middle
    assert ranks.squared(3, every).tolist() == [4, 0, 1, 9]
    jobs = space["job"]
    assert jobs.centroid(every) == 0  # both twice: the first
    assert jobs.squared(1, every).tolist() == [1, 0, 0, 1]
    places, node = space["place"], {name: n for n, name in enumerate(PLACES.names.names)}
    assert places.centroid(np.array([0, 2])) == node["Bavaria"]
    assert places.centroid(np.array([0, 1, 2])) == node["South"]
    assert places.centroid(every) == node["World"]
    # Munich is on level 4, Ulm on 3, Bavaria on 3, Kiel on 3; what Munich shares with them is on levels 2, 3 and 1.
    assert places.squared(node["Munich"], every).tolist() == pytest.approx([0, (1 - 4 / 7) ** 2, (1 - 6 / 7) ** 2, (1 - 2 / 7) ** 2])


@pytest.mark.parametrize("seed", range(10))
def test_centroids_and_distances_of_random_rows(seed):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, 30)
    space, names = spaces(mixed_table(rows)), PLACES.names
    jobs, place = [row[2] for row in rows], [row[3] for row in rows]
    sorted_jobs = sorted(set(jobs))
    for _ in range(20):
        some = rng.choice(30, int(rng.integers(1, 9)), replace=False)
        assert space["education"].centroid(some) == lower_median(space["education"].codes[some].tolist())
        assert sorted_jobs[int(space["job"].centroid(some))] == plurality(jobs)([jobs[i] for i in some])
        assert names[int(space["place"].centroid(some))] == lowest_ancestor([place[i] for i in some])
        found = space["place"].squared(names.codes([place[0]])[0], some)
        assert found.tolist() == pytest.approx([wu_palmer(place[0], place[i]) ** 2 for i in some])


# -- what every release owes


def release_of(table: Table, k: int = 3) -> Release:
    return made_by(MDAV(k=k), TableOriginal(table))


def rows_of(release: Release) -> Counter[tuple[object, ...]]:
    (table,) = release.tables.values()
    return Counter(table.frame.rows())  # type: ignore[attr-defined]


DEGENERATE = {
    "fewer than 2k": random_rows(np.random.default_rng(1), 5),
    "exactly 2k": random_rows(np.random.default_rng(2), 6),
    "all equal": [(30.0, "low", "baker", "Ulm")] * 9,
    "only one attribute varies": [(30.0, "low", "baker", place) for place in ["Ulm", "Kiel", "Munich"] * 3],
    "many": random_rows(np.random.default_rng(3), 60),
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("people", [None, 4])
def test_claims_hold_whatever_the_order_of_rows(name, people):
    rows = DEGENERATE[name]
    rng = np.random.default_rng(9)
    owners = np.arange(len(rows)) if people is None else np.r_[np.arange(people), rng.integers(0, people, len(rows) - people)]
    table = mixed_table(rows, owners)
    release = release_of(table)
    for claim in release.claims:
        for verdict in (claim.check(release, TableOriginal(table)), claim.check(Release(release.tables))):
            assert verdict.holds, verdict.witnesses
    for threads in (1, 2):
        order, numbers = rng.permutation(len(rows)), rng.permutation(len(rows))
        shuffled = mixed_table([rows[i] for i in order], numbers[owners[order]])
        with kernels.using(threads=threads):
            assert rows_of(release_of(shuffled)) == rows_of(release)


def test_what_is_alike_everywhere_loses_nothing():
    table = mixed_table(DEGENERATE["all equal"])
    assert measure(release_of(table), TableOriginal(table)) == {"information_loss": 0}


def test_the_loss_is_the_mean_over_attributes_of_what_each_lost():
    """Two groups of three; ages 20, 20, 20 and 50, 50, 50 lose nothing, of the jobs one in six differs from its group."""
    rows = [(20.0, "low", "baker", "Ulm")] * 2 + [(20.0, "low", "clerk", "Ulm")] + [(50.0, "low", "clerk", "Ulm")] * 3
    table = mixed_table(rows)
    # The clerks are the most frequent of all: two bakers differ from them.
    assert measure(release_of(table), TableOriginal(table)) == {"information_loss": pytest.approx((0 + 1 / 2) / 2)}
    assert measure(Release(release_of(table).tables), TableOriginal(table)) == {}  # which row became which is not in the file


def test_too_few_people_and_missing_values_are_refused():
    with refuses("too-few-people", k=3, owners=2):
        release_of(mixed_table(DEGENERATE["fewer than 2k"], [0, 0, 1, 1, 1]))
    with pytest.raises(InputError, match="missing"):
        Attribute("job", "nominal", pl.Series(["baker", None]))
    with pytest.raises(InputError, match="levels"):
        Attribute("education", "ordinal", pl.Series(["low", "lower"]), levels=("low", "high"))
    with pytest.raises(InputError, match="hierarchy"):
        Attribute("place", "hierarchical", pl.Series(["Ulm", "Paris"]), hierarchy=PLACES)


def test_jobs_are_in_the_order_of_texts():
    assert sorted(JOBS) == list(JOBS)
