"""Coverage of every kind of release, worked out by hand and counted from the definition in plain Python."""

from __future__ import annotations

import random

import polars as pl
import pytest

from helpers.data import food, on
from helpers.logs import log_of
from shoal.data.bags import Bags
from shoal.data.items import Items
from shoal.data.original import LogOriginal, Original
from shoal.data.release import Release
from shoal.data.tables.counts import CountTable
from shoal.data.tables.profiles import ProfileTable
from shoal.evaluate.compare.words_kept import classes, coverage, words_of
from shoal.evaluate.compare.worst_attack import AttackEffort, worst_attack
from shoal.evaluate.option_defaults import NOT_ATTACKED
from shoal.methods.cahd import CAHD
from shoal.methods.clump import Clump
from shoal.methods.disassociation import Disassociation
from shoal.methods.threshold import Threshold
from shoal.methods.user_microaggregation import UserMicroaggregation
from shoal.metrics import METRICS
from shoal.taxonomy.place_terms import as_typed

FISH = [(0, "red fish"), (0, "blue whale"), (1, "red fish"), (2, "green frog")]


def told(release: Release, original: object) -> dict[str, float]:
    words = words_of(release, original)  # type: ignore[arg-type]
    assert words is not None
    return coverage(words)


def baskets(seed: int, n: int = 60) -> Original:
    draw = random.Random(seed)
    leaves = ["Apple", "Orange", "Banana", "Beef", "Chicken", "Milk", "Cheese", "Butter"]
    return Original.on(on(food(), [draw.sample(leaves, draw.randint(1, 4)) for _ in range(n)]), food())


def test_rows_that_two_people_share():
    original = LogOriginal(log_of(FISH))
    found = told(Threshold(k=2).apply(original), original)
    # Of eight words that people typed "red" and "fish" are published for two of them; of four rows two; of three queries one.
    assert found["kept"] == 4 / 8
    assert found["terms_kept"] == 2 / 6
    assert found["people_left"] == 2 / 3
    assert found["volume_kept"] == 2 / 4
    assert found["queries_kept"] == 1 / 3


def test_words_left_out_of_queries():
    original = LogOriginal(log_of([*FISH, (2, "blue fish")]))
    found = told(Threshold(k=2, unit="term", rare="omit").apply(original), original)
    # Fish, red and blue have two people. "blue whale" loses a word, so it is not whole; "green frog" is gone.
    brute = {0: {"red", "fish", "blue"}, 1: {"red", "fish"}, 2: {"blue", "fish"}}
    typed = {0: {"red", "fish", "blue", "whale"}, 1: {"red", "fish"}, 2: {"green", "frog", "blue", "fish"}}
    assert found["kept"] == sum(map(len, brute.values())) / sum(map(len, typed.values()))
    assert found["volume_kept"] == 3 / 5
    assert found["people_left"] == 1


@pytest.mark.parametrize("seed", range(3))
def test_records_are_counted_as_the_metric_counts_them(seed: int):
    original = baskets(seed)
    release = Clump(k=3).apply(original)
    found = told(release, original)
    assert found["kept"] == pytest.approx(METRICS["kept"].measure(release, original))
    assert release.secret is not None
    shown = [set(release.published.record(row)) if row >= 0 else set() for row in release.secret.rows()]
    typed = [set(original.bags.record(i)) for i in range(len(original.bags))]
    kept = [before & after for before, after in zip(typed, shown, strict=True)]
    assert found["terms_kept"] == len(set().union(*kept)) / len(set().union(*typed))
    assert found["people_left"] == sum(map(bool, shown)) / len(shown)
    assert found["volume_kept"] == sum(a == b for a, b in zip(kept, typed, strict=True)) / len(typed)
    whole = {frozenset(b) for a, b in zip(kept, typed, strict=True) if a == b}
    assert found["queries_kept"] == len(whole) / len({frozenset(one) for one in typed})


def test_profiles_are_those_of_each_person():
    original = LogOriginal(log_of([(n, text) for n in range(10) for text in ("red fish", f"blue whale {n // 2}", f"own{n}")]))
    release = UserMicroaggregation(k=2).apply(original)
    table = release.only(ProfileTable)
    assert isinstance(table, ProfileTable)
    assert release.secret is not None
    shown = [table.frame.filter(pl.col(table.of_whom) == name)[table.unit].to_list() for name in release.secret.rows()]
    typed = [{"red", "fish", "blue", "whale", f"own{n}"} for n in range(10)]
    kept = [{word for text in texts for word in text.split()} & words for texts, words in zip(shown, typed, strict=True)]
    assert told(release, original)["kept"] == sum(map(len, kept)) / sum(map(len, typed))
    attacked = worst_attack(release, original, AttackEffort(targets=10))
    assert attacked["attack_rate"] <= 1 / 2
    assert attacked["worst_attack"]


