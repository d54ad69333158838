"""Chunks: disassociated records. A cluster of records is published as chunks of its terms, without the associations between chunks.

A record chunk contains the parts of the cluster's records (sub-records) over its terms, in random order. A shared chunk does so for several
clusters at once, which form a joint cluster. A term chunk only states that a term occurs in the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.accounting import Accounting
from shoal.data.fresh import fresh_order
from shoal.data.tables import CLUSTER_NUMBERS, NUMBER, VALUE, PublishedTable, Sorted
from shoal.data.tables.column_types import column_types, renumbered
from shoal.errors import ShoalError

CLUSTER, JOINT, CHUNK, SUBRECORD, ITEM, RECORDS = "cluster", "joint", "chunk", "subrecord", "item", "records"
SCHEMAS: Mapping[str, Mapping[str, pl.DataType]] = {
    "subrecords": {CLUSTER: pl.Int64(), CHUNK: pl.Int64(), SUBRECORD: pl.Int64(), ITEM: pl.String()},
    "shared": {JOINT: pl.Int64(), CHUNK: pl.Int64(), SUBRECORD: pl.Int64(), ITEM: pl.String()},
    "terms": {CLUSTER: pl.Int64(), ITEM: pl.String()},
    "clusters": {CLUSTER: pl.Int64(), JOINT: pl.Int64(), RECORDS: pl.Int64()},
}
PARTS = tuple(SCHEMAS)


@dataclass(frozen=True, eq=False)
class ChunkTable(PublishedTable):
    """Four parts, each a frame with one row per fact.

    `subrecords` has the items of every sub-record of a cluster's record chunks, `shared` those of a joint cluster's shared chunks; `terms`
    the items of term chunks; `clusters` the number of records of each cluster, and its joint cluster, which may consist of it alone. All
    numbers are random and drawn again whenever the table is written: equal numbers of sub-records in different chunks mean nothing.
    """

    kind = "chunks"
    names = ("chunks",)
    part_names = PARTS
    made_of = "records"
    amounts = ("rows", "records", "clusters", "subrecords", "items")
    shapes = {part: (tuple((name,) for name in schema),) for part, schema in SCHEMAS.items()}  # noqa: RUF012 (never changed)

    subrecords: pl.DataFrame
    shared: pl.DataFrame
    terms: pl.DataFrame
    clusters: pl.DataFrame

    def __post_init__(self) -> None:
        for part, schema in SCHEMAS.items():
            frame: pl.DataFrame = getattr(self, part)
            if list(frame.schema.items()) != list(schema.items()):
                raise ShoalError(
                    f"the part {part} of chunks has the columns {', '.join(schema)}, not {dict(frame.schema)}", code="invalid-table"
                )
            if frame.null_count().sum_horizontal().sum():
                raise ShoalError(f"a row of the part {part} of chunks lacks a value", code="invalid-table")
            if frame.is_duplicated().any():
                raise ShoalError(f"the part {part} of chunks contains a row twice", code="invalid-table")
        self._refuse_strangers()

    def _refuse_strangers(self) -> None:
        known, sizes = self.clusters[CLUSTER], self.clusters[RECORDS]
        if known.n_unique() != len(known) or (sizes < 1).any():
            raise ShoalError("a cluster is listed twice, or has no records", code="invalid-table")
        for frame, numbers, listed in (
            (self.subrecords, CLUSTER, known),
            (self.terms, CLUSTER, known),
            (self.shared, JOINT, self.clusters[JOINT]),
        ):
            if not frame[numbers].is_in(listed.unique().implode()).all():
                raise ShoalError(f"a row refers to a {numbers} that is not listed", code="invalid-table")

    @property
    def n_rows(self) -> int:
        """The number of sub-record items that are written."""
        return len(self.subrecords)

    @property
    def n_records(self) -> int:
        """The number of disassociated records."""
        return int(self.clusters[RECORDS].sum())

    def agrees_with(self, account: Accounting) -> bool:
        """Whether the accounting agrees: every record of a cluster is one of the input."""
        return account.records.of_fate("kept", "changed") == self.n_records

    def columns_of_parts(self) -> dict[str, dict[str, str]]:
        """Return the columns of all parts."""
        return {part: column_types(getattr(self, part)) for part in PARTS}

    def facts(self) -> dict[str, int]:
        """Return the numbers of rows, records, clusters, sub-records and distinct items."""
        named = pl.concat([self.subrecords[ITEM], self.shared[ITEM], self.terms[ITEM]])
        subrecords = self.subrecords.select(CLUSTER, CHUNK, SUBRECORD).n_unique() + self.shared.select(JOINT, CHUNK, SUBRECORD).n_unique()
        return {
            "rows": self.n_rows,
            "records": self.n_records,
            "clusters": len(self.clusters),
            "subrecords": subrecords,
            "items": named.n_unique(),
        }

    def shuffled(self) -> tuple[pl.DataFrame, ...]:
        """Return the parts with random numbers from 1: of clusters and joint clusters, and within these of chunks and sub-records."""
        clusters, joints = _fresh(self.clusters[CLUSTER]), _fresh(self.clusters[JOINT])
        listed = self.clusters.with_columns(renumbered(self.clusters[CLUSTER], clusters), renumbered(self.clusters[JOINT], joints))
        terms = self.terms.with_columns(renumbered(self.terms[CLUSTER], clusters))
        parts = _renumbered_within(self.subrecords, CLUSTER, clusters), _renumbered_within(self.shared, JOINT, joints)
        return (*parts, terms[fresh_order(len(terms))], listed.sort(CLUSTER))

    def frames(self, name: str) -> dict[str, pl.DataFrame]:
        """Return one frame per part."""
        return {f"{name}_{part}": frame for part, frame in zip(PARTS, self.shuffled(), strict=True)}

    @property
    def random_orders(self) -> list[str]:
        """Return the numbers of clusters; rows are sorted."""
        return [CLUSTER_NUMBERS]

    def numbers_from_one(self) -> Iterator[tuple[str, pl.DataFrame]]:
        """Return the numbers of clusters and joint clusters, of their chunks, and of the sub-records."""
        for name in (CLUSTER, JOINT):
            yield f"the numbers in {name!r}", self.clusters.select(name)
        for frame, whole in ((self.subrecords, CLUSTER), (self.shared, JOINT)):
            yield f"the numbers in {CHUNK!r} of a {whole}", frame.select(whole, CHUNK)
            yield f"the numbers in {SUBRECORD!r} of a {whole}", frame.select(whole, CHUNK, SUBRECORD)

    def values_by_number(self) -> dict[str, pl.DataFrame]:
        """Return the items of each cluster."""
        items = pl.concat([self.subrecords.select(CLUSTER, ITEM), self.terms.select(CLUSTER, ITEM)])
        return {CLUSTER_NUMBERS: items.rename({CLUSTER: NUMBER, ITEM: VALUE})}

    def sorted_rows(self) -> Iterator[Sorted]:
        """Return the rows of each part except term chunks, sorted by their numbers."""
        keys = {"subrecords": [CLUSTER, CHUNK, SUBRECORD, ITEM], "shared": [JOINT, CHUNK, SUBRECORD, ITEM], "clusters": [CLUSTER]}
        for part, by in keys.items():
            yield Sorted(getattr(self, part), by, f"the rows of the part {part} are not in the order of their numbers")


def _fresh(numbers: pl.Series) -> dict[int, int]:
    known = numbers.unique(maintain_order=True).to_list()
    return dict(zip(known, (fresh_order(len(known)) + 1).tolist(), strict=True))


def _renumbered_within(frame: pl.DataFrame, whole: str, numbers: Mapping[int, int]) -> pl.DataFrame:
    """Renumber chunks and sub-records at random, independently for each chunk."""
    named = frame.with_columns(renumbered(frame[whole], numbers))
    chunks = _drawn(named.select(whole, CHUNK).unique(maintain_order=True), [whole], "\0chunk")
    subrecords = _drawn(named.select(whole, CHUNK, SUBRECORD).unique(maintain_order=True), [whole, CHUNK], "\0subrecord")
    both = named.join(chunks, on=[whole, CHUNK]).join(subrecords, on=[whole, CHUNK, SUBRECORD])
    result = both.select(whole, pl.col("\0chunk").alias(CHUNK), pl.col("\0subrecord").alias(SUBRECORD), ITEM)
    return result.sort(whole, CHUNK, SUBRECORD, ITEM)


def _drawn(distinct: pl.DataFrame, within: list[str], name: str) -> pl.DataFrame:
    """Assign random numbers from 1 to these rows."""
    mixed = distinct[fresh_order(len(distinct))]
    return mixed.with_columns(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(within).alias(name)).cast({name: pl.Int64})


def empty_part(part: str) -> pl.DataFrame:
    """Return an empty part."""
    return pl.DataFrame(schema=dict(SCHEMAS[part]))


def numbered_subrecords(whole: str, wholes: np.ndarray, chunks: np.ndarray, records: np.ndarray, items: pl.Series) -> pl.DataFrame:
    """Return rows of sub-records from the record of each item: a record has at most one sub-record in each chunk."""
    frame = pl.DataFrame({whole: wholes, CHUNK: chunks, SUBRECORD: records, ITEM: items})
    return frame.cast({whole: pl.Int64, CHUNK: pl.Int64, SUBRECORD: pl.Int64})
