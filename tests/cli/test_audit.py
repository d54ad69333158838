"""Audits: of shoal's releases, whole and tampered with, and of files that other tools made."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from helpers_cli import ITEMS, Shell, baskets, one_line

ORIGINAL = ["--original", "baskets.txt", "--taxonomy", "food.csv"]


def manifest(shell: Shell) -> dict[str, Any]:
    return json.loads((shell.directory / "release" / "manifest.json").read_text())


def edit(shell: Shell, change: Callable[[dict[str, Any]], None]) -> None:
    told = manifest(shell)
    change(told)
    shell.file("release/manifest.json", json.dumps(told))


def lines_of(shell: Shell) -> list[str]:
    return (shell.directory / "release" / "records.csv").read_text().splitlines()


def rewrite(shell: Shell, lines: list[str]) -> None:
    shell.file("release/records.csv", "\n".join(lines) + "\n")


def test_a_sound_release_holds_with_and_without_the_original(kitchen: Shell):
    for words in ([], ORIGINAL):
        answer = kitchen("audit", "release", *words)
        assert answer.code == 0, answer.everything
        assert "all claims hold" in answer.out
        assert "k-anonymity(k=3)  " in " ".join(answer.out.split("\n"))
        assert "largest k" in answer.out
        assert "no record is empty" in answer.out


# -- tampering


def change_one(shell: Shell) -> None:
    lines = lines_of(shell)
    number, _ = lines[1].split(",", 1)
    rewrite(shell, [lines[0], f"{number},Apple;Beef;Milk;Orange", *lines[2:]])


def remove_one(shell: Shell) -> None:
    rewrite(shell, lines_of(shell)[:-1])


def append_one(shell: Shell) -> None:
    rewrite(shell, [*lines_of(shell), "41,Butter;Cheese;Chicken;Milk"])


def swap_the_file(shell: Shell) -> None:
    rewrite(shell, ["record,items", *(f"{i},Food" for i in range(1, 41))])


def change_the_report(shell: Shell) -> None:
    report = shell.directory / "release" / "report.html"
    report.write_text(report.read_text().replace("3", "9"))


def promise_more(shell: Shell) -> None:
    edit(shell, lambda told: told["claims"][0].update(model="k-anonymity(k=20)"))


def boast(shell: Shell) -> None:
    edit(shell, lambda told: told["claims"][0]["achieved"].update(k=12))


def forge_the_rows(shell: Shell) -> None:
    edit(shell, lambda told: told["files"][0].update(rows=400))


def forge_the_hash(shell: Shell) -> None:
    edit(shell, lambda told: told["files"][0].update(sha256="0" * 64))


def forge_the_account(shell: Shell) -> None:
    edit(shell, lambda told: told["accounting"]["records"].update({"in": 39}))


TAMPERING: dict[str, tuple[Callable[[Shell], None], str]] = {
    "one record changed": (change_one, "SHA-256 differs"),
    "one record removed": (remove_one, "holds 39 records, the manifest says 40"),
    "one record appended": (append_one, "holds 41 records, the manifest says 40"),
    "the file swapped": (swap_the_file, "SHA-256 differs"),
    "the report changed": (change_the_report, "report.html was changed"),
    "a larger k claimed": (promise_more, "classes of fewer than 20"),
    "a larger k said to be achieved": (boast, "the manifest says that k 12 was achieved"),
    "the number of rows": (forge_the_rows, "the manifest says 400"),
    "the hash": (forge_the_hash, "SHA-256 differs"),
    "the account": (forge_the_account, "does not add up"),
}


@pytest.mark.parametrize("name", TAMPERING)
def test_tampering_is_shown_and_no_record_is(kitchen: Shell, name: str):
    tamper, broken = TAMPERING[name]
    tamper(kitchen)
    answer = kitchen("audit", "release")
    assert answer.code == 3
    assert "A CLAIM DOES NOT HOLD" in answer.out or "THE AUDIT FAILS" in answer.out
    assert broken in " ".join(answer.out.split())
    assert not any(item in answer.everything for item in ITEMS)
    told = json.loads(kitchen("audit", "release", "--json").out)
    assert told["holds"] is False
    assert any(verdict.get("witnesses") for verdict in (*told["claims"], *told["checks"]) if not verdict["holds"])


def test_tampering_that_keeps_every_class_is_found_with_the_original(kitchen: Shell):
    """All records become ones that nobody had; shoal's own file is then as k-anonymous as can be."""
    kitchen.file("foreign.csv", "record,items\n" + "".join(f"{i},Apple;Banana;Beef;Butter;Cheese;Chicken;Milk;Orange\n" for i in range(40)))
    claim = ["--claim", "k-anonymity(k=3)"]
    assert kitchen("audit", "foreign.csv", *claim).code == 0
    answer = kitchen("audit", "foreign.csv", *claim, *ORIGINAL)
    assert answer.code == 3
    assert "40 published records generalize no original record of their own" in " ".join(answer.out.split())


