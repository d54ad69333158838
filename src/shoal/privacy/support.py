"""Support: at least k different people share every published query, word or combination of columns of a log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.data.claims import Verdict, verified_if
from shoal.data.durations import PERIODS, Period
from shoal.data.query_units import QUERY, TIME, PublishedColumns, Unit
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError, option
from shoal.parameters import param
from shoal.privacy.evidence.cluster_judging import JudgesRows
from shoal.privacy.evidence.row_support import (
    CountedRows,
    RowRules,
    RowsToCount,
    SeenRows,
    people_behind,
    recoded_original,
    strangers,
    too_long,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.original import LogOriginal

ROWS_ONLY = "rows were counted: files do not contain the number of people per query, but the original does"
PARTS_ONLY = "pseudonyms were counted, but one person may have several; the original has the number of people"
NO_WINDOWS = "pseudonyms were counted over the whole file, which does not contain the {} of a row; the original does"
AS_PEOPLE = "each pseudonym was counted as one person, as the claim states; only the original can confirm this"

LEVELS = {
    "records": "published rows of the rarest published unit: a query, a word, or a combination of columns",
    "people": "different people who have the published unit that fewest people have",
    "pseudonyms": "different pseudonyms of the published unit that fewest pseudonyms have",
    "people_of_cells": "different people who have the rarest value in the additional columns",
}
SENTENCES = {
    "people": "{every} published {unit} {least} {people}",
    "records": "{every} published {unit_alone} occurs {least} {times}",
    "pseudonyms": "{every} published {unit_alone} has {least} {pseudonyms}",
    "people_of_cells": "{every} value in the additional columns belongs to {least} {people}",
}


@dataclass(frozen=True)
class Support(JudgesRows):
    """At least k different people share each published query, word or combination of columns."""

    name = "support"
    protects = (
        "A query of fewer than k people, such as a name or an address that only one person searches for, is not published; the same "
        "holds for a word or a combination of columns if that is the unit."
    )
    does_not_protect = (
        "Rare combinations: nothing is guaranteed about several frequent words in one query, several units in one row, or several "
        "rows under one pseudonym, which are linked. People are counted by their user IDs: someone who issues a query from k accounts "
        "gets it published. What k people searched for is published however revealing it is."
    )
    limits = (
        "It does not protect combinations: several frequent words in one query, or several rows under one pseudonym, may together "
        "identify one person."
    )
    judges = frozenset({"rows"})
    level_words = LEVELS
    level_sentences = SENTENCES
    promised_by = {"records": "k", "people": "k", "pseudonyms": "k", "people_of_cells": "group"}  # noqa: RUF012 (never changed)

    k: int = param(5, minimum=2, help="minimum number of people who share each published query or other unit")
    unit: Unit | None = param(None, help="unit to count: query, term, or columns such as query+url (default: query)")
    rare: str | None = param(None, choices=("omit", "generalize"), help="whether rare terms are omitted from queries or generalized")
    words: int | None = param(None, minimum=1, help="maximum number of words per published query")
    window: str | None = param(None, choices=PERIODS, help="time window within which k people must share the unit")
    times: str | None = param(None, choices=PERIODS, help="precision of published times")
    columns: PublishedColumns | None = param(None, help="additional published columns, each as prefixes or ranges")
    group: int | None = param(None, minimum=2, help="minimum number of people who share each additional value (default: k)")
    pseudonyms: str | None = param(
        None, choices=("people", "parts"), help="whether a pseudonym covers all rows of a person or a part of them"
    )

    def promised(self, level: str) -> Any:
        """Return the value of the parameter that promises a level; that of further columns is k by default."""
        value = super().promised(level)
        return self.k if value is None and level == "people_of_cells" else value

    @property
    def in_sentences(self) -> Mapping[str, Any]:
        """Return the name of the unit, also with a verb."""
        names = {"query": ("query", "query was issued by"), "term": ("word", "word was used by")}
        alone, used = names.get(str(self.unit or QUERY), ("combination of columns", "combination of columns belongs to"))
        return {"unit_alone": alone, "unit": used}

    def __post_init__(self) -> None:
        super().__post_init__()
        rules = self._rules
        if rules.window and rules.unit.splits and (rules.times != rules.window or (self.group or 0) > self.k):
            what = "words that are counted within windows of time need times that determine the window, and a group of at most k people"
            raise ParameterError(what, code="options-conflict", hint=f"use times={rules.window}")
        if TIME in rules.unit.columns and rules.times is None:
            raise ParameterError(
                "the unit contains times, but none are published", code="options-conflict", hint=f"use times={PERIODS[-1]}"
            )
        if rules.words is not None and QUERY not in rules.columns:
            what = f"words={rules.words} limits the words of published queries, but only {', '.join(rules.columns)} is published"
            raise ParameterError(
                what, code="options-conflict", hint="leave words out, or publish the query too: unit=query+url, or columns=query"
            )
        if rules.rare != "drop" and not rules.unit.splits:
            raise ParameterError(
                f"rare={rules.rare} is for words, but the unit is {rules.unit}", code="options-conflict", hint="use unit=term"
            )

    @property
    def group_size(self) -> int | None:
        """The number of identical rows: k, unless words are counted or no queries are published."""
        return self.k if not self._rules.unit.splits and QUERY in self._rules.unit.columns else None

    @property
    def people_per_query(self) -> int | None:
        """The number of people per query: k, if queries are the unit over the whole log."""
        return self.k if self._rules.unit == Unit() and self.window is None else None

    @property
    def _rules(self) -> RowRules:
        period: dict[str, Period] = {name: name for name in PERIODS}
        return RowRules(
            unit=self.unit or Unit(),
            rare=self.rare or "drop",
            words=self.words,
            window=period.get(self.window or ""),
            times=period.get(self.times or ""),
            ways=dict(self.columns.ways) if self.columns else {},
            k=self.k,
        )

    def judged_columns(self, table: RowTable) -> frozenset[str]:
        """Return the columns that the claim names, and the pseudonyms if it states their scope."""
        named = {*self._rules.unit.columns, *self._rules.ways} | ({TIME} if self.times else set())
        payload = {table.unit} if QUERY in named else set()
        linked = {table.pseudonyms} if self.pseudonyms and table.pseudonyms else set()
        return frozenset((named - {QUERY}) | payload | linked)

    def not_checked(self, table: Any, *, with_original: bool) -> Mapping[str, str]:
        """Return what remains open: every published row must be an original one; which rows belong to one person is not known."""
        if with_original:
            linked = self.pseudonyms == "parts" and table.pseudonyms is not None
            return {str(table.pseudonyms): "which rows have one pseudonym"} if linked else {}
        judged = self.judged_columns(table)
        return {name: "whose rows they link" if name == table.pseudonyms else "" for name in table.columns if name in judged}

    def judge(self, release: Release, original: LogOriginal | None) -> Verdict:
        """Count the rows of each published unit; with the original, its people and its original rows."""
        table = release.only(RowTable)
        seen = SeenRows.of(table, self._rules, self.pseudonyms)
        broken = [*seen.faults]
        if broken:
            return Verdict(str(self), "fails", {"records": 0}, tuple(broken))
        rows = seen.rows_of_units()
        achieved = {"records": _least(rows)}
        if original is not None:
            return self._against(seen, original, achieved)
        short = int((rows < self.k).sum())
        return Verdict(str(self), "fails", achieved, (self._in_few_rows(short),)) if short else self._from_pseudonyms(seen, achieved)

    def _against(self, seen: SeenRows, original: LogOriginal, achieved: dict[str, int]) -> Verdict:
        """Verify that every published row is an original one under the recoding that the published values imply."""
        found = recoded_original(seen, original)
        broken = []
        people = people_behind(seen, found.rows)
        if short := int((people.units["people"] < self.k).sum()):
            broken.append(self._of_few_people(short))
        broken += self._cells(people.cells)
        if found.unexplained:
            broken.append(_without_original(found.unexplained))
        if self.pseudonyms == "people" and (wrong := strangers(seen, found.rows)):
            broken.append(f"{wrong:,} {'pseudonym has' if wrong == 1 else 'pseudonyms have'} not just the rows of one person")
        return Verdict(str(self), verified_if(not broken), achieved | people.levels, tuple(broken))

    def _from_pseudonyms(self, seen: SeenRows, achieved: dict[str, int]) -> Verdict:
        """Verify rows without the original, each unit of which has k rows at least: pseudonyms are counted if these are people."""
        if seen.linked is None:
            return Verdict(str(self), "not checkable", achieved, unchecked=ROWS_ONLY)
        people = people_behind(seen, seen.linked)
        short = int((people.units["people"] < self.k).sum())
        broken = [f"{self._units(short)} published under fewer than {self.k:,} pseudonyms{self._within}"] if short else []
        broken += self._cells(people.cells)
        named = people.levels if self.pseudonyms == "people" else {"pseudonyms": people.levels["people"]}
        if broken:
            return Verdict(str(self), "fails", achieved | named, tuple(broken))
        if self.pseudonyms == "parts" or (self.window is not None and not seen.windowed):
            why = PARTS_ONLY if self.pseudonyms == "parts" else NO_WINDOWS.format(self.window)
            return Verdict(str(self), "not checkable", achieved | {"pseudonyms": people.levels["people"]}, unchecked=why)
        return Verdict(str(self), "verified", achieved | named, notes=(AS_PEOPLE,))

    @property
    def rows_to_count(self) -> RowsToCount | None:
        """Return what workers count: queries or their words over the whole period, without other columns."""
        others = (self.rare, self.window, self.times, self.columns, self.group, self.pseudonyms)
        alone = self._rules.unit.columns == (QUERY,) and all(setting is None for setting in others)
        return RowsToCount(self.k, self.words, self._rules.unit.splits) if alone else None

    def judge_rows(self, counted: CountedRows) -> Verdict:
        """Verify rows counted on a cluster as `judge` does."""
        if self.rows_to_count is None:
            raise ParameterError(f"{self} is judged on one machine", code="not-on-a-cluster", hint=f"leave {option('engine')} out")
        if counted.long:
            return Verdict(str(self), "fails", {"records": 0}, (too_long(counted.long, self.words or 0),))
        achieved = {"records": counted.rows}
        if counted.people is None:
            if counted.short:
                return Verdict(str(self), "fails", achieved, (self._in_few_rows(counted.short),))
            return Verdict(str(self), "not checkable", achieved, unchecked=ROWS_ONLY)
        broken = [self._of_few_people(counted.short)] if counted.short else []
        broken += [_without_original(counted.unexplained)] if counted.unexplained else []
        return Verdict(str(self), verified_if(not broken), achieved | {"people": counted.people}, tuple(broken))

    def _of_few_people(self, units: int) -> str:
        return f"{self._units(units)} used by fewer than {self.k:,} people{self._within}"

    def _in_few_rows(self, units: int) -> str:
        return f"{self._units(units)} published in fewer than {self.k:,} rows"

    def _cells(self, cells: dict[str, pl.Series]) -> Iterator[str]:
        """Return faults of the columns next to the unit."""
        least = self.group or self.k
        for name, people in cells.items():
            if short := int((people < least).sum()):
                yield f"{short:,} {'value' if short == 1 else 'values'} of the column {name!r} {_was(short)} of fewer than {least:,} people"

    @property
    def _within(self) -> str:
        return f" within one {self.window}" if self.window else ""

    def _units(self, n: int) -> str:
        one, many = {"query": ("query", "queries"), "term": ("word", "words")}.get(
            str(self.unit or "query"), ("combination", "combinations")
        )
        return f"{n:,} {one if n == 1 else many} {_was(n)}"


def _without_original(rows: int) -> str:
    return f"{rows:,} published {'row has' if rows == 1 else 'rows have'} no row of the original"


def _was(n: int) -> str:
    return "was" if n == 1 else "were"


def _least(numbers: pl.Series) -> int:
    return int(numbers.to_numpy().min()) if len(numbers) else 0
