"""Taxonomy: a rooted tree of named nodes, numbered in preorder, so that a subtree is an interval of numbers.

Items may be any nodes. A lexicon maps terms to nodes: by default a term is the node of that name; WordNet's lexicon also knows plurals and
synonyms.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal import _kernels
from shoal.data.bags import Ints, Small, Vocabulary
from shoal.data.node_loss import DEFAULT_LOSS, insist_on_loss, integer_losses, node_loss
from shoal.errors import ParameterError, TaxonomyError
from shoal.util.wording import counted, listed


class Lexicon(Protocol):
    """Maps terms to nodes."""

    def nodes(self, terms: pl.Series) -> Small:
        """Return the node of each term, -1 if it has none."""


@dataclass(frozen=True, eq=False)
class Worth:
    """The losses of a tree that was cut out of a larger one, as in the larger one."""

    loss: npt.NDArray[np.float64]
    unit_losses: Ints
    units: int
    charges: Ints
    leaves: Ints


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """A tree in preorder. `parent[0]` is -1; `loss_name` selects the node loss that methods and metrics use.

    `unlisted` is the parent of the terms that the taxonomy lacks, if there are any. It is identified by its number, because a user's node
    may have any name. `barred` are the nodes that must not be published (see `floor`); with a node its ancestors are barred. `worth` is set
    for a tree that was cut out of a larger one: losses and numbers of leaves are then those of the larger one. `unseen` counts leaves below
    `unlisted` that have no node here, because nobody needs their names. `people` is the number of people of the data who have something
    below each node, if the node loss needs it.
    """

    names: Vocabulary
    parent: Small
    lexicon: Lexicon | None = None
    loss_name: str = DEFAULT_LOSS
    unlisted: int | None = None
    barred: npt.NDArray[np.bool_] | None = None
    worth: Worth | None = None
    unseen: int = 0
    people: Ints | None = None

    def __post_init__(self) -> None:
        self.parent.flags.writeable = False
        if len(self.names) != len(self.parent):
            raise TaxonomyError(f"{len(self.parent)} nodes but {len(self.names)} names", code="invalid-taxonomy")
        if self.barred is not None and (self.barred & ~self.barred[self.parent] & (self.parent >= 0)).any():
            raise TaxonomyError("a node is barred, but its parent is not", code="invalid-taxonomy")
        insist_on_loss(self.loss_name)

    def __len__(self) -> int:
        return len(self.parent)

    @classmethod
    def from_parents(cls, parents: dict[str, str | None], loss_name: str = DEFAULT_LOSS) -> Taxonomy:
        """Make a taxonomy from each node's parent (None for the root), in any order; children keep their order."""
        children: dict[str | None, list[str]] = {}
        for node, above in parents.items():
            children.setdefault(above, []).append(node)
        absent = [above for above in children if above is not None and above not in parents]
        if absent:
            raise TaxonomyError(
                f"parents that are not nodes themselves: {listed(absent, most=5)}", code="taxonomy-parent-missing", nodes=absent
            )
        roots = children.get(None, [])
        if len(roots) > 1 or not parents:
            raise TaxonomyError(
                f"a taxonomy has one root, not {len(roots)}: {listed(roots, most=5)}", code="taxonomy-several-roots", nodes=roots
            )
        order: list[str] = []
        number: dict[str, int] = {}
        pending = roots.copy()
        while pending:
            node = pending.pop()
            number[node] = len(order)
            order.append(node)
            pending.extend(reversed(children.get(node, [])))
        if len(order) != len(parents):
            ring = _ring(parents, next(n for n in parents if n not in number))
            raise TaxonomyError(f"the taxonomy has a cycle: {listed(ring, most=5)}", code="taxonomy-cycle", nodes=ring)
        above_of = [-1] + [number[parents[n]] for n in order[1:]]  # type: ignore[index]
        return cls(Vocabulary(order), np.array(above_of, np.int32), loss_name=loss_name)

    # -- shape

    @cached_property
    def depth(self) -> Small:
        """The depth of each node in edges. Steps upwards double in length, so that a deep tree takes few."""
        depth = (self.parent >= 0).astype(np.int32)
        above = np.maximum(self.parent, 0)
        while above.any():
            depth += depth[above]
            above = above[above]
        return depth

    @cached_property
    def end(self) -> Small:
        """The end of each subtree (its last node plus one), computed level by level from the deepest."""
        last = np.arange(1, len(self) + 1, dtype=np.int32)
        deepest_first = np.argsort(-self.depth, kind="stable")
        levels = np.split(deepest_first, np.flatnonzero(np.diff(self.depth[deepest_first])) + 1)
        for nodes in levels[:-1]:
            np.maximum.at(last, self.parent[nodes], last[nodes])
        return last

    @cached_property
    def leaves(self) -> Ints:
        """The number of leaves in each subtree; a leaf counts itself."""
        if self.worth is not None:
            return self.worth.leaves
        found = self.sum_up((self.end == np.arange(len(self)) + 1).astype(np.int64))
        if self.unlisted is not None:
            found[[0, self.unlisted]] += self.unseen
        return found

    @property
    def view(self) -> _kernels.Tree:
        """The tree as kernels take it."""
        return _kernels.Tree(self.parent, self.end, self.depth)

    @property
    def n_leaves(self) -> int:
        """The number of leaves of the whole tree."""
        return int(self.leaves[0])

    @property
    def height(self) -> int:
        """The number of edges from the root to the deepest node."""
        return int(self.depth.max())

    def sum_up(self, values: Ints) -> Ints:
        """Return the sum of these node values over each subtree."""
        before = np.concatenate([[0], np.cumsum(values)])
        return np.asarray(before[self.end] - before[:-1])

    def path(self, node: int) -> list[str]:
        """Return the names from the node up to the root."""
        found = []
        while node >= 0:
            found.append(self.names[node])
            node = int(self.parent[node])
        return found

    def children(self, node: int) -> Ints:
        """Return the children of a node, in preorder."""
        return np.flatnonzero(self.parent == node)

    # -- loss

    @cached_property
    def loss(self) -> npt.NDArray[np.float64]:
        """The loss of publishing an item as each node. A node that must not be published costs as much as suppression."""
        plain = node_loss(self, self.loss_name) if self.worth is None else self.worth.loss
        return plain if self.barred is None else np.where(self.barred, 1.0, plain)

    @cached_property
    def units(self) -> int:
        """The number of integer units per loss of one (see `weights`)."""
        return integer_losses(self, self.loss_name)[1] if self.worth is None else self.worth.units

    @cached_property
    def unit_losses(self) -> Ints:
        """The loss of publishing an item as each node, in integer units."""
        plain = integer_losses(self, self.loss_name)[0] if self.worth is None else self.worth.unit_losses
        return plain if self.barred is None else np.where(self.barred, self.units, plain)

    @cached_property
    def weights(self) -> Ints:
        """The gain of knowing a node rather than its parent, in integer units; 0 for the root."""
        worth = self.unit_losses[self.parent] - self.unit_losses
        worth[0] = 0
        return worth

    @cached_property
    def ncp(self) -> npt.NDArray[np.float64]:
        """The NCP of each node: its share of all leaves, 0 for a leaf."""
        return np.where(self.leaves == 1, 0.0, self.leaves / self.n_leaves)

    def with_loss(self, loss_name: str) -> Taxonomy:
        """Return the tree with another node loss."""
        return replace(self, parent=self.parent.copy(), loss_name=loss_name, worth=None)

    def barring(self, nodes: npt.NDArray[np.bool_]) -> Taxonomy:
        """Return the tree with these nodes, which include all above them, barred from publication."""
        return replace(self, parent=self.parent.copy(), barred=nodes) if nodes.any() else self

    @property
    def publishable(self) -> npt.NDArray[np.uint8]:
        """1 for each node that may be published, 0 if it is barred, as kernels take it."""
        return np.ones(len(self), np.uint8) if self.barred is None else (~self.barred).astype(np.uint8)

    @cached_property
    def charges(self) -> Ints:
        """The integer cost of each node in Partition, at least 1: the leaves below it under LM, as in NCP, else the node loss.

        A node that must not be published costs as much as the root.
        """
        plain = self.leaves if self.loss_name == "lm" else np.maximum(1, self.unit_losses)
        plain = plain if self.worth is None else self.worth.charges
        return plain if self.barred is None else np.where(self.barred, plain.max(), plain)

    def only(self, used: Ints) -> tuple[Taxonomy, Ints]:
        """Return the tree of these nodes and their ancestors with the losses of this one, and the increasing numbers of its nodes in this
        one.
        """
        held = np.zeros(len(self), np.int64)
        held[used] = 1
        held[0] = 1
        kept = np.flatnonzero(self.sum_up(held))
        number = np.full(len(self), -1, np.int32)
        number[kept] = np.arange(len(kept), dtype=np.int32)
        parent = np.where(self.parent[kept] >= 0, number[self.parent[kept]], -1).astype(np.int32)
        unlisted = None if self.unlisted is None or number[self.unlisted] < 0 else int(number[self.unlisted])
        worth = Worth(self.loss[kept], self.unit_losses[kept], self.units, self.charges[kept], self.leaves[kept])
        barred = None if self.barred is None else self.barred[kept]
        names = Vocabulary(self.names.names.gather(kept))
        return Taxonomy(names, parent, loss_name=self.loss_name, unlisted=unlisted, barred=barred, worth=worth), kept

    # -- terms

    def nodes(self, terms: pl.Series | Sequence[str]) -> Small:
        """Return the node of each term, -1 if the taxonomy has none."""
        series = terms if isinstance(terms, pl.Series) else pl.Series(list(terms), dtype=pl.String)
        return self.names.codes(series) if self.lexicon is None else self.lexicon.nodes(series)

    def __repr__(self) -> str:
        return f"Taxonomy({len(self):,} nodes, {self.n_leaves:,} leaves, height {self.height}, loss {self.loss_name})"


