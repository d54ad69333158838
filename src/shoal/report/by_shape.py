"""Which facts a report shows: looked up by the shape of the original and the kind of table published for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shoal.data.original import AnyOriginal
from shoal.data.release import Release
from shoal.registry import Table
from shoal.report.facts import Facts

FACTS: Table[Callable[[Mapping[str, Any], Release, Any], Facts]] = Table(
    "report",
    {
        "sets as bags": "shoal.kinds.bags.report:facts_of_records",
        "bags as bags": "shoal.kinds.bags.report:facts_of_records",
        "sets as groups": "shoal.report.group_facts:facts_of_groups",
        "sets as chunks": "shoal.report.chunk_facts:facts_of_chunks",
        "log as rows": "shoal.report.log_facts:facts_of_log",
        "log as profiles": "shoal.report.log_facts:facts_of_log",
        "documents as weighted bags": "shoal.report.document_facts:facts_of_documents",
        "table as rows": "shoal.report.microdata_facts:facts_of_microdata",
    },
)


def facts_of(manifest: Mapping[str, Any], release: Release, original: AnyOriginal) -> Facts:
    """The facts of a release that was made from this original; of other kinds of tables only what the manifest says."""
    tables = list(release.tables.values())
    name = f"{original.shape} as {tables[0].kind}" if len(tables) == 1 else ""
    if name in FACTS:
        return FACTS[name](manifest, release, original)
    return Facts(manifest=manifest, published=release.n_rows)
