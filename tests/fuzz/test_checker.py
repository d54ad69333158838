"""The checker itself: it must be able to object. For each model a small release that is right, and wrong ones."""

from __future__ import annotations

import ast
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fuzz.case import Case
from fuzz.check.flow import enough_people, matches
from fuzz.check.refusals import unjustified
from fuzz.check.release import (
    MODELS,
    Checked,
    leaked_words,
    missing_claims,
    named_people,
    texts_of,
    wrong_accounts,
    wrong_claims,
    wrong_refusal,
    wrong_release,
)
from helpers.checker import Release, values_of

TREE = json.dumps({"all": {"fruit": {"apple": {}, "pear": {}}, "ill": {"flu": {}, "cold": {}}}})
BASKETS = "apple\npear\napple\napple,flu\n"
HERE = Path(__file__).parent


def checked(
    place: Path,
    claim: str,
    tables: dict[str, list[dict[str, Any]]],
    *,
    text: str = BASKETS,
    method: str = "shoal",
    form: str = "lines",
    name: str = "input.txt",
    chosen: dict[str, list[str]] | None = None,
    achieved: dict[str, Any] | None = None,
    said: dict[str, Any] | None = None,
    **manifest: Any,
) -> list[str]:
    """What the checker says of a release that somebody made up."""
    (place / name).write_text(text)
    (place / "tree.json").write_text(TREE)
    usual = {"taxonomy": "tree.json"} if form == "lines" else {}
    case = Case(0, method, form, [name], {**usual, **(said or {})}, chosen=chosen or {})
    stated = {"model": claim, "holds": True, "verdict": "verified", "achieved": achieved or {}}
    files = [{"name": f"{table}.jsonl", "table": table, "format": "jsonl"} for table in tables]
    told = {"claims": [stated], "files": files, "parameters": {}, "input": {}, "metrics": {}, "accounting": {"records": {}}, **manifest}
    return wrong_claims(Checked(case, place, Release(place, told, tables)))


def records(*lines: str) -> dict[str, list[dict[str, Any]]]:
    return {"records": [{"items": line.split()} for line in lines]}


AS_TYPED = {"coherence": "coherence", "public-k-anonymity": "tds", "rho-uncertainty": "suppress-control", "k-delta-anonymity": "k-delta"}


@pytest.mark.parametrize(
    ("claim", "good", "bad"),
    [
        ("k-anonymity(k=2)", "fruit|fruit|apple|apple", "fruit|fruit|fruit|apple"),
        ("k-anonymity(k=2)", "fruit|fruit|apple|apple", "fruit|fruit|pear|pear"),
        ("k-anonymity(k=2)", "fruit|fruit|apple|apple", "fruit|fruit|apple apple|apple apple"),
        ("vocabulary-k-anonymity(k=2)", "apple|apple|pear|pear", "apple|apple|apple|pear"),
        ("vocabulary-k-anonymity(k=2)", "apple|apple|pear|pear", "apple|apple|apple|apple|apple"),
        ("shared-terms(owners=2)", "apple|apple|fruit|fruit", "apple|pear|fruit|fruit"),
        ("coherence(h=1, k=3, p=2)", "apple||apple|apple", "apple|pear|apple|apple"),
        ("public-k-anonymity(k=3)", "apple|apple|apple", "apple|pear|apple|apple"),
        ("sensitive-share(h=0.5)", "apple|apple|fruit|fruit", "apple|apple|fruit|flu"),
        ("sensitive-share(h=0.5)", "apple|apple|fruit|fruit", "apple|apple|apple ill|fruit"),
        ("km-anonymity(k=2, m=1)", "fruit|fruit|apple|apple", "fruit|fruit|fruit|apple"),
        ("km-anonymity(k=2, m=2)", "apple|fruit|apple|fruit", "apple apple|fruit|apple apple|fruit"),
        ("rho-uncertainty(rho=0.2)", "apple|pear|apple|apple", "|||flu"),
        ("rho-uncertainty(rho=0.3)", "apple|pear|apple|apple", "apple|pear|apple|apple flu"),
        ("k-delta-anonymity(k=2, delta=0.5)", "apple|apple pear|pear|pear", "apple|pear|pear|pear"),
    ],
)
def test_a_wrong_release_of_records(claim: str, good: str, bad: str, tmp_path: Path) -> None:
    model, _ = values_of(claim)
    method = AS_TYPED.get(model, "shoal")
    said = {} if method == "shoal" else {"taxonomy": "tree.json"}
    chosen = {"sensitive": ["flu"]} if model in {"sensitive-share", "rho-uncertainty"} else {}
    if model == "sensitive-share" and "ill" in bad:
        chosen = {"sensitive": ["flu", "cold"]}

    def said_of(published: str) -> list[str]:
        lines = published.split("|")
        smallest = min(Counter(lines).values()) if "k-anonymity" in model else 2
        return checked(tmp_path, claim, records(*lines), method=method, said=said, chosen=chosen, achieved={"records": smallest})

    assert not said_of(good)
    assert said_of(bad)


