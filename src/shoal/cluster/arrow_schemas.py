"""The tables passed between the steps on a cluster, and their conversion to bags and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.bags import Bags, Ints, Small, Vocabulary
from shoal.data.taxonomy import Taxonomy, Worth
from shoal.errors import GuaranteeNotMet

COARSE = "_coarse"
STRANGE = "records contain items that are not in the taxonomy of all records"

NUMBERS, WORDS = pa.list_(pa.int32()), pa.list_(pa.string())
NUMBERED_NAMES = pa.list_(pa.dictionary(pa.int32(), pa.string()))

EVENTS = pa.schema({"key": pa.string(), "name": pa.string(), "time": pa.int64(), "payload": pa.string(), "count": pa.int64()})
"""Rows of the log with the name of their owner without its spelling (`key`) and as it is written. Columns that say nothing are left out:
so are the names where all of them are written just as their keys."""

RECORD, TYPED, UNKNOWN, NODE = range(4)
RECORDS = pa.schema(
    {
        **{"kind": pa.int32(), "record": pa.int64(), "owner": pa.int64()},
        **{"nodes": NUMBERS, "counts": NUMBERS, "spelled": NUMBERS},
        **{"words": WORDS, "word_counts": NUMBERS, "word_spelled": NUMBERS},
    }
)
"""Records as nodes of the whole taxonomy and words that it lacks, each with its count and how many were typed just so.

