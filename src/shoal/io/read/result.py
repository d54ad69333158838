"""The result of reading a file: the data, an accounting of every row, and defective rows with their positions.

`Tally` counts while a file is read; `Reading` is the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal import _kernels
from shoal.data.accounting import Ledger, gone, kept
from shoal.data.bags import Bags
from shoal.data.log import Log
from shoal.data.table import Table
from shoal.errors import InputError, option
from shoal.io.read.options import ReadOptions
from shoal.io.read.source import Source
from shoal.taxonomy.item_catalogue import JoinedItems
from shoal.util.wording import percent

# -- defects: the number of each kind, and the first lines where each occurred


LISTED = 20

NOT_UTF8 = "not UTF-8"
ENCODING_HINT = f"if the file has another encoding, name it, e.g. {option('encoding', 'latin-1')}"

# What the kernels' numbers of defects mean; the order is that of `Defect` in cpp/text/delimited.hpp.
BROKEN_LINES = (
    "",
    "too few fields",
    "too many fields",
    NOT_UTF8,
    "binary bytes",
    "quote never closed",
    "misplaced quote",
)


@dataclass(frozen=True)
class Defects:
    """For each reason, the number of rows, and the numbers (from 1) of the first lines, or `file:number` of several files."""

    counts: Mapping[str, int] = field(default_factory=dict)
    lines: Mapping[str, tuple[int | str, ...]] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The number of all defective rows."""
        return sum(self.counts.values())

    def __bool__(self) -> bool:
        return self.total > 0

    def described(self, place: str = "line") -> list[str]:
        """Return one line of text per reason: how many, and where."""
        return [f"{n:,} x {reason}: {_places(self.lines[reason], n, place)}" for reason, n in self.counts.items()]

    def first_rows(self) -> dict[str, list[int | str]]:
        """Return the first rows for each reason, as a fact of an error."""
        return {reason: list(lines) for reason, lines in self.lines.items()}


