"""The search loop of the method shoal: groups identical records first, grows groups in blocks of similar records, and refines them in
rounds.

Blocks are determined by content and processed independently, so the groups depend on records, k, options and seed alone, for any engine.
Memory is linear in the tree counts, time is linear in the records for given options.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from shoal import _kernels
from shoal.data.bags import Bags, Ints, Small
from shoal.data.taxonomy import Taxonomy
from shoal.engines.local_engine import Kinds, LocalEngine, Things
from shoal.errors import Infeasible
from shoal.methods.bases.grouping import content_order, run_grouping
from shoal.taxonomy.tree_counts import TreeCounts
from shoal.util.wording import percent

# -- groups of records: concatenated members, as kernels take and return them


@dataclass(frozen=True, eq=False)
class Followers:
    """Records that always go with another record."""

    records: Ints
    leaders: Ints

    @classmethod
    def nobody(cls) -> Followers:
        """Return followers for the case that no record follows another."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass(frozen=True, eq=False)
class Groups:
    """Group g contains the records `members[starts[g]:starts[g + 1]]`."""

    starts: Ints
    members: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Ints:
        """The number of records in each group."""
        return np.diff(self.starts)

    @property
    def labels(self) -> Ints:
        """The group of each member, in the order of the members."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @classmethod
    def of_sizes(cls, sizes: Ints, members: Ints) -> Groups:
        """Make groups of these sizes from consecutive members."""
        return cls(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), members)

    @classmethod
    def labelled(cls, labels: Ints) -> Groups:
        """Make groups of the records with label 0, with label 1, ..."""
        return cls.of_sizes(np.bincount(labels), np.argsort(labels, kind="stable").astype(np.int64))

    @classmethod
    def joined(cls, parts: Sequence[Groups]) -> Groups:
        """Concatenate the groups of all parts."""
        sizes = np.concatenate([np.zeros(0, np.int64), *(part.sizes for part in parts)])
        return cls.of_sizes(sizes, np.concatenate([np.zeros(0, np.int64), *(part.members for part in parts)]))

    def select(self, chosen: Ints) -> Groups:
        """Return the groups with these numbers, in this order."""
        sizes = self.sizes[chosen]
        picked = Groups.of_sizes(sizes, self.members)
        at = np.arange(picked.starts[-1]) + np.repeat(self.starts[chosen] - picked.starts[:-1], sizes)
        return Groups(picked.starts, self.members[at])

    def with_newcomers(self, group: Ints, records: Ints) -> Groups:
        """Return the groups after each record joined one of them."""
        labels = np.concatenate([self.labels, group])
        order = np.argsort(labels, kind="stable")
        return Groups.of_sizes(np.bincount(labels, minlength=len(self)), np.concatenate([self.members, records])[order])

    def with_followers(self, followers: Followers) -> Groups:
        """Return the groups with followers added to the groups of their leaders."""
        if not len(followers.records):
            return self
        group = np.empty(int(max(self.members.max(), followers.records.max())) + 1, np.int64)
        group[self.members] = self.labels
        return self.with_newcomers(group[followers.leaders], followers.records)

    def in_ranges(self, size: int) -> Iterator[Groups]:
        """Yield all groups in order, this many at a time."""
        for first in range(0, len(self), size):
            starts = self.starts[first : first + size + 1]
            yield Groups(starts - starts[0], self.members[starts[0] : starts[-1]])


# -- splits: groups by top-down splitting along the taxonomy (He and Naughton, VLDB'09)


TRIES = 3  # splits that a small part follows to their end


def top_down(
    bags: Bags, taxonomy: Taxonomy, k: int, tries: int = TRIES, split_leftover: bool = True
) -> tuple[Ints, tuple[Ints, Small, Small]]:
    """Return the part of each record when no part of k people can be split further, and the rows of the parts' cuts."""
    options = _kernels.PartitionOptions(k=k, tries=tries, recurse_leftover=split_leftover, owners_repeat=bags.owners_repeat)
    parts, rows = run_grouping(
        _kernels.partition,
        bags.view,
        taxonomy.view,
        taxonomy.charges,
        content_order(bags),
        bags.owners,
        options,
        k=k,
        label="partitioning",
    )
    return parts, rows


# -- the search


IDLE_ROUNDS = 3  # without an improvement, after which none is expected
MEETS_AT_A_TIME = 4096  # groups
SWOLLEN = 32  # times k records, from which on groups of people who own several are not refined


@dataclass(frozen=True, kw_only=True)
class Search:
    """The settings of the search."""

    k: int
    block: int  # records that are grouped together
    grow: _kernels.GrowOptions
    refine: _kernels.RefineOptions
    refine_block: int  # groups that are refined together
    rounds: int  # of refinement, each with other blocks
    seed: int = 0  # other seeds start regrowing elsewhere
    seconds: float | None = None  # stop refining after so long


