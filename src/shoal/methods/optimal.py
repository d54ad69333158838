"""OA, optimal anonymization (Terrovitis, Mamoulis and Kalnis, VLDB'08): the cut with the least loss, for small data.

Guarantee: at least k people have every set of up to m published items. One recoding for all records; no other full-subtree recoding loses
less.

Cuts are examined by increasing loss, starting with the most precise one in which k people have every single node. Generalization never
reduces the loss, so the first cut without a rare set is optimal. The paper examines all cuts breadth-first; this search stops there. If a
set is rare, every more general cut without rare sets generalizes at least one of its nodes: only these few steps are followed, not one for
each published node. The number of cuts is exponential, so data with more than a stated number is rejected.
With another `recoding` the best level for all items, or the best sibling generalization, is found instead (`itemsets/recoding_schemes.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from math import prod

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Ints, Small
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError
from shoal.itemsets.itemset_support import PUBLIC, Power, minimal_moles
from shoal.itemsets.recoding_schemes import FULL_DOMAIN, SCHEMES, SIBLING, SUBTREE, best_sibling_places, level_places
from shoal.methods.bases.km import KnownItemsMethod, published_sets
from shoal.parameters import param
from shoal.util.numbers import distinct_pairs, runs

MOST_CUTS = 200_000

Merged = tuple[int, ...]  # nodes, none below another: all items below one of them are published as it, all others as themselves


@dataclass(frozen=True)
class Optimal(KnownItemsMethod):
    """Finds the full-subtree generalization with the least loss by exhaustive search; for small data."""

    name = "optimal"
    paper = "Terrovitis, Mamoulis and Kalnis, VLDB 2008"

    recoding: str = param(
        SUBTREE, choices=SCHEMES, help="what is generalized together: whole subtrees, all items to one level, or siblings"
    )

    def places(self, records: Bags, taxonomy: Taxonomy) -> Small:
        """Examine recodings by increasing loss until one has no rare set."""
        if self.recoding == FULL_DOMAIN:
            return level_places(records, taxonomy, self.k, self.m)
        if self.recoding == SIBLING:
            return best_sibling_places(records, taxonomy, self.k, self.m)
        return self._best_cut(records, taxonomy)

    def _best_cut(self, records: Bags, taxonomy: Taxonomy) -> Small:
        """Examine cuts by increasing loss until one has no rare set."""
        cuts = TaxonomyCuts(records, taxonomy)
        first = cuts.with_single_nodes_shared(self.k)
        there = cuts.above(first)
        if there > MOST_CUTS:
            raise ParameterError(
                f"there are {_many(there)} cuts to choose from, but at most {MOST_CUTS:,} are searched",
                code="too-many-cuts",
                hint="apriori and km work on data of any size",
                limit=MOST_CUTS,
            )
        open_cuts, seen = [(cuts.loss(first), first)], {first}
        while (rare := self._rare_set(cuts.published(open_cuts[0][1]))) is not None:
            _, cut = heappop(open_cuts)
            for further in cuts.more_general(cut, rare):
                if further not in seen:
                    seen.add(further)
                    heappush(open_cuts, (cuts.loss(further), further))
        return cuts.places(open_cuts[0][1])

    def _rare_set(self, published: Bags) -> tuple[int, ...] | None:
        """Return one of the smallest rare sets, or None; empty records are ignored."""
        held = published.select(published.lengths > 0)
        if not len(held):
            return None
        every = np.full(len(published.vocabulary), PUBLIC, np.uint8)
        moles = minimal_moles(held, every, Power(1.0, self.k, self.m))
        return moles[0] if len(moles) else None


class TaxonomyCuts:
    """The cuts of a taxonomy that differ on some records."""

    def __init__(self, records: Bags, taxonomy: Taxonomy) -> None:
        self.records, self.taxonomy = records, taxonomy
        self.items, self.occurrences = np.unique(records.items, return_counts=True)

    def images(self, cut: Merged) -> Small:
        """Return the published node of each item, ignoring whether it may be published."""
        images = self.items.astype(np.int32)
        for node in cut:
            images[self._below(node)] = node
        return images

    def loss(self, cut: Merged) -> int:
        """Return the total loss of all occurrences, in units of the node loss."""
        return int((self.occurrences * self.taxonomy.unit_losses[self.images(cut)]).sum())

    def places(self, cut: Merged) -> Small:
        """Return the published node of every occurrence."""
        codes = np.full(len(self.taxonomy), -1, np.int32)
        images = self.images(cut)
        codes[self.items] = np.where(self.taxonomy.publishable[images], images, -1)
        return codes[self.records.items]

    def published(self, cut: Merged) -> Bags:
        """Return the records under a cut."""
        return published_sets(self.records, self.places(cut))

    def more_general(self, cut: Merged, images: Iterable[int]) -> Iterator[Merged]:
        """Return the next more general cuts, each of which generalizes one of these nodes."""
        for image in images:
            node = self._next_above(cut, image)
            if node >= 0:
                yield self._merged(cut, node)

    def with_single_nodes_shared(self, k: int) -> Merged:
        """Return the least general cut in which k people have each published node; every k^m-anonymous cut generalizes it."""
        cut: Merged = ()
        while len(rare := self._rare(cut, k)):
            cut = self._merged(cut, self._next_above(cut, int(rare[0])))
        return cut

    def above(self, cut: Merged) -> int:
        """Return the number of cuts that equal or generalize this one."""
        ways: dict[int, int] = {}
        for node in range(len(self.taxonomy) - 1, -1, -1):
            n = int(self._below(node).sum())
            if not n:
                continue
            strictly = n - int(node in self.items)
            inside = any(top <= node < self.taxonomy.end[top] for top in cut)
            below = [ways[child] for child in self.taxonomy.children(node).tolist() if child in ways]
            ways[node] = 1 if inside or not strictly else 1 + prod(below)
        return ways[0]

    def _below(self, node: int) -> npt.NDArray[np.bool_]:
        """Return which items are at or below a node."""
        return np.asarray((self.items >= node) & (self.items < self.taxonomy.end[node]))

    def _next_above(self, cut: Merged, image: int) -> int:
        """Return the image of a published node in the least general cut that changes it: its parent, or itself with all items below it."""
        alone = image in cut or int(self._below(image).sum()) == 1
        return int(self.taxonomy.parent[image]) if alone else image

    def _merged(self, cut: Merged, node: int) -> Merged:
        return tuple(sorted([*(n for n in cut if not node <= n < self.taxonomy.end[node]), node]))

    def _rare(self, cut: Merged, k: int) -> Ints:
        """Return published nodes of fewer than k people."""
        published = self.published(cut)
        owners = np.repeat(published.owners, np.diff(published.indptr))
        nodes, people = runs(distinct_pairs(published.items.astype(np.int64), owners)[0])
        return nodes[people < k]


def _many(n: int) -> str:
    return f"{n:,}" if n < 10**12 else f"about 10^{len(str(n)) - 1}"
