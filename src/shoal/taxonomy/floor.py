"""The floor: how general a published item may be. Nodes above it are not published; what would be published as one is suppressed.

A floor changes the node loss only: every node above it costs as much as suppression. Methods that look for the least loss thereby look
for it under the floor, and what they still publish above it is taken out of the records when the release is built.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError

LEVEL, NODE = "level:", "node:"
BELOW_ROOT = 2  # the level of the root's children
CLOSE = 3  # names that a message offers instead of an unknown one

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Floor:
    """Nothing above this level (the root's is 1), or above these nodes, is published.

    With level 1 every node may be published. All other floors also exclude the root, nodes above all leaves, which say no more than the
    root, and the node of unlisted terms. A leaf of the taxonomy is never above the floor: nothing is more specific.
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
        """From what a caller may give: a floor, a level, the name of a node or several names."""
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
    def from_told(cls, told: int | list[str]) -> Self:
        """From what a manifest says."""
        return cls(level=told) if isinstance(told, int) else cls(nodes=tuple(told))

    @property
    def told(self) -> int | list[str]:
        """For the manifest: the level, or the names of the nodes."""
        return list(self.nodes) or self.level

    @property
    def lets_all_pass(self) -> bool:
        """Whether every node may be published."""
        return self.level == 1 and not self.nodes

    def bars(self, taxonomy: Taxonomy) -> Mask:
        """Which nodes of a whole taxonomy, as it was read, lie above the floor."""
        barred = np.zeros(len(taxonomy), bool)
        if self.doubtful and taxonomy.names.codes([str(self.level)])[0] >= 0:
            raise ParameterError(
                f"{self.level} is a level, but a node of this taxonomy has this name too",
                code="ambiguous-floor",
                hint=f"write {LEVEL}{self.level} or {NODE}{self.level}",
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
        """The nodes of these names; an unknown name is refused, with those that are spelled much like it."""
        codes = taxonomy.names.codes(list(self.nodes)).tolist()
        for name, code in zip(self.nodes, codes, strict=True):
            if code < 0:
                raise ParameterError(
                    f"no node of the taxonomy is called {name!r}", code="unknown-node", hint=_alike(name, taxonomy), value=name
                )
        return codes  # type: ignore[no-any-return]


def _alike(name: str, taxonomy: Taxonomy) -> str:
    """What else may be meant by a name that no node has."""
    names = taxonomy.names.names
    folded = names.filter(names.str.to_lowercase() == name.lower()).to_list()
    near = folded or difflib.get_close_matches(name, names.to_list(), n=CLOSE)
    return f"did you mean {' or '.join(map(repr, near[:CLOSE]))}?" if near else "shoal taxonomy show lists nodes"
