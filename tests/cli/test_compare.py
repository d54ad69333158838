"""shoal compare, as it is typed: what it lays down, and that nothing finished is worked on twice."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from helpers.accesslog import visits
from helpers.cli import FOOD, Shell, baskets

COMPARE = ("compare", "baskets.txt", "--out", "found", "--taxonomy", "food.csv", "--targets", "30", "--jobs", "2")


@pytest.fixture
def shop(shell: Shell) -> Shell:
    shell.file("baskets.txt", baskets())
    shell.file("food.csv", FOOD)
    return shell


def rows(answer: str) -> dict[str, dict]:
    return {f"{row['method']} {row.get('k')} {row.get('p', row.get('m', ''))}".strip(): row for row in json.loads(answer)}


def test_every_method_at_every_setting(shop: Shell):
    answer = shop(*COMPARE, "--methods", "clump,coherence,mdav", "--k", "2,5", "--m", "1", "--json")
    assert answer.code == 0, answer.err
    found = rows(answer.out)
    assert list(found) == ["clump 2", "clump 5", "coherence 2 1", "coherence 5 1", "mdav None"]
    assert "mdav is not compared: it takes a table" in answer.err
    assert "it takes a table" in found["mdav None"]["refused"]
    assert "it takes a table" in (shop.directory / "found" / "comparison.html").read_text()
    for row in list(found.values())[:-1]:
        assert 0 <= row["kept"] <= 1
        assert row["seconds"] > 0
        assert row["peak_mb"] > 1
    assert found["clump 5"]["attack_rate"] <= 1 / 5
    table = pl.read_parquet(shop.directory / "found" / "comparison.parquet")
    assert table["method"].to_list() == [row["method"] for row in found.values()]
    assert table["kept"].to_list() == [row.get("kept") for row in found.values()]
    assert table["refused"].to_list()[-1] == found["mdav None"]["refused"]


def test_a_rate_of_one_person_is_not_told(shop: Shell):
    words = ("compare", "baskets.txt", "--out", "found", "--taxonomy", "food.csv", "--targets", "1", "--methods", "clump", "--k", "2")
    answer = shop(*words)
    assert answer.code == 0, answer.err
    assert "not attacked" in answer.out
    (row,) = json.loads(shop(*words, "--json").out)
    assert "fewer than 10 people" in row["not_attacked"]
    assert not any(name.startswith("attack") for name in row)
    assert "fewer than 10 people" in (shop.directory / "found" / "comparison.html").read_text()


def test_what_is_finished_is_not_worked_on_again(shop: Shell):
    first = shop(*COMPARE, "--methods", "clump", "--k", "2,5", "--json")
    cells = sorted((shop.directory / "found" / "cells").iterdir())
    cells[0].unlink()
    cells[1].write_text("{")  # damaged
    second = shop(*COMPARE, "--methods", "clump", "--k", "2,5,10", "--json")
    assert "3 runs\n" in second.err
    third = shop(*COMPARE, "--methods", "clump", "--k", "2,5,10", "--json")
    assert "3 runs, 3 of them from an earlier comparison\n" in third.err
    assert json.loads(third.out) == json.loads(second.out)
    numbers = [{name: value for name, value in row.items() if name not in {"seconds", "peak_mb"}} for row in json.loads(first.out)]
    again = [{name: value for name, value in row.items() if name not in {"seconds", "peak_mb"}} for row in json.loads(second.out)]
    assert again[:2] == numbers


def test_other_data_is_other_cells(shop: Shell):
    shop(*COMPARE, "--methods", "clump", "--k", "2")
    shop.file("baskets.txt", baskets() + "Apple Milk\n" * 10)
    assert "1 run\n" in shop(*COMPARE, "--methods", "clump", "--k", "2").err


def test_a_comparison_that_was_killed_goes_on(shop: Shell):
    words = [sys.executable, "-m", "shoal", *COMPARE[:-1], "1", "--methods", "clump,partition", "--k", "2,3,4"]
    process = subprocess.Popen(words, cwd=shop.directory, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
    cells = shop.directory / "found" / "cells"
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline and len(list(cells.glob("*.json"))) < 2:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    there = len(list(cells.glob("[!.]*.json")))
    assert there >= 2
    answer = shop(*COMPARE, "--methods", "clump,partition", "--k", "2,3,4", "--json")
    assert answer.code == 0
    assert f" runs, {there} of them from an earlier comparison" in answer.err
    assert "not possible" not in answer.err
    assert not list((shop.directory / "found").glob(".*")), "prepared data was left behind"


def test_a_cell_ends_with_the_process_that_started_it(tmp_path: Path):
    os.mkfifo(tmp_path / "prepared")  # whose reading never ends
    told = json.dumps({"method": "clump", "settings": [["k", 2]], "per": "user", "effort": {}, "threads": 1, "patience": None})
    words = [sys.executable, "-m", "shoal.evaluate.compare.cell", str(tmp_path / "prepared"), told, str(tmp_path / "result")]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
        time.sleep(0.2)
        assert process.poll() is None
        assert process.stdin is not None
        process.stdin.close()  # as when its parent is killed
        try:
            assert process.wait(30) == 1
        finally:
            process.kill()


def test_a_setting_that_cannot_be_is_told(shop: Shell):
    answer = shop(*COMPARE, "--methods", "clump", "--k", "2,5000", "--json")
    assert answer.code == 0
    found = rows(answer.out)
    assert "a group needs 5,000 people" in found["clump 5000"]["refused"]
    assert "1 run not possible" in answer.err
    assert "a group needs 5,000 people" in (shop.directory / "found" / "comparison.html").read_text()


def test_the_commands_and_config_files_of_the_page_make_the_releases_with_those_numbers(shop: Shell):
    words = ("--methods", "clump(r=3),coherence,threshold(unit=query)", "--k", "2", "--m", "2", "--unknown", "drop", "--json")
    found = {row["method"]: row for row in json.loads(shop(*COMPARE, *words).out)}
    page = shop.directory / "found" / "comparison.html"
    commands = commands_in(page)
    assert set(commands) == {"clump k=2 r=3", "coherence k=2 p=2"}
    for at, (name, made) in enumerate(commands.items()):
        typed = [word.replace("RELEASE", f"typed{at}") for word in shlex.split(made["command"])[1:]]
        assert shop(*typed).code == 0
        config = shop.file(f"config{at}.toml", made["config"])
        assert shop("anonymize", "baskets.txt", "--config", config, "--out", f"config{at}").code == 0
        row = found[name.split()[0]]
        for release in (f"typed{at}", f"config{at}"):
            manifest = json.loads((shop.directory / release / "manifest.json").read_text())
            assert [claim["model"] for claim in manifest["claims"]] == row["claims"]
            assert manifest["metrics"]
            for metric, value in manifest["metrics"].items():
                assert row[metric] == value, (name, metric)
    text = page.read_text()
    assert "http" not in re.sub(r"<script[^>]*>.*?</script>", "", text, flags=re.DOTALL).replace("http-equiv", "")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--methods", "guess"), "no method is called 'guess'"),
        (("--methods", ""), "--methods is empty"),
        (("--methods", "mdav"), "nothing is left to compare"),
        (("--k", "two"), "a list of whole numbers"),
        (("--k", "1"), "at least 2"),
        (("--m", "0"), "at least 1"),
        (("--per", "week"), "of user, session, event"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_the_work(shop: Shell, words: tuple[str, ...], told: str):
    answer = shop(*COMPARE, *words)
    assert answer.code == 1
    assert told in answer.err
    assert not (shop.directory / "found").exists()


PEOPLE = "age,income,town\n" + "".join(f"{20 + n % 37},{1000 + 97 * (n * n % 53)},{'ab'[n % 2]}\n" for n in range(60))
GOODS = "child,parent\nmilk,dairy\ncheese,dairy\nbeer,drinks\ntea,drinks\ndairy,all\ndrinks,all\n"
SETS = "age,basket\n" + "".join(f"{20 + n % 9},{('milk|beer', 'cheese|tea', 'milk|tea')[n % 3]}\n" for n in range(40))


def test_methods_for_tables_are_compared_by_the_detail_that_they_keep(shell: Shell):
    shell.file("people.csv", PEOPLE)
    words = ("compare", "people.csv", "--quasi", "age,income", "--keep-column", "town", "--targets", "30", "--out", "found")
    methods = ("--methods", "mdav,microaggregation(effort=fast),mdav(l=2,sensitive=town),shoal,kkm", "--k", "3")
    answer = shell(*words, *methods)
    assert answer.code == 0, answer.err
    assert "detail kept" in answer.out
    assert "as typed" not in answer.out
    assert "shoal is not compared: it takes a bag, but the input is read as a table" in answer.err
    found = json.loads(shell(*words, *methods, "--json").out)
    made = commands_in(shell.directory / "found" / "comparison.html")
    for row, name in zip(found[:3], made, strict=True):
        assert row["attack_rate"] <= 1 / 3 + 1e-9 < row["attack_original"]
        assert {"value_rate", "value_guess", "value_original"} <= row.keys()
        assert shell(*[word.replace("RELEASE", row["method"]) for word in shlex.split(made[name]["command"])[1:]], "--force").code == 0
        manifest = json.loads((shell.directory / row["method"] / "manifest.json").read_text())
        assert row["detail_kept"] == pytest.approx(1 - manifest["metrics"]["information_loss"])
        assert [claim["model"] for claim in manifest["claims"]] == row["claims"]
    page = (shell.directory / "found" / "comparison.html").read_text()
    assert "detail kept (1 - information loss)" in page
    assert "Unchanged columns" in page
    assert "items are published as typed" not in page


def test_tables_with_item_sets_are_compared_by_their_items(shell: Shell):
    shell.file("shop.csv", SETS)
    shell.file("goods.csv", GOODS)
    words = ("compare", "shop.csv", "--quasi", "age", "--item-sets", "basket=goods.csv", "--k", "3", "--m", "1,2", "--targets", "30")
    answer = shell(*words, "--out", "found", "--json")
    assert answer.code == 0, answer.err
    found = json.loads(answer.out)
    assert [(row["method"], row["m"]) for row in found] == [("kkm", 1), ("kkm", 2)]
    assert all(0 <= row["items_kept"] <= 1 and row["attack_rate"] <= row["attack_original"] for row in found)
    assert "items of the sets are published as typed" in (shell.directory / "found" / "comparison.html").read_text()


def test_access_logs_are_compared_by_sessions_and_pages(shell: Shell):
    shell.file("access.log", visits(24, sessions=2))
    words = ("compare", "access.log", "--methods", "shoal,accesslog-mdav,threshold", "--k", "3", "--targets", "24", "--out", "found")
    answer = shell(*words, "--json")
    assert answer.code == 0, answer.err
    found = {row["method"]: row for row in json.loads(answer.out)}
    assert [row["per"] for row in found.values()] == ["session", "user", "user"]
    assert found["accesslog-mdav"]["attack_rate"] <= 1 / 3 + 1e-9
    assert all(0 < row["kept"] <= 1 and "attack_high" in row for row in found.values())
    page = shell.directory / "found" / "comparison.html"
    assert "pages as typed" in page.read_text()
    made = commands_in(page)
    assert "--taxonomy paths --per session" in made["shoal k=3, per session"]["command"]
    assert "--per" not in made["accesslog-mdav k=3, per user"]["command"]
    for at, (name, one) in enumerate(made.items()):
        assert shell(*[word.replace("RELEASE", f"typed{at}") for word in shlex.split(one["command"])[1:]]).code == 0, name
        claims = json.loads((shell.directory / f"typed{at}" / "manifest.json").read_text())["claims"]
        assert [claim["model"] for claim in claims] == found[name.split()[0]]["claims"]
    by_user = json.loads(shell("compare", "access.log", "--methods", "shoal", "--k", "3", "--per", "user", "--out", "users", "--json").out)
    assert by_user[0]["per"] == "user"
    assert "--taxonomy paths --per user" in commands_in(shell.directory / "users" / "comparison.html")["shoal k=3"]["command"]


def test_nothing_raw_is_left_in_the_directory(shop: Shell):
    assert shop(*COMPARE, "--methods", "clump", "--k", "2").code == 0
    for place in Path(shop.directory / "found").rglob("*"):
        assert place.is_dir() or b"Apple" not in place.read_bytes()


def test_all_kinds_stand_in_one_comparison(shop: Shell):
    shop.file("sensitive.txt", "Beef\n")
    assert shop("generate", "log.tsv", "--users", "60", "--seed", "3").code == 0
    methods = "shoal,disassociation,threshold(unit=term),threshold,user-microaggregation,dp-queries(epsilon=20),cahd"
    answer = shop(
        "compare",
        "log.tsv",
        "--out",
        "kinds",
        "--methods",
        methods,
        "--k",
        "2",
        "--m",
        "2",
        "--targets",
        "20",
        "--unknown",
        "drop",
        "--json",
    )
    assert answer.code == 0, answer.err
    found = {row["method"] + row.get("unit", ""): row for row in json.loads(answer.out)}
    kinds = {name: row["kind"] for name, row in found.items() if "kind" in row}
    assert kinds == {
        "shoal": "bags",
        "disassociation": "chunks",
        "thresholdterm": "rows",
        "threshold": "rows",
        "user-microaggregation": "profiles",
        "dp-queries": "counts",
    }
    for name in kinds:
        assert 0 <= found[name]["kept"] <= 1
        assert ("attack_high" in found[name]) != ("not_attacked" in found[name])
    assert "attack_high" in found["shoal"]
    few = found["user-microaggregation"]  # hardly two people of this log asked the same query, so a handful has a history
    assert 60 * few["people_left"] < 10
    assert "fewer than 10 people" in few["not_attacked"]
    assert "sensitive" in found["cahd"]["refused"]
    page = (shop.directory / "kinds" / "comparison.html").read_text()
    assert found["disassociation"]["not_attacked"] in page
    typed = shlex.split(commands_in(shop.directory / "kinds" / "comparison.html")["threshold k=2 unit=term"]["command"])
    assert shop(*typed[1:]).code == 0
    assert (
        json.loads((shop.directory / "RELEASE" / "manifest.json").read_text())["metrics"]["rows_kept"]
        == found["thresholdterm"]["rows_kept"]
    )


def test_parameters_of_a_method_and_files_that_they_name(shop: Shell):
    shop.file("sensitive.txt", "Beef\n")
    words = (*COMPARE, "--methods", "cahd(p=2,sensitive=sensitive.txt),clump(r=3)", "--k", "2", "--json")
    first = shop(*words)
    found = {row["method"]: row for row in json.loads(first.out)}
    assert found["cahd"]["sensitive"] == "sensitive.txt"
    assert 0 < found["cahd"]["kept"] < 1
    assert found["clump"]["r"] == "3"
    shop.file("sensitive.txt", "Milk\n")
    assert "2 runs, 1 of them from an earlier comparison\n" in shop(*words).err, "other sensitive items are another cell"
    shop.file("food.csv", FOOD + "Pear,Fruit\n")
    assert "2 runs\n" in shop(*words).err, "so is another taxonomy of the same name"


def test_options_that_do_not_concern_a_method_are_left_to_the_others(shop: Shell):
    words = (*COMPARE, "--methods", "clump,coherence", "--k", "2", "--m", "1", "--unknown", "drop")
    assert shop(*words).code == 0
    made = commands_in(shop.directory / "found" / "comparison.html")
    assert "--unknown drop" in made["clump k=2"]["command"]
    assert "--unknown" not in made["coherence k=2 p=1"]["command"]


def commands_in(page: Path) -> dict[str, dict[str, str]]:
    return json.loads(re.search(r'<script type="application/json" id="commands">(.*?)</script>', page.read_text()).group(1))
