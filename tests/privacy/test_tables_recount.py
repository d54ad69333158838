"""Models of published tables against a recount in plain Python: true tables and tampered ones, with and without the mapping of rows."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.item_tables import FOOD, ITEMS, LEVELS, REGIONS, TOWNS, fewest
from shoal.data.original import TableOriginal
from shoal.data.release import Release, Secret
from shoal.data.table import Attribute, Table
from shoal.data.tables.rows import RowTable
from shoal.data.taxonomy import Taxonomy
from shoal.privacy import ClassLimits, DeltaPresence, KKmAnonymity, MicrodataKAnonymity
from shoal.privacy.delta_presence import may_represent
from shoal.privacy.evidence.generalized_columns import classes_without_rows, penalty, true_of, untrue_by_row
from shoal.privacy.evidence.microdata_evidence import classes_of_rows, is_centroid, people_of_classes
from shoal.util.wording import counted

UP = {"Germany": None, "South": "Germany", "Ulm": "South", "Munich": "South", "North": "Germany", "Kiel": "North"}


@cache
def attribute(name: str) -> Attribute:
    """A small attribute; made on demand, because a module of tests computes nothing while it is loaded."""
    return {
        "age": lambda: Attribute("age", "numeric", pl.Series([20.0, 30.0, 40.0, 60.0])),
        "school": lambda: Attribute("school", "ordinal", pl.Series(["low", "middle", "high", "low"]), levels=LEVELS),
        "sex": lambda: Attribute("sex", "nominal", pl.Series(["f", "m", "x", "f"])),
        "town": lambda: Attribute("town", "hierarchical", pl.Series(["Ulm", "Munich", "Kiel", "Ulm"]), hierarchy=REGIONS),
    }[name]()


def ups(town: str | None) -> list[str]:
    return [] if town is None else [town, *ups(UP[town])]


# -- what a published text says


TEXTS = {
    "age": ["20", "20..40", "20..60", "30..20", "40..40", "old", "..20", "20.."],
    "school": ["low", "low..middle", "middle..high", "high..low", "top", "low..top"],
    "sex": ["f", "f|m", "f|m|x", "f|q", "q"],
    "town": ["Ulm", "South", "North", "Germany", "Kiel", "Rome"],
}


def plain_test(name: str, text: str, value: Any) -> bool | None:
    """Whether a text is true of a value; None if it cannot be read."""
    if name == "sex":
        return None if set(text.split("|")) - set("fmx") else value in text.split("|")
    if name == "town":
        return text in ups(value) if text in UP else None
    low, _, high = text.partition("..")
    try:
        ends = [float(end) if name == "age" else LEVELS.index(end) for end in (low, high or low)]
    except ValueError:
        return None
    at = value if name == "age" else LEVELS.index(value)
    return None if ends[0] > ends[1] else ends[0] <= at <= ends[1]


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_true_of_the_values_that_they_name(name: str) -> None:
    for text in TEXTS[name]:
        test = true_of(attribute(name), text)
        for value in attribute(name).values.unique().to_list():
            expected = plain_test(name, text, value)
            assert (None if test is None else test(value)) == expected, (text, value)


def test_penalties_of_texts() -> None:
    assert [penalty(attribute("age"), text) for text in ("20", "20..40", "20..60", "30..40")] == [0, 0.5, 1, 0.25]
    assert [penalty(attribute("school"), text) for text in ("low", "low..middle", "low..high", "middle..high")] == [0, 0.5, 1, 0.5]
    assert [penalty(attribute("sex"), text) for text in ("f", "f|m", "f|m|x")] == [0, 0.5, 1]
    assert [penalty(attribute("town"), text) for text in ("Ulm", "South", "Germany", "Kiel", "North")] == pytest.approx(
        [0, 2 / 3, 1, 0, 1 / 3]
    )
    ranks = Attribute("rank", "ordinal", pl.Series([1.0, 2.0, 5.0, 9.0]))
    assert [penalty(ranks, text) for text in ("2", "1..2", "1..9", "2..9", "5")] == pytest.approx([0, 1 / 3, 1, 2 / 3, 0])
    for name in TEXTS:
        assert penalty(attribute(name), "nothing like it") == 1
    one = Attribute("age", "numeric", pl.Series([20.0, 20.0]))
    assert (penalty(one, "20"), penalty(one, "20..21")) == (0, 1)
    two = Attribute("sex", "nominal", pl.Series(["f", "f"]))
    assert penalty(two, "f") == 0


def told(name: str, values: Sequence[Any], rng: random.Random) -> str:
    """A text that is true of these values, or (one in eight) perhaps not."""
    wide = rng.random() < 0.3
    if name == "age":
        low, high = (20, 60) if wide else (int(min(values)), int(max(values)))
        text = f"{low}..{high}" if low < high else str(low)
    elif name == "school":
        ranked = LEVELS if wide else sorted(values, key=LEVELS.index)
        text = f"{ranked[0]}..{ranked[-1]}" if ranked[0] != ranked[-1] else ranked[0]
    elif name == "sex":
        text = "|".join("fmx" if wide else sorted(set(values)))
    else:
        text = "Germany" if wide else next(node for node in ups(values[0]) if all(node in ups(value) for value in values))
    return rng.choice(TEXTS[name]) if rng.random() < 0.03 else text


def drawn(seed: int) -> tuple[Table, pl.DataFrame, np.ndarray, list[list[str]]]:
    """A table, its published rows in another order, the row of each original one, and the published item sets by published row."""
    rng = random.Random(seed)
    n = rng.randint(3, 8)
    columns: dict[str, list[Any]] = {
        "age": [float(rng.choice([20, 30, 40, 60])) for _ in range(n)],
        "school": [rng.choice(LEVELS) for _ in range(n)],
        "sex": [rng.choice("fmx") for _ in range(n)],
        "town": [rng.choice(TOWNS) for _ in range(n)],
    }
    columns["sex"][: min(3, n)] = list("fmx")[: min(3, n)]
    names = rng.sample(list(TEXTS), rng.randint(1, 3))
    attributes = [replace(attribute(name), values=pl.Series(columns[name])) for name in names]
    held = [rng.sample(ITEMS, rng.randint(0, 3)) for _ in range(n)]
    basket = Attribute("basket", "items", pl.Series(["|".join(sorted(row)) for row in held]), tree=Taxonomy.from_parents(dict(FOOD)))
    owners = np.array([rng.choice([1, 2, 10 + i, 20 + i]) for i in range(n)], np.int64)
    table = Table((*attributes, basket), owners)
    groups = [[0], *([] for _ in range(2))]
    for i in range(1, n):
        rng.choice(groups).append(i)
    rows = np.array(rng.sample(range(n), n), np.int64)
    published: list[dict[str, str]] = [{} for _ in range(n)]
    for group in (group for group in groups if group):
        texts = {one.name: told(one.name, [columns[one.name][i] for i in group], rng) for one in attributes}
        for i in group:
            raised = {item if rng.random() < 0.6 else (FOOD[item] or item) for item in held[i] if rng.random() < 0.9}
            raised |= {rng.choice(ITEMS)} if rng.random() < 0.05 else set()
            published[rows[i]] = texts | {"basket": "|".join(sorted(raised))}
    return table, pl.DataFrame(published), rows, held


def below(item: str) -> list[str]:
    up: str | None = item
    found = []
    while up is not None:
        found.append(up)
        up = FOOD[up]
    return found


def matching(general: Sequence[str], special: Sequence[str]) -> bool:
    """Whether each published item has an item of its own below it."""
    if not general:
        return True
    return any(general[0] in below(item) and matching(general[1:], [*special[:i], *special[i + 1 :]]) for i, item in enumerate(special))


@pytest.mark.parametrize("k", [2, 3])
def test_tables_with_item_sets(k: int) -> None:
    for seed in range(30 * k, 30 * k + 24):
        table, frame, rows, held = drawn(seed)
        names = [one.name for one in table.quasi]
        plain, n, m = frame.to_dicts(), len(frame), 1 + seed % 3
        owners = [int(table.owners[rows.tolist().index(row)]) for row in range(n)]
        repeat = len(set(owners)) < n
        classes: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for number, row in enumerate(plain):
            classes[tuple(row[name] for name in names)].append(number)
        claim = KKmAnonymity(k=k, m=m, columns=names, item_sets=["basket"])
        alone = claim.check(Release({"microdata": RowTable(frame)}))
        least = fewest(plain, names, "basket", m)
        assert alone.holds == (least >= k)
        if alone.holds:
            assert alone.achieved == {"records": least, "m": m}
        untrue = [any(not plain_test(one.name, plain[rows[i]][one.name], one.values[i]) for one in table.quasi) for i in range(n)]
        wrong = [not matching([item for item in plain[rows[i]]["basket"].split("|") if item], held[i]) for i in range(n)]
        assert untrue_by_row(table, frame, rows) == sum(untrue)
        beside = claim.check(Release({"microdata": RowTable(frame)}, secret=Secret(rows)), TableOriginal(table))
        texts = " ".join(beside.witnesses)
        assert (f"{sum(untrue)} rows have published values that are not true of them" in texts) == any(untrue)
        assert (f"{sum(wrong)} published records do not generalize their original" in texts) == any(wrong)
        people = fewest(plain, names, "basket", m, owners)
        if not any(untrue) and not any(wrong):
            assert beside.holds == (people >= k)
            if beside.holds:
                assert beside.achieved == {"records": least, "people": people, "m": m}
            people = counted(beside.achieved["people"], "person", "people")
            assert (f"belong to only {people}" in texts) == (beside.achieved["people"] < k)
        else:
            assert "people" not in beside.achieved and not beside.holds
        label = classes_of_rows(frame, names).label
        short = 0
        for values, members in classes.items():
            fit = sum(
                all(plain_test(one.name, text, one.values[i]) for one, text in zip(table.quasi, values, strict=True)) for i in range(n)
            )
            short += fit < len(members)
        assert classes_without_rows(table, frame, label) == (short, False)
        unlinked = claim.check(Release({"microdata": RowTable(frame)}), TableOriginal(table))
        told_short = f"{short} classes match fewer rows of the original than they have"
        assert (told_short in unlinked.witnesses) == (short > 0)
        shown, typed = ([row["basket"].split("|") for row in plain], held)
        counts = [[sum(any(node in below(item) for item in row if item) for row in rows_of) for node in FOOD] for rows_of in (shown, typed)]
        over = sum(published > held_by for published, held_by in zip(*counts, strict=True))
        told_more = f"{over} nodes of the taxonomy are published for more rows than have an item below them"
        assert (told_more in unlinked.witnesses) == (over > 0)
        if not short and not over:
            assert unlinked.holds == (least >= k)
            assert ("people" in unlinked.achieved) == (not repeat)


def test_tables_of_another_form() -> None:
    table, frame, rows, _ = drawn(5)
    names = [one.name for one in table.quasi]
    claim, original = KKmAnonymity(k=2, m=1, columns=names, item_sets=["basket"]), TableOriginal(table)

    def says(changed: pl.DataFrame, secret: Any = None, of: KKmAnonymity = claim) -> str:
        verdict = of.check(Release({"microdata": RowTable(changed)}, secret=secret), original)
        return " ".join(verdict.witnesses)

    assert "published columns are not those" in says(frame.with_columns(more=pl.lit("a")))
    assert "rows are published of" in says(frame[1:])
    for wrong in (np.zeros(len(rows), np.int64), rows[1:], np.append(rows, 0)):
        assert "lost or added" in says(frame, Secret(wrong.astype(np.int64)))
    assert "is not in the table" in says(frame.drop("basket"))
    assert "not one of item sets" in says(frame, None, KKmAnonymity(k=2, m=1, columns=names[1:] or None, item_sets=[names[0]]))
    if len(names) > 1:
        assert "leaves out 1 quasi-identifiers" in says(frame, None, KKmAnonymity(k=2, m=1, columns=names[1:], item_sets=["basket"]))
    unknown = says(frame.with_columns(basket=pl.lit("Nothing|Apple")))
    assert f"{len(frame)} published items are not in the taxonomy" in unknown
    wider = Release({"microdata": RowTable(frame.with_columns(extra=pl.lit("x")))})
    verdict = claim.check(wider)
    assert "not covered by the claim: 'extra'" in verdict.notes


def test_the_only_column_of_texts_has_the_sets() -> None:
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "basket": ["a|b", "a|b", "c", "c"]})
    assert KKmAnonymity(k=2, m=2).check(Release({"microdata": RowTable(frame)})).achieved == {"records": 2, "m": 2}
    verdict = KKmAnonymity(k=3, m=1).check(Release({"microdata": RowTable(frame)}))
    assert verdict.achieved["records"] == 2 and "4 rows are in 2 classes of fewer than 3; the smallest has 2" in verdict.witnesses
    rare = KKmAnonymity(k=2, m=1).check(Release({"microdata": RowTable(frame.with_columns(basket=pl.Series(["a|b", "a", "c", "c"])))}))
    assert "1 set of 1 published item is shared by fewer than 2 rows of their class" in rare.witnesses
    assert rare.rare == ("{b} has only 1 match in a class",)


def test_people_with_a_set_of_items() -> None:
    """Two rows have milk, but they are of one person; without users of several rows, rows are people."""
    baskets = pl.Series(["Milk", "Milk", "", ""])
    ages = Attribute("age", "numeric", pl.Series([20.0] * 4))
    basket = Attribute("basket", "items", baskets, tree=Taxonomy.from_parents(dict(FOOD)))
    frame = pl.DataFrame({"age": ["20"] * 4, "basket": baskets})
    claim = KKmAnonymity(k=2, m=1, columns=["age"], item_sets=["basket"])
    for owners, people in (([1, 1, 2, 3], 1), ([1, 2, 3, 4], 2), ([1, 2, 2, 3], 2)):
        original = TableOriginal(Table((ages, basket), np.array(owners)))
        for secret in (None, Secret(np.arange(4))):
            verdict = claim.check(Release({"microdata": RowTable(frame)}, secret=secret), original)
            known = secret is not None or len(set(owners)) == 4
            assert verdict.achieved == {"records": 2, "m": 1} | ({"people": people} if known else {})
            assert verdict.holds == (people > 1 or not known)
    swapped = Release(
        {"microdata": RowTable(frame.with_columns(basket=pl.Series(["", "Milk", "Milk", ""])))}, secret=Secret(np.array([2, 1, 0, 3]))
    )
    assert claim.check(swapped, TableOriginal(Table((ages, basket), np.array([1, 1, 2, 3])))).achieved["people"] == 1
    repeated = claim.check(Release({"microdata": RowTable(frame.with_columns(basket=pl.lit("Milk|Milk")))}))
    assert "4 items are repeated in their row" in repeated.witnesses


# -- microdata


def test_centroids_by_definition() -> None:
    assert (
        is_centroid(attribute("age"), 25.0, [20.0, 30.0])
        and not is_centroid(attribute("age"), 25.1, [20.0, 30.0])
        and not is_centroid(attribute("age"), 20.0, [20.0, 30.0])
    )
    third = 0.1 + 0.2
    assert is_centroid(attribute("age"), np.nextafter(third, 1), [third]) and not is_centroid(attribute("age"), third + 1e-12, [third])
    ranked = ["low", "middle", "high", "high"]
    assert [is_centroid(attribute("school"), level, ranked) for level in LEVELS] == [False, True, False]
    assert [is_centroid(attribute("school"), level, ["high", "low", "low"]) for level in LEVELS] == [True, False, False]
    plain = Attribute("rank", "ordinal", pl.Series([1.0, 2.0, 3.0]))
    assert [is_centroid(plain, rank, [3.0, 1.0, 2.0, 2.0, 3.0]) for rank in (1.0, 2.0, 3.0)] == [False, True, False]
    assert [is_centroid(attribute("sex"), sex, ["f", "m", "m", "f", "x"]) for sex in "fmx"] == [True, True, False]
    assert [is_centroid(attribute("town"), node, ["Ulm", "Munich"]) for node in UP] == [node == "South" for node in UP]
    assert [is_centroid(attribute("town"), node, ["Ulm", "Kiel"]) for node in UP] == [node == "Germany" for node in UP]
    assert [is_centroid(attribute("town"), node, ["Ulm", "Ulm"]) for node in UP] == [node == "Ulm" for node in UP]


def microdata(seed: int) -> tuple[Table, pl.DataFrame, np.ndarray]:
    """A table of a number, a level and a kept column; published as centroids of groups in another order."""
    rng = random.Random(seed)
    n = rng.randint(2, 9)
    ages, schools = [float(rng.randint(0, 9)) for _ in range(n)], [rng.choice(LEVELS) for _ in range(n)]
    ills = [rng.choice(["flu", "cold", None]) for _ in range(n)]
    groups = [rng.randrange(3) for _ in range(n)]
    rows = np.array(rng.sample(range(n), n), np.int64)
    published: list[dict[str, Any]] = [{} for _ in range(n)]
    for i in range(n):
        members = [j for j in range(n) if groups[j] == groups[i]]
        level = sorted((schools[j] for j in members), key=LEVELS.index)[(len(members) - 1) // 2]
        published[rows[i]] = {"age": sum(ages[j] for j in members) / len(members), "school": level, "ill": ills[i]}
    attributes = (
        Attribute("age", "numeric", pl.Series(ages)),
        Attribute("school", "ordinal", pl.Series(schools), levels=LEVELS),
        Attribute("ill", "nominal", pl.Series(ills, dtype=pl.String), quasi=False),
    )
    owners = np.array([rng.choice([1, 10 + i, 20 + i]) for i in range(n)], np.int64)
    frame = pl.DataFrame(published, schema={"age": pl.Float64, "school": pl.String, "ill": pl.String})
    return Table(attributes, owners), frame, rows


@pytest.mark.parametrize("k", [2, 3])
def test_microdata(k: int) -> None:
    for seed in range(40 * k, 40 * k + 40):
        table, frame, rows = microdata(seed)
        claim, original = MicrodataKAnonymity(k=k, columns=["age", "school"]), TableOriginal(table)
        sizes = Counter(frame.select("age", "school").rows())
        least, short = min(sizes.values()), [n for n in sizes.values() if n < k]
        small = [f"{sum(short)} rows are in {len(short)} classes of fewer than {k}; the smallest has {least}"] * bool(short)
        alone = claim.check(Release({"microdata": RowTable(frame)}))
        assert (alone.achieved, list(alone.witnesses)) == ({"records": least}, small)
        assert alone.notes == ("not covered by the claim: 'ill'",)
        behind: dict[Any, set[int]] = defaultdict(set)
        by_class = defaultdict(list)
        for i, row in enumerate(rows):
            behind[frame.select("age", "school").row(int(row))].add(int(table.owners[i]))
            by_class[frame.select("age", "school").row(int(row))].append(i)
        people = min(map(len, behind.values()))
        good = Release({"microdata": RowTable(frame)}, secret=Secret(rows))
        beside = claim.check(good, original)
        merged = [  # groups published alike by chance have the centroids of none
            members
            for told, members in by_class.items()
            if not is_centroid(table.quasi[0], told[0], [table.quasi[0].values[i] for i in members])
            or not is_centroid(table.quasi[1], told[1], [table.quasi[1].values[i] for i in members])
        ]
        if merged:
            assert f"{len(merged)} classes do not have the centroids of their rows" in beside.witnesses
        else:
            assert beside.achieved == {"records": least, "people": people}
            assert beside.holds == (people >= k)
            assert (f"the rows of a class belong to only {counted(people, 'person', 'people')}" in beside.witnesses) == (people < k)
        classes = classes_of_rows(frame, ["age", "school"])
        repeat = len(set(table.owners.tolist())) < len(table)
        assert people_of_classes(classes, table.owners, Secret(rows))[0] == people
        assert people_of_classes(classes, table.owners, None)[0] == (None if repeat else people)
        assert bool(people_of_classes(classes, table.owners, None)[1]) == repeat
        assert people_of_classes(classes, table.owners[1:], Secret(rows)) == (None, "")
        unlinked = claim.check(Release({"microdata": RowTable(frame)}), original)
        assert unlinked.holds == (not short)
        other = rows.copy()
        other[0], other[1] = other[1], other[0]
        wrong = sum(frame["ill"][int(row)] != ill for row, ill in zip(other, table.attributes[2].values, strict=True))
        swapped = claim.check(Release({"microdata": RowTable(frame)}, secret=Secret(other)), original)
        assert (f"{wrong} rows have other values in the columns that must stay unchanged" in swapped.witnesses) == (wrong > 0)
        moved = frame.with_columns(age=pl.when(pl.int_range(pl.len()) == 0).then(pl.col("age") + 0.5).otherwise("age"))
        verdict = claim.check(Release({"microdata": RowTable(moved)}), original)
        assert "the mean of 1 columns is not that of the original: 'age'" in verdict.witnesses
        assert not claim.check(Release({"microdata": RowTable(moved)}, secret=Secret(rows)), original).holds


def test_microdata_of_another_form() -> None:
    table, frame, rows = microdata(3)
    original, claim = TableOriginal(table), MicrodataKAnonymity(k=2, columns=["age", "school"])

    def says(changed: pl.DataFrame, secret: Secret | None = None, of: MicrodataKAnonymity = claim) -> str:
        return " ".join(of.check(Release({"microdata": RowTable(changed)}, secret=secret), original).witnesses)

    assert "leaves out 1 quasi-identifiers of the original, the first of them 'school'" in says(
        frame, None, MicrodataKAnonymity(k=2, columns=["age"])
    )
    assert "published columns are not those" in says(frame.drop("ill"))
    assert f"{len(frame) - 1} rows are published of {len(frame)}" in says(frame[1:])
    assert "is not in the table" in says(frame.drop("age"))
    assert "missing or not a finite number" in says(frame.with_columns(age=pl.lit(float("inf"))))
    assert "missing or not a finite number" in says(frame.with_columns(school=pl.lit(None, pl.String)))
    for wrong in (np.zeros(len(rows), np.int64), rows[1:].copy()):
        assert "lost or added" in says(frame, Secret(wrong))
    assert "1 columns contain values that no rows of the original yield, the first of them 'school'" in says(
        frame.with_columns(school=pl.lit("top"))
    )
    assert "rows have other values" in says(frame.with_columns(ill=pl.lit("plague")))
    assert "rows have other values" in says(frame.with_columns(ill=pl.lit("plague")), Secret(rows))
    assert MicrodataKAnonymity(k=2).check(Release({"microdata": RowTable(frame[:0])})).achieved == {"records": 0}


# -- limits of classes, presence


def test_limits_of_classes() -> None:
    for seed in range(200, 225):
        table, frame, rows = microdata(seed)
        sizes = Counter(frame.select("age", "school").rows())
        for most in (2, 3):
            verdict = ClassLimits(most=most, columns=["age", "school"]).check(Release({"microdata": RowTable(frame)}))
            over = sum(n > most for n in sizes.values())
            assert (verdict.holds, verdict.achieved) == (not over, {"most": max(sizes.values())})
            assert (f"{over} class" in " ".join(verdict.witnesses)) == bool(over)
        pairs = [(frame.select("age", "school").row(int(row)), int(owner)) for row, owner in zip(rows, table.owners, strict=True)]
        twice, repeat = len(pairs) - len(set(pairs)), len(set(table.owners.tolist())) < len(table)
        claim, original = ClassLimits(apart=True, columns=["age", "school"]), TableOriginal(table)
        verdict = claim.check(Release({"microdata": RowTable(frame)}, secret=Secret(rows)), original)
        assert verdict.standing == ("fails" if twice else "verified")
        assert (f"{twice} row" in " ".join(verdict.witnesses)) == bool(twice)
        assert ("every row has a user of its own" in verdict.notes) == (not repeat)
        unlinked = claim.check(Release({"microdata": RowTable(frame)}), original)
        assert unlinked.standing == ("not checkable" if repeat else "verified")
        assert claim.check(Release({"microdata": RowTable(frame)})).standing == "not checkable"
        assert claim.check(Release({"microdata": RowTable(frame[1:])}), original).standing == "fails"
        if repeat:
            for wrong in (np.zeros(len(rows), np.int64), np.append(rows[1:], rows[1])):
                release = Release({"microdata": RowTable(frame)}, secret=Secret(wrong.astype(np.int64)))
                assert claim.check(release, original).standing == "fails"
    gone = ClassLimits(most=2, columns=["nothing"]).check(Release({"microdata": RowTable(frame)}))
    assert (gone.holds, gone.achieved) == (False, {})
    assert ClassLimits(most=2).check(Release({"microdata": RowTable(frame[:0])})).achieved == {"most": 0}


@pytest.mark.parametrize(
    ("published", "typed", "fits"),
    [
        ("[20,30]", "20", True),
        ("[20,30]", "30", True),
        ("(20,30)", "20", False),
        ("(20,30)", "30", False),
        ("(20,30)", "25", True),
        ("[20,30)", "20", True),
        ("(20,30]", "31", False),
        ("[20,30]", "19.5", False),
        ("20-29", "20", True),
        ("20-29", "19", False),
        ("20-29", "29.5", False),
        ("4***", "4812", True),
        ("4***", "5812", False),
        ("4***", "481", False),
        ("30", "31", False),
        ("1e1", "10", False),
        ("flu", "flu", True),
        ("*", "", True),
    ],
)
def test_values_of_public_tables(published: str, typed: str, fits: bool) -> None:
    assert may_represent(published, typed) == fits


def presence(frame: pl.DataFrame, public: dict[str, list[str]], **words: Any) -> Any:
    return DeltaPresence(public=public, **words).check(Release({"microdata": RowTable(frame)}))


def test_presence_in_columns_of_both_tables() -> None:
    frame = pl.DataFrame({"age": ["20-29", "20-29", "30-39"], "ill": ["flu", "cold", "flu"]})
    public = {"age": ["21", "22", "23", "35"], "name": ["a", "b", "c", "d"]}
    assert presence(frame, public, delta_max=1.0).achieved == {"delta_min": 0.666666, "delta_max": 1.0}
    assert not presence(frame, public, delta_max=0.99).holds
    assert presence(frame, public, delta_min=0.66, delta_max=1.0).holds
    assert not presence(frame, public, delta_min=0.67, delta_max=1.0).holds
    halves = {"age": ["21", "22", "23", "24", "35", "36"]}
    assert presence(frame, halves, delta_min=0.5, delta_max=0.5).holds
    assert presence(frame, public, delta_max=1.0, columns=["age"]).achieved["delta_max"] == 1.0
    assert presence(frame, public, delta_max=1.0, columns=["age", "ill"]).standing == "fails"
    assert presence(frame.select("ill"), public, delta_max=1.0).standing == "fails"
    assert presence(frame[:0], public, delta_max=1.0).standing == "fails"
    foreign = presence(frame, {"age": ["21", "35"]}, delta_max=1.0)
    assert (foreign.standing, foreign.achieved) == ("fails", {}) and "1 class has more rows" in foreign.witnesses[0]
    lone = presence(frame[:2], public, delta_max=1.0)
    assert (
        lone.achieved == {"delta_min": 0.0, "delta_max": 0.666667} and not presence(frame[:2], public, delta_min=0.1, delta_max=1.0).holds
    )
    several = presence(frame.with_columns(age=pl.Series(["20-29", "*", "30-39"])), public, delta_max=1.0)
    assert several.standing == "not checkable" and "4 rows of the public table" in several.unchecked


def test_presence_counts_people() -> None:
    """Two rows of one person are one of two people of the public table."""
    frame = pl.DataFrame({"age": ["20-29", "20-29"]})
    table = Table((Attribute("age", "nominal", frame["age"]),), np.array([0, 0], np.int64))
    claim = DeltaPresence(public={"age": ["21", "22"]}, delta_max=0.5)
    verdict = claim.check(Release({"microdata": RowTable(frame)}, secret=Secret(np.arange(2))), TableOriginal(table))
    assert (verdict.holds, verdict.achieved["delta_max"], verdict.notes) == (True, 0.5, ())
    unknown = claim.check(Release({"microdata": RowTable(frame)}), TableOriginal(table))
    assert (unknown.holds, unknown.achieved["delta_max"], len(unknown.notes)) == (False, 1.0, 1)
