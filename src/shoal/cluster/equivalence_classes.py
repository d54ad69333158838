"""Classes of identical published records, counted on the workers.

Records with equal content are sent to the same partition. There they are compared item by item.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from shoal.cluster.arrow_schemas import NAMED, NODE, TYPED, WORDS, lists_of
from shoal.cluster.exchange import ByContent, ByText, NumberedPartitions, Step, collected_words, sent, stored
from shoal.cluster.spark import Cluster
from shoal.errors import GuaranteeNotMet
from shoal.io.step_files import published_in

MADE = pa.schema([("items", WORDS), ("owner", pa.int64())])
"""A published record as it was made, with its owner."""
WRITTEN = pa.schema([("items", WORDS)])
"""A published record as it is in a file."""
CLASSES = pa.schema([("items", WORDS), ("made", pa.int64()), ("people", pa.int64())])
"""How often a record was made, and for how many people."""


@dataclass(frozen=True)
class Contents:
    """The sizes below which a class is too small, the number of partitions for counting, and the files of the release."""

    sizes: tuple[int, ...]
    parts: int
    files: tuple[Path, ...] = ()

    @property
    def places(self) -> ByContent:
        """Return how records are placed: equal ones are in the same partition."""
        return ByContent("items", self.parts)


@dataclass(frozen=True)
class MadeContents:
    """The same, and where the classes of the records are stored."""

    contents: Contents
    classes: Step


def made_rows(contents: Contents, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return published records as made."""
    yield table.select(MADE.names)


def written_rows(contents: Contents, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return published records as in the files with these numbers."""
    for number in table.column("id").to_pylist():
        yield pa.table({"items": published_in(contents.files[number]).to_arrow().cast(WORDS)}, WRITTEN)


def counted_made(contents: Contents, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Count the classes of a partition, and sum over them."""
    frame = pl.from_arrow(table if len(table) else MADE.empty_table())
    assert isinstance(frame, pl.DataFrame)
    classes = frame.group_by("items").agg(made=pl.len(), people=pl.col("owner").n_unique())
    if len(classes):
        yield json.dumps(_summed(classes, "made", contents.sizes))
    yield classes.to_arrow().cast(CLASSES)


def counted_written(made_contents: MadeContents, part: int, table: pa.Table) -> Iterator[str]:
    """Sum over the written classes of a partition, and count the contents that are not written as often as made."""
    made, rows = pl.from_arrow(made_contents.classes.part(part)), pl.from_arrow(table if len(table) else WRITTEN.empty_table())
    assert isinstance(made, pl.DataFrame) and isinstance(rows, pl.DataFrame)
    nothing, once = pl.lit(0, pl.Int64), pl.lit(1, pl.Int64)
    both = pl.concat([made.with_columns(written=nothing), rows.select("items", made=nothing, people=nothing, written=once)])
    classes = both.group_by("items").agg(pl.all().sum())
    if len(classes):
        differing = classes.filter(pl.col("made") != pl.col("written")).height
        yield json.dumps({"differing": differing, "written": _summed(classes, "written", made_contents.contents.sizes)})


def _summed(classes: pl.DataFrame, source: str, sizes: Sequence[int]) -> dict[str, Any]:
    held = classes.filter(pl.col(source) > 0)
    short = [held.filter(pl.col(source) < size) for size in sizes]
    return {
        "smallest": held[source].min(),
        "fewest": held["people"].min(),
        "different": len(held),
        "records": int(held[source].sum()),
        "short": [len(few) for few in short],
        "short_records": [int(few[source].sum()) for few in short],
    }


@dataclass(frozen=True)
class Counted:
    """Counts of all classes; `of` returns what a model needs about those below a size."""

    sizes: tuple[int, ...]
    parts: tuple[dict[str, Any], ...]

    def of(self, size: int) -> dict[str, int]:
        """Return the smallest class in records and in people, the number of classes below the size with their records, and the totals."""
        at = self.sizes.index(size)
        least = {name: min((part[name] for part in self.parts if part[name] is not None), default=0) for name in ("smallest", "fewest")}
        few = {name: sum(part[name][at] for part in self.parts) for name in ("short", "short_records")}
        return {**least, **few, **{name: sum(part[name] for part in self.parts) for name in ("different", "records")}}


def classes_made(cluster: Cluster, shown: Step, contents: Contents) -> tuple[Counted, Step]:
    """Return the classes of published records with the people behind each, and where they are stored."""
    held = sent(cluster, "made", [(shown, made_rows)], contents, contents.places, contents.parts)
    classes, words = stored(cluster, held, counted_made, contents, "classes")
    return Counted(contents.sizes, tuple(map(json.loads, words))), classes


def classes_written(cluster: Cluster, classes: Step, contents: Contents) -> Counted:
    """Return the classes of the records in the files. Raise unless every record is written as often as it was made."""
    held = sent(cluster, "written", [(NumberedPartitions(len(contents.files)), written_rows)], contents, contents.places, contents.parts)
    parts = [json.loads(word) for word in collected_words(cluster, held, counted_written, MadeContents(contents, classes))]
    if any(part["differing"] for part in parts):
        raise GuaranteeNotMet(
            "the files do not contain the records of the release", code="files-differ-from-release", hint="nothing was written"
        )
    return Counted(contents.sizes, tuple(part["written"] for part in parts))


# -- distinct names


def names_in(nothing: Any, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the names in a stored partition, and the nodes that its records use."""
    frame = pl.from_arrow(table.select(["kind", "words"]))
    assert isinstance(frame, pl.DataFrame)
    nodes = pl.from_arrow(lists_of(table.filter(table.column("nodes").is_valid()), "nodes")[1])
    assert isinstance(nodes, pl.Series)
    used = pl.DataFrame({"kind": NODE, "name": nodes.unique().cast(pl.String)}, schema={"kind": pl.Int32, "name": pl.String})
    typed = frame.filter(pl.col("kind") >= TYPED).explode("words").rename({"words": "name"})
    yield pl.concat([typed, used]).to_arrow().cast(NAMED)


def item_names(contents: Contents, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the distinct names in files of a release."""
    for rows in written_rows(contents, part, table):
        names = pl.from_arrow(lists_of(rows, "items")[1])
        assert isinstance(names, pl.Series)
        yield pl.DataFrame({"kind": TYPED, "name": names.unique()}, schema={"kind": pl.Int32, "name": pl.String}).to_arrow().cast(NAMED)


def counted_names(shared: Any, part: int, table: pa.Table) -> Iterator[str]:
    """Count the distinct names of each kind here, and return the nodes."""
    if not len(table):
        return
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    for (kind,), names in frame.unique().group_by("kind"):
        yield json.dumps([kind, names["name"].cast(pl.Int64).to_list() if kind == NODE else len(names)])


def different_names(cluster: Cluster, source: Step | NumberedPartitions, work: Any, shared: Any, parts: int) -> dict[int, list[Any]]:
    """Return for each kind of names the results of `counted_names` for the partitions."""
    found: dict[int, list[Any]] = {}
    names = sent(cluster, "names", [(source, work)], shared, ByText("name", parts), parts)
    for kind, value in map(json.loads, collected_words(cluster, names, counted_names, shared)):
        found.setdefault(kind, []).append(value)
    return found
