"""Document vectors as a space (Abril, Navarro-Arribas and Torra, MDAI 2010), and the vector that represents several of them.

The distance of two vectors is 1 - (similarity of the best one-to-one matching of their terms) / (terms of the longer one). For MDAV the
middle of many documents is their medoid, the one with the least sum of distances to the others.

What is published for a group is made by generalization: the medoid's terms are matched with those of each other member, the nearest
first, and each pair becomes the node that the two have in common. The meaning of a term is open as long as all members have that very
term, and fixed once it met another. A term without a partner in some member, or with nothing in common with it, is left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Small
from shoal.data.original import DocumentOriginal, Floats
from shoal.taxonomy.document_words import DocumentWords
from shoal.taxonomy.senses import TermTable, senses_of

UNITS = 2**40  # distances are whole numbers of this fraction, so that sums of them are exact


@dataclass(frozen=True)
class TermSlot:
    """A term of a group's vector: what it is called, its mean weight, and for each member the number of the term it represents."""

    name: str
    weight: float
    represented: tuple[tuple[int, ...], ...]


class DocumentSpace:
    """The documents of an original that have terms, in an order by content. A point is a document."""

    def __init__(self, original: DocumentOriginal) -> None:
        known = DocumentWords(original.taxonomy)
        self._graph = senses_of(original.taxonomy)
        order = original.content_order()
        self.documents: Ints = order[original.vectors.lengths[order] > 0]  # their numbers in the original
        self.vectors = original.vectors.select(self.documents)
        self.terms = original.vectors.vocabulary
        weights, starts = original.weights, original.vectors.indptr
        self._weights = [weights[starts[i] : starts[i + 1]] for i in self.documents.tolist()]
        terms = TermTable(self._graph, original.places)
        self._nodes = terms.nodes_used
        # A published name without the number of a sense is a word, with all its senses, as those of the documents are. Only names of
        # WordNet have such numbers.
        above = self._graph.names.names.gather(self._nodes)
        words = above.filter(~above.str.contains("#", literal=True) & ~above.is_in(self.terms.names.implode()))
        words = words if original.taxonomy is None else words.clear()
        self._first_node = len(self.terms) + len(words)
        places = np.concatenate([original.places, known.places(words)])
        self._senses = TermTable(self._graph, places, self._nodes.tolist()).senses
        self._numbers = {name: self._first_node + place for place, name in enumerate(above)}
        self._numbers |= {name: number for number, name in enumerate((*self.terms.names, *words))}
        self._apart = _distances(terms, self.vectors)
        self._middle: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.vectors)

    def point(self, row: int) -> int:
        """Return the document itself."""
        return row

    def centroid(self, rows: Ints) -> int:
        """Return the medoid; of several the first."""
        return int(rows[np.argmin(self._apart[np.ix_(rows, rows)].sum(axis=1))])

    def distances(self, point: int, rows: Ints) -> Floats:
        """In whole units."""
        return np.asarray(self._apart[point, rows], np.float64)

    def generalized(self, rows: Ints) -> tuple[TermSlot, ...]:
        """Return the vector that is published for these documents; `represented` follows the order of the rows."""
        medoid = self.centroid(np.sort(rows))
        others = sorted((row for row in rows.tolist() if row != medoid), key=lambda row: (self._apart[medoid, row], row))
        slots = [_Open(term, [(medoid, place)]) for place, term in enumerate(self._terms(medoid).tolist())]
        for row in others:
            slots = self._joined(slots, row)
        return self._merged(slots, rows)

    def middle(self) -> tuple[str, ...]:
        """Return the terms of the vector of all documents together; made once."""
        if self._middle is None:
            self._middle = tuple(slot.name for slot in self.generalized(np.arange(len(self))))
        return self._middle

    def between(self, left: Sequence[str], right: Sequence[str]) -> float:
        """Return the distance of two published vectors, by the names of their terms."""
        return self._distance(self._named(left), self._named(right))

    def to_published(self, row: int, names: Sequence[str]) -> float:
        """Return the distance of a document to a published vector."""
        return self._distance(self._terms(row), self._named(names))

    def counts(self, row: int) -> dict[int, int]:
        """Return how often each term occurs in a document."""
        span = slice(self.vectors.indptr[row], self.vectors.indptr[row + 1])
        return dict(zip(self.vectors.items[span].tolist(), self.vectors.counts[span].tolist(), strict=True))

    def _terms(self, row: int) -> Small:
        return self.vectors.items[self.vectors.indptr[row] : self.vectors.indptr[row + 1]]

    def _joined(self, slots: Sequence[_Open], row: int) -> list[_Open]:
        """Return the terms after one more document was matched with them."""
        terms = self._terms(row)
        left = np.array([slot.term for slot in slots], np.int32)
        partner, common, _ = _kernels.match_terms(self._senses, left, terms)
        found = []
        for slot, place, node in zip(slots, partner.tolist(), common.tolist(), strict=True):
            if node >= 0:
                same = slot.term == terms[place]
                term = slot.term if same else self._first_node + int(np.searchsorted(self._nodes, node))
                found.append(_Open(term, [*slot.members, (row, place)]))
        return found

    def _merged(self, slots: Sequence[_Open], rows: Ints) -> tuple[TermSlot, ...]:
        """Terms of one name become one, with the sum of their weights; by name."""
        by_name: dict[str, list[tuple[int, int]]] = {}
        for slot in slots:
            by_name.setdefault(self._name(slot.term), []).extend(slot.members)
        found = []
        for name, members in sorted(by_name.items()):
            weight = math.fsum(self._weights[row][place] for row, place in members) / len(rows)
            terms: dict[int, list[int]] = {row: [] for row in rows.tolist()}
            for row, place in members:
                terms[row].append(int(self._terms(row)[place]))
            found.append(TermSlot(name, weight, tuple(tuple(terms[row]) for row in rows.tolist())))
        return tuple(found)

    def _name(self, term: int) -> str:
        return self.terms[term] if term < len(self.terms) else self._graph.names[int(self._nodes[term - self._first_node])]

    def _named(self, names: Sequence[str]) -> Small:
        """Published names as terms: a word, or the node where a name has the number of a sense."""
        return np.array([self._numbers[name] for name in names], np.int32)

    def _distance(self, left: Small, right: Small) -> float:
        if not len(left) or not len(right):
            return float(len(left) != len(right))
        _, _, similarity = _kernels.match_terms(self._senses, left, right)
        return 1 - similarity / (_kernels.ALIKE * max(len(left), len(right)))


@dataclass(frozen=True)
class _Open:
    """A term on the way: its number, or behind all words that of a node; and document and position of what it represents."""

    term: int
    members: list[tuple[int, int]]


_SPACES: WeakKeyDictionary[DocumentOriginal, DocumentSpace] = WeakKeyDictionary()


def space_of(original: DocumentOriginal) -> DocumentSpace:
    """Return the space of these documents; made once, for its distances take most of the time."""
    if original not in _SPACES:
        _SPACES[original] = DocumentSpace(original)
    return _SPACES[original]


def _distances(terms: TermTable, documents: Bags) -> Ints:
    """Return all distances, in whole units."""
    n, sizes = len(documents), np.diff(documents.indptr)
    run = kernels.run(_kernels.matched_similarities, terms.senses, documents.view, kernels.threads(), label="comparing documents")
    found: Ints = run.reshape(n, n)
    for row in range(n):  # in place, for there are n^2 of them
        similarity = found[row] / (_kernels.ALIKE * np.maximum(sizes, sizes[row]).astype(np.float64))
        found[row] = np.rint((1 - similarity) * UNITS)
    return found
