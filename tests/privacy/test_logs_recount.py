"""Models of logs, documents and chunks at limits that random releases rarely reach: one value, nobody, the first of many, equal times."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.chunks import chunk_release
from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.data.log import Log
from shoal.data.noise_record import NoisyStep
from shoal.data.original import LogOriginal
from shoal.data.release import Release, Secret
from shoal.data.tables.counts import CountTable
from shoal.data.tables.profiles import ProfileTable
from shoal.data.tables.rows import RowTable
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.privacy import (
    MODELS,
    DeltaPresence,
    DifferentialPrivacy,
    DisassociatedKmAnonymity,
    KmAnonymity,
    NodeNames,
    QueryAffinity,
    Support,
    UserKAnonymity,
    WeightedKAnonymity,
    WordSupport,
)
from shoal.privacy.delta_presence import may_represent
from shoal.privacy.differential_privacy import spent_budget
from shoal.privacy.evidence.row_support import CountedRows
from shoal.taxonomy.ontology import ALTERNATIVE, PREFERRED, Concept, taxonomy_of_concepts
from shoal.taxonomy.place_documents import document_vectors
from shoal.taxonomy.place_terms import as_typed

# -- differential privacy

SELECT = NoisyStep("selection", "counts", "gaussian", "policy", 0.5, 40, cap=4, sensitivity=1 + 2**-10, threshold=2.5)
GUIDE = NoisyStep("guide", "counts", "gaussian", "equal", 40.0, 40, cap=4, sensitivity=1.0)
LAPLACE = NoisyStep("selection", "counts", "laplace", "whole", 8.0, 4, cap=4, sensitivity=4.0, threshold=60.0)


def normal(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


@pytest.mark.parametrize(("threshold", "scale", "cap"), [(2.5, 0.5, 4), (2.5, 0.5, 1), (8.0, 3.0, 4), (3.0, 0.4, 9)])
def test_one_value_alone_may_be_the_likeliest_to_pass(threshold: float, scale: float, cap: int) -> None:
    """A selection after a guide: of one person's values, one with all of the weight, or several with less."""
    select = replace(SELECT, threshold=threshold, scale=scale, cap=cap)
    squared = (1 / 40) ** 2 + ((1 + 2**-10) / scale) ** 2
    mu, epsilon = math.sqrt(squared), 20 - 4e-9
    whole = max(0.0, normal(mu / 2 - epsilon / mu) - math.exp(epsilon) * normal(-mu / 2 - epsilon / mu))
    alone = max(-math.expm1(n * math.log1p(-normal(-(threshold - 1 / math.sqrt(n)) / scale))) for n in range(1, cap + 1))
    assert spent_budget([GUIDE, select], 20.0)[1] == pytest.approx((whole + alone) * (1 + 4e-9), rel=1e-9)


def strange(frame: dict[str, Any], log: pl.DataFrame) -> tuple[str, ...]:
    table = CountTable(pl.DataFrame(frame | {"count": list(range(len(next(iter(frame.values())))))}))
    release = Release({"counts": table}, mechanism=(LAPLACE,))
    return DifferentialPrivacy(epsilon=3.0, delta=0.01).check(release, LogOriginal(Log(log))).witnesses


def test_columns_that_only_one_side_has() -> None:
    plain = pl.DataFrame({"owner": [1, 2], "payload": ["green tea", "rain"]})
    clicks = plain.with_columns(url=pl.Series(["u", "v"]))
    assert strange({"query": ["rain"], "url": ["u"]}, plain) == ("1 published value of 'url' not in the original",)
    assert strange({"first": ["green"], "second": ["tea"]}, clicks) == ()
    assert strange({"first": ["green"], "second": ["rain"]}, clicks) == ("1 published pair never together in the original",)
    assert strange({"step1": ["rain"]}, clicks) == ()


def test_rows_at_one_time_follow_each_other_as_in_the_log() -> None:
    names = [f"q{n}" for n in np.random.default_rng(1).permutation(60)]
    for times in ([datetime(2024, 1, 1)] * 60, [None] * 60):
        log = pl.DataFrame({"owner": [1] * 60, "payload": names, "time": pl.Series(times, dtype=pl.Datetime("us"))})
        assert strange({"step1": names[:-1], "step2": names[1:]}, log) == ()
        assert strange({"step1": names[1:], "step2": names[:-1]}, log) == ("59 published pairs never together in the original",)


# -- pseudonyms, presence, names


def test_pseudonyms_are_counted_from_one() -> None:
    log = LogOriginal(Log(pl.DataFrame({"owner": [1, 2, 3], "payload": ["a", "a", "b"]})))
    table = ProfileTable(pl.DataFrame({"user": [1, 2], "query": ["a", "a"]}), "user")
    for rows, known in (([1, 2, -1], True), ([2, 1, -1], True), ([1, 2, 0], False), ([0, 1, 2], False), ([1, 2, 1], False)):
        verdict = UserKAnonymity(k=2).check(Release({"log": table}, secret=Secret(np.array(rows))), log)
        assert verdict.holds == known, (rows, verdict)


