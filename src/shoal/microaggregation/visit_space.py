"""Units of an access log (sessions, owners or single rows) with a weighted sum of the distances of all their fields.

Every field is a bag of values with all that lies above them: the folders of a page and of a referrer, the octets of an address, browser and
system with their versions; methods, protocols and statuses are plain values. Times and sizes are numbers. For units of one row the
distances are those of Navarro-Arribas and Torra (NAFIPS 2009): the share of a path's levels that differ, 0 or 1 for plain values.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Ints
from shoal.data.table import Floats
from shoal.data.tables.access_log import VISITOR
from shoal.taxonomy.urls import page_nodes
from shoal.text.agents import agent_nodes

UnitOf = Literal["session", "owner", "row"]
SESSION = "session"
NUMBERS = ("time", "size")
LARGE = 10 * np.log(2)  # sizes that differ by a factor of 1024 are as far apart as sizes can be


def address_nodes(address: str) -> tuple[str, ...]:
    """Return the beginnings of an address: by octets, by groups of 16 bits, or the domains above a host."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        labels = address.split(".")
        return tuple(".".join(labels[i:]) for i in range(len(labels)))
    cut, between = (known.exploded.split(":"), ":") if known.version == 6 else (str(known).split("."), ".")
    return tuple(between.join(cut[: i + 1]) + between for i in range(len(cut)))


def _alone(value: str) -> tuple[str, ...]:
    return (value,)


NODES: Mapping[str, Callable[[str], tuple[str, ...]]] = {
    "address": address_nodes,
    "page": page_nodes,
    "referrer": page_nodes,
    "agent": agent_nodes,
    "method": _alone,
    "protocol": _alone,
    "status": _alone,
    SESSION: _alone,
}


@dataclass(frozen=True, eq=False)
class Visits:
    """Rows of an access log, each with the number of its unit and of its session. Units are numbered by content, never by arrival."""

    frame: pl.DataFrame
    owners: Ints

    @classmethod
    def of(cls, rows: pl.DataFrame, unit_of: UnitOf, gap: timedelta) -> Visits:
        """Return the units of a log's rows, which have the columns of an access log."""
        frame = rows.rename({"payload": "page"}).with_columns(sessions_of(rows[VISITOR], rows["time"], gap).alias(SESSION))
        first = {"session": pl.col(SESSION), "owner": pl.col("owner"), "row": pl.int_range(pl.len())}[unit_of]
        frame = frame.with_columns(first.cast(pl.Int64).alias("unit"))
        content = pl.struct(pl.exclude("owner", VISITOR, SESSION, "unit")).rank("dense").alias("content")
        units = frame.select("unit", "owner", content).group_by("unit").agg(pl.col("content").sort(), pl.col("owner").first())
        order = units.sort("content", "unit").with_row_index("number")
        numbered = frame.join(order.select("unit", "number"), on="unit", how="left", maintain_order="left")
        return cls(numbered.with_columns(unit=pl.col("number").cast(pl.Int64)).drop("number"), order["owner"].to_numpy().astype(np.int64))

    def __len__(self) -> int:
        return len(self.owners)


def sessions_of(visitors: pl.Series, times: pl.Series, gap: timedelta) -> pl.Series:
    """Return the session of each row, numbered from 0: one visitor's rows, up to a pause of more than `gap`."""
    rows = pl.DataFrame({"visitor": visitors, "time": times}).with_row_index("row").sort("visitor", "time")
    fresh = (pl.col("visitor") != pl.col("visitor").shift()) | (pl.col("time").diff() > gap)
    numbered = rows.with_columns(fresh.fill_null(True).cum_sum().cast(pl.Int64).alias(SESSION) - 1)
    return numbered.sort("row")[SESSION]


class VisitSpace:
    """Units with the distances of their fields. A point is what `FieldUnits` makes of several units: means of all counts and numbers."""

    def __init__(self, visits: Visits, weights: Mapping[str, float]) -> None:
        self._visits, self._weights = visits, weights

    def __len__(self) -> int:
        return len(self._visits)

    def point(self, row: int) -> Floats:
        """Return the unit itself."""
        return self._units.mean(np.array([row], np.int64))

    def centroid(self, rows: Ints) -> Floats:
        """Return how often every value occurs in a unit, in the mean."""
        return self._units.mean(rows)

    def distances(self, point: Floats, rows: Ints) -> Floats:
        """Return the weighted sum of the distances of all fields."""
        return self._units.distances(point, rows, kernels.threads(), _kernels.Task())

    @cached_property
    def _units(self) -> _kernels.FieldUnits:
        fields = [name for name in NODES if self._weights[name] > 0] or [next(iter(NODES))]
        placed = _placed(self._visits.frame, fields)
        starts = np.concatenate([[0], np.cumsum(np.bincount(placed["slot"].to_numpy(), minlength=len(self) * len(fields)))])
        weights = np.array([self._weights[name] for name in (*fields, *NUMBERS)])
        n_nodes = int(placed["node"].max() or 0) + 1  # type: ignore[arg-type]
        nodes, counts = (placed[name].to_numpy().astype(np.int32) for name in ("node", "count"))
        return _kernels.FieldUnits(starts.astype(np.int64), nodes, counts, _numbers(self._visits), weights, n_nodes)


def _placed(frame: pl.DataFrame, fields: Sequence[str]) -> pl.DataFrame:
    """Return how often each node of each field occurs in each unit, in the order of units, fields and nodes."""
    parts = []
    for number, field in enumerate(fields):
        values = frame.select("unit", pl.col(field).cast(pl.String).fill_null("-").alias("value"))
        known = values.select(pl.col("value").unique().sort())
        nodes = pl.Series([[f"{field} {node}" for node in NODES[field](value)] for value in known["value"]], dtype=pl.List(pl.String))
        spread = known.with_columns(name=nodes).explode("name")
        found = values.join(spread, on="value").group_by("unit", "name").agg(count=pl.len())
        parts.append(found.with_columns(slot=pl.col("unit") * len(fields) + number))
    return pl.concat(parts).with_columns(node=pl.col("name").rank("dense") - 1).sort("slot", "node")


def _numbers(visits: Visits) -> Floats:
    """Return the mean time of a unit as a share of the log's, and the mean logarithm of its sizes."""
    moment, moments = pl.col("time").to_physical(), visits.frame["time"].to_physical().to_numpy()
    length = max(1, int(moments.max() - moments.min()))
    scaled = visits.frame.select("unit", time=(moment - moment.min()) / length, size=(pl.col("size").fill_null(0) + 1).log() / float(LARGE))
    means = scaled.group_by("unit").agg(pl.col("time", "size").sort().mean()).sort("unit")
    return np.ascontiguousarray(means.select("time", "size").to_numpy())
