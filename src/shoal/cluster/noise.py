"""A release of noisy counts on a cluster, from reading to the manifest: the steps of the driver.

Claims of differential privacy allow no exact number. So the driver gets no count of the input except the tallies of reading, which are not
published.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import polars as pl
import pyarrow as pa

from shoal import __version__
from shoal.cluster import noisy_counts
from shoal.cluster import run_output as outcome
from shoal.cluster.person_values import ClusterValues, read_values
from shoal.cluster.spark import Cluster, expressions, joined
from shoal.cluster.write_files import Content, write_parts
from shoal.data.claims import Verdict
from shoal.data.items import plain_values
from shoal.data.tables.counts import COUNT, CountTable
from shoal.errors import GuaranteeNotMet
from shoal.io.release_directory import ReleaseDirectory
from shoal.io.write.output_format import FileFact
from shoal.methods.bases.noisy_counts import COUNTS, Mechanism
from shoal.pipeline.claims import stated_claims
from shoal.pipeline.disclosure import ROWS_LEFT_OUT, disclosed, disclosed_notes
from shoal.pipeline.events import GROUPING, JUDGING, MEASURING, stage
from shoal.pipeline.manifest_schema import ENGINE
from shoal.pipeline.options import Preparation
from shoal.pipeline.run import insist
from shoal.privacy.differential_privacy import invented, words_wanted
from shoal.privacy.evidence.cluster_judging import JudgesNoise

TEXT = pa.schema([("text", pa.string())])
NOTHING_WRITTEN = "nothing was written"


def released(
    cluster: Cluster, data: Any, preparation: Preparation, method: Mechanism, directory: ReleaseDirectory
) -> outcome.ClusterOutput:
    """Select values and count them with noise, verify the noise, write the counts, and compare what was written."""
    summed = method.summed
    assert summed is not None
    values = read_values(cluster, data, preparation, summed.unit)
    steps, claims = method.noisy_steps(), JudgesNoise.among(method.claims())
    stage(GROUPING)
    counts = noisy_counts.published_counts(cluster, values.values, values.keys, steps, summed.caps)
    stage(JUDGING)
    verdicts = tuple(claim.judge_noise(steps, (COUNTS,), _strange(cluster, counts, values)) for claim in claims)
    insist(verdicts, "made")
    stage(MEASURING)
    schema = noisy_counts.counted_as(values.keys, steps[-1])
    types = dict.fromkeys(values.keys, "text") | {COUNT: "integer" if schema.field(COUNT).type == pa.int64() else "number"}
    files, again = write_parts(cluster, counts, directory.path, Content(COUNTS, CountTable.kind, schema, columns=types))
    rows = _insist_on_files(cluster, counts, again, values.keys)
    alone = [claim.judge_noise(steps, (COUNTS,)) for claim in claims]
    insist(alone, "written")
    return _published(values, method, verdicts, alone, files, rows, directory)


# -- verification


def words_of_texts(pattern: str | None, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the possible values in texts: the texts themselves, or all their words."""
    texts = pl.from_arrow(table.column("text"))
    assert isinstance(texts, pl.Series)
    words = texts if pattern is None else texts.str.extract_all(pattern).explode(empty_as_null=False)
    yield pl.DataFrame({"text": words.unique()}).to_arrow().cast(TEXT)


def _strange(cluster: Cluster, counts: Any, values: ClusterValues) -> Iterator[str]:
    """Return the fault if published values do not occur in the texts of the original, which are read again here."""
    for key in values.keys:
        pattern = words_wanted(key, "text" if values.found.text else "item")
        known = cluster.map(values.texts, words_of_texts, pattern, TEXT).distinct()
        strange = joined(counts.selectExpr(f"{key} as text"), known, "text", "left_anti")
        if n := int(cluster.collect(strange.selectExpr("count(1)"))[0][0]):
            yield invented(n, key)


def _insist_on_files(cluster: Cluster, made: Any, again: Any, keys: tuple[str, ...]) -> int:
    """Raise unless the files contain the counts of the release, one per value; return their number."""
    if again.columns != made.columns:
        raise GuaranteeNotMet("the files have other columns than the release", code="files-differ-from-release", hint=NOTHING_WRITTEN)
    both = made.selectExpr("*", "1 as made", "0 as written").union(again.selectExpr("*", "0 as made", "1 as written"))
    sums = both.groupBy(*made.columns).agg(*expressions("sum(made) as made", "sum(written) as written"))
    sums_of_rows = ["coalesce(sum(made), 0)", "count_if(made != written)", "count(1)"]
    rows, wrong, different = cluster.collect(sums.selectExpr(*sums_of_rows))[0]
    values = cluster.collect(again.select(*keys).distinct().selectExpr("count(1)"))[0][0]
    if wrong or rows != different or rows != values:
        raise GuaranteeNotMet(
            "the files do not contain the counts of the release, one for each value", code="files-differ-from-release", hint=NOTHING_WRITTEN
        )
    return int(rows)


# -- output


def _published(
    values: ClusterValues,
    method: Mechanism,
    verdicts: Sequence[Verdict],
    alone: Sequence[Verdict],
    files: Sequence[FileFact],
    rows: int,
    directory: ReleaseDirectory,
) -> outcome.ClusterOutput:
    """Write manifest and report next to the files, without any exact number of the input."""
    claims, found, summed = method.claims(), values.found, method.summed
    assert summed is not None
    manifest: dict[str, Any] = {
        "shoal": __version__,
        ENGINE: outcome.SPARK,
        "method": method.name,
        "parameters": plain_values(method.values()),
        "input": outcome.facts_of_reading(found) | found.input.preparation.described(),
        "claims": stated_claims(verdicts, alone),
        "notes": [*summed.notes, method.varies],
        "files": [{**file.as_dict(), **({"rows": rows} if number == 0 else {})} for number, file in enumerate(files)],
        "mechanism": [step.as_dict() for step in method.noisy_steps()],
    }
    made = outcome.finished(disclosed(manifest, claims), rows, verdicts, found, (), directory)
    return replace(made, notes=disclosed_notes(made.notes, claims), left_out=(ROWS_LEFT_OUT,) if made.left_out else ())
