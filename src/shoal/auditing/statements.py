"""Statements of a manifest, line by line: recomputed and equal, recomputed and different, or not verifiable.

A line is one value of the manifest with its full key, such as `input.owners`. Whoever wrote the manifest may have invented any of them, so
an audit reports for each whether it was recomputed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.data.claims import Verdict, verified_if

COLUMNS_COVERED = "columns covered by a claim"  # the check that is made where columns are allowed, or would have to be
NOT_VERIFIABLE = "not verifiable"  # the state of a line that was compared with nothing
MOST_SHOWN = 60
TOLERANCE = 1e-9  # of metrics, whose sums may be taken in another order

Line = tuple[str, Any]


@dataclass(frozen=True)
class Stated:
    """The lines of a manifest: those that were recomputed, those that are not verifiable, and what is wrong."""

    recomputed: tuple[str, ...]
    only_stated: tuple[str, ...]
    broken: tuple[str, ...]
    unchecked: tuple[str, ...] = ()

    def verdict(self) -> Verdict:
        """Return a check of the audit, which names the lines that could not be checked."""
        counted = {"recomputed": len(self.recomputed), "not verifiable": len(self.only_stated)}
        rest = [*parts_of(self.only_stated), *self.unchecked]
        notes = (f"not verifiable: {', '.join(rest)}",) if rest else ()
        return Verdict("manifest recomputed", verified_if(not self.broken), counted, self.broken, notes)

    def as_dict(self) -> dict[str, str]:
        """Whether each line was recomputed or is not verifiable, as JSON values."""
        rest = (*self.only_stated, *self.unchecked)
        return {**dict.fromkeys(self.recomputed, "recomputed"), **dict.fromkeys(rest, NOT_VERIFIABLE)}


@dataclass
class Evidence:
    """Recomputed lines of a manifest, contradictions between several of them, and other unverified facts."""

    found: dict[str, Any] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)

    def add(self, prefix: str, values: Mapping[str, Any]) -> None:
        """Add values recomputed under one key."""
        self.found |= dict(lines_of(dict(values), prefix))

    def insist(self, holds: bool, otherwise: str) -> None:
        """Add a contradiction unless the condition holds."""
        if not holds:
            self.broken.append(otherwise)

    def compared(self, manifest: Mapping[str, Any]) -> Stated:
        """Compare every line of the manifest with its recomputed value."""
        stated = dict(lines_of(manifest))
        known = [key for key in stated if key in self.found]
        differing = [_differs(key, stated[key], self.found[key]) for key in known if not same(stated[key], self.found[key])]
        missing = [f"the manifest leaves out {key}" for key in self.found if key not in stated]
        rest = [key for key in stated if key not in self.found]
        return Stated(tuple(known), tuple(rest), (*differing, *missing, *self.broken), tuple(self.unchecked))


def lines_of(value: Any, key: str = "") -> Iterator[Line]:
    """Return every single value of a manifest with its full key."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from lines_of(inner, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from lines_of(inner, f"{key}[{i}]")
    else:
        yield key, value


def same(stated: Any, recomputed: Any) -> bool:
    """Whether a stated value equals the recomputed one; fractions may differ in the last digits."""
    if (
        isinstance(stated, bool)
        or isinstance(recomputed, bool)
        or not isinstance(stated, (int, float))
        or not isinstance(recomputed, (int, float))
    ):
        return type(stated) is type(recomputed) and bool(stated == recomputed)
    if isinstance(stated, int) and isinstance(recomputed, int):
        return stated == recomputed
    return math.isclose(stated, recomputed, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def parts_of(keys: Iterable[str]) -> list[str]:
    """Format keys for reading, grouped by heading, such as `input (owners, rows)`."""
    grouped: dict[str, dict[str, None]] = {}
    for key in keys:
        heading, _, name = key.rpartition(".")
        grouped.setdefault(_without_places(heading), {})[re.sub(r"\[\d+\]$", "", name)] = None  # a list is named once
    return [f"{heading} ({', '.join(names)})" if heading else ", ".join(names) for heading, names in grouped.items()]


def _without_places(heading: str) -> str:
    """Name a list inside a part of the manifest once, without indices; those at the top keep them."""
    return re.sub(r"(?<=\.)(\w+)\[\d+\]", r"\1", heading)


def _differs(key: str, stated: Any, recomputed: Any) -> str:
    shown = [_shown(stated), _shown(recomputed)]
    if shown[0] == shown[1]:  # fractions that differ late
        shown = [repr(stated), repr(recomputed)]
    return f"{key}: the manifest says {shown[0]}, recomputed {shown[1]}"


def _shown(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    text = f"{value:.6g}" if isinstance(value, float) else repr(value)
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 4] + "..." + text[-1]
