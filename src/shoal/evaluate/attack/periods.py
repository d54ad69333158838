"""An earlier and a later period of a log: the attacker knows the former, and the release is made from the latter.

The release is made from the later rows of all people except the control group, whose earlier rows are therefore useless to the attacker.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.attacks import ORIGINAL, RELEASE
from shoal.attacks.attacker_view import People
from shoal.attacks.draw import Draw
from shoal.attacks.logs.linking import Linkable
from shoal.attacks.scenarios import Skipped
from shoal.data.bags import Bags, Ints
from shoal.data.claims import Model
from shoal.data.log import Log, people_from_zero
from shoal.errors import ShoalError, option
from shoal.evaluate.attack.case import Case
from shoal.evaluate.attack.linking_subjects import Linking, of_owners, rows_of_owners
from shoal.evaluate.attack.stage import Stage, raw_stage, records_in, stage_of
from shoal.evaluate.attack.targets import chosen_people
from shoal.util.numbers import distinct

Mask = npt.NDArray[np.bool_]
A_DAY = 86_400_000_000  # in microseconds, the unit of the times of a log
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
            raise Skipped(f"the original has no times ({option('time')} names their column)")
        if not log.all_timed:
            raise Skipped("some rows of the original have no time")
        owners, times = log.frame["owner"].to_numpy(), log.frame["time"].to_physical().to_numpy()
        later = times > times.min()
        if not later.any():
            raise Skipped("all rows of the original have the same time")
        cut = max(np.partition(times, len(times) // 2)[len(times) // 2], times.min(where=later, initial=np.iinfo(np.int64).max))
        earlier = times < cut
        return cls(owners, earlier, _on_the_last_day(owners, times, earlier))

    def in_both(self, people: Ints) -> Ints:
        """Return the people with earlier and later rows, sorted."""
        early, late = _people(self.owners[self.earlier]), _people(self.owners[~self.earlier])
        return np.intersect1d(people, np.intersect1d(early, late, assume_unique=True))


def _runs(owners: Ints) -> Ints:
    """Return where rows of another person begin. Rows of one person mostly follow one another."""
    return np.flatnonzero(np.append(True, owners[1:] != owners[:-1])[: len(owners)])


def _people(owners: Ints) -> Ints:
    """Return the people of these rows, sorted."""
    return distinct(owners[_runs(owners)])


def _rows_of(people: Ints, owners: Ints) -> Mask:
    """Return which rows are of these people."""
    starts = _runs(owners)
    return np.repeat(np.isin(owners[starts], people), np.diff(np.append(starts, len(owners))))


def _on_the_last_day(owners: Ints, times: Ints, earlier: Mask) -> Mask:
    """Return which of the earlier rows are of the last day on which their person has one."""
    people, dates = people_from_zero(owners), (times // A_DAY).astype(np.int32)
    last = np.full(int(people.max(initial=-1)) + 1, np.iinfo(np.int32).min)
    np.maximum.at(last, people[earlier], dates[earlier])
    return np.asarray(earlier & (dates == last[people]))


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
        rest, release = case.made_of(~_rows_of(absent, cut.owners) & ~cut.earlier)
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
    looked_for = _rows_of(np.concatenate([people, absent]), cut.owners)
    known = {EARLIER: _records(case, cut.earlier & looked_for), ONE_DAY: _records(case, cut.day & looked_for)}
    truth = _records(case, ~cut.earlier & _rows_of(absent, cut.owners)) if len(absent) else None
    return Acquaintance(people, absent, known, truth)


def _records(case: Case, selection: Mask) -> Bags:
    try:
        return records_in(case.source.prepared(selection).original)
    except ShoalError as error:
        raise Skipped(f"what is known about people cannot be processed ({error.message})") from None
