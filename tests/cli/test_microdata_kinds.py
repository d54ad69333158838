"""Quasi-identifiers that are no numbers, through the command line: what is published, told and audited, and what is refused."""

from __future__ import annotations

import json
from collections import Counter

import polars as pl
import pytest

from helpers.cli import Shell, one_line
from helpers.tampering import manifest_of
from shoal.api.functions import anonymize

PEOPLE = """age,education,town,job
31,low,Ulm,baker
33,low,Ulm,baker
36,middle,Munich,smith
58,high,Kiel,clerk
61,high,Hamburg,clerk
60,middle,Kiel,baker
"""
TOWNS = "Ulm,South\nMunich,South\nKiel,North\nHamburg,North\nSouth,Germany\nNorth,Germany\nGermany,\n"
BASE = ("--format", "microdata", "--method", "mdav", "--k", "3", "--out", "release", "--to", "csv")
TOWN_FILE = ("--hierarchy", "town=towns.csv")
KINDS = ("--ordinal", "education=low|middle|high", "--hierarchy", "town=towns.csv", "--nominal", "job")


@pytest.fixture
def files(shell: Shell) -> Shell:
    shell.file("people.csv", PEOPLE)
    shell.file("towns.csv", TOWNS)
    return shell


def test_each_kind_is_published_as_its_centroid(files: Shell) -> None:
    """Ages 31, 33, 36 and 58, 61, 60; the towns of each group lie in one region."""
    assert files("anonymize", "people.csv", *BASE, *KINDS).code == 0
    rows = pl.read_csv(files.directory / "release" / "microdata.csv").rows()
    assert Counter(rows) == {(100 / 3, "low", "South", "baker"): 3, (179 / 3, "high", "North", "clerk"): 3}
    told = manifest_of(files.directory / "release")
    assert told["input"]["quasi_identifiers"] == ["age", "education", "town", "job"]
    assert told["input"]["nominal"] == ["job"]
    assert told["input"]["ordinal"] == ["education=low|middle|high"]
    assert told["input"]["hierarchies"] == ["town=a file"]
    for words in ((), ("--original", "people.csv", *TOWN_FILE)):
        assert files("audit", "release", *words).code == 0
    line = one_line(files("audit", "release", "--original", "people.csv"))
    assert "'town' was published with a hierarchy from a file" in line and "--hierarchy town=FILE" in line
    assert (files.directory / "release" / "report.html").exists()


def test_the_loss_is_recorded_and_not_measured_from_the_file_alone(files: Shell) -> None:
    assert files("anonymize", "people.csv", *BASE, *KINDS).code == 0
    recorded = json.loads(files("measure", "release", "--json").out)
    # Groups lose, as shares of the whole table's: ages by standardised squares, education 2 of ranks' 6, towns and jobs by distance.
    assert 0 < recorded["information_loss"] < 1
    assert json.loads(files("measure", "release", "--original", "people.csv", *TOWN_FILE, "--json").out) == {}
    line = one_line(files("measure", "release", "--original", "people.csv", *TOWN_FILE, "--metric", "information_loss"))
    assert "the record-to-group mapping" in line


def test_a_tampered_value_fails_the_audit(files: Shell) -> None:
    assert files("anonymize", "people.csv", *BASE, *KINDS).code == 0
    place = files.directory / "release" / "microdata.csv"
    place.write_text(place.read_text().replace("South", "Paris"))
    assert files("audit", "release", "--original", "people.csv", *TOWN_FILE).code == 3


def test_ordinal_numbers_are_published_as_one_of_them(files: Shell) -> None:
    files.file("grades.csv", "grade\n1\n2\n90\n3\n")
    assert files("anonymize", "grades.csv", *BASE, "--ordinal", "grade").code == 0
    assert set(pl.read_csv(files.directory / "release" / "microdata.csv")["grade"]) == {2.0}


def test_columns_may_be_numbered_and_owners_named(files: Shell) -> None:
    files.file("owned.csv", "who,job\n" + "".join(f"p{n // 2},job{n % 3}\n" for n in range(16)))
    assert files("anonymize", "owned.csv", *BASE, "--user", "who", "--nominal", "2").code == 0
    answer = files("audit", "release", "--original", "owned.csv")
    assert answer.code == 0, answer


def test_python_takes_the_same_names() -> None:
    frame = pl.DataFrame({"age": [1.0, 2, 3, 50, 51, 52], "job": ["a", "a", "b", "c", "c", "a"]})
    found = anonymize(frame, "mdav", k=3, nominal="job").to_polars()
    assert Counter(found["job"].to_list()) == {"a": 3, "c": 3}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--nominal", "job"), "columns 2, 3 of"),
        (("--nominal", "education,town,job,nothing"), "no column 'nothing'"),
        (("--nominal", "education,town", "--keep-column", "job", "--ordinal", "job"), "named twice"),
        (("--nominal", "education,town,job", "--ordinal", "job"), "named twice"),
        (("--nominal", "town,job", "--ordinal", "education"), "not a number in column 'education'"),
        (("--nominal", "town,job", "--ordinal", "education=low|high"), "not a level in column 'education'"),
        (("--nominal", "town,job", "--ordinal", "education=low|low"), "two or more different texts"),
        (("--nominal", "education,job", "--hierarchy", "town"), "has no hierarchy"),
        (("--nominal", "education,job", "--hierarchy", "town=absent.csv"), "absent.csv"),
        (("--nominal", "education,town", "--hierarchy", "job=towns.csv"), "not in the hierarchy in column 'job'"),
    ],
)
def test_what_is_unclear_is_refused_in_one_line(files: Shell, words: tuple[str, ...], said: str) -> None:
    line = one_line(files("anonymize", "people.csv", *BASE, *words))
    assert said in line
    assert "baker" not in line
    assert "smith" not in line


def test_missing_values_are_refused_with_their_lines(files: Shell) -> None:
    files.file("holes.csv", "age,job\n1,baker\n2,\n3,clerk\n,clerk\n")
    line = one_line(files("anonymize", "holes.csv", *BASE, "--nominal", "job"))
    assert "missing in column 'job'" in line
    assert "missing in column 'age'" in line


def test_kinds_of_columns_are_for_microdata(files: Shell) -> None:
    for option in ("--nominal", "--ordinal", "--hierarchy"):
        line = one_line(files("anonymize", "people.csv", "--format", "table", option, "job=x", "--out", "release"))
        assert f"{option} is for microdata" in line
