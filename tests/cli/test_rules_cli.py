"""Recodings that are found once and applied to new data: what a user types, what is refused, and what the file of rules may tell."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import shoal
from helpers.cli import Shell, baskets, one_line
from helpers.errors import refuses
from helpers.tampering import renew
from shoal.data.bags import Vocabulary
from shoal.data.recoding_rules import Rules
from shoal.io.rules_file import read_rules
from shoal.pipeline.manifest_schema import digest_of
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare
from shoal.pipeline.reuse_rules import insist_on_taxonomy

GLOBAL = ("apriori", "direct", "optimal", "vertical", "hghs", "coherence", "tds")
TAXONOMY = ("--taxonomy", "food.csv")


def made(shell: Shell, method: str, *more: str, data: str = "baskets.txt", out: str = "first") -> Path:
    taxonomy = () if method in {"coherence", "tds"} else TAXONOMY
    answer = shell("anonymize", data, *taxonomy, "--method", method, "--k", "3", "--to", "csv", "--out", out, *more)
    assert answer.code == 0, answer.everything
    return shell.directory / out


def records(release: Path) -> Counter[str]:
    return Counter(line.split(",", 1)[1] for line in (release / "records.csv").read_text().splitlines()[1:])


def again(
    shell: Shell, *more: str, data: str = "baskets.txt", out: str = "second", taxonomy: tuple[str, ...] = TAXONOMY
) -> tuple[int, str]:
    answer = shell("anonymize", data, *taxonomy, "--rules", "first", "--to", "csv", "--out", out, *more)
    return answer.code, answer.everything


@pytest.mark.parametrize("method", GLOBAL)
def test_on_the_same_data_rules_give_the_release_itself(kitchen: Shell, method: str) -> None:
    first = made(kitchen, method)
    code, told = again(kitchen, taxonomy=() if method in {"coherence", "tds"} else TAXONOMY)
    assert code == 0, told
    second = kitchen.directory / "second"
    assert records(second) == records(first)
    manifests = [json.loads((place / "manifest.json").read_text()) for place in (first, second)]
    assert all(manifests[0][part] == manifests[1][part] for part in ("method", "parameters", "claims", "accounting", "metrics"))
    for original in ([], ["--original", "baskets.txt", *(() if method in {"coherence", "tds"} else TAXONOMY)]):
        for place in ("first", "second"):
            answer = kitchen("audit", place, "-v", *original)
            assert answer.code == 0, answer.everything
            assert ("rules as published" in answer.out) == (place == "first")


@pytest.mark.parametrize("method", ["apriori", "hghs", "coherence"])
def test_the_file_names_nothing_that_the_records_do_not(kitchen: Shell, method: str) -> None:
    kitchen.file("baskets.txt", baskets(60) + "Saffron,Apple\n")
    kitchen.file("food.csv", (kitchen.directory / "food.csv").read_text() + "Saffron,Food\n")
    first = made(kitchen, method)
    told = (first / "rules.json").read_text()
    shown = {item for line in records(first) for item in line.strip('"').split(";") if item}
    rules = json.loads(told)
    assert {*rules["items"], *rules["nodes"]} == shown
    assert "Saffron" not in told


def test_new_data_are_recoded_alike_and_judged(kitchen: Shell) -> None:
    made(kitchen, "apriori")
    kitchen.file("more.txt", baskets(80, seed=9))
    code, told = again(kitchen, "-v", data="more.txt")
    assert code == 0, told
    assert "recoded with existing rules" in " ".join(told.split())
    answer = kitchen("audit", "second", "--original", "more.txt", *TAXONOMY)
    assert answer.code == 0 and "km-anonymity(k=3, m=2)" in answer.out


def test_new_data_that_break_the_claim_are_refused(kitchen: Shell) -> None:
    kitchen.file("baskets.txt", "Apple,Beef\n" * 5 + "Milk\n" * 5)
    made(kitchen, "apriori", "--format", "transactions")
    kitchen.file("more.txt", "Apple,Beef\n" * 5 + "Milk,Beef\n")
    before = kitchen.names()
    code, told = again(kitchen, "--format", "transactions", data="more.txt")
    assert code == 3
    assert "fails km-anonymity(k=3, m=2)" in told.splitlines()[-1]
    assert kitchen.names() == before


def test_items_that_the_rules_do_not_name_are_suppressed_and_counted(kitchen: Shell) -> None:
    kitchen.file("baskets.txt", "Apple,Beef\n" * 5 + "Milk\n" * 5)
    made(kitchen, "coherence", "--format", "transactions")
    kitchen.file("more.txt", "Apple,Beef,Truffle\n" * 5 + "Milk,Caviar\n" * 4)
    code, told = again(kitchen, "--format", "transactions", data="more.txt", taxonomy=())
    assert code == 0, told
    manifest = json.loads((kitchen.directory / "second" / "manifest.json").read_text())
    assert manifest["accounting"]["occurrences"] == {"in": 23, "kept": 14, "suppressed": 9}
    assert any("2 items that the rules do not name were suppressed" in note for note in manifest["notes"])
    assert "Truffle" not in told and "Caviar" not in told


def test_another_taxonomy_is_refused(kitchen: Shell) -> None:
    made(kitchen, "apriori")
    tree = (kitchen.directory / "food.csv").read_text()
    published = json.loads((kitchen.directory / "first" / "rules.json").read_text())["nodes"]
    assert {"Dairy", "Meat"} <= set(published)
    kitchen.file("other.csv", tree.replace("Dairy,Food", "Dairy,Meat"))
    code, told = again(kitchen, taxonomy=("--taxonomy", "other.csv"))
    assert code == 1 and "the rules are for another taxonomy than this one: 1 name of the rules below another published name" in told
    kitchen.file("renamed.csv", tree.replace("Dairy", "White"))
    code, told = again(kitchen, taxonomy=("--taxonomy", "renamed.csv"))
    assert code == 1 and "the rules are for another taxonomy than this one: 1 node of the rules not in it" in told
    shuffled = (kitchen.directory / "food.csv").read_text().splitlines()
    kitchen.file("sorted.csv", "\n".join([shuffled[0], *sorted(shuffled[1:], reverse=True)]) + "\n")
    assert again(kitchen, taxonomy=("--taxonomy", "sorted.csv"))[0] == 0


def test_methods_that_recode_from_record_to_record_have_no_rules(kitchen: Shell) -> None:
    for method in ("km", "local"):
        release = made(kitchen, method, out=method)
        assert not (release / "rules.json").exists()
        line = one_line(kitchen("anonymize", "baskets.txt", *TAXONOMY, "--rules", method, "--out", "none"))
        assert "has no rules.json (only methods that recode items globally write one)" in line


def test_what_is_typed_beside_rules_must_agree(kitchen: Shell) -> None:
    made(kitchen, "apriori")
    assert "the rules belong to the method apriori, not to direct" in again(kitchen, "--method", "direct")[1]
    assert "the rules were made with k=3, not 4" in again(kitchen, "--k", "4")[1]
    assert again(kitchen, "--method", "apriori", "--k", "3", "--m", "2")[0] == 0


def test_private_items_must_be_given_again(kitchen: Shell) -> None:
    kitchen.file("private.txt", "Beef\n")
    first = made(kitchen, "coherence", "--private", "private.txt", "--h", "0.9")
    code, told = again(kitchen, taxonomy=())
    assert code == 1 and "the rules were made with a value of private" in told
    code, told = again(kitchen, "--private", "private.txt", taxonomy=())
    assert code == 0, told
    assert records(kitchen.directory / "second") == records(first)


DAMAGED = {
    "nothing": "",
    "no object": "[]",
    "another file": '{"shoal": "0.1.0"}',
    "a name twice": ('"nodes": [\n  ', '"nodes": [\n  "Fruit",\n  '),
    "another parameter": ('"k": 3', '"k": 2'),
    "another name": ("Meat", "Mead"),
    "no list": ('"items": [', '"items": 3, "more": ['),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_one_clear_error(kitchen: Shell, name: str) -> None:
    first = made(kitchen, "apriori")
    before, damage = (first / "rules.json").read_text(), DAMAGED[name]
    after = damage if isinstance(damage, str) else before.replace(*damage, 1)
    assert after != before
    kitchen.file("rules.json", after)
    line = one_line(kitchen("anonymize", "baskets.txt", *TAXONOMY, "--rules", "rules.json", "--out", "none"))
    assert "rules.json" in line
    (first / "rules.json").write_text(after)
    assert kitchen("audit", "first").code in {1, 3}


@pytest.mark.parametrize("edit", ["a name more", "a node as an item"])
def test_rules_that_were_edited_with_all_digests_are_found_by_an_audit(kitchen: Shell, edit: str) -> None:
    """Whoever edits the rules can compute their digest and the manifest's anew; they are then not the rules of these records."""
    first = made(kitchen, "apriori")
    found = read_rules(first)
    assert found.rules.nodes
    names = tuple(sorted(found.rules.names))
    rules = Rules((*names, "Zander"), ()) if edit == "a name more" else Rules(names, ())
    content = replace(found, rules=rules).content("0.1.0")
    (first / "rules.json").write_text(content)
    manifest = json.loads((first / "manifest.json").read_text())
    manifest["files"][-2]["sha256"] = hashlib.sha256(content.encode()).hexdigest()
    (first / "manifest.json").write_text(json.dumps({**manifest, "sha256": digest_of(manifest)}))
    answer = kitchen("audit", "first", "--original", "baskets.txt", *TAXONOMY)
    told = " ".join(answer.out.split())
    assert answer.code == 3 and "rules as published FAILS" in told
    says = "names 1 items that are not published" if edit == "a name more" else "rules.json gives other records"
    assert says in told and "Zander" not in told