def test_counted_queries_and_words():
    original = LogOriginal(log_of(FISH))
    queries = Release({"counts": CountTable(pl.DataFrame({"query": ["red fish"], "count": [1.7]}))})
    assert told(queries, original)["kept"] == 4 / 8
    words = Release({"counts": CountTable(pl.DataFrame({"term": ["fish", "frog"], "count": [1.7, 0.4]}))})
    assert told(words, original)["kept"] == 3 / 8
    assert "queries_kept" not in told(words, original)
    assert "counts are published" in worst_attack(words, original, AttackEffort())[NOT_ATTACKED]


def test_rows_of_groups_have_all_but_the_sensitive_items():
    plain = as_typed(
        Bags.from_lists([["a", "b", "s"], ["a", "b"], ["a", "c"], ["b", "c"], ["a"], ["b"], *([f"own{n}"] for n in range(4))]),
        None,
        as_sets=True,
    )
    release = CAHD(p=3, sensitive=Items(names=frozenset({"s"}))).apply(plain)
    found = told(release, plain)
    assert found["kept"] == 14 / 15
    assert found["volume_kept"] == 9 / 10
    assert worst_attack(release, plain, AttackEffort())["attack_rate"] > 1 / 2, "nothing hides whose a record is"


def test_what_was_taken_apart_is_all_there_but_cannot_be_attacked():
    original = as_typed(Bags.from_lists([["a", "b"], ["a", "b"], ["a", "c"], ["b", "c"]] * 3), None, as_sets=True)
    release = Disassociation(k=2).apply(original)
    found = told(release, original)
    assert found["kept"] == found["terms_kept"] == found["people_left"] == 1
    assert "volume_kept" not in found
    assert "split into chunks" in worst_attack(release, original, AttackEffort())[NOT_ATTACKED]


def test_head_torso_and_tail_by_people_not_by_uses():
    records = [["head"]] * 20 + [["torso"]] * 2 + [["tail"]] + [["rest"]] * 1977
    owners = [*range(2000)]
    found = classes(Bags.from_lists(records, owners))
    names = ["head", "torso", "tail", "rest"]
    assert {part: [name for name, there in zip(names, mask, strict=True) if there] for part, mask in found.items()} == {
        "head": ["head", "rest"],
        "torso": ["torso"],
        "tail": ["tail"],
    }
    heavy = classes(Bags.from_lists([*records, *[["tail"]] * 500], [*owners, *[22] * 500]))
    assert heavy["tail"].tolist() == [False, False, True, False], "one person's 501 uses are one person"


def test_rows_without_pseudonyms_are_attacked_one_by_one():
    pairs = [(n, f"red fish{n // 2}") for n in range(10)]
    original = LogOriginal(log_of([*pairs, *((n, f"blue whale{n}") for n in range(0, 10, 2))]))
    found = worst_attack(Threshold(k=2).apply(original), original, AttackEffort(targets=10))
    assert found["attack_rate"] == 1 / 2, "two rows each are alike, and each of two people owns one of them"
    assert found["attack_original"] == 1, (
        "in the log itself one of each two is alone with a whale, the other with red fish and nothing else"
    )


def test_a_rate_of_fewer_than_ten_people_is_not_told():
    original = baskets(1, 12)
    release = Clump(k=3).apply(original)
    assert worst_attack(release, original, AttackEffort(targets=9)) == {
        NOT_ATTACKED: "fewer than 10 people would be attacked, too few to report a rate"
    }
    assert worst_attack(release, original, AttackEffort(targets=10))["attack_rate"] <= 1 / 3 + 1e-9


def test_rows_under_one_pseudonym_a_person_are_attacked_as_a_record():
    original = LogOriginal(log_of([(n, text) for n in range(12) for text in ("red fish", ("blue whale", "green frog")[n % 2])]))
    found = worst_attack(Threshold(k=2, link="person").apply(original), original, AttackEffort(targets=12))
    assert found["attack_rate"] == pytest.approx(1 / 6), "six people have the same two queries, and nothing else"