@pytest.mark.parametrize(
    "bad",
    [
        *("apple / flu", "apple / pear / plum / fig", "apple / apple", "apple", "pear / apple / ...", "apple / nobody", "pear / apple"),
        *("nobody (2) / ...",),
        *("(flu)", "(other words) (flu)"),
    ],
)
def test_names_of_topics(bad: str, tmp_path: Path) -> None:
    """Two people hold an apple, two a pear and one the flu."""

    def said_of(*names: str) -> list[str]:
        claim, text = "node-names(people=2)", "apple,pear\npear,flu\napple\nplum\n"
        tables = {"records": [{"items": [name]} for name in names]}
        return checked(tmp_path, claim, tables, text=text, said={"taxonomy": "topics:2"}, achieved={"people": 2})

    fixed = ("(any topic, with rare words)", "(other words) (3)", "(any topic) (12)")
    assert not said_of("apple / pear", "apple / ...", "pear (2) / ...", "pear / apple (2)", "flu", *fixed)
    assert bool(said_of("apple / pear", bad)) == (bad != "apple")


def test_a_private_item_that_is_given_away(tmp_path: Path) -> None:
    def said_of(h: str, *lines: str) -> list[str]:
        return checked(tmp_path, f"coherence(h={h}, k=3, p=1)", records(*lines), method="coherence", chosen={"private": ["flu"]})

    assert not said_of("0.5", "apple", "", "apple", "apple flu")
    assert said_of("0.3", "apple", "", "apple", "apple flu")


def chunks(subrecords: list[tuple[int, int, int, str]], terms: list[tuple[int, str]], clusters: dict[int, int]) -> dict[str, Any]:
    names = ("cluster", "chunk", "subrecord", "item")
    return {
        "chunks_subrecords": [dict(zip(names, row, strict=True)) for row in subrecords],
        "chunks_shared": [],
        "chunks_terms": [{"cluster": cluster, "item": item} for cluster, item in terms],
        "chunks_clusters": [{"cluster": cluster, "joint": cluster, "records": n} for cluster, n in clusters.items()],
    }


APPLES = [(1, 1, number, "apple") for number in (1, 2, 3)]
GOOD_CHUNKS = chunks(APPLES, [(1, "pear"), (1, "flu")], {1: 4})


@pytest.mark.parametrize(
    "bad",
    [
        chunks([*APPLES, (1, 1, 4, "pear")], [(1, "flu")], {1: 4}),
        chunks([*APPLES, (1, 1, 1, "flu")], [(1, "pear")], {1: 4}),
        chunks(APPLES, [(1, "pear")], {1: 4}),
        chunks(APPLES[:2], [(1, "pear"), (1, "flu")], {1: 4}),
        chunks(APPLES, [(1, "pear"), (1, "flu"), (1, "apple")], {1: 4}),
        chunks(APPLES, [(1, "pear"), (1, "flu")], {1: 3, 2: 1}),
        chunks([*APPLES, (1, 2, 1, "flu"), (1, 2, 2, "flu")], [(1, "pear")], {1: 4}),
    ],
)
def test_wrong_chunks(bad: dict[str, Any], tmp_path: Path) -> None:
    said = {"method": "disassociation"}
    assert not checked(tmp_path, "disassociated-km-anonymity(k=2, m=2)", GOOD_CHUNKS, **said)
    assert checked(tmp_path, "disassociated-km-anonymity(k=2, m=2)", bad, **said)