@pytest.mark.parametrize(
    ("ages", "public", "several"),
    [(["20-29", "20-25"], ["21", "45"], 1), (["20-29", "20-25"], ["21", "22", "27"], 2), (["20-29", "30-39"], ["21", "22", "35"], 0)],
)
def test_public_rows_with_several_published_ones(ages: list[str], public: list[str], several: int) -> None:
    """One such row is enough: then nothing can be said."""
    verdict = DeltaPresence(public={"age": public}, delta_max=1.0).check(Release({"microdata": RowTable(pl.DataFrame({"age": ages}))}))
    assert (verdict.standing == "not checkable") == (several > 0)
    assert verdict.unchecked.startswith(f"{several} row") or not several


def test_public_tables_are_disclosed_by_their_file_only() -> None:
    claim = DeltaPresence(public={"age": ["21"]})
    assert claim.disclosable_values()["public"] == "unnamed"
    named = MODELS.make("delta-presence(public=people.csv)")
    assert named.disclosable_values()["public"] == named.values()["public"] != "unnamed"


def test_numbers_are_equal_however_they_are_written() -> None:
    for published, typed, fits in (
        ("20", "20.0", True),
        ("20.50", "20.5", True),
        ("20", "21", False),
        ("20", "x", False),
        ("x", "20", False),
    ):
        assert may_represent(published, typed) == fits


def test_words_of_names_that_nobody_has() -> None:
    original = as_typed(Bags.from_lists([["tea", "pot"], ["tea", "pot"]]))
    release = Release.from_records(Bags.from_lists([["tea / pot"], ["tea / snow"]]))
    verdict = NodeNames(people=2).check(release, original)
    assert verdict.achieved == {"people": 0} and verdict.rare == ("too few people use 'snow'",)
    assert NodeNames(people=2).check(release).achieved == {"records": 0}


# -- support, affine queries, words


def test_units_in_sentences() -> None:
    told = {
        None: "query was issued by",
        "query": "query was issued by",
        "term": "word was used by",
        "query+url": "combination of columns belongs to",
    }
    for unit, sentence in told.items():
        assert Support(unit=unit).in_sentences["unit"] == sentence


def test_what_is_not_counted_has_no_rows() -> None:
    release = Release({"log": RowTable(pl.DataFrame({"query": ["a b c d", "a b c e", "a b c d"]}))})
    verdict = Support(k=2, words=3).check(release)
    assert (verdict.holds, verdict.achieved) == (False, {"records": 0})
    workers = Support(k=2, words=3).judge_rows(CountedRows(3, None, 0, long=1))
    assert workers.witnesses == ("1 published query has more than 3 words",) and workers.achieved == {"records": 0}
    assert verdict.witnesses == ("2 published queries have more than 3 words",)


@pytest.mark.parametrize("theta", [0.5000008, 0.9999992, 0.1234567])
def test_affinities_with_seven_decimals(theta: float) -> None:
    with refuses("too-many-decimals"):
        QueryAffinity(theta=theta)
    QueryAffinity(theta=round(theta, 6))


def test_queries_of_two_people_and_of_nobody() -> None:
    log = LogOriginal(Log(pl.DataFrame({"owner": [1, 2, 3], "payload": ["tea", "tea", "rain"]})))
    for shown, people, holds in ((["tea", "tea"], 2, True), (["rain", "tea"], 1, False), ([], 0, True)):
        release = Release({"log": RowTable(pl.DataFrame({"query": shown}, schema={"query": pl.String}))})
        verdict = QueryAffinity(k=2, word_people=2).check(release, log)
        assert (verdict.holds, verdict.achieved) == (holds, {"people": people, "people_of_query": people, "people_of_word": people})


def test_verdicts_name_five_rare_words() -> None:
    words = "abcdefg"
    original = as_typed(Bags.from_lists([list(words)]))
    verdict = WordSupport(k=2).check(chunk_release((1, [], words)), original)
    assert verdict.rare == tuple(f"too few people have {word!r}" for word in "abcde")
    assert verdict.witnesses == ("7 published items of fewer than 2 people",) and verdict.achieved == {"people": 1}
    assert WordSupport(k=2).check(chunk_release(), original).achieved == {"people": 0}


def test_when_users_are_not_known() -> None:
    """A note says so only if the mapping is missing and somebody has several records."""
    for owners in ([0, 1], [0, 0]):
        original = as_typed(Bags.from_lists([["a"], ["a"]], owners=owners))
        for secret in (None, Secret(np.arange(2))):
            release = Release.of_bags(original.bags, np.ones(2, np.int64), secret=secret)
            notes = KmAnonymity(k=2, m=1).check(release, original).notes
            assert any("people have several records" in note for note in notes) == (secret is None and owners == [0, 0])


