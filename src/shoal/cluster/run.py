"""A release made on a cluster, from the paths of the input to the directory: the steps of the driver.

All files are stored in the unfinished directory of the release until it gets its name, so a failed run leaves nothing behind.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from shoal.cluster import group_worker, limits, recode_items, threshold
from shoal.cluster import judge_records as judging
from shoal.cluster import noise as mechanism
from shoal.cluster import read_events as reading
from shoal.cluster import run_output as outcome
from shoal.cluster.arrow_schemas import TYPED
from shoal.cluster.equivalence_classes import Contents, classes_made, classes_written, different_names, item_names
from shoal.cluster.exchange import NumberedPartitions, Step, gathered, sent, stored
from shoal.cluster.judge_names import judge_names
from shoal.cluster.learn_topics import with_sample
from shoal.cluster.prepare import ClusterRecords, insist_on_people, keep_records
from shoal.cluster.spark import Cluster, PrivatePlaces
from shoal.cluster.write_files import write_stored
from shoal.engines.ranges import Size, cut_sample, joined_leaves, one_of_each
from shoal.errors import Infeasible, option
from shoal.io.local_directories import local_directories
from shoal.io.release_directory import ReleaseDirectory
from shoal.methods import Method
from shoal.methods.bases.grouping import GroupingMethod
from shoal.methods.bases.noisy_counts import Mechanism
from shoal.methods.bases.recoding import RecodingMethod
from shoal.methods.bases.threshold import ThresholdMethod
from shoal.pipeline.events import GROUPING, JUDGING, MEASURING, READING_BACK, Cancel, Events, note, stage
from shoal.pipeline.job import Job, WrittenRelease
from shoal.pipeline.options import Preparation, Target, is_topics
from shoal.pipeline.run import insist
from shoal.pipeline.topic_claims import claims_on_names
from shoal.privacy.evidence.cluster_judging import JudgesClasses, JudgesNames

FAMILIES: dict[type, ModuleType] = {ThresholdMethod: threshold, RecodingMethod: recode_items, Mechanism: mechanism}


@dataclass(frozen=True)
class SparkBackend:
    """The steps of a job on a Spark cluster.

    Attributes:
        master: The master of the cluster; by default that of spark-submit, or all cores of this machine.
        other_options: Options that are not part of a job, which are rejected.
    """

    master: str | None = None
    other_options: tuple[str, ...] = ()

    def refuse(self, job: Job) -> None:
        """Raise if a cluster does not support a request of the job."""
        limits.refuse(job, self.other_options)

    def release(self, job: Job) -> WrittenRelease:
        """Make, verify and write a release of the input, which is paths or a Spark data frame."""
        assert job.target is not None
        family, is_path = _family(job.method), isinstance(job.data, list | tuple | str | Path)
        data = _urls(job.data) if is_path else job.data
        unfinished = ReleaseDirectory(job.target.directory, force=job.target.force)
        with unfinished as directory, directory.workplace() as work, local_directories(work) as chosen:
            private = PrivatePlaces(directory.java_lock(), chosen)
            at = partial(Cluster.at, self.master, work, java_works=family.frames, private=private)
            with closing(at() if is_path else Cluster.of(data, work, private.lock)) as cluster, cluster.watched():
                made = family.released(cluster, data, job.preparation, job.method, directory)
        note(*made.notes, *made.left_out)
        return WrittenRelease(made.verdicts, made.manifest)


def _urls(paths: Any) -> list[str]:
    """Return paths as typed: a `Path` merges double slashes, which matter in URLs."""
    named = [str(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    return [re.sub(r"^((?!file:)[a-z][a-z0-9+.-]+):/+", r"\1://", path) for path in named]


class ClusterFamily(NamedTuple):
    """Methods that work in the same way on a cluster: how a release is made, and whether in Spark data frames."""

    released: Callable[[Cluster, Any, Preparation, Any, ReleaseDirectory], outcome.ClusterOutput]
    frames: bool


def _family(method: Method) -> ClusterFamily:
    """Return the family of a method; methods of no other family must form groups."""
    from_below = isinstance(method, RecodingMethod) and method.published_from_below is not None
    for kind, family in FAMILIES.items():
        if isinstance(method, kind):
            return ClusterFamily(family.released, from_below or kind is Mechanism)
    return ClusterFamily(_released, frames=False)


def _released(
    cluster: Cluster, data: Any, preparation: Preparation, method: GroupingMethod, directory: ReleaseDirectory
) -> outcome.ClusterOutput:
    prepared = keep_records(cluster, data, with_sample(preparation) if is_topics(preparation.taxonomy) else preparation)
    insist_on_people(prepared, method.k)
    stage(GROUPING)
    size = Size.of(prepared.sums["present"], prepared.sums["people"], method.k)
    plan = _ranges(cluster, prepared, size)
    ranges = sent(cluster, "ranges", [(prepared.records, group_worker.with_range)], plan, group_worker.range_places, plan.number)
    work = group_worker.Grouping(prepared.fitted, method)
    published, _ = stored(cluster, ranges, group_worker.published_ranges, work, "published")
    return _judged(cluster, prepared, published, method, directory)


# -- the plan


def _ranges(cluster: Cluster, prepared: ClusterRecords, size: Size) -> group_worker.LeafRanges:
    """Return the ranges, along cuts that are found on a sample, fixed, and counted on all records."""
    fitted, records, parts = prepared.fitted, prepared.records, prepared.partitions
    if size.ranges == 1:
        return group_worker.LeafRanges(np.zeros(1, np.int64))
    by_hash = partial(group_worker.hash_places, parts)
    drawn = gathered(cluster, sent(cluster, "hashes", [(records, group_worker.hashes)], fitted, by_hash, parts), group_worker.drawn, size)
    sample = group_worker.Drawn(fitted, drawn.column("hash").to_numpy().view(np.uint64))
    contents = sent(cluster, "sample", [(records, group_worker.sampled)], sample, by_hash, parts)
    bags, found = group_worker.sample_of(gathered(cluster, contents, group_worker.different, None), fitted)
    times = drawn.column("times").to_numpy()[np.argsort(sample.hashes)]
    cuts = cut_sample(one_of_each(bags, found), times, fitted.coarse(), size.ranges)
    leaves, words = stored(cluster, records, group_worker.leaves, group_worker.Frozen(fitted, cuts), "leaves")
    people = np.sum([json.loads(word) for word in words], axis=0)
    return group_worker.LeafRanges(joined_leaves(people, size.smallest, repeat=prepared.sums["several"] > 0), leaves)


# -- verifying and writing


def _judged(
    cluster: Cluster, prepared: ClusterRecords, published: Step, method: GroupingMethod, directory: ReleaseDirectory
) -> outcome.ClusterOutput:
    stage(JUDGING)
    answers = sent(cluster, "answers", [(published, judging.pass_on)], None, reading.record_places, prepared.partitions)
    shown, words = stored(cluster, answers, judging.judged_part, judging.Pairing(prepared.fitted, prepared.records), "joined")
    sums = judging.summed([(word,) for word in words])
    judging.insist_on_all(sums, prepared.sums, sums["answers"], floor=prepared.tree.barred is not None)
    if not sums["published"]:
        raise Infeasible(
            "nothing is left to publish: no group shares anything below the floor",
            code="nothing-to-publish",
            hint=f"try a smaller k, other records ({option('per')}), or {option('floor', 1)}, which publishes the root",
        )
    return _judged_and_written(cluster, prepared, shown, sums, method, directory)


def _judged_and_written(
    cluster: Cluster, prepared: ClusterRecords, shown: Step, sums: Counter[str], method: GroupingMethod, directory: ReleaseDirectory
) -> outcome.ClusterOutput:
    """Verify the records, write them, and verify what was written."""
    claims, empty = JudgesClasses.among(method.claims()), sums["empty_published"]
    contents = Contents(tuple({claim.group_size for claim in claims}), prepared.partitions)
    made, classes = classes_made(cluster, shown, contents)
    judging.insist_on_shown(made.of(contents.sizes[0])["records"], sums)
    named = JudgesNames.among(claims_on_names(prepared.found.input.preparation.taxonomy))
    names_made, names_written = judge_names(cluster, shown, judging.Pairing(prepared.fitted, prepared.records), named)
    counted = [claim.judge_counted(judging.counts_of(made.of(claim.group_size), empty, sums["untrue"])) for claim in claims]
    verdicts = (*counted, *names_made)
    insist(verdicts, "made")
    stage(MEASURING)
    files = write_stored(cluster, shown, sums["published"], directory.path)
    contents = replace(contents, files=tuple(directory.path / file.name for file in files))
    stage(READING_BACK)
    alone = classes_written(cluster, classes, contents)
    written = [claim.judge_counted(judging.counts_of(alone.of(claim.group_size), empty, people=False)) for claim in claims]
    written += names_written
    insist(written, "written")
    names = different_names(cluster, NumberedPartitions(len(files)), item_names, contents, prepared.partitions)
    amounts = {"rows": sums["published"], "occurrences": sums["out"], "items": sum(names.get(TYPED, []))}
    amounts["different"] = made.of(contents.sizes[0])["different"]
    return outcome.publish(prepared, sums, method, verdicts, written, files, amounts, directory)


# A release of a Spark data frame in Python: it is made when it is written.


@dataclass(frozen=True, eq=False)
class ClusterRelease:
    """A release of a Spark data frame. Nothing is made before it is written, because it may not fit on this machine."""

    job: Job
    events: Events | None = None
    cancel: Cancel | None = None

    def __post_init__(self) -> None:
        SparkBackend().refuse(self.job)

    def write(self, directory: str | Path, *, force: bool = False) -> dict[str, Any]:
        """Make the release on the cluster, verify it and write it. Raises instead of writing one whose claim fails. Returns the manifest.

        The directory must be on a file system that the driver and all workers share.
        """
        job = replace(self.job, target=Target(Path(directory), force=force))
        return job.run_on(SparkBackend(), self.events, self.cancel).manifest

    def __repr__(self) -> str:
        return f"<{self.job.method.name} on Spark, not made yet: .write(directory) makes it>"
