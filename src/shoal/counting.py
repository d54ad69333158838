"""Numbers of things in words, in the singular for one and in the plural for any other number."""

from __future__ import annotations


def counted(n: int, one: str, several: str = "") -> str:
    """A number of things; `several` is their plural where an s is not enough. A verb can go along: `record is`, `records are`."""
    return f"{n:,} {one if n == 1 else several or one + 's'}"
