"""Base of methods that publish what enough people share: rows, words and cells of a log that few people share are suppressed.

The settings are in one object, `Kept`. A row stays if k people have its unit: a query, a combination of columns, or all its words; rare
words can also be removed from their query, or replaced by the lowest node above them that k people share. Then every other cell is
published unchanged, as a prefix or range, or not at all, so that enough people have it in the remaining rows.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl

from shoal.data.accounting import Ledger, Part, changed, gone, kept
from shoal.data.bags import Ints, Small
from shoal.data.claims import Model
from shoal.data.durations import PERIODS, Period, beginning
from shoal.data.log import Log, people_from_zero
from shoal.data.original import LogOriginal
from shoal.data.pseudonym_scope import PseudonymScope, parts_of_people
from shoal.data.query_units import EXACT, QUERY, TIME, PublishedColumns, Unit
from shoal.data.release import Release
from shoal.data.tables.column_types import Slots
from shoal.data.tables.rows import PAYLOAD, RowTable
from shoal.errors import Infeasible, ParameterError, option
from shoal.methods import Method
from shoal.methods.bases.log_rows import LOG, NO_QUERY, SILENT, USER
from shoal.methods.bases.release_builder import build_row_release
from shoal.methods.bases.threshold_ladders import Held, settled, shared_rungs
from shoal.methods.bases.threshold_people import Mask, OwnedRows
from shoal.methods.bases.threshold_words import Rare, ReadWords, RecodedRows, recoded
from shoal.privacy.support import Support
from shoal.taxonomy.generalization_ladders import TOP, ladder_of
from shoal.util.numbers import distinct

_PLACE = pl.Series([], dtype=pl.String)  # in the place of queries, which are numbers
WHOLE, NO_OTHER_COLUMNS, UNLINKED_ROWS = Unit(), PublishedColumns(), PseudonymScope()
DROPPED = "dropped"  # what becomes of times
CHANGED = "published with other words"
NO_UNIT, TOO_LONG, RARE = "dropped: empty", "dropped: too many words", "dropped: fewer than k people"
AS_IT_IS, GENERAL, BLANK = "kept", "generalized", "left empty: too few people"
UNLINKED = "rows of one person are not linked to each other"
LINKED = (
    "rows of one pseudonym are linked: together they may identify a person, and an attacker who knows one row learns the others; "
    "this is not protected"
)
COMBINATIONS = "rare combinations of words that are each frequent are published; this is not protected"


@dataclass(frozen=True)
class Kept:
    """What is published of a log: see the parameters of the method `threshold`."""

    k: int
    unit: Unit = WHOLE
    rare: Rare = "drop"
    words: int | None = None
    window: Period | None = None
    times: Period | None = None
    columns: PublishedColumns = NO_OTHER_COLUMNS
    group: int | None = None
    link: PseudonymScope = UNLINKED_ROWS

    @classmethod
    def from_parameters(cls, *, window: str | None, times: str, **rest: Any) -> Self:
        """Make settings from parameters, in which periods are plain words."""
        period: dict[str | None, Period] = {name: name for name in PERIODS}
        return cls(window=period.get(window), times=period.get(times), **rest)

    @property
    def claim(self) -> Support:
        """Return the claim of a release with these settings."""
        linked = None if not self.link.links else "parts" if self.link.divides_people else "people"
        columns = self.columns if self.columns.ways else None
        return Support(
            k=self.k,
            unit=None if self.unit == WHOLE else self.unit,
            rare=None if self.rare == "drop" else self.rare,
            words=self.words,
            window=self.window,
            times=self.times,
            columns=columns,
            group=self.group if columns or self.times else None,
            pseudonyms=linked,
        )


class ThresholdMethod(Method):
    """A method that publishes the rows of a log according to `kept`."""

    takes = frozenset({"log"})
    publishes = "rows"
    fates = {CHANGED: "changed"}  # noqa: RUF012 (never changed)
    ledgers = ("words", "values")

    @property
    @abstractmethod
    def kept(self) -> Kept:
        """The settings."""

    @property
    def needs_taxonomy(self) -> bool:
        """Whether a taxonomy is needed: only to replace rare words."""
        return self.kept.rare == "generalize"

    def claims(self) -> tuple[Model, ...]:
        """Claim the support of everything that is published."""
        return (self.kept.claim,)

    def columns_of(self, table: str) -> Slots:
        """Return pseudonyms, times, the payload and the further columns, as far as each is to be published."""
        kept = self.kept
        named = dict.fromkeys((*kept.unit.columns, *kept.columns.names, *([TIME] if kept.times else [])))
        further = tuple(name for name in named if name not in (TIME, QUERY))
        first = [((USER,), kept.link.links), ((TIME,), TIME in named), (tuple(PAYLOAD.values()), QUERY in named)]
        return (*(slot for slot, there in first if there), *(further for _ in further))  # further columns stay as they were in the log

    def apply(self, original: LogOriginal) -> Release:
        """Publish what enough people share, and account for every row, word and cell."""
        found = _Rows(original, self.kept)
        table, cells = found.published()
        release = build_row_release(self, len(original.log), {LOG: table}, found.outcomes, found.stays, found.notes)
        assert release.accounting is not None
        return release.accounted(release.accounting.updated(words=found.words, values=cells))


class _Rows:
    """The remaining rows of a log, and the outcome of the others."""

    def __init__(self, original: LogOriginal, settings: Kept) -> None:
        self.log, self.settings, self.taxonomy = original.log, settings, original.taxonomy
        self.owners = people_from_zero(self.log.others["owner"].to_numpy())
        self.window, self.windows = self._window()
        for name in (*settings.unit.columns, *settings.columns.names):
            self._insist_on_column(name)

    def _window(self) -> tuple[Ints | None, int]:
        """Return the time window of each row, and the number of windows."""
        if self.settings.window is None:
            return None, 1
        begins = self._times(self.settings.window).to_physical()
        number = begins.rank("dense").to_numpy().astype(np.int64) - 1
        return number, int(number.max(initial=0)) + 1

    def _times(self, period: Period) -> pl.Series:
        if not self.log.timed or self.log.others["time"].null_count():
            raise ParameterError(
                "times are needed, but rows of this log have none",
                code="missing-times",
                hint=f"name the column of times with {option('time')}",
            )
        return self.log.others.select(beginning("time", period)).to_series()

    def _column(self, name: str) -> pl.Series:
        """Return a column by its published name; times in their published form."""
        if name == QUERY:
            return self.log.frame["payload"]
        if name == TIME and self.settings.times is not None:
            return self._times(self.settings.times)
        return self.log.others[name]

    def _numbers(self, name: str) -> Ints:
        """Return the number of each row's value in a column; an empty cell is a value."""
        return self.log.texts.items.astype(np.int64) if name == QUERY else _numbered(self._column(name))[1]

    def _insist_on_column(self, name: str) -> None:
        """Raise if the log does not have this column."""
        if name == TIME and self.settings.times is not None:
            self._times(self.settings.times)
        elif name != QUERY and name not in self.log.further:
            there = ", ".join((PAYLOAD[self.log.kind], *self.log.further))
            raise ParameterError(
                f"this log has no column {name!r}",
                code="missing-column",
                value=name,
                hint=f"it has {there}; clicks are named with {option('rank')} and {option('url')}",
            )

    # -- the unit

    @cached_property
    def _too_long(self) -> Mask:
        """Return a mask of the rows with too many words."""
        if self.settings.words is None:
            return np.zeros(len(self.log), bool)
        texts = self.log.texts
        counts = texts.vocabulary.names.str.count_matches(r"\S+").to_numpy()
        return np.asarray(counts[texts.items] > min(self.settings.words, int(counts.max(initial=0))))

    @cached_property
    def _empty(self) -> Mask:
        """Return a mask of the rows without a query, if it is part of the unit, or with an empty unit."""
        if self.settings.unit.splits:
            wordless = np.diff(self._read.words.indptr) == 0
            return wordless[self.log.texts.items] if wordless.any() else np.zeros(len(self.log), bool)
        if QUERY in self.settings.unit.columns:
            without = np.append((self.log.texts.vocabulary.names == "").to_numpy(), True)  # the last place is that of rows without a text
            return np.asarray(without[self.log.texts.items])
        empty = np.ones(len(self.log), bool)
        for name in self.settings.unit.columns:
            column = self._column(name)
            empty &= (column.is_null() | (column == "" if column.dtype == pl.String else False)).to_numpy()
        return empty

    @cached_property
    def _candidates(self) -> Ints | None:
        """Return the rows that have a unit and few enough words; None if all have."""
        passed_over = self._empty | self._too_long
        return np.flatnonzero(~passed_over) if passed_over.any() else None

    @cached_property
    def _read(self) -> ReadWords:
        return ReadWords.of(self.log, self.taxonomy if self.settings.rare == "generalize" else None)

    @cached_property
    def _recoded(self) -> RecodedRows:
        return recoded(self._read, self._owned(self.log.texts.items), self.settings.k, self.settings.rare)

    def _owned(self, numbers: Ints | Small) -> OwnedRows:
        """Return the candidates with these numbers of all rows, in their windows."""
        candidates = slice(None) if self._candidates is None else self._candidates
        window = None if self.window is None else self.window[candidates]
        return OwnedRows.of(numbers[candidates], window, self.windows, self.owners[candidates])

    @cached_property
    def stays(self) -> Ints:
        """Return the published rows, in order."""
        if self.settings.unit.splits:
            found = self._recoded.stays
        else:
            rows = self._owned(_combined([self._numbers(name) for name in self.settings.unit.columns]))
            found = np.flatnonzero((rows.people >= self.settings.k)[rows.place])
        if not len(found):
            people = self.owners if self._candidates is None else self.owners[self._candidates]
            raise nothing_shared(self.settings, len(distinct(people)))
        return found if self._candidates is None else self._candidates[found]

    # -- what is published

    def published(self) -> tuple[RowTable, Ledger | None]:
        """Return the rows to publish, and the outcome of the other cells."""
        settings, stays = self.settings, self.stays
        columns: dict[str, pl.Series] = {}
        if settings.link.links:
            columns[USER] = pl.Series(parts_of_people(Log(self.log.frame[stays], self.log.kind), settings.link))
        others = dict(settings.columns.ways) | ({TIME: EXACT} if settings.times and TIME not in settings.unit.columns else {})
        cells = {name: self._cells(name, way) for name, way in others.items()}
        unit = PAYLOAD[self.log.kind]
        for name in (TIME, QUERY, *self.log.further):
            if name in settings.unit.columns:
                columns[unit if name == QUERY else name] = _PLACE if name == QUERY else self._column(name)[stays]
            elif name in cells:
                columns[unit if name == QUERY else name] = cells[name][0]
        parts = {part: sum(outcomes[part] for _, outcomes in cells.values()) for part in (AS_IT_IS, GENERAL, BLANK)}
        ledger = Ledger(sum(parts.values()), {AS_IT_IS: kept(parts[AS_IT_IS]), GENERAL: changed(parts[GENERAL]), BLANK: gone(parts[BLANK])})
        pseudonyms = USER if settings.link.links else None
        if QUERY in settings.unit.columns:
            table = RowTable.of_numbered(columns, unit, *self._queries(), pseudonyms)
        else:
            table = RowTable(pl.DataFrame(columns), pseudonyms)
        return table, ledger if cells else None

    def _queries(self) -> tuple[pl.Series, Small]:
        """Return the different published queries, and which of them each remaining row has."""
        if self.settings.unit.splits:
            return self._recoded.texts()
        texts = self.log.texts
        numbers = texts.items[self.stays]
        shown = np.zeros(len(texts.vocabulary), bool)
        shown[numbers] = True
        place = np.cumsum(shown, dtype=np.int32) - np.int32(1)
        return texts.vocabulary.names.filter(pl.Series(shown)), place[numbers]

    def _cells(self, name: str, way: str) -> tuple[pl.Series, dict[str, int]]:
        """Return another column as published, and the outcome of its non-empty cells."""
        column = self._column(name)[self.stays]
        filled = column.is_not_null() & ((column != "") if column.dtype == pl.String else True)
        values, numbers = _numbered(column.filter(filled))
        ladder = ladder_of(values, way)
        rows = OwnedRows.of(numbers, None, 1, self.owners[self.stays][filled.to_numpy()])
        k = self.settings.group or self.settings.k
        people = rows.people_of(rows.as_units(), few=k)
        shared = shared_rungs(ladder, Held.of(rows.keys, people, rows), k, rows.keys[people.n >= k])
        rung = settled(ladder, shared, rows.keys, 1)[rows.place]
        blank, same = rung == TOP, rung == numbers
        outcomes = {AS_IT_IS: int(same.sum()), GENERAL: int((~same & ~blank).sum()), BLANK: int(blank.sum())}
        place = np.full(len(column), TOP, np.int64)
        place[filled.to_numpy()] = rung
        return ladder.names.gather(pl.Series(place).replace(TOP, None).cast(pl.UInt32)), outcomes

    # -- the account

    @cached_property
    def outcomes(self) -> Mapping[str, Part]:
        """Return the outcome of all rows."""
        altered = self._recoded.altered if self.settings.unit.splits else 0
        empty = NO_QUERY if QUERY in self.settings.unit.columns else NO_UNIT
        dropped = {empty: int(self._empty.sum()), TOO_LONG: int((self._too_long & ~self._empty).sum())}
        rest = len(self.log) - len(self.stays) - sum(dropped.values())
        parts = {"published": kept(len(self.stays) - altered), CHANGED: changed(altered), RARE: gone(rest)}
        return parts | {part: gone(n) for part, n in dropped.items()}

    @property
    def words(self) -> Ledger | None:
        """Return the outcome of the words of all rows, if words count separately."""
        if not self.settings.unit.splits:
            return None
        sizes = np.diff(self._read.words.indptr)
        return self._recoded.ledger(int(sizes[self.log.texts.items].sum()))

    @property
    def notes(self) -> tuple[str, ...]:
        """Return notes on what is left out and what is not protected."""
        alone = (
            self.settings.unit.columns == (QUERY,)
            and not self.settings.times
            and not self.settings.columns.ways
            and not self.settings.link.links
        )
        published = (*self.settings.unit.columns, *self.settings.columns.names, *([TIME] if self.settings.times else []))
        there = (*([TIME] if self.log.timed else []), QUERY, *self.log.further)
        dropped = [PAYLOAD[self.log.kind] if name == QUERY else name for name in there if name not in published]
        lines = [SILENT] if alone else [f"columns left out: {', '.join(dropped)}"] if dropped else []
        lines += [LINKED] if self.settings.link.links else [] if alone else [UNLINKED]
        return (*lines, *([COMBINATIONS] if self.settings.unit.splits else []))


def nothing_shared(settings: Kept, people: int) -> Infeasible:
    """Return the message if no unit has k of these people."""
    noun = "query" if settings.unit == WHOLE else "word of a query" if settings.unit.splits else str(settings.unit)
    within = f" within one {settings.window}" if settings.window else ""
    what = f"no {noun} was used by {settings.k:,} people or more{within}"
    return Infeasible(what, code="nothing-to-publish", hint="lower k or use more data", value=people, limit=settings.k)


def _combined(numbers: list[Ints]) -> Ints:
    """Number the distinct combinations of values of columns."""
    found = numbers[0]
    for number in numbers[1:]:
        both = found * (int(number.max(initial=0)) + 1) + number
        found = np.unique(both, return_inverse=True)[1].astype(np.int64)
    return found


def _numbered(column: pl.Series) -> tuple[pl.Series, Ints]:
    """Return the distinct values of a column, and the number of each cell's value."""
    frame = pl.DataFrame({"value": column})
    values = frame.unique(maintain_order=True).with_row_index("number")
    numbers = frame.join(values, on="value", how="left", maintain_order="left", nulls_equal=True)["number"]
    return values["value"].rename(column.name), numbers.to_numpy().astype(np.int64)
