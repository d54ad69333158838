"""A tree of values as a parameter, written in one line: `flu:lung,cold:lung,lung:any` names the parent of each value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

from shoal.errors import ParameterError
from shoal.parameters import Written

_PAIR = re.compile(r"((?:[^,:\\]|\\.)+):((?:[^,:\\]|\\.)+)(,|$)", re.DOTALL)


@dataclass(frozen=True)
class ValueTree(Written):
    """The parent of every value but the root. A comma, colon or backslash in a value is escaped by a backslash."""

    forms: ClassVar[str] = "CHILD:PARENT,..."

    parents: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        if len({child for child, _ in self.parents}) < len(self.parents):
            raise ParameterError("a value of the tree has two parents", code="invalid-taxonomy")
        above = dict(self.parents)
        roots = {parent for parent in above.values() if parent not in above}
        if len(roots) != 1 or any(len(list(self._upwards(child, above))) > len(above) + 1 for child in above):
            raise ParameterError(
                "the tree must have one root, and no circle", code="invalid-taxonomy", hint="name one parent for each value"
            )

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse what `str` writes."""
        pairs, at = [], 0
        while True:
            found = _PAIR.match(text, at)
            if found is None:
                raise ParameterError(
                    f"cannot read {text!r} as a tree of values", code="unreadable-value", hint=f"write {cls.forms}", value=text
                )
            pairs.append((re.sub(r"\\(.)", r"\1", found[1]), re.sub(r"\\(.)", r"\1", found[2])))
            at = found.end()
            if not found[3]:
                return cls(tuple(pairs))

    @classmethod
    def made_of(cls, value: Any) -> Self:
        """Make a tree from a dictionary of each value's parent."""
        if isinstance(value, dict) and value and all(isinstance(name, str) for pair in value.items() for name in pair):
            return cls(tuple(value.items()))
        return super().made_of(value)

    def path(self, value: str) -> list[str]:
        """Return the value and its ancestors, up to the root."""
        return list(self._upwards(value, self._above))

    @cached_property
    def heights(self) -> dict[str, int]:
        """The number of levels below each value; 0 for leaves."""
        found = dict.fromkeys({name for pair in self.parents for name in pair}, 0)
        for value in found:
            for height, name in enumerate(self.path(value)):
                found[name] = max(found[name], height)
        return found

    @property
    def values(self) -> frozenset[str]:
        """All values of the tree, with its inner nodes."""
        return frozenset(self.heights)

    @cached_property
    def _above(self) -> dict[str, str]:
        return dict(self.parents)

    @staticmethod
    def _upwards(value: str, above: dict[str, str]) -> Iterator[str]:
        """Yield a value and its ancestors; of a circle one step more than there are values."""
        yield value
        for _ in range(len(above) + 1):
            if value not in above:
                return
            value = above[value]
            yield value

    def __str__(self) -> str:
        return ",".join(":".join(re.sub(r"([,:\\])", r"\\\1", name) for name in pair) for pair in self.parents)
