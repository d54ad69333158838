"""Logs that become records while they are read, so that no text is kept for long.

Rows are packed by ranges of users until everything has been read; then each range is unpacked, with all rows of its people, and becomes
records. Users are numbered in the order of their first row, so the number determines the range. Packed rows take about half of the memory
of a table, and may be stored elsewhere (`Parcels`).
"""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal import kernels
from shoal.data.bags import Bags, Ints, Small
from shoal.data.log import Log
from shoal.io.read.event_rows import Collector, Mask, collected_by, tally_of
from shoal.io.read.formats import Layout
from shoal.io.read.options import ReadOptions
from shoal.io.read.result import Reading, Tally
from shoal.io.read.source import Source

# -- rows by ranges of users


PEOPLE = 1 << 14  # owners of one range
PARCEL = 8 << 20  # bytes of a range's rows that are worth packing
WAITING = 96 << 20  # bytes of rows of all ranges that may wait to be packed
ROW = 32  # bytes of a row without its text
OWNER = "owner"


class Parcels(Protocol):
    """Stores bytes until they are needed, each once."""

    def put(self, content: bytes) -> int:
        """Store bytes, and return their number."""

    def take(self, number: int) -> bytes:
        """Return and forget the bytes with this number."""


class MemoryParcels:
    """Stores bytes in memory."""

    def __init__(self) -> None:
        self._held: dict[int, bytes] = {}
        self._put = 0

    def put(self, content: bytes) -> int:
        """Store bytes, and return their number."""
        self._put += 1
        self._held[self._put] = content
        return self._put

    def take(self, number: int) -> bytes:
        """Return and forget the bytes with this number."""
        return self._held.pop(number)


class EventParts:
    """Collects rows in any order, and yields them by ranges of users; rows of one range stay in order."""

    def __init__(self, parcels: Parcels) -> None:
        self._parcels = parcels
        self._met = np.zeros(0, bool)
        self._packed: defaultdict[int, list[int]] = defaultdict(list)
        self._waiting: defaultdict[int, list[pl.DataFrame]] = defaultdict(list)
        self._weights: defaultdict[int, int] = defaultdict(int)

    def add(self, rows: pl.DataFrame) -> None:
        """Add rows, whose users are numbers."""
        owners = rows[OWNER].to_numpy()
        if not len(owners):
            return
        self._note(owners)
        part = owners // PEOPLE
        if part.min() == part.max():
            self._wait(int(part[0]), rows)
        else:
            apart = rows.with_columns(pl.Series("part", part)).partition_by("part", maintain_order=True, as_dict=True, include_key=False)
            for (number,), some in apart.items():
                self._wait(int(number), some)
        if sum(self._weights.values()) > WAITING:
            for number in list(self._waiting):
                self._pack(number)

    def met(self, owners: int) -> npt.NDArray[np.bool_]:
        """Return which of this many users have rows here."""
        return np.pad(self._met, (0, max(0, owners - len(self._met))))[:owners]

    def renumbered(self, numbers: Small) -> EventParts:
        """Return the same rows with user i renumbered `numbers[i]`; this object is emptied."""
        other = EventParts(self._parcels)
        for rows in self.taken():
            other.add(rows.with_columns(pl.Series(OWNER, numbers[rows[OWNER].to_numpy()])))
        return other

    def taken(self) -> Iterator[pl.DataFrame]:
        """Yield the rows of one range of users after the other, each removed here."""
        for number in sorted(self._packed.keys() | self._waiting.keys()):
            kept = [_unpacked(self._parcels.take(parcel)) for parcel in self._packed.pop(number, [])]
            self._weights.pop(number, None)
            yield pl.concat(kept + self._waiting.pop(number, []), rechunk=False)

    def _note(self, owners: Small) -> None:
        beyond = int(owners.max()) + 1 - len(self._met)
        if beyond > 0:
            self._met = np.pad(self._met, (0, beyond + len(self._met) // 2))
        self._met[owners] = True

    def _wait(self, number: int, rows: pl.DataFrame) -> None:
        self._waiting[number].append(rows)
        self._weights[number] += int(rows.estimated_size()) + ROW * len(rows)
        if self._weights[number] > PARCEL:
            self._pack(number)

    def _pack(self, number: int) -> None:
        self._weights.pop(number)
        rows, packed = pl.concat(self._waiting.pop(number)), io.BytesIO()
        rows.write_ipc(packed, compression="uncompressed", compat_level=pl.CompatLevel.oldest())
        self._packed[number].append(self._parcels.put(packed.getvalue()))


def _unpacked(content: bytes) -> pl.DataFrame:
    return pl.read_ipc(io.BytesIO(content))


# -- records of each range


@dataclass(frozen=True, eq=False)
class Gathering:
    """How the parts of a log are processed (`make`), and where rows are stored until everything has been read (`parcels`).

    If memory is `bounded`, one part is unpacked at a time, and formats that are not read in parts are rejected.
    """

    make: Callable[[Iterator[Log]], Bags]
    parcels: Parcels
    bounded: bool = False


def gather_events(sources: Sequence[Source], layout: Layout, options: ReadOptions, gathering: Gathering) -> Reading:
    """Read the records of event files with this layout."""
    return collected_by(Gatherer(layout, tally_of(sources, options), options, gathering), sources)


class Gatherer(Collector):
    """A collector that partitions rows by user. Records are made of each part, and its rows are released."""

    def __init__(self, layout: Layout, tally: Tally, options: ReadOptions, gathering: Gathering) -> None:
        super().__init__(layout, tally, options)
        self._gathering = gathering
        self._parts = EventParts(gathering.parcels)

    def reading(self) -> Reading:
        """Return the records and the accounting of the rows. Raise if no row could be used."""
        if not self._owners_met().any():
            self.tally.ledger()
        spelling, names = self._fold_owners()
        settled = (self._settled(self._log_of(rows)) for rows in self._parts.taken())
        # The next part is unpacked while this one is used, unless memory is limited.
        with closing(settled if self._gathering.bounded else kernels.ahead(settled)) as logs:
            bags = self._gathering.make(logs)
        return replace(self._reading(bags, spelling), names=names if self._options.needs_names else None)

    def _hold(self, numbers: dict[str, Any], payload: Any, places: Ints) -> None:
        held = payload if len(places) == len(payload) else payload.take(places)
        self._parts.add(pl.DataFrame({**numbers, "payload": pl.Series(held)}))

    def _owners_met(self) -> Mask:
        return self._parts.met(len(self._owners))

    def _renumber(self, number: Small) -> None:
        self._parts = self._parts.renumbered(number)

    def _log_of(self, rows: pl.DataFrame) -> Log:
        """Return the rows of a part as a log."""
        wide = rows.with_columns(pl.col(*(name for name in rows.columns if name not in ("time", "payload"))).cast(pl.Int64))
        timed = wide.with_columns(pl.col("time").cast(pl.Datetime("us"))) if "time" in rows.columns else wide
        return Log(timed, "text" if self._is_text else "item")
