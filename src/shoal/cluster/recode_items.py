"""A release by recoding items on a cluster, from reading to the manifest: the steps of the driver.

The driver decides from counts alone what is suppressed everywhere. Workers count, suppress and verify. In a search from below, workers
decide too (`km_worker.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from shoal.cluster import itemset_counts as itemsets
from shoal.cluster import judge_itemsets as judging_sets
from shoal.cluster import judge_records as judging
from shoal.cluster import run_output as outcome
from shoal.cluster.arrow_schemas import PUBLISHED, SUMS, list_array, lists_of
from shoal.cluster.km_driver import published_from_below
from shoal.cluster.prepare import ClusterRecords, different_in, insist_on_people, prepare_records
from shoal.cluster.spark import Cluster, joined
from shoal.cluster.write_files import write_parts
from shoal.data.claims import Verdict
from shoal.data.items import plain_values
from shoal.data.recoding_rules import Rules
from shoal.errors import ParameterError, option
from shoal.io.release_directory import ReleaseDirectory
from shoal.io.rules_file import RulesFile
from shoal.methods.bases.recoding import RecodingMethod
from shoal.pipeline.events import GROUPING, JUDGING, MEASURING, stage
from shoal.pipeline.options import Preparation
from shoal.pipeline.run import insist
from shoal.privacy.evidence.cluster_judging import JudgesSets
from shoal.privacy.evidence.equivalence_classes import untruthful_message


def released(
    cluster: Cluster, data: Any, preparation: Preparation, method: RecodingMethod, directory: ReleaseDirectory
) -> outcome.ClusterOutput:
    """Recode as the method chooses, verify it, write it, and verify what was written."""
    prepared = prepare_records(cluster, data, preparation)
    if prepared.sums["more_than_once"]:
        raise ParameterError(
            f"the method {method.name} takes sets, but these records repeat items",
            code="repeated-items",
            hint=f"leave out {option('bag', True)}",
        )
    insist_on_people(prepared, method.k)
    stage(GROUPING)
    present = prepared.records.where("size(nodes) + size(words) > 0")
    if method.published_from_below is not None:
        published, merged = published_from_below(cluster, prepared, present, method.k, method.published_from_below)
        return _judged_and_written(cluster, prepared, published, method, [], directory, merged)
    kept, notes = _kept_items(cluster, present, method, several=prepared.sums["several"] > 0)
    published = cluster.store(cluster.map(present.select("record", "words"), without_others, kept, PUBLISHED), "published")
    return _judged_and_written(cluster, prepared, published, method, notes, directory)


def _kept_items(cluster: Cluster, records: Any, method: RecodingMethod, *, several: bool) -> tuple[pl.Series, list[str]]:
    """Return the published items, sorted by name, and notes about the others."""
    found = itemsets.frequent_items(cluster, records, method.k, several=several)
    moles = itemsets.moles_of(cluster, records, found, method.k, method.counts_decide or 0, several=several)
    chosen, notes = method.suppressed_by_counts(moles, found.records, found.rare)
    return found.held.names.gather(np.setdiff1d(np.arange(len(found.held)), chosen)), notes


def without_others(kept: pl.Series, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the records with the kept items only."""
    begins, words = lists_of(table, "words")
    stays = pc.is_in(words, value_set=kept.to_arrow().cast(words.type))
    before = np.concatenate([[0], np.cumsum(stays.to_numpy(zero_copy_only=False))])
    lists = list_array(before[begins], words.filter(stays))
    yield pa.table({"record": table.column("record"), "items": lists, "withheld": np.zeros(len(table), bool)}, PUBLISHED)


# -- verifying and writing


def _judged_and_written(
    cluster: Cluster,
    prepared: ClusterRecords,
    published: Any,
    method: RecodingMethod,
    notes: list[str],
    directory: ReleaseDirectory,
    merged: int | None = None,
) -> outcome.ClusterOutput:
    """Verify and write; `merged` is the number of items merged with another one of their record, if items are generalized."""
    stage(JUDGING)
    both = cluster.store(joined(prepared.records, published, "record", "left"), "joined")
    sums = judging.summed(cluster.collect(cluster.map(both, judging.compared, prepared.fitted, SUMS)))
    answers = cluster.collect(published.selectExpr("count(1)"))[0][0]
    judging.insist_on_all(sums, prepared.sums, answers, floor=False)
    shown = both.where("items is not null")
    untrue = sums["untrue"] if prepared.on_taxonomy else None
    verdicts = _judged(cluster, shown, method, with_original=True, untrue=untrue)
    insist(verdicts, "made")
    stage(MEASURING)
    files, again = write_parts(cluster, shown.select("items"), directory.path)
    judging.insist_on_files(cluster, shown.groupBy("items"), again)
    written = _judged(cluster, again, method, with_original=False)
    insist(written, "written")
    rules = _rules(cluster, again, method) if method.one_recoding else None
    amounts = _amounts(cluster, again, sums, different_in(cluster, again, "items") if rules is None else len(rules.rules.items))
    if merged is not None:
        sums["merged"] = merged
    return outcome.publish(prepared, sums, method, verdicts, written, files, amounts, directory, notes, rules)


def _judged(cluster: Cluster, frame: Any, method: RecodingMethod, *, with_original: bool, untrue: int | None = None) -> list[Verdict]:
    """Verify the claims about published records; `untrue` counts those that do not generalize their originals, if they must."""
    shown = judging_sets.Shown.of(cluster, frame, with_original=with_original)
    if untrue is None:
        defects = judging_sets.defects_of(cluster, shown, with_original=with_original)
    else:
        defects = [*judging_sets.repeated_in(shown), *untruthful_message(untrue)]
    sets_of_claims = [(claim, claim.sets_to_count) for claim in JudgesSets.among(method.claims())]
    return [
        claim.judge_sets(judging_sets.counted_known_sets(cluster, shown, sets), defects)
        for claim, sets in sets_of_claims
        if sets is not None
    ]


def _rules(cluster: Cluster, again: Any, method: RecodingMethod) -> RulesFile:
    """Return the recoding as rules, which name only what was written."""
    names = sorted(row[0] for row in cluster.collect(again.selectExpr("explode(items) as item").distinct()))
    return RulesFile(Rules(tuple(names), ()), method.name, plain_values(method.values()), None)


def _amounts(cluster: Cluster, again: Any, sums: Counter[str], items: int) -> dict[str, int]:
    different = int(cluster.collect(again.select("items").distinct().selectExpr("count(1)"))[0][0])
    return {"rows": sums["published"], "occurrences": sums["out"], "items": items, "different": different}
