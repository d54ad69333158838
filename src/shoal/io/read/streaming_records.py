"""Logs that become records while they are read: part by part, each with all events of its people, so that no text is held for long."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal import kernels
from shoal.data.bags import Bags, Small
from shoal.data.log import Log
from shoal.io.read.events import Collector, Mask, collected_by, tally_of
from shoal.io.read.formats import Layout
from shoal.io.read.options import ReadOptions
from shoal.io.read.owner_partitions import EventParts, Parcels
from shoal.io.read.result import Reading, Tally
from shoal.io.read.source import Source


@dataclass(frozen=True, eq=False)
class Gathering:
    """What becomes of the parts of a log (`make`), and where rows are kept until all are read (`parcels`).

    Where memory is `bounded`, one part is unpacked at a time, and a format that is not read in parts is refused.
    """

    make: Callable[[Iterator[Log]], Bags]
    parcels: Parcels
    bounded: bool = False


def gather_events(sources: Sequence[Source], layout: Layout, options: ReadOptions, gathering: Gathering) -> Reading:
    """The records of files of events that are laid out like this."""
    return collected_by(Gatherer(layout, tally_of(sources, layout, options), options, gathering), sources)


class Gatherer(Collector):
    """A collector whose rows go to parts of the log by their owners. Records are made of each part, and its rows are let go."""

    def __init__(self, layout: Layout, tally: Tally, options: ReadOptions, gathering: Gathering) -> None:
        super().__init__(layout, tally, options)
        self._gathering = gathering
        self._parts = EventParts(gathering.parcels)

    def reading(self) -> Reading:
        """The records and the account of the rows. Raises if no row could be used."""
        if not self._owners_met().any():
            self.tally.ledger()
        spelling, _ = self._fold_owners()
        settled = (self._settled(self._log_of(rows)) for rows in self._parts.taken())
        # The next part is unpacked while this one is used, unless memory is bounded.
        with closing(settled if self._gathering.bounded else kernels.ahead(settled)) as logs:
            bags = self._gathering.make(logs)
        return self._told(bags, spelling)

    def _hold(self, numbers: dict[str, Any], payload: pl.Series) -> None:
        self._parts.add(pl.DataFrame({**numbers, "payload": payload}))

    def _owners_met(self) -> Mask:
        return self._parts.met(len(self._owners))

    def _renumber(self, number: Small) -> None:
        self._parts = self._parts.renumbered(number)

    def _log_of(self, rows: pl.DataFrame) -> Log:
        """The rows of a part as a log."""
        wide = rows.with_columns(pl.col(*(name for name in rows.columns if name not in ("time", "payload"))).cast(pl.Int64))
        timed = wide.with_columns(pl.col("time").cast(pl.Datetime("us"))) if "time" in rows.columns else wide
        return Log(timed, "text" if self._is_text else "item")
