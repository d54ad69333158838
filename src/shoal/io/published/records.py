"""What is read from a file of published records."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.bags import Bags

Notes = list[str]


@dataclass(frozen=True, eq=False)
class PublishedRecords:
    """The records of a file, how they were read, and the names of what else the file holds, which no model judges."""

    bags: Bags
    notes: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
