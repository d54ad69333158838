"""A release of the method `threshold` on a cluster, from reading to the manifest: the steps of the driver."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa

from shoal.cluster import judge_rows as judging_rows
from shoal.cluster import row_manifest as row_outcome
from shoal.cluster import run_output as outcome
from shoal.cluster import threshold_words as shared_rows
from shoal.cluster.judge_rows import Judging
from shoal.cluster.log_rows import UNACCOUNTED, Logged, read_log
from shoal.cluster.spark import Cluster
from shoal.cluster.write_files import Content, write_parts
from shoal.data.tables.rows import PAYLOAD, RowTable
from shoal.errors import GuaranteeNotMet
from shoal.io.release_directory import ReleaseDirectory
from shoal.methods.bases.log_rows import LOG
from shoal.methods.bases.threshold import ThresholdMethod, nothing_shared
from shoal.pipeline.events import GROUPING, JUDGING, MEASURING, stage
from shoal.pipeline.options import Preparation
from shoal.pipeline.run import insist

NOTHING_WRITTEN = "nothing was written"


def released(
    cluster: Cluster, data: Any, preparation: Preparation, method: ThresholdMethod, directory: ReleaseDirectory
) -> outcome.ClusterOutput:
    """Publish what enough people share, verify it, write it, and verify what was written."""
    settings = method.kept
    logged = read_log(cluster, data, preparation, splits=settings.unit.splits)
    by_words = settings.unit.splits and logged.found.text
    stage(GROUPING)
    answered = shared_rows.answered_rows(cluster, logged.rows, settings, by_words=by_words)
    sums = row_outcome.summed(cluster, logged, answered, settings)
    if not sums["published"]:
        people = cluster.collect(shared_rows.candidates(logged.rows, settings).selectExpr("count(distinct owner)"))[0][0]
        raise nothing_shared(settings, int(people))
    return _judged_and_written(cluster, logged, shared_rows.published_rows(answered), sums, method, directory, by_words=by_words)


def _judged_and_written(
    cluster: Cluster,
    logged: Logged,
    published: Any,
    sums: Counter[str],
    method: ThresholdMethod,
    directory: ReleaseDirectory,
    *,
    by_words: bool,
) -> outcome.ClusterOutput:
    claim = method.kept.claim
    counted_rows = claim.rows_to_count
    assert counted_rows is not None
    judging = Judging(counted_rows, by_words)
    stage(JUDGING)
    made = judging_rows.count_published(cluster, published, judging, "made")
    counted, lost = judging_rows.counted_with_original(cluster, made, logged.rows, judging)
    verdict = claim.judge_rows(counted)
    insist([verdict], "made")
    if lost:
        raise GuaranteeNotMet(UNACCOUNTED, code="accounting-incomplete", hint=NOTHING_WRITTEN)
    stage(MEASURING)
    content = _content(logged)
    files, again = write_parts(cluster, published.toDF(*content.schema.names), directory.path, content)
    if again.columns != content.schema.names:
        raise GuaranteeNotMet("the files have other columns than the release", code="files-differ-from-release", hint=NOTHING_WRITTEN)
    written = judging_rows.count_published(cluster, again.toDF("query"), judging, "written")
    if judging_rows.differing(cluster, made, written):
        raise GuaranteeNotMet("the files do not contain the rows of the release", code="files-differ-from-release", hint=NOTHING_WRITTEN)
    alone = claim.judge_rows(judging_rows.counted_from_file(cluster, written, counted_rows))
    insist([alone], "written")
    published_texts = row_outcome.count_published_texts(cluster, logged, written.queries)
    return row_outcome.publish(logged, sums + published_texts, method, verdict, alone, files, directory)


def _content(logged: Logged) -> Content:
    column = PAYLOAD["text" if logged.found.text else "item"]
    return Content(LOG, RowTable.kind, pa.schema([(column, pa.string())]), columns={column: "text"})
