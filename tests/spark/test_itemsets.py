"""Coherence on Spark: the same records, account and verdicts as on one machine; the judge there finds what the method does wrong."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import shoal
from helpers.spark import compared, release_on_cluster
from shoal.cli.main import run
from shoal.cluster import itemset_counts as itemsets
from shoal.cluster import judge_itemsets as judging_sets
from shoal.cluster import recode_items, write_files
from shoal.cluster.arrow_schemas import NUMBERED_NAMES, numbered_names
from shoal.cluster.exchange import Step
from shoal.cluster.judge_itemsets import ShownRecords
from shoal.cluster.spark import Cluster
from shoal.cluster.typed_records import TYPED_RECORDS
from shoal.data.bags import Bags, Vocabulary
from shoal.data.items import Items
from shoal.errors import GuaranteeNotMet, Infeasible, ParameterError
from shoal.io.step_files import write_stored
from shoal.methods import Method
from shoal.methods.apriori import Apriori
from shoal.methods.coherence import Cohesion
from shoal.pipeline.options import Preparation, Target
from shoal.privacy.coherence import Coherence
from shoal.privacy.evidence.known_sets import AttackerKnowledge

pytestmark = pytest.mark.usefixtures("session")


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


def test_a_rare_pair_that_the_method_overlooks_is_refused(few: Any, tmp_path: Path, spoil_tables: Any) -> None:
    spoil_tables(itemsets, "sets_2", lambda made: made.set_column(1, "people", pa.array([9] * len(made))))
    refused(few, tmp_path, "1 set of 2 public items reveals too much: 1 shared by too few people")


def test_records_in_place_of_people_are_refused(few: Any, tmp_path: Path, spoil_tables: Any) -> None:
    spoil_tables(itemsets, "item_counts", lambda made: made.set_column(2, "people", made["records"]))
    refused(few, tmp_path, "1 set of 1 public item reveals too much", per="event")


@pytest.mark.parametrize(
    ("module", "step", "change", "told"),
    [
        (recode_items, "published", lambda made: made.slice(1), "lost or added"),
        (recode_items, "published", lambda made: pa.concat_tables([made, made]), "lost or added"),
        (
            recode_items,
            "published",
            lambda made: made.set_column(1, "items", pa.array([["oats"]] * len(made), NUMBERED_NAMES)),
            "not names from",
        ),
        (recode_items, "published", lambda made: made.set_column(0, "row", pa.array(range(7, 7 + len(made)))), "not names from"),
        (
            recode_items,
            "published",
            lambda made: made.set_column(1, "items", pa.array([names[:1] * 2 for names in made["items"].to_pylist()], NUMBERED_NAMES)),
            "items are repeated",
        ),
        (write_files, "files", lambda made: made.slice(1), "the files do not contain the records"),
        (write_files, "files", lambda made: made.set_column(2, "items", made["items"].take([0] * len(made))), "the files do not contain"),
    ],
    ids=["lost", "doubled", "invented", "elsewhere", "repeated", "unwritten", "miswritten"],
)
def test_records_that_were_changed_or_lost_are_refused(
    few: Any, tmp_path: Path, spoil_tables: Any, module: Any, step: str, change: Any, told: str
) -> None:
    spoil_tables(module, step, change)
    with pytest.raises(GuaranteeNotMet, match=told) as found:
        shoal.anonymize(few, "coherence", k=3, p=1).write(tmp_path / "out")
    assert not any(item in str(found.value) for item in ("milk", "bread", "rye"))
    assert not list(tmp_path.iterdir())


def test_a_broken_method_ends_the_command_with_exit_code_3(tmp_path: Path, spoil_tables: Any, capsys: pytest.CaptureFixture[str]) -> None:
    spoil_tables(itemsets, "sets_2", lambda made: made.set_column(1, "people", pa.array([9] * len(made))))
    log = tmp_path / "log.tsv"
    log.write_text("user\titem\n" + "".join(f"p{i}\tmilk\np{i + 3}\tbread\n" for i in range(4)))
    asked = ["anonymize", str(log), "--method", "coherence", "--k", "3", "--out", str(tmp_path / "out")]
    assert run([*asked, "--engine", "spark", "--master", "local[2]"]) == 3
    told = capsys.readouterr().err
    assert "fails coherence" in told
    assert "milk" not in told
    assert [entry.name for entry in tmp_path.iterdir()] == ["log.tsv"]


# -- the judge by itself, on records in two partitions


def stored_there(place: Path, name: str, tables: list[pa.Table]) -> Step:
    (place / name).mkdir()
    return Step(place / name, tuple(write_stored(table, place / name, number)[0] for number, table in enumerate(tables)))


def shown_there(place: Path, k: int, *partitions: list[tuple[int, list[str], list[str]]]) -> ShownRecords:
    """People, what they typed, and what is published of it; the partitions have different people."""
    originals = []
    for rows in partitions:
        bags = Bags.from_lists([typed for _, typed, _ in rows])
        order = bags.vocabulary.names.sort()
        bags = bags.relabelled(Vocabulary(order).codes(bags.vocabulary.names), Vocabulary(order))
        lists = numbered_names(bags.indptr, bags.items, order)
        originals.append(pa.table([[who for who, *_ in rows], lists], schema=TYPED_RECORDS))
    shown = []
    for rows in partitions:
        n, owners = np.arange(len(rows)), [who for who, *_ in rows]
        shown.append(pa.table([n, n, owners, pa.array([items for *_, items in rows], NUMBERED_NAMES)], schema=judging_sets.SHOWN_ITEMS))
    steps = (stored_there(place, name, tables) for name, tables in (("shown", shown), ("originals", originals)))
    step, records = steps
    return ShownRecords(k, len(partitions), step, originals=records)


def some_records(seed: int, longest: int = 5) -> list[tuple[int, list[str], list[str]]]:
    random = np.random.default_rng(seed)
    chosen = (sorted(f"i{n}" for n in random.choice(7, int(random.integers(0, longest + 1)), False)) for _ in range(40))
    return [(int(random.integers(12)), items, items) for items in chosen]


@pytest.mark.parametrize("at_once", [1 << 22, 5], ids=["at once", "in portions"])
@pytest.mark.parametrize("k", [1, 6])
def test_the_judge_counts_every_set(session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, k: int, at_once: int) -> None:
    """Against brute force: sets of up to three items, the fewest people behind one, and those of fewer than k."""
    monkeypatch.setattr(judging_sets, "SETS_AT_ONCE", at_once)
    one, other = some_records(3), some_records(4)
    rows = one + [(who + 100, typed, items) for who, typed, items in other]
    shown = shown_there(tmp_path, k, one, other)
    judged = judging_sets.counted_known_sets(Cluster(session, tmp_path), shown, AttackerKnowledge(k, 3))
    held: dict[int, Counter[Any]] = {}
    for size in range(4):
        people = Counter(known for _, known in {(who, known) for who, _, items in rows for known in combinations(sorted(items), size)})
        held[size] = people
        if any(n < k for n in people.values()):
            break
    every = [n for people in held.values() for n in people.values()]
    assert (judged.sets.sets, judged.sets.fewest, judged.sets.size) == (len(every), min(every), max(held))
    assert judged.sets.few == sum(n < k for n in held[max(held)].values())
    assert judged.sets.people
    single = Counter(item for _, item in {(who, item) for who, _, items in rows for item in items})
    assert judged.names == tuple(sorted(item for item, n in single.items() if n >= k))
    assert judging_sets.defects_of(judged) == []


@pytest.mark.parametrize("size", [2, 3])
def test_sets_are_counted_in_portions_of_people(size: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """All records of a person are in one portion, however many sets these have."""
    monkeypatch.setattr(judging_sets, "SETS_AT_ONCE", 5)
    rows = some_records(9)
    shown = shown_there(tmp_path, 2, rows)
    names = pl.Series("item", [f"i{n}" for n in range(7)])
    assert shown.step is not None
    (made,) = judging_sets.people_of_sets(judging_sets.SetsToCount(shown, names, size), 0, shown.step.part(0))
    people = Counter(known for _, known in {(who, known) for who, _, items in rows for known in combinations(items, size)})
    keys = {sum(int(item[1:]) * 7 ** (size - 1 - place) for place, item in enumerate(known)): n for known, n in people.items()}
    assert dict(zip(made["key"].to_pylist(), made["people"].to_pylist(), strict=True)) == keys


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([(["a", "b"], ["a"]), (["b"], []), (["a"], ["a"])], []),
        ([(["a", "b"], ["a"]), (["b"], ["b"])], ["1 items were changed in some records but not in all"]),
        ([(["a"], ["a", "c"])], ["1 published items match nothing in their record"]),
        ([(["a"], ["a", "a"])], ["1 items are repeated in their record, but the number of repetitions is knowledge too"]),
    ],
    ids=["fine", "partly", "strange", "repeated"],
)
def test_the_judge_finds_what_no_suppression_makes(
    session: Any, tmp_path: Path, rows: list[tuple[list[str], list[str]]], told: list[str]
) -> None:
    """An item that is suppressed in one partition and published in another is changed in part, too."""
    for place, partitions in (("one", [rows]), ("two", [rows[:1], rows[1:]])):
        (tmp_path / place).mkdir()
        shown = shown_there(tmp_path / place, 1, *([(7, *row) for row in part] for part in partitions))
        judged = judging_sets.counted_known_sets(Cluster(session, tmp_path / place), shown, AttackerKnowledge(1, 1))
        assert judging_sets.defects_of(judged) == told


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
