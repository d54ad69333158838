"""Input that is probably misread is refused until it is said to be meant: malformed rows, a foreign taxonomy, owners written alike."""

from __future__ import annotations

import json

import polars as pl
import pytest

import shoal
from helpers.cli import FOOD, Answer, Shell, one_line
from helpers.errors import refuses


def anonymized(shell: Shell, *words: str) -> Answer:
    """`anonymize` on the file of the test."""
    return shell("anonymize", *words, "--k", "2", "--out", "release")


def refused(shell: Shell, *words: str) -> str:
    """The one line with which it refuses; nothing is written."""
    before = shell.names()
    line = one_line(anonymized(shell, *words))
    assert shell.names() == before
    return line


# -- malformed rows


def table(sound: int, broken: int) -> str:
    return "user,item\n" + "".join(f"{n},milk\n" for n in range(sound)) + "tea\n" * broken


def test_most_rows_malformed(shell: Shell):
    shell.file("input.csv", table(20, 80))
    line = refused(shell, "input.csv", "--taxonomy", "generated")
    assert "80 of 100 rows of input.csv are malformed, more than 10%: 80 x too few fields: lines 22, 23" in line
    assert "--malformed SHARE" in line
    done = anonymized(shell, "input.csv", "--taxonomy", "generated", "--malformed", "0.8")
    assert done.code == 0, done.err
    assert "left out: 80 x too few fields" in done.err


@pytest.mark.parametrize(("sound", "broken", "code"), [(90, 10, 0), (89, 11, 1), (20, 0, 0)])
def test_a_tenth_of_the_rows_may_be_malformed(shell: Shell, sound: int, broken: int, code: int):
    shell.file("input.csv", table(sound, broken))
    assert anonymized(shell, "input.csv", "--taxonomy", "generated").code == code


def test_malformed_lines_of_transactions(shell: Shell):
    shell.file("input", b"a b\na\nb c a\n" * 10 + b"\xff\n" * 5)
    assert "5 of 35 rows of input are malformed" in refused(shell, "input", "--taxonomy", "generated")


@pytest.mark.parametrize("share", ["-0.1", "1.5", "nan"])
def test_a_share_that_is_none(shell: Shell, share: str):
    shell.file("input.csv", table(20, 0))
    assert "malformed must be a share from 0 to 1" in refused(shell, "input.csv", "--malformed", share)


# -- a taxonomy of other things


def test_a_taxonomy_that_knows_hardly_any_item(shell: Shell):
    shell.file("food.csv", FOOD)
    shell.file("lines", "1 2 3\n1 2\n2 3 4 1\n" * 50 + "Apple 1\n")
    line = refused(shell, "lines", "--taxonomy", "food.csv")
    assert "the taxonomy has 1 of 452 item occurrences, less than 1%" in line
    assert "--unknown keep or --unknown drop" in line
    assert anonymized(shell, "lines", "--taxonomy", "food.csv", "--unknown", "keep").code == 0


def test_a_taxonomy_that_knows_some_items(shell: Shell):
    shell.file("food.csv", FOOD)
    shell.file("lines", "1 2 3\n1 2\n2 3 4 1\n" * 5 + "Apple 1\n" * 2)
    done = anonymized(shell, "lines", "--taxonomy", "food.csv")
    assert done.code == 0, done.err
    assert json.loads((shell.directory / "release" / "manifest.json").read_text())["input"]["unknown"] == "keep"


# -- owners written in several ways

ALIKE = {
    "capitals": ("ann", "Ann"),
    "blanks": ("ann lee", "ann  lee"),
    "the form of a number": ("7", "7.0"),
    "zeros in front": ("7", "007"),
    "forms of a letter": ("Zo\u00eb", "Zoe\u0308"),
}


@pytest.mark.parametrize("name", ALIKE)
def test_owners_that_are_written_alike(shell: Shell, name: str):
    one, other = ALIKE[name]
    shell.file("input.csv", f"user,item\n{one},milk\n{other},milk\nbob,milk\neve,milk\n")
    line = refused(shell, "input.csv", "--taxonomy", "generated")
    assert "4 different user IDs, 3 if capitals, blanks and the form of numbers are ignored" in line
    assert "--owners folded" in line
    assert "--owners exact" in line
    assert one not in line.split("(")[0].split("input.csv", 1)[1].split()
    said = ("anonymize", "input.csv", "--taxonomy", "generated", "--k", "2", "--out")
    folded = shell(*said, "one", "--owners", "folded")
    assert "3 records of 3 people" in folded.out
    assert "3 are kept separate, as specified" in folded.err
    exact = shell(*said, "two", "--owners", "exact")
    assert "4 records of 4 people" in exact.out
    assert "kept separate, as specified" in exact.err


def test_owners_of_rows_that_are_left_out_do_not_count(shell: Shell):
    shell.file("input.csv", "user,item\nAnn,\n" + "ann,milk\nbob,milk\n" * 9)
    assert anonymized(shell, "input.csv", "--taxonomy", "generated").code == 0


def test_a_number_in_json_is_one_owner_however_it_is_written(shell: Shell):
    shell.file("input.jsonl", "".join(f'{{"user": {user}, "item": "milk"}}\n' for user in ("1", "1.0", '"1"', '"b"')))
    assert "2 records of 2 people" in anonymized(shell, "input.jsonl", "--taxonomy", "generated").out


def test_the_same_holds_for_frames():
    frame = pl.DataFrame({"who": ["ann", "Ann", "bob"], "what": ["a", "b", "c"]})
    with refuses("user-spelling-unclear", written=3, folded=2):
        shoal.read(frame, user="who", item="what")
    assert shoal.read(frame, user="who", item="what", owners="folded").data.n_owners == 2
    with refuses("too-many-malformed-rows", defects={"no user": 1}):
        shoal.read(pl.DataFrame({"who": ["ann", None], "what": ["a", "b"]}), user="who", item="what")