class Deadline:
    """The end of the time for refining; never, if no seconds are given."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    @property
    def seconds_left(self) -> float:
        """The remaining seconds as kernels take them; negative without a limit."""
        return -1.0 if self._end is None else max(0.0, self._end - time.monotonic())

    @property
    def passed(self) -> bool:
        """Whether the time has passed."""
        return self.seconds_left == 0


@dataclass(frozen=True, eq=False)
class Similar:
    """Which records are similar: those grown in one block, and identical ones, which have the same kind."""

    blocks: list[Ints]
    kind: Ints

    def groups(self, groups: Groups, records: Ints) -> Ints:
        """Return the groups with a record similar to one of these; all groups if there is one block or no such group."""
        block = np.full(len(self.kind), -1, np.int64)
        for number, grown in enumerate(self.blocks):
            block[grown] = number
        members = groups.members
        like = np.isin(block[members], block[records]) | np.isin(self.kind[members], self.kind[records])
        near = np.flatnonzero(np.add.reduceat(like, groups.starts[:-1]))
        return near if len(self.blocks) > 1 and len(near) else np.arange(len(groups))


class GroupSearch:
    """One search for groups of k people, among records in content order."""

    def __init__(self, counts: TreeCounts, owners: Ints, owners_repeat: bool, search: Search, engine: LocalEngine) -> None:
        self._counts = counts
        self._search = search
        self._engine = engine
        self._deadline = Deadline(search.seconds)
        self._rows = counts.view
        self._records = counts.scored(owners, search.k, owners_repeat)
        self._owners, self._owners_repeat = owners, owners_repeat
        self._largest = (SWOLLEN if owners_repeat else 2) * search.k
        self._telling = False

    def run(self) -> Groups:
        """Put all records in groups. Raises Infeasible if no k people can be grouped."""
        self._telling = True
        kinds = self._engine.count(self._rows)
        groups, rest = self._identical_aside(kinds)
        leaders, followers = self._bundled(rest, kinds.kind)
        self._engine.expect(self._steps())
        grown, left, blocks = self._grow(leaders)
        groups = Groups.joined([groups, *grown])
        if not len(groups):
            k = self._search.k
            raise Infeasible(
                f"groups of {k:,} people cannot be formed from these records",
                code="groups-not-possible",
                hint="no group of k people can be formed",
            )
        similar = Similar(blocks, kinds.kind)
        groups = self._refine(self._join(groups, left, similar).with_followers(followers))
        if not np.array_equal(np.sort(groups.members), np.arange(len(self._counts.lengths))):
            raise RuntimeError("the engine lost records or returned some twice")
        return groups

    def refined(self, groups: Groups) -> Groups:
        """Refine existing groups by rounds of local search."""
        self._engine.expect(self._search.rounds * (len(self._counts.lengths) + len(groups)))
        return self._refine(groups)

    def _steps(self) -> int:
        records = len(self._counts.lengths)
        return 2 * records + self._search.rounds * (records + records // self._search.k)

    def _bundled(self, records: Ints, kind: Ints) -> tuple[Ints, Followers]:
        """Keep the first of the identical records of one person; the others follow it into its group, where they add no person and no loss.

        Otherwise each of them would need other people around it, and a person with many records would use up everybody else.
        """
        if not self._owners_repeat:
            return records, Followers.nobody()
        pairs = np.stack([self._owners[records], kind[records]])
        _, first, bundle = np.unique(pairs, axis=1, return_index=True, return_inverse=True)
        leader = records[first[bundle.ravel()]]
        return np.sort(records[first]), Followers(records[leader != records], leader[leader != records])

    def _identical_aside(self, kinds: Kinds) -> tuple[Groups, Ints]:
        """Return full groups of identical records, which lose nothing, and the remaining records."""
        work = partial(_identical_groups, self._records)
        [(groups, rest)] = self._engine.gather(self._engine.map(work, [kinds]))
        return groups, rest

    def _grow(self, records: Ints) -> tuple[list[Groups], Ints, list[Ints]]:
        """Grow groups in blocks; leftover records are combined and grown again, until there are too few. Also return the first blocks."""
        things = Things(self._rows, self._counts.lengths, self._counts.weights, self._counts.units)
        work = partial(_grown, self._records, self._search.grow)
        grown: list[Groups] = []
        first: list[Ints] = []
        before = len(records) + 1
        while self._search.k <= len(records) < before:
            before = len(records)
            blocks = self._engine.split(things, records, self._search.block)
            first = first or blocks
            answers = self._engine.gather(self._engine.map(work, blocks))
            grown += [groups for groups, _ in answers]
            records = np.sort(np.concatenate([left for _, left in answers]))
        return grown, records, first

    def _join(self, groups: Groups, left: Ints, similar: Similar) -> Groups:
        """Add fewer than k records, or those of people who own too many, to the similar groups where the loss is smallest."""
        if not len(left):
            return groups
        near = similar.groups(groups, left)
        work = partial(_joined, self._records, self._meets(groups.select(near)), groups.sizes[near])
        [homes] = self._engine.gather(self._engine.map(work, [left]))
        return groups.with_newcomers(near[homes], left)

    def _refine(self, groups: Groups) -> Groups:
        """Run rounds of local search, each with other blocks of similar groups."""
        idle = 0
        for number in range(self._search.rounds):
            if idle == IDLE_ROUNDS or self._deadline.passed:
                break
            self._remark_loss(groups)
            groups, changes = self._refine_once(groups, number)
            idle = 0 if changes else idle + 1
        return groups

    def _remark_loss(self, groups: Groups) -> None:
        """Report the current loss to the progress callback, at the cost of one more count of the meets per round."""
        if not self._telling or not self._engine.watched:
            return
        self._engine.remark(f"{percent(self.loss(groups))} lost so far")

    def loss(self, groups: Groups) -> float:
        """Return the loss of the groups as a share."""
        indptr, nodes, counts = self._meet_rows(groups)
        kept = np.concatenate([[0], np.cumsum(counts * self._counts.weights[nodes])])
        value = int(((kept[indptr[1:]] - kept[indptr[:-1]]) * groups.sizes).sum())
        return 1 - value / (self._counts.units * max(1, int(self._counts.lengths.sum())))

    def _refine_once(self, groups: Groups, number: int) -> tuple[Groups, int]:
        blocks = self._blocks_of_groups(groups, number)
        work = partial(_refined, self._records, self._search, self._deadline)
        shakes = [_kernels.noise(self._search.seed, number, block) for block in range(len(blocks))]
        tasks = [(groups.select(block), shake) for block, shake in zip(blocks, shakes, strict=True)]
        answers = self._engine.gather(self._engine.map(work, tasks))
        places = [_places(block, len(refined)) for block, (refined, _) in zip(blocks, answers, strict=True)]
        untouched = np.setdiff1d(np.arange(len(groups)), np.concatenate(blocks), assume_unique=True)
        after = Groups.joined([groups.select(untouched), *(refined for refined, _ in answers)])
        order = np.argsort(np.concatenate([untouched, *places]), kind="stable")
        return after.select(order), sum(changes for _, changes in answers)

    def _blocks_of_groups(self, groups: Groups, number: int) -> list[Ints]:
        """Put groups with similar meets into one block. Groups with very many records of few people are left unchanged."""
        eligible = np.flatnonzero(groups.sizes < self._largest)
        if len(eligible) <= self._search.refine_block:
            return [eligible]
        lengths = np.add.reduceat(self._counts.lengths[groups.members], groups.starts[:-1]) // groups.sizes
        things = Things(self._meets(groups), lengths, self._counts.weights, self._counts.units)
        return self._engine.split(things, eligible, self._search.refine_block, number)

    def _meets(self, groups: Groups) -> _kernels.Rows:
        """Return the minimum tree counts of each group, as kernels take them."""
        return _kernels.Rows(*self._meet_rows(groups))

    def _meet_rows(self, groups: Groups) -> tuple[Ints, Small, Small]:
        work = partial(_meet_counts, self._records)
        answers = self._engine.gather(self._engine.map(work, list(groups.in_ranges(MEETS_AT_A_TIME))))
        sizes = np.concatenate([np.diff(indptr) for indptr, _, _ in answers])
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        nodes, counts = (np.concatenate([answer[part] for answer in answers]) for part in (1, 2))
        return indptr, nodes, counts


def _places(block: Ints, groups: int) -> Ints:
    """Return the positions of a block's groups among all: those of the previous groups, and the last of these for additional ones."""
    return block[np.minimum(np.arange(groups), len(block) - 1)]


