"""Base of methods that give the people of a log common histories: one profile for all members of a group.

A subclass forms the groups and selects the queries of a profile. Pseudonyms, columns, suppression and accounting are implemented here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal import _kernels
from shoal.data.accounting import Accounting, Ledger, changed, gone
from shoal.data.bags import Ints
from shoal.data.claims import Model
from shoal.data.items import plain_values
from shoal.data.log import RANK, URL, Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release, Secret
from shoal.data.tables.profiles import ProfileTable
from shoal.data.tables.rows import PAYLOAD
from shoal.engines.local_engine import LocalEngine
from shoal.errors import Infeasible
from shoal.methods import Method
from shoal.methods.bases.log_rows import LOG, USER
from shoal.methods.bases.release_builder import at_most_k_owners
from shoal.microaggregation.histories import MISSING, NO_TIME, Histories
from shoal.microaggregation.history_aggregation import Matches, Profile, profile_of
from shoal.parameters import param
from shoal.privacy.user_k_anonymity import UserKAnonymity
from shoal.util.numbers import distinct
from shoal.util.wording import counted

BLOCKS_PER_K = 8  # a block holds at least this many times k people
AGGREGATED, FULL = "in the profile of the group", "left out: the profile is full"
RARE, EMPTY = "withheld: fewer than min_owners people of the group", "dropped: no query"


FormGroups = Callable[[Ints, _kernels.Task], list[Ints]]
Choose = Callable[[Ints, Matches], Ints]  # the members of a group and their matches; the matches in its profile


@dataclass(frozen=True, eq=False)
class _Group:
    """The members of a group, their profile, and how many of their rows are in it, left out of it, and suppressed."""

    members: Ints
    profile: Profile
    rows: tuple[int, int, int]


@dataclass(frozen=True)
class ProfileMethod(Method):
    """A method that publishes one history for each group of k people, under as many random pseudonyms as the group has members."""

    takes = frozenset({"log"})
    publishes = "profiles"
    fates = {AGGREGATED: "changed"}  # noqa: RUF012 (never changed)

    k: int = param(5, minimum=2, help="minimum number of people who share each published history")
    min_owners: int = param(
        2, minimum=1, help="minimum number of people in the group who issued each published query and clicked each published URL"
    )
    block: int = param(256, minimum=1, help="number of people per block; groups are formed within blocks")

    def __post_init__(self) -> None:
        super().__post_init__()
        at_most_k_owners(self.min_owners, self.k)

    @property
    def reads_clicks(self) -> bool:
        """True: clicks are part of a history."""
        return True

    @property
    def needs_taxonomy(self) -> bool:
        """False: queries stay as typed."""
        return False

    def claims(self) -> tuple[Model, ...]:
        """Claim that histories are shared and contain nothing that only one member issued or clicked."""
        return (UserKAnonymity(k=self.k, min_owners=self.min_owners),)

    def formed_in_blocks(self, people: int, cut: Callable[[LocalEngine, int], list[Ints]], form: FormGroups) -> list[Ints]:
        """Return the members of all groups: people are split by `cut` into blocks of a minimum size, and grouped inside each block."""
        engine = LocalEngine("grouping people")
        blocks = cut(engine, max(self.block, BLOCKS_PER_K * self.k))
        engine.expect(people)
        return [members for found in engine.gather(engine.map(form, blocks)) for members in found]

    @abstractmethod
    def groups(self, histories: Histories, original: LogOriginal) -> list[Ints]:
        """Return the members of each group, k people or more."""

    @abstractmethod
    def chooser(self, histories: Histories) -> Choose:
        """Return what selects the matches in the profile of one group after another, none of fewer than `min_owners` people."""

    def apply(self, original: LogOriginal) -> Release:
        """Group people, aggregate each group, and account for every row."""
        histories = Histories.of(original.log)
        if len(histories) < self.k:
            raise Infeasible(
                f"a group needs {self.k:,} people, but the data has only {len(histories):,}",
                code="too-few-people",
                hint="lower k or use more data",
                value=len(histories),
                limit=self.k,
            )
        choose = self.chooser(histories)
        groups = [self._aggregated(histories, members, choose) for members in self.groups(histories, original)]
        if not any(len(group.profile.text) for group in groups):
            raise Infeasible(
                "nothing is left to publish: no group shares a query",
                code="nothing-to-publish",
                hint="lower min_owners or k, or give more data",
                limit=self.min_owners,
            )
        accounting = Accounting({"rows": _ledger(len(original.log), histories, groups)})
        table = ProfileTable(_frame(original.log, histories, groups), USER)
        secret = Secret(_pseudonyms(original.log, histories, groups))
        values = plain_values(self.values())
        return Release({LOG: table}, self.claims(), accounting, self.name, values, secret, _notes(original.log, histories, groups))

    def _aggregated(self, histories: Histories, members: Ints, choose: Choose) -> _Group:
        matches = Matches.of(histories, members)
        chosen = choose(members, matches)
        published = matches.of_same_texts(chosen)
        shared = matches.of_same_texts(matches.people >= self.min_owners)
        rows = np.bincount(matches.match, weights=histories.rows[matches.queries], minlength=len(matches.text)).astype(np.int64)
        outcomes = int(rows[published].sum()), int(rows[shared & ~published].sum()), int(rows[~shared & ~published].sum())
        return _Group(members, profile_of(histories, matches, chosen, self.min_owners), outcomes)


def _ledger(n_rows: int, histories: Histories, groups: list[_Group]) -> Ledger:
    """Return the outcome of the rows of the log."""
    inside, full, rare = np.array([group.rows for group in groups]).sum(axis=0).tolist()
    parts = {AGGREGATED: changed(inside), FULL: gone(full), RARE: gone(rare), EMPTY: gone(n_rows - int(histories.rows.sum()))}
    return Ledger(n_rows, parts)


def _filled(groups: list[_Group]) -> list[_Group]:
    """Return the groups with something to publish."""
    return [group for group in groups if len(group.profile.text)]


def _frame(log: Log, histories: Histories, groups: list[_Group]) -> pl.DataFrame:
    """Return every member's copy of the group's profile; pseudonyms are numbers from 1."""
    filled = _filled(groups)
    size = np.repeat([len(group.profile.text) for group in filled], [len(group.members) for group in filled])
    copies: dict[str, Ints] = {
        name: np.concatenate([np.tile(getattr(group.profile, name), len(group.members)) for group in filled])
        for name in ("text", "time", "rank", "url")
    }
    user = pl.Series(USER, np.repeat(np.arange(1, len(size) + 1), size))
    columns = [user]
    if log.timed:
        known = copies["time"] != NO_TIME
        times = pl.DataFrame({"time": np.where(known, copies["time"], 0), "known": known})
        columns.append(times.select(pl.when("known").then(pl.col("time").cast(pl.Datetime("us")))).to_series().rename("time"))
    columns.append(histories.texts.names.gather(copies["text"]).rename(PAYLOAD[log.kind]))
    if RANK in log.frame.columns:
        columns.append(pl.Series(RANK, copies["rank"]).replace(MISSING, None))
    if URL in log.frame.columns:
        columns.append(_named(histories, copies["url"]).rename(URL))
    return pl.DataFrame(columns)


def _named(histories: Histories, url: Ints) -> pl.Series:
    """Return URLs by number; null if there is none."""
    places = pl.Series(url).replace(MISSING, None).cast(pl.UInt32)
    return histories.urls.names.gather(places) if len(histories.urls) else pl.Series([None] * len(url), dtype=pl.String)


def _pseudonyms(log: Log, histories: Histories, groups: list[_Group]) -> Ints:
    """Return the pseudonym of each person of the log, by user number; -1 for those without one."""
    members = [group.members for group in _filled(groups)]
    owners = distinct(log.frame["owner"].to_numpy())
    found = np.full(len(owners), -1, np.int64)
    listed = np.concatenate(members)
    found[np.searchsorted(owners, histories.owners[listed])] = np.arange(1, len(listed) + 1)
    return found


def _notes(log: Log, histories: Histories, groups: list[_Group]) -> tuple[str, ...]:
    """Return notes on how many people have no profile, and which columns are left out."""
    notes = []
    without = sum(len(group.members) for group in groups if not len(group.profile.text))
    if without:
        notes.append(f"{counted(without, 'person', 'people')} in groups that share no query have no profile")
    silent = log.n_owners - len(histories)
    if silent:
        notes.append(f"{counted(silent, 'person', 'people')} without a query have no profile")
    others = [name for name in log.further if name not in (RANK, URL)]
    if others:
        notes.append(f"{counted(len(others), 'further column')} of the log left out")
    return tuple(notes)
