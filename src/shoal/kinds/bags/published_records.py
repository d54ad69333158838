"""Published records read from a file, and their users if a column names them.

Files of other tools may contain user IDs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints
from shoal.errors import InputError, ParameterError
from shoal.util.numbers import distinct
from shoal.util.wording import counted

Notes = list[str]


@dataclass(frozen=True, eq=False)
class PublishedRecords:
    """The records of a file, how they were read, and the names of other columns, which no model covers.

    `columns` are those of the file in their order; none if its lines have no names. `levels` are the different pairs of an `item` and
    its `level`, where a long table has levels. `spelled` are columns whose numbers are not written as every writer writes them.
    """

    bags: Bags
    notes: tuple[str, ...] = ()
    extra_columns: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    levels: pl.DataFrame | None = None
    spelled: tuple[str, ...] = ()


NO_COLUMNS = "the file has no columns, so there are no user IDs"


def with_owners(records: PublishedRecords, frame: pl.DataFrame, owner: str, record: str | None, notes: Notes) -> PublishedRecords:
    """Return the records with the users named in a column; `record` identifies the rows of one record, if it has several.

    Empty cells are rejected: they would make one person of all unnamed users.
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
    notes.append(f"{owner!r} contains the user IDs: {counted(len(distinct(owners)), 'person', 'people')}")
    bags = records.bags
    return replace(records, bags=replace(bags, owners=owners))


def codes_of(column: pl.Series) -> Ints:
    """Number values in order of first occurrence."""
    return np.asarray(kernels.run(_kernels.Interner().encode, column.cast(pl.String).fill_null("").__arrow_c_stream__()), np.int64)


def _of_records(owners: Ints, records: Ints, owner: str) -> Ints:
    """Return the user of each record. The rows of one record must agree."""
    first = np.full(int(records.max(initial=-1)) + 1, -1, np.int64)
    first[records[::-1]] = owners[::-1]
    if (first[records] != owners).any():
        raise InputError(f"the column {owner!r} names several people for one record", code="several-users-per-record")
    return first
