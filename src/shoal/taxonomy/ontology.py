"""Ontologies as taxonomies: concepts with labels and several parents each, such as thesauri in SKOS and files in OBO.

A taxonomy is a tree. A concept with several parents is placed below the lowest concept that lies above all of them on every path, so that
a generalization is true whichever parent is meant: the tree of dominators. A concept is called by its preferred label; concepts with the
same one have their ID in brackets. Terms are found by any label, as written or else in lower case. A preferred label comes before others,
and a label of several concepts is placed at the lowest node above all of them. Documents are compared in the graph itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.bags import Small, Vocabulary
from shoal.data.node_loss import DEFAULT_LOSS
from shoal.data.taxonomy import Taxonomy
from shoal.errors import TaxonomyError
from shoal.taxonomy.category_paths import IMPLIED_ROOT
from shoal.taxonomy.senses import SenseGraph
from shoal.text.phrases import PhraseFinder, PhraseList
from shoal.text.terms import in_one_case, is_stop_word
from shoal.util.wording import counted, listed

PREFERRED, ALTERNATIVE, OTHER_LANGUAGE, CODE = range(4)  # kinds of labels: the first that a term has counts
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
SEVERAL_WORDS = r"^\w+(?: \w+)+$"  # labels that texts can contain, which are split into words
LOWEST = "the lowest concept above all of them"
ABOVE_ALL = -1  # the root that concepts without a parent get if there are several


@dataclass(frozen=True)
class Concept:
    """A concept of an ontology: its ID, its preferred label if it has one, all labels by their kind, and the IDs of its parents."""

    id: str
    label: str | None
    labels: tuple[tuple[str, int], ...] = ()
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ConceptLexicon:
    """Maps terms to nodes by the labels of concepts, as written and in lower case. `graph` has all parents, and all concepts of a label."""

    written: Vocabulary
    node_as_written: Small
    folded: Vocabulary
    node_folded: Small
    graph: SenseGraph

    def nodes(self, terms: pl.Series) -> Small:
        """Return the node of each term, by its spelling or else in lower case; -1 if no concept has such a label."""
        exact, lower = self.written.codes(terms), self.places(in_one_case(terms))
        found = np.where(lower >= 0, self.node_folded[lower], np.int32(-1))
        return np.where(exact >= 0, self.node_as_written[exact], found).astype(np.int32)

    def places(self, terms: pl.Series) -> Small:
        """Return the number of each term, which is in lower case, among the labels; -1 if no concept has such a label."""
        return self.folded.codes(terms)

    def phrases(self) -> PhraseFinder:
        """Return a finder of the labels of several words. A label that begins or ends with a stop word is not found."""
        parts = self.folded.names.filter(self.folded.names.str.contains(SEVERAL_WORDS)).str.split(" ")
        inner = parts.filter(~is_stop_word(parts.list.first()) & ~is_stop_word(parts.list.last()))
        none = pl.Series([None], dtype=pl.String)
        return PhraseFinder(PhraseList(inner.list.join(" "), lambda words: none.gather(np.zeros(len(words), np.int64)), is_stop_word))


def taxonomy_of_concepts(concepts: Sequence[Concept], loss: str = DEFAULT_LOSS) -> tuple[Taxonomy, list[str]]:
    """Return the taxonomy of these concepts, which differ in their IDs, and notes on how it was made."""
    if not concepts:
        raise TaxonomyError("the file has no concepts", code="empty-input")
    graph = _Graph(concepts)
    names, renamed = _names(concepts)
    root = IMPLIED_ROOT
    while root in names:
        root = f"({root})"
    called = [*names, root]  # the last one is that of ABOVE_ALL
    parents: dict[str, str | None] = {root: None} if graph.several_tops else {}
    parents |= {called[i]: None if graph.is_root(i) else called[graph.tree_parent[i]] for i in range(len(concepts))}
    tree = Taxonomy.from_parents(parents, loss)
    node = tree.names.codes(called[:-1]).tolist()
    lexicon, ambiguous = _lexicon(concepts, graph, node, tree.names)
    notes = [
        f"{counted(len(concepts), 'concept')} with {counted(_n_labels(concepts), 'label')}",
        *_note(graph.moved, "concept with several parents is", "concepts with several parents are", f"placed below {LOWEST}"),
        *_note(renamed, "concept with the label of another has", "concepts with the label of another have", "the ID in brackets"),
        *_note(ambiguous, "label of several concepts is", "labels of several concepts are", f"placed at {LOWEST}"),
    ]
    if graph.several_tops:
        notes.append(f"several concepts have no parent: their common root is {root!r}")
    taxonomy = Taxonomy(tree.names, tree.parent.copy(), lexicon, loss)
    return taxonomy, notes


def insist_on_label(label: str) -> str:
    """Return the label with single spaces. Raise if it is empty or has control characters."""
    plain = " ".join(label.split())
    if not plain or CONTROL.search(plain):
        raise TaxonomyError("a label is empty or has control characters", code="taxonomy-label-invalid")
    return plain


def _n_labels(concepts: Sequence[Concept]) -> int:
    return len({label for concept in concepts for label, kind in concept.labels if kind != CODE})


def _note(n: int, one: str, several: str, outcome: str) -> list[str]:
    return [f"{counted(n, one, several)} {outcome}"] if n else []


# -- the graph, and its tree


class _Graph:
    """The concepts by number, each with its parents, and its parent in the tree."""

    def __init__(self, concepts: Sequence[Concept]) -> None:
        self._concepts = concepts
        number = {concept.id: i for i, concept in enumerate(concepts)}
        absent = sorted({above for concept in concepts for above in concept.parents if above not in number})
        if absent:
            raise TaxonomyError(
                f"parents that the file does not describe: {listed(absent, most=5)}",
                code="taxonomy-parent-missing",
                hint="a file must have all concepts that it refers to",
                nodes=absent,
            )
        self.above = [tuple(dict.fromkeys(number[above] for above in concept.parents)) for concept in concepts]
        self.several_tops = sum(not above for above in self.above) > 1
        self.order = self._downwards()
        self.depth: dict[int, int] = {ABOVE_ALL: 0}
        self.tree_parent: dict[int, int] = {}
        for node in self.order:
            self.tree_parent[node] = self.lowest_above(self.above[node]) if self.above[node] else ABOVE_ALL
            self.depth[node] = self.depth[self.tree_parent[node]] + 1
        self.moved = sum(len(above) > 1 for above in self.above)

    def is_root(self, node: int) -> bool:
        """Whether a concept is the root of the tree."""
        return not self.above[node] and not self.several_tops

    def lowest_above(self, nodes: Iterable[int]) -> int:
        """Return the lowest node of the tree at or above all of these."""
        first, *others = nodes
        for second in others:
            other = second
            while first != other:
                if self.depth[first] >= self.depth[other]:
                    first = self.tree_parent[first]
                else:
                    other = self.tree_parent[other]
        return first

    def _downwards(self) -> list[int]:
        """Return the concepts so that each comes after its parents. Raise if there is a cycle."""
        below: list[list[int]] = [[] for _ in self.above]
        open_parents = [len(above) for above in self.above]
        for node, above in enumerate(self.above):
            for one in above:
                below[one].append(node)
        order = [node for node, n in enumerate(open_parents) if n == 0]
        for node in order:  # grows
            for one in below[node]:
                open_parents[one] -= 1
                if open_parents[one] == 0:
                    order.append(one)
        if len(order) < len(self.above):
            raise self._cycle({node for node, n in enumerate(open_parents) if n > 0})
        return order

    def _cycle(self, left: set[int]) -> TaxonomyError:
        """Return the error for a cycle among these concepts, each of which has a parent among them."""
        node, seen = min(left), dict[int, None]()
        while node not in seen:
            seen[node] = None
            node = next(above for above in self.above[node] if above in left)
        path = list(seen)
        ring = [self._concepts[one].label or self._concepts[one].id for one in path[path.index(node) :]]
        return TaxonomyError(f"the taxonomy has a cycle: {listed(ring, most=5)}", code="taxonomy-cycle", nodes=ring)


# -- names and labels


def _names(concepts: Sequence[Concept]) -> tuple[list[str], int]:
    """Return a different name for every concept, and how many have their ID in brackets because another has the same label."""
    plain = [concept.label or _short(concept.id) for concept in concepts]
    often, short = Counter(plain), Counter(_short(concept.id) for concept in concepts)
    taken = {name for name, n in often.items() if n == 1}
    names, renamed = [], 0
    for concept, label in zip(concepts, plain, strict=True):
        name = label
        if often[label] > 1:
            mark = _short(concept.id) if short[_short(concept.id)] == 1 else concept.id
            name, renamed = f"{label} ({mark})", renamed + 1
            while name in taken:
                name = f"{name} ({concept.id})"
            taken.add(name)
        names.append(name)
    return names, renamed


def _short(identity: str) -> str:
    """Return the last part of an address, or the ID itself."""
    return (identity.rstrip("/#").replace("#", "/").rpartition("/")[2] or identity) if "://" in identity else identity


def _lexicon(concepts: Sequence[Concept], graph: _Graph, node: Sequence[int], names: Vocabulary) -> tuple[ConceptLexicon, int]:
    """Return the lexicon of all labels, and how many labels in lower case belong to several concepts."""
    rows = [(label, kind, i) for i, concept in enumerate(concepts) for label, kind in concept.labels]
    folded = in_one_case(pl.Series([label for label, _, _ in rows], dtype=pl.String)).to_list()
    as_written = _meanings((label, kind, i) for label, kind, i in rows)
    in_lower = _meanings((label, kind, i) for label, (_, kind, i) in zip(folded, rows, strict=True))
    place = [*node, 0]  # the last one is that of ABOVE_ALL
    lowest = {label: place[graph.lowest_above(several)] for label, several in as_written.items()}
    lowest_folded = {label: place[graph.lowest_above(several)] for label, several in in_lower.items()}
    above: list[list[int]] = [[] for _ in names.names]
    for i, one in enumerate(node):
        above[one] = [node[parent] for parent in graph.above[i]] or ([0] if graph.several_tops else [])
    senses = [sorted({node[i] for i in several}) for several in in_lower.values()]
    lexicon = ConceptLexicon(
        Vocabulary(list(lowest)),
        np.array(list(lowest.values()), np.int32),
        Vocabulary(list(lowest_folded)),
        np.array(list(lowest_folded.values()), np.int32),
        SenseGraph(names, above, senses),
    )
    return lexicon, sum(len(several) > 1 for several in senses)


def _meanings(labels: Iterable[tuple[str, int, int]]) -> Mapping[str, list[int]]:
    """Return the concepts of each label, those whose label it is in the best kind, in the order of labels."""
    best: dict[str, tuple[int, list[int]]] = {}
    for label, kind, concept in labels:
        before = best.get(label)
        if before is None or kind < before[0]:
            best[label] = (kind, [concept])
        elif kind == before[0] and concept not in before[1]:
            before[1].append(concept)
    return {label: concepts for label, (_, concepts) in best.items()}
