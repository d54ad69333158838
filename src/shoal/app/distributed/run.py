"""A release made on a cluster, from the paths of the input to the directory: what the driver asks for, step by step.

Everything is stored in the unfinished directory of the release until it gets its name, so that nothing is left behind whatever fails.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from shoal.app.distributed import grouping, judging, mechanism, outcome, reading, recoding, threshold
from shoal.app.distributed.found import ONE_MACHINE
from shoal.app.distributed.prepared import Prepared
from shoal.app.distributed.preparing import different_in, insist_on_people, prepare_records
from shoal.app.distributed.tables import DRAWN, HASHES, LEAVES, PUBLISHED, SAMPLED, SHOWN, Fitted
from shoal.app.distributed.writing import write_parts
from shoal.app.job import Preparation, Target, is_file
from shoal.app.pipeline import insist
from shoal.data.bags import Ints
from shoal.engines.cuts import Cuts, cut_sample
from shoal.engines.plan import Size, joined_leaves, one_of_each
from shoal.engines.spark import Cluster, expressions
from shoal.errors import Infeasible, ParameterError
from shoal.io.directory import ReleaseDirectory
from shoal.methods import Method
from shoal.methods.grouping import GroupingMethod
from shoal.methods.mechanism import Mechanism
from shoal.methods.recoding import RecodingMethod
from shoal.methods.thresholds import ThresholdMethod

FAMILIES: dict[type, ModuleType] = {ThresholdMethod: threshold, RecodingMethod: recoding, Mechanism: mechanism}


def release_on_cluster(data: Any, how: Preparation, method: Method, target: Target, master: str | None = None) -> outcome.Made:
    """Make, judge and write a release of the input, which is paths or a frame of Spark. Returns the manifest and what led to it."""
    insist_on_support(how, method)
    with ReleaseDirectory(target.directory, force=target.force) as directory, directory.workplace() as work:
        cluster = Cluster.at(master, work) if isinstance(data, list | tuple | str | Path) else Cluster.of(data, work)
        with cluster.watched():
            return _family(method).released(cluster, data, how, method, directory)


def insist_on_support(how: Preparation, method: Method) -> None:
    """Raise where a method or a way of preparing is only for one machine."""
    _family(method).insist_on_support(how, method)


class Family(NamedTuple):
    """Methods that are alike on a cluster: what is refused because it is only for one machine, and how a release is made."""

    insist_on_support: Callable[[Preparation, Any], None]
    released: Callable[[Cluster, Any, Preparation, Any, ReleaseDirectory], outcome.Made]


def _family(method: Method) -> Family:
    """The family of a method; methods of no other kind must form groups."""
    for kind, family in FAMILIES.items():
        if isinstance(method, kind):
            return Family(family.insist_on_support, family.released)
    return Family(_insist_on_grouping, _released)


def _insist_on_grouping(how: Preparation, method: Method) -> None:
    if not isinstance(method, GroupingMethod) or not method.works_in_ranges:
        raise ParameterError(f"the method {method.name} with these parameters runs on one machine", hint=ONE_MACHINE)
    if not all(claim.holds_of_unions and claim.group_size for claim in method.claims()):
        raise ParameterError(f"the claims of {method.name} are judged on one machine", hint=ONE_MACHINE)
    if method.outliers > 0:
        raise ParameterError("outliers are found on one machine", hint=ONE_MACHINE)
    if how.per == "record" or how.typed_names or not (how.taxonomy == "wordnet" or is_file(how.taxonomy)):
        what = "records by --record, and taxonomies that are made from the data or absent, are for one machine"
        raise ParameterError(what, hint=ONE_MACHINE)
    if how.scope != "used":
        raise ParameterError("losses on the whole of a taxonomy, used or not, are for one machine", hint=ONE_MACHINE)


def _released(cluster: Cluster, data: Any, how: Preparation, method: GroupingMethod, directory: ReleaseDirectory) -> outcome.Made:
    prepared = prepare_records(cluster, data, how)
    present = prepared.records.where("size(nodes) + size(words) > 0")
    insist_on_people(prepared, method.k)
    records, people = prepared.sums["present"], prepared.sums["people"]
    frozen = _frozen(cluster, present, prepared.fitted, Size.of(records, people, method.k), several=prepared.sums["several"] > 0)
    assert frozen.ranges is not None
    ranges = cluster.spread([present], grouping.with_range, frozen, grouping.range_places, int(frozen.ranges.max()) + 1)
    work = grouping.Grouping(prepared.fitted, method)
    published = cluster.store(cluster.map_spread(ranges, grouping.published_ranges, work, PUBLISHED), "published")
    return _judged(cluster, prepared, published, method, directory)


# -- the plan


def _frozen(cluster: Cluster, records: Any, fitted: Fitted, size: Size, *, several: bool) -> grouping.Frozen:
    """The cuts, found on a sample, and the ranges, counted on all records."""
    if size.ranges == 1:
        return grouping.Frozen(fitted, Cuts(0, 1), np.zeros(1, np.int64))
    records = records.select("owner", "nodes", "counts", "words", "word_counts")  # the plan reads no other columns
    counted = cluster.map(records, grouping.hashes, fitted, HASHES).groupBy("hash").count()
    rows = cluster.collect(cluster.map(counted, grouping.drawn, size, DRAWN))
    drawn = {row[0]: row[1] for row in rows}
    hashes = np.array(list(drawn), np.int64).view(np.uint64)
    contents = cluster.collect(cluster.map(records, grouping.sampled, grouping.Drawn(fitted, hashes), SAMPLED).distinct())
    bags, found = grouping.sample_of([tuple(row) for row in contents], fitted)
    times = np.array([drawn[key] for key in np.unique(found).view(np.int64).tolist()], np.int64)
    cuts = cut_sample(one_of_each(bags, found), times, fitted.coarse(), size.ranges)
    frozen = grouping.Frozen(fitted, cuts)
    return replace(frozen, ranges=joined_leaves(_people(cluster, records, frozen, several=several), size.smallest, repeat=several))


def _people(cluster: Cluster, records: Any, frozen: grouping.Frozen, *, several: bool) -> Ints:
    """How many people each leaf holds."""
    here = cluster.map(records, grouping.leaves, frozen, LEAVES)
    counted = (here.distinct() if several else here).groupBy("leaf").count()
    people = np.zeros(frozen.cuts.leaves, np.int64)
    for row in cluster.collect(counted):
        people[row[0]] = row[1]
    return people


# -- judging and writing


def _judged(cluster: Cluster, prepared: Prepared, published: Any, method: GroupingMethod, directory: ReleaseDirectory) -> outcome.Made:
    pairs = cluster.spread([prepared.records, published], judging.as_it_is, None, reading.record_places, prepared.partitions)
    joined = cluster.store(cluster.map_spread(pairs, judging.judged_pairs, prepared.fitted, SHOWN), "joined")
    sums = judging.summed(cluster.collect(joined.where("sums is not null").select("sums")))
    answers = cluster.collect(published.selectExpr("count(1)"))[0][0]
    judging.insist_on_all(sums, prepared.sums, answers, floor=prepared.tree.barred is not None)
    if not sums["published"]:
        raise Infeasible(
            "nothing is left to publish: no group shares anything below the floor",
            hint="a smaller k, other records (--per), or --floor 1, which publishes the root",
        )
    return _judged_and_written(cluster, prepared, joined, sums, method, directory)


def _judged_and_written(
    cluster: Cluster, prepared: Prepared, joined: Any, sums: Counter[str], method: GroupingMethod, directory: ReleaseDirectory
) -> outcome.Made:
    """Judge what was made, write it, and judge what was written."""
    claims, empty = method.claims(), sums["empty_published"]
    shown = joined.where("items is not null").groupBy("items")
    people = "count(distinct owner)" if prepared.sums["several"] else "count(1)"
    counted = shown.agg(*expressions("count(1) as n", f"{people} as people"))
    classes = {claim: _classes(cluster, counted, claim.group_size or 0) for claim in claims}
    verdicts = tuple(claim.judge_counted(judging.counts_of(classes[claim], empty, sums["untrue"])) for claim in claims)
    insist(verdicts, "made")
    files, again = write_parts(cluster, joined.where("items is not null").select("items"), directory.path)
    judging.insist_on_files(cluster, shown, again)
    alone = again.groupBy("items").agg(*expressions("count(1) as n", "count(1) as people"))
    written = [
        claim.judge_counted(judging.counts_of(_classes(cluster, alone, claim.group_size or 0), empty, people=False)) for claim in claims
    ]
    insist(written, "written")
    amounts = {"rows": sums["published"], "occurrences": sums["out"], "items": different_in(cluster, again, "items")}
    amounts["different"] = int(next(iter(classes.values()))["different"])
    return outcome.publish(prepared, sums, method, verdicts, written, files, amounts, directory)


def _classes(cluster: Cluster, classes: Any, k: int) -> Any:
    return cluster.collect(classes.selectExpr(*judging.class_sums(k)))[0]
