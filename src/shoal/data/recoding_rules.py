"""A recoding of items in terms of what it publishes, so that it can be told and applied to other records.

Rules name what is kept only: `items` that are published as they are, and `nodes` that are published in place of everything below them.
Every other item is suppressed. So rules hold no name that the release does not: a list of what was suppressed would name rare items.
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

SUPPRESSED = -1


@dataclass(frozen=True)
class Rules:
    """Names of items and of nodes, each in the order of the alphabet. An item below two nodes is published as the nearer one."""

    items: tuple[str, ...]
    nodes: tuple[str, ...]

    @classmethod
    def of(cls, records: Bags, code: Small, tree: Taxonomy) -> Rules | None:
        """The rules of a recoding of these records; `code` has what each node of the tree is published as, below 0 if nothing.

        None if there are no such rules: below a published node some items were suppressed, and they could not be told apart unnamed.
        """
        occurring = np.unique(records.items)
        to = code[occurring]
        as_they_are, into = occurring[to == occurring], np.unique(to[(to >= 0) & (to != occurring)])
        found = cls(_named(tree.names, as_they_are), _named(tree.names, into))
        return found if np.array_equal(found.code(tree)[occurring], to) else None

    def code(self, tree: Taxonomy) -> Small:
        """What each node of a tree is published as; SUPPRESSED where it is not."""
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
        """All that the rules publish."""
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
    """The SHA-256 of all nodes of a taxonomy with their parents.

    It is written for a public tree of topics only, of which all words are those of many people. Rules of earlier versions have that of any
    taxonomy; it is not written any more, because whoever has it can try words until the digest fits.
    """
    names = taxonomy.names.names.to_list()
    pairs = sorted((name, names[up] if up >= 0 else "") for name, up in zip(names, taxonomy.parent.tolist(), strict=True))
    return hashlib.sha256(json.dumps(pairs, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")).hexdigest()


def _named(names: Vocabulary, nodes: npt.NDArray[np.integer]) -> tuple[str, ...]:
    return tuple(sorted(names[int(node)] for node in nodes))


def _present(names: Vocabulary, wanted: tuple[str, ...]) -> Small:
    """The numbers of those of the wanted names that are there."""
    codes = names.codes(list(wanted))
    return codes[codes >= 0]
