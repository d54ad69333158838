"""Reading: what a file gave, with an account of every row, and the tally that the account is drawn from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from shoal import _kernels
from shoal.data.accounting import Ledger, gone, kept
from shoal.data.bags import Bags
from shoal.data.log import Log
from shoal.data.table import Table
from shoal.errors import InputError, option
from shoal.io.read.defects import DefectList, Defects
from shoal.io.read.options import ReadOptions
from shoal.io.read.source import Source
from shoal.util.wording import percent

SKIPPING = f"without {option('strict', True)} they are left out and counted"


@dataclass(frozen=True, eq=False)
class Reading:
    """The data, the account of the file's rows, its defects with their places, notes, and what was said about the file.

    `columns` are those that the data does not hold but a manifest tells about: what was left out, which one named the owners. `part` is the
    share of the files that was read, less than 1 only where less was requested; `files` is how many there were. `roles` are the columns
    of a log by their roles; `timed` says whether the files have times, read or not.
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


class Tally:
    """Counts rows while a file is read. Under `strict` defective rows are an error, else only a larger share than `most` of them."""

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
        """A tally of files that are read as one."""
        tally = cls(sources[0], strict=strict, most=most, place=place)
        tally.files = len(sources)
        return tally

    def each(self, sources: Sequence[Source]) -> Iterator[Source]:
        """One file after the other; defects are noted under the one that is read."""
        for source in sources:
            self.source = source
            self.defects.file = str(source.path) if self.files > 1 else ""
            yield source

    @property
    def called(self) -> str:
        """What is read, for messages about all of it."""
        return str(self.source.path) if self.files == 1 else f"the log of {self.files} files"

    def note(self, facts: _kernels.ChunkFacts, line: int) -> None:
        """Take note of blank and broken lines in a part of the file that began at this line (from 0)."""
        self.blank += facts.blank
        self.defects.add_broken(facts.broken, facts.defects, line)

    def leave_out(self, reason: str, rows: int) -> None:
        """Take note of rows that are sound and not wanted."""
        self.left_out[reason] = self.left_out.get(reason, 0) + rows

    def check(self) -> None:
        """Raise if defects were found and none are allowed."""
        if self._strict and self.defects:
            found = self.defects.frozen()
            raise InputError(
                f"{self.source.path} has defective rows: {'; '.join(found.described(self._place))}",
                code="defective-rows",
                hint=self._hint,
                defects=dict(found.counts),
            )

    def ledger(self) -> Ledger:
        """Where the rows went. Raises if none could be used."""
        found = self.defects.frozen()
        if not self.used:
            nothing = "only blank lines" if self.blank else "a header but no rows"
            why = "; ".join(found.described(self._place)) or f"it has {nothing}"
            raise InputError(
                f"{self.called} has no usable row: {why}",
                code="no-usable-rows",
                hint=f"see {option('format')}, {option('sep')} and the column options",
            )
        self._refuse_many(found)
        malformed = {f"malformed: {reason}": gone(n) for reason, n in found.counts.items()}
        others = {"repeated clicks": self.repeated, **self.left_out, "blank lines": self.blank}
        parts = {"used": kept(self.used), **{reason: gone(n) for reason, n in others.items()}, **malformed}
        return Ledger(sum(part.n for part in parts.values()), parts)

    def _refuse_many(self, found: Defects) -> None:
        rows = self.used + self.repeated + found.total
        if found.total > self._most * rows:
            raise InputError(
                f"{found.total:,} of {rows:,} rows of {self.called} are malformed, more than {percent(self._most, 0)}: "
                + "; ".join(found.described(self._place)),
                code="too-many-malformed-rows",
                hint=f"see {option('format')}, {option('sep')} and the column options; "
                f"{option('malformed', placeholder='SHARE')}, from 0 to 1, accepts more",
                defects=dict(found.counts),
            )