def test_rare_words_that_were_to_be_withheld(tmp_path: Path) -> None:
    claim, withheld = "disassociated-km-anonymity(k=2, m=2)", {"rare_words": "withhold"}
    left = chunks(APPLES, [], {1: 3})
    account = {"records": {"in": 4, "published": 3, "withheld: nothing left": 1}}
    said: dict[str, Any] = {"method": "disassociation", "accounting": account}
    assert not checked(tmp_path, claim, left, parameters=withheld, **said)
    assert checked(tmp_path, claim, left, **said)
    assert checked(tmp_path, claim, GOOD_CHUNKS, method="disassociation", parameters=withheld)


def test_words_of_too_few_people(tmp_path: Path) -> None:
    said: dict[str, Any] = {"method": "disassociation"}
    assert not checked(tmp_path, "word-support(k=3)", chunks(APPLES, [], {1: 3}), achieved={"people": 3}, **said)
    assert checked(tmp_path, "word-support(k=4)", chunks(APPLES, [], {1: 3}), **said)
    assert checked(tmp_path, "word-support(k=2)", GOOD_CHUNKS, **said)
    assert checked(tmp_path, "word-support(k=3)", chunks(APPLES, [], {1: 3}), achieved={"people": 4}, **said)


def test_terms_that_must_meet(tmp_path: Path) -> None:
    """Of three records two hold a, two hold b and all hold something: one holds both, for certain."""
    text = "a,b\na\nb\n"
    rows = [(1, 1, 1, "a"), (1, 1, 2, "a"), (1, 2, 1, "b"), (1, 2, 2, "b")]
    found = checked(tmp_path, "disassociated-km-anonymity(k=2, m=2)", chunks(rows, [], {1: 3}), text=text, method="disassociation")
    assert any("meet" in line for line in found)


def groups(rows: list[tuple[int, str]], counts: list[tuple[int, str, int]]) -> dict[str, Any]:
    return {
        "records_rows": [{"group": group, "items": items.split()} for group, items in rows],
        "records_histogram": [{"group": group, "item": item, "count": n} for group, item, n in counts],
    }


def test_wrong_groups(tmp_path: Path) -> None:
    rows = [(1, "apple"), (1, "pear"), (1, "apple"), (1, "apple")]

    def said_of(p: int, rows: list[tuple[int, str]], counts: list[tuple[int, str, int]]) -> list[str]:
        return checked(tmp_path, f"privacy-degree(p={p})", groups(rows, counts), method="cahd", chosen={"sensitive": ["flu"]})

    assert not said_of(4, rows, [(1, "flu", 1)])
    assert said_of(5, rows, [(1, "flu", 1)]) == ["privacy-degree: an item is counted too often"]
    assert said_of(2, rows, [(1, "flu", 2)]) == ["privacy-degree: other totals"]
    assert said_of(2, [*rows[:3], (1, "fig")], [(1, "flu", 1)]) == ["privacy-degree: other rows than the records without sensitive items"]
    assert said_of(4, [*rows[:3], (1, "apple flu")], [(1, "flu", 1)])


LOG = "user,time,query\n" + "".join(
    f"{user},2006-03-01 0{hour}:00:00,{query}\n"
    for user, hour, query in [("ann", 7, "rain"), ("bob", 8, "rain"), ("cy", 8, "rain today"), ("ann", 9, "ann miller")]
)
RAINS = [{"query": "rain"}, {"query": "rain"}]


@pytest.mark.parametrize(
    ("claim", "good", "bad"),
    [
        ("support(k=2)", RAINS, [*RAINS, {"query": "ann miller"}]),
        ("support(k=2)", RAINS, RAINS[:1]),
        ("support(k=2)", RAINS, [{**row, "user": 1} for row in RAINS]),
        ("support(k=2, unit=term, rare=omit)", [*RAINS, {"query": "rain"}], [*RAINS, {"query": "rain today"}]),
        ("support(k=2, pseudonyms=people)", [{**row, "user": n} for n, row in enumerate(RAINS, 1)], [{**row, "user": 1} for row in RAINS]),
        (
            "support(k=2, times=day)",
            [{**row, "time": "2006-03-01 00:00:00"} for row in RAINS],
            [{**row, "time": "2006-03-02 00:00:00"} for row in RAINS],
        ),
    ],
)
def test_wrong_rows(claim: str, good: list[dict[str, Any]], bad: list[dict[str, Any]], tmp_path: Path) -> None:
    linked = {"link": "person"} if "pseudonyms" in claim else {}
    given: dict[str, Any] = {"text": LOG, "method": "threshold", "form": "querylog", "name": "input.csv", "said": linked}
    assert not checked(tmp_path, claim, {"log": good}, **given)
    assert checked(tmp_path, claim, {"log": bad}, **given)


