"""Coherence on Spark: the same records, account and verdicts as on one machine; the judge there finds what the method does wrong."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shoal
from helpers.spark import compared, release_on_cluster
from shoal.cli.main import run
from shoal.cluster import itemset_counts as itemsets
from shoal.cluster import judge_itemsets as judging_sets
from shoal.cluster.spark import Cluster
from shoal.data.items import Items
from shoal.errors import GuaranteeNotMet, Infeasible, ParameterError
from shoal.methods import Method
from shoal.methods.apriori import Apriori
from shoal.methods.coherence import Cohesion
from shoal.pipeline.options import Preparation, Target
from shoal.privacy.coherence import Coherence
from shoal.privacy.evidence.known_sets import AttackerKnowledge

pytestmark = pytest.mark.usefixtures("session")
BESIDE = "owner long, items array<string>, words array<string>"  # published records beside their originals


def test_sets_of_three_items_of_two_thousand_people(tmp_path: Path) -> None:
    log = tmp_path / "log.tsv"
    shoal.generate(users=2000, seed=4).write_csv(log, separator="\t")
    manifest = compared(log, tmp_path, Cohesion(k=4, p=3))
    assert manifest["files"][0]["items"] > 20
    assert 4 <= manifest["claims"][0]["achieved"]["records"] < 20
    assert shoal.audit(tmp_path / "there", original=log).holds


def test_people_with_several_records_count_once(tmp_path: Path) -> None:
    log = tmp_path / "log.tsv"
    shoal.generate(users=400, seed=5, topics=3).write_csv(log, separator="\t")
    manifest = compared(log, tmp_path, Cohesion(k=5, p=2, il="1", score="mm"), per="session")
    assert manifest["input"]["records"] > manifest["input"]["owners"]
    assert manifest["claims"][0]["achieved"]["people"] >= 5
    assert manifest["files"][0]["items"] > 20


@pytest.fixture
def few(session: Any) -> Any:
    """Four people have `milk` and `bread`, never both but for one, who has `rye` too, in three records of it."""
    rows = [(f"p{i}", "milk", i) for i in range(4)] + [(f"p{i}", "bread", i) for i in (3, 4, 5, 6)]
    rows += [("p3", "rye", 10 + i) for i in range(4)]
    frame = [(who, item, f"2006-03-01 {10 + day % 10:02}:{day:02}:00") for who, item, day in rows]
    return session.createDataFrame(frame, "user string, item string, time string")


def refused(frame: Any, tmp_path: Path, told: str, **said: Any) -> None:
    with pytest.raises(GuaranteeNotMet, match=told) as found:
        shoal.anonymize(frame, "coherence", k=3, p=2, **said).write(tmp_path / "out")
    assert not any(item in str(found.value) for item in ("milk", "bread", "rye"))
    assert not list(tmp_path.iterdir())


def test_a_rare_pair_that_the_method_overlooks_is_refused(few: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(itemsets, "_rare_keys", lambda *asked: np.zeros(0, np.int64))
    refused(few, tmp_path, "1 set of 2 public items reveals too much: 1 shared by too few people")


def test_records_in_place_of_people_are_refused(few: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = itemsets.frequent_items
    monkeypatch.setattr(itemsets, "frequent_items", lambda *asked, several: honest(*asked, several=False))
    refused(few, tmp_path, "1 set of 1 public item reveals too much", per="event")


@pytest.mark.parametrize(
    ("step", "change", "told"),
    [
        ("published", lambda made: made.limit(5), "lost or added"),
        (
            "published",
            lambda made: made.selectExpr("record", "array_append(items, 'rye') as items", "withheld"),
            "not names from",
        ),
        ("shuffled", lambda made: made.limit(3), "the files do not contain the records"),
    ],
)
def test_records_that_were_changed_or_lost_are_refused(few: Any, tmp_path: Path, spoil: Any, step: str, change: Any, told: str) -> None:
    spoil(step, change)
    refused(few, tmp_path, told)


def test_a_broken_method_ends_the_command_with_exit_code_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(itemsets, "_rare_keys", lambda *asked: np.zeros(0, np.int64))
    log = tmp_path / "log.tsv"
    log.write_text("user\titem\n" + "".join(f"p{i}\tmilk\np{i + 3}\tbread\n" for i in range(4)))
    asked = ["anonymize", str(log), "--method", "coherence", "--k", "3", "--out", str(tmp_path / "out")]
    assert run([*asked, "--engine", "spark", "--master", "local[2]"]) == 3
    told = capsys.readouterr().err
    assert "fails coherence" in told
    assert "milk" not in told
    assert [entry.name for entry in tmp_path.iterdir()] == ["log.tsv"]


def test_the_judge_counts_every_set(session: Any) -> None:
    """Against brute force: sets of up to three items, the fewest people behind one, and those of fewer than k."""
    random = np.random.default_rng(3)
    rows = [(int(random.integers(12)), [f"i{n}" for n in random.choice(7, int(random.integers(0, 6)), False)]) for _ in range(40)]
    cluster, frame = Cluster(session, Path()), session.createDataFrame([(*row, row[1]) for row in rows], BESIDE)
    shown = judging_sets.Shown.of(cluster, frame, with_original=True)
    for k in (1, 6):
        found = judging_sets.counted_known_sets(cluster, shown, AttackerKnowledge(k, 3))
        held: dict[int, Counter[Any]] = {}
        for size in range(4):
            people = Counter(known for _, known in {(who, known) for who, items in rows for known in combinations(sorted(items), size)})
            held[size] = people
            if any(n < k for n in people.values()):
                break
        every = [n for people in held.values() for n in people.values()]
        assert (found.sets, found.fewest, found.size) == (len(every), min(every), max(held))
        assert found.few == sum(n < k for n in held[max(held)].values())
        assert found.people


def test_the_judge_finds_what_no_suppression_makes(session: Any) -> None:
    def found(*rows: tuple[list[str], list[str]]) -> list[str]:
        cluster, frame = Cluster(session, Path()), session.createDataFrame([(7, items, words) for words, items in rows], BESIDE)
        shown = judging_sets.Shown.of(cluster, frame, with_original=True)
        return judging_sets.defects_of(cluster, shown, with_original=True)

    assert not found((["a", "b"], ["a"]), (["b"], []), (["a"], ["a"]))
    assert found((["a", "b"], ["a"]), (["b"], ["b"])) == ["1 items were changed in some records but not in all"]
    assert found((["a"], ["a", "c"])) == ["1 published items match nothing in their record"]
    assert found((["a"], ["a", "a"])) == ["1 items are repeated in their record, but the number of repetitions is knowledge too"]


def test_more_rare_sets_than_the_driver_holds_are_refused(few: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(itemsets, "MOST_MOLES", 0)
    with pytest.raises(Infeasible, match="1 set of 2 items is shared by fewer than 3 people, more than the driver can keep"):
        shoal.anonymize(few, "coherence", k=3).write(tmp_path / "out")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (Cohesion(p=4), {}),
        (Cohesion(exact=True), {}),
        (Cohesion(private=Items.parse("milk")), {}),
        (Cohesion(generalize=True), {}),
        (Cohesion(), {"taxonomy": "wordnet"}),
        (Apriori(), {}),
    ],
    ids=["p", "exact", "private", "generalize", "taxonomy", "method"],
)
def test_what_is_for_one_machine_is_refused(method: Method, said: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="one machine"):
        release_on_cluster(["x.tsv"], Preparation.default_for(method).choosing(**said), method, Target(tmp_path / "out"), "local[2]")
    assert not list(tmp_path.iterdir())


def test_only_claims_without_named_items_are_judged_by_counts() -> None:
    assert Coherence(private=Items(names=frozenset({"milk"}))).sets_to_count is None
    assert Coherence(k=4, p=3).sets_to_count == AttackerKnowledge(4, 3)
