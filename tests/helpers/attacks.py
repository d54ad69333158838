"""Scenarios for attacks: food records published in groups that the test chooses, and releases that are made of other records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from helpers.data import food, on, on_nodes
from shoal.attacks.scenarios import Made, Scenario, Tried
from shoal.data.bags import Bags
from shoal.data.claims import Model
from shoal.data.release import Release, Secret
from shoal.errors import Infeasible
from shoal.taxonomy.tree_counts import meet

Names = Sequence[Sequence[str]]


def published_as(records: Names, rows: Sequence[int], published: Names, owners: Sequence[int] | None = None) -> Made:
    """Food records, of which each became a row of these (-1: withheld)."""
    original = on_nodes(on(food(), records, owners), food())
    copies = np.bincount([row for row in rows if row >= 0], minlength=len(published)).astype(np.int64)
    return Made(original, Release.of_bags(on(food(), published), copies, secret=Secret(np.array(rows, np.int64))))


def grouped(records: Names, groups: Sequence[int], owners: Sequence[int] | None = None) -> Made:
    """Food records in groups, each published as its least common generalization."""
    original = on_nodes(on(food(), records, owners), food())
    rows = np.array(groups, np.int64)
    published = meet(original.bags, original.tree, rows)
    return Made(original, Release.of_bags(published, np.bincount(rows), secret=Secret(rows)))


def as_it_is(typed: Bags) -> Made:
    """A release that is the original: every record a row of its own."""
    original = on_nodes(on(food(), typed.to_polars().to_list(), typed.owners.tolist()), food())
    rows = np.arange(len(typed))
    return Made(original, Release.of_bags(original.bags, np.ones(len(rows), np.int64), secret=Secret(rows)))


def never(_: object) -> Made:
    """A release that cannot be made again."""
    raise Infeasible("too few people")


def scenario(
    made: Made,
    claims: Iterable[Model] = (),
    *,
    remake: Callable[[Bags], Made] = never,
    varied: Callable[[Mapping[str, Any]], Made] = never,
    targets: Sequence[int] | None = None,
    **more: Any,
) -> Scenario:
    """A case in which everybody is attacked, unless some are named."""
    chosen = np.arange(len(made.original.bags)) if targets is None else np.array(targets, np.int64)
    there = chosen[made.rows[chosen] >= 0]
    start = Scenario(made, tuple(claims), remake, varied, {}, there, there, seed=0)
    return replace(start, **more)


def chances(tried: Tried) -> dict[str, list[float]]:
    """The chances of every person, by what is known."""
    return {one.trial.knowledge: one.trial.success.tolist() for one in tried.trials}
