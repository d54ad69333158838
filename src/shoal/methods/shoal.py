"""shoal: groups grown one at a time on the exact objective, then improved by local search. The default method.

Our own. What a group of records S loses is its members' total length less |S| times the value of its meet, so the groups
should keep the sum of |S| * V(S) as large as possible. Identical records are set aside in groups of their own. The others are
cut into blocks of similar ones; in a block the longest record that waits becomes a seed, and k-1 times the record joins that
keeps the group's distortion least. Byte sketches choose whom to score, exact tree counts decide. Then groups disband where
their members are better off in others, members change places along chains through neighbouring groups, and the worst groups
are dissolved and grown again from other seeds.

With sensitive items no published record names one of them, nor anything that represents nothing else: such an item counts as its
nearest ancestor that could also mean something harmless. Groups in which more than a share h of the people have the same sensitive
item are then merged with others, at the least loss, until none is left.

Guarantee: every published record is shared by at least k people. Time: linear in the records at a given effort; memory: linear
in the tree counts (docs/methods/shoal.md has the numbers).
The groups depend on content and seed alone: not on threads, nor on the order of the records. Only a limit in seconds
makes them depend on the machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from shoal import _kernels
from shoal.data.bags import Bags, Ints
from shoal.data.claims import Model
from shoal.data.items import Items
from shoal.data.taxonomy import Taxonomy
from shoal.engines.local_engine import LocalEngine
from shoal.errors import ParameterError
from shoal.itemsets.sensitive_nodes import SensitiveHoldings, SensitiveNodes
from shoal.methods.bases.group_search import Groups, GroupSearch, Search, top_down
from shoal.methods.bases.grouping import GroupingMethod, content_order
from shoal.methods.bases.sensitive_share_merging import refuse_frequent, within_share
from shoal.parameters import param
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.sensitive_share import SensitiveShare
from shoal.taxonomy.tree_counts import TreeCounts, meet, tree_counts
from shoal.util.numbers import exact

DEFAULT_SHARE = 0.5
ENDLESS = 10_000
SMALL = 100_000  # records in all rounds together that small data gets, within the effort's most rounds
SHORT = 24  # nodes that a record touches, up to which blocks are as large as an effort may have them
NODES_PER_ITEM = 4  # that a record touches, about
BLOCK_PER_K = 16  # a block holds at least this many times k records
FEW_RECORDS = 50_000  # fewer may be searched at leisure; ranges of a large run have as many, and a person costs the same in all
DECIDED_BY_CHANCE = 1_000  # records, up to which a lower effort may happen to lose less
FEW_ENTRIES = 2_000_000  # nodes that all records together touch, up to which they may
NEARLY_AS_GOOD = 1.1  # times the least loss, up to which groups are worth starting from
EFFORT_K = 5  # efforts count groups of up to five people, and fewer of larger ones


@dataclass(frozen=True, kw_only=True)
class Effort:
    """The settings of an effort, explained in `methods/bases/group_search.py` and in `grow.hpp` and `refine.hpp` of `cpp/group_search`."""

    block: int  # short records
    long_block: int  # long ones, at least
    candidates: int
    neighbours: int = 1
    depth: int = 1
    together: int = 2
    worst: int = 0
    worth: int = 0
    refine_block: int = 512
    rounds: int = 0
    most_rounds: int = 0  # on small data
    on_large_data: Mapping[str, Any] = field(default_factory=dict)  # what is different on large data

    def rounds_for(self, records: int) -> int:
        """Return the number of rounds for this many records; more for small data."""
        return max(self.rounds, min(self.most_rounds, SMALL // max(1, records)))

    def for_data(self, records: int, entries: int) -> Effort:
        """Return the effort for this many records and touched nodes: steps with little gain are reduced for large data."""
        return self if records < FEW_RECORDS and entries <= FEW_ENTRIES else replace(self, **self.on_large_data)

    def block_for(self, counts: TreeCounts) -> int:
        """Return the block size: smaller for long records, whose sketches are less precise."""
        return self.block_of(len(counts.lengths), len(counts.nodes))

    def block_of(self, records: int, entries: int) -> int:
        """Return the block size for this many records and touched nodes."""
        return max(self.long_block, min(self.block, self.block * SHORT * records // max(1, entries)))


EFFORTS = {
    "fast": Effort(block=1024, long_block=1024, candidates=8),
    "balanced": Effort(
        block=12_288,
        long_block=8192,
        candidates=32,
        neighbours=8,
        depth=3,
        together=6,
        worst=40,
        refine_block=2048,
        rounds=3,
        most_rounds=16,
        on_large_data={"candidates": 16, "neighbours": 5, "depth": 2, "worth": 20},
    ),
    "thorough": Effort(
        block=65_536,
        long_block=65_536,
        candidates=64,
        neighbours=16,
        depth=5,
        together=8,
        worst=100,
        refine_block=4096,
        rounds=8,
        most_rounds=32,
    ),
}


@dataclass(frozen=True)
class Shoal(GroupingMethod):
    """Grows groups one at a time and improves them by local search; publishes each group's least common generalization."""

    name = "shoal"
    paper = "none (developed for shoal)"
    worth_comparing = True

    k: int = param(5, minimum=2, help="minimum number of people per published record")
    effort: str = param("balanced", choices=tuple(EFFORTS), help="search effort: more effort takes longer and loses less")
    seconds: float | None = param(None, minimum=0, help="keep improving for this many seconds; the result then depends on the machine")
    seed: int = param(0, minimum=0, help="random seed of the search; releases with other seeds are of similar quality")
    outliers: float = param(0.0, minimum=0, maximum=1, help="largest share of records to suppress as outliers")
    sensitive: Items | None = param(None, help="sensitive items, which must not be inferred")
    h: float | None = param(
        None,
        minimum=0,
        maximum=1,
        help="with sensitive items: largest share of the people in a group who may have the same one (default: 0.5)",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.h is not None and self.sensitive is None:
            raise ParameterError("h is for sensitive items, but none are named", code="items-not-named", hint="name them with sensitive")
        if self.sensitive is not None and self.sensitive.names == frozenset():
            raise ParameterError("sensitive names no items", code="items-not-named", hint="give a file, under:NODE or items:a|b")

    @property
    def share(self) -> float:
        """The maximum share of a group with the same sensitive item."""
        return DEFAULT_SHARE if self.h is None else self.h

    @property
    def deterministic(self) -> bool:
        """Whether the result is deterministic: with a time limit it depends on the machine."""
        return self.seconds is None

    def work_per_record(self, records: int) -> float:
        """Return the work: growing groups once, and the rounds of the search, which are fewer and smaller for large data."""
        small = EFFORTS[self.effort]
        effort = small.for_data(records, 0)
        return 1 + effort.rounds_for(records) * effort.neighbours / small.neighbours

    def records_that_help(self, items: float) -> float:
        """Return a third more than a block: groups are formed within blocks, and blocks of more data hold more similar records."""
        many = SMALL  # records with this many items, for whole numbers
        return 4 / 3 * max(EFFORTS[self.effort].block_of(many, round(many * NODES_PER_ITEM * items)), BLOCK_PER_K * self.k)

    @property
    def works_in_ranges(self) -> bool:
        """Whether groups may be formed range by range: not with sensitive items or a time limit."""
        return self.sensitive is None and self.seconds is None

    def claims(self) -> tuple[Model, ...]:
        """Claim transactional k-anonymity and, with sensitive items, a limit on their share."""
        anonymous = KAnonymity(k=self.k)
        return (anonymous,) if self.sensitive is None else (anonymous, SensitiveShare(h=self.share, items=self.sensitive))

    def form_groups(self, bags: Bags, taxonomy: Taxonomy) -> tuple[Ints, Bags]:
        """Search for groups on the records in content order; each is published as its least common generalization."""
        if self.sensitive is None:
            groups = self._grouped(bags, taxonomy)
            return groups, meet(bags, taxonomy, groups)
        nodes = SensitiveNodes.of(taxonomy, self.sensitive)
        # What is known of a whole group is more than any share below one, so sensitive items are out of the records from the start. Records
        # that are identical without them may differ in them, so records and people are ordered before.
        order = content_order(bags)
        ordered = bags.select(order).with_owners_as_met()
        held = nodes.held(ordered)
        refuse_frequent(held, ordered.owners, exact(self.share))
        harmless = ordered if self.share == 1 else ordered.relabelled(nodes.harmless(), taxonomy.names)
        labels, published = self._within_share(harmless, taxonomy, held)
        groups = np.empty(len(bags), np.int64)
        groups[order] = labels
        return groups, published

    def _within_share(self, bags: Bags, taxonomy: Taxonomy, held: SensitiveHoldings) -> tuple[Ints, Bags]:
        """Merge groups as needed. Merging may lose what the search gained, so the best result of all efforts up to this one is returned."""
        before = self._grouped(bags, taxonomy)
        groups, published = within_share(bags, taxonomy, before, held, exact(self.share))
        lower = self._efforts()[:-1]
        if not lower or len(np.unique(before)) == len(published):
            return groups, published
        results = [
            within_share(bags, taxonomy, replace(self, effort=effort)._grouped(bags, taxonomy), held, exact(self.share)) for effort in lower
        ]
        order = content_order(bags)
        search = self._group_search(tree_counts(ordered := bags.select(order), taxonomy), ordered, self.effort)
        return min([*results, (groups, published)], key=lambda result: search.loss(Groups.labelled(result[0][order])))

    def _grouped(self, bags: Bags, taxonomy: Taxonomy) -> Ints:
        order = content_order(bags)
        groups = np.empty(len(bags), np.int64)
        groups[order] = self._cluster(bags.select(order), taxonomy)
        return groups

    def _cluster(self, bags: Bags, taxonomy: Taxonomy) -> Ints:
        counts = tree_counts(bags, taxonomy)
        # If people own several records, or records are so few that chance decides, the lower efforts are tried too, so that more effort
        # never loses more.
        tried = self._efforts() if bags.owners_repeat or len(bags) <= DECIDED_BY_CHANCE else [self.effort]
        searches = [self._group_search(counts, bags, effort) for effort in tried]
        if len(searches) == 1:
            groups = searches[0].run()
        elif bags.owners_repeat:
            groups = _best_of(searches, top_down(bags, taxonomy, self.k)[0])
        else:
            groups = _best_grown(searches)
        found = np.empty(len(bags), np.int64)
        found[groups.members] = groups.labels
        return found

    def _group_search(self, counts: TreeCounts, bags: Bags, effort: str) -> GroupSearch:
        return GroupSearch(counts, bags.owners, bags.owners_repeat, self._search(counts, effort), LocalEngine("clustering"))

    def _efforts(self) -> list[str]:
        """Return the efforts up to this one, the lowest first; with a time limit, only this one."""
        if self.seconds is not None:
            return [self.effort]
        names = list(EFFORTS)
        return names[: names.index(self.effort) + 1]

    def _search(self, counts: TreeCounts, named: str) -> Search:
        effort = EFFORTS[named].for_data(len(counts.lengths), len(counts.nodes))
        larger = max(1.0, self.k / EFFORT_K)
        together = max(2, int(effort.together / larger))
        return Search(
            k=self.k,
            block=max(effort.block_for(counts), BLOCK_PER_K * self.k),
            grow=_kernels.GrowOptions(candidates=effort.candidates),
            refine=_kernels.RefineOptions(
                neighbours=effort.neighbours,
                depth=effort.depth,
                together=together,
                worst=effort.worst,
                worth=effort.worth,
            ),
            refine_block=max(64, int(effort.refine_block / larger)),
            rounds=effort.rounds_for(len(counts.lengths)) if self.seconds is None else ENDLESS,
            seed=self.seed,
            seconds=self.seconds,
        )


def _best_grown(searches: list[GroupSearch]) -> Groups:
    """Return the best groups that the searches find. If a shorter search than the last one found them, the last one refines them."""
    found = [(search.loss(groups := search.run()), groups) for search in searches]
    least = min(reversed(found), key=_lost)
    if least is not found[-1]:
        groups = searches[-1].refined(least[1])
        least = min(least, (searches[-1].loss(groups), groups), key=_lost)
    return least[1]


def _best_of(searches: list[GroupSearch], parts: Ints) -> Groups:
    """Return the best groups that the searches find, starting from nothing and from parts split top-down.

    If most people own several short records, such parts are hard to find by growing. If they lose much more than the grown groups, no
    search starts from them.
    """
    from_the_top = Groups.labelled(parts)
    found = [(searches[0].loss(from_the_top), from_the_top)]
    for search in searches:
        groups = search.run()
        found.append((search.loss(groups), groups))
        if found[0][0] <= NEARLY_AS_GOOD * min(found[1:], key=_lost)[0]:
            groups = search.refined(from_the_top)
            found.append((search.loss(groups), groups))
    return min(found, key=_lost)[1]


def _lost(found: tuple[float, Groups]) -> float:
    return found[0]