class DefectList:
    """Collects defects while files are read; `file` is the name of the current one if there are several."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._lines: dict[str, list[int | str]] = {}
        self.file = ""

    def add(self, reason: str, lines: npt.ArrayLike | Iterable[int]) -> None:
        """Add the rows that began at these lines (from 0)."""
        found = np.asarray(lines, np.int64)
        if len(found):
            self._counts[reason] = self._counts.get(reason, 0) + len(found)
            known = self._lines.setdefault(reason, [])
            first = (int(line) + 1 for line in found[: LISTED - len(known)])
            known.extend(f"{self.file}:{line}" if self.file else line for line in first)

    def add_broken(self, lines: Iterable[int], kinds: Iterable[int], offset: int) -> None:
        """Add what the kernels found malformed in a chunk that began at line `offset`."""
        where = np.asarray(list(lines), np.int64) + offset
        why = np.asarray(list(kinds), np.int64)
        for kind in np.unique(why):
            self.add(BROKEN_LINES[kind], where[why == kind])

    def __bool__(self) -> bool:
        return bool(self._counts)

    def frozen(self) -> Defects:
        """Return the defects so far."""
        return Defects(dict(self._counts), {reason: tuple(lines) for reason, lines in self._lines.items()})


def _advice(defects: Defects, hint: str) -> str:
    """Return the hint, after that on the encoding if bytes are not UTF-8."""
    return f"{ENCODING_HINT}; {hint}" if NOT_UTF8 in defects.counts else hint


def _places(lines: tuple[int | str, ...], n: int, place: str) -> str:
    shown = ", ".join(f"{line:,}" if isinstance(line, int) else line for line in lines)
    more = f" and {n - len(lines):,} more" if n > len(lines) else ""
    return f"{place}{'s' if n > 1 else ''} {shown}{more}"


# -- the tally and the result


SKIPPING = f"without {option('strict', True)} they are left out and counted"


@dataclass(frozen=True, eq=False)
class Reading:
    """The data, the accounting of the file's rows, its defects with positions, notes, and the reading options.

    `columns` are those in the manifest but not in the data: dropped ones, and the user column. `part` is the share of the files that was
    read, less than 1 only on request; `files` is their number. `roles` are the columns of a log by role; `timed`: whether the files have
    times, read or not. `origin` is `sql` for the result of a query; `items` is the product table that was joined. `names` are the
    user IDs by user number, of records that were gathered while reading, if a method needs them.
    """

    data: Log | Bags | Table
    format: str
    rows: Ledger
    defects: Defects
    notes: tuple[str, ...]
    empty_texts: int = 0
    options: ReadOptions = field(default_factory=ReadOptions)
    columns: Mapping[str, str | int | list[str]] = field(default_factory=dict)
    part: float = 1.0
    roles: Mapping[str, str] = field(default_factory=dict)
    files: int = 1
    timed: bool = False
    origin: str = ""
    items: JoinedItems | None = None
    names: pl.Series | None = field(default=None, repr=False)


class Tally:
    """Counts rows while a file is read. With `strict`, defective rows are an error, otherwise only a larger share than `most`."""

    def __init__(self, source: Source, *, strict: bool, most: float = 1.0, place: str = "line", hint: str = SKIPPING) -> None:
        self.source = source
        self.files = 1
        self.defects = DefectList()
        self.used = 0
        self.blank = 0
        self.repeated = 0
        self.left_out: dict[str, int] = {}
        self._strict = strict
        self._most = most
        self._place = place
        self._hint = hint

    @classmethod
    def of(cls, sources: Sequence[Source], *, strict: bool, most: float = 1.0, place: str = "line") -> Self:
        """Return a tally of files that are read as one."""
        tally = cls(sources[0], strict=strict, most=most, place=place)
        tally.files = len(sources)
        return tally

    def each(self, sources: Sequence[Source]) -> Iterator[Source]:
        """Yield one file after the other; defects are counted under the current one."""
        for source in sources:
            self.source = source
            self.defects.file = str(source.path) if self.files > 1 else ""
            yield source

    @property
    def called(self) -> str:
        """The name of the input for messages."""
        return str(self.source.path) if self.files == 1 else f"the log of {self.files} files"

    def note(self, facts: _kernels.ChunkFacts, line: int) -> None:
        """Count blank and malformed lines in a part of the file that began at this line (from 0)."""
        self.blank += facts.blank
        self.defects.add_broken(facts.broken, facts.defects, line)

    def leave_out(self, reason: str, rows: int) -> None:
        """Count well-formed rows that are not wanted."""
        self.left_out[reason] = self.left_out.get(reason, 0) + rows

    def check(self) -> None:
        """Raise if defects were found and none are allowed."""
        if self._strict and self.defects:
            found = self.defects.frozen()
            raise InputError(
                f"{self.source.path} has malformed rows: {'; '.join(found.described(self._place))}",
                code="defective-rows",
                hint=_advice(found, self._hint),
                defects=dict(found.counts),
                rows=found.first_rows(),
            )

    def ledger(self) -> Ledger:
        """Return the outcome of the rows. Raise if none could be used."""
        found = self.defects.frozen()
        if not self.used:
            nothing = "only blank lines" if self.blank else "a header but no rows"
            why = "; ".join(found.described(self._place)) or f"it has {nothing}"
            raise InputError(
                f"{self.called} has no usable row: {why}",
                code="no-usable-rows",
                hint=_advice(found, f"see {option('format')}, {option('sep')} and the column options"),
                defects=dict(found.counts),
                rows=found.first_rows(),
            )
        self._refuse_many(found)
        malformed = {f"malformed: {reason}": gone(n) for reason, n in found.counts.items()}
        others = {"repeated clicks": self.repeated, **self.left_out, "blank lines": self.blank}
        parts = {"used": kept(self.used), **{reason: gone(n) for reason, n in others.items()}, **malformed}
        return Ledger(sum(part.n for part in parts.values()), parts)

    def _refuse_many(self, defects: Defects) -> None:
        rows = self.used + self.repeated + defects.total
        if defects.total > self._most * rows:
            raise InputError(
                f"{defects.total:,} of {rows:,} rows of {self.called} are malformed, more than {percent(self._most, 0)}: "
                + "; ".join(defects.described(self._place)),
                code="too-many-malformed-rows",
                hint=_advice(
                    defects,
                    f"see {option('format')}, {option('sep')} and the column options; "
                    f"{option('malformed', placeholder='SHARE')}, from 0 to 1, accepts more",
                ),
                defects=dict(defects.counts),
                rows=defects.first_rows(),
            )
