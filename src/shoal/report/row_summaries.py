"""Summaries of published rows: of a log, what is left of its queries and people; of an access log, how sessions and
browsers changed; of microdata, what is lost of its dispersion.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.counting import percent
from shoal.methods import fate_of
from shoal.report.summary import Share, Summary, published_rows, share_in
from shoal.report.verdict_text import Tile

AS_TYPED = "as typed"
OTHERWISE = "in another form"  # of the method's own, such as hashed
WORDS = {AS_TYPED: (("as typed",), "same"), "in lower case": (("lower-cased",), "near"), "as categories": (("generalized",), "changed")}


def summary_of_log(manifest: Mapping[str, Any]) -> Summary:
    """Queries and people that are left."""
    metrics = manifest.get("metrics", {})
    queries, people = share_in(metrics, "queries_kept"), share_in(metrics, "people_kept")
    if queries is None or people is None:
        return Summary(lines=published_rows(manifest))
    note = f"of the different queries; {percent(people)} of the people asked one of them"
    lines = (*published_rows(manifest), ("left", f"{percent(queries)} {note}"))
    words = _forms_of_words(manifest.get("accounting", {}).get("words", {}), str(manifest.get("method", "")))
    as_typed = next((share.value for share in words if share.name == AS_TYPED), None)
    return Summary(words, lines, Tile("Left", percent(queries), note), as_typed)


def _forms_of_words(ledger: Mapping[str, int], method: str) -> tuple[Share, ...]:
    """The words of the log by the form in which they are published, where the method accounts for words; none where it does not."""
    whole = ledger.get("in", 0)
    told = {name: sum(ledger.get(part, 0) for part in parts) for name, (parts, _) in WORDS.items()}
    known = {part for parts, _ in WORDS.values() for part in parts}
    others = sum(n for part, n in ledger.items() if part not in {"in", *known} and fate_of(part, method) == "changed")
    told |= {OTHERWISE: others} if others else {}
    told["not at all"] = whole - sum(told.values())
    tones = {name: tone for name, (_, tone) in WORDS.items()} | {OTHERWISE: "vague0"}
    return tuple(Share(name, n, whole, tones.get(name, "gone0")) for name, n in told.items()) if whole else ()


def summary_of_accesslog(manifest: Mapping[str, Any]) -> Summary:
    """Sessions that are found, and the shares of browsers."""
    metrics = manifest.get("metrics", {})
    ratio, clicks, sessions = (metrics.get(name) for name in ("session_ratio", "browser_clicks", "browser_sessions"))
    if ratio is None or clicks is None or sessions is None:
        return Summary(lines=published_rows(manifest))
    moved = f"another browser in {percent(clicks)} of clicks and {percent(sessions)} of sessions"
    line = ("changed", f"{ratio:.2f} sessions are found for one in the original; {moved}")
    return Summary(lines=(*published_rows(manifest), line), tile=Tile("Changed", percent(sessions), "of sessions have another browser"))


def summary_of_microdata(manifest: Mapping[str, Any]) -> Summary:
    """The share of the dispersion that means of groups lose."""
    lost = share_in(manifest.get("metrics", {}), "information_loss")
    if lost is None:
        return Summary(lines=published_rows(manifest))
    line = ("lost", f"{percent(lost)} of the dispersion (SSE / SST on standardised values)")
    tile = Tile("Lost", percent(lost), "of the dispersion of values; 0% is the original, 100% leaves one mean for all")
    return Summary(lines=(*published_rows(manifest), line), tile=tile)


def summary_of_documents(manifest: Mapping[str, Any]) -> Summary:
    """How far documents lie from the vectors published for them."""
    lost = share_in(manifest.get("metrics", {}), "semantic_loss")
    if lost is None:
        return Summary(lines=published_rows(manifest))
    line = ("lost", f"{percent(lost)} of the dispersion of meanings (SSE / SST on distances in WordNet)")
    tile = Tile("Lost", percent(lost), "of the dispersion of meanings; 100% is as far as from one vector for all documents")
    return Summary(lines=(*published_rows(manifest), line), tile=tile)