def test_more_records_than_there_were(kitchen: Shell):
    kitchen.file("many.csv", "record,items\n" + "".join(f"{i},Food\n" for i in range(50)))
    answer = kitchen("audit", "many.csv", "--claim", "k-anonymity(k=3)", *ORIGINAL)
    assert answer.code == 3
    assert "50 records are published of only 40" in " ".join(answer.out.split())


def test_items_that_the_taxonomy_does_not_know(kitchen: Shell):
    kitchen.file("other.csv", "record,items\n" + "".join(f"{i},{'Wine' if i % 2 else 'Water'}\n" for i in range(40)))
    answer = kitchen("audit", "other.csv", "--claim", "k-anonymity(k=3)", *ORIGINAL)
    assert answer.code == 3
    assert "2 published items are no nodes of the taxonomy" in answer.out
    assert "Wine" not in answer.everything
    assert json.loads(kitchen("audit", "other.csv", *ORIGINAL, "--json").out)["largest_k"] == 20


# -- files of other tools


FILES = {
    "transactions.txt": "a b\nb a\nc\nc\nc\n",
    "baskets.csv": "a,b\na,b\nc\nc\nc\n",
    "lists.jsonl": '["a","b"]\n["b","a"]\n{"items":["c"]}\n["c"]\n["c"]\n',
    "long.csv": "record,item\n1,a\n1,b\n2,b\n2,a\n3,c\n4,c\n5,c\n",
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_tool(shell: Shell, name: str):
    shell.file(name, FILES[name])
    told = json.loads(shell("audit", name, "--json").out)
    assert (told["largest_k"], told["records"], told["claims"], told["holds"]) == (2, 5, [], True)
    assert "no claim was made" in shell("audit", name).out
    assert shell("audit", name, "--claim", "k-anonymity(k=2)").code == 0
    assert shell("audit", name, "--claim", "k-anonymity(k=3)").code == 3
    assert shell("audit", name, "-c", "k-anonymity(k=2)", "-c", "vocabulary-k-anonymity(k=3)").code == 3


def test_a_parquet_of_another_tool(shell: Shell):
    pl.DataFrame({"terms": [["a"], ["a"], ["b", "c"]]}).write_parquet(shell.directory / "x.parquet")
    assert json.loads(shell("audit", "x.parquet", "--json").out)["largest_k"] == 1


def test_how_empty_records_and_stars_were_counted(shell: Shell):
    shell.file("out.txt", "a,*\na,*\n\n\n")
    answer = shell("audit", "out.txt", "--claim", "k-anonymity(k=2)")
    assert answer.code == 0
    assert "2 empty records were counted as records like any other" in answer.out
    assert "'*' occurs 2 times; it is counted as an item like any other" in answer.err


def test_a_star_stands_for_any_item(kitchen: Shell):
    kitchen.file("one.txt", "Apple,Beef\nApple,Beef\nMilk\nMilk\n")
    kitchen.file("stars.txt", "Apple,*\nApple,*\nMilk\nMilk\n")
    answer = kitchen("audit", "stars.txt", "--claim", "k-anonymity(k=2)", "--original", "one.txt", "--taxonomy", "food.csv")
    assert answer.code == 0, answer.everything
    assert "'*' was taken for the root of the taxonomy, 'Food'" in answer.err
    kitchen.file("stars.txt", "Apple,*,*\nApple,*,*\nMilk\nMilk\n")
    assert kitchen("audit", "stars.txt", "--claim", "k-anonymity(k=2)", "--original", "one.txt", "--taxonomy", "food.csv").code == 3


# -- what is asked wrongly


def test_questions_without_an_answer(kitchen: Shell):
    assert "no model is called 'l-diversity'" in one_line(kitchen("audit", "release", "-c", "l-diversity(l=2)"))
    assert "k must be a whole number" in one_line(kitchen("audit", "release", "-c", "k-anonymity(k=few)"))
    assert "k must be at least 2" in one_line(kitchen("audit", "release", "-c", "k-anonymity(k=1)"))
    assert "has no parameter 'l'" in one_line(kitchen("audit", "release", "-c", "k-anonymity(l=2)"))
    assert "write it as name(parameter=value" in one_line(kitchen("audit", "release", "-c", "k-anonymity(5)"))
    assert "there is no file nothing" in one_line(kitchen("audit", "nothing"))
    assert "it has no manifest.json" in one_line(kitchen("audit", "."))
    assert "no --original is given" in one_line(kitchen("audit", "release", "--per", "session"))
    assert "no --original is given" in one_line(kitchen("audit", "release", "--set"))
    assert "there is no file lost" in one_line(kitchen("audit", "release", "--original", "lost", "--taxonomy", "food.csv"))


def test_a_taxonomy_that_has_moved_is_asked_for(kitchen: Shell):
    (kitchen.directory / "food.csv").rename(kitchen.directory / "moved.csv")
    line = one_line(kitchen("audit", "release", "--original", "baskets.txt"))
    assert "made with the taxonomy food.csv" in line
    assert "--taxonomy" in line
    assert kitchen("audit", "release", "--original", "baskets.txt", "--taxonomy", "moved.csv").code == 0


DAMAGED = {
    "not JSON": "{",
    "no object": "[]",
    "of another tool": '{"tool": "x"}',
    "bad bytes": b"\xff\xfe",
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_manifest_that_is_none(kitchen: Shell, name: str):
    kitchen.file("release/manifest.json", DAMAGED[name])
    assert "manifest.json" in one_line(kitchen("audit", "release"))
    assert "manifest.json" in one_line(kitchen("measure", "release"))


EDITS: dict[str, dict[str, Any]] = {
    "no files": {"files": []},
    "files of a wrong kind": {"files": {"name": "records.csv"}},
    "a file without a name": {"files": [{"rows": 3}]},
    "a file elsewhere": {"files": [{"name": "../baskets.txt"}]},
    "an absolute file": {"files": [{"name": "/etc/passwd"}]},
    "the directory itself": {"files": [{"name": ".."}]},
    "claims of a wrong kind": {"claims": "k-anonymity(k=3)"},
    "claims without models": {"claims": [{"holds": True}]},
    "no account": {"accounting": None},
    "no input": {"input": []},
}


@pytest.mark.parametrize("name", EDITS)
def test_a_manifest_that_was_damaged(kitchen: Shell, name: str):
    edit(kitchen, lambda told: told.update(EDITS[name]))
    assert "manifest.json is damaged" in one_line(kitchen("audit", "release"))


ODD_VALUES: dict[str, Callable[[dict[str, Any]], None]] = {
    "rows in words": lambda told: told["files"][0].update(rows="forty"),
    "a hash of a wrong kind": lambda told: told["files"][0].update(sha256=7),
    "ledgers of a wrong kind": lambda told: told["accounting"].update(records=[1]),
    "ledger parts of a wrong kind": lambda told: told["accounting"]["records"].update(published="40"),
    "an empty ledger": lambda told: told["accounting"].update(records={}),
}


@pytest.mark.parametrize("name", ODD_VALUES)
@pytest.mark.parametrize("original", [[], ORIGINAL], ids=["alone", "with the original"])
def test_odd_values_in_a_manifest_are_a_failure(kitchen: Shell, name: str, original: list[str]):
    edit(kitchen, ODD_VALUES[name])
    assert kitchen("audit", "release", *original).code == 3


def test_odd_values_of_the_preparation_are_told(kitchen: Shell):
    edit(kitchen, lambda told: told["input"].update(per="month"))
    assert "per must be one of" in one_line(kitchen("audit", "release", *ORIGINAL))


def test_records_that_are_gone(kitchen: Shell):
    (kitchen.directory / "release" / "records.csv").unlink()
    assert "there is no file release/records.csv" in one_line(kitchen("audit", "release"))


def test_what_else_lies_in_the_directory_is_mentioned(kitchen: Shell):
    kitchen.file("release/groups.txt", "who is who")
    (kitchen.directory / "release" / "report.html").unlink()
    answer = kitchen("audit", "release")
    assert answer.code == 0
    assert "1 files in the directory are not part of the release" in answer.err
    assert "report.html is not there" in answer.err


def test_a_release_may_be_moved(kitchen: Shell, tmp_path_factory: pytest.TempPathFactory):
    place: Path = tmp_path_factory.mktemp("elsewhere") / "copy"
    shutil.copytree(kitchen.directory / "release", place)
    assert kitchen("audit", place).code == 0


def test_bags_and_sessions_are_audited_as_they_were_made(shell: Shell):
    rows = [f"{u},2006-03-01 {h:02}:00:00,{'dog cat dog' if h < 12 else 'river'}" for u in range(8) for h in (9, 15)]
    shell.file("log.csv", "user,time,query\n" + "\n".join(rows) + "\n")
    made = shell("anonymize", "log.csv", "--per", "session", "--gap", "1h", "--bag", "--k", "4", "--out", "release")
    assert made.code == 0, made.err
    answer = shell("audit", "release", "--original", "log.csv")
    assert answer.code == 0, answer.everything
    assert "every record accounted for  holds (achieved: records 16)" in answer.out
    assert "people own several records" in " ".join(answer.out.split())


def test_baskets_are_as_random_as_the_tests_suppose():
    assert len(set(baskets().splitlines())) > 20
