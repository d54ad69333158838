"""What is said before the work: how the input was understood, what was left out of it, and what a user may not mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shoal.data.original_rows import KEPT
from shoal.methods import Method
from shoal.pipeline.disclosure import disclosed_notes, safe_numbers
from shoal.pipeline.prepare import Prepared
from shoal.privacy import Model

ROWS_LEFT_OUT = "left out: rows that cannot be read; how many would break the guarantee, and `shoal look` shows it to you alone"


@dataclass(frozen=True)
class Announced:
    """Notes on how the input was read, rows that were left out, and warnings."""

    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def announced(prepared: Prepared, claims: Iterable[Model] = ()) -> Announced:
    """How the input was read, and what was left out: to be told before the method runs, which may take hours.

    Beside claims that forbid exact counts no number is told.
    """
    left_out = prepared.reading.defects.described() if prepared.reading else []
    lines = [f"left out: {line}" for line in left_out]
    if not safe_numbers(claims := tuple(claims)):
        lines = [ROWS_LEFT_OUT] if lines else []
    return Announced(disclosed_notes(prepared.notes, claims), tuple(lines), tuple(_unprotected(prepared)))


def doubts(method: Method) -> list[str]:
    """What a choice of method and parameters does that its user may not mean."""
    if method.guarantees_nothing:
        return [f"nothing is guaranteed. Not protected: {method.not_protected}"]
    if method.caution:
        return [method.caution]
    chosen = method.values()
    if chosen.get("public") is not None and "private" in chosen and chosen["private"] is None:
        return ["with --public alone every other item counts as private, and private items are published as they are"]
    return []


def _unprotected(prepared: Prepared) -> list[str]:
    kept = prepared.original.columns().get(KEPT, [])
    names = ", ".join(map(repr, kept))
    return [f"published as they are, and not covered by the claim: {names}; together they may tell people apart"] if kept else []