Rows of other kinds hold names as they were typed, or terms that the taxonomy lacks.
"""

TYPED_TEXTS = pa.schema({"owner": pa.int32(), "text": pa.dictionary(pa.int32(), pa.string()), "times": pa.int64()})
"""Rows of a log: whose, the text as it was typed, and how many rows of this person have it."""

HASHES = pa.schema([("hash", pa.int64())])
DRAWN = pa.schema([("hash", pa.int64()), ("times", pa.int64())])
SAMPLED = pa.schema([("hash", pa.int64()), ("nodes", NUMBERS), ("counts", NUMBERS)])
NAMED = pa.schema([("kind", pa.int32()), ("name", pa.string())])
"""A name as it was typed, a term that the taxonomy lacks, or the number of a node that is used."""

PUBLISHED = pa.schema([("record", pa.int64()), ("items", WORDS), ("withheld", pa.bool_())])
"""What becomes of every record that is not empty: its published items, or null where it is withheld, which is said beside."""

SUMS = pa.schema([("sums", pa.string())])
SHOWN = pa.schema([("place", pa.int64()), ("owner", pa.int64()), ("items", WORDS)])
"""A published record, whose original it stands for, and a random number that says where it is written."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """The tree of the records without the words that the taxonomy lacks, and the number in it of each node of the taxonomy."""

    names: pl.Series
    parent: Small
    unlisted: int | None
    barred: Any
    worth: Worth
    renumbered: Small
    loss_name: str

    @classmethod
    def of(cls, tree: Taxonomy, renumbered: Small) -> Fitted:
        """Make it from a tree in which one leaf represents all unknown words."""
        n = len(tree) if tree.unlisted is None else tree.unlisted + 1
        worth = Worth(tree.loss[:n], tree.unit_losses[:n], tree.units, tree.charges[:n], tree.leaves[:n])
        barred = None if tree.barred is None else tree.barred[:n]
        return cls(tree.names.names[:n], tree.parent[:n].copy(), tree.unlisted, barred, worth, renumbered, tree.loss_name)

    def coarse(self) -> Taxonomy:
        """Return the tree in which every unknown word is one common node; created once for all tasks of a worker."""
        if COARSE not in self.__dict__:
            self.__dict__[COARSE] = self.with_words(pl.Series([], dtype=pl.String))
        return cast("Taxonomy", self.__dict__[COARSE])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != COARSE}

    def with_words(self, words: pl.Series) -> Taxonomy:
        """Return the tree with these unknown words, which are sorted, with the losses of the tree with all of them."""
        n, worth = len(words), self.worth
        if n and self.unlisted is None:
            raise GuaranteeNotMet(STRANGE, code="cluster-result-inconsistent", hint="nothing was written")
        names = Vocabulary(pl.concat([self.names, words.rename("item")]))
        grown = Worth(
            np.concatenate([worth.loss, np.zeros(n)]),
            np.concatenate([worth.unit_losses, np.zeros(n, np.int64)]),
            worth.units,
            np.concatenate([worth.charges, np.ones(n, np.int64)]),
            np.concatenate([worth.leaves, np.ones(n, np.int64)]),
        )
        parent = np.concatenate([self.parent, np.full(n, 0 if self.unlisted is None else self.unlisted, np.int32)]).astype(np.int32)
        barred = None if self.barred is None else np.concatenate([self.barred, np.zeros(n, bool)])
        return Taxonomy(names, parent, loss_name=self.loss_name, unlisted=self.unlisted, barred=barred, worth=grown)


def typed_tree(items: int) -> Taxonomy:
    """Return a root with this many names as typed below it, of which one represents all."""
    names = Vocabulary(["", "(typed)"])
    return Taxonomy(names, np.array([-1, 0], np.int32), unlisted=0, unseen=max(0, items - 1))


def lists_of(table: pa.Table, name: str) -> tuple[Ints, Any]:
    """Return the offsets of the lists of a column, and all their values as an Arrow array."""
    column = table.column(name).combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], table.schema.field(name).type)
    offsets = column.offsets.to_numpy().astype(np.int64)
    return offsets - offsets[0], column.flatten()


def numbers_of(table: pa.Table, name: str) -> Any:
    """Return all values of a column of lists of numbers."""
    return lists_of(table, name)[1].to_numpy(zero_copy_only=False)


def list_array(indptr: Ints, values: Any, kind: Any = None) -> pa.ListArray:
    """Return lists of these values with these offsets."""
    flat = values if isinstance(values, pa.Array) else pa.array(values, kind)
    return pa.ListArray.from_arrays(pa.array(indptr, pa.int32()), flat)


def numbered_names(indptr: Ints, items: Any, names: pl.Series) -> pa.ListArray:
    """Return lists of these numbers of names."""
    numbered = pa.DictionaryArray.from_arrays(pa.array(items, pa.int32()), names.to_arrow().cast(pa.string()))
    return list_array(indptr, numbered)


def numbers_and_names(table: pa.Table, column: str = "items") -> tuple[Ints, Any, pl.Series]:
    """Return the offsets of lists of names, all their values as numbers, and the different names."""
    starts, values = lists_of(table, column)
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    return starts, values.indices.to_numpy(), pl.Series("item", values.dictionary, dtype=pl.String)


def with_names(column: pa.ChunkedArray) -> pa.ListArray:
    """Return lists of numbered names with the names themselves."""
    starts, values = lists_of(pa.table([column], names=["items"]), "items")
    return list_array(starts, values.dictionary_decode())


def frame_as(table: pa.Table, schema: pa.Schema) -> pl.DataFrame:
    """Return the rows of a table with the columns of a schema. Columns that it lacks are null: no task had rows with them."""
    columns = [table.column(field.name) if field.name in table.column_names else pa.nulls(len(table), field.type) for field in schema]
    frame = pl.from_arrow(pa.table(columns, schema=schema))
    assert isinstance(frame, pl.DataFrame)
    return frame


def records_in(table: pa.Table) -> pa.Table:
    """Return the records of a stored partition without other columns."""
    kinds = table.column("kind").to_numpy()
    n = int((kinds == RECORD).sum())
    return table.slice(0, n) if (kinds[:n] == RECORD).all() else table.filter(pa.array(kinds == RECORD))


def present_in(table: pa.Table) -> pa.Table:
    """Return the non-empty records of a stored partition."""
    held = records_in(table)
    empty = pc.equal(pc.add(*(pc.list_value_length(held.column(name)) for name in ("nodes", "words"))), 0)
    return held.filter(pc.invert(empty)) if pc.any(empty).as_py() else held


def words_in(table: pa.Table) -> pl.Series:
    """Return the distinct unknown words of records, sorted."""
    found = pl.from_arrow(lists_of(table, "words")[1])
    assert isinstance(found, pl.Series)
    return found.cast(pl.String).unique().sort()


def _codes(words: Any, fitted: Fitted, tree: Taxonomy) -> Ints:
    """Return the node of each unknown word: on the coarse tree the common one; negative if there is none."""
    if len(tree) == len(fitted.names) and fitted.unlisted is not None:
        return np.full(len(words), fitted.unlisted, np.int64)
    named = pl.from_arrow(words)
    assert isinstance(named, pl.Series)
    return tree.names.codes(named.cast(pl.String)).astype(np.int64)


def bags_of(table: pa.Table, fitted: Fitted, tree: Taxonomy, counts: str = "counts") -> Bags:
    """Return records over a tree with their unknown words, or over the coarse one; `counts` selects one of the two counts.

    Raises if an item has no node there: it would be missing in all later steps.
    """
    starts, nodes = lists_of(table, "nodes")
    begins, words = lists_of(table, "words")
    codes = _codes(words, fitted, tree)
    known = fitted.renumbered[nodes.to_numpy(zero_copy_only=False)]
    if (known < 0).any() or (codes < 0).any():
        raise GuaranteeNotMet(STRANGE, code="cluster-result-inconsistent", hint="nothing was written")
    sizes, more = np.diff(starts), np.diff(begins)
    rows = np.concatenate([np.repeat(np.arange(len(sizes)), sizes), np.repeat(np.arange(len(more)), more)])
    order = np.argsort(rows, kind="stable")
    items = np.concatenate([known, codes]).astype(np.int32)[order]
    times = np.concatenate([numbers_of(table, counts), numbers_of(table, f"word_{counts}")]).astype(np.int32)[order]
    indptr = np.concatenate([[0], np.cumsum(sizes + more)])
    owners = np.unique(table.column("owner").to_numpy(), return_inverse=True)[1]
    return Bags.from_rows(indptr, items, times, tree.names, owners)
