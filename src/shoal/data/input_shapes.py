"""Shapes of input that a method may declare. In a separate module, so that listing methods loads nothing large."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

Shape = Literal["sets", "bags", "log", "access log", "table", "table with items", "documents"]


def one(shape: str) -> str:
    """Return a noun phrase for one input of this shape: a log, an access log."""
    return f"{'an' if shape.startswith('a') else 'a'} {shape if ' with ' in shape else shape.removesuffix('s')}"


ITEM_SETS = "item_sets"  # what a manifest calls columns of item sets


def shape_of_input(given: Mapping[str, Any]) -> Any:
    """Return the shape that a manifest records for its input; None if it records none."""
    shape = given.get("read_as", given.get("records_as"))
    return "table with items" if shape == "table" and ITEM_SETS in given else shape