SIMILAR = [*RAINS, {"query": "rain today"}]


@pytest.mark.parametrize(
    ("claim", "good", "bad"),
    [
        ("query-affinity(k=3, theta=0.5, longest=3)", SIMILAR, [*SIMILAR, {"query": "ann miller"}]),
        ("query-affinity(k=3, theta=0.5, longest=3)", SIMILAR, SIMILAR[:2]),
        ("query-affinity(k=3, theta=0.5, longest=3)", SIMILAR, [{**row, "user": 1} for row in SIMILAR]),
        ("query-affinity(k=2, theta=0.9, longest=3)", RAINS, SIMILAR),
        ("query-affinity(k=2, theta=0.5, longest=3, word_people=2)", RAINS, SIMILAR),
    ],
)
def test_wrong_similar_queries(claim: str, good: list[dict[str, Any]], bad: list[dict[str, Any]], tmp_path: Path) -> None:
    given: dict[str, Any] = {"text": LOG, "method": "query-cores", "form": "querylog", "name": "input.csv"}
    many = {"people": len(good), "people_of_query": 1 if good is SIMILAR else 2}
    assert not checked(tmp_path, claim, {"log": good}, achieved=many, **given)
    assert checked(tmp_path, claim, {"log": bad}, achieved=many, **given)
    assert checked(tmp_path, claim, {"log": good}, achieved={**many, "people": 9}, **given)


def histories(*rows: tuple[int, str]) -> dict[str, Any]:
    return {"log": [{"user": user, "query": query, "time": "2006-03-01 08:00:00", "url": None} for user, query in rows]}


@pytest.mark.parametrize("bad", [[(1, "rain"), (2, "ann miller")], [(1, "rain"), (7, "rain")], [(1, "ann miller"), (2, "ann miller")]])
def test_wrong_histories(bad: list[tuple[int, str]], tmp_path: Path) -> None:
    given: dict[str, Any] = {"text": LOG, "method": "user-microaggregation", "form": "querylog", "name": "input.csv"}
    claim = "user-k-anonymity(k=2, min_owners=2)"
    assert not checked(tmp_path, claim, histories((1, "rain"), (2, "rain")), achieved={"records": 2}, **given)
    assert checked(tmp_path, claim, histories(*bad), achieved={"records": 2}, **given)


NOISE = {"purpose": "selection", "table": "counts", "noise": "laplace", "weights": "whole", "scale": 2.0, "grid": 20, "cap": 2}
NOISE |= {"sensitivity": 2.0, "threshold": 30.0}


@pytest.mark.parametrize(
    "change",
    [{"scale": 1.9}, {"threshold": 10.0}, {"sensitivity": 1.0}, {"table": "others"}, {"noise": "none"}],
)
def test_wrong_noise(change: dict[str, Any], tmp_path: Path) -> None:
    given: dict[str, Any] = {"text": LOG, "method": "dp-queries", "form": "querylog", "name": "input.csv", "accounting": {}}
    claim, shown = "differential-privacy(epsilon=1, delta=0.001)", {"counts": [{"query": "rain", "count": 3}]}
    assert not checked(tmp_path, claim, shown, mechanism=[NOISE], **given)
    assert checked(tmp_path, claim, shown, mechanism=[{**NOISE, **change}], **given)
    assert checked(tmp_path, claim, {"counts": [{"query": "snow", "count": 3}]}, mechanism=[NOISE], **given)
    assert checked(tmp_path, claim, shown, mechanism=[NOISE], input={"owners": 3}, **given)