def _ring(parents: dict[str, str | None], node: str) -> list[str]:
    """Return the cycle above a node that is not connected to a root."""
    seen: dict[str, None] = {}
    while node not in seen:
        seen[node] = None
        node = parents[node]  # type: ignore[assignment]
    path = list(seen)
    return path[path.index(node) :]


# -- the floor: how general a published item may be
#
# Nodes above the floor are not published; what would be published as one of them is suppressed. A floor changes the node loss only: every
# node above it costs as much as suppression. Methods that minimize the loss thereby respect the floor, and what they still publish above
# it is removed from the records when the release is built.


LEVEL, NODE = "level:", "node:"
BELOW_ROOT = 2  # the level of the root's children
CLOSE = 3  # names that a message offers instead of an unknown one

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Floor:
    """The most general items that are published: nothing above this level (the root has level 1), or above these nodes.

    With level 1 every node may be published. All other floors also exclude the root, nodes above all leaves, which carry no more
    information than the root, and the node of unlisted terms. A leaf of the taxonomy is never above the floor.
    """

    level: int = BELOW_ROOT
    nodes: tuple[str, ...] = ()
    doubtful: bool = field(default=False, compare=False)  # a number that was typed, and may be the name of a node

    def __post_init__(self) -> None:
        if self.level < 1:
            raise ParameterError(
                f"the level of a floor must be at least 1, not {self.level}",
                code="out-of-range",
                hint="the root's level is 1",
                value=self.level,
            )

    @classmethod
    def of(cls, value: Any) -> Self:
        """Make a floor from a floor, a level, the name of a node or several names."""
        if isinstance(value, cls):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return cls(level=value)
        texts = [value] if isinstance(value, str) else list(value) if isinstance(value, Iterable) else []
        if not texts or not all(isinstance(text, str) for text in texts):
            raise ParameterError("a floor is a level, such as 3, or names of nodes", code="wrong-type", value=type(value).__name__)
        return cls._parsed(texts)

    @classmethod
    def _parsed(cls, texts: list[str]) -> Self:
        levels = [text for text in texts if re.fullmatch(r"[0-9]+", text.removeprefix(LEVEL))]
        if levels and len(texts) > 1:
            raise ParameterError(
                "a floor is one level or some nodes, not both",
                code="unreadable-value",
                hint=f"a node that is called {levels[0]} is {NODE}{levels[0]}",
            )
        if levels:
            number = levels[0].removeprefix(LEVEL)
            return cls(level=int(number) if len(number) < 10 else 10**9, doubtful=levels[0] == number)
        if any("\ud800" <= character <= "\udfff" for text in texts for character in text):
            raise ParameterError("a name of the floor contains half of a surrogate pair, which is not a character", code="not-utf8")
        return cls(nodes=tuple(dict.fromkeys(text.removeprefix(NODE) for text in texts)))

    @classmethod
    def from_recorded(cls, value: int | list[str]) -> Self:
        """Parse a manifest entry."""
        return cls(level=value) if isinstance(value, int) else cls(nodes=tuple(value))

    @property
    def recorded(self) -> int | list[str]:
        """Return the manifest entry: the level, or the names of the nodes."""
        return list(self.nodes) or self.level

    @property
    def lets_all_pass(self) -> bool:
        """Whether every node may be published."""
        return self.level == 1 and not self.nodes

    def bars(self, taxonomy: Taxonomy) -> Mask:
        """Return a mask of the nodes of a whole taxonomy that lie above the floor."""
        barred = np.zeros(len(taxonomy), bool)
        if self.doubtful and taxonomy.names.codes([str(self.level)])[0] >= 0:
            raise ParameterError(
                f"{self.level} is a level, but a node of this taxonomy has this name too",
                code="ambiguous-floor",
                hint=f"write {LEVEL}{self.level} or {NODE}{self.level}",
            )
        levels = taxonomy.height + 1
        if self.level > max(levels, BELOW_ROOT):
            raise ParameterError(
                f"the floor is level {self.level:,}, but the taxonomy has {counted(levels, 'level')}",
                code="out-of-range",
                hint=f"choose a level from 1, the root, to {levels:,}",
                value=self.level,
                limit=levels,
            )
        if self.lets_all_pass:
            return barred
        inner = taxonomy.end > np.arange(len(taxonomy)) + 1
        barred |= inner & ((taxonomy.depth < self.level - 1) | (taxonomy.leaves == taxonomy.leaves[0]))
        for node in self._found(taxonomy):
            while (node := int(taxonomy.parent[node])) >= 0:
                barred[node] = True
        return np.asarray(barred)

    def _found(self, taxonomy: Taxonomy) -> list[int]:
        """Return the nodes of these names. Raise for an unknown name, suggesting similar ones."""
        codes = taxonomy.names.codes(list(self.nodes)).tolist()
        for name, code in zip(self.nodes, codes, strict=True):
            if code < 0:
                raise ParameterError(
                    f"no node of the taxonomy is called {name!r}", code="unknown-node", hint=_alike(name, taxonomy), value=name
                )
        return codes  # type: ignore[no-any-return]


def _alike(name: str, taxonomy: Taxonomy) -> str:
    """Return similar names for a name that no node has."""
    names = taxonomy.names.names
    folded = names.filter(names.str.to_lowercase() == name.lower()).to_list()
    near = folded or difflib.get_close_matches(name, names.to_list(), n=CLOSE)
    return f"did you mean {' or '.join(map(repr, near[:CLOSE]))}?" if near else "shoal taxonomy show lists nodes"
