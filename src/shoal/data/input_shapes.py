"""Shapes of input that a method may declare. In a separate module, so that listing methods loads nothing large."""

from __future__ import annotations

from typing import Literal

Shape = Literal["sets", "bags", "log", "access log", "table", "table with items", "documents"]


def one(shape: str) -> str:
    """Return a noun phrase for one input of this shape: a log, an access log."""
    return f"{'an' if shape.startswith('a') else 'a'} {shape if ' with ' in shape else shape.removesuffix('s')}"


ITEM_SETS = "item_sets"  # what a manifest calls columns of item sets
