"""(k, k^m)-anonymity: the judge against brute force, changed rows, and attacks with both kinds of knowledge."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.item_tables import FOOD, LEVELS, fewest, item_table
from shoal.attacks.draw import Draw
from shoal.data.release import Release, Secret
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.evaluate.attack.tables import attacks_on_table
from shoal.methods import METHODS
from shoal.metrics import METRICS
from shoal.pipeline.contract import made_by
from shoal.privacy import KKmAnonymity
from shoal.privacy.evidence.generalized_columns import penalty, true_of

cells = st.sets(st.sampled_from("abcd"), max_size=3).map(lambda held: "|".join(sorted(held)))
rows_of_tables = st.lists(st.tuples(st.sampled_from(["1..2", "3"]), st.sampled_from("fm"), cells), min_size=1, max_size=14)
SCHEMA = {"age": pl.String, "sex": pl.String, "basket": pl.String}
CLAIM = {"columns": ["age", "sex"], "item_sets": ["basket"]}


def released(rows: list[tuple[str, str, str]]) -> Release:
    return Release({"microdata": RowTable(pl.DataFrame(rows, schema=SCHEMA, orient="row"))})


@settings(deadline=None, max_examples=80)
@given(rows_of_tables, st.integers(2, 3), st.integers(1, 3))
def test_every_set_of_every_class_is_counted(rows: list[tuple[str, str, str]], k: int, m: int) -> None:
    verdict = KKmAnonymity(k=k, m=m, **CLAIM).check(released(rows))
    plain = fewest([dict(zip(SCHEMA, row, strict=True)) for row in rows], ["age", "sex"], "basket", m)
    assert verdict.holds == (plain >= k)
    if verdict.holds:  # otherwise counting stops at the first size with a rare set
        assert verdict.achieved == {"records": plain, "m": m}


def test_an_item_that_is_repeated_in_its_row_is_a_fault() -> None:
    verdict = KKmAnonymity(k=2, m=1, **CLAIM).check(released([("3", "f", "a|a")] * 2))
    assert not verdict.holds
    assert "1 items are repeated" not in verdict.witnesses[0]  # two rows repeat it
    assert "2 items are repeated" in verdict.witnesses[0]


def test_the_column_of_item_sets_is_never_guessed() -> None:
    with pytest.raises(ParameterError) as error:
        KKmAnonymity(k=2, m=1).check(released([("3", "f", "a")] * 2))
    assert error.value.code == "missing-column"


CHANGES = {
    "age": ("1..2", "not true of them"),
    "school": ("low", "not true of them"),
    "sex": ("q", "not true of them"),
    "town": ("Kiel", "not true of them"),
    "basket": ("Apple|Beer|Bread|Milk|Pear|Wine", "do not generalize"),
}


@pytest.mark.parametrize("column", CHANGES)
def test_values_that_are_not_true_of_their_rows_are_found(column: str) -> None:
    original = item_table(30, 8)
    release = made_by(METHODS["kkm"](k=3, m=1), original)  # type: ignore[call-arg]
    value, says = CHANGES[column]
    frame = release.only(RowTable).frame.with_columns(pl.lit(value).alias(column))
    changed = Release({"microdata": RowTable(frame)}, release.claims, secret=Secret(np.arange(30)))
    (claim,) = release.claims
    verdict = claim.check(changed, original)
    assert not verdict.holds
    assert any(says in witness for witness in verdict.witnesses), verdict.witnesses
    without_rows = claim.check(Release({"microdata": RowTable(frame)}), original)
    assert not without_rows.holds


def test_published_texts_are_read_by_definition() -> None:
    age, school, sex, town = item_table(30, 9).table.quasi
    assert [true_of(age, "20..30")(value) for value in (20.0, 30.0, 31.0)] == [True, True, False]  # type: ignore[misc]
    assert [true_of(school, "low..middle")(value) for value in LEVELS] == [True, True, False]  # type: ignore[misc]
    assert [true_of(sex, "f|m")(value) for value in "fmx"] == [True, True, False]  # type: ignore[misc]
    assert [true_of(town, "South")(value) for value in ("Ulm", "Kiel")] == [True, False]  # type: ignore[misc]
    for attribute, text in ((age, "old"), (age, "30..20"), (school, "low..top"), (sex, "f|q"), (town, "Atlantis")):
        assert true_of(attribute, text) is None
    assert [penalty(school, text) for text in ("low", "low..middle", "low..high")] == [0, 0.5, 1]
    assert [penalty(sex, text) for text in ("f", "f|m", "f|m|x")] == [0, 0.5, 1]
    assert penalty(town, "South") == pytest.approx(2 / 3)
    assert penalty(town, "Kiel") == 0


def test_more_loss_of_attributes_keeps_more_items() -> None:
    original = item_table(200, 10)
    kept, detail = [], []
    for delta in (0.0, 0.5, 1.0):
        release = made_by(METHODS["kkm"](k=3, m=2, delta=delta), original)  # type: ignore[call-arg]
        kept.append(METRICS["item_loss"].measure(release, original))
        detail.append(METRICS["attribute_detail"].measure(release, original))
    assert kept == sorted(kept, reverse=True)
    assert detail == sorted(detail, reverse=True)
    assert kept[0] > kept[-1]
    assert detail[1] >= 0.5 - 1e-9


def test_attacks_with_attributes_and_items_stay_within_the_promise() -> None:
    original = item_table(120, 11)
    release = made_by(METHODS["kkm"](k=4, m=2, delta=0.4), original)  # type: ignore[call-arg]
    found = {
        (one.subject, one.knowledge): one for one in attacks_on_table(original, release, ["row-and-items"], Draw(targets=120)).outcomes
    }
    both = found["release", "all quasi-identifiers and 2 items"]
    assert both.ceiling == pytest.approx(1 / 4)
    assert both.success.rate <= 1 / 4 + 1e-9
    assert found["release", "all quasi-identifiers and 3 items"].ceiling is None
    assert found["original", "all quasi-identifiers and 2 items"].success.rate > 0.9
    assert found["original", "2 items"].success.rate < both.success.rate + 0.5


def test_an_attacker_finds_the_rows_that_a_plain_search_finds() -> None:
    """Rates of the attack on the original against a search row by row."""
    original = item_table(40, 12, kinds="nominal")
    release = made_by(METHODS["kkm"](k=2, m=1), original)  # type: ignore[call-arg]
    found = {(one.subject, one.knowledge): one for one in attacks_on_table(original, release, ["row-and-items"], Draw(targets=40)).outcomes}
    rows = list(zip(original.table.quasi[0].values, original.table.item_sets[0].values, strict=True))
    chances = []
    for number, (sex, basket) in enumerate(rows):
        items = [item for item in basket.split("|") if item]
        nodes = sorted(items, key=list(FOOD).index)  # in the order of the tree, as the attack draws them
        known = np.random.default_rng((2013, number)).permutation(nodes)[:1] if nodes else []
        alike = [other for other in rows if other[0] == sex]
        above = {name for item in known for name in (str(item), FOOD[str(item)]) if name != "Food"}  # a row with Fruit may have an apple
        matched = [bool(above & set(other[1].split("|"))) for other in alike]
        chances.append(1 / matched.count(max(matched)))
    assert found["original", "all quasi-identifiers and 1 item"].success.rate == pytest.approx(sum(chances) / len(chances))


def test_random_tables_by_brute_force() -> None:
    rng = random.Random(3)
    for seed in range(12):
        k, m = rng.choice([2, 3]), rng.choice([1, 2, 3])
        original = item_table(rng.choice([6, 12, 25]), seed, people=rng.choice([None, 5]))
        release = made_by(METHODS["kkm"](k=k, m=m, delta=rng.random(), aim=rng.choice(["loss", "words"])), original)  # type: ignore[call-arg]
        people = original.table.owners[np.argsort(release.secret.rows())].tolist()  # type: ignore[union-attr]
        names = [attribute.name for attribute in original.table.quasi]
        assert fewest(release.only(RowTable).frame.to_dicts(), names, "basket", m, people) >= k
