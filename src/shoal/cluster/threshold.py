"""A release of the method `threshold` on a cluster, from reading to the manifest: the steps of the driver."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa

from shoal.cluster import judge_rows as judging_rows
from shoal.cluster import row_manifest as row_outcome
from shoal.cluster import run_output as outcome
from shoal.cluster import shared_queries
from shoal.cluster.exchange import Step
from shoal.cluster.judge_rows import Judging, Released
from shoal.cluster.log_rows import UNACCOUNTED, Logged, read_log
from shoal.cluster.spark import Cluster
from shoal.cluster.write_files import Content, write_stored
from shoal.data.tables.rows import PAYLOAD, RowTable
from shoal.errors import GuaranteeNotMet
from shoal.io.release_directory import ReleaseDirectory
from shoal.methods.bases.log_rows import LOG
from shoal.methods.bases.threshold import ThresholdMethod, nothing_shared
from shoal.pipeline.events import GROUPING, JUDGING, MEASURING, READING_BACK, stage
from shoal.pipeline.options import Preparation
from shoal.pipeline.run import insist

NOTHING_WRITTEN = "nothing was written"


def released(
    cluster: Cluster, data: Any, preparation: Preparation, method: ThresholdMethod, directory: ReleaseDirectory
) -> outcome.ClusterOutput:
    """Publish what enough people share, verify it, write it, and verify what was written."""
    settings = method.kept
    logged = read_log(cluster, data, preparation)
    by_words = settings.unit.splits and logged.found.text
    stage(GROUPING)
    published, sums = shared_queries.published_queries(cluster, logged, settings, by_words=by_words)
    if not sums["published"]:
        raise nothing_shared(settings, shared_queries.people_asking(cluster, logged, settings, by_words=by_words))
    return _judged_and_written(cluster, logged, published, sums, method, directory, by_words=by_words)


def _judged_and_written(
    cluster: Cluster,
    logged: Logged,
    published: Step,
    sums: Counter[str],
    method: ThresholdMethod,
    directory: ReleaseDirectory,
    *,
    by_words: bool,
) -> outcome.ClusterOutput:
    claim, content = method.kept.claim, _content(logged)
    assert claim.rows_to_count is not None
    judging = Judging(claim.rows_to_count, by_words, logged.rows, content.schema.names[0])
    stage(JUDGING)
    made, counted = judging_rows.count_made(cluster, published, judging)
    verdict = claim.judge_rows(judging.counted(counted, people=True))
    insist([verdict], "made")
    if counted["lost"]:
        raise GuaranteeNotMet(UNACCOUNTED, code="accounting-incomplete", hint=NOTHING_WRITTEN)
    stage(MEASURING)
    files = write_stored(cluster, published, sums["published"], directory.path, content)
    stage(READING_BACK)
    released_files = Released(judging, made, tuple(directory.path / file.name for file in files))
    written = judging_rows.count_written(cluster, released_files)
    if written["differing"]:
        raise GuaranteeNotMet("the files do not contain the rows of the release", code="files-differ-from-release", hint=NOTHING_WRITTEN)
    alone = claim.judge_rows(judging.counted(written, people=False))
    insist([alone], "written")
    shown = {name: counted[name] for name in ("published_texts", "published_people")}
    return row_outcome.publish(logged, sums + Counter(shown), method, verdict, alone, files, directory)


def _content(logged: Logged) -> Content:
    column = PAYLOAD["text" if logged.found.text else "item"]
    return Content(LOG, RowTable.kind, pa.schema([(column, pa.string())]), columns={column: "text"}, source="query")
