"""Sensitive items from the command line: names that match, claims that carry a digest, and audits that open no file unasked."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from helpers.cli import Answer, Shell, one_line
from shoal.methods import shoal as method_file
from shoal.taxonomy.tree_counts import meet

TREE = """child,parent
beer,goods
bottled beer,beer
canned beer,beer
food,goods
bread,food
milk,food
"spirits (strong, ""hard"")",goods
rum,"spirits (strong, ""hard"")"
wine,goods
"""
BASKETS = "bottled beer;bread\n" * 8 + "canned beer;bread\n" * 2 + "milk;bread\n" * 10 + "rum;milk\n" * 2 + "wine;milk\n" * 8


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    made = Shell(tmp_path, capsys)
    made.file("tree.csv", TREE)
    made.file("baskets.txt", BASKETS)
    made.file("beer.txt", "Bottled Beers\n")
    return made


ORIGINAL = ("--sep", ";", "--taxonomy", "tree.csv")


def anonymize(shell: Shell, *more: str) -> Answer:
    return shell("anonymize", "baskets.txt", "--format", "transactions", *ORIGINAL, "--k", "2", "-o", "out", "--json", *more)


def claim(shell: Shell) -> dict[str, Any]:
    return json.loads((shell.directory / "out" / "manifest.json").read_text())["claims"][1]  # type: ignore[no-any-return]


def edit_claim(shell: Shell, text: str) -> None:
    place = shell.directory / "out" / "manifest.json"
    manifest = json.loads(place.read_text())
    manifest["claims"][1]["model"] = text
    place.write_text(json.dumps(manifest))


def test_a_name_that_matches_nothing_is_refused(shell: Shell) -> None:
    shell.file("terms.txt", "bottled beer\nZyprexol\n")
    answer = anonymize(shell, "--sensitive", "terms.txt")
    assert answer.code == 1
    assert "sensitive items: 'Zyprexol' is not in the data" in answer.err
    assert not (shell.directory / "out").exists()


def test_a_word_with_another_name_in_wordnet_is_named_in_the_hint(shell: Shell) -> None:
    shell.file("log.tsv", "user\tquery\n" + "".join(f"{user}\t{'flu' if user < 4 else 'dog'}\n" for user in range(12)))
    refused = shell("anonymize", "log.tsv", "--method", "td-control", "--taxonomy", "wordnet", "--sensitive", "items:flu", "--out", "out")
    assert "'flu' is not in the data ('flu' is 'influenza' in this taxonomy)" in one_line(refused)


@pytest.mark.parametrize(("written", "means"), [("Zyprexol", "zyprexol"), ("ZYPREXOLS", "zyprexol"), ("automobiles", "car")])
def test_a_word_of_a_log_is_never_published_under_another_spelling(shell: Shell, written: str, means: str) -> None:
    rows = [f"{user}\t{text}\n" for user in range(12) for text in (["zyprexol automobile"] if user < 6 else []) + ["river dog"]]
    shell.file("log.tsv", "user\tquery\n" + "".join(rows))
    shell.file("terms.txt", written + "\n")

    def words(*more: str) -> set[str]:
        out = f"out{len(more)}"
        answer = shell("anonymize", "log.tsv", "--format", "querylog", "--user", "user", "--text", "query", "--k", "2", "-o", out, *more)
        assert answer.code == 0, answer.err
        return set(pl.read_parquet(shell.directory / out / "records.parquet")["items"].explode().to_list())

    assert means in words()
    assert means not in words("--sensitive", "terms.txt")


def test_a_claim_does_not_name_its_items_and_an_audit_says_what_it_cannot_check(shell: Shell) -> None:
    assert anonymize(shell, "--sensitive", "beer.txt").code == 0
    digest = hashlib.sha256(b"Bottled Beers").hexdigest()
    assert claim(shell)["model"] == "sensitive-share(h=0.5, items=unnamed)"
    assert not [place for place in Path("out").iterdir() if digest[:12].encode() in place.read_bytes()]
    assert claim(shell)["achieved"]["h"] <= 0.5
    alone = shell("audit", "out")
    assert alone.code == 0
    assert "all claims hold" not in alone.out and "1 NOT CHECKABLE with the available data" in alone.out
    told = json.loads(shell("audit", "out", "--json").out)
    assert told["unchecked"] == 1
    assert [found["holds"] for found in told["claims"]] == [True, None]


def test_an_audit_takes_the_items_that_a_claim_does_not_name(shell: Shell) -> None:
    assert anonymize(shell, "--sensitive", "beer.txt").code == 0
    with_items = json.loads(shell("audit", "out", "--sensitive", "beer.txt", "--json").out)
    assert with_items["claims"][1]["achieved"] == {"named": 0}
    typed = shell("audit", "out", "--claim", "sensitive-share(h=0.5, items=beer.txt)", "--json")
    assert typed.code == 0 and json.loads(typed.out)["claims"][0]["achieved"] == {"named": 0}
    shell.file("other.txt", "milk\n")
    other = shell("audit", "out", "--sensitive", "other.txt")
    assert other.code == 3 and "published items name a sensitive item" in " ".join(other.out.split())
    needless = shell("audit", "out", "--claim", "k-anonymity(k=2)", "--sensitive", "beer.txt")
    assert needless.code == 1 and "every claim names its own items" in needless.err
    published = shell("audit", "out", "--claim", "sensitive-share(h=0.5, items=items:Breads)")
    assert published.code == 3 and "1 published items name a sensitive item" in published.out


def test_a_manifest_never_makes_an_audit_open_a_file(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    assert anonymize(shell, "--sensitive", "beer.txt").code == 0
    edit_claim(shell, "sensitive-share(h=0.5, items=beer.txt)")
    opened: list[str] = []
    monkeypatch.setattr("shoal.io.read.parameter_files.read_items", lambda path: opened.append(str(path)))
    answer = shell("audit", "out")
    assert answer.code != 0
    assert not opened


@pytest.mark.parametrize("h", ["0.5", "0.123456789"])
def test_everything_under_a_node_whose_name_has_blanks_commas_and_parentheses(shell: Shell, h: str) -> None:
    node = 'spirits (strong, "hard")'
    assert anonymize(shell, "--sensitive", f"under:{node}", "--h", h).code == 0
    assert claim(shell)["model"] == f'sensitive-share(h={h}, items="under:spirits (strong, \\"hard\\")")'
    words = set(pl.read_parquet(shell.directory / "out" / "records.parquet")["items"].explode().to_list())
    assert not words & {node, "rum"}
    audited = shell("audit", "out", "--original", "baskets.txt", *ORIGINAL, "--json")
    assert audited.code == 0, audited.everything
    assert json.loads(audited.out)["claims"][1]["achieved"]["named"] == 0
    looser = shell("audit", "out", "--original", "baskets.txt", *ORIGINAL, "--claim", "sensitive-share(h=0.5, items=under:food)")
    assert looser.code == 3


def test_a_config_file_may_name_a_node(shell: Shell) -> None:
    shell.file("job.toml", 'sensitive = "under:beer"\nh = 0.4\n')
    assert anonymize(shell, "--config", "job.toml").code == 0
    assert claim(shell)["model"] == "sensitive-share(h=0.4, items=under:beer)"


def test_what_no_release_can_hide_is_infeasible(shell: Shell) -> None:
    shell.file("terms.txt", "bread\n")
    answer = anonymize(shell, "--sensitive", "terms.txt")
    assert answer.code == 1
    assert "infeasible because the sensitive item 'bread' belongs to 66.67% of all people, more than h = 0.5" in answer.err
    assert "h of 0.6667 or more" in answer.err


def test_nothing_is_written_where_the_method_errs(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method_file, "within_share", lambda bags, tree, groups, *_: (groups, meet(bags, tree, groups)))
    answer = anonymize(shell, "--sensitive", "beer.txt")
    assert answer.code == 3
    assert "of the people have the same sensitive item" in answer.err
    assert not (shell.directory / "out").exists()
