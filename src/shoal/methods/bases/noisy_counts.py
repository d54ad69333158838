"""Base of mechanisms: methods that publish counts with noise, whose claims hold by construction.

A subclass determines what is counted and how noise is added; accounting and tables are implemented here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from shoal.data.accounting import Part
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.counts import CountTable
from shoal.methods import Method
from shoal.methods.bases.release_builder import build_row_release
from shoal.parameters import param

COUNTS = "counts"  # the name of the published table


@dataclass(frozen=True, eq=False)
class NoisyCounts:
    """Key columns and a noisy `count`; the outcome of the counted rows. `more` are further tables of counts by name.

    `name` is that of the first table.
    """

    frame: pl.DataFrame
    outcomes: Mapping[str, Part]
    notes: tuple[str, ...] = ()
    more: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    name: str = COUNTS


@dataclass(frozen=True)
class Summed:
    """What a cluster needs to know about a mechanism whose numbers are sums of independent contributions of people.

    `unit` is what is counted, `caps` the maximum number of values per person in each step, by purpose; None means all.
    """

    unit: str | None
    caps: Mapping[str, int | None]
    notes: tuple[str, ...] = ()


def epsilon_parameter() -> Any:
    """Return epsilon as a field of a mechanism."""
    return param(1.0, minimum=0.001, maximum=20, help="privacy loss: smaller values hide each person better and need more noise")


class Mechanism(Method):
    """A method that publishes counts of a log's rows with random noise."""

    takes = frozenset({"log"})
    publishes = "counts"
    extra = "dp"
    fates = {"counted": "changed"}  # noqa: RUF012 (never changed)
    varies = "noise is random: another run gives other counts"

    @property
    def needs_taxonomy(self) -> bool:
        """False: values are counted as typed."""
        return False

    @property
    def deterministic(self) -> bool:
        """False: noise is random."""
        return False

    @property
    def summed(self) -> Summed | None:
        """Return how a cluster computes the sums; None if contributions depend on others or on the order of rows."""
        return None

    @abstractmethod
    def counted(self, original: LogOriginal) -> NoisyCounts:
        """Count, with noise."""

    def apply(self, original: LogOriginal) -> Release:
        """Publish the counts, and account for every row."""
        found = self.counted(original)
        tables = {name: CountTable(frame) for name, frame in {found.name: found.frame, **found.more}.items()}
        ((ledger, total),) = original.to_account().items()
        release = build_row_release(self, total, tables, found.outcomes, notes=found.notes, ledger=ledger)
        return replace(release, mechanism=self.noisy_steps())
