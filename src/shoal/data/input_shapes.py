"""Shapes of input: what a method may say that it takes. Apart from the rest, so that listing methods loads nothing large."""

from __future__ import annotations

from typing import Literal

Shape = Literal["sets", "bags", "log", "access log", "table", "documents"]


def one(shape: str) -> str:
    """One of this shape in words: a log, an access log."""
    return f"{'an' if shape.startswith('a') else 'a'} {shape.removesuffix('s')}"
