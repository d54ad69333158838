"""Category microaggregation: groups people of a query log by the categories of their queries; one common history per group.

Erola, Castella-Roca, Navarro-Arribas and Torra, "Semantic microaggregation for the anonymization of query logs", PSD 2010; SORT 35, 2011.
They classify with the Open Directory, which no longer exists; any taxonomy can be used here, WordNet by default. A term may be at any
depth, and counts for its ancestor at every level. Guarantee: user k-anonymity; and, unlike in the paper, no query, word or URL of fewer
than `min_owners` members. Groups are formed inside blocks of people with similar categories: O(people * block) coincidences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal import _kernels
from shoal.data.bags import Ints
from shoal.data.original import LogOriginal
from shoal.engines.local_engine import Things
from shoal.errors import ParameterError, option
from shoal.methods.bases.user_profiles import Choose, ProfileMethod
from shoal.microaggregation.histories import Histories
from shoal.microaggregation.history_aggregation import Matches, contributed
from shoal.microaggregation.incidence import greedy_groups
from shoal.parameters import param
from shoal.taxonomy.place_terms import place_terms
from shoal.taxonomy.tree_counts import TreeCounts, category_counts
from shoal.text.terms import terms_of


@dataclass(frozen=True)
class CategoryMicroaggregation(ProfileMethod):
    """Groups people by query categories; one history per group, to which members contribute in proportion to their queries."""

    name = "category-microaggregation"
    paper = (
        'Erola, Castella-Roca, Navarro-Arribas and Torra, "Semantic microaggregation for the anonymization of query logs", '
        "Privacy in Statistical Databases 2010"
    )

    depth: int | None = param(None, minimum=1, help="number of taxonomy levels to use, from the root down (default: all)")
    block: int = param(512, minimum=1, help="number of people per block; groups are formed within blocks")
    seed: int = param(0, minimum=0, help="random seed for choosing queries")

    @property
    def needs_taxonomy(self) -> bool:
        """True: it gives the categories of terms."""
        return True

    def groups(self, histories: Histories, original: LogOriginal) -> list[Ints]:
        """Group greedily by coincidence, inside each block of people with similar categories."""
        counts = self._classified(histories, original)
        things = Things(counts.view, counts.lengths, counts.weights, counts.units)
        everybody = np.arange(len(histories), dtype=np.int64)

        def form(people: Ints, task: _kernels.Task) -> list[Ints]:
            groups = greedy_groups(_incidence(counts, people), self.k)
            task.step(len(people))
            return [people[members] for members in groups]

        return self.formed_in_blocks(len(histories), lambda engine, size: engine.split(things, everybody, size), form)

    def chooser(self, histories: Histories) -> Choose:
        """Select by contribution: a member with more queries contributes more of them, preferring repeated ones."""

        def choose(members: Ints, matches: Matches) -> Ints:
            chance = np.random.default_rng([self.seed, int(members[0])])
            return np.sort(contributed(histories, members, matches, self.min_owners, chance))

        return choose

    def _classified(self, histories: Histories, original: LogOriginal) -> TreeCounts:
        """Count the queries of each person about each category, at every level; words outside of the taxonomy have no category."""
        if original.taxonomy is None:
            raise ParameterError(
                "the method category-microaggregation needs a taxonomy", code="needs-taxonomy", hint=f"name one with {option('taxonomy')}"
            )
        typed = original.log.bags("user", split=lambda texts: terms_of(texts, as_typed=True))
        placed = place_terms(typed, original.taxonomy, unknown="drop", fold=original.log.kind == "text")
        row = np.searchsorted(typed.owners, histories.owners)
        return category_counts(placed.bags.select(row), placed.tree, self.depth)


def _incidence(counts: TreeCounts, people: Ints) -> Ints:
    """Return the coincidence of every two of these people."""
    n = len(people)
    left, right = np.triu_indices(n, 1)
    sums = _kernels.min_sums(counts.view, people[left], people[right], counts.weights, 1, _kernels.Task())
    matrix = np.zeros((n, n), np.int64)
    matrix[left, right] = matrix[right, left] = sums
    return matrix
