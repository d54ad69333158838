"""Noisy counts on a cluster.

The contribution of each person is bounded on the worker that has all rows of the person. Contributions are then summed, and each sum gets
noise once. Spark may repeat a task, so two errors must be prevented:

- A person must not contribute to some numbers under one choice of values and to other numbers under another choice. So contributions are
  stored before they are summed.
- No number may get noise twice. So the task that draws the noise stores the noisy numbers. Only one of its attempts is kept, and all later
  steps read the stored numbers.

Noise is drawn as on one machine: by OpenDP, from the entropy of the worker's operating system.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.cluster.spark import Cluster, expressions, joined
from shoal.data.bags import Ints
from shoal.data.noise_record import COUNTS, EQUAL, GUIDE, SELECTION, NoisyStep
from shoal.data.tables.counts import COUNT
from shoal.noise.mechanisms import LARGEST, as_published, limit_of, with_noise
from shoal.noise.per_person_bounds import OWNER, distinct_of_people
from shoal.noise.weights import equal_weights, whole_weights

NUMBER = "number"


@dataclass(frozen=True)
class Weighing:
    """A person's contribution in a step: to at most `cap` values, if there is a cap."""

    keys: tuple[str, ...]
    step: NoisyStep
    cap: int | None


@dataclass(frozen=True)
class Noising:
    """The noise of a step, and the limit above which numbers are kept."""

    keys: tuple[str, ...]
    step: NoisyStep
    above: float


def numbered(keys: Sequence[str]) -> pa.Schema:
    """Return a value, and its number in multiples of the grid."""
    return pa.schema([*((key, pa.string()) for key in keys), (NUMBER, pa.int64())])


def counted_as(keys: Sequence[str], step: NoisyStep) -> pa.Schema:
    """Return a value, and its published count."""
    return pa.schema([*((key, pa.string()) for key in keys), (COUNT, pa.int64() if step.purpose == COUNTS else pa.float64())])


# -- on the workers


def added(weighing: Weighing, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the contributions of the people here to each value. All rows of a person are here, and alone determine them."""
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    held = distinct_of_people(frame.select(OWNER, *weighing.keys), weighing.cap)
    weights = equal_weights if weighing.step.weights == EQUAL else whole_weights
    numbers = weights(held if weighing.step.weights == EQUAL else held.counted_once(), weighing.step.grid)
    yield held.table.with_columns(pl.Series(NUMBER, numbers)).select(*weighing.keys, NUMBER).to_arrow().cast(numbered(weighing.keys))


def noised(noising: Noising, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return each number with new noise, if it is above the limit."""
    numbers: Ints = table.column(NUMBER).to_numpy().astype(np.int64)
    noisy = with_noise(numbers, noising.step)
    columns = {key: table.column(key) for key in noising.keys} | {NUMBER: noisy}
    yield pa.table(columns, numbered(noising.keys)).filter(pa.array(noisy > noising.above))


def shown(noising: Noising, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return values and their counts, as published."""
    counts = as_published(table.column(NUMBER).to_numpy().astype(np.int64), noising.step)
    columns = {key: table.column(key) for key in noising.keys} | {COUNT: counts.to_arrow()}
    yield pa.table(columns, counted_as(noising.keys, noising.step))


# -- on the driver


def published_counts(
    cluster: Cluster, values: Any, keys: tuple[str, ...], steps: Sequence[NoisyStep], caps: Mapping[str, int | None]
) -> Any:
    """Return the selected values with their noisy counts: the steps of one machine, in order."""
    by_purpose = {step.purpose: step for step in steps}
    remaining = values
    if GUIDE in by_purpose:
        promising = _noisy(cluster, remaining, Weighing(keys, by_purpose[GUIDE], caps[GUIDE]))
        remaining = joined(remaining, promising.select(*keys), list(keys), "left_semi")
    chosen = _noisy(cluster, remaining, Weighing(keys, by_purpose[SELECTION], caps[SELECTION]))
    if COUNTS not in by_purpose:
        return _shown(cluster, chosen, keys, by_purpose[SELECTION])
    among = joined(remaining, chosen.select(*keys), list(keys), "left_semi")
    return _shown(cluster, _noisy(cluster, among, Weighing(keys, by_purpose[COUNTS], caps[COUNTS]), chosen), keys, by_purpose[COUNTS])


def _noisy(cluster: Cluster, values: Any, weighing: Weighing, chosen: Any = None) -> Any:
    """Return the noisy number of each value that people have; of each `chosen` value also if nobody contributes to it."""
    by_owner = values.repartition(cluster.partitions, OWNER)
    stored = cluster.store(cluster.map(by_owner, added, weighing, numbered(weighing.keys)), f"{weighing.step.purpose}_added")
    total = f"coalesce(try_sum({NUMBER}), {LARGEST}) as {NUMBER}"  # a sum that is too large is refused, as the largest number is
    sums = stored.groupBy(*weighing.keys).agg(*expressions(total))
    if chosen is not None:
        sums = joined(chosen.select(*weighing.keys), sums, list(weighing.keys), "left").fillna(0, [NUMBER])
    noise = Noising(weighing.keys, weighing.step, limit_of(weighing.step))
    return cluster.store(cluster.map(sums, noised, noise, numbered(weighing.keys)), f"{weighing.step.purpose}_noisy")


def _shown(cluster: Cluster, noisy: Any, keys: tuple[str, ...], step: NoisyStep) -> Any:
    return cluster.map(noisy, shown, Noising(keys, step, limit_of(step)), counted_as(keys, step))
