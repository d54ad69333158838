"""Bags: records as sparse rows over one vocabulary, with the user of each record. Immutable.

A basket, a user's search terms, a document: each is a bag of items. Row i contains the items `items[indptr[i]:indptr[i+1]]`, sorted and
distinct, each with its count. Users are numbers; user IDs are discarded when data is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal import _kernels, kernels
from shoal.errors import InputError
from shoal.util.numbers import distinct

if TYPE_CHECKING:
    import pyarrow as pa
    import scipy.sparse as sp

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]

MOST_MARKS = 1 << 26  # one byte each
FEW_NAMES = 1 << 12  # names that a dictionary finds faster than a join
COLUMN_BYTES = 1 << 30  # of a column of strings, which can hold 2 GB
AT_ONCE = 1 << 22  # items of records that are looked at together: what that takes of memory stays small


class Vocabulary:
    """Distinct item names; the number of an item is its index."""

    def __init__(self, names: pl.Series | Iterable[str]) -> None:
        series = names if isinstance(names, pl.Series) else pl.Series(list(names), dtype=pl.String)
        self.names: pl.Series = series.rename("item")
        if self.names.n_unique() != len(self.names):
            raise InputError("a vocabulary contains the same item twice", code="duplicate-item")

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, item: int) -> str:
        return str(self.names[int(item)])

    def codes(self, names: pl.Series | Sequence[str]) -> Small:
        """Return the numbers of these names, -1 for names that are not in the vocabulary."""
        wanted = pl.Series("item", names, dtype=pl.String)
        if max(len(self), len(wanted)) <= FEW_NAMES:
            places = self._places
            return np.array([places.get(name, -1) for name in wanted.to_list()], np.int32)
        table = pl.DataFrame({"item": self.names}).with_row_index("code")
        if len(wanted) <= FEW_NAMES:  # looking for few names in many is faster than numbering the many by name
            table = table.join(pl.DataFrame({"item": wanted}), on="item", how="semi")
        joined = pl.DataFrame({"item": wanted}).join(table, on="item", how="left", maintain_order="left")
        return joined["code"].cast(pl.Int64).fill_null(-1).to_numpy().astype(np.int32)

    @cached_property
    def _places(self) -> dict[str | None, int]:
        """The number of each name, for a vocabulary so small that a join takes longer."""
        return {name: code for code, name in enumerate(self.names.to_list()) if name is not None}

    @classmethod
    def of_different(cls, names: pl.Series) -> Vocabulary:
        """Make it from names that are known to differ, which are not compared again."""
        found = cls.__new__(cls)
        found.names = names.rename("item")
        return found


def number_strings(values: pl.Series) -> tuple[pl.Series, Small]:
    """Return the different strings in order of first occurrence, and the number of each value's; -1 for null."""
    interner = _kernels.Interner()
    numbers: Small = kernels.run(interner.encode, values.__arrow_c_stream__())
    highest = np.maximum.accumulate(numbers) if len(numbers) else numbers
    first = np.flatnonzero(np.diff(highest, prepend=np.int32(-1)))
    return values.gather(first), numbers


def frequencies(numbers: Small, n: int) -> Ints:
    """Return how often each number below n occurs; numbers below 0 stand for nothing."""
    found: Ints = kernels.run(_kernels.frequencies, numbers, n)
    return found


def number_pieces(values: pl.Series, separator: str) -> tuple[Ints, Small, pl.Series]:
    """Return the pieces of strings between separators, without empty ones: row pointers, numbers of pieces, and the different ones."""
    interner = _kernels.Interner()
    indptr, numbers = kernels.run(interner.pieces, values.__arrow_c_stream__(), separator)
    return indptr, numbers, different_strings(interner)


def join_words(words: pl.Series, indptr: Ints, numbers: Small) -> tuple[pl.Series, Small]:
    """Return the different texts that are made of these words, in order of first occurrence, and the number of each text.

    Words are separated by one blank, and negative numbers are no words. Equal texts must have the same words: names of words are different
    and have no blanks, or each text has one word.
    """
    found, columns = kernels.run(_kernels.joined_texts, words.__arrow_c_stream__(), indptr, numbers, COLUMN_BYTES)
    return _united(columns), found


def different_strings(interner: _kernels.Interner) -> pl.Series:
    """Return the strings of an interner in the order of their numbers."""
    return _united(_kernels.text_columns(interner, COLUMN_BYTES))


def _united(columns: Sequence[_kernels.TextColumn]) -> pl.Series:
    pieces = [pl.Series("item", column) for column in columns]
    return pl.concat(pieces) if pieces else pl.Series("item", [], dtype=pl.String)