def test_too_little_gaussian_noise(tmp_path: Path) -> None:
    given: dict[str, Any] = {"text": LOG, "method": "dp-queries", "form": "querylog", "name": "input.csv", "accounting": {}}
    step = {**NOISE, "noise": "gaussian", "weights": "equal", "sensitivity": 1.0, "scale": 3.8, "threshold": 18.0, "cap": 1}
    claim, shown = "differential-privacy(epsilon=1, delta=0.001)", {"counts": [{"query": "rain", "count": 3}]}
    assert not checked(tmp_path, claim, shown, mechanism=[step], **given)
    assert checked(tmp_path, claim, shown, mechanism=[{**step, "scale": 2.0}], **given)
    assert checked(tmp_path, claim, shown, mechanism=[{**step, "threshold": 8.0}], **given)


TABLE = "age,town\n10,ulm\n20,ulm\n30,kiel\n50,kiel\n"
ROWS = [{"age": age, "town": town} for age, town in [(15.0, "ulm"), (15.0, "ulm"), (40.0, "kiel"), (40.0, "kiel")]]


@pytest.mark.parametrize(
    "bad",
    [
        [{**row, "age": row["age"] + n} for n, row in enumerate(ROWS)],
        [{**row, "age": 15.0} for row in ROWS],
        [{**row, "town": "ulm"} for row in ROWS],
        ROWS[:2],
        [{**row, "name": "ann"} for row in ROWS],
    ],
)
def test_wrong_microdata(bad: list[dict[str, Any]], tmp_path: Path) -> None:
    given: dict[str, Any] = {"text": TABLE, "method": "mdav", "form": "microdata", "name": "input.csv", "said": {"keep-column": "town"}}
    claim = "microdata-k-anonymity(k=2, columns=age)"
    assert not checked(tmp_path, claim, {"microdata": ROWS}, achieved={"records": 2}, **given)
    assert checked(tmp_path, claim, {"microdata": bad}, achieved={"records": 2}, **given)


@pytest.mark.parametrize(
    ("claim", "achieved"),
    [
        ("l-diversity(l=2, sensitive=town, columns=age)", {"l": 2}),
        ("t-closeness(t=0.1, sensitive=town, columns=age)", {"t": 0.0}),
        ("alpha-k-anonymity(alpha=0.5, k=2, sensitive=town, columns=age)", {"records": 2, "alpha": 0.5}),
        ("rho1-rho2-privacy(rho1=0.5, rho2=0.6, sensitive=town, columns=age)", {"rho2": 0.5}),
        ('confidence-bounding(templates="age>town=ulm:0.5;age>town:0.5")', {"h": 0.5, "templates": 2}),
        ("xy-anonymity(k=2, x=age, y=town)", {"values": 2}),
    ],
)
def test_wrong_sensitive_columns(claim: str, achieved: dict[str, Any], tmp_path: Path) -> None:
    given: dict[str, Any] = {"text": TABLE, "method": "mdav", "form": "microdata", "name": "input.csv", "said": {"keep-column": "town"}}
    mixed = [{**row, "town": town} for row, town in zip(ROWS, ["ulm", "kiel"] * 2, strict=True)]
    assert not checked(tmp_path, claim, {"microdata": mixed}, achieved=achieved, **given)
    assert checked(tmp_path, claim, {"microdata": ROWS}, achieved=achieved, **given)
    assert checked(tmp_path, claim, {"microdata": mixed}, achieved=dict.fromkeys(achieved, 9), **given)


@pytest.mark.parametrize(
    ("claim", "achieved"), [("class-limits(most=2, columns=age)", {"most": 2}), ("class-limits(apart=yes, columns=age)", {})]
)
def test_wrong_limits_of_classes(claim: str, achieved: dict[str, Any], tmp_path: Path) -> None:
    said = {"keep-column": "town", "user": "town"}
    given: dict[str, Any] = {"text": TABLE, "method": "mdav", "form": "microdata", "name": "input.csv", "said": said}
    assert not checked(tmp_path, claim, {"microdata": ROWS}, achieved=achieved, **given)
    assert checked(tmp_path, claim, {"microdata": [{**row, "age": 15.0} for row in ROWS]}, achieved=achieved, **given)


