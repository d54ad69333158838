"""Notes before the work starts: how the input was parsed, what was skipped, and likely mistakes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shoal.data.claims import Model
from shoal.data.original import KEPT
from shoal.errors import option
from shoal.methods import Method
from shoal.pipeline.disclosure import disclosed_notes, safe_numbers
from shoal.pipeline.prepare import Prepared

ROWS_LEFT_OUT = "left out: unreadable rows; publishing their number would break the guarantee, but `shoal look` shows it to you"


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
        return [f"no guarantee. Not protected: {method.not_protected}"]
    if method.caution:
        return [method.caution]
    chosen = method.values()
    if chosen.get("public") is not None and "private" in chosen and chosen["private"] is None:
        return [f"with {option('public')} alone, all other items are private, and private items are published unchanged"]
    return []


def _unprotected(prepared: Prepared) -> list[str]:
    kept = prepared.original.columns().get(KEPT, [])
    names = ", ".join(map(repr, kept))
    return [f"published unchanged and not covered by the claim: {names}; together they may identify people"] if kept else []
