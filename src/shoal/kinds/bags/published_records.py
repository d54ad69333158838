"""What is read from a file of published records."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal.data.bags import Bags

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
