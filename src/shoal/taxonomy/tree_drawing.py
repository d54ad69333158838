"""A look at a taxonomy: a part of it drawn as a tree, and how much of some data it covers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.data.bags import Bags
from shoal.data.taxonomy import Taxonomy
from shoal.errors import TaxonomyError
from shoal.taxonomy.place_terms import frequent_unknown_terms
from shoal.util.wording import several_nearest

FEW = 5


def draw(taxonomy: Taxonomy, node: str | int | None = None, depth: int = 2, limit: int = 20) -> list[str]:
    """Lines that draw the subtree at `node` (or the root), `depth` levels deep, `limit` children a node."""
    top = 0 if node is None else _number(taxonomy, node)
    return [_node_text(taxonomy, top), *_drawn(taxonomy, top, depth, limit, "")]


def _drawn(taxonomy: Taxonomy, node: int, depth: int, limit: int, indent: str) -> Iterator[str]:
    if depth <= 0:
        return
    children = _children(taxonomy, node)
    shown, hidden = children[:limit], len(children) - limit
    for i, child in enumerate(shown):
        last = i == len(shown) - 1 and hidden <= 0
        yield f"{indent}{'└── ' if last else '├── '}{_node_text(taxonomy, child)}"
        yield from _drawn(taxonomy, child, depth - 1, limit, indent + ("    " if last else "│   "))
    if hidden > 0:
        yield f"{indent}└── ... and {hidden:,} more"


def _children(taxonomy: Taxonomy, node: int) -> list[int]:
    """Return the children of a node, by leaps from one subtree to the next."""
    found, at, stop = [], node + 1, int(taxonomy.end[node])
    while at < stop:
        found.append(at)
        at = int(taxonomy.end[at])
    return found


def _node_text(taxonomy: Taxonomy, node: int) -> str:
    name, leaves = taxonomy.names[node], int(taxonomy.leaves[node])
    if taxonomy.end[node] == node + 1:
        return name
    return f"{name} ({leaves:,} {'leaf' if leaves == 1 else 'leaves'})"


def _number(taxonomy: Taxonomy, node: str | int) -> int:
    if isinstance(node, int):
        if not 0 <= node < len(taxonomy):
            raise TaxonomyError(f"there is no node {node}; the taxonomy has {len(taxonomy):,}", code="unknown-node")
        return node
    if any("\ud800" <= c <= "\udfff" for c in node):  # half a character, as bytes that are no UTF-8 arrive; no name has it
        raise TaxonomyError("the taxonomy has no node of that name, which is not UTF-8", code="unknown-node")
    found = int(taxonomy.names.codes([node])[0])
    found = found if found >= 0 else int(taxonomy.nodes([node])[0])
    if found < 0:
        near = several_nearest(node, taxonomy.names.names, 3)
        hint = f"did you mean {', '.join(repr(n) for n in near)}?" if near else ""
        raise TaxonomyError(f"the taxonomy has no node {node!r}", code="unknown-node", hint=hint, value=node)
    return found


@dataclass(frozen=True)
class Coverage:
    """How much of some records a taxonomy knows, and in how many records it knows nothing."""

    terms: int
    terms_covered: int
    occurrences: int
    occurrences_covered: int
    records: int
    records_uncovered: int
    records_empty: int
    missing: Sequence[tuple[str, int]]
    missing_rare: int

    @property
    def share(self) -> float:
        """The covered share of all occurrences; 1 where there are none."""
        return self.occurrences_covered / self.occurrences if self.occurrences else 1.0


def coverage(bags: Bags, taxonomy: Taxonomy, limit: int = 10, people: int = FEW) -> Coverage:
    """Return how much of these records the taxonomy covers, and the most frequent terms it lacks. Terms of few people are only counted."""
    known = taxonomy.nodes(bags.vocabulary.names) >= 0
    frequency = np.bincount(bags.items, weights=bags.counts, minlength=len(bags.vocabulary)).astype(np.int64)
    record_of_entry = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))
    covered = np.zeros(len(bags), bool)
    covered[record_of_entry[known[bags.items]]] = True
    empty = int((bags.lengths == 0).sum())
    missing = frequent_unknown_terms(bags, taxonomy, people)
    return Coverage(
        terms=int((frequency > 0).sum()),
        terms_covered=int((known & (frequency > 0)).sum()),
        occurrences=bags.occurrences,
        occurrences_covered=int(frequency[known].sum()),
        records=len(bags),
        records_uncovered=len(bags) - empty - int(covered.sum()),
        records_empty=empty,
        missing=tuple(missing[:limit]),
        missing_rare=int((~known & (frequency > 0)).sum()) - len(missing),
    )
