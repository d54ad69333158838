"""Warnings shown in red wherever a release is shown: it is risky, or nearly empty, although its claims hold.

A release in which every record is unique hides nobody from an attacker who knows more than the claim covers. Warnings are derived from what
is published alone, so they add no information. A method adds its own as a note that begins with `WARNING: `. Kinds of tables add those that
need the original (`kinds/release_warnings.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from shoal.attacks.conclusion import Conclusion
from shoal.data.claims import Model
from shoal.data.release import Release
from shoal.data.tables.chunks import ChunkTable
from shoal.data.tables.counts import CountTable
from shoal.data.tables.rows import RowTable
from shoal.errors import ReleaseWarning
from shoal.methods import fate_of
from shoal.privacy import MODELS
from shoal.report.attacks import ATTACKS, conclusion_in
from shoal.util.wording import counted, percent

MARK = "WARNING: "
WARNINGS = "warnings"  # the key of these sentences in answers for programs
IN_FACT, SEVERE = "in_fact", "finds_most_people"  # keys of a compared release: what an attacker can do; finds most people
NEARLY = 0.5  # share of unique records from which on a release is warned of
_PLURAL = {"record": "records", "history": "histories"}
FEW_ROWS = 1  # rows that are next to nothing
FEW_PUBLISHED = 0.01  # share of the rows or records of the input that is next to nothing
RARE_WORDS = "no claim covers the number of people per published item: items of a single person may be published as typed"
FOUND = "an attacker who knows enough about a person finds that person's"

RARE = "rare-words"
FROM_MANIFEST = "stated-in-manifest"  # the code of a warning that is known by its sentence alone


Table = Mapping[str, Any]
"""A published table: its kind and the numbers that the manifest has of it."""


def alarms(manifest: Mapping[str, Any]) -> tuple[ReleaseWarning, ...]:
    """Return the warnings of a release, from its manifest."""
    tables = [file for file in manifest.get("files", ()) if "kind" in file and "rows" in file]
    own = _marked(manifest.get("notes", ()), {table["kind"] for table in tables})
    if not own and any(table["kind"] == ChunkTable.kind for table in tables):
        own = list(_rare_words(MODELS.make(claim["model"]) for claim in manifest["claims"]))
    few = _few_published(manifest.get("accounting", {}), str(manifest.get("method")))
    return (*own, *_of_tables(tables), *few, *(_of_verdict(conclusion_in(manifest)) if ATTACKS in manifest else ()))


def alarms_of_compared(numbers: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the warnings of a compared release, from its results."""
    return (*numbers.get(WARNINGS, ()), *_of_attacks(numbers.get(IN_FACT, ""), severe=bool(numbers.get(SEVERE))))


def _of_verdict(conclusion: Conclusion) -> Iterator[ReleaseWarning]:
    return _of_attacks(conclusion.in_fact, severe=conclusion.severe)


def _of_attacks(in_fact: str, *, severe: bool) -> Iterator[ReleaseWarning]:
    """Return a warning if an attack finds most people."""
    if severe:
        yield ReleaseWarning("people-found", f"most people can be found: {in_fact}")


def alarms_in(release: Release) -> tuple[ReleaseWarning, ...]:
    """Return the warnings of a release, from its notes, its claims and its tables."""
    tables = [{"table": name, "kind": table.kind, **table.facts()} for name, table in release.tables.items()]
    own = _marked(release.notes, release.kinds)
    if not own and release.claims and ChunkTable.kind in release.kinds:
        own = list(_rare_words(release.claims))
    return tuple(dict.fromkeys((*linked_rows(release), *own, *_of_tables(tables))))


def alarm_notes(release: Release) -> tuple[str, ...]:
    """Return notes for the manifest with the warnings that its numbers do not imply."""
    return tuple(f"{MARK}{warning}" for warning in linked_rows(release))


