"""Classes of identical published records, counted on the workers: equal contents meet in one part, and are told apart by all items."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from shoal.app.distributed.rounds import Numbers, Rows, Source, Step, Work, sent, told
from shoal.app.distributed.tables import NAMED, NODE, TYPED, WORDS, lists_of
from shoal.data.bags import Ints
from shoal.engines.spark import Cluster
from shoal.errors import GuaranteeNotMet
from shoal.io.stored import published_in

MADE, WRITTEN = 0, 1
ROWS = pa.schema([("items", WORDS), ("owner", pa.int64()), ("source", pa.int32())])
"""A record that was made, with its owner, or that was written to a file."""


@dataclass(frozen=True)
class Contents:
    """The sizes below which a class is too small, in how many parts classes are counted, and the files of the release."""

    sizes: tuple[int, ...]
    parts: int
    files: tuple[Path, ...] = ()

    def places(self, table: pa.Table) -> Ints:
        """The part of each record: equal ones have the same."""
        return _places(pl.from_arrow(table.column("items")).list.join("\n"), self.parts)  # type: ignore[union-attr]


def _places(values: Any, parts: int) -> Ints:
    return (values.hash(seed=0) % parts).to_numpy().astype("int64")  # type: ignore[no-any-return]


def made_rows(given: Contents, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Published records as they were made."""
    source = pa.array([MADE] * len(table), pa.int32())
    yield pa.table({"items": table.column("items"), "owner": table.column("owner"), "source": source}, ROWS)


def written_rows(given: Contents, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Published records as they are in the files whose numbers are here."""
    for number in table.column("id").to_pylist():
        items = published_in(given.files[number]).to_arrow().cast(WORDS)
        source = pa.array([WRITTEN] * len(items), pa.int32())
        yield pa.table({"items": items, "owner": pa.nulls(len(items), pa.int64()), "source": source}, ROWS)


def counted_classes(given: Contents, part: int, table: pa.Table) -> Iterator[str]:
    """Sums over the classes of a part, as they were made and as they were written, and contents that are not written as often as made."""
    if not len(table):
        return
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    made = pl.col("source") == MADE
    classes = frame.group_by("items").agg(made=made.sum(), written=(~made).sum(), people=pl.col("owner").filter(made).n_unique())
    differing = classes.filter(pl.col("made") != pl.col("written")).height
    yield json.dumps({"differing": differing, **{name: _summed(classes, name, given.sizes) for name in ("made", "written")}})


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
    """What is known of all classes: `of` gives what a model asks of those below a size."""

    sizes: tuple[int, ...]
    parts: tuple[dict[str, Any], ...]

    def of(self, size: int) -> dict[str, int]:
        """The smallest class in records and in people, how many are below the size, with their records, and all classes and records."""
        at = self.sizes.index(size)
        least = {name: min((part[name] for part in self.parts if part[name] is not None), default=0) for name in ("smallest", "fewest")}
        few = {name: sum(part[name][at] for part in self.parts) for name in ("short", "short_records")}
        return {**least, **few, **{name: sum(part[name] for part in self.parts) for name in ("different", "records")}}


def classes_made(cluster: Cluster, shown: Step, given: Contents) -> Counted:
    """The classes of published records, with the people behind each."""
    held = sent(cluster, "made", [(shown, made_rows)], given, given.places, given.parts)
    return _counted(map(json.loads, told(cluster, held, counted_classes, given)), given, "made")


def classes_written(cluster: Cluster, shown: Step, given: Contents) -> Counted:
    """The classes of the records in the files; raises unless every record is written as often as it was made."""
    both: list[tuple[Source | Rows, Work]] = [(shown, made_rows), (Numbers(len(given.files)), written_rows)]
    parts = [
        json.loads(word) for word in told(cluster, sent(cluster, "written", both, given, given.places, given.parts), counted_classes, given)
    ]
    if any(part["differing"] for part in parts):
        raise GuaranteeNotMet("the files do not hold the records of the release", hint="nothing was written")
    return _counted(parts, given, "written")


def _counted(parts: Iterable[dict[str, Any]], given: Contents, source: str) -> Counted:
    return Counted(given.sizes, tuple(part[source] for part in parts))


# -- different names


def names_in(nothing: Any, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """The names that a stored part tells, and the nodes that its records use."""
    frame = pl.from_arrow(table.select(["kind", "words"]))
    assert isinstance(frame, pl.DataFrame)
    nodes = pl.from_arrow(lists_of(table.filter(table.column("nodes").is_valid()), "nodes")[1])
    assert isinstance(nodes, pl.Series)
    used = pl.DataFrame({"kind": NODE, "name": nodes.unique().cast(pl.String)}, schema={"kind": pl.Int32, "name": pl.String})
    typed = frame.filter(pl.col("kind") >= TYPED).explode("words").rename({"words": "name"})
    yield pl.concat([typed, used]).to_arrow().cast(NAMED)


def item_names(given: Contents, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """The different names in files of a release."""
    for rows in written_rows(given, part, table):
        names = pl.from_arrow(lists_of(rows, "items")[1])
        assert isinstance(names, pl.Series)
        yield pl.DataFrame({"kind": TYPED, "name": names.unique()}, schema={"kind": pl.Int32, "name": pl.String}).to_arrow().cast(NAMED)


@dataclass(frozen=True)
class NamePlaces:
    """In how many parts names are counted."""

    parts: int

    def __call__(self, table: pa.Table) -> Ints:
        """The part of each name."""
        return _places(pl.from_arrow(table.column("name")), self.parts)


def counted_names(given: Any, part: int, table: pa.Table) -> Iterator[str]:
    """How many different names of each kind are here, and the nodes themselves."""
    if not len(table):
        return
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    for (kind,), names in frame.unique().group_by("kind"):
        yield json.dumps([kind, names["name"].cast(pl.Int64).to_list() if kind == NODE else len(names)])


def different_names(cluster: Cluster, source: Step | Numbers, work: Any, given: Any, parts: int) -> dict[int, list[Any]]:
    """Of each kind of names what `counted_names` says of the parts."""
    found: dict[int, list[Any]] = {}
    names = sent(cluster, "names", [(source, work)], given, NamePlaces(parts), parts)
    for kind, value in map(json.loads, told(cluster, names, counted_names, given)):
        found.setdefault(kind, []).append(value)
    return found
