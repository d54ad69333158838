"""The unit of counting in a log (whole queries, words or combinations of columns), and how other columns are published."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import polars as pl

from shoal.data.bags import Vocabulary, number_pieces
from shoal.data.log import PlainTerms
from shoal.data.tables.rows import PAYLOAD
from shoal.errors import ParameterError
from shoal.parameters import Typed, Written
from shoal.util.wording import there_are

TERM, QUERY, TIME, USER = "term", PAYLOAD["text"], "time", "user"
EXACT, PREFIX, RANGES = "exact", "prefix", "ranges"
WAYS = (EXACT, PREFIX, RANGES)
WORD = r"\S+"  # a word of a query: the text between blanks, exactly as typed
_NAME = re.compile(r"[^,=+]+")


@dataclass(frozen=True)
class Unit(Typed):
    """The unit that at least k people must share: `query`, `term` (each word of a query), or columns such as `query+url`.

    `query` refers to the content of a row of a log, also if that is an item.
    """

    forms: ClassVar[str] = "query | term | COLUMN+COLUMN"

    text: str = QUERY

    def __post_init__(self) -> None:
        names = self.text.split("+")
        wrong = not all(_NAME.fullmatch(name) and name == name.strip() for name in names) or len(set(names)) < len(names)
        if wrong or USER in names or (TERM in names and len(names) > 1):
            raise ParameterError("give query, term, or different columns such as query+url", code="unreadable-value", value=self.text)

    @property
    def splits(self) -> bool:
        """Whether each word of a query counts separately."""
        return self.text == TERM

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the unit; `query` refers to the payload."""
        names = {TERM: QUERY, PAYLOAD["item"]: QUERY}
        return tuple(names.get(name, name) for name in self.text.split("+"))


@dataclass(frozen=True)
class PublishedColumns(Written):
    """Columns published next to the unit, each in one way: unchanged (`exact`), as a `prefix` of a path, or as `ranges` of integers.

    Written `url=prefix, rank=ranges, country`. A value is published as the least general prefix or range that enough people share, or
    itself; otherwise the cell is empty.
    """

    forms: ClassVar[str] = "COLUMN=prefix|ranges, ..."

    ways: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        names = [name for name, _ in self.ways]
        for name, way in self.ways:
            if way not in WAYS:
                raise ParameterError(
                    f"no way to publish a column is called {way!r}", code="unknown-choice", hint=there_are(way, WAYS), value=way
                )
            if not _NAME.fullmatch(name) or name in (TERM, TIME, USER):
                raise ParameterError(
                    f"{name!r} is not a column that can be published next to others",
                    code="unknown-column",
                    hint="times have an option of their own",
                )
        if len(set(names)) < len(names):
            raise ParameterError("a column is named twice", code="duplicate-column")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `url=prefix, rank=ranges, country`; `none` means no columns."""
        pieces = [piece.strip() for piece in text.split(",")] if text.strip() not in ("", "none") else []
        parts = [piece.partition("=") for piece in pieces]
        return cls(tuple((name.strip(), way.strip() or EXACT) for name, _, way in parts))

    @classmethod
    def made_of(cls, value: Any) -> Self:
        """Make it from a dictionary of columns and ways, or a list of columns."""
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
        """Return the manifest entry."""
        return str(self)

    def __str__(self) -> str:
        return ", ".join(name if way == EXACT else f"{name}={way}" for name, way in self.ways) or "none"


# The words of distinct texts: separated by blanks, as typed.


_ODD_BLANKS = r"^\s|\s$|\s\s|[^\S ]"


def words_of(texts: pl.Series) -> PlainTerms:
    """Return the words of each text in order, as numbers. Words are separated by one blank, with none at the ends."""
    indptr, items, words = number_pieces(texts, " ")
    return PlainTerms(indptr, items, Vocabulary.of_different(words))


def n_words(texts: pl.Series) -> int:
    """Return the total number of words in all texts."""
    return int(texts.str.count_matches(r"\S+").sum())


def with_single_blanks(texts: pl.Series) -> pl.Series:
    """Return the texts with one blank between words and none at the ends."""
    odd = texts.str.contains(_ODD_BLANKS)
    if not odd.any():
        return texts
    plain = texts.filter(odd).str.replace_all(r"\s+", " ").str.strip_chars()
    return texts.clone().scatter(odd.arg_true(), plain)  # in place: the texts that were given stay as they are
