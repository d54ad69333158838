"""A release beside its original, and the means to make it again, of all people or of some rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from shoal.data.bags import Bags, Ints
from shoal.data.log import Log
from shoal.data.original import AnyOriginal, LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.data.taxonomy import Taxonomy
from shoal.errors import InputError
from shoal.evaluate.attack.stage import facing
from shoal.io.read.dispatch import Reading
from shoal.io.rules_file import RulesFile
from shoal.methods import Method
from shoal.pipeline.contract import made_by
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import Prepared, prepare
from shoal.pipeline.reuse_rules import reapplied


@dataclass(frozen=True, eq=False)
class CaseSource:
    """Data as it was read, of which everybody, or only some people, are prepared in the same way."""

    reading: Reading
    how: Preparation
    given: Taxonomy | None = None

    @property
    def owners(self) -> Ints:
        """Whose each row or record is."""
        data = self.reading.data
        if isinstance(data, Log):
            return data.frame["owner"].to_numpy()
        if isinstance(data, Bags):
            return data.owners
        raise InputError("attacks work on records of items and on rows of logs", code="attack-not-applicable")

    def prepared(self, wanted: Any = None) -> Prepared:
        """Everybody; or those rows or records where a mask is true."""
        data = self.reading.data if wanted is None else part_of(self.reading.data, wanted)
        return prepare(replace(self.reading, data=data), self.how, self.given)


@dataclass(frozen=True, eq=False)
class Case:
    """A release beside its original: with its secret where it is known which record became which, else as it was read.

    `method` makes it again of some people or rows, under `rules` where there are any; None if it is not known.
    """

    source: CaseSource
    prepared: Prepared
    release: Release
    method: Method | None
    rules: RulesFile | None = None

    def made_of(self, wanted: Any) -> tuple[AnyOriginal, Release]:
        """The original where a mask over what was read is true, and what the method makes of it; an error where it cannot."""
        assert self.method is not None
        some = self.source.prepared(wanted)
        work = None if self.rules is None else partial(reapplied, self.method, some, self.rules)
        return some.original, made_by(self.method, some.original, work)


def facing_release(case: Case) -> Case:
    """The case with the original as the release shows it: by URLs, where the release shows neither queries nor items."""
    table = next(iter(case.release.tables_of(RowTable)), None)
    original, data = case.prepared.original, case.source.reading.data
    if table is None or table.has_unit or not isinstance(original, LogOriginal) or not isinstance(data, Log):
        return case
    shown = replace(original, log=facing(original.log, table))
    source = replace(case.source, reading=replace(case.source.reading, data=facing(data, table)))
    return replace(case, source=source, prepared=replace(case.prepared, original=shown))


def part_of(data: Any, wanted: Any) -> Log | Bags:
    """The rows of a log, or the records, where a mask is true."""
    return replace(data, frame=data.frame.filter(wanted)) if isinstance(data, Log) else data.select(wanted)
