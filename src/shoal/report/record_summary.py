"""The summary of published records: in which form their words are published, how many different terms there are, and what was lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.counting import counted, percent
from shoal.data.occurrence_forms import CATEGORY, PARENT, RENAMED, TOP, TYPED
from shoal.data.original import NOT_IN_TAXONOMY, REPEATED
from shoal.methods import fate_of
from shoal.report.summary import NOT_MEASURED, Share, Summary, share_in
from shoal.report.verdict_text import Tile

AS_TYPED = "as typed"
FORMS = {
    AS_TYPED: ((TYPED,), "same"),
    "within one level": ((RENAMED, PARENT), "near"),
    "as categories": ((CATEGORY,), "changed"),
    "root or unlisted": ((TOP,), "vague0"),
}
FORM_TONES = {part: tone for parts, tone in FORMS.values() for part in parts}
BEFORE = (NOT_IN_TAXONOMY, REPEATED)  # left out before the method saw the records


def summary_of_records(manifest: Mapping[str, Any]) -> Summary:
    """The summary of records from what a manifest tells."""
    shares = forms(manifest.get("accounting", {}).get("occurrences", {"in": 0}), str(manifest.get("method")))
    metrics = manifest.get("metrics", {})
    as_typed = next((share.value for share in shares if share.name == AS_TYPED), None)
    return Summary(shares, (*_terms(manifest), *_lost(metrics), *_added(metrics), *_published(manifest)), _tile(metrics), as_typed)


def summary_of_groups(manifest: Mapping[str, Any]) -> Summary:
    """The summary of records whose sensitive items are counted per group: what is as typed, and how far the groups mislead."""
    shares = forms(manifest.get("accounting", {}).get("occurrences", {"in": 0}), str(manifest.get("method")))
    as_typed = next((share.value for share in shares if share.name == AS_TYPED), None)
    facts, error = _facts(manifest), share_in(manifest.get("metrics", {}), "reconstruction_kl")
    lines = (("published", f"{counted(facts['rows'], 'record')} in {counted(facts['groups'], 'group')}"),) if "groups" in facts else ()
    if error is None:
        return Summary(shares, lines, NOT_MEASURED, as_typed)
    note = "mean divergence of what the groups tell of sensitive items from what is; 0 is the original"
    return Summary(shares, (*lines, ("misled", f"{error:.3g}: {note}")), Tile("Misled", f"{error:.3g}", note), as_typed)


def forms(ledger: Mapping[str, int], method: str) -> tuple[Share, ...]:
    """The occurrences that the method was given, by the form in which they are published; none where nothing was given."""
    given = {part: n for part, n in ledger.items() if part != "in" and part not in BEFORE}
    whole = sum(given.values())
    if not whole:
        return ()
    told = {name: (sum(given.get(part, 0) for part in parts), tone) for name, (parts, tone) in FORMS.items()}
    named = {part for parts, _ in FORMS.values() for part in parts}
    own = {part: (n, "changed") for part, n in given.items() if part not in named and fate_of(part, method) != "gone"}
    gone = whole - sum(n for n, _ in (*told.values(), *own.values()))
    return tuple(Share(name, n, whole, tone) for name, (n, tone) in {**told, **own, "not at all": (gone, "gone0")}.items())


def _terms(manifest: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    before, after = manifest.get("input", {}).get("items"), _facts(manifest).get("items")
    return () if before is None or after is None else (("terms", f"{after:,} different, {before:,} in the original"),)


def _lost(metrics: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    if "loss" not in metrics:
        return ()
    floor = f"; no release with this k can lose less than {percent(metrics['bound'])}" if "bound" in metrics else ""
    return (("lost", f"{percent(metrics['loss'])} of the information (GGD per occurrence){floor}"),)


def _added(metrics: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return (
        (("added", f"{percent(metrics['added'])} of the published words, which their people did not type"),) if "added" in metrics else ()
    )


def _published(manifest: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Records, and how many different ones: those that are alike form a group."""
    facts = _facts(manifest)
    if "different" not in facts:
        return ()
    each = f", {facts['occurrences'] / facts['rows']:.1f} items each" if facts["rows"] else ""
    return (("published", f"{counted(facts['rows'], 'record')} in {counted(facts['different'], 'group')} of identical ones{each}"),)


def _facts(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    return next((file for file in manifest.get("files", []) if "table" in file), {})


def _tile(metrics: Mapping[str, Any]) -> Tile:
    loss, bound, added = (share_in(metrics, name) for name in ("loss", "bound", "added"))
    if added is not None:
        return Tile("Added", percent(added), "of the published words, which the people of the records did not type")
    if loss is None:
        return NOT_MEASURED
    least = "0% is the original, 100% is no information"
    if bound is not None:
        least = f"no generalization with this guarantee can lose less than {percent(bound)}"
    return Tile("Lost", percent(loss), f"of the items' information; {least}")