def test_in_python_and_in_a_file_of_options(kitchen: Shell) -> None:
    first = made(kitchen, "hghs")
    goods = "food.csv"
    result = shoal.anonymize("baskets.txt", rules=first, taxonomy=goods)
    assert result.release.method == "hghs"
    assert sorted(";".join(items) for items in result.to_polars()["items"]) == sorted(line.strip('"') for line in records(first).elements())
    assert shoal.anonymize("baskets.txt", shoal.methods.METHODS["hghs"](k=3), rules=first / "rules.json", taxonomy=goods)
    with refuses("rules-conflict"):
        shoal.anonymize("baskets.txt", "apriori", rules=first, taxonomy=goods)
    kitchen.file("options.toml", 'rules = "first"\ntaxonomy = "food.csv"\n')
    assert kitchen("anonymize", "baskets.txt", "--config", "options.toml", "--out", "third").code == 0


def test_rules_name_the_node_of_unknown_items_also_where_an_item_has_its_name(kitchen: Shell) -> None:
    kitchen.file("baskets.txt", "Rare1,Rare2\nRare2,Rare3\nRare3\n(unlisted)\n")
    first = made(kitchen, "optimal", "--m", "1", "--floor", "1", "--unknown", "keep")
    assert read_rules(first).rules.nodes == ("(unlisted) (unlisted)",)
    code, told = again(kitchen, "--floor", "1", "--unknown", "keep")
    assert code == 0, told
    assert records(kitchen.directory / "second") == records(first)


