"""WordNet's nouns with all their senses and all hypernyms of these: a graph, where the taxonomy is a tree.

The level of a synset is the number of synsets on the longest path down to it, so that it lies deeper than all above it; the root's is 1.
A term is described by the nodes at or above its senses, each with the least level of a sense below it: all that Wu and Palmer's
similarity, 2 level(common) / (level + level), needs to be maximised over all pairs of senses (`cpp/semantic/senses.hpp`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from shoal import _kernels
from shoal.data.bags import Ints, Small, Vocabulary
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.wordnet import further_hypernyms, further_senses, lemmas, wordnet
from shoal.util.numbers import distinct


@dataclass(frozen=True, eq=False)
class SenseGraph:
    """Named nodes in a graph without cycles. `above` are the nodes directly above each; `senses` the nodes that each noun may mean."""

    names: Vocabulary
    above: Sequence[Sequence[int]]
    senses: Sequence[Sequence[int]]

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def level(self) -> Small:
        """The length of the longest path down to each node."""
        below = np.array([node for node, above in enumerate(self.above) for _ in above], np.int64)
        above = np.array([node for nodes in self.above for node in nodes], np.int64)
        level, before = np.ones(len(self), np.int32), np.zeros(len(self), np.int32)
        while not np.array_equal(level, before):
            before = level.copy()
            np.maximum.at(level, below, before[above] + 1)
        return level

    def upwards(self, node: int) -> set[int]:
        """Return the node and all above it."""
        found, pending = {node}, [node]
        while pending:
            fresh = [above for above in self.above[pending.pop()] if above not in found]
            found.update(fresh)
            pending.extend(fresh)
        return found

    def described(self, meanings: Sequence[int]) -> dict[int, int]:
        """Return the nodes at or above these, each with the least level of one of them below it."""
        least: dict[int, int] = {}
        for meaning in meanings:
            level = int(self.level[meaning])
            for node in self.upwards(meaning):
                least[node] = min(level, least.get(node, level))
        return least


class TermTable:
    """Terms as kernels take them: the nouns at these places of a graph, words unknown to it (-1), and after them nodes by themselves.

    A word that the graph lacks is a node of its own, behind all others and with nothing above it: it is like itself and nothing else.
    """

    def __init__(self, graph: SenseGraph, places: Small, nodes: Sequence[int] = ()) -> None:
        unknown = np.cumsum(places < 0) - 1 + len(graph)
        known = [graph.described(graph.senses[place]) if place >= 0 else None for place in places.tolist()]
        rows = [{int(unknown[i]): 1} if found is None else found for i, found in enumerate(known)]
        rows += [graph.described([node]) for node in nodes]
        level = np.concatenate([graph.level, np.ones(int((places < 0).sum()), np.int32)])
        indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        ordered = [sorted(row.items()) for row in rows]
        ids = np.array([node for row in ordered for node, _ in row], np.int32)
        least = np.array([depth for row in ordered for _, depth in row], np.int32)
        self.senses = _kernels.Senses(_kernels.Rows(indptr, ids, least), level)
        self.nodes_used: Ints = distinct(ids[ids < len(graph)]).astype(np.int64)


def senses_of(taxonomy: Taxonomy | None) -> SenseGraph:
    """Return the graph of a taxonomy: all nouns of WordNet for None, all parents of an ontology's concepts, or else the tree itself."""
    if taxonomy is None:
        return noun_senses()
    graph = getattr(taxonomy.lexicon, "graph", None)
    if isinstance(graph, SenseGraph):
        return graph
    above = [[parent] if parent >= 0 else [] for parent in taxonomy.parent.tolist()]
    return SenseGraph(taxonomy.names, above, [[node] for node in range(len(taxonomy))])


@cache
def noun_senses() -> SenseGraph:
    """Return all nouns of WordNet."""
    tree, nouns = wordnet(), lemmas()
    above = [[parent] if parent >= 0 else [] for parent in tree.parent.tolist()]
    for node, further in further_hypernyms().iter_rows():
        above[node].append(further)
    senses = [[node] for node in nouns["node"].to_list()]
    for lemma, node in further_senses().iter_rows():
        senses[lemma].append(node)
    return SenseGraph(tree.names, above, senses)
