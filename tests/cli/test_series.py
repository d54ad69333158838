"""Releases in series, as typed: what a second release of the same people would tell beside the first is refused, or told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shoal
from helpers.cli import Answer, Shell, failed, one_line
from helpers.errors import refuses
from shoal.errors import InputError

FOOD = "child,parent\nFruit,Food\nDrink,Food\napple,Fruit\npear,Fruit\nmilk,Drink\nbeer,Drink\n"


def log(**asked: str) -> str:
    """A log in which each query, written with _ for blanks, was asked by people named by letters, once a letter."""
    rows = [f"{person},{query.replace('_', ' ')}" for query, people in asked.items() for person in people]
    return "user,query\n" + "\n".join(rows) + "\n"


def released(shell: Shell, content: str, out: str, *options: str) -> Answer:
    place = shell.file(f"{out}.csv", content)
    return shell("anonymize", place, "--method", "infrequent", "--to", "csv", "--out", shell.directory / out, *options)


@pytest.fixture
def first(shell: Shell) -> Path:
    """Three people asked `rain`, three `snow`, two `secret_cure`: with k = 3 the last is not published."""
    assert released(shell, log(rain="abc", snow="abd", secret_cure="ab"), "first", "--k", "3").code == 0
    return shell.directory / "first"


def test_a_query_that_one_person_brings_over_the_threshold_is_refused(shell: Shell, first: Path) -> None:
    """Between the releases only `e` joins, who asked `secret cure`: whoever knows that `e` joined knows what `e` asked."""
    answer = released(shell, log(rain="abc", snow="abd", secret_cure="abe"), "second", "--k", "3", "--previous", str(first))
    said = one_line(answer, 3)
    assert "1 query newly reaches the threshold of 3 people, possibly because of one person" in said
    assert "--show-rare" in said
    assert "secret" not in answer.everything
    assert not (shell.directory / "second").exists()


def test_it_is_named_to_whoever_asks_and_accepted_by_a_limit(shell: Shell, first: Path) -> None:
    content = log(rain="abc", snow="abd", secret_cure="abe")
    asked = released(shell, content, "second", "--k", "3", "--previous", str(first), "--show-rare")
    assert "'secret cure' (came)" in one_line(asked, 3)
    accepted = released(shell, content, "second", "--k", "3", "--previous", str(first), "--exposed", "1")
    assert accepted.code == 0
    assert "warning: compared with" in accepted.err
    assert "secret" not in accepted.err
    assert (shell.directory / "second" / "manifest.json").exists()


def test_queries_that_come_by_more_people_are_not(shell: Shell, first: Path) -> None:
    """At least two people of `efgh` asked it since; with --crossing 3 that is too few."""
    content = log(rain="abc", snow="abd", secret_cure="abef")
    assert released(shell, content, "second", "--k", "3", "--previous", str(first)).code == 0
    said = one_line(released(shell, content, "third", "--k", "3", "--previous", str(first), "--crossing", "3"), 3)
    assert "possibly because of fewer than 3 people" in said


def test_queries_that_go_or_change_by_one_person_are_refused(shell: Shell, first: Path) -> None:
    """`d` leaves, and `snow` falls below the threshold; `e` asks `rain`, which has a row more."""
    said = one_line(released(shell, log(rain="abce", snow="ab", secret_cure="ab"), "second", "--k", "3", "--previous", str(first)), 3)
    assert "1 query falls below the threshold of 3 people, possibly because of one person" in said
    assert "1 query has one row more or fewer, because of one person" in said


def test_thresholds_are_compared_by_queries_and_not_by_words(shell: Shell) -> None:
    before, after = log(rain="abc", secret_cure="ab"), log(rain="abc", secret_cure="abe")
    common = ("--method", "threshold", "--k", "3")
    assert shell("anonymize", shell.file("a.csv", before), *common, "--out", shell.directory / "a").code == 0
    later = ("anonymize", shell.file("b.csv", after), *common, "--previous", shell.directory / "a", "--out", shell.directory / "b")
    assert "1 query newly reaches the threshold of 3 people, possibly because of one person" in one_line(shell(*later), 3)
    failed(shell(*later, "--unit", "term"), "releases-not-comparable")


def test_the_same_release_again_adds_nothing(shell: Shell, first: Path) -> None:
    answer = released(shell, log(rain="abc", snow="abd", secret_cure="ab"), "second", "--k", "3", "--previous", str(first))
    assert answer.code == 0
    assert "nothing is added" in answer.err


@pytest.fixture
def fruit(shell: Shell) -> Path:
    """Four people; a release that groups them by fruit."""
    shell.file("food.csv", FOOD)
    place = shell.file("fruit.csv", "user,item\na,apple\nb,apple\nc,pear\nd,pear\n")
    made = shell("anonymize", place, "--taxonomy", "food.csv", "--k", "2", "--out", shell.directory / "by-fruit")
    assert made.code == 0, made.err
    return shell.directory / "by-fruit"


DRINKS = "user,item\na,apple\na,milk\nb,apple\nb,beer\nc,pear\nc,milk\nd,pear\nd,beer\n"


def by_drink(shell: Shell, previous: Path, *options: str) -> Answer:
    """The same people by what they drink: the floor keeps drinks apart, so that fruit is generalized."""
    place = shell.file("drinks.csv", DRINKS)
    floor = ("--floor", "milk", "--floor", "beer")
    common = ("--taxonomy", "food.csv", "--k", "2", *floor, "--out", shell.directory / "by-drink")
    return shell("anonymize", place, *common, "--previous", previous, *options)


def test_groups_that_meet_in_one_person_are_refused(shell: Shell, fruit: Path) -> None:
    """Whoever is known to be among the two with apples and among the two with milk is `a` alone."""
    answer = by_drink(shell, fruit)
    assert "4 people are in an intersection of groups with fewer than 2 people" in one_line(answer, 3)
    assert not (shell.directory / "by-drink").exists()
    named = one_line(by_drink(shell, fruit, "--show-rare"), 3)
    assert "{apple} and {Fruit, milk}" in named
    assert by_drink(shell, fruit, "--exposed", "4").code == 0


def test_an_earlier_release_of_the_same_data_is_made_again_and_compared_exactly(kitchen: Shell) -> None:
    common = ("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--out", "second", "--previous", "release")
    same = kitchen(*common, "--k", "3")
    assert same.code == 0
    assert "nothing is added" in same.err
    other = kitchen(*common, "--k", "4", "--method", "partition", "--force", "--exposed", "1000")
    assert other.code == 0, other.err
    assert "the earlier release was reproduced" in other.err
    assert "possibly" not in other.err


def test_what_cannot_be_compared_is_refused_before_the_work(shell: Shell, fruit: Path, first: Path) -> None:
    said = one_line(by_drink(shell, first))
    assert "has another kind of guarantee" in said
    place = shell.file("drinks.csv", DRINKS)
    coherent = shell("anonymize", place, "--method", "coherence", "--k", "2", "--out", shell.directory / "x", "--previous", fruit)
    failed(coherent, "releases-not-comparable")
    failed(by_drink(shell, shell.directory / "drinks.csv"), "not-a-release")


def test_a_changed_release_is_not_compared(shell: Shell, first: Path) -> None:
    (first / "log.csv").write_text("query\nrain\n")
    said = one_line(released(shell, log(rain="abc"), "second", "--k", "3", "--previous", str(first)))
    assert "was changed after it was written" in said


def test_python_and_a_file_of_options_take_the_same(shell: Shell, first: Path) -> None:
    place = shell.file("later.csv", log(rain="abc", snow="abd", secret_cure="abe"))
    with refuses("exposed-by-earlier-release") as refused:
        shoal.anonymize(place, "infrequent", k=3, previous=first)
    assert refused.value.rare == ("'secret cure' (came)",)
    assert "secret" not in str(refused.value)
    assert shoal.anonymize(place, "infrequent", k=3, previous=[first], exposed=1).release.n_rows == 9
    with refuses("out-of-range", value=0):
        shoal.anonymize(place, "infrequent", k=3, previous=[first], crossing=0)
    with pytest.raises(InputError):
        shoal.anonymize(place, "infrequent", k=3, previous=shell.directory)
    options = shell.file("o.toml", f'method = "infrequent"\nk = 3\nprevious = [{json.dumps(str(first))}]\n')
    assert shell("anonymize", place, "--config", options, "--out", shell.directory / "y").code == 3
