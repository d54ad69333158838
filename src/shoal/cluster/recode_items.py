"""A release by recoding items on a cluster, from reading to the manifest: the steps of the driver.

The driver decides from counts alone what is suppressed everywhere. Workers count, suppress and verify. In a search from below, workers
decide too (`km_worker.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal.cluster import judge_itemsets as judging_sets
from shoal.cluster import judge_records as judging
from shoal.cluster import run_output as outcome
from shoal.cluster.exchange import Step, stored
from shoal.cluster.judge_itemsets import KnownSetsJudged, ShownRecords
from shoal.cluster.km_driver import judged_from_below, published_from_below
from shoal.cluster.prepare import ClusterRecords, insist_on_people, keep_records
from shoal.cluster.spark import Cluster
from shoal.cluster.suppress_items import SuppressedPairing, judged_part, kept_items, without_others
from shoal.cluster.typed_records import keep_typed_records
from shoal.cluster.write_files import write_stored
from shoal.data.claims import Verdict
from shoal.data.items import plain_values
from shoal.data.recoding_rules import Rules
from shoal.errors import ParameterError, option
from shoal.io.release_directory import ReleaseDirectory
from shoal.io.rules_file import RulesFile
from shoal.methods.bases.recoding import RecodingMethod
from shoal.pipeline.events import GROUPING, JUDGING, MEASURING, READING_BACK, stage
from shoal.pipeline.options import Preparation
from shoal.pipeline.run import insist
from shoal.privacy.evidence.cluster_judging import JudgesSets
from shoal.privacy.evidence.equivalence_classes import untruthful_message


@dataclass(frozen=True)
class RecodedRecords:
    """What is published and where it is stored, sums over it and its originals, and notes."""

    shown: Step
    sums: Counter[str]
    notes: Sequence[str] = ()


def released(
    cluster: Cluster, data: Any, preparation: Preparation, method: RecodingMethod, directory: ReleaseDirectory
) -> outcome.ClusterOutput:
    """Recode as the method chooses, verify it, write it, and verify what was written."""
    from_below = method.published_from_below is not None
    prepared = (keep_records if from_below else keep_typed_records)(cluster, data, preparation)
    if prepared.sums["more_than_once"]:
        raise ParameterError(
            f"the method {method.name} takes sets, but these records repeat items",
            code="repeated-items",
            hint=f"leave out {option('bag', True)}",
        )
    insist_on_people(prepared, method.k)
    recoded = _from_below(cluster, prepared, method) if from_below else _suppressed(cluster, prepared, method)
    judging.insist_on_all(recoded.sums, prepared.sums, recoded.sums["answers"], floor=False)
    return _judged_and_written(cluster, prepared, recoded, method, directory)


def _suppressed(cluster: Cluster, prepared: ClusterRecords, method: RecodingMethod) -> RecodedRecords:
    stage(GROUPING)
    kept, notes = kept_items(cluster, prepared.records, method)
    published, _ = stored(cluster, prepared.records, without_others, kept, "published")
    stage(JUDGING)
    shown, words = stored(cluster, published, judged_part, SuppressedPairing(prepared.fitted, prepared.records), "joined")
    return RecodedRecords(shown, judging.summed([(word,) for word in words]), notes)


def _from_below(cluster: Cluster, prepared: ClusterRecords, method: RecodingMethod) -> RecodedRecords:
    stage(GROUPING)
    published, merged = published_from_below(cluster, prepared, method.k, method.published_from_below or 0)
    stage(JUDGING)
    shown, sums = judged_from_below(cluster, prepared, published)
    sums["merged"] = merged
    return RecodedRecords(shown, sums)


# -- verifying and writing


def _judged_and_written(
    cluster: Cluster, prepared: ClusterRecords, recoded: RecodedRecords, method: RecodingMethod, directory: ReleaseDirectory
) -> outcome.ClusterOutput:
    """Verify and write."""
    sums, originals = recoded.sums, None if prepared.on_taxonomy else prepared.records
    made = ShownRecords(method.k, prepared.partitions, recoded.shown, originals=originals)
    verdicts, published = _judged(cluster, made, method, sums)
    insist(verdicts, "made")
    stage(MEASURING)
    files = write_stored(cluster, recoded.shown, sums["published"], directory.path)
    stage(READING_BACK)
    written = replace(made, step=None, originals=None, files=tuple(directory.path / file.name for file in files))
    different = judging_sets.insist_on_files(cluster, made, written, published)
    alone, names = _judged(cluster, written, method)
    insist(alone, "written")
    rules = RulesFile(Rules(names, ()), method.name, plain_values(method.values()), None) if method.one_recoding else None
    amounts = {"rows": sums["published"], "occurrences": sums["out"], "items": len(names), "different": different}
    return outcome.publish(prepared, sums, method, verdicts, alone, files, amounts, directory, recoded.notes, rules)


def _judged(
    cluster: Cluster, shown: ShownRecords, method: RecodingMethod, sums: Counter[str] | None = None
) -> tuple[list[Verdict], tuple[str, ...]]:
    """Verify the claims about published records, with sums that compare them with their originals if there are; return their items too."""
    verdicts, names = [], tuple[str, ...]()
    for claim in JudgesSets.among(method.claims()):
        if (sets := claim.sets_to_count) is not None:
            judged = judging_sets.counted_known_sets(cluster, replace(shown, k=sets.k), sets)
            verdicts.append(claim.judge_sets(judged.sets, _defects(judged, shown, sums)))
            names = judged.names
    return verdicts, names


def _defects(judged: KnownSetsJudged, shown: ShownRecords, sums: Counter[str] | None) -> list[str]:
    """Return what is wrong with the records besides their sets."""
    if sums is not None and shown.originals is None:
        return [*judging_sets.repeated_in(judged), *untruthful_message(sums["untrue"])]
    return judging_sets.defects_of(judged)
