"""What is printed and written next to a release names nothing unpublished: audits, attacks, measurements, the comparison page, errors."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from helpers.cli import Shell, one_line
from helpers.leaks import BY_SHAPE, OWN_INPUT, Spelling, baskets, canaries_in, list_file, published_canaries, tree_file, word_holders
from helpers.tampering import seal
from shoal.data.recoding_rules import digest_of_taxonomy
from shoal.io.read.taxonomies import read_taxonomy
from shoal.methods import METHODS

PRIVATE = "wurhpgdtn"  # words, users, remarks, hosts, pages, agents, folders, towns and nodes: not names of files, which the user typed
NAME = Spelling()


def hidden_in(texts: str, published: set[str]) -> set[str]:
    return {stem for stem in canaries_in([texts]) if stem[2] in PRIVATE} - published


@pytest.fixture
def shop(shell: Shell) -> Shell:
    """A release of baskets on a taxonomy from a file."""
    shell("anonymize", *_input(shell), "--k", "3", "--out", "release")
    assert (shell.directory / "release" / "manifest.json").exists()
    return shell


def _input(shell: Shell) -> list[str]:
    return [*baskets(NAME, shell.directory), "--taxonomy", tree_file(NAME, shell.directory)]


SIDE = {
    "audit": lambda data, tree: ["audit", "release", "--original", data, *tree, "--json"],
    "audit as text": lambda data, tree: ["audit", "release", "--original", data, *tree, "--strength", "3"],
    "attack": lambda data, tree: ["attack", data, "release", *tree, "--targets", "10", "--json"],
    "attack as text": lambda data, tree: ["attack", data, "release", *tree, "--targets", "10"],
    "measure": lambda data, tree: ["measure", "release", "--original", data, *tree, "--json"],
}


@pytest.mark.parametrize("command", SIDE)
def test_commands_print_nothing_unpublished(shop: Shell, command: str) -> None:
    data = baskets(NAME, shop.directory)[0]
    tree = ["--taxonomy", tree_file(NAME, shop.directory)]
    answer = shop(*SIDE[command](data, tree))
    assert answer.code == 0, answer.everything
    assert hidden_in(answer.everything, published_canaries(shop.directory / "release")) == set()


def test_the_comparison_page_names_no_word_and_no_user(shell: Shell) -> None:
    answer = shell("compare", *_input(shell), "--methods", "clump", "--k", "3", "--out", "comparison")
    assert answer.code == 0, answer.everything
    text = " ".join(place.read_text("latin-1") for place in Path("comparison").rglob("*") if place.is_file())
    assert hidden_in(text + answer.everything, set()) == set()


@pytest.mark.parametrize("method", [name for name in METHODS if "k" in {parameter.name for parameter in METHODS[name].parameters()}])
def test_a_release_that_cannot_be_names_nobody(shell: Shell, method: str) -> None:
    """More people are wanted than there are."""
    kind = METHODS[method]
    shape = next(shape for shape in BY_SHAPE if shape in kind.takes)
    words = OWN_INPUT.get(method, BY_SHAPE[shape])(NAME, shell.directory)
    on = ["--taxonomy", tree_file(NAME, shell.directory)] if shape == "sets" and method not in {"disassociation", "k-delta"} else []
    consent = ["--no-guarantee"] if kind.guarantees_nothing else []
    answer = shell("anonymize", *words, "--method", method, "--k", "1000", *on, *consent, "--out", "release")
    assert hidden_in(answer.everything, published_canaries(Path("release")) if answer.code == 0 else set()) == set()


# -- rho-uncertainty: what the manifest must not say


def rho_release(shell: Shell, name: str = "hiv-positive.txt") -> str:
    """Nine of ten people hold `hiv`, so that it must be suppressed; everything in the release directory, as one text."""
    shell.file("visits.txt", "hiv,bread\nhiv,milk\nhiv,bread,milk\n" * 3 + "bread\n")
    shell.file(name, "hiv\n")
    words = ("visits.txt", "--format", "transactions", "--method", "suppress-control", "--rho", "0.5", "--sensitive", name)
    answer = shell("anonymize", *words, "--out", "release", "-v")
    assert answer.code == 0, answer.everything
    assert "1 of 1 sensitive items were suppressed, 1 of them because more than a share 0.5" in " ".join(answer.out.split())
    return " ".join(place.read_text("latin-1") for place in sorted((shell.directory / "release").iterdir()))


def test_a_rho_release_tells_no_number_of_suppressed_items_and_no_name_of_a_file(shell: Shell) -> None:
    everything = rho_release(shell)
    assert "hiv" not in everything
    assert "were suppressed" not in everything and "because more than" not in everything
    manifest = json.loads((shell.directory / "release" / "manifest.json").read_text())
    assert manifest["counts"] == "partly withheld"
    assert manifest["input"]["records"] == 10 and not {"items", "occurrences"} & manifest["input"].keys()
    assert manifest["accounting"].keys() == {"records"} and manifest["metrics"] == {} and manifest["notes"] == []
    assert manifest["parameters"]["sensitive"] == "a file"
    for words in ((), ("--original", "visits.txt")):
        answer = shell("audit", "release", *words)
        assert answer.code == 0, answer.everything


def test_rows_of_one_item_each_do_not_tell_how_often_a_suppressed_item_occurs(shell: Shell) -> None:
    """In a table of users and items the number of rows is that of occurrences: what is not published was suppressed."""
    held = [(person, item) for person in range(10) for item in ("bread", "milk") if person % 3 != ("bread", "milk").index(item)]
    rows = [f"u{person},{item}" for person, item in [*held, *((person, "hiv") for person in range(9))]]
    shell.file("visits.csv", "\n".join(["user,item", *rows]) + "\n")
    shell.file("list.txt", "hiv\n")
    words = ("visits.csv", "--user", "user", "--item", "item", "--method", "suppress-control", "--rho", "0.5", "--sensitive", "list.txt")
    answer = shell("anonymize", *words, "--out", "release")
    assert answer.code == 0, answer.everything
    manifest = json.loads(Path("release/manifest.json").read_text())
    assert manifest["files"][0]["occurrences"] < len(rows)
    assert "rows" not in manifest["input"] and manifest["accounting"].keys() == {"records"}
    for original in ((), ("--original", "visits.csv")):
        assert shell("audit", "release", *original).code == 0


@pytest.mark.parametrize(
    "edit",
    [
        {"metrics": {"kept": 0.5}},
        {"accounting": {"records": {"in": 10, "published": 10}, "occurrences": {"in": 22, "kept": 13, "suppressed": 9}}},
        {"input": {"items": 3, "occurrences": 22}},
        {"accounting": {"rows": {"in": 10, "used": 10}}},
        {"input": {"rows": 10}},
    ],
    ids=lambda edit: next(iter(edit)),
)
def test_an_audit_refuses_numbers_that_the_claim_does_not_allow(shell: Shell, edit: dict[str, dict[str, object]]) -> None:
    rho_release(shell)
    told = json.loads((shell.directory / "release" / "manifest.json").read_text())
    for part, more in edit.items():
        told[part] |= more
    seal(shell.directory / "release", told)
    answer = shell("audit", "release")
    assert answer.code == 3
    assert "exact numbers that rho-uncertainty does not allow" in " ".join(answer.out.split())


EDITED = {
    "a note": lambda told: told["notes"].append("5 people hold a suppressed sensitive item"),
    "a warning": lambda told: told["notes"].append("WARNING: 5 people hold a suppressed sensitive item"),
    "a note of a claim": lambda told: told["claims"][0]["notes"].append("5 people hold a suppressed sensitive item"),
    "other words of a claim": lambda told: told["claims"][0].update(notes=["half of the people hold a suppressed item"]),
    "the name of a file": lambda told: told["parameters"].update(sensitive="hiv-positive.txt"),
}


@pytest.mark.parametrize("edit", EDITED)
@pytest.mark.parametrize("original", [(), ("--original", "visits.txt")], ids=["alone", "original"])
def test_no_number_or_name_is_hidden_in_words(shell: Shell, edit: str, original: tuple[str, ...]) -> None:
    rho_release(shell)
    told = json.loads((shell.directory / "release" / "manifest.json").read_text())
    EDITED[edit](told)
    seal(shell.directory / "release", told)
    assert shell("audit", "release", *original).code == 3


def test_numbers_that_the_tables_tell_may_be_in_notes(shell: Shell) -> None:
    """How many texts begin like formulas anybody can count; people with several records are counted by the publisher alone."""
    rows = [f"u{person % 9},{visit},{item}" for person in range(18) for visit, item in ((person, "=bread"), (person, "milk")) if person % 5]
    shell.file("visits.csv", "\n".join(["user,visit,item", *rows, *(f"u{person},{person},hiv" for person in (1, 2, 3))]) + "\n")
    shell.file("list.txt", "hiv\n")
    read = ("visits.csv", "--user", "user", "--record", "visit", "--item", "item")
    words = ("--method", "suppress-control", "--sensitive", "list.txt", "--claim", "k-anonymity(k=2)", "--rho", "0.9", "--to", "csv")
    answer = shell("anonymize", *read, *words, "--out", "release")
    assert answer.code == 0, answer.everything
    manifest = json.loads(Path("release/manifest.json").read_text())
    assert any(note.startswith("1 text begins with =") for note in manifest["notes"])
    for original in ((), ("--original", "visits.csv")):
        answer = shell("audit", "release", *original)
        assert answer.code == 0, answer.everything


def test_attacks_are_not_recorded_next_to_rho_uncertainty(shell: Shell) -> None:
    """They are shown on the terminal: on the original they tell how many people hold the suppressed item."""
    shell.file("visits.txt", "hiv,bread\n" * 9 + "bread\n")
    shell.file("list.txt", "hiv\n")
    words = ("visits.txt", "--format", "transactions", "--method", "suppress-control", "--sensitive", "list.txt", "--attack", "known-items")
    answer = shell("anonymize", *words, "--control", "0", "--out", "release", "-v")
    assert answer.code == 0 and "known-items" in answer.out, answer.everything
    assert "attacks" not in json.loads(Path("release/manifest.json").read_text())
    assert "known-items" not in Path("release/report.html").read_text()


# -- rules


@pytest.mark.parametrize("method", ["hghs", "apriori", "direct", "optimal", "vertical"])
def test_a_suppressed_number_cannot_be_found_by_trying(shell: Shell, method: str) -> None:
    """The digest of a generated taxonomy covers all words: one unknown telephone number was found by trying ten thousand."""
    held = word_holders()
    rows = [f"p{person},{NAME('w', word)}" for word in range(6) for person in held[word]]
    data = shell.file("calls.csv", "\n".join(["customer,product", *rows, "p3,5550123"]) + "\n")
    words = (data, "--user", "customer", "--item", "product", "--taxonomy", "generated", "--method", method, "--k", "3", "--out", "release")
    assert shell("anonymize", *words).code == 0
    rules = json.loads(Path("release/rules.json").read_text())
    assert set(rules) == {"shoal", "method", "parameters", "taxonomy", "published_parents", "items", "nodes", "sha256"}
    everything = b"".join(place.read_bytes() for place in Path("release").iterdir())
    assert b"5550123" not in everything
    told = {name: rules[name] for name in rules if name != "sha256"}  # the one digest is of what can be read next to it
    assert rules["sha256"] == hashlib.sha256(json.dumps(told, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def test_rules_of_a_generated_taxonomy_are_not_for_other_data(shell: Shell) -> None:
    words = [*baskets(NAME, shell.directory), "--taxonomy", "generated"]
    assert shell("anonymize", *words, "--method", "hghs", "--k", "3", "--out", "first").code == 0
    assert json.loads(Path("first/rules.json").read_text())["nodes"]
    line = one_line(shell("anonymize", *words, "--rules", "first", "--out", "second"))
    assert "the rules are for a taxonomy that was made from data, whose nodes mean something else for other data" in line


def test_rules_of_an_earlier_version_are_read_and_their_digest_compared(shell: Shell) -> None:
    words = _input(shell)
    assert shell("anonymize", *words, "--method", "hghs", "--k", "3", "--out", "first").code == 0
    rules = json.loads(Path("first/rules.json").read_text())
    for digest, code in ((digest_of_taxonomy(read_taxonomy(words[-1]).taxonomy), 0), ("0" * 64, 1)):
        told = {name: rules[name] for name in rules if name not in {"sha256", "published_parents"}} | {"taxonomy_sha256": digest}
        own = hashlib.sha256(json.dumps(told, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
        shell.file("rules.json", json.dumps(told | {"sha256": own}))
        assert shell("anonymize", *words, "--rules", "rules.json", "--out", f"again{code}").code == code


# -- lists of sensitive items


def test_a_sensitive_list_leaves_neither_names_nor_digest_nor_number(shell: Shell) -> None:
    words = [*_input(shell), "--sensitive", list_file(NAME, shell.directory, (12, 13)), "--h", "0.5", "--k", "3", "--out", "release"]
    assert shell("anonymize", *words).code == 0
    manifest = json.loads(Path("release/manifest.json").read_text())
    assert manifest["claims"][1]["model"] == "sensitive-share(h=0.5, items=unnamed)"
    assert manifest["parameters"]["sensitive"] == "a file"


def test_sizes_of_the_taxonomy_of_all_words_are_not_published(shop: Shell) -> None:
    """They depend on where suppressed words lie: a word in a branch of its own makes the tree larger and deeper."""
    manifest = json.loads(Path("release/manifest.json").read_text())
    assert not [name for name in manifest["input"] if name.startswith("taxonomy_")]
    assert "levels;" not in Path("release/report.html").read_text()