@dataclass(frozen=True, eq=False)
class Bags:
    """Records in compressed sparse rows. Construct them with one of the `from_` methods, which produce the canonical form."""

    indptr: Ints
    items: Small
    counts: Small
    owners: Ints
    vocabulary: Vocabulary

    def __post_init__(self) -> None:
        for array in (self.indptr, self.items, self.counts, self.owners):
            array.flags.writeable = False
        if len(self.owners) != len(self):
            raise InputError(f"{len(self)} records but {len(self.owners)} users", code="lengths-differ")

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @cached_property
    def lengths(self) -> Ints:
        """The number of item occurrences in each record."""
        found = np.zeros(len(self), np.int64)
        for begin, end in self.blocks():
            rows = self.indptr[begin : end + 1]
            running = np.concatenate([[0], np.cumsum(self.counts[rows[0] : rows[-1]], dtype=np.int64)])
            found[begin:end] = np.diff(running[rows - rows[0]])
        found.flags.writeable = False
        return found

    @cached_property
    def people_per_item(self) -> Ints:
        """The number of people with each item of the vocabulary."""
        people: Ints = kernels.run(_kernels.owners_per_item, self.view, self.owners, len(self.vocabulary))
        return people

    @property
    def occurrences(self) -> int:
        """The total number of item occurrences."""
        return int(self.counts.sum(dtype=np.int64))

    def n_sets(self, size: int) -> float:
        """Return the number of sets of this many items in all records together, at most that of all sets of the items that there are."""
        lengths = np.diff(self.indptr).astype(np.float64)
        of_records, of_all = np.ones_like(lengths), 1.0
        for i in range(size):
            of_records *= np.maximum(lengths - i, 0) / (i + 1)
            of_all *= max(len(self.vocabulary) - i, 0) / (i + 1)
        return min(float(of_records.sum()), of_all)

    def item_counts(self) -> Ints:
        """Return the number of occurrences of each item, counted in pieces, so that no column is copied."""
        counted = np.zeros(len(self.vocabulary), np.int64)
        for start in range(0, len(self.items), AT_ONCE):
            items, weights = self.items[start : start + AT_ONCE], self.counts[start : start + AT_ONCE]
            counted += np.bincount(items, weights=weights, minlength=len(counted)).astype(np.int64)
        return counted

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of records, each with few items in total, or a single record."""
        begin, n = 0, len(self)
        while begin < n:
            end = int(np.searchsorted(self.indptr, self.indptr[begin] + AT_ONCE, side="right")) - 1
            end = min(n, max(begin + 1, end))
            yield begin, end
            begin = end

    def part(self, begin: int, end: int) -> Bags:
        """Return the records of a range. Only the row pointers are copied."""
        rows = self.indptr[begin : end + 1]
        entries = slice(rows[0], rows[-1])
        return Bags(rows - rows[0], self.items[entries], self.counts[entries], self.owners[begin:end], self.vocabulary)

    @cached_property
    def n_owners(self) -> int:
        """The number of distinct users."""
        numbers = self.owners
        marks = max(8 * len(numbers), min(256 * len(numbers), MOST_MARKS))
        if len(numbers) and numbers.min() >= 0 and numbers.max() < marks:  # a mark for each number is quicker than sorting them
            met = np.zeros(int(numbers.max()) + 1, bool)
            met[numbers] = True
            return int(np.count_nonzero(met))
        return len(distinct(numbers))

    @property
    def owners_repeat(self) -> bool:
        """Whether some user owns more than one record."""
        return self.n_owners < len(self)

    @property
    def rows(self) -> tuple[Ints, Small, Small]:
        """The three arrays of the sparse rows."""
        return self.indptr, self.items, self.counts

    @cached_property
    def view(self) -> _kernels.Rows:
        """The sparse rows as kernels take them; validated once, because they are immutable."""
        return _kernels.Rows(*self.rows)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for another process, without values of kernels, which belong to this one."""
        return {name: value for name, value in vars(self).items() if name != "view"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state, with read-only arrays."""
        vars(self).update(state)
        self.__post_init__()

    # -- building

    @classmethod
    def from_rows(
        cls,
        indptr: npt.ArrayLike,
        items: npt.ArrayLike,
        counts: npt.ArrayLike,
        vocabulary: Vocabulary,
        owners: npt.ArrayLike | None = None,
        *,
        as_sets: bool = False,
    ) -> Bags:
        """Make bags from rows in any order, with repeats. Items with a negative number or count 0 are left out."""
        rows = canonical_rows(indptr, items, counts, len(vocabulary), as_sets=as_sets)
        people = np.arange(len(rows[0]) - 1) if owners is None else np.array(owners)
        return cls(*rows, people.astype(np.int64, copy=False), vocabulary)

    @classmethod
    def from_lists(cls, records: Iterable[Iterable[str]], owners: npt.ArrayLike | None = None) -> Bags:
        """Make bags from lists of item names; repeated names are counted."""
        numbers: dict[str, int] = {}
        indptr: list[int] = [0]
        items: list[int] = []
        for record in records:
            items.extend(numbers.setdefault(name, len(numbers)) for name in record)
            indptr.append(len(items))
        return cls.from_rows(indptr, np.array(items, np.int32), np.ones(len(items), np.int32), Vocabulary(numbers), owners)

    @classmethod
    def from_polars(cls, frame: pl.DataFrame | pl.Series, owners: npt.ArrayLike | None = None) -> Bags:
        """Make bags from a column of lists of strings (the column `items` of a frame)."""
        lists = frame if isinstance(frame, pl.Series) else frame["items"]
        flat = pl.DataFrame({"items": lists.drop_nulls().explode(empty_as_null=False, keep_nulls=False)}).to_series()
        interner = _kernels.Interner()
        codes = kernels.run(interner.encode, flat.__arrow_c_stream__())
        sizes = lists.list.len().fill_null(0).to_numpy().astype(np.int64)
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        vocabulary = Vocabulary(interner.strings())
        return cls.from_rows(indptr, codes, np.ones(len(flat), np.int32), vocabulary, owners)

    @classmethod
    def from_scipy(cls, matrix: sp.csr_array | sp.csr_matrix, vocabulary: Vocabulary, owners: npt.ArrayLike | None = None) -> Bags:
        """Make bags from a records x items matrix of counts."""
        import scipy.sparse as sp

        csr = sp.csr_matrix(matrix)
        return cls.from_rows(csr.indptr, csr.indices, csr.data, vocabulary, owners)

    # -- other views

    def to_scipy(self) -> sp.csr_matrix:
        """Return the records x items matrix of counts."""
        import scipy.sparse as sp

        return sp.csr_matrix((self.counts, self.items, self.indptr), shape=(len(self), len(self.vocabulary)))

    def to_polars(self) -> pl.Series:
        """Return each record as the list of its item names, repeated by their counts."""
        return pl.concat([self.part(*block)._listed() for block in [(0, 0), *self.blocks()]], rechunk=True)

    def _listed(self) -> pl.Series:
        """Return the same for all records at once."""
        names = self.vocabulary.names.gather(np.repeat(self.items, self.counts))
        ends = np.cumsum(self.lengths)
        records = pl.Series(np.repeat(np.arange(len(self)), self.lengths))
        filled = pl.DataFrame({"record": records, "items": names}).group_by("record", maintain_order=True).agg(pl.col("items"))
        if len(filled) == len(self):
            return filled["items"]
        every = pl.DataFrame({"record": np.arange(len(ends), dtype=np.int64)})
        joined = every.join(filled.cast({"record": pl.Int64}), on="record", how="left", maintain_order="left")
        return joined["items"].fill_null(pl.Series([[]], dtype=pl.List(pl.String)))

    def to_arrow(self) -> pa.Array:
        """Return each record as an Arrow list of item names; needs pyarrow."""
        return self.to_polars().to_arrow()

    def record(self, i: int) -> dict[str, int]:
        """Return one record as a mapping from item name to count."""
        span = slice(self.indptr[i], self.indptr[i + 1])
        return {self.vocabulary[int(item)]: int(n) for item, n in zip(self.items[span], self.counts[span], strict=True)}

    def select(self, records: npt.ArrayLike) -> Bags:
        """Return the records with these numbers, or where a mask is true."""
        chosen = np.asarray(records)
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.int64)
        chosen = np.where(chosen < 0, chosen + len(self), chosen)
        if len(chosen) and not (chosen.min() >= 0 and chosen.max() < len(self)):
            raise IndexError(f"there are only {len(self):,} records")
        indptr, items, counts = kernels.run(_kernels.selected_rows, self.view, chosen, kernels.threads())
        return self._as_long(Bags(indptr, items, counts, self.owners[chosen], self.vocabulary), chosen)

    def _as_long(self, others: Bags, chosen: Ints | slice = slice(None)) -> Bags:
        """Copy known lengths to other records of the same lengths, so that they are not counted again."""
        if "lengths" in vars(self):
            vars(others)["lengths"] = self.lengths[chosen]
        return others

    def relabelled(self, codes: Small, vocabulary: Vocabulary, *, as_sets: bool = False) -> Bags:
        """Return the records with item i replaced by `codes[i]` of another vocabulary; negative codes drop the item."""
        return Bags.from_rows(self.indptr, codes[self.items], self.counts, vocabulary, self.owners, as_sets=as_sets)

    def renumbered(self, codes: Small, vocabulary: Vocabulary) -> Bags:
        """Do the same as `relabelled` if codes increase with the items and drop none that occurs, so that rows stay sorted."""
        return self._as_long(Bags(self.indptr, codes[self.items], self.counts, self.owners, vocabulary))

    def with_owners_as_met(self) -> Bags:
        """Return the records with their users numbered from 0 in order of first appearance."""
        _, first, number = np.unique(self.owners, return_index=True, return_inverse=True)
        met = np.argsort(np.argsort(first))[number].astype(np.int64)
        return self._as_long(Bags(self.indptr, self.items, self.counts, met, self.vocabulary))

    def as_sets(self) -> Bags:
        """Return the records with every count reduced to one."""
        return Bags(self.indptr, self.items, np.ones_like(self.counts), self.owners, self.vocabulary)

    def content_order(self, ties: Ints | None = None) -> Ints:
        """Return the record numbers by decreasing length, then by content, then by `ties`, then in their present order."""
        ranks = np.zeros(len(self), np.int64) if ties is None else ties
        order: Ints = kernels.run(_kernels.content_order, self.view, ranks, kernels.threads())
        return order

    def identical(self) -> Ints:
        """Return a number for each record, the same for identical ones, from 0 in order of first occurrence."""
        label: Ints = kernels.run(_kernels.identical_rows, self.view, kernels.threads())
        return label

    def owner_ranks(self) -> Ints:
        """Return a rank per record that separates records of equal content by the other records of their users, never by input order.

        Users with the same records are interchangeable: they are ranked by number, in the same way for all of their records.
        """
        if not self.owners_repeat:
            return np.zeros(len(self), np.int64)
        return _ranks_of_owners(self)

    def __repr__(self) -> str:
        return f"Bags({len(self):,} records, {self.n_owners:,} users, {self.occurrences:,} occurrences)"


def canonical_rows(
    indptr: npt.ArrayLike, items: npt.ArrayLike, counts: npt.ArrayLike, n_items: int, *, as_sets: bool = False
) -> tuple[Ints, Small, Small]:
    """Bring rows in any order, with repeats, into the canonical form of Bags. Items with a negative number or count 0 are left out."""
    rows = np.asarray(indptr, np.int64), _small(items, "item numbers"), _small(counts, "counts")
    if rows[1].max(initial=-1) >= n_items:
        raise InputError(f"an item is numbered {rows[1].max():,} in a vocabulary of {n_items:,}", code="invalid-records")
    if rows[2].min(initial=0) < 0:
        raise InputError("an item has a negative count", code="invalid-records")
    try:
        made: tuple[Ints, Small, Small] = kernels.run(_kernels.canonical_rows, *rows, as_sets, kernels.threads())
    except OverflowError as error:
        raise InputError(str(error), code="invalid-records") from None
    return made


def united(parts: Sequence[Bags]) -> Bags:
    """Concatenate records with different vocabularies; users are renumbered."""
    if len(parts) == 1:
        return parts[0]
    vocabulary = Vocabulary(pl.concat([part.vocabulary.names for part in parts]).unique(maintain_order=True))
    return stacked([part.relabelled(vocabulary.codes(part.vocabulary.names), vocabulary) for part in parts])


def stacked(parts: Sequence[Bags]) -> Bags:
    """Concatenate records over one vocabulary; users are renumbered."""
    sizes = np.concatenate([np.diff(part.indptr) for part in parts])
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    items = np.concatenate([part.items for part in parts])
    counts = np.concatenate([part.counts for part in parts])
    return Bags(indptr, items, counts, np.arange(len(sizes), dtype=np.int64), parts[0].vocabulary)


def _small(values: npt.ArrayLike, what: str) -> Small:
    """Convert values to 32-bit integers. Raise if one would be truncated or overflow."""
    array = np.asarray(values)
    if array.dtype == np.int32 or not array.size:
        return array.astype(np.int32, copy=False)
    if not np.issubdtype(array.dtype, np.integer) and not np.array_equal(array, np.rint(array)):
        raise InputError(f"{what} must be whole numbers", code="invalid-records")
    limits = np.iinfo(np.int32)
    if array.min() < limits.min or array.max() > limits.max:
        raise InputError(f"{what} must lie within {limits.max:,}", code="invalid-records")
    return array.astype(np.int32)


def _ranks_of_owners(bags: Bags) -> Ints:
    order, same = bags.content_order(), bags.identical()
    # Number distinct contents by their position in the content order, then compare users by the sorted lists of those numbers.
    _, first = np.unique(same[order], return_index=True)
    place = np.empty(len(first), np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    frame = pl.DataFrame({"owner": bags.owners, "content": place[same]})
    profiles = frame.group_by("owner").agg(pl.col("content").sort().cast(pl.String).str.join(",").alias("profile"))
    ranked = profiles.sort("profile", "owner").with_row_index("rank")
    return frame.join(ranked, on="owner", how="left", maintain_order="left")["rank"].to_numpy().astype(np.int64)
