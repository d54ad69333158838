"""Rows of a log on a cluster: the input of methods that publish rows, with numbered users.

Tasks store who typed which text how often. Each different text of a partition is stored once, and users and texts are numbers there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.cluster.arrow_schemas import TYPED_TEXTS
from shoal.cluster.exchange import Step
from shoal.cluster.input_layout import ClusterInput, stored_by_user
from shoal.cluster.read_events import EventGrouping, log_of
from shoal.cluster.spark import Cluster
from shoal.data.bags import Ints, Small, number_strings
from shoal.data.log import Log
from shoal.pipeline.options import Preparation
from shoal.util.numbers import distinct, runs

UNACCOUNTED = "rows were lost or added without being accounted for"


@dataclass(frozen=True, eq=False)
class TypedTexts:
    """Which text was typed by whom, and how often: each pair of a user and one of the different texts once, sorted by text."""

    texts: pl.Series
    numbers: Small
    owners: Small
    times: Ints

    @classmethod
    def of_log(cls, log: Log) -> TypedTexts:
        """Count the rows of a log; a row without a text has an empty one."""
        texts, numbers = number_strings(log.frame["payload"].fill_null(""))
        owners: Ints = log.frame["owner"].to_numpy()
        people = int(owners.max(initial=0)) + 1
        pairs, times = runs(np.sort(numbers.astype(np.int64) * people + owners))
        return cls(texts, (pairs // people).astype(np.int32), (pairs % people).astype(np.int32), times)

    @classmethod
    def of_table(cls, table: pa.Table) -> TypedTexts:
        """Read them as they were stored."""
        numbered = table.column("text").combine_chunks()
        texts = pl.Series(numbered.dictionary, dtype=pl.String)
        return cls(texts, numbered.indices.to_numpy(), *(table.column(name).to_numpy() for name in ("owner", "times")))

    @property
    def table(self) -> pa.Table:
        """Return them to be stored."""
        numbered = pa.DictionaryArray.from_arrays(pa.array(self.numbers), self.texts.to_arrow().cast(pa.string()))
        return pa.table({"owner": self.owners, "text": numbered, "times": self.times}, TYPED_TEXTS)

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def rows(self) -> Ints:
        """Count the rows of each text."""
        return np.bincount(self.numbers, self.times, minlength=len(self)).astype(np.int64)

    @cached_property
    def people(self) -> Ints:
        """Count the people of each text."""
        return np.bincount(self.numbers, minlength=len(self)).astype(np.int64)

    def people_of_any(self, which: Ints) -> int:
        """Count the people with any of these texts."""
        chosen = np.zeros(len(self), bool)
        chosen[which] = True
        return len(distinct(self.owners[chosen[self.numbers]]))


@dataclass(frozen=True)
class Logged:
    """Rows on the cluster (`TypedTexts`), their sums, and how the input was read."""

    rows: Step
    sums: Counter[str]
    found: ClusterInput

    @property
    def partitions(self) -> int:
        """The number of partitions."""
        return len(self.rows.files)


def typed_texts(grouping: EventGrouping, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Return the texts of all people whose events are here, and a tally of their rows."""
    if not len(table):
        yield TYPED_TEXTS.empty_table()
        return
    log, sums = log_of(grouping, table)
    sums["owners"] = log.n_owners
    yield json.dumps(sums)
    yield TypedTexts.of_log(log).table


def read_log(cluster: Cluster, data: Any, preparation: Preparation) -> Logged:
    """Read the rows of paths or of a Spark data frame."""
    return Logged(*stored_by_user(cluster, data, preparation, typed_texts, "rows"))
