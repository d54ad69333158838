"""Reading published tables back, from the files that the manifest lists. One file per kind of table, looked up here.

A reader knows a file by what is said of it (`name`, `format`, `columns`, ...), which may be wrong: judged is what is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.data.tables import PublishedTable
from shoal.registry import Table

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Reader:
    """How a kind of table is read back, and how two tables of the kind are compared.

    `read` takes the directory, what is said of the table's files, and whether this process wrote them itself. `differing` counts the rows
    of either table that have no counterpart in the other, whatever the order and the fresh numbers.
    """

    read: Callable[[Path, Sequence[Facts], bool], PublishedTable]
    differing: Callable[[Any, Any], int]


READERS: Table[Reader] = Table(
    "kind of table",
    {
        "bags": "shoal.kinds.bags.read:READER",
        "weighted bags": "shoal.io.published.weighted:READER",
        "rows": "shoal.io.published.rows:READER",
        "counts": "shoal.io.published.counts:READER",
        "groups": "shoal.io.published.groups:READER",
        "chunks": "shoal.io.published.chunks:READER",
        "access log": "shoal.io.published.accesslog:READER",
        "profiles": "shoal.kinds.profiles:READER",
    },
)


def read_tables(directory: Path, files: Sequence[Facts], *, own: bool = False) -> dict[str, PublishedTable]:
    """The tables that these files hold, by name, in the order of the files."""
    grouped: dict[tuple[str, str], list[Facts]] = {}
    for file in files:
        grouped.setdefault((file["table"], file["kind"]), []).append(file)
    return {name: READERS[kind].read(directory, told, own) for (name, kind), told in grouped.items()}


def rows_differing(made: Mapping[str, PublishedTable], seen: Mapping[str, PublishedTable]) -> int:
    """How many rows of either set of tables have no counterpart in the other."""
    return sum(_differing(made.get(name), seen.get(name)) for name in made.keys() | seen.keys())


def _differing(made: PublishedTable | None, seen: PublishedTable | None) -> int:
    if made is None or seen is None or made.kind != seen.kind:
        return max(1, sum(table.n_rows for table in (made, seen) if table is not None))
    return READERS[made.kind].differing(made, seen)
