"""The judge of microdata on attributes that are no numbers: values that are no centroid of their class fail, whoever published them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest

from helpers.mixed import mixed_table, random_rows
from shoal.data.original import TableOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.methods.mdav import MDAV
from shoal.microaggregation import attributes

ROWS = [(20.0, "low", "baker", "Ulm"), (20.0, "low", "clerk", "Bavaria"), (20.0, "high", "clerk", "Munich")]


@cache
def many_rows() -> TableOriginal:
    return TableOriginal(mixed_table(random_rows(np.random.default_rng(5), 60)))


@cache
def one_group() -> TableOriginal:
    return TableOriginal(mixed_table(ROWS))


def verdict(changes: dict[str, object], original: TableOriginal | None = None, *, secret: bool = True):
    original = original or one_group()
    release = MDAV(k=3).apply(original)
    frame = release.tables["microdata"].frame.with_columns(pl.lit(value).alias(name) for name, value in changes.items())  # type: ignore[attr-defined]
    changed = replace(release, tables={"microdata": RowTable(frame)})
    return release.claims[0].check(changed if secret else Release(changed.tables), original)


def test_the_centroids_hold():
    assert verdict({}).holds
    assert verdict({}, secret=False).holds


@pytest.mark.parametrize(
    "changes",
    [
        {"age": 20.5},
        {"education": "high"},
        {"education": "middle"},
        {"job": "baker"},
        {"place": "World"},
        {"place": "Ulm"},
        {"place": "Bavaria"},
    ],
)
def test_any_other_value_fails(changes):
    found = verdict(changes)
    assert not found.holds
    assert "centroids" in found.witnesses[0]


@pytest.mark.parametrize("changes", [{"education": "secret"}, {"job": "spy"}, {"place": "Paris"}, {"age": 21.0}])
def test_a_foreign_value_fails_without_the_groups_too(changes):
    assert not verdict(changes, secret=False).holds


@pytest.mark.parametrize("kind", ["Numbers", "Ranks", "Categories", "Nodes"])
def test_a_method_that_publishes_the_first_row_of_a_group_is_found_out(kind, monkeypatch):
    if kind == "Numbers":
        monkeypatch.setattr(
            "shoal.methods.bases.microdata.group_means", lambda values, group: values[np.unique(group, return_index=True)[1]]
        )
    else:
        monkeypatch.setattr(getattr(attributes, kind), "centroid", lambda self, rows: float(self.codes[rows[0]]))
    release = MDAV(k=5).apply(many_rows())
    found = release.claims[0].check(release, many_rows())
    assert not found.holds
    assert "do not have the centroids of their rows" in found.witnesses[0]
