"""Defects of a file's rows: how many there are of each kind, and the first lines where each was met."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

LISTED = 20

# What the kernels' numbers of defects mean; the order is that of `Defect` in cpp/text/delimited.hpp.
BROKEN_LINES = (
    "",
    "too few fields",
    "too many fields",
    "not UTF-8",
    "binary bytes",
    "quote never closed",
    "misplaced quote",
)


@dataclass(frozen=True)
class Defects:
    """Per reason the number of rows, and the numbers (from 1) of the first lines that were met, or `file:number` of several files."""

    counts: Mapping[str, int] = field(default_factory=dict)
    lines: Mapping[str, tuple[int | str, ...]] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """All defective rows."""
        return sum(self.counts.values())

    def __bool__(self) -> bool:
        return self.total > 0

    def described(self, place: str = "line") -> list[str]:
        """One line of text per reason: how many, and where."""
        return [f"{n:,} x {reason}: {_places(self.lines[reason], n, place)}" for reason, n in self.counts.items()]


class DefectList:
    """Collects defects while files are read; `file` is the present one's name where there are several."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._lines: dict[str, list[int | str]] = {}
        self.file = ""

    def add(self, reason: str, lines: npt.ArrayLike | Iterable[int]) -> None:
        """Note that the rows which began at these lines (from 0) were given up."""
        found = np.asarray(lines, np.int64)
        if len(found):
            self._counts[reason] = self._counts.get(reason, 0) + len(found)
            known = self._lines.setdefault(reason, [])
            first = (int(line) + 1 for line in found[: LISTED - len(known)])
            known.extend(f"{self.file}:{line}" if self.file else line for line in first)

    def add_broken(self, lines: Iterable[int], kinds: Iterable[int], offset: int) -> None:
        """Note what the kernels found broken in a chunk that began at line `offset`."""
        where = np.asarray(list(lines), np.int64) + offset
        why = np.asarray(list(kinds), np.int64)
        for kind in np.unique(why):
            self.add(BROKEN_LINES[kind], where[why == kind])

    def __bool__(self) -> bool:
        return bool(self._counts)

    def frozen(self) -> Defects:
        """What was found so far."""
        return Defects(dict(self._counts), {reason: tuple(lines) for reason, lines in self._lines.items()})


def _places(lines: tuple[int | str, ...], n: int, place: str) -> str:
    shown = ", ".join(f"{line:,}" if isinstance(line, int) else line for line in lines)
    more = f" and {n - len(lines):,} more" if n > len(lines) else ""
    return f"{place}{'s' if n > 1 else ''} {shown}{more}"
