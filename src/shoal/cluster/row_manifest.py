"""Output of a cluster run that publishes rows: accounting, metrics and manifest, from sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from shoal import __version__
from shoal.cluster import run_output as outcome
from shoal.cluster.log_rows import UNACCOUNTED, Logged
from shoal.cluster.spark import Cluster, joined
from shoal.data.accounting import Accounting, Ledger, gone, kept
from shoal.data.claims import Verdict
from shoal.data.items import plain_values
from shoal.errors import GuaranteeNotMet
from shoal.io.release_directory import ReleaseDirectory
from shoal.io.write.output_format import FileFact
from shoal.methods.bases.log_rows import NO_QUERY, SILENT
from shoal.methods.bases.threshold import COMBINATIONS, RARE, TOO_LONG, Kept, ThresholdMethod
from shoal.methods.bases.threshold_words import AS_TYPED, IN_DROPPED
from shoal.metrics import METRICS, routine
from shoal.pipeline.claims import stated_claims
from shoal.pipeline.contract import USED
from shoal.pipeline.manifest_schema import ENGINE


def summed(cluster: Cluster, logged: Logged, answered: Any, settings: Kept) -> Counter[str]:
    """Return sums of rows and words, of the original and of the release. Raise unless each candidate row has one outcome.

    Args:
        cluster: Where they are.
        logged: The rows of the original.
        answered: The outcome of each query and the number of its rows.
        settings: The settings of the method.
    """
    long = "false" if settings.words is None else f"words > {settings.words}"
    columns = ["count(1) as rows", "count_if(query = '') as empty", f"count_if(query != '' and {long}) as long"]
    columns += ["sum(terms) as words", "count(distinct case when text != '' then text end) as texts"]
    sums: Counter[str] = Counter(cluster.collect(logged.rows.selectExpr(*columns))[0].asDict())
    outcomes = [
        "coalesce(sum(case when stays then rows end), 0) as published",
        "coalesce(sum(case when not stays then rows end), 0) as rare",
        "coalesce(sum(case when stays then terms end), 0) as published_words",
    ]
    sums.update(cluster.collect(answered.selectExpr(*outcomes, "count_if(stays is null) as lost"))[0].asDict())
    if (
        sums["lost"]
        or sums["rows"] != logged.sums["used"]
        or sums["published"] + sums["rare"] + sums["empty"] + sums["long"] != sums["rows"]
    ):
        raise GuaranteeNotMet(UNACCOUNTED, code="accounting-incomplete", hint="nothing was written")
    return sums


def count_published_texts(cluster: Cluster, logged: Logged, queries: Any) -> Counter[str]:
    """Count the distinct texts that are published as typed, and their people; `queries` are the distinct published ones."""
    shown = joined(logged.rows.select("owner", "text"), queries.selectExpr("query as text"), "text", "left_semi").where("text != ''")
    counted = shown.selectExpr("count(distinct text) as published_texts", "count(distinct owner) as published_people")
    return Counter(cluster.collect(counted)[0].asDict())


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
