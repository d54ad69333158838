"""An earlier and a later period of a log: the attacker knows the former, and the release is made from the latter.

The release is made from the later rows of all people except the control group, whose earlier rows are therefore useless to the attacker.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.attacks import ORIGINAL, RELEASE
from shoal.attacks.attacker_view import People
from shoal.attacks.draw import Draw
from shoal.attacks.logs.linking import Linkable
from shoal.attacks.scenarios import Skipped
from shoal.data.bags import Bags, Ints
from shoal.data.claims import Model
from shoal.data.log import Log
from shoal.errors import ShoalError
from shoal.evaluate.attack.case import Case
from shoal.evaluate.attack.linking_subjects import Linking, of_owners, rows_of_owners
from shoal.evaluate.attack.stage import Stage, raw_stage, records_in, stage_of
from shoal.evaluate.attack.targets import chosen_people

Mask = npt.NDArray[np.bool_]
EARLIER, ONE_DAY = "all of an earlier period", "one day of it"


@dataclass(frozen=True, eq=False)
class Periods:
    """The user of each row, which rows are earlier ones, and which of these are from the person's last day in that period."""

    owners: Ints
    earlier: Mask
    day: Mask

    @classmethod
    def of(cls, log: object) -> Periods:
        """Split so that about half of the rows are earlier. Skipped if there are no times, or if all are equal."""
        if not isinstance(log, Log) or not log.timed:
            raise Skipped("the original has no times (the option time names their column)")
        if not log.all_timed:
            raise Skipped("some rows of the original have no time")
        times = log.frame["time"]
        later = times.filter(times > times.min())
        if not len(later):
            raise Skipped("all rows of the original have the same time")
        cut = max(times.sort()[len(times) // 2], later.min())
        marked = log.frame.select("owner", early=pl.col("time") < cut, date=pl.col("time").dt.date())
        last = pl.col("date").filter("early").max().over("owner")
        day = marked.select((pl.col("early") & (pl.col("date") == last)).fill_null(False)).to_series()
        return cls(log.frame["owner"].to_numpy(), marked["early"].to_numpy(), day.to_numpy())

    def in_both(self, people: Ints) -> Ints:
        """Return the people with earlier and later rows, sorted."""
        both = np.intersect1d(self.owners[self.earlier], self.owners[~self.earlier])
        return np.intersect1d(people, both)


@dataclass(frozen=True, eq=False)
class Acquaintance:
    """The targets, the control group, what is known about both, and what the control group did later."""

    people: Ints
    absent: Ints
    known: dict[str, Bags]
    truth: Bags | None

    def subject(self, name: str, stage: Stage, claims: tuple[Model, ...] = ()) -> Linking:
        """Return the attack on these people in a scene of the later period."""
        assert stage.owned is not None
        placed = {knowledge: stage.known(records) for knowledge, records in self.known.items()}
        published = rows_of_owners(stage.records, stage.owned, self.people)
        people = People(of_owners(stage.records, self.people), published)
        found = {knowledge: Linkable(stage.scene, people, of_owners(one, self.people)) for knowledge, one in placed.items()}
        if self.truth is None:
            return Linking(name, found, {}, claims)
        strangers = People(of_owners(stage.known(self.truth), self.absent))
        control = {knowledge: Linkable(stage.scene, strangers, of_owners(one, self.absent)) for knowledge, one in placed.items()}
        return Linking(name, found, control, claims)


def periods(case: Case, draw: Draw) -> list[Linking]:
    """Return the original and the release, both of the later period, with people who are in both periods."""
    if case.method is None:
        raise Skipped("without a manifest the method is unknown, so no release of the later period can be made")
    if case.method.hashes:
        raise Skipped(f"{case.method.hashes} are hashed, so known items cannot be compared")
    cut = Periods.of(case.source.reading.data)
    absent = chosen_people(cut.owners, draw) if draw.control else np.zeros(0, np.int64)
    try:
        rest, release = case.made_of(~np.isin(cut.owners, absent) & ~cut.earlier)
    except ShoalError as error:
        raise Skipped(f"the release cannot be made of the later period alone ({error.message})") from None
    raw, released = raw_stage(rest), stage_of(rest, release)
    if released.owned is None:
        raise Skipped("the record-to-group mapping is not available")
    published = released.records.owners[released.owned.sizes > 0]
    known = _acquaintance(case, cut, draw.some(cut.in_both(published)), draw.some(cut.in_both(absent)))
    return [known.subject(ORIGINAL, raw), known.subject(RELEASE, released, case.release.claims)]


def _acquaintance(case: Case, cut: Periods, people: Ints, absent: Ints) -> Acquaintance:
    if not len(people):
        raise Skipped("nobody is in both periods and published")
    looked_for = np.isin(cut.owners, np.concatenate([people, absent]))
    known = {EARLIER: _records(case, cut.earlier & looked_for), ONE_DAY: _records(case, cut.day & looked_for)}
    truth = _records(case, ~cut.earlier & np.isin(cut.owners, absent)) if len(absent) else None
    return Acquaintance(people, absent, known, truth)


def _records(case: Case, wanted: Mask) -> Bags:
    try:
        return records_in(case.source.prepared(wanted).original)
    except ShoalError as error:
        raise Skipped(f"what is known about people cannot be processed ({error.message})") from None
