"""Coherence from the command line: a release, its audit, and one clear line for every mistake."""

from __future__ import annotations

import json

import polars as pl
import pytest

from shoal.cli.main import run

FIGURE_1 = "a c d f g Diabetes\na b c f Hepatitis\nb d f x Hepatitis\nb c g y z HIV\na c f g HIV\n"


@pytest.fixture
def place(tmp_path):
    (tmp_path / "data.txt").write_text(FIGURE_1)
    (tmp_path / "private.txt").write_text("Diabetes\nHepatitis\nHIV\n")
    (tmp_path / "public.txt").write_text("a\nHIV\n")
    (tmp_path / "unknown.txt").write_text("Diabetes\nScurvy\n")
    (tmp_path / "weights.txt").write_text("a one\n")
    (tmp_path / "tree.tsv").write_text(
        "".join(f"{i}\tactivity\n" for i in "abcdfgxyz")
        + "".join(f"{i}\tdisease\n" for i in ("Diabetes", "Hepatitis", "HIV"))
        + "activity\tall\ndisease\tall\n"
    )
    return tmp_path


def anonymize(place, *more: str) -> int:
    taxonomy = [] if "--taxonomy" in more else ["--taxonomy", "generated"]
    base = ["anonymize", str(place / "data.txt"), "--format", "transactions", "--sep", " ", "-m", "coherence", "--k", "2"]
    return run([*base, *taxonomy, *more, "--out", str(place / "release")])


def test_the_papers_example(place, capsys):
    assert anonymize(place, "--private", str(place / "private.txt"), "--h", "0.8", "--p", "2", "--json") == 0
    manifest = json.loads(capsys.readouterr().out)
    assert manifest["claims"][0]["model"] == "coherence(h=0.8, k=2, p=2, private=items:Diabetes|HIV|Hepatitis)"
    assert manifest["claims"][0]["achieved"] == {"records": 2, "breach": 0.666667, "p": 2}
    assert manifest["parameters"]["private"] == "a file"
    assert manifest["accounting"]["occurrences"] == {"in": 27, "kept": 19, "suppressed": 8}
    assert manifest["notes"] == ["5 of 9 public items were suppressed"]
    records = pl.read_parquet(place / "release" / "records.parquet")["items"].to_list()
    expected = ["a c f g Diabetes", "a c f Hepatitis", "f Hepatitis", "c g HIV", "a c f g HIV"]
    assert sorted(sorted(r) for r in records) == sorted(sorted(r.split()) for r in expected)
    assert run(["audit", str(place / "release")]) == 0
    stricter = "coherence(h=0.8,k=3,p=2,private=" + str(place / "private.txt") + ")"
    assert run(["audit", str(place / "release"), "--claim", stricter]) == 3


def test_more_words_are_kept_than_by_any_printed_score(place, capsys):
    """Of these 9 words 5 can be kept, as trying all sets of items shows; every greedy choice of the paper keeps 4 or fewer."""
    (place / "data.txt").write_text("a c\na\nb d\nb c\na d\n")
    kept = {}
    for score in ("best", "mm/il", "mm", "1/il"):
        assert anonymize(place, "--p", "2", "--force", "--json", *([] if score == "best" else ["--score", score])) == 0
        kept[score] = json.loads(capsys.readouterr().out)["accounting"]["occurrences"]["kept"]
    assert kept == {"best": 5, "mm/il": 4, "mm": 4, "1/il": 3}


def test_everything_under_a_node_is_private(place, capsys):
    tree = ["--taxonomy", str(place / "tree.tsv"), "--private", "under:disease", "--h", "0.8"]
    assert anonymize(place, *tree, "--exact", "--json") == 0
    manifest = json.loads(capsys.readouterr().out)
    assert manifest["accounting"]["occurrences"]["suppressed"] == 8
    assert "loss 8: the least possible loss, proven" in manifest["notes"]
    original = ["--original", str(place / "data.txt"), "--sep", " ", "--taxonomy", str(place / "tree.tsv")]
    claim = "coherence(h=0.8,k=2,p=2,private=under:disease)"
    assert run(["audit", str(place / "release"), *original, "--claim", claim]) == 0
    assert run(["audit", str(place / "release"), "--claim", claim]) == 1
    assert "need the taxonomy" in capsys.readouterr().err


def test_the_baseline(place):
    base = [
        "anonymize",
        str(place / "data.txt"),
        "--format",
        "transactions",
        "--sep",
        " ",
        "--taxonomy",
        "generated",
        "-m",
        "tds",
        "--k",
        "2",
    ]
    assert run([*base, "--private", str(place / "private.txt"), "-o", str(place / "release")]) == 0
    assert run(["audit", str(place / "release")]) == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--private {}/private.txt --public {}/public.txt", "1 items are named both public and private"),
        ("--private {}/unknown.txt", "private items: 'Scurvy' is not in the data"),
        ("--private {}/absent.txt", "there is no file"),
        ("--private under:plague", "'plague' is not in the data"),
        ("--h 1.2", "h must be at most 1, not 1.2"),
        ("--h -0.1", "h must be at least 0, not -0.1"),
        ("--h much", "h must be a number, not 'much'"),
        ("--p 0", "p must be at least 1, not 0"),
        ("--il weights", "il=weights and a file of weights go together"),
        ("--il weights --weights {}/weights.txt", "line 1, is not an item, a tab and a number"),
        ("--private {}/private.txt --h 0.3", "'HIV' belongs to 40.00% of all, more than h = 0.3"),
        ("--score worst", "score must be one of best, mm/il, mm, 1/il, rmall"),
    ],
)
def test_mistakes_get_one_clear_line(place, capsys, options: str, says: str):
    assert anonymize(place, *options.replace("{}", str(place)).split()) == 1
    told = capsys.readouterr().err.strip().splitlines()
    assert says in told[-1]
    assert told[-1].startswith("shoal: ")
    assert not (place / "release").exists()
