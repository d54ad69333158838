"""Recoding rules of items in terms of what is published, so that they can be written and applied to other records.

Rules name only what is kept: `items` that are published unchanged, and `nodes` that replace everything below them. Every other item is
suppressed. So rules contain no name that the release does not: a list of suppressed items would name rare ones.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Small, Vocabulary
from shoal.data.taxonomy import Taxonomy
from shoal.util.numbers import distinct

SUPPRESSED = -1


@dataclass(frozen=True)
class Rules:
    """Names of items and of nodes, each in alphabetical order. An item below two nodes is published as the nearer one."""

    items: tuple[str, ...]
    nodes: tuple[str, ...]

    @classmethod
    def of(cls, records: Bags, code: Small, tree: Taxonomy) -> Rules | None:
        """Return the rules of a recoding of these records; `code` has the published node of each node, negative if suppressed.

        None if there are no such rules: if only some items below a published node were suppressed, the rules would have to name them.
        """
        occurring = distinct(records.items)
        to = code[occurring]
        as_they_are, into = occurring[to == occurring], distinct(to[(to >= 0) & (to != occurring)])
        found = cls(_named(tree.names, as_they_are), _named(tree.names, into))
        return found if np.array_equal(found.code(tree)[occurring], to) else None

    def code(self, tree: Taxonomy) -> Small:
        """Return the published node of each node of a tree, or SUPPRESSED."""
        standing = np.zeros(len(tree), bool)
        standing[_present(tree.names, self.nodes)] = True
        code = np.full(len(tree), SUPPRESSED, np.int32)
        for node in range(len(tree)):  # parents come before their children
            code[node] = node if standing[node] else code[tree.parent[node]] if node else SUPPRESSED
        kept = _present(tree.names, self.items)
        code[kept] = kept
        return code

    @property
    def names(self) -> frozenset[str]:
        """All published names."""
        return frozenset(self.items) | frozenset(self.nodes)


def published_parents(names: Iterable[str], tree: Taxonomy) -> dict[str, str]:
    """Map each of these published names to the nearest published name above it in the tree; names without one are left out.

    This is all that a file of rules says about its taxonomy. It contains published names only, so no name that was suppressed can be
    guessed and tried with it, as a digest of the taxonomy would allow.
    """
    nodes = tree.names.codes(listed := sorted(set(names)))
    published = {int(node) for node in nodes if node >= 0}
    found = {}
    for name, node in zip(listed, nodes.tolist(), strict=True):
        above = int(tree.parent[node]) if node >= 0 else -1
        while above >= 0 and above not in published:
            above = int(tree.parent[above])
        if above >= 0:
            found[name] = tree.names[above]
    return found


def digest_of_taxonomy(taxonomy: Taxonomy) -> str:
    """Return the SHA-256 of all nodes of a taxonomy with their parents.

    It is written only for a public tree of topics, whose words are all held by many people. Rules of earlier versions have that of any
    taxonomy. It is no longer written: an attacker could test guessed words against it.
    """
    names = taxonomy.names.names.to_list()
    pairs = sorted((name, names[up] if up >= 0 else "") for name, up in zip(names, taxonomy.parent.tolist(), strict=True))
    return hashlib.sha256(json.dumps(pairs, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")).hexdigest()


def _named(names: Vocabulary, nodes: npt.NDArray[np.integer]) -> tuple[str, ...]:
    return tuple(sorted(names[int(node)] for node in nodes))


def _present(names: Vocabulary, wanted: tuple[str, ...]) -> Small:
    """Return the numbers of the wanted names that exist."""
    codes = names.codes(list(wanted))
    return codes[codes >= 0]
