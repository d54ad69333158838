"""A comparison of methods: every cell is shown as soon as it ends, and a comparison that was stopped goes on where it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.api.data_options import options_and_taxonomy
from shoal.api.rerun_command import making
from shoal.evaluate.compare.comparison import ComparisonTask
from shoal.evaluate.compare.grid import Cell, ComparisonRequest, NamedMethod, concerning
from shoal.evaluate.compare.run_cells import CellRow
from shoal.evaluate.compare.worst_attack import AttackEffort
from shoal.evaluate.option_defaults import NOT_ATTACKED, QUICK_TARGETS
from shoal.io.studio_folder import COMPARISON, save_json
from shoal.kernels import threads
from shoal.pipeline.events import Cancel, Events, note, running
from shoal.report.alarms import IN_FACT, alarms_of_compared
from shoal.report.comparison_charts import KEPT_OF
from shoal.studio.spelling import on_page
from shoal.studio.states import CELLS
from shoal.studio.tasks import Values, is_attackable
from shoal.util.wording import duration

OF_TABLES = ("detail_kept", "items_kept", "attribute_detail", "value_rate", "value_guess", "value_original")
OF_ATTACKS = ("attack_rate", "attack_high", "attack_original", "attack_original_high", "worst_attack")
SHOWN = ("kept", KEPT_OF, *OF_TABLES, *OF_ATTACKS, "seconds")
WAITING, MEASURED, REFUSED = "waiting", "measured", "refused"


def compare_task(folder: Path, task: Mapping[str, Any], events: Events, cancel: Cancel) -> Values:
    """Compare methods, as `shoal compare` does with the same options."""
    options, quick = options_and_taxonomy(dict(task.get("options", {})))[0], bool(task["quick"])
    requested = ComparisonRequest(tuple(map(NamedMethod.read, task["methods"])), tuple(task["k"]), tuple(task["m"]))
    effort = AttackEffort(QUICK_TARGETS if quick else AttackEffort.targets)
    with running(events, cancel):
        work = ComparisonTask((Path(task["path"]),), requested, options, folder / COMPARISON, str(task["name"]), making)
        note(*work.notes)
        board = _Board(folder, work.cells, options)
        done = work.run(effort, threads(), quick=quick, on_estimate=_note_time, on_row=board.fill)
    return {"notes": list(map(on_page, done.notes))}


def _note_time(seconds: float) -> None:
    note(f"the comparison takes about {duration(seconds)}")


class _Board:
    """The cells of a comparison in a file that the page shows. It is written again whenever a cell ends."""

    def __init__(self, folder: Path, cells: Sequence[Cell], options: Mapping[str, Any]) -> None:
        self._path = folder / CELLS
        self._cells = {cell: _described(cell, options) for cell in cells}
        save_json(self._path, list(self._cells.values()))

    def fill(self, row: CellRow) -> None:
        """Show what was found about a cell."""
        self._cells[row.cell] |= _measured(row.found)
        save_json(self._path, list(self._cells.values()))


def _described(cell: Cell, options: Mapping[str, Any]) -> Values:
    """Return a cell before it is worked on, with what is needed to publish it."""
    claims = cell.made().claims()
    return {
        "method": cell.method,
        "label": cell.label,
        "per": cell.per,
        "settings": dict(cell.settings),
        "options": concerning(cell, options),
        "protects": " ".join(dict.fromkeys(claim.protects for claim in claims)),
        "open": " ".join(dict.fromkeys(claim.does_not_protect for claim in claims)),
        "attackable": is_attackable(cell.method, dict(cell.settings)),
        "state": WAITING,
    }


def _measured(found: Mapping[str, Any]) -> Values:
    if "refused" in found:
        return {"state": REFUSED, "why": on_page(str(found["refused"]))}
    return {
        "state": MEASURED,
        "found": {name: found[name] for name in SHOWN if found.get(name) is not None},
        "claims": list(found.get("claims", ())),
        "risk": str(found.get(IN_FACT, "")) or f"not attacked: {found.get(NOT_ATTACKED, '')}",
        "warnings": list(alarms_of_compared(found)),
    }