@pytest.mark.parametrize("present", [["ulm", "ulm", "kiel"], ["ulm"], ["bonn", "kiel", "ulm"]])
def test_wrong_presence(present: list[str], tmp_path: Path) -> None:
    """Half of the people of each town of the public table are in the release."""
    claim = "delta-presence(delta_min=0.4, delta_max=0.6, public=public.csv, columns=town)"
    given: dict[str, Any] = {"text": TABLE, "method": "mdav", "form": "microdata", "name": "input.csv", "said": {"keep-column": "town"}}
    achieved = {"delta_min": 0.5, "delta_max": 0.5}
    (tmp_path / "public.csv").write_text("town\n" + "ulm\n" * 4 + "kiel\n" * 4)
    assert not checked(tmp_path, claim, {"microdata": ROWS}, achieved=achieved, **given)
    changed = [{**ROWS[0], "town": town} for town in present]
    assert checked(tmp_path, claim, {"microdata": changed}, achieved=achieved, **given)


@pytest.mark.parametrize(
    ("place", "column", "value", "why"),
    [
        (0, "basket", "apple", "an item of one row"),
        (0, "age", "10..15", "a class of one row"),
        (3, "age", "30..40", "a range that is not true of a row"),
        (0, "basket", "milk|milk", "an item twice"),
        (2, "basket", "shop", "the root"),
    ],
)
def test_wrong_tables_with_items(place: int, column: str, value: str, why: str, tmp_path: Path) -> None:
    claim, text = "kkm-anonymity(k=2, m=2)", "age,basket\n10,apple|milk\n20,pear|milk\n30,milk\n50,milk\n"
    (tmp_path / "goods.csv").write_text("apple,fruit\npear,fruit\nfruit,shop\nmilk,shop\nshop,\n")
    given: dict[str, Any] = {"text": text, "method": "kkm", "form": "microdata", "name": "input.csv"}
    given["said"] = {"item-sets": "basket=goods.csv"}
    rows = [{"age": age, "basket": basket} for age, basket in [("10..20", "fruit|milk")] * 2 + [("30..50", "milk")] * 2]
    assert not checked(tmp_path, claim, {"microdata": rows}, achieved={"records": 2}, **given)
    rows[place] = {**rows[place], column: value}
    assert checked(tmp_path, claim, {"microdata": rows}, achieved={"records": 2}, **given), why


def access(address: str, page: str, user: str = "-") -> str:
    return f'{address} - {user} [01/Mar/2006:10:00:00 +0000] "GET {page} HTTP/1.1" 200 1'


REQUESTS = "".join(f"{access(f'192.0.2.{n}', page)}\n" for n, page in [(1, "/a"), (2, "/a"), (2, "/bob"), (3, "/c/x"), (4, "/c/y")])


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ([("10.0.0.1", "/a"), ("10.0.0.2", "/a"), ("10.0.0.3", "/bob"), ("10.0.0.4", "/bob")], "a page of 1 people"),
        ([("10.0.0.1", "/a"), ("10.0.0.2", "/a"), ("10.0.0.3", "/a"), ("10.0.0.4", "/c/*")], "a profile of 1"),
        ([("10.0.0.1", "/a"), ("10.0.0.2", "/a")], "2 addresses for 4"),
        ([("192.0.2.1", "/a"), ("10.0.0.2", "/a"), ("10.0.0.3", "/a"), ("10.0.0.4", "/a")], "addresses of people"),
    ],
)
def test_wrong_access_logs(bad: list[tuple[str, str]], why: str, tmp_path: Path) -> None:
    claim = "access-k-anonymity(k=2, per=owner, min_owners=2, gap=30m)"
    given: dict[str, Any] = {"text": REQUESTS, "method": "accesslog-mdav", "form": "accesslog", "name": "input.log"}
    good = [("10.0.0.1", "/a"), ("10.0.0.2", "/a"), ("10.0.0.3", "/c/*"), ("10.0.0.4", "/c/*")]

    def said_of(rows: list[tuple[str, str]], user: str = "-") -> list[str]:
        lines = [{"line": access(*row, user)} for row in rows]
        return checked(tmp_path, claim, {"access": lines}, achieved={"records": 2, "people": 2}, **given)

    assert not said_of(good)
    assert any(why in line for line in said_of(bad))
    assert said_of(good, "ann")


