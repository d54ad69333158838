"""Which of the options that were typed for a whole comparison concern one of its cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.evaluate.compare.grid import USER, Cell
from shoal.pipeline.options import NO_TAXONOMY, Preparation
from shoal.pipeline.request import preparation

ON_TAXONOMY = ("unknown", "tree", "floor", "node_loss")
OF_RECORDS = ("gap", "bag", *ON_TAXONOMY)
SESSION = "session"


def concerning(cell: Cell, said: Mapping[str, Any]) -> dict[str, Any]:
    """What was said that the method of this cell takes: rows are not made into records, and names as typed are not put on a taxonomy."""
    base = Preparation.default_for(cell.made())
    without = {"gap"} if cell.per != SESSION else set()
    if base.shape != "records":
        without |= {*OF_RECORDS, *(["taxonomy"] if base.taxonomy == NO_TAXONOMY else [])}
    elif base.typed_names:
        without |= set(ON_TAXONOMY)
    kept = {name: value for name, value in said.items() if name not in without and value is not None}
    return kept | ({"per": cell.per} if cell.per != USER else {})


def prepared_for(cell: Cell, said: Mapping[str, Any]) -> Preparation:
    """How the data of a cell is prepared: as its method does unless something else is said."""
    typed = {**dict.fromkeys(said), "per": None, **concerning(cell, said)}
    return preparation(typed, base=Preparation.default_for(cell.made()))
