"""Where published values come from: a mechanism that chooses among what people did publishes nothing that is not in the original."""

from __future__ import annotations

from shoal.counting import counted

WORDS = r"[\p{L}\p{M}\p{N}]+"
OF_WORDS = frozenset({"term", "first", "second"})  # columns that hold words of texts, and not whole texts


def words_wanted(column: str, kind: str) -> str | None:
    """What the values of a column are of the texts of a log: matches of a pattern; None where they are whole payloads."""
    return WORDS if kind == "text" and column in OF_WORDS else None


def invented(strange: int, column: str) -> str:
    """What is said of published values that stand nowhere in the original."""
    return f"{counted(strange, 'published value')} of {column!r} stand nowhere in the original"