# The work on a block, as an engine calls it. Functions of the module, so that an engine may send them elsewhere.


def _identical_groups(records: _kernels.Scored, kinds: Kinds, task: _kernels.Task) -> tuple[Groups, Ints]:
    groups, rest = _kernels.identical_groups(records, *kinds, task)
    return Groups(*groups), rest


def _grown(records: _kernels.Scored, options: _kernels.GrowOptions, block: Ints, task: _kernels.Task) -> tuple[Groups, Ints]:
    groups, left = _kernels.grow_block(records, block, options, task)
    return Groups(*groups), left


def _joined(records: _kernels.Scored, meets: _kernels.Rows, sizes: Ints, left: Ints, task: _kernels.Task) -> Ints:
    homes: Ints = _kernels.join_leftovers(records, meets, sizes, left, task)
    return homes


def _meet_counts(records: _kernels.Scored, groups: Groups, task: _kernels.Task) -> tuple[Ints, Small, Small]:
    rows: tuple[Ints, Small, Small] = _kernels.meet_counts(records, groups.starts, groups.members, task)
    return rows


def _refined(
    records: _kernels.Scored, search: Search, deadline: Deadline, block: tuple[Groups, int], task: _kernels.Task
) -> tuple[Groups, int]:
    groups, shake = block
    if deadline.passed:
        return groups, 0
    found, changes = _kernels.refine_block(records, groups.starts, groups.members, search.refine, shake, deadline.seconds_left, task)
    return Groups(*found), changes
