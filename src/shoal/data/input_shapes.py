"""Shapes of input that a method may declare. In a separate module, so that listing methods loads nothing large."""

from __future__ import annotations

from typing import Literal

Shape = Literal["sets", "bags", "log", "access log", "table", "documents"]


def one(shape: str) -> str:
    """Return a noun phrase for one input of this shape: a log, an access log."""
    return f"{'an' if shape.startswith('a') else 'a'} {shape.removesuffix('s')}"
