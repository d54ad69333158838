"""shoal advise: the data in words, routes with complete commands, and nothing offered that lets people be found."""

from __future__ import annotations

import json
import random
import shlex
from pathlib import Path
from typing import Any

import pytest

import shoal
from helpers.accesslog import line
from helpers.cli import Shell, failed
from shoal.attacks.outcome import wilson
from shoal.errors import ParameterError
from shoal.evaluate.advise.advise import MeasuredRoute
from shoal.evaluate.advise.forecast import Measured
from shoal.evaluate.advise.goals import GOALS, DataFacts, fitting_goals
from shoal.evaluate.advise.routes import CANDIDATES, CONDITIONS, candidates_for
from shoal.methods import METHODS

FOOD = '{"Food": {"Fruit": ["apple", "pear", "plum"], "Drink": ["milk", "beer", "wine"]}}'
LOG_LINE = '192.0.2.{visitor} - - [{day:02}/May/2015:10:{minute:02}:03 +0000] "GET /{page}.html HTTP/1.1" 200 512 "-" "Mozilla/5.0"\n'


@pytest.fixture
def data(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A small file of every shape."""
    monkeypatch.chdir(shell.directory)
    rng = random.Random(1)
    items = ["apple", "pear", "plum", "milk", "beer", "wine"]
    shell.file("food.json", FOOD)
    shell.file("baskets.txt", "".join(",".join(rng.sample(items, rng.randint(2, 3))) + "\n" for _ in range(80)))
    shell.file("log.tsv", "AnonID\tQuery\tQueryTime\n" + "".join(_queries(rng)))
    visits = [(visitor, rng.randint(1, 3), rng.randint(0, 59), rng.choice("abc")) for visitor in range(1, 41) for _ in range(4)]
    shell.file("access.log", "".join(LOG_LINE.format(visitor=v, day=d, minute=m, page=p) for v, d, m, p in visits))
    shell.file("people.csv", "age,income\n" + "".join(f"{rng.randint(20, 70)},{rng.randint(1, 90) * 1000}\n" for _ in range(60)))
    texts = [{"text": f"The {rng.choice(['dog', 'cat'])} eats {rng.choice(['bread', 'cheese'])} near the river"} for _ in range(20)]
    shell.file("texts.jsonl", "".join(json.dumps(text) + "\n" for text in texts))
    return shell


def _queries(rng: random.Random) -> list[str]:
    words = ["dog food", "cheap flights", "river map", "violin"]
    return [
        f"{person}\t{rng.choice(words)}\t2006-03-{rng.randint(1, 28):02} {hour:02}:17:12\n" for person in range(40) for hour in range(4)
    ]


def advised(shell: Shell, *words: str) -> dict[str, Any]:
    answer = shell("advise", *words, "--seconds", "60", "--json")
    assert answer.code == 0, answer.everything
    found: dict[str, Any] = json.loads(answer.out)
    return found


@pytest.mark.parametrize(
    ("file", "words", "goals"),
    [
        ("baskets.txt", "80 baskets", ["baskets", "counts"]),
        ("log.tsv", "a log of 160 queries by 40 people, with times", ["queries", "histories", "counts"]),
        ("access.log", "an access log with 160 requests by 40 visitors", ["log", "histories"]),
        ("people.csv", "a table of 60 rows, each about one person, with 2 columns", ["table"]),
        ("texts.jsonl", "20 documents", ["documents"]),
    ],
)
def test_data_is_told_in_words_and_leads_to_its_goals(data: Shell, file: str, words: str, goals: list[str]) -> None:
    found = advised(data, file)
    assert words in found["data"]["words"]
    assert [goal["goal"] for goal in found["goals"]] == goals
    assert all(len(goal["routes"]) <= 3 for goal in found["goals"])


@pytest.mark.parametrize(
    ("file", "goal", "more"),
    [
        ("baskets.txt", "baskets", ["--taxonomy", "food.json"]),
        ("log.tsv", "queries", []),
        ("log.tsv", "histories", []),
        ("access.log", "log", []),
        ("people.csv", "table", []),
        ("texts.jsonl", "documents", []),
    ],
)
def test_every_offered_command_makes_the_release_that_was_measured(data: Shell, file: str, goal: str, more: list[str]) -> None:
    found = advised(data, file, "--for", goal, *more)
    (one,) = found["goals"]
    assert one["routes"], one
    for route in one["routes"]:
        words = shlex.split(route["command"])
        made = data(*words[1:], "--force")
        assert made.code == 0, (words, made.everything)
        assert route["protects"] and route["does_not_protect"] and route["seconds"] > 0
        assert route["measured_on"]["whole"], "so few people are all measured"
        metrics = json.loads(Path("release/manifest.json").read_text())["metrics"]
        if goal == "table":
            assert route["kept"] == pytest.approx(1 - metrics["information_loss"], abs=1e-6)
            assert route["attacker"] == "knows all quasi-identifiers of a person"
            attacked = json.loads(data("attack", file, "release", "--json").out)["attacks"]
            linked = [one["success"][0] for one in attacked if one["subject"] == "release" and one["test"] == "linking"]
            assert route["risk"] == pytest.approx(max(linked)) and 0 < route["risk"] <= 1 / 3


def test_routes_are_ranked_by_what_they_keep_and_none_is_above_the_limit(data: Shell) -> None:
    (one,) = advised(data, "baskets.txt", "--for", "baskets", "--taxonomy", "food.json", "--k", "4")["goals"]
    kept = [route["kept"] for route in one["routes"] if route["risk"] is not None]
    assert kept == sorted(kept, reverse=True)
    assert all(route["risk"] <= 1 / 4 + 1e-9 for route in one["routes"] if route["risk"] is not None)
    assert all("why_not" in route for route in one["not_offered"])


def test_a_route_in_which_people_are_found_is_named_with_its_risk_and_not_offered(data: Shell) -> None:
    """Every item is held by many, so one known item finds nobody; four items find nearly everybody."""
    rng = random.Random(3)
    names = [f"item{n}" for n in range(24)]
    data.file("unique.txt", "".join(",".join(sorted(rng.sample(names, 6))) + "\n" for _ in range(200)))
    (one,) = advised(data, "unique.txt", "--format", "transactions", "--for", "baskets")["goals"]
    risky = [route for route in one["not_offered"] if route["settings"].get("p") == "1"]
    assert risky and risky[0]["risk"] > 0.2, one
    assert "finds" in risky[0]["why_not"]
    assert not [route for route in one["routes"] if route["settings"].get("p") == "1"]


def test_the_terminal_shows_the_best_route_of_each_goal(data: Shell) -> None:
    answer = data("advise", "log.tsv", "--seconds", "60")
    assert answer.code == 0, answer.everything
    assert answer.out.count("  1. shoal anonymize log.tsv") == 3
    assert "  2. " not in answer.out
    for word in ("protects", "limits", "keeps", "risk", "time"):
        assert word in answer.out


def test_python_gives_the_same_as_data(data: Shell) -> None:
    told = advised(data, "people.csv", "--for", "table")
    found = shoal.advise("people.csv", "table", seconds=60).as_dict()
    assert found["data"] == told["data"]
    for mine, theirs in zip(found["goals"][0]["routes"], told["goals"][0]["routes"], strict=True):
        assert {**theirs, **mine, "seconds": 0} == {**theirs, "seconds": 0}


def test_a_goal_that_is_unknown_or_not_for_this_data(data: Shell) -> None:
    with pytest.raises(ParameterError) as unknown:
        shoal.advise("people.csv", "tabel")
    assert unknown.value.code == "unknown-choice"
    with pytest.raises(ParameterError) as foreign:
        shoal.advise("people.csv", "queries")
    assert foreign.value.code == "goal-not-applicable"
    answer = data("advise", "people.csv", "--for", "tabel")
    assert answer.code == 1 and "table" in answer.err


def test_an_audit_is_a_command_of_its_own(data: Shell) -> None:
    answer = data("advise", "baskets.txt", "--for", "audit")
    assert answer.code == 0, answer.everything
    assert "shoal audit baskets.txt" in answer.out


def test_what_can_be_read_once_is_refused(data: Shell) -> None:
    answer = data("advise", "-")
    assert answer.code == 1 and "only once" in answer.err


# -- the table of decisions


def test_the_table_names_what_exists() -> None:
    for one in CANDIDATES:
        assert one.goal in GOALS
        assert set(one.needs) <= set(CONDITIONS)
        METHODS[one.method](**{name: int(value) if value.isdigit() else value for name, value in one.settings.items()})


def test_every_goal_but_audit_has_a_candidate_for_every_format_it_fits() -> None:
    for goal in GOALS.values():
        for format in goal.formats if goal.name != "audit" else ():
            texts = format in ("querylog", "prompts", "documents")
            facts = DataFacts(format, 10, 10, 10, timed=True, texts=texts)
            assert goal in fitting_goals(facts)
            assert candidates_for(goal.name, facts), (goal.name, format)


def test_topics_are_tried_unless_a_taxonomy_is_given(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that no general taxonomy knows, in two topics."""
    monkeypatch.chdir(shell.directory)
    rng = random.Random(4)
    topics = [["zqabba", "zqbeatles", "zqcream", "zqdoors"], ["zqford", "zqfiat", "zqskoda", "zqvolvo"]]
    rows = [f"{n}\t{' '.join(rng.sample(topics[n % 2], 2))}\t2006-03-0{day} 10:17:12\n" for n in range(60) for day in (1, 2)]
    shell.file("log.tsv", "AnonID\tQuery\tQueryTime\n" + "".join(rows))
    goal = advised(shell, "log.tsv", "--for", "histories", "--k", "3")["goals"][0]
    tried = [one for one in (*goal["routes"], *goal["not_offered"]) if one["method"] == "shoal"]
    by_taxonomy = {one["options"].get("taxonomy"): one for one in tried if "per" not in one["options"]}
    assert set(by_taxonomy) == {"topics+wordnet", None}
    assert by_taxonomy["topics+wordnet"]["kept"] > 0
    assert by_taxonomy[None]["kept"] is None  # WordNet knows none of the words
    facts = DataFacts("querylog", 60, 120, 8, timed=True, texts=True)
    assert not any("taxonomy" in one.options for one in candidates_for("histories", facts, taxonomy_chosen=True))
    assert any("taxonomy" in one.options for one in candidates_for("histories", facts))


# -- levels of a product table


def test_the_level_of_a_product_table_is_proposed(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """600 products that hardly anybody shares, of six types that all buy: their numbers are hopeless, their types are not."""
    monkeypatch.chdir(shell.directory)
    rng = random.Random(1)
    rows = [f"{who},{rng.randrange(6) * 100 + rng.randrange(100)}" for who in range(300) for _ in range(2)]
    shell.file("sales.csv", "\n".join(["customer,item", *rows]) + "\n")
    goods = [f"{n},thing {n},type {n // 100},{'food' if n < 300 else 'home'}" for n in range(600)]
    shell.file("goods.csv", "\n".join(["item,name,type,department", *goods]) + "\n")
    found = advised(shell, "sales.csv", "--items-table", "goods.csv", "--for", "baskets")
    best = found["goals"][0]["routes"][0]
    assert best["item_level"] == "type"
    assert "--items-table goods.csv --item-level type" in best["command"]
    made = shell(*shlex.split(best["command"])[1:])
    assert made.code == 0, made.err
    metrics = json.loads(Path("release/manifest.json").read_text())["metrics"]
    assert best["kept"] == pytest.approx(metrics["kept"], abs=1e-6)
    given = advised(shell, "sales.csv", "--items-table", "goods.csv", "--item-level", "department", "--for", "baskets")
    assert {route["item_level"] for route in given["goals"][0]["routes"]} == {"department"}
    assert "with a product table" in shell("advise", "sales.csv", "--for", "counts", "--seconds", "1").out


def test_masking_is_named_last_with_its_measured_risk(data: Shell) -> None:
    """Every visitor of this log is alone in a network, so four pages that nobody else requested find the visitor."""
    lines = [line(f"10.{n}.0.1", request=f"GET /page{4 * n + page}?q=x HTTP/1.1") for n in range(20) for page in range(4)]
    data.file("alone.log", "".join(lines))
    text = data("advise", "alone.log", "--for", "log", "--k", "2").out
    assert text.index("WITHOUT A GUARANTEE: shoal mask alone.log --out masked.log") > text.index("log: publish an access log")
    found = advised(data, "alone.log", "--for", "log", "--k", "2")["goals"][0]["without_guarantee"]
    assert found["risk"] == 1.0
    assert found["no_guarantee"].startswith("Nothing is guaranteed.")
    assert data(*shlex.split(found["command"])[1:]).code == 0
    together = [line(f"10.{n}.0.1", request=f"GET /page{page} HTTP/1.1") for n in range(20) for page in range(4)]
    data.file("together.log", "".join(together))
    assert advised(data, "together.log", "--for", "log", "--k", "2")["goals"][0]["without_guarantee"]["risk"] == pytest.approx(1 / 20)


def test_the_goal_says_that_a_file_with_dates_is_a_table_of_people(data: Shell) -> None:
    rows = "".join(f"Ann,19{year}-03-04,{year * 1000}\n" for year in range(50, 90))
    data.file("mixed.csv", "name,born,income\n" + rows)
    failed(data("advise", "mixed.csv"), "unrecognized-input")
    failed(data("advise", "mixed.csv", "--for", "table"), "column-role-missing", columns=["1", "2"])
    [goal] = advised(data, "mixed.csv", "--for", "table", "--drop-column", "name,born")["goals"]
    assert [route["method"] for route in goal["routes"]] == ["microaggregation", "mdav"]


def test_a_risk_that_one_sample_does_not_show_is_not_said_to_be_high() -> None:
    def route(samples: int, risk: float) -> MeasuredRoute:
        found = Measured(
            1.0, kept=0.5, expected_kept=0.5, risk=wilson(risk * 200, 200), expected=0.9, samples=samples, people=250 * samples
        )
        return MeasuredRoute(CANDIDATES[0], {}, {}, found, limit=0.2)

    once, twice, risky = route(1, 0.1), route(2, 0.1), route(1, 0.5)
    assert once.late and "90.0%" not in once.why_not
    assert not twice.late and "90.0%" in twice.why_not
    assert not risky.late and "90.0%" in risky.why_not
    assert not (once.offered or twice.offered or risky.offered)


def test_texts_name_the_number_of_people() -> None:
    found = Measured(1.0, kept=0.5, expected_kept=0.5, risk=wilson(199.99, 200), expected=0.9999, samples=2, people=500)
    by_topics = next(one for one in CANDIDATES if one.options.get("taxonomy") == "topics")
    route = MeasuredRoute(by_topics, {}, {}, found, limit=1 / 3)
    assert "among at least 3 people" in route.protects and "at least 6 people" in route.open
    assert "finds >99.9% of the people, more than 1 in 3" in route.why_not


def test_routes_without_time_are_counted_and_more_seconds_proposed(data: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.evaluate.advise.advise.FIRST_ROUND", 0.0)
    monkeypatch.setattr("shoal.evaluate.advise.advise.TWICE", 0)
    monkeypatch.setattr("shoal.evaluate.advise.advise.MOST_ROUTES", 0)
    answer = data("advise", "people.csv", "--seconds", "30")
    assert answer.code == 0, answer.everything
    assert "no route can be recommended" in answer.out
    assert "not offered: microaggregation, mdav: " in answer.out  # one line for one reason
    assert answer.out.rstrip().endswith("2 routes could not be measured well enough in 30 seconds; --seconds 90 gives more time")
    assert "could not be tried" not in data("advise", "people.csv", "--for", "audit").out


def test_records_of_a_column_are_protected_one_by_one_and_a_history_has_none(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shell.directory)
    rows = [(person, basket, item) for person in range(30) for basket in "ab" for item in ("milk", "tea")]
    shell.file("sales.csv", "customer,basket,product\n" + "".join(f"{p},{p}{b},{item}\n" for p, b, item in rows))
    found = shell("advise", "sales.csv", "--record", "basket", "--k", "5", "--seconds", "20", "--json")
    assert found.code == 0, found.everything
    goals = {one["goal"]: one for one in json.loads(found.out)["goals"]}
    for route in (*goals["baskets"]["routes"], *goals["baskets"]["not_offered"]):
        assert route["options"]["record"] == "basket"
        assert route["does_not_protect"].endswith("; several records of one person together are not protected")
    histories = (*goals["histories"]["routes"], *goals["histories"]["not_offered"])
    assert histories
    assert not any("record" in route["options"] or "several records" in route["does_not_protect"] for route in histories)
    (counts,) = goals["counts"]["routes"]
    assert "record" not in counts["options"]
    assert "several records" not in counts["does_not_protect"]
