"""--min-support: items of few people are left out before the method runs, counted, recorded, and left out again by an audit."""

from __future__ import annotations

import json
import random
from collections import Counter
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from helpers.cli import Shell, failed
from shoal.data.min_support import MinSupport
from shoal.errors import ParameterError

ITEMS = [f"item{n:02d}" for n in range(30)]


def drawn(seed: int, people: int = 60) -> list[tuple[str, str]]:
    """Rows of a person and an item; the items have very different numbers of people, and people buy some twice."""
    rng = random.Random(seed)
    return [(f"u{who}", rng.choice(ITEMS[: rng.randint(1, 30)])) for who in range(people) for _ in range(rng.randint(1, 8))]


def written(rows: list[tuple[str, str]]) -> str:
    return "user,item\n" + "".join(f"{who},{item}\n" for who, item in rows)


def manifest_of(shell: Shell, out: str = "release") -> dict[str, Any]:
    told: dict[str, Any] = json.loads((shell.directory / out / "manifest.json").read_text())
    return told


def people_per_item(rows: list[tuple[str, str]]) -> Counter[str]:
    return Counter(item for _, item in set(rows))


@pytest.mark.parametrize(("typed", "seed"), [("7", 1), ("12%", 2), ("11.7%", 3)])
def test_the_same_items_go_as_by_counting_pairs(shell: Shell, typed: str, seed: int) -> None:
    rows = drawn(seed)
    shell.file("sales.csv", written(rows))
    people = len({who for who, _ in rows})
    fewest = int(typed) if typed.isdigit() else ceil(float(typed[:-1]) * people / 100)
    holders = people_per_item(rows)
    stay = {item for item, n in holders.items() if n >= fewest}
    assert 0 < len(stay) < len(holders)
    words = ("--taxonomy", "none", "--min-support", typed)
    found = json.loads(shell("look", "sales.csv", "--json", *words).out)
    assert found["items"] == len(stay)
    assert found["occurrences"] == sum(item in stay for _, item in rows)
    held = len({pair for pair in rows if pair[1] in stay})
    assert found["density"] == held / (people * len(stay))
    made = shell("anonymize", "sales.csv", *words, "--method", "coherence", "--k", "2", "--to", "csv", "--out", "release")
    assert made.code == 0, made.err
    told = manifest_of(shell)
    gone = sum(item not in stay for _, item in rows)
    assert told["accounting"]["words"]["dropped: too few people have the item"] == gone
    assert told["accounting"]["words"]["in"] == len(rows) == gone + told["accounting"]["occurrences"]["in"]
    assert told["input"]["min_support"] == typed
    assert (told["input"]["items"], told["input"]["rare_items"]) == (len(stay), len(holders) - len(stay))
    published = (shell.directory / "release" / "records.csv").read_text()
    assert not any(item in published for item in set(holders) - stay)
    assert shell("audit", "release", "--original", "sales.csv").code == 0


def test_nothing_is_left_out_by_default_or_with_one_person(shell: Shell) -> None:
    shell.file("sales.csv", written(drawn(4)))
    base = ("anonymize", "sales.csv", "--taxonomy", "none", "--method", "coherence", "--k", "2", "--to", "csv")
    assert shell(*base, "--out", "plain").code == 0
    assert shell(*base, "--min-support", "1", "--out", "one").code == 0
    plain, one = manifest_of(shell, "plain"), manifest_of(shell, "one")
    assert plain["accounting"]["occurrences"] == one["accounting"]["occurrences"]
    assert "min_support" not in plain["input"] and one["input"]["rare_items"] == 0


def test_words_of_texts_count_together_whatever_their_case(shell: Shell) -> None:
    rows = [("a", "Boat"), ("b", "boat"), ("c", "BOAT"), ("a", "Cat"), ("b", "cat"), ("c", "dog"), ("c", "Dog")]
    shell.file("log.csv", "user,query\n" + "".join(f"{who},{text}\n" for who, text in rows))
    words = ("--user", "user", "--text", "query", "--min-support", "3")
    found = json.loads(shell("look", "log.csv", "--json", "--show-rare", *words).out)
    assert found["occurrences"] == 3
    assert {item.lower() for example in found["examples"] for item, _ in example} == {"boat"}
    assert any("2 items (4 occurrences) of fewer than 3 people left out" in note for note in found["notes"])


def test_a_wrong_count_of_what_was_left_out_is_noticed(shell: Shell) -> None:
    shell.file("sales.csv", written(drawn(5)))
    words = ("--taxonomy", "none", "--min-support", "10", "--method", "coherence", "--k", "2")
    assert shell("anonymize", "sales.csv", *words, "--out", "release").code == 0
    path = shell.directory / "release" / "manifest.json"
    honest = path.read_text()
    for change in ({"min_support": "9"}, {"rare_items": 0}, {"min_support": None}, {"min_support": "ten"}):
        told = json.loads(honest)
        told["input"] |= change
        told["input"] = {name: value for name, value in told["input"].items() if value is not None}
        path.write_text(json.dumps(told))
        assert shell("audit", "release", "--original", "sales.csv").code != 0, change


@pytest.mark.parametrize(
    "words",
    [("--method", "threshold"), ("--method", "infrequent"), ("--method", "mdav"), ("--method", "dp-queries")],
)
def test_rows_have_no_items_to_leave_out(shell: Shell, words: tuple[str, ...]) -> None:
    shell.file("sales.csv", written(drawn(6)))
    failed(shell("anonymize", "sales.csv", *words, "--min-support", "5", "--out", "release"), "option-not-applicable")


@pytest.mark.parametrize("value", ["0", "0%", "101%", "-1", "0.1", "five", "", "1e3", "٣", "nan%", True, 2.5])
def test_other_values_are_refused(value: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        MinSupport.parse(value)
    assert caught.value.code == "out-of-range"


def test_a_sample_needs_the_same_share() -> None:
    assert MinSupport.parse("50").of_sample(1000).fewest(200) == 10
    assert MinSupport.parse("5%").of_sample(1000).fewest(200) == 10
    assert MinSupport.parse("0.1%").fewest(999) == 1
    assert MinSupport.parse("0.1%").fewest(1001) == 2


def test_the_other_engine_refuses_it(shell: Shell, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    shell.file("sales.csv", written(drawn(7)))
    words = ("--method", "coherence", "--min-support", "5", "--engine", "spark", "--out", "release")
    assert shell("anonymize", "sales.csv", *words).code == 1
