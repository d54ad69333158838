"""The summary of a release: its utility in a few numbers, the same on the terminal, in the report and in Python.

Shares that stand side by side come first; what else is told follows in lines. `summaries` looks up how one is made.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.data.occurrence_forms import CATEGORY, PARENT, RENAMED, TOP, TYPED
from shoal.report.verdict_text import Tile
from shoal.util.wording import counted, percent

LITTLE = 0.05  # share of words published as typed, below which a release is warned of
FEW_WORDS = "few-words-as-typed"  # the code of that warning
PROTECTS = "protects"  # of the input in a manifest: what is protected where people own several records
NOT_TOLD = Tile("Loss", "not published", "exact numbers would break the guarantee", "open")
NOT_MEASURED = Tile("Loss", "not measured", "requires the original", "open")

AS_TYPED = "as typed"
FORMS = {
    AS_TYPED: ((TYPED,), "same"),
    "within one level": ((RENAMED, PARENT), "near"),
    "as categories": ((CATEGORY,), "changed"),
    "root or unlisted": ((TOP,), "vague0"),
}
FORM_TONES = {part: tone for parts, tone in FORMS.values() for part in parts}


@dataclass(frozen=True)
class SummaryShare:
    """A part of a whole; `tone` is its colour in charts."""

    name: str
    n: int
    whole: int
    tone: str = ""

    @property
    def value(self) -> float:
        """As a fraction of one."""
        return self.n / self.whole if self.whole else 0.0

    @property
    def text(self) -> str:
        """In percent."""
        return percent(self.value)


@dataclass(frozen=True)
class Summary:
    """Shares of one whole, side by side; then lines of a name and a text; the largest number of the report's head.

    `as_typed` is the share of words published as they were typed, where words are published.
    """

    shares: tuple[SummaryShare, ...] = ()
    lines: tuple[tuple[str, str], ...] = ()
    tile: Tile = field(default=NOT_MEASURED)
    as_typed: float | None = None

    @property
    def warning(self) -> str:
        """A sentence where hardly a word is left; empty if there is none to say."""
        if self.as_typed is None or self.as_typed >= LITTLE:
            return ""
        return f"only {percent(self.as_typed)} of the words are published as typed"


def share_in(metrics: Mapping[str, Any], name: str) -> float | None:
    """A metric that is a number; None if it is not told, or no number."""
    value = metrics.get(name)
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None


def published_rows(manifest: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """How many rows each table has."""
    tables = {file["table"]: file["rows"] for file in reversed(manifest.get("files", [])) if "table" in file}
    told = ", ".join(f"{counted(rows, 'row')} of {name}" for name, rows in reversed(tables.items()))
    return (("published", told),) if told else ()
