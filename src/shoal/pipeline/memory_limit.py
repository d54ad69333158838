"""How much memory a run may take, and where it puts aside what does not fit."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from shoal.data.bags import Bags
from shoal.data.column_storage import IN_MEMORY, Shelf
from shoal.errors import ParameterError, option
from shoal.io.disk_columns import Spill

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
LEAST = 512 << 20  # program, taxonomy, and a part of a log while records are made of it
FIXED = 384 << 20  # what is taken beside the records when they are worked on
SHARE = 4  # of the limit, the part that packed rows may take


@dataclass(frozen=True)
class Needs:
    """What working on records takes, in bytes: for each item of a record, and for each record. Measured, and a little more."""

    entry: int
    record: int
    why: str = ""

    def of(self, records: Bags) -> int:
        """What these take, with all that is taken beside them."""
        return FIXED + self.record * len(records) + self.entry * len(records.items)


BY_RANGES = Needs(entry=1, record=300)  # one range of them at a time
WHOLE = Needs(entry=32, record=512, why=", all of which this method keeps in memory")


@dataclass(frozen=True)
class Memory:
    """The most memory that may be taken, in bytes, and the directory for what is put aside."""

    limit: int
    place: Path

    @classmethod
    def asked(cls, size: str | int | None, place: Path | None = None) -> Memory | None:
        """As was said: a number of bytes, or with K, M, G or T behind it; None if nothing was."""
        if size is None:
            return None
        limit = _bytes(size)
        if limit < LEAST:
            raise ParameterError(
                f"{option('memory', size)} is too little: {told(LEAST)} are needed, more for large logs",
                code="memory-too-small",
                value=size,
            )
        return cls(limit, Path(tempfile.gettempdir()) if place is None else place)

    def spill(self) -> Spill:
        """Where rows and records go."""
        return Spill(self.place, (self.limit - LEAST) // SHARE)

    def insist(self, records: Bags, needs: Needs) -> None:
        """Raise if this many records need more than may be taken."""
        needed = needs.of(records)
        if needed > self.limit:
            told_of = f"{len(records):,} records of {len(records.items):,} items"
            raise ParameterError(
                f"{option('memory', told(self.limit))} is too little for {told_of}{needs.why}: about {told(needed)} are needed",
                code="memory-too-small",
                hint=f"give more, or see {option('engine', 'spark')}",
                needed=needed,
            )


def shelf_within(memory: Memory | None) -> Shelf:
    """Where what is made of all records is kept: on the disk where memory is bounded."""
    return IN_MEMORY if memory is None else Spill(memory.place, 0)


def _bytes(size: str | int) -> int:
    found = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)\s*([KMGT]?)(?:i?B)?", str(size).strip(), re.IGNORECASE)
    if isinstance(size, bool) or found is None:
        raise ParameterError(f"{option('memory')} is a size such as 2G or 800M, not {size!r}", code="unreadable-value", value=size)
    return int(float(found[1]) * UNITS[found[2].upper()])


def told(size: int) -> str:
    """A size in words, as the option memory takes it."""
    return f"{size / (1 << 30):.1f}G" if size >= 1 << 30 else f"{-(-size // (1 << 20))}M"
