"""Rows of a log on a cluster: the input of methods that publish rows, with numbered users."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa

from shoal.cluster.arrow_schemas import LOGGED
from shoal.cluster.exchange import stored_frame
from shoal.cluster.input_layout import ClusterInput, find_input, tallied
from shoal.cluster.read_events import PARTS, EventGrouping, log_of, rows_with_column
from shoal.cluster.spark import Cluster
from shoal.data.log import Log
from shoal.data.query_units import with_single_blanks
from shoal.pipeline.events import PREPARING, stage
from shoal.pipeline.options import Preparation

if TYPE_CHECKING:
    from shoal.cluster.spark import Work

UNACCOUNTED = "rows were lost or added without being accounted for"


@dataclass(frozen=True)
class Splitting(EventGrouping):
    """How events become rows; `splits`: words count separately."""

    splits: bool


@dataclass(frozen=True)
class Logged:
    """Rows on the cluster (`LOGGED`, without tallies), their sums, and how the input was read."""

    rows: Any
    sums: Counter[str]
    found: ClusterInput


def logged_rows(splitting: Splitting, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the rows of all people whose events are here, and a tally of them."""
    log, spellings = log_of(splitting, table)
    spellings["owners"] = log.n_owners
    yield rows_of_log(log, splitting, part)
    yield rows_with_column(LOGGED, "tally", [json.dumps(spellings)])


def rows_of_log(log: Log, splitting: Splitting, part: int) -> pa.Table:
    """Return the rows of a log of some people, each with its query and words."""
    text = log.frame["payload"].fill_null("").rename("text")
    by_words = splitting.splits and splitting.text
    query = with_single_blanks(text) if by_words else text
    words = text.str.count_matches(r"\S+").cast(pl.Int64)
    terms = words if by_words else (text != "").cast(pl.Int64)
    columns = {"owner": log.frame["owner"] + part * PARTS, "text": text, "query": query, "words": words, "terms": terms}
    return pl.DataFrame(columns).with_columns(tally=pl.lit(None, pl.String)).to_arrow().cast(LOGGED)


def read_log(cluster: Cluster, data: Any, preparation: Preparation, *, splits: bool) -> Logged:
    """Read the rows of paths or of a Spark data frame."""
    found = find_input(cluster, data, preparation)
    work = found.gathering(Splitting, splits)
    return Logged(*gathered(cluster, found, logged_rows, work, LOGGED))


def gathered(
    cluster: Cluster, found: ClusterInput, work: Work, grouping: EventGrouping, schema: pa.Schema
) -> tuple[Any, Counter[str], ClusterInput]:
    """Return the output of `work` for all events of some people at once, without the tallies; their sums, and how the input was read."""
    events = found.sent_to_owners(cluster)
    stage(PREPARING)
    stored = stored_frame(cluster, events, work, grouping, schema, "rows")
    tallies = (row[0] for row in cluster.collect(stored.where("tally is not null").select("tally")))
    sums, defects = tallied([*events.words, *tallies])
    return stored.where("tally is null").drop("tally"), sums, found.with_totals(sums, defects)