@pytest.mark.parametrize(
    "bad",
    [
        [["dog"], ["dog"], ["cat"]],
        [["dog", "qwxz1"], ["dog", "qwxz1"], ["dog", "qwxz1"]],
        [["dog"], ["dog"]],
    ],
)
def test_wrong_vectors(bad: list[list[str]], tmp_path: Path) -> None:
    text = "".join(json.dumps({"author": f"p{n}", "text": words}) + "\n" for n, words in enumerate(["dog cat", "dog qwxz1", "dog"]))
    said = {"unknown": "keep"}
    given: dict[str, Any] = {"text": text, "method": "document-vectors", "form": "documents", "name": "input.jsonl", "said": said}

    def said_of(vectors: list[list[str]]) -> list[str]:
        rows = [{"items": items, "weights": [0.5] * len(items)} for items in vectors]
        smallest = min(Counter(map(tuple, vectors)).values())
        achieved = {"records": smallest, "people": smallest}
        return checked(tmp_path, "weighted-k-anonymity(k=2)", {"vectors": rows}, achieved=achieved, **given)

    assert not said_of([["dog"], ["dog"], ["dog"]])
    assert said_of(bad)


# -- beside the claims


def test_unknown_models_and_missing_claims(tmp_path: Path) -> None:
    assert checked(tmp_path, "trust-me(k=5)", records("apple")) == ["the checker does not know the model trust-me"]
    case = Case(0, "shoal", "lines", ["input.txt"], {"k": "3", "sensitive": "items:flu"})
    both = [{"model": "k-anonymity(k=3)"}, {"model": "sensitive-share(h=0.5, items=sha256:1:1)"}]
    assert not missing_claims(case, {"claims": both})
    assert missing_claims(case, {"claims": both[:1]})
    assert missing_claims(case, {"claims": [{"model": "k-anonymity(k=2)"}, both[1]]})


def test_wrong_accounts() -> None:
    assert not wrong_accounts({"accounting": {"rows": {"in": 3, "used": 2, "dropped": 1}}})
    assert wrong_accounts({"accounting": {"rows": {"in": 3, "used": 2}}})
    assert wrong_accounts({"accounting": {"rows": {"in": 3, "used": 4, "dropped": -1}}})


def test_names_of_people_are_found_in_every_format(tmp_path: Path) -> None:
    import openpyxl
    import pyarrow as pa
    import pyarrow.parquet as pq

    case = Case(0, "shoal", "table", [], owners=["zqann1"])
    places = [tmp_path / name for name in ("parquet", "metadata", "sheet", "lines", "zqann1")]
    for place in places:
        place.mkdir()
    pq.write_table(pa.table({"items": [["zqann1"]]}), places[0] / "a.parquet")
    pq.write_table(pa.table({"items": [[1]]}).replace_schema_metadata({"owners": "zqann1"}), places[1] / "a.parquet")
    book = openpyxl.Workbook()
    book.properties.creator = "zqann1"
    book.save(places[2] / "a.xlsx")
    (places[3] / "a.csv").write_text("x,zqann1\n")
    (places[4] / "zqann1.txt").write_text("")
    assert all(named_people(case, texts_of(place, "")) for place in places)
    assert named_people(case, texts_of(tmp_path / "none", "zqann1 was left out"))
    assert not named_people(case, texts_of(tmp_path / "none", "somebody was left out"))


def test_refusals_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "input.csv").write_text("user,item\nzqann1,qy1canary\n")
    case, files = Case(0, "shoal", "table", ["input.csv"], owners=["zqann1"]), {"input.csv"}
    assert not wrong_refusal(case, tmp_path, 1, "note\nshoal: too few people", files)
    assert not wrong_refusal(case, tmp_path, 1, "shoal: costs: 'qy2canary' is not in the data", files)
    for code, said in [
        (3, "shoal: no"),
        (1, "Traceback"),
        (1, "shoal: one\nshoal: two"),
        (1, "shoal: zqann1 is alone"),
        (1, "shoal: no qy1canary"),
        (1, ""),
    ]:
        assert wrong_refusal(case, tmp_path, code, said, files)
    (tmp_path / ".release.part").mkdir()
    assert wrong_refusal(case, tmp_path, 1, "shoal: too few people", files)


