"""What is counted in the rows of a log, whole queries, words or combinations of columns, and how columns beside that are published."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from shoal.data.tables.rows import PAYLOAD
from shoal.errors import ParameterError
from shoal.names import there_are
from shoal.parameters import Typed, Written

TERM, QUERY, TIME, USER = "term", PAYLOAD["text"], "time", "user"
EXACT, PREFIX, RANGES = "exact", "prefix", "ranges"
WAYS = (EXACT, PREFIX, RANGES)
WORD = r"\S+"  # a word of a query: what stands between blanks, letter by letter as it was typed
_NAME = re.compile(r"[^,=+]+")


@dataclass(frozen=True)
class Unit(Typed):
    """What at least k people must have in common: `query`, `term` (each word of a query), or columns such as `query+url`.

    `query` stands for what a row of a log holds, also where that is an item.
    """

    forms: ClassVar[str] = "query | term | COLUMN+COLUMN"

    text: str = QUERY

    def __post_init__(self) -> None:
        names = self.text.split("+")
        wrong = not all(_NAME.fullmatch(name) and name == name.strip() for name in names) or len(set(names)) < len(names)
        if wrong or USER in names or (TERM in names and len(names) > 1):
            raise ParameterError("give query, term, or different columns such as query+url", value=self.text)

    @property
    def splits(self) -> bool:
        """Whether the words of a query count each for themselves."""
        return self.text == TERM

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it consists of; `query` stands for the payload."""
        names = {TERM: QUERY, PAYLOAD["item"]: QUERY}
        return tuple(names.get(name, name) for name in self.text.split("+"))


@dataclass(frozen=True)
class Beside(Written):
    """Columns published beside the unit, each with a way: as they are (`exact`), as a `prefix` of a path, or as `ranges` of whole numbers.

    Written `url=prefix, rank=ranges, country`. A value stands for itself, or for the least general prefix or range, that enough people
    have; otherwise the cell is left empty.
    """

    forms: ClassVar[str] = "COLUMN=prefix|ranges, ..."

    ways: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        names = [name for name, _ in self.ways]
        for name, way in self.ways:
            if way not in WAYS:
                raise ParameterError(f"no way to publish a column is called {way!r}", hint=there_are(way, WAYS), value=way)
            if not _NAME.fullmatch(name) or name in (TERM, TIME, USER):
                raise ParameterError(f"{name!r} is no column that is published beside others", hint="times have an option of their own")
        if len(set(names)) < len(names):
            raise ParameterError("a column is named twice")

    @classmethod
    def parse(cls, text: str) -> Self:
        """From `url=prefix, rank=ranges, country`; `none` are no columns."""
        pieces = [piece.strip() for piece in text.split(",")] if text.strip() not in ("", "none") else []
        parts = [piece.partition("=") for piece in pieces]
        return cls(tuple((name.strip(), way.strip() or EXACT) for name, _, way in parts))

    @classmethod
    def made_of(cls, value: Any) -> Self:
        """From a dictionary of columns and ways, or a list of columns."""
        if isinstance(value, Mapping) and all(isinstance(text, str) for pair in value.items() for text in pair):
            return cls(tuple(value.items()))
        texts: list[Any] = list(value) if isinstance(value, Iterable) else [None]
        if all(isinstance(text, str) for text in texts):
            return cls.parse(", ".join(texts))
        return super().made_of(value)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(name for name, _ in self.ways)

    @property
    def described(self) -> str:
        """For the manifest."""
        return str(self)

    def __str__(self) -> str:
        return ", ".join(name if way == EXACT else f"{name}={way}" for name, way in self.ways) or "none"
