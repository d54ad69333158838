"""Output of a run on a cluster: facts about the input, accounting, metrics, manifest and report, all from sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from shoal import __version__
from shoal.cluster.input_layout import ClusterInput
from shoal.cluster.prepare import ClusterRecords
from shoal.data.accounting import Accounting, Ledger, gone, kept
from shoal.data.claims import Model, Verdict
from shoal.data.items import plain_values
from shoal.data.occurrence_forms import Forms
from shoal.data.original import NOT_IN_TAXONOMY, REPEATED, Steps
from shoal.io.release_directory import MANIFEST, REPORT, ReleaseDirectory
from shoal.io.rules_file import RULES, RulesFile
from shoal.io.write.output_format import FileFact
from shoal.kinds import render_report
from shoal.methods import Method
from shoal.methods.bases.release_builder import EMPTY, NOTHING_LEFT
from shoal.metrics import METRICS, routine
from shoal.pipeline.claims import protected, stated_claims
from shoal.pipeline.contract import SUPPRESSED
from shoal.pipeline.events import REPORT as REPORT_STAGE
from shoal.pipeline.events import stage
from shoal.pipeline.manifest_schema import DIGEST, ENGINE, digest_of, manifest_bytes
from shoal.pipeline.prepare import READ_AS
from shoal.pipeline.run import insist_on_schema, written_page
from shoal.report.facts import Facts
from shoal.report.summary import PROTECTS

SPARK = "spark"


@dataclass(frozen=True)
class ClusterOutput:
    """A written release, its manifest, and the verdicts."""

    manifest: dict[str, Any]
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...]
    left_out: tuple[str, ...]


def publish(
    prepared: ClusterRecords,
    sums: Counter[str],
    method: Method,
    verdicts: Sequence[Verdict],
    alone: Sequence[Verdict],
    files: Sequence[FileFact],
    amounts: Mapping[str, int],
    directory: ReleaseDirectory,
    notes: Sequence[str] = (),
    rules: RulesFile | None = None,
) -> ClusterOutput:
    """Write manifest and report next to the files and, if any, the recoding rules."""
    rules_files = [] if rules is None else [written_page(directory, RULES, rules.content(__version__))]
    manifest: dict[str, Any] = {
        "shoal": __version__,
        ENGINE: SPARK,
        "method": method.name,
        "parameters": plain_values(method.values()),
        "input": _facts(prepared, method.claims()),
        "claims": stated_claims(verdicts, alone),
        "accounting": _account(prepared, sums).as_dict(),
        "notes": list(notes),
        "metrics": _metrics(prepared, sums),
        "files": [{**file.as_dict(), **(amounts if number == 0 else {})} for number, file in enumerate(files)] + rules_files,
    }
    return finished(manifest, sums["published"], verdicts, prepared.found, prepared.notes, directory)


def finished(
    manifest: dict[str, Any],
    published: int,
    verdicts: Sequence[Verdict],
    found: ClusterInput,
    notes: tuple[str, ...],
    directory: ReleaseDirectory,
) -> ClusterOutput:
    """Write the report and the manifest, which lists it."""
    stage(REPORT_STAGE)
    page = render_report(Facts(manifest=manifest, published=published))
    manifest["files"].append(written_page(directory, REPORT, page))
    manifest[DIGEST] = digest_of(manifest)
    insist_on_schema(manifest)
    directory.write(MANIFEST, manifest_bytes(manifest))
    left_out = tuple(f"left out: {n:,} x {reason}" for reason, n in found.defects.items())
    return ClusterOutput(manifest, tuple(verdicts), (*found.notes, *notes), left_out)


def _steps(sums: Counter[str]) -> Steps:
    return Steps(**{name.name: sums[name.name] for name in fields(Steps)})


def facts_of_reading(found: ClusterInput) -> dict[str, Any]:
    """Return the manifest entries about how the input was read."""
    read_as = found.input.preparation.read.described()
    several = {"files": found.files} if found.files > 1 else {}
    return {"format": found.input.layout.format, **several, **({READ_AS: read_as} if read_as else {}), "rows": found.rows.total}


def _facts(prepared: ClusterRecords, claims: Sequence[Model]) -> dict[str, Any]:
    """Return the manifest entries about the input."""
    found, sums, preparation = prepared.found, prepared.sums, prepared.found.input.preparation
    facts = facts_of_reading(found) | {
        "records": sums["records"],
        "owners": sums["owners"],
        "items": prepared.items,
        "occurrences": sums["typed"],
    }
    people = max(claim.generalized_groups or 0 for claim in claims)
    protects = {PROTECTS: protected(preparation.per, people)} if sums["several"] else {}
    if not prepared.on_taxonomy:
        return facts | preparation.described() | protects
    facts |= {"unknown_items": sums["unknown_terms"], "unknown_occurrences": sums["unknown_kept"] + sums["unknown_dropped"]}
    return facts | preparation.described() | dict(prepared.learned) | protects


def _account(prepared: ClusterRecords, sums: Counter[str]) -> Accounting:
    """Return the outcome of rows, words, records and occurrences."""
    steps = _steps(prepared.sums)
    records = {"published": kept(sums["published"]), EMPTY: gone(sums["empty"]), NOTHING_LEFT: gone(sums["nothing_left"])}
    forms = _forms(sums)
    merged = {"merged": gone(sums["merged"])} if "merged" in sums else {}
    suppressed = sums["occurrences"] - sums["withheld"] - forms.published - sums["merged"]
    parts = {**forms.parts(), SUPPRESSED: gone(suppressed), **merged, "in withheld records": gone(sums["withheld"])}
    occurrences = (
        Ledger(sums["occurrences"], parts).widened(NOT_IN_TAXONOMY, steps.unknown_dropped).widened(REPEATED, steps.repeats_dropped)
    )
    ledgers = {"records": Ledger(sums["records"], records), "occurrences": occurrences, "rows": prepared.found.rows, "words": steps.ledger}
    return Accounting(ledgers)


def _forms(sums: Counter[str]) -> Forms:
    return Forms(sums["typed"], sums["renamed"], sums["parent"], sums["category"], sums["top"])


def _metrics(prepared: ClusterRecords, sums: Counter[str]) -> dict[str, float]:
    """Return the routine metrics of records on a taxonomy, by the formulas of `shoal.metrics`, from sums."""
    tree, total = prepared.tree, max(1, sums["occurrences"])
    dropped = prepared.sums["unknown_dropped"]
    lost = sums["units"] + max(0, sums["occurrences"] - sums["out"]) * tree.units
    forms, ggd = _forms(sums), lost / tree.units
    shares = {
        "kept": forms.typed / total,
        "one_level": (forms.renamed + forms.parent) / total,
        "categories": forms.category / total,
        "at_root": forms.top / total,
        "suppressed": (sums["occurrences"] - forms.published) / total,
        "generalized": (forms.parent + forms.category + forms.top) / total,
        "loss": ggd / total,
        "ggd": ggd,
        "added_loss": (lost - sums["units_before"]) / (tree.units * total),
        "loss_with_dropped": (ggd + dropped) / max(1, sums["occurrences"] + dropped),
        "ncp": sums["penalty"] / (tree.n_leaves * total),
        "mean_length": sums["out"] / max(1, sums["published"]),
        "mean_level": sums["levels"] / max(1, sums["out"]),
    }
    shape = "bags" if prepared.sums["more_than_once"] else "sets"
    usual = [metric.name for metric in routine({"bags"}, shape, on_taxonomy=prepared.on_taxonomy, adds_items=False)]
    return {name: shares[name] for name in METRICS if name in usual}
