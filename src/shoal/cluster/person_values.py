"""Values of people on a cluster, as rows of a user and a value: the input of noisy counts.

All rows of a person are on one worker, which derives the values with the code of one machine. It keeps the texts too, for verification.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa

from shoal.cluster.exchange import stored_frame
from shoal.cluster.input_layout import ClusterInput, find_input, tallied
from shoal.cluster.log_rows import UNACCOUNTED
from shoal.cluster.read_events import PARTS, EventGrouping, log_of, rows_with_column
from shoal.cluster.spark import Cluster
from shoal.errors import GuaranteeNotMet
from shoal.noise.counted_values import columns_of, unit_of, values_of_log
from shoal.noise.per_person_bounds import OWNER
from shoal.pipeline.events import PREPARING, stage
from shoal.pipeline.options import Preparation


@dataclass(frozen=True)
class ValueGrouping(EventGrouping):
    """How events become values of people: whole payloads, terms or pairs."""

    unit: str


@dataclass(frozen=True)
class ClusterValues:
    """The values of people on the cluster (`owner` and the columns of a value), all texts, their sums, and how the input was read."""

    values: Any
    texts: Any
    keys: tuple[str, ...]
    sums: Counter[str]
    found: ClusterInput


def value_schema(keys: tuple[str, ...]) -> pa.Schema:
    """Return the schema: a value of a person; or a text; or a tally of rows, as JSON."""
    return pa.schema([(OWNER, pa.int64()), *((key, pa.string()) for key in keys), ("text", pa.string()), ("tally", pa.string())])


def value_rows(grouping: ValueGrouping, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the values and the texts of all people whose events are here, and a tally of them."""
    schema = value_schema(columns_of(grouping.unit))
    log, spellings = log_of(grouping, table)
    values = values_of_log(log, grouping.unit)
    spellings["values"] = len(values)
    nothing = pl.lit(None, pl.String)
    yield values.with_columns(pl.col(OWNER) + part * PARTS, text=nothing, tally=nothing).select(schema.names).to_arrow().cast(schema)
    yield rows_with_column(schema, "text", log.frame["payload"].drop_nulls().unique().to_list())
    yield rows_with_column(schema, "tally", [json.dumps(spellings)])


def read_values(cluster: Cluster, data: Any, preparation: Preparation, unit: str | None) -> ClusterValues:
    """Read the values of people in paths or in a Spark data frame."""
    found = find_input(cluster, data, preparation)
    counted = unit_of("text" if found.text else "item", unit)
    keys = columns_of(counted)
    events = found.sent_to_owners(cluster)
    stage(PREPARING)
    stored = stored_frame(cluster, events, value_rows, found.gathering(ValueGrouping, counted), value_schema(keys), "rows")
    tallies = (row[0] for row in cluster.collect(stored.where("tally is not null").select("tally")))
    sums, defects = tallied([*events.words, *tallies])
    rows, found = stored.where("tally is null"), found.with_totals(sums, defects)
    values = rows.where(f"{OWNER} is not null").select(OWNER, *keys)
    if cluster.collect(values.selectExpr("count(1)"))[0][0] != sums["values"]:
        raise GuaranteeNotMet(UNACCOUNTED, code="accounting-incomplete", hint="nothing was written")
    return ClusterValues(values, rows.where("text is not null").select("text"), keys, sums, found)