def other_notes(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the notes of a manifest that are not warnings."""
    return tuple(note for note in manifest.get("notes", ()) if not note.startswith(MARK))


def uniqueness(records: int, unique: int, *, what: str = "record", exact: bool = True) -> Iterator[ReleaseWarning]:
    """Return a warning if all or nearly all records are unique; `exact`: exactly `unique` of them are."""
    code = f"unique-{_PLURAL[what]}"
    if records and unique == records:
        yield ReleaseWarning(code, f"every published {what} is unique: no two are the same, so {FOUND} {what}")
    elif records and unique >= NEARLY * records:
        least = "" if exact else "at least "
        yield ReleaseWarning(code, f"{least}{percent(unique / records)} of the published {_PLURAL[what]} are unique: {FOUND} {what}")


def linked_rows(release: Release) -> Iterator[ReleaseWarning]:
    """Return a warning if pseudonyms link rows and most pseudonyms have unique rows."""
    for table in release.tables_of(RowTable):
        if table.pseudonyms is not None and table.has_unit:
            text = pl.col(table.unit).fill_null("").sort().str.join("\0")
            same = table.frame.group_by(table.pseudonyms).agg(text.alias("rows")).group_by("rows").len()["len"]
            yield from uniqueness(int(same.sum()), int((same == 1).sum()), what="history")


def _marked(notes: Iterable[str], kinds: Collection[str]) -> list[ReleaseWarning]:
    """Return the warnings among notes; those of methods that publish chunks are about rare words."""
    code = RARE if ChunkTable.kind in kinds else FROM_MANIFEST
    return [ReleaseWarning(code, note.removeprefix(MARK)) for note in notes if note.startswith(MARK)]


def _rare_words(claims: Iterable[Model]) -> Iterator[ReleaseWarning]:
    """Return a warning if chunks are published and no claim bounds the number of people per word."""
    if all(claim.item_holders is None for claim in claims):
        yield ReleaseWarning(RARE, RARE_WORDS)


def _of_tables(tables: Iterable[Table]) -> Iterator[ReleaseWarning]:
    listed = list(tables)
    return (sentence for check in _CHECKS for sentence in check(listed))


def _unique_records(tables: Iterable[Table]) -> Iterator[ReleaseWarning]:
    """Return a warning based on the distinct records: if d of n are distinct, at least 2d - n are unique."""
    for table in tables:
        if "different" in table:
            rows, different = int(table["rows"]), int(table["different"])
            yield from uniqueness(rows, max(0, 2 * different - rows), exact=rows == different)


def _few_rows(tables: Iterable[Table]) -> Iterator[ReleaseWarning]:
    """Return a warning if noise has left nearly nothing."""
    counts = [int(table["rows"]) for table in tables if table["kind"] == CountTable.kind]
    if counts and sum(counts) <= FEW_ROWS:
        text = f"almost nothing is published: {counted(sum(counts), 'row')}. More people, or a larger epsilon or delta, would keep more"
        yield ReleaseWarning("few-rows", text)


def _few_published(account: Mapping[str, Mapping[str, int]], method: str) -> Iterator[ReleaseWarning]:
    """Return a warning if hardly any row or record of the input is published, according to the manifest."""
    for name in ("rows", "records"):
        ledger = account.get(name, {"in": 0})
        left = sum(n for part, n in ledger.items() if part != "in" and fate_of(part, method) != "gone")
        if ledger["in"] and left <= FEW_PUBLISHED * ledger["in"]:
            text = f"almost nothing is published: {percent(left / ledger['in'])} of the {name}"
            yield ReleaseWarning("few-published", f"{text}. More people, or a smaller k, would keep more")


def _no_items(tables: Iterable[Table]) -> Iterator[ReleaseWarning]:
    """Return a warning if all published records are empty."""
    if any(table["rows"] and table.get("occurrences") == 0 for table in tables):
        yield ReleaseWarning("no-items", "no item is published: every record is empty")


_CHECKS: tuple[Callable[[Iterable[Table]], Iterator[ReleaseWarning]], ...] = (_unique_records, _few_rows, _no_items)
