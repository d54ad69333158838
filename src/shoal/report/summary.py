"""The summary of a release: its utility in a few numbers, the same on the terminal, in the report and in Python.

Shares come first, then lines. The module of each kind in `kinds` makes its summary.
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
NOT_PUBLISHED = Tile("Loss", "not published", "exact numbers would break the guarantee", "open")
NOT_MEASURED = Tile("Loss", "not measured", "requires the original", "open")

AS_TYPED = "as typed"
FORMS = {
    AS_TYPED: ((TYPED,), "same"),
    "renamed or one level up": ((RENAMED, PARENT), "near"),
    "as categories": ((CATEGORY,), "changed"),
    "as the root or (unlisted)": ((TOP,), "vague0"),
}
FORM_TONES = {part: tone for parts, tone in FORMS.values() for part in parts}


TEXTS = frozenset({"querylog", "prompts", "documents"})  # formats whose items are words
ITEMS_ARE = {"querylog": "words", "prompts": "words", "accesslog": "pages"}  # of formats whose items have another name


def words_title(manifest: Mapping[str, Any]) -> str:
    """Return what the account of prepared words counts: words of texts, or items."""
    facts = manifest.get("input", {})
    return "words" if facts.get("format") in TEXTS or "read_as" in facts else "items"


@dataclass(frozen=True)
class SummaryShare:
    """A part of a total; `tone` is its colour in charts."""

    name: str
    n: int
    whole: int
    tone: str = ""

    @property
    def value(self) -> float:
        """The share as a fraction."""
        return self.n / self.whole if self.whole else 0.0

    @property
    def text(self) -> str:
        """The share in percent."""
        return percent(self.value)


@dataclass(frozen=True)
class Summary:
    """Shares of one total; then lines of a name and a text; and the main number of the report.

    `as_typed` is the share of words published as typed, if words are published. `noun` is what the shares are of.
    """

    shares: tuple[SummaryShare, ...] = ()
    lines: tuple[tuple[str, str], ...] = ()
    tile: Tile = field(default=NOT_MEASURED)
    as_typed: float | None = None
    noun: str = "items"

    @property
    def warning(self) -> str:
        """A warning if hardly any words are kept, or empty."""
        if self.as_typed is None or self.as_typed >= LITTLE:
            return ""
        form = self.shares[0].name if self.shares else AS_TYPED
        return f"{f'only {percent(self.as_typed)}' if self.as_typed else 'none'} of the {self.noun} are published {form}"


def share_in(metrics: Mapping[str, Any], name: str) -> float | None:
    """Return a metric; None if it is missing or not a number."""
    value = metrics.get(name)
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None


def published_rows(manifest: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the number of rows of the table or, if there are several, of each."""
    tables = {file["table"]: file["rows"] for file in reversed(manifest.get("files", [])) if "table" in file}
    alone = len(tables) == 1
    text = ", ".join(counted(rows, "row") if alone else f"{counted(rows, 'row')} of {name}" for name, rows in reversed(tables.items()))
    return (("published", text),) if text else ()
