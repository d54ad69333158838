"""The summary of records that were taken apart: all words are there as typed; how many still stand together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.counting import counted, percent
from shoal.data.occurrence_forms import ALONE, TERM_CHUNK, TOGETHER
from shoal.report.record_summary import BEFORE
from shoal.report.summary import Share, Summary
from shoal.report.verdict_text import Tile

TONES = {TOGETHER: "same", ALONE: "near", TERM_CHUNK: "changed"}


def summary_of_chunks(manifest: Mapping[str, Any]) -> Summary:
    """The summary of chunks from what a manifest tells."""
    ledger = manifest.get("accounting", {}).get("occurrences", {})
    given = {part: n for part, n in ledger.items() if part != "in" and part not in BEFORE}
    whole = sum(given.values())
    gone = whole - sum(given.get(part, 0) for part in TONES)
    told = {**{part: (given.get(part, 0), tone) for part, tone in TONES.items()}, "not at all": (gone, "gone0")}
    shares = tuple(Share(part, n, whole, tone) for part, (n, tone) in told.items()) if whole else ()
    as_typed = (whole - gone) / whole if whole else None
    lines = () if as_typed is None else (("as typed", f"{percent(as_typed)} of the words, each in its cluster"),)
    return Summary(shares, (*lines, *_published(manifest)), _tile(shares), as_typed)


def _published(manifest: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    facts = next((file for file in manifest.get("files", []) if "clusters" in file), None)
    if facts is None:
        return ()
    parts = f"{counted(facts['subrecords'], 'part')} of {counted(facts['records'], 'record')}"
    return (("published", f"{parts} in {counted(facts['clusters'], 'cluster')}; {counted(facts['items'], 'different term')}"),)


def _tile(shares: tuple[Share, ...]) -> Tile:
    beside = shares[0].text if shares else "not told"
    return Tile("Together", beside, "of the words still stand beside another word of their record")