EDITED = {
    "taxonomy": {"taxonomy": "owners=ann,bob"},
    "version": {"version": "owners=ann,bob"},
    "parents": {"parents": {"Dairy": "Meat"}},
}


@pytest.mark.parametrize("edit", EDITED)
def test_what_rules_tell_of_their_taxonomy_is_compared(kitchen: Shell, edit: str) -> None:
    first = made(kitchen, "apriori")
    found = read_rules(first)
    assert {"Dairy", "Meat"} <= found.rules.names and not found.parents
    changed = replace(found, **EDITED[edit])
    (first / "rules.json").write_text(changed.content(changed.version or ""))
    renew(first)
    answer = kitchen("audit", "first", "-v")
    told = " ".join(answer.out.split())
    assert "ann" not in told.replace("cannot", "")
    if edit == "parents":
        assert answer.code == 0
        assert "not checked without the original: which names of rules.json are nodes, and published_parents" in told
    else:
        assert answer.code == 3
        assert "rules.json names another version of shoal or another kind of taxonomy than the manifest" in told
    answer = kitchen("audit", "first", "--original", "baskets.txt", *TAXONOMY)
    assert answer.code == 3 and "rules as published FAILS" in " ".join(answer.out.split())
    if edit == "parents":
        assert "rules.json puts 1 name below another published name than the taxonomy does" in " ".join(answer.out.split())


def test_no_name_is_above_itself(kitchen: Shell) -> None:
    first = made(kitchen, "apriori")
    kitchen.file("rules.json", replace(read_rules(first), parents={"Meat": "Meat"}).content(shoal.__version__))
    line = one_line(kitchen("anonymize", "baskets.txt", *TAXONOMY, "--rules", "rules.json", "--out", "none"))
    assert "rules.json is damaged: published_parents must map names among its items and nodes to others of them" in line


def test_rules_of_a_file_are_not_those_of_paths(shell: Shell) -> None:
    """The nodes of the file are not in a taxonomy of paths, where every item would be suppressed."""
    shell.file("visits.txt", "/shop/a,/shop/b\n/shop/b,/blog/c\n/shop/a,/blog/d\n" * 3)
    shell.file("pages.csv", "child,parent\nShop,Site\nBlog,Site\n/shop/a,Shop\n/shop/b,Shop\n/blog/c,Blog\n/blog/d,Blog\n")
    words = ("visits.txt", "--format", "transactions", "--to", "csv")
    assert shell("anonymize", *words, "--taxonomy", "pages.csv", "--method", "hghs", "--k", "9", "--out", "first").code == 0
    assert read_rules(shell.directory / "first").rules.nodes
    answer = shell("anonymize", *words, "--taxonomy", "paths", "--rules", "first", "--out", "second")
    assert answer.code == 1, answer.everything
    assert "the rules are for another taxonomy than this one" in answer.err


def test_names_of_rules_are_looked_up_together(kitchen: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """One search of a large vocabulary for each name would take minutes."""
    made(kitchen, "apriori")
    searches, codes = [], Vocabulary.codes
    monkeypatch.setattr(Vocabulary, "codes", lambda self, names: searches.append(len(names)) or codes(self, names))
    insist_on_taxonomy(read_rules("first"), prepare("baskets.txt", Preparation(taxonomy="food.csv")))
    assert searches and sum(n == 1 for n in searches) <= 1, searches
