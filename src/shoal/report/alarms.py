"""Warnings that are shown in red wherever a release is shown: what makes it dangerous, or next to empty, although its claims hold.

A release in which every record is unique hides nobody from an attacker who knows more than the claim provides for. Warnings are derived
from what is published alone, so they add no information. A method adds its own as a note that begins with `WARNING: `.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from shoal.counting import counted, percent
from shoal.data.release import Release
from shoal.data.tables.counts import CountTable
from shoal.data.tables.rows import RowTable
from shoal.report.attack_summary import conclusion_in

MARK = "WARNING: "
WARNINGS = "warnings"  # the key of these sentences in answers for programs
NEARLY = 0.5  # share of unique records from which on a release is warned of
_PLURAL = {"record": "records", "history": "histories"}
FEW_ROWS = 1  # rows of noisy counts that are next to nothing
FOUND = "whoever knows enough of a person finds that person's"

Table = Mapping[str, Any]
"""A published table: its kind and the numbers that the manifest has of it."""


def alarms(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The warnings of a release, from its manifest."""
    own = [note.removeprefix(MARK) for note in manifest.get("notes", ()) if note.startswith(MARK)]
    tables = [file for file in manifest.get("files", ()) if "kind" in file and "rows" in file]
    verdict = conclusion_in(manifest)
    found = [f"most people can be found: {verdict.in_fact}"] if verdict.severe else []
    return (*own, *_of_tables(tables), *found)


def alarms_in(release: Release) -> tuple[str, ...]:
    """The warnings of a release, from its tables."""
    tables = [{"table": name, "kind": table.kind, **table.facts()} for name, table in release.tables.items()]
    return (*linked_rows(release), *_of_tables(tables))


def alarm_notes(release: Release) -> tuple[str, ...]:
    """Notes for the manifest with the warnings that its numbers do not imply."""
    return tuple(f"{MARK}{warning}" for warning in linked_rows(release))


def other_notes(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The notes of a manifest that are no warnings."""
    return tuple(note for note in manifest.get("notes", ()) if not note.startswith(MARK))


def uniqueness(records: int, unique: int, *, what: str = "record", exact: bool = True) -> Iterator[str]:
    """A sentence where all records are unique, or nearly all; `exact`: neither more nor fewer than `unique` are."""
    if records and unique == records:
        yield f"every published {what} is unique: no two are the same, so {FOUND} {what}"
    elif records and unique >= NEARLY * records:
        least = "" if exact else "at least "
        yield f"{least}{percent(unique / records)} of the published {_PLURAL[what]} are unique: {FOUND} {what}"


def linked_rows(release: Release) -> Iterator[str]:
    """A sentence where rows are linked by pseudonyms, and most pseudonyms have rows like no other one."""
    for table in release.tables.values():
        if isinstance(table, RowTable) and table.pseudonyms is not None and table.has_unit:
            text = pl.col(table.unit).fill_null("").sort().str.join("\0")
            same = table.frame.group_by(table.pseudonyms).agg(text.alias("rows")).group_by("rows").len()["len"]
            yield from uniqueness(int(same.sum()), int((same == 1).sum()), what="history")


def _of_tables(tables: Iterable[Table]) -> Iterator[str]:
    told = list(tables)
    return (sentence for check in _CHECKS for sentence in check(told))


def _unique_records(tables: Iterable[Table]) -> Iterator[str]:
    """If d of n records are different, at least 2d - n are unique."""
    for table in tables:
        if "different" in table:
            rows, different = int(table["rows"]), int(table["different"])
            yield from uniqueness(rows, max(0, 2 * different - rows), exact=rows == different)


def _few_counts(tables: Iterable[Table]) -> Iterator[str]:
    """A sentence where noise has left next to nothing."""
    counts = [int(table["rows"]) for table in tables if table["kind"] == CountTable.kind]
    if counts and sum(counts) <= FEW_ROWS:
        yield f"hardly anything is published: {counted(sum(counts), 'row')}. More people, or a larger epsilon or delta, would keep more"


_CHECKS: tuple[Callable[[Iterable[Table]], Iterator[str]], ...] = (_unique_records, _few_counts)
