"""Summaries of published rows: of a log, what is left of its queries and people; of microdata, what is lost of its dispersion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.counting import percent
from shoal.report.summary import Summary, published_rows, share_in
from shoal.report.verdicts import Tile


def summary_of_log(manifest: Mapping[str, Any]) -> Summary:
    """Queries and people that are left."""
    metrics = manifest.get("metrics", {})
    queries, people = share_in(metrics, "queries_kept"), share_in(metrics, "people_kept")
    if queries is None or people is None:
        return Summary(lines=published_rows(manifest))
    note = f"of the different queries; {percent(people)} of the people asked one of them"
    return Summary(lines=(*published_rows(manifest), ("left", f"{percent(queries)} {note}")), tile=Tile("Left", percent(queries), note))


def summary_of_microdata(manifest: Mapping[str, Any]) -> Summary:
    """The share of the dispersion that means of groups lose."""
    lost = share_in(manifest.get("metrics", {}), "information_loss")
    if lost is None:
        return Summary(lines=published_rows(manifest))
    line = ("lost", f"{percent(lost)} of the dispersion (SSE / SST on standardised values)")
    tile = Tile("Lost", percent(lost), "of the dispersion of values; 0% is the original, 100% leaves one mean for all")
    return Summary(lines=(*published_rows(manifest), line), tile=tile)