# -- vectors of documents


def vectors(rows: list[dict[str, float]]) -> WeightedBagTable:
    frame = pl.DataFrame({"items": [list(row) for row in rows], "weights": [list(row.values()) for row in rows]})
    return WeightedBagTable(frame.cast({"items": pl.List(pl.String), "weights": pl.List(pl.Float64)}))


def test_the_first_label_of_an_ontology_is_a_term_too() -> None:
    """A meal is food, and so is an apple."""
    food = Concept("1", "food", (("meal", ALTERNATIVE), ("food", PREFERRED)))
    taxonomy, _ = taxonomy_of_concepts([food, Concept("2", "apple", (("apple", PREFERRED),), ("1",))])
    original = document_vectors(pl.Series(["meal meal", "meal apple"]), np.arange(2), 9, taxonomy=taxonomy)
    assert min(original.places.tolist()) == 0
    for weight, holds in ((1.0, True), (1.001, False)):
        for secret in (None, Secret(np.arange(2))):
            release = Release({"vectors": vectors([{"food": weight}] * 2)}, secret=secret)
            assert WeightedKAnonymity(k=2).check(release, original).holds == holds


def test_a_term_of_a_vector_of_one_document() -> None:
    original = document_vectors(pl.Series(["dog dog"]), np.arange(1), 9)
    verdict = WeightedKAnonymity(k=2).check(Release({"vectors": vectors([{"horse": 0.0}])}, secret=Secret(np.arange(1))), original)
    assert "1 published terms represent no term of some document in their group" in verdict.witnesses


@pytest.mark.parametrize("secret", [True, False])
def test_one_weight_of_several_is_wrong(secret: bool) -> None:
    """A weight may be off by what adding up rounds, and no more."""
    original = document_vectors(pl.Series(["dog cat", "dog cat"]), np.arange(2), 9)
    for row, wrong in (
        ({"dog": 0.5, "cat": 0.5}, 0),
        ({"dog": 0.5 + 1e-9, "cat": 0.5}, 0),
        ({"dog": 0.5 + 3e-9, "cat": 0.5}, 2),
        ({"dog": 0.5, "cat": 0.6}, 2),
        ({"dog": 0.6, "cat": 0.6}, 4),
        ({"dog": -0.1, "cat": 0.5}, 2),
    ):
        mapping = Secret(np.arange(2)) if secret else None
        verdict = WeightedKAnonymity(k=2).check(Release({"vectors": vectors([row] * 2)}, secret=mapping), original)
        assert verdict.holds == (not wrong)
        where = "in their group" if secret else "in the original"
        assert (f"{wrong // 2} published weights are not means of weights {where}" in verdict.witnesses) == (wrong > 0)


# -- chunks


@pytest.mark.parametrize(
    ("k", "both", "holds"), [(2, 1, False), (2, 2, False), (2, 4, False), (2, 5, True), (3, 4, False), (3, 5, False), (3, 6, True)]
)
def test_records_that_few_people_own(k: int, both: int, holds: bool) -> None:
    """One person owns four of twelve records. Two terms of two chunks certainly meet in `both`: these must be of k people."""
    first = 8
    second = 12 - first + both
    records = [["a"] * (i < first) + ["b"] * (i >= 12 - second) for i in range(12)]
    owners = [0 if 4 <= i < 8 else i + 1 for i in range(12)]
    original = as_typed(Bags.from_lists(records, owners))
    published = chunk_release((12, [["a"] * first, ["b"] * second], ""))
    told = "1 cluster in which items of several chunks certainly meet, perhaps for fewer than k people"
    verdict = DisassociatedKmAnonymity(k=k, m=2).check(replace(published, secret=Secret(np.zeros(12, np.int64))), original)
    assert (told not in verdict.witnesses) == holds, verdict
    alone = DisassociatedKmAnonymity(k=k, m=2).check(published)
    assert (told in alone.witnesses) == (both < k)


@pytest.mark.parametrize(("shared", "m", "bound"), [(4, 2, False), (5, 2, True), (5, 1, False), (4, 1, False)])
def test_shared_terms_meet_others_if_there_are_too_many(shared: int, m: int, bound: bool) -> None:
    release = chunk_release((4, [["a"] * 4], ""), (4, [["b"] * 4], ""), shared=[["c"] * shared])
    verdict = DisassociatedKmAnonymity(k=2, m=m).check(release)
    assert ("1 cluster whose shared items are bound to meet others" in verdict.witnesses) == bound


def test_no_cluster_at_all() -> None:
    assert DisassociatedKmAnonymity(k=2, m=2).check(chunk_release()).achieved == {"records": 0, "m": 2}
