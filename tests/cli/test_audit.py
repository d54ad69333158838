"""Audits: of shoal's releases, and of files that other tools made. Tampering has a file of its own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from helpers.cli import Shell, baskets, failed, one_line
from helpers.tampering import seal
from shoal.errors import ShoalError
from shoal.privacy.k_anonymity import KAnonymity

ORIGINAL = ["--original", "baskets.txt", "--taxonomy", "food.csv"]


def test_a_sound_release_holds_with_and_without_the_original(kitchen: Shell):
    for words in ([], ORIGINAL):
        answer = kitchen("audit", "release", *words)
        assert answer.code == 0, answer.everything
        assert "all claims hold" in answer.out
        assert "k-anonymity(k=3)  " in " ".join(answer.out.split("\n"))
        assert "largest k" in answer.out
        assert "no record is empty" in answer.out


# -- records that nobody had


def test_tampering_that_keeps_every_class_is_found_with_the_original(kitchen: Shell):
    """All records become ones that nobody had; shoal's own file is then as k-anonymous as can be."""
    kitchen.file("foreign.csv", "record,items\n" + "".join(f"{i},Apple;Banana;Beef;Butter;Cheese;Chicken;Milk;Orange\n" for i in range(40)))
    claim = ["--claim", "k-anonymity(k=3)"]
    assert kitchen("audit", "foreign.csv", *claim).code == 0
    answer = kitchen("audit", "foreign.csv", *claim, *ORIGINAL)
    assert answer.code == 3
    assert "40 published records match no remaining original record" in " ".join(answer.out.split())


def test_more_records_than_there_were(kitchen: Shell):
    kitchen.file("many.csv", "record,items\n" + "".join(f"{i},Food\n" for i in range(50)))
    answer = kitchen("audit", "many.csv", "--claim", "k-anonymity(k=3)", *ORIGINAL)
    assert answer.code == 3
    assert "50 records are published of only 40" in " ".join(answer.out.split())


def test_items_that_the_taxonomy_does_not_know(kitchen: Shell):
    kitchen.file("other.csv", "record,items\n" + "".join(f"{i},{'Wine' if i % 2 else 'Water'}\n" for i in range(40)))
    answer = kitchen("audit", "other.csv", "--claim", "k-anonymity(k=3)", *ORIGINAL)
    assert answer.code == 3
    assert "2 published items are not nodes of the taxonomy" in answer.out
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
    assert "no claims" in shell("audit", name).out
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
    assert "2 empty records were counted as ordinary records" in answer.out
    assert "'*' occurs 2 times; it counts as an ordinary item" in answer.err


def test_a_star_stands_for_any_item(kitchen: Shell):
    kitchen.file("one.txt", "Apple,Beef\nApple,Beef\nMilk\nMilk\n")
    kitchen.file("stars.txt", "Apple,*\nApple,*\nMilk\nMilk\n")
    answer = kitchen("audit", "stars.txt", "--claim", "k-anonymity(k=2)", "--original", "one.txt", "--taxonomy", "food.csv")
    assert answer.code == 0, answer.everything
    assert "'*' was read as the root of the taxonomy, 'Food'" in answer.err
    kitchen.file("stars.txt", "Apple,*,*\nApple,*,*\nMilk\nMilk\n")
    assert kitchen("audit", "stars.txt", "--claim", "k-anonymity(k=2)", "--original", "one.txt", "--taxonomy", "food.csv").code == 3


# -- what is asked wrongly


def test_questions_without_an_answer(kitchen: Shell):
    failed(kitchen("audit", "release", "-c", "m-invariance(m=2)"), "unknown-model", value="m-invariance")
    failed(kitchen("audit", "release", "-c", "k-anonymity(k=few)"), "unreadable-value", value="few")
    failed(kitchen("audit", "release", "-c", "k-anonymity(k=1)"), "out-of-range", value=1, limit=2)
    assert "'l'" in failed(kitchen("audit", "release", "-c", "k-anonymity(l=2)"), "unknown-option")
    failed(kitchen("audit", "release", "-c", "k-anonymity(5)"), "unreadable-value")
    assert "nothing" in failed(kitchen("audit", "nothing"), "file-not-found")
    failed(kitchen("audit", "."), "not-a-release")
    assert "--original" in failed(kitchen("audit", "release", "--per", "session"), "option-not-applicable")
    assert "--original" in failed(kitchen("audit", "release", "--set"), "option-not-applicable")
    assert "lost" in failed(kitchen("audit", "release", "--original", "lost", "--taxonomy", "food.csv"), "file-not-found")


def test_a_taxonomy_from_a_file_must_be_typed(kitchen: Shell):
    """A manifest does not name the file, not even where it is still in its place."""
    for command in (("audit", "release", "--original", "baskets.txt"), ("attack", "baskets.txt", "release")):
        line = one_line(kitchen(*command))
        assert "made with a taxonomy from a file, which the manifest does not name (name the file with --taxonomy)" in line
    (kitchen.directory / "food.csv").rename(kitchen.directory / "moved.csv")
    assert kitchen("audit", "release", "--original", "baskets.txt", "--taxonomy", "moved.csv").code == 0


def test_a_manifest_of_an_earlier_version_that_names_the_taxonomy_is_read(kitchen: Shell):
    """It also has sizes of the taxonomy, which are not written any more."""
    told = json.loads((kitchen.directory / "release" / "manifest.json").read_text())
    told["input"] |= {"taxonomy": "food.csv", "taxonomy_nodes": 12, "taxonomy_leaves": 8, "taxonomy_height": 2}
    told["shoal"] = "0.0.1"
    seal(kitchen.directory / "release", told)
    assert kitchen("audit", "release").code == 0
    assert kitchen("audit", "release", "--original", "baskets.txt").code == 0
    (kitchen.directory / "food.csv").rename(kitchen.directory / "moved.csv")
    line = one_line(kitchen("audit", "release", "--original", "baskets.txt"))
    assert "made with the taxonomy food.csv" in line and "--taxonomy" in line


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
    assert "some people have several records" in " ".join(answer.out.split())


def test_baskets_are_as_random_as_the_tests_suppose():
    assert len(set(baskets().splitlines())) > 20


def test_how_things_were_read_is_said_before_anything_is_judged(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    """Judging may take hours, and may fail; how the file was understood is known before."""

    def stop(*arguments: object) -> None:
        raise ShoalError("stopped while judging")

    shell.file("a.csv", "items\na;b\na;b\n")
    monkeypatch.setattr(KAnonymity, "check", stop)
    answer = shell("audit", "a.csv", "--claim", "k-anonymity(k=2)")
    assert answer.code == 1
    assert "2 records" in answer.err
    assert answer.err.index("2 records") < answer.err.index("stopped while judging")
