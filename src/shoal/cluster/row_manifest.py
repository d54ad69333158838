"""Output of a cluster run that publishes rows: accounting, metrics and manifest, from sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from shoal import __version__
from shoal.cluster import run_output as outcome
from shoal.cluster.log_rows import Logged
from shoal.data.accounting import Accounting, Ledger, gone, kept
from shoal.data.claims import Verdict
from shoal.data.items import plain_values
from shoal.io.release_directory import ReleaseDirectory
from shoal.io.write.output_format import FileFact
from shoal.methods.bases.log_rows import NO_QUERY, SILENT
from shoal.methods.bases.threshold import COMBINATIONS, RARE, TOO_LONG, ThresholdMethod
from shoal.methods.bases.threshold_words import AS_TYPED, IN_DROPPED
from shoal.metrics import METRICS, routine
from shoal.pipeline.claims import stated_claims
from shoal.pipeline.contract import USED
from shoal.pipeline.manifest_schema import ENGINE


def publish(
    logged: Logged,
    sums: Counter[str],
    method: ThresholdMethod,
    verdict: Verdict,
    alone: Verdict,
    files: Sequence[FileFact],
    directory: ReleaseDirectory,
) -> outcome.ClusterOutput:
    """Write manifest and report next to the files."""
    preparation, splits = logged.found.input.preparation, method.kept.unit.splits
    manifest: dict[str, Any] = {
        "shoal": __version__,
        ENGINE: outcome.SPARK,
        "method": method.name,
        "parameters": plain_values(method.values()),
        "input": outcome.facts_of_reading(logged.found) | {"owners": logged.sums["owners"]} | preparation.described(),
        "claims": stated_claims([verdict], [alone]),
        "accounting": _account(logged, sums, splits=splits).as_dict(),
        "notes": [SILENT, *([COMBINATIONS] if splits else [])],
        "metrics": _metrics(logged, sums),
        "files": [{**file.as_dict(), **({"rows": sums["published"]} if number == 0 else {})} for number, file in enumerate(files)],
    }
    return outcome.finished(manifest, sums["published"], [verdict], logged.found, (), directory)


def _account(logged: Logged, sums: Counter[str], *, splits: bool) -> Accounting:
    """Return the outcome of rows, and of words if these count separately."""
    parts = {"published": kept(sums["published"]), RARE: gone(sums["rare"]), NO_QUERY: gone(sums["empty"]), TOO_LONG: gone(sums["long"])}
    words = {AS_TYPED: kept(sums["published_words"]), IN_DROPPED: gone(sums["words"] - sums["published_words"])}
    return Accounting({"rows": logged.found.rows.split(USED, parts)} | ({"words": Ledger(sums["words"], words)} if splits else {}))


def _metrics(logged: Logged, sums: Counter[str]) -> dict[str, float]:
    """Return the routine metrics of the rows of a log, by the formulas of `shoal.metrics`, from sums."""
    shares = {
        "rows_kept": sums["published"] / max(1, sums["rows"]),
        "queries_kept": sums["published_texts"] / max(1, sums["texts"]),
        "people_kept": sums["published_people"] / max(1, logged.sums["owners"]),
    }
    usual = [metric.name for metric in routine({"rows"}, "log", on_taxonomy=False, adds_items=False)]
    return {name: shares[name] for name in METRICS if name in usual}
