"""What is read from a file of published records, and whose the records are where a column names their users.

What another tool published may name its users.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints
from shoal.errors import InputError, ParameterError

Notes = list[str]


@dataclass(frozen=True, eq=False)
class PublishedRecords:
    """The records of a file, how they were read, and the names of what else the file holds, which no model judges.

    `columns` are those of the file in their order; none if its lines have no names. `levels` are the different pairs of an `item` and
    its `level`, where a long table has levels. `spelled` are columns whose numbers are not written as every writer writes them.
    """

    bags: Bags
    notes: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    levels: pl.DataFrame | None = None
    spelled: tuple[str, ...] = ()


NO_COLUMNS = "the file has no columns, so there are no user IDs"


def with_owners(found: PublishedRecords, frame: pl.DataFrame, owner: str, record: str | None, notes: Notes) -> PublishedRecords:
    """The records with the owners that a column names; `record` tells the rows of one record, where a record has several.

    Empty cells would make one person of all who are not named, so they are refused.
    """
    if owner not in frame.columns:
        listed = ", ".join(repr(name) for name in frame.columns)
        raise ParameterError(
            f"there is no column {owner!r} with the user IDs of the records", code="unknown-column", hint=f"the file has {listed}"
        )
    named = frame[owner].cast(pl.String)
    if named.is_null().any() or (named == "").any():
        raise InputError(f"the column {owner!r} lacks the user ID of some rows", code="missing-user")
    owners = codes_of(named)
    if record is not None:
        owners = _of_records(owners, codes_of(frame[record]), owner)
    notes.append(f"{owner!r} contains the user IDs: {len(np.unique(owners)):,} people")
    bags = found.bags
    return replace(found, bags=replace(bags, owners=owners))


def codes_of(column: pl.Series) -> Ints:
    """Values as numbers, in the order in which they are first seen."""
    return np.asarray(kernels.run(_kernels.Interner().encode, column.cast(pl.String).fill_null("").__arrow_c_stream__()), np.int64)


def _of_records(owners: Ints, records: Ints, owner: str) -> Ints:
    """The owner of each record; the rows of one record must agree on it."""
    first = np.full(int(records.max(initial=-1)) + 1, -1, np.int64)
    first[records[::-1]] = owners[::-1]
    if (first[records] != owners).any():
        raise InputError(f"the column {owner!r} names several people for one record", code="several-users-per-record")
    return first
