"""A release with its original, and functions that make it again for all people or some rows."""

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
    """Data as read, of which everybody, or only some people, are prepared in the same way."""

    reading: Reading
    preparation: Preparation
    loaded_taxonomy: Taxonomy | None = None

    @property
    def owners(self) -> Ints:
        """The user of each row or record."""
        data = self.reading.data
        if isinstance(data, Log):
            return data.frame["owner"].to_numpy()
        if isinstance(data, Bags):
            return data.owners
        raise InputError("attacks work on records of items and on rows of logs", code="attack-not-applicable")

    def prepared(self, selection: Any = None) -> Prepared:
        """Prepare everybody, or the rows or records where a mask is true."""
        data = self.reading.data if selection is None else part_of(self.reading.data, selection)
        return prepare(replace(self.reading, data=data), self.preparation, self.loaded_taxonomy)


@dataclass(frozen=True, eq=False)
class Case:
    """A release with its original: with the record-to-group mapping if it is known, otherwise as read.

    `method` makes it again for some people or rows, with `rules` if there are any; None if it is not known.
    """

    source: CaseSource
    prepared: Prepared
    release: Release
    method: Method | None
    rules: RulesFile | None = None

    def made_of(self, selection: Any) -> tuple[AnyOriginal, Release]:
        """Return the original where a mask over the data is true, and the method's release of it. Raise if that is impossible."""
        assert self.method is not None
        some = self.source.prepared(selection)
        work = None if self.rules is None else partial(reapplied, self.method, some, self.rules)
        return some.original, made_by(self.method, some.original, work)


def facing_release(case: Case) -> Case:
    """Return the case with the original as the release shows it: by URLs, if the release shows neither queries nor items."""
    table = next(iter(case.release.tables_of(RowTable)), None)
    original, data = case.prepared.original, case.source.reading.data
    if table is None or table.has_unit or not isinstance(original, LogOriginal) or not isinstance(data, Log):
        return case
    shown = replace(original, log=facing(original.log, table))
    source = replace(case.source, reading=replace(case.source.reading, data=facing(data, table)))
    return replace(case, source=source, prepared=replace(case.prepared, original=shown))


def part_of(data: Any, selection: Any) -> Log | Bags:
    """Return the rows of a log, or the records, where a mask is true."""
    return replace(data, frame=data.frame.filter(selection)) if isinstance(data, Log) else data.select(selection)
