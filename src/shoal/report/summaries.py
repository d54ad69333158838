"""Which summary a release has: looked up by the shape of the original and the kind of table, as a manifest has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shoal.registry import Table
from shoal.report.summary import NOT_TOLD, Summary, published_rows

SUMMARIES: Table[Callable[[Mapping[str, Any]], Summary]] = Table(
    "summary",
    {
        "sets as bags": "shoal.report.record_summary:summary_of_records",
        "bags as bags": "shoal.report.record_summary:summary_of_records",
        "sets as groups": "shoal.report.record_summary:summary_of_groups",
        "sets as chunks": "shoal.report.chunk_summary:summary_of_chunks",
        "log as rows": "shoal.report.row_summaries:summary_of_log",
        "access log as access log": "shoal.report.row_summaries:summary_of_accesslog",
        "log as profiles": "shoal.report.row_summaries:summary_of_log",
        "documents as weighted bags": "shoal.report.row_summaries:summary_of_documents",
        "table as rows": "shoal.report.row_summaries:summary_of_microdata",
    },
)


def summary_of(manifest: Mapping[str, Any]) -> Summary:
    """The summary of a release from what its manifest tells; of other kinds of tables only how many rows they have."""
    given, kinds = manifest.get("input", {}), {file["kind"] for file in manifest.get("files", []) if "kind" in file}
    name = f"{given.get('read_as', given.get('records_as'))} as {' and '.join(sorted(kinds))}"
    if "counts" in manifest:
        return Summary(lines=published_rows(manifest), tile=NOT_TOLD)
    return SUMMARIES[name](manifest) if name in SUMMARIES else Summary(lines=published_rows(manifest))
