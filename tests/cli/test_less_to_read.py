"""What is printed by default is short: a verdict, what is left, the risk, warnings; -v shows the rest. Nothing that fails is left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import shoal
from helpers.cli import ITEMS, Shell, baskets, one_line
from shoal.cli import main, print_result, screen
from shoal.cli.compare import group_warnings
from shoal.evaluate.advise.goals import GOALS
from shoal.evaluate.compare.grid import Cell, ComparisonRequest, concerning
from shoal.methods import METHODS
from shoal.methods.bases.families import FAMILIES
from shoal.report.summary import SummaryShare

MOST_LINES = 12
TAXONOMY = ("--taxonomy", "food.csv")


@pytest.fixture(autouse=True)
def no_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOAL_ADVICE", "0")


# -- anonymize


def test_a_release_is_told_in_twelve_lines(kitchen: Shell) -> None:
    made = kitchen("anonymize", "baskets.txt", *TAXONOMY, "--k", "3", "--out", "short")
    lines = made.out.splitlines()
    assert len(lines) + len(made.err.splitlines()) <= MOST_LINES
    assert lines[0] == "short: verified and written"
    shown = dict(line.split(maxsplit=1) for line in lines[1:])
    assert shown["guarantee"].startswith("k-anonymity(k=3) verified")
    assert shown["utility"].startswith("[") and "% as typed" in shown["utility"]
    assert "--attack" in shown["risk"]
    assert shown["report"].startswith("short/report.html (-v shows")
    whole = kitchen("anonymize", "baskets.txt", *TAXONOMY, "--k", "3", "--out", "whole", "-v").out
    assert "occurrences" in whole and "occurrences" not in made.out
    assert whole.startswith("whole: verified and written")


def test_the_risk_is_told_where_the_release_was_attacked(kitchen: Shell) -> None:
    made = kitchen("anonymize", "baskets.txt", *TAXONOMY, "--k", "3", "--out", "tried", "--attack", "known-items", "--control", "0")
    told = json.loads((kitchen.directory / "tried" / "manifest.json").read_text())
    worst = max(one["success"] for one in told["attacks"]["outcomes"] if one["subject"] == "release")
    (risk,) = [line for line in made.out.splitlines() if line.startswith("risk")]
    assert "an attacker who knows 4 random items" in risk
    assert worst <= 1 / 3
    assert len(made.out.splitlines()) <= MOST_LINES


def test_the_bar_is_as_long_as_its_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = (("as typed", 1, "same"), ("as categories", 1, "changed"), ("suppressed", 2, "gone0"))
    shares = [SummaryShare(name, n, 4, tone) for name, n, tone in parts]
    assert print_result.utility_bar(shares) == "[███▒▒▒      ] 25.0% as typed, 25.0% as categories, 50.0% suppressed"
    monkeypatch.setattr(screen, "prints", lambda text: False)
    assert print_result.utility_bar(shares).startswith("[###---      ] ")


def test_json_is_the_manifest_with_and_without_v(kitchen: Shell) -> None:
    for more in ((), ("-v",)):
        made = kitchen("anonymize", "baskets.txt", *TAXONOMY, "--k", "3", "--out", "json", "--force", "--json", *more)
        assert json.loads(made.out) == json.loads((kitchen.directory / "json" / "manifest.json").read_text())


def test_warnings_of_compared_releases_are_gathered() -> None:
    found = "most people can be found: {} of 100 by four items"
    one = ("mask, per user", "every record is unique")
    told = group_warnings(
        [("km, per user", found.format(80)), one, ("km, per event", found.format(95)), ("local, per user", found.format(70))]
    )
    assert told == [
        "km, per user and 2 other releases, which the report names: most people can be found: 80 of 100 by four items",
        "mask, per user: every record is unique",
    ]


# -- audit


def test_an_audit_has_a_line_for_what_files_cannot_prove(kitchen: Shell) -> None:
    short, whole = kitchen("audit", "release"), kitchen("audit", "release", "-v")
    told = json.loads(kitchen("audit", "release", "--json").out)
    beyond = sum(state == "not verifiable" for state in told["manifest"].values()) + len(told["not_checked"])
    assert f"{beyond} statements cannot be verified from the files: -v lists them" in short.out
    assert "not verifiable: " in whole.out and "not verifiable: " not in short.out
    assert len(short.out.splitlines()) <= MOST_LINES
    assert all(check["model"] in whole.out for check in told["checks"])


def test_a_failing_audit_names_each_failed_check(kitchen: Shell) -> None:
    with (kitchen.directory / "release" / "records.csv").open("a") as file:
        file.write("99,Apple\n")
    told = json.loads(kitchen("audit", "release", "--json").out)
    answer = kitchen("audit", "release")
    assert answer.code == 3
    failing = [check for check in (*told["claims"], *told["checks"]) if not check["holds"]]
    assert len(failing) > 1
    for check in failing:
        assert f"{check['model']}  " in answer.out or f"{check['model']} " in answer.out
        assert any(witness[:30] in " ".join(answer.out.split()) for witness in check["witnesses"])


# -- warnings about a release, by their codes


class Warned(shoal.Events):
    """The codes of the warnings about a release."""

    def __init__(self) -> None:
        self.codes: list[str] = []

    def warn(self, line: str) -> None:
        if code := getattr(line, "code", ""):
            self.codes.append(code)


GOODS = {"Goods": {name: [f"{name}{n}" for n in range(30)] for name in ("a", "b")}}
UNLIKE = [[*(f"thing{n}" for n in range(first, first + 2 + first % 2)), "all"] for first in range(12)]
CASES: dict[str, tuple[Any, dict[str, Any], set[str]]] = {
    "groups": ([["Apple", "Milk"]] * 6, {"format": "transactions", "k": 2, "taxonomy": {"Food": ["Apple", "Milk"]}}, set()),
    "near the root": ([[f"a{n}"] for n in range(30)], {"k": 5, "taxonomy": GOODS}, {"general-items", "few-words-as-typed"}),
    "unique": (UNLIKE, {"method": "suppress-control", "sensitive": ["all"], "rho": 0.99}, {"unique-records", "single-person-words"}),
    "rare words": (UNLIKE, {"method": "disassociation", "k": 3, "rare_words": "publish"}, {"rare-words"}),
    "counts": ({"user": [*range(9)], "query": ["rain"] * 9}, {"method": "dp-queries", "epsilon": 0.5}, {"few-rows"}),
    "rows": (
        {"user": [*range(400)], "query": ["rain", "rain", *(f"rain {n}" for n in range(398))]},
        {"method": "threshold", "k": 2},
        {"few-published"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_release_is_warned_of_by_code(case: str) -> None:
    data, options, codes = CASES[case]
    seen = Warned()
    result = shoal.anonymize(data, events=seen, **options)
    assert {warning.code for warning in result.warnings} >= codes
    assert seen.codes == [warning.code for warning in result.warnings]
    assert bool(codes) == bool(seen.codes)


def test_warnings_are_on_the_terminal_and_do_not_break_json(shell: Shell) -> None:
    shell.file("log.csv", "user,query\n" + "".join(f"{n},rain\n" for n in range(9)))
    words = ("anonymize", "log.csv", "--method", "dp-queries", "--epsilon", "0.5", "--delta", "1e-9")
    assert "WARNING: almost nothing is published: 0 rows." in shell(*words, "--out", "one").out
    told = shell(*words, "--out", "two", "--json")
    assert "WARNING: almost nothing is published: 0 rows." in told.err
    json.loads(told.out)


# -- listings and help


def test_methods_are_listed_by_what_an_attacker_may_know(shell: Shell) -> None:
    lines = shell("methods").out.splitlines()
    headings = [line for line in lines if any(line.startswith(f"{family.title}: ") for family in FAMILIES)]
    assert len(headings) > 5
    below = {line.split()[0]: heading for heading in headings for line in lines[lines.index(heading) + 1 :] if line.startswith("  ")}
    for name, method in METHODS.items():
        assert ("Without a guarantee" in below[name]) == method.guarantees_nothing
    listed = json.loads(shell("methods", "--json").out)
    assert set(listed) == set(METHODS) and set(listed["clump"]) == {"summary", "paper", "parameters"}


def test_help_leads_by_goal(shell: Shell) -> None:
    assert list(main.GOALS) == list(GOALS)
    told = shell().out
    assert told.index("Goals (`shoal advise FILE --for GOAL`") < told.index("Start:") < told.index("Options:")
    for goal, wish in main.GOALS.items():
        assert f"  {goal} " in told and wish in told


# -- small things


def test_commands_in_a_report_are_code(kitchen: Shell) -> None:
    page = (kitchen.directory / "release" / "report.html").read_text()
    assert "<code>shoal attack</code>" in page
    assert "`" not in page[page.index("<body") :]


def test_a_floor_below_all_levels_says_how_many_there_are(kitchen: Shell) -> None:
    line = one_line(kitchen("anonymize", "baskets.txt", *TAXONOMY, "--k", "3", "--floor", "99", "--out", "x"))
    assert "the taxonomy has 3 levels" in line
    with pytest.raises(shoal.ParameterError) as raised:
        shoal.anonymize([["Apple"], ["Apple"]], k=2, taxonomy={"Food": ["Apple"]}, floor=99)
    assert (raised.value.code, raised.value.facts["limit"]) == ("out-of-range", 2)


def test_a_wrong_original_is_noticed(kitchen: Shell) -> None:
    kitchen.file("other.txt", baskets(25, seed=9))
    answer = kitchen("attack", "other.txt", "release", *TAXONOMY, "--control", "0")
    assert answer.code == 1
    assert "the release was not made from this original" in answer.err
    with pytest.raises(shoal.InputError) as raised:
        shoal.attack("other.txt", "release", taxonomy="food.csv", control=0)
    assert raised.value.code == "release-not-of-original"
    assert kitchen("anonymize", "baskets.txt", *TAXONOMY, "--k", "3", "--out", "plain").code == 0
    kitchen.file("one.txt", "\n".join(ITEMS) + "\n")
    found = shoal.attack("one.txt", "plain/records.parquet", "known-items", taxonomy="food.csv", control=0, format="transactions")
    assert [getattr(warning, "code", "") for warning in found.alarms][:1] == ["other-original"]
    right = shoal.attack("baskets.txt", "plain/records.parquet", "known-items", taxonomy="food.csv", control=0, format="transactions")
    assert "other-original" not in [getattr(warning, "code", "") for warning in right.alarms]


def test_records_of_a_column_are_not_called_users() -> None:
    asked = ComparisonRequest().about({"record": "basket"})
    assert asked.per == ("record",)
    assert ComparisonRequest(per=("event",)).about({"record": "basket"}).per == ("event",)
    assert "per" not in concerning(Cell("shoal", (("k", 2),), "record"), {"record": "basket"})


def test_results_have_a_view_for_notebooks_that_is_escaped(tmp_path: Path) -> None:
    evil = "<img src=x>"
    data, goods = [["Apple", evil]] * 6, {"Food": ["Apple", evil]}
    shoal.anonymize(data, k=2, taxonomy=goods, format="transactions").write(tmp_path / "release")
    table = {"user": [1, 2], evil: ["a", "b"]}
    results = [
        shoal.look(table, user="user", item=evil, taxonomy="none"),
        shoal.attack(data, tmp_path / "release", "known-items", control=0, taxonomy=goods, format="transactions"),
        shoal.audit(tmp_path / "release"),
    ]
    pages = [result._repr_html_() for result in results]
    assert all(page.startswith("<div>") and "<img" not in page and "<script" not in page for page in pages)
    assert "&lt;img" in pages[0]
    assert "measured risk" in pages[1]
    assert "k-anonymity(k=2)" in pages[2] and "passes" in pages[2]
