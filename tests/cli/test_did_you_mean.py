"""A name that is nearly right is refused with the one that was probably meant, wherever names come from a closed set; and short options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.cli import FOOD, Shell, baskets, one_line
from shoal.util.wording import nearest

SALES = "customer,item\n" + "".join(f"{n},{item}\n" for n in range(6) for item in ("Apple", "Beef"))
RUN = ("anonymize", "sales.csv", "--out", "r")


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    made = Shell(tmp_path, capsys)
    made.file("food.csv", FOOD)
    made.file("sales.csv", SALES)
    made.file("baskets.txt", baskets())
    return made


MISTYPED = {
    "method": ([*RUN, "--method", "shoul"], "did you mean shoal?"),
    "option": ([*RUN, "--taxonmy", "food.csv"], "did you mean '--taxonomy'?"),
    "option of the method": ([*RUN, "--efort", "fast"], "did you mean '--effort'?"),
    "value of an option": ([*RUN, "--per", "sesion"], "did you mean 'session'?"),
    "value of a method's option": ([*RUN, "--effort", "balancd"], "did you mean balanced?"),
    "column": ([*RUN, "--user", "custmer", "--item", "item"], "did you mean 'customer'?"),
    "format": ([*RUN, "--format", "tabel"], "did you mean 'table'?"),
    "output format": ([*RUN, "--to", "xslx"], "did you mean 'xlsx'?"),
    "taxonomy": ([*RUN, "--taxonomy", "wordnt"], "did you mean wordnet?"),
    "node": (["taxonomy", "show", "food.csv", "Friut"], "did you mean 'Fruit'?"),
    "model": (["audit", "sales.csv", "--claim", "k-anonimity(k=3)"], "did you mean k-anonymity?"),
    "parameter of a model": (["audit", "sales.csv", "--claim", "k-anonymity(kk=3)"], "did you mean k?"),
    "metric": (["measure", "sales.csv", "--original", "sales.csv", "-m", "los"], "did you mean loss?"),
    "command": (["anonimize"], "did you mean 'anonymize'?"),
    "command of taxonomy": (["taxonomy", "chek"], "did you mean 'check'?"),
    "name in a listing": (["methods", "partion"], "did you mean partition?"),
}


@pytest.mark.parametrize("what", MISTYPED)
def test_what_was_meant_is_said(shell: Shell, what: str):
    words, hint = MISTYPED[what]
    line = one_line(shell(*words))
    assert hint in line
    assert line.lower().count("did you mean") == 1


def test_nothing_is_suggested_for_what_is_like_nothing(shell: Shell):
    assert "did you mean" not in one_line(shell(*RUN, "--method", "zzz"))


def test_a_first_line_that_may_be_data_is_not_quoted(shell: Shell):
    shell.file("bare.csv", "ann,Apple\nbob,Beef\nann,Milk\n")
    line = one_line(shell("anonymize", "bare.csv", "--user", "anne", "--item", "thing", "--out", "r"))
    assert "did you mean" not in line
    assert "'ann'" not in line


def test_names_are_alike_whatever_their_capitals_and_dashes():
    assert nearest("Node_Loss", ["k", "node-loss", "user"]) == "node-loss"
    assert nearest("--k", ["seed"]) == ""


def test_k_has_a_short_option(shell: Shell):
    assert shell("anonymize", "baskets.txt", "--taxonomy", "food.csv", "-k", "3", "-o", "one").code == 0
    assert shell("anonymize", "baskets.txt", "--taxonomy", "food.csv", "-k4", "-m", "partition", "-o", "two").code == 0
    assert [json.loads(Path(out, "manifest.json").read_text())["parameters"]["k"] for out in ("one", "two")] == [3, 4]
    assert shell("bound", "baskets.txt", "--taxonomy", "food.csv", "-k", "3").code == 0
    assert "-k, --k" in shell("anonymize", "--help").out


def test_the_bound_is_measured_for_the_k_of_the_release(shell: Shell):
    shell("anonymize", "baskets.txt", "--taxonomy", "food.csv", "-k", "3", "--bound", "-o", "release")
    recorded = json.loads(Path("release/manifest.json").read_text())["metrics"]["bound"]
    answer = shell("measure", "release", "--original", "baskets.txt", "--taxonomy", "food.csv", "-m", "bound", "--json")
    assert answer.code == 0, answer
    assert json.loads(answer.out)["bound"] == pytest.approx(recorded)
    words = ["measure", "release/records.parquet", "--original", "baskets.txt", "--taxonomy", "food.csv", "-m", "bound"]
    assert "nothing is claimed of these records" in one_line(shell(*words))