def test_refusals_without_a_reason(tmp_path: Path) -> None:
    (tmp_path / "input.txt").write_text(BASKETS)
    (tmp_path / "input.csv").write_text(LOG)
    few = Case(0, "coherence", "lines", ["input.txt"], {"k": "5"})
    assert not unjustified(few, tmp_path, "shoal: a group needs 5 people, but the data has only 4 (lower k)")
    assert unjustified(few, tmp_path, "shoal: a group needs 5 people, but the data has only 3 (lower k)")
    assert unjustified(few, tmp_path, "shoal: nobody has an item: every record is empty (give more data)")
    assert unjustified(
        Case(0, "coherence", "lines", ["input.txt"], {"k": "4"}),
        tmp_path,
        "shoal: a group needs 4 people, but the data has only 4 (lower k)",
    )
    nobody = "shoal: no query was used by 3 people or more (lower k)"
    assert not unjustified(Case(0, "infrequent", "querylog", ["input.csv"], {"k": "3"}), tmp_path, nobody)
    assert unjustified(Case(0, "infrequent", "querylog", ["input.csv"], {"k": "2"}), tmp_path, nobody)
    nobody = "shoal: no query was issued, in similar words, by 3 people or more (lower k)"
    assert unjustified(Case(0, "query-cores", "querylog", ["input.csv"], {"k": "3"}), tmp_path, nobody)
    assert not unjustified(Case(0, "query-cores", "querylog", ["input.csv"], {"k": "3", "theta": "0.9"}), tmp_path, nobody)
    degree = Case(0, "cahd", "lines", ["input.txt"], {"p": "4"}, chosen={"sensitive": ["flu"]})
    assert unjustified(degree, tmp_path, "shoal: no groups have privacy degree 4")
    degree.said["p"] = "5"
    assert not unjustified(degree, tmp_path, "shoal: no groups have privacy degree 5")


def test_unpublished_words_beside_the_tables(tmp_path: Path) -> None:
    case = Case(0, "shoal", "lines", ["input.txt"])
    (tmp_path / "records.jsonl").write_text('{"record": 1, "items": ["qy1canary"]}\n')
    (tmp_path / "report.html").write_text("qy1canary")
    release = Release(tmp_path, {"files": [{"name": "records.jsonl", "table": "records"}, {"name": "report.html"}]})
    assert not leaked_words(case, release, texts_of(release.directory, ""))
    assert leaked_words(case, release, texts_of(release.directory, "qy2canary is rare")) == ["an unpublished word is in the screen"]
    (tmp_path / "report.html").write_text("qy1canary qy2canary")
    assert leaked_words(case, release, texts_of(release.directory, "")) == ["an unpublished word is in report.html"]


def test_numbers_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "input.txt").write_text(BASKETS)
    stated = {"model": "vocabulary-k-anonymity(k=2)", "holds": True, "verdict": "verified", "achieved": {"records": 2}}
    release = Release(tmp_path, {"claims": [stated], "files": [{"name": "records.jsonl", "table": "records"}]}, records(*["apple"] * 2))
    case = Case(0, "coherence", "lines", ["input.txt"])
    stated["achieved_from_file"] = {"records": 2}
    assert not wrong_claims(Checked(case, tmp_path, release))
    stated["achieved_from_file"] = {"records": 3}
    assert wrong_claims(Checked(case, tmp_path, release))


def test_files_that_the_manifest_does_not_list(tmp_path: Path) -> None:
    release = tmp_path / "release"
    release.mkdir()
    told = {"method": "shoal", "claims": [], "files": [], "accounting": {}, "input": {}}
    (release / "manifest.json").write_text(json.dumps(told))
    (release / "extra.txt").write_text("")
    (tmp_path / "input.txt").write_text(BASKETS)
    found = wrong_release(Case(0, "shoal", "lines", ["input.txt"]), tmp_path, release, "")
    assert any("files are not as listed" in line for line in found)
    assert "no claim is made" in found


def test_every_model_has_a_wrong_release_here() -> None:
    text = (HERE / "test_checker.py").read_text()
    assert not [model for model in MODELS if f'"{model}(' not in text.replace('f"', '"').replace("'", '"')]


def test_people_behind_classes() -> None:
    assert matches([[0, 1], [0]])
    assert not matches([[0], [0]])
    owners = ["ann", "ann", "bob"]
    assert enough_people([([0, 1, 2], 2)], owners, 2)
    assert not enough_people([([0, 1], 2)], owners, 2)


def test_the_checker_imports_nothing_of_shoal() -> None:
    for place in [*(HERE / "check").glob("*.py"), HERE / "case.py", HERE.parent / "helpers/checker.py"]:
        for node in ast.walk(ast.parse(place.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] == "shoal"], place
