"""rho-uncertainty as a user meets it: methods, audits, and what is refused."""

from __future__ import annotations

import json

import pytest

from helpers.cli import Shell

BASKETS = "bread insulin\nbread\nbread milk\nmilk\nmilk insulin\nrye insulin\nwine\nwine\n"
GOODS = "bakery,goods\nbread,bakery\nrye,bakery\ndairy,goods\nmilk,dairy\ndrinks,goods\nwine,drinks\nmedicine,goods\ninsulin,medicine\n"
READ = ("baskets.txt", "--format", "transactions", "--taxonomy", "goods.csv")


@pytest.fixture
def data(shell: Shell) -> Shell:
    shell.file("baskets.txt", BASKETS)
    shell.file("goods.csv", GOODS)
    shell.file("sensitive.txt", "insulin\n")
    return shell


@pytest.mark.parametrize("method", ["suppress-control", "td-control"])
@pytest.mark.parametrize("sensitive", ["sensitive.txt", "under:medicine"])
def test_a_release_is_verified_alone_and_with_the_original(data: Shell, method: str, sensitive: str) -> None:
    made = data("anonymize", *READ, "--method", method, "--sensitive", sensitive, "--out", "release", "--json")
    assert made.code == 0, made
    manifest = json.loads(made.out)
    (claim,) = manifest["claims"]
    assert claim["model"] == "rho-uncertainty(rho=0.5, sensitive=items:insulin)"
    assert claim["achieved"]["certainty"] <= 0.5
    assert data("audit", "release").code == 0
    assert data("audit", "release", "--original", *READ).code == 0
    stricter = data("audit", "release", "--claim", "rho-uncertainty(rho=0.2, sensitive=sensitive.txt)")
    assert stricter.code == 3
    assert "1 sensitive item is revealed by known items with a confidence above 0.2" in " ".join(stricter.out.split())


def test_the_original_fails_and_the_rule_is_named_only_for_who_asks(data: Shell) -> None:
    claim = "rho-uncertainty(rho=0.5, sensitive=sensitive.txt)"
    quiet, told = data("audit", "baskets.txt", "--claim", claim), data("audit", "baskets.txt", "--claim", claim, "--show-rare")
    assert (quiet.code, told.code) == (3, 3)
    assert "rye" not in quiet.out + quiet.err
    assert "{rye} reveals 'insulin' with a confidence of 100%" in " ".join(told.out.split())


def test_a_limit_of_what_is_known_is_part_of_the_claim(data: Shell) -> None:
    """Any one item gives insulin away with at most 1/3, but bread and milk together with 1."""
    data.file("pairs.txt", "bread milk insulin\nbread\nbread\nmilk\nmilk\n")
    words = ("pairs.txt", "--format", "transactions", "--method", "suppress-control", "--sensitive", "sensitive.txt", "--antecedent", "1")
    assert data("anonymize", *words, "--out", "one").code == 0
    manifest = json.loads((data.directory / "one" / "manifest.json").read_text())
    assert manifest["claims"][0]["model"] == "rho-uncertainty(rho=0.5, sensitive=items:insulin, antecedent=1)"
    assert manifest["counts"] == "partly withheld" and set(manifest["accounting"]) == {"records"} and not manifest["metrics"]
    assert data("audit", "one", "--claim", "rho-uncertainty(rho=0.5, sensitive=sensitive.txt)").code == 3


def test_what_is_refused_says_what_to_do(data: Shell) -> None:
    for words, says in [
        ((), "no sensitive items are named (name them with --sensitive FILE"),
        (("--sensitive", "sensitive.txt", "--rho", "1"), "rho must be below 1"),
        (("--sensitive", "sensitive.txt", "--rho", "1.5"), "rho must be"),
        (("--sensitive", "under:goods", "--rho", "0"), "nothing is left to publish"),
    ]:
        answer = data("anonymize", *READ, "--method", "td-control", *words, "--out", "no")
        assert answer.code == 1, answer
        assert says in answer.err
        assert "no" not in data.names()


def test_nodes_that_are_named_by_numbers_of_items_are_not_published(data: Shell) -> None:
    """`(items 1 to 2 of 5)` would tell the number of items, which is withheld next to this claim."""
    data.file("pairs.txt", "".join(f"a{n} insulin\n" if n % 2 else f"a{n}\n" for n in range(8)) * 3)
    words = ("pairs.txt", "--format", "transactions", "--taxonomy", "generated:2", "--sensitive", "sensitive.txt", "--rho", "0.6")
    answer = data("anonymize", *words, "--method", "td-control", "--floor", "1", "--out", "release")
    assert answer.code == 1, answer
    assert "nodes of a generated taxonomy are named by numbers of items, which rho-uncertainty does not allow" in answer.err
    assert "release" not in data.names()
    assert data("anonymize", *words, "--method", "suppress-control", "--out", "release").code == 0
