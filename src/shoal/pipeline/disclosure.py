"""Which numbers may be published next to which claims, decided here once for manifest, report and terminal.

Each model declares its `safe_numbers`. Next to claims that are counted from the published tables, exact numbers about the original do no
harm. Next to a claim that rests on noise none may be published. In between are claims that some numbers would break: rho-uncertainty
promises that nobody infers a sensitive item, and the number of suppressed occurrences would disclose how many people have one.

The person who makes the release holds the original. So numbers that may not be published are still shown on that person's terminal, unless
the claims allow no exact number at all.

What is announced before the work obeys the same rules: how the input was understood, what was left out, what the user may not mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.data.claims import ALL_NUMBERS, Model, Numbers
from shoal.data.column_list import ColumnNames
from shoal.data.original import KEPT, AnyOriginal
from shoal.data.release import Release
from shoal.errors import option
from shoal.kinds import facts_of
from shoal.methods import Method
from shoal.pipeline.prepare import READ_AS, Prepared
from shoal.report.attacks import ATTACKS
from shoal.report.facts import Facts

COUNTS, WITHHELD, PARTLY = "counts", "withheld", "partly withheld"
FURTHER_DETAILS = "further details of the input contain numbers that would break the guarantee; `shoal look` shows them to you"
PEOPLE, WORDS = "people", "words"
OF_PEOPLE = frozenset({"records", "owners", "files"})  # numbers of the input, and ledgers of the account; a row may be one word
SETTINGS = frozenset({READ_AS, "terms", "floor", "min_support"})  # what the user typed


def safe_numbers(claims: Iterable[Model]) -> frozenset[Numbers]:
    """Return the exact numbers about the original that may be published together with all of these claims."""
    return ALL_NUMBERS.intersection(*(claim.safe_numbers for claim in claims))


def disclosed(manifest: Mapping[str, Any], claims: Iterable[Model], from_file: Sequence[Sequence[str]] = ()) -> dict[str, Any]:
    """Return the part of a manifest that may be published with these claims; `counts` records that something was left out.

    `from_file` are the notes of each claim as judged from the files alone. Where numbers of words are not safe, only these are published:
    they tell nothing that the tables do not.
    """
    safe = safe_numbers(claims)
    if safe == ALL_NUMBERS:
        return dict(manifest)
    published = {part: fact for part, fact in manifest.items() if part != ATTACKS or ATTACKS in safe}
    published["input"] = _safe_input(manifest["input"], safe)
    published["accounting"] = {name: ledger for name, ledger in manifest.get("accounting", {}).items() if _is_safe(name, safe)}
    if WORDS not in safe:
        published["metrics"] = {}
        notes = dict(enumerate(from_file))
        published["claims"] = [_with_notes(claim, notes.get(i, ())) for i, claim in enumerate(manifest.get("claims", []))]
    return published | {COUNTS: PARTLY if safe else WITHHELD}


def unsafe_parts(manifest: Mapping[str, Any], safe: frozenset[Numbers]) -> Iterator[str]:
    """Yield the keys of a manifest that contain numbers which may not be published if only `safe` ones may."""
    yield from (f"input.{name}" for name in manifest["input"] if name not in _safe_input(manifest["input"], safe))
    yield from (f"accounting.{name}" for name in manifest["accounting"] if not _is_safe(name, safe))
    if manifest["metrics"] and WORDS not in safe:
        yield "metrics"
    if ATTACKS in manifest and ATTACKS not in safe:
        yield ATTACKS


def unsafe_notes(manifest: Mapping[str, Any], safe: frozenset[Numbers], implied: Iterable[str]) -> Iterator[str]:
    """Yield the notes of a manifest that contain numbers which may not be published; `implied` are notes that follow from the tables."""
    if WORDS in safe:
        return
    known = set(implied)
    yield from (f"notes[{i}]" for i, note in enumerate(manifest["notes"]) if re.search(r"\d", note) and note not in known)


def disclosed_input(facts: Mapping[str, Any], claims: Iterable[Model]) -> dict[str, Any]:
    """Return the facts about the input that may be published with these claims."""
    return _safe_input(facts, safe_numbers(claims))


def disclosed_notes(notes: Iterable[str], claims: Iterable[Model]) -> tuple[str, ...]:
    """Return the notes about reading that may be shown on a terminal. Notes with numbers are left out if no exact number is allowed."""
    published = tuple(notes)
    if safe_numbers(claims):
        return published
    silent = tuple(note for note in published if not re.search(r"\d", note))
    return silent if len(silent) == len(published) else (*silent, FURTHER_DETAILS)


def disclosed_facts(manifest: Mapping[str, Any], release: Release, original: AnyOriginal) -> Facts:
    """Return the data for the charts of the report. Distributions of the original are included only if exact numbers of words are safe."""
    if WORDS in safe_numbers(release.claims):
        return facts_of(manifest, release, original)
    return Facts(manifest=manifest, published=release.n_rows)


def for_the_publisher(manifest: Mapping[str, Any], whole: Mapping[str, Any], claims: Iterable[Model]) -> dict[str, Any]:
    """Return a manifest with withheld numbers restored, for the terminal. If no exact number is allowed, it is returned as published.

    `whole` is the manifest before anything was withheld.
    """
    if not safe_numbers(claims):
        return dict(manifest)
    numbers = {part: whole[part] for part in ("input", "accounting", "metrics", "notes", ATTACKS) if part in whole}
    return {part: fact for part, fact in manifest.items() if part != COUNTS} | numbers


def _with_notes(claim: Mapping[str, Any], notes: Sequence[str]) -> dict[str, Any]:
    """Return a claim of a manifest with other notes."""
    return {name: fact for name, fact in claim.items() if name != "notes"} | ({"notes": list(notes)} if notes else {})


def _is_safe(name: str, safe: frozenset[Numbers]) -> bool:
    """Whether a number of the input, or a ledger, may be published."""
    return (PEOPLE if name in OF_PEOPLE else WORDS) in safe


def _safe_input(facts: Mapping[str, Any], safe: frozenset[Numbers]) -> dict[str, Any]:
    """Return texts, settings and safe numbers about the input. If no number is safe, settings with numbers are left out too."""
    if not safe:
        return {name: fact for name, fact in facts.items() if isinstance(fact, str) or name == READ_AS}
    return {name: fact for name, fact in facts.items() if not isinstance(fact, int) or name in SETTINGS or _is_safe(name, safe)}


# -- announcements before the work


ROWS_LEFT_OUT = "left out: unreadable rows; publishing their number would break the guarantee, but `shoal look` shows it to you"


@dataclass(frozen=True)
class Announced:
    """Notes on how the input was read, skipped rows, and warnings."""

    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def announced(prepared: Prepared, claims: Iterable[Model] = ()) -> Announced:
    """Describe how the input was read and what was skipped, before the method runs, which may take hours.

    With claims that forbid exact counts, no number is shown.
    """
    left_out = prepared.reading.defects.described() if prepared.reading else []
    lines = [f"left out: {line}" for line in left_out]
    if not safe_numbers(claims := tuple(claims)):
        lines = [ROWS_LEFT_OUT] if lines else []
    return Announced(disclosed_notes(prepared.notes, claims), tuple(lines), tuple(_unprotected(prepared, claims)))


def doubts(method: Method) -> list[str]:
    """Return warnings about unintended effects of a method and its parameters."""
    if method.guarantees_nothing:
        return [f"no guarantee. Not protected: {method.not_protected}"]
    if method.caution:
        return [method.caution]
    chosen = method.values()
    if chosen.get("public") is not None and "private" in chosen and chosen["private"] is None:
        return [f"with {option('public')} alone, all other items are private, and private items are published unchanged"]
    return []


def _unprotected(prepared: Prepared, claims: Iterable[Model]) -> list[str]:
    covered = {name for claim in claims if isinstance(found := claim.values().get("sensitive"), ColumnNames) for name in found.names}
    kept = [name for name in prepared.original.columns().get(KEPT, []) if name not in covered]
    names = ", ".join(map(repr, kept))
    return [f"published unchanged and not covered by the claim: {names}; together they may identify people"] if kept else []
