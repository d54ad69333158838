"""Hidden words: what is hidden, and guesses against a plain count over all people, words and nodes."""

from __future__ import annotations

import json
from itertools import groupby
from math import floor, log2, sqrt

import numpy as np
import polars as pl
import pytest

from helpers.cli import Shell
from helpers.data import on, on_nodes
from shoal.data.bags import Bags
from shoal.data.release import Release, Secret
from shoal.data.taxonomy import Taxonomy
from shoal.metrics import hidden_words
from shoal.metrics.hidden_words import NODE_CLASSES, PRIOR, UNSEEN, WORD_CLASSES, HiddenWords, guess_hidden, hide_words, without


def pairs(hidden: HiddenWords) -> set[tuple[int, str]]:
    return {(int(person), hidden.names[int(word)]) for person, word in zip(hidden.owners, hidden.words, strict=True)}


def test_a_fifth_of_the_words_is_hidden_from_all_records_of_a_person():
    rows = [[f"w{i}" for i in range(10)], ["w1", "w2"], ["alone"], []]
    records = Bags.from_lists([*rows, ["W0", "w3"]], owners=[0, 1, 2, 3, 0])
    hidden = hide_words(records)
    by_person = {person: {word for whose, word in pairs(hidden) if whose == person} for person in range(4)}
    assert [len(words) for words in by_person.values()] == [2, 1, 0, 0]
    left = [{name.lower() for name in hidden.rest.record(i)} for i in range(5)]
    assert left[0] == {*rows[0]} - by_person[0]
    assert left[4] == {"w0", "w3"} - by_person[0]
    assert [set(without(records, hidden).record(i)) for i in range(5)] == [set(hidden.rest.record(i)) for i in range(5)]


def test_what_is_hidden_depends_on_content_alone():
    rng = np.random.default_rng(1)
    rows = [[f"w{i}" for i in rng.choice(30, 8, replace=False)] for _ in range(20)]
    once = pairs(hide_words(Bags.from_lists(rows)))
    order = rng.permutation(20)
    again = pairs(hide_words(Bags.from_lists([rows[i][::-1] for i in order])))
    assert {(int(order[person]), word) for person, word in again} == once
    assert len({word for _, word in once}) > 10  # not the same words of everybody


def plain(
    tree: Taxonomy, rest: list[list[str]], published: list[list[str]], rows: list[int], hidden: set[tuple[int, str]], words: list[str]
):
    """Gains and hits, counted one by one."""

    def closed(names: list[str]) -> set[str]:
        return {name for item in names for name in tree.path(int(tree.names.codes([item])[0]))}

    people = len(rest)
    below = {name: max(1, sum(name in closed(record) for record in rest)) for name in tree.names.names}
    held = {word: sum(word in record for record in rest) for word in words}
    total = sum(held.values()) + UNSEEN * len(words)
    leaves = {tree.names[n] for n in range(len(tree)) if tree.end[n] == n + 1}

    def guess(row: int) -> tuple[dict[str, float], dict[str, tuple[int, int]]]:
        items = published[row] if row >= 0 else []
        popularity = {w: 0.0 if w in items and w in leaves else (held[w] + UNSEEN) / total for w in words}
        whole, true = sum(popularity.values()), closed(items)
        lowest = {w: next((u for u in tree.path(int(tree.names.codes([w])[0])) if u in true), tree.names[0]) for w in words}
        classes = {
            w: (
                min(floor(log2(2 * held[w] + 1)), WORD_CLASSES - 1),
                min(max(floor(-log2(below[lowest[w]] / people)), 0), NODE_CLASSES - 1),
            )
            for w in words
        }
        return {w: p / whole for w, p in popularity.items()}, classes

    trials = [(row, sorted(found)) for row, found in groupby(sorted(hidden, key=lambda one: rows[one[0]]), lambda one: rows[one[0]])]
    lifts = []
    for half in (0, 1):
        seen, expected = {}, {}
        for row, found in trials[1 - half :: 2]:
            popularity, classes = guess(row)
            for _, word in found:
                seen[classes[word]] = seen.get(classes[word], 0) + 1
            for w in words:
                expected[classes[w]] = expected.get(classes[w], 0) + len(found) * popularity[w]
        of_words = {a for a, _ in expected}
        s = {a: sum(n for (x, _), n in seen.items() if x == a) for a in of_words}
        e = {a: sum(n for (x, _), n in expected.items() if x == a) for a in of_words}
        lifts.append({c: (seen.get(c, 0) + PRIOR) / (n * s[c[0]] / e[c[0]] + PRIOR) for c, n in expected.items() if e[c[0]]})
    gains, hits, popular, whose = [], [], [], []
    for n, (row, found) in enumerate(trials):
        popularity, classes = guess(row)
        p = {w: popularity[w] * lifts[n % 2].get(classes[w], 1.0) for w in words}
        best = sorted(words, key=lambda w: (-p[w], w))[:3]
        common = sorted(words, key=lambda w: (-popularity[w], w))[:3]
        for person, word in found:
            gains.append(log2(lifts[n % 2].get(classes[word], 1.0) / sum(p.values())))
            hits.append(word in best)
            popular.append(word in common)
            whose.append(person)
    mean = sum(gains) / len(gains)
    spread = {person: sum(g - mean for g, w in zip(gains, whose, strict=True) if w == person) for person in set(whose)}
    half_width = 1.96 * sqrt(sum(v**2 for v in spread.values())) / len(gains)
    return mean, mean - half_width, sum(hits) / len(hits), sum(popular) / len(popular)


@pytest.mark.parametrize("seed", range(8))
def test_random_releases_against_a_plain_count(seed: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(hidden_words, "GUESSES", 3)
    rng = np.random.default_rng(seed)
    inner = 5
    parents = {"n0": None} | {f"n{i}": f"n{rng.integers(0, i)}" for i in range(1, inner)}
    words = [f"w{i:02}" for i in range(14)]
    tree = Taxonomy.from_parents(parents | {word: f"n{rng.integers(0, inner)}" for word in words})
    records = [[str(w) for w in rng.choice(words, rng.integers(3, 9), replace=False)] for _ in range(16)]
    found = hide_words(Bags.from_lists(records))
    codes = np.searchsorted(words, found.names.gather(found.words).to_list())
    hidden = HiddenWords(found.rest, found.owners, codes, pl.Series(words))
    rest = [[w for w in record if (person, w) not in pairs(found)] for person, record in enumerate(records)]
    rows = [int(n) for n in rng.integers(-1, 5, 16)]
    published = [[tree.path(int(tree.names.codes([w])[0]))[rng.integers(0, 2)] for w in rest[n]] for n in range(5)]
    release = Release.of_bags(on(tree, published), np.ones(5, np.int64), secret=Secret(np.array(rows)))
    got = guess_hidden(release, on_nodes(on(tree, rest), tree), hidden)
    assert got is not None
    assert (got.gain, got.gain_low, got.recall, got.popular_recall) == pytest.approx(
        plain(tree, rest, published, rows, pairs(found), words)
    )


def test_records_that_tell_apart_who_holds_what_beat_popularity():
    """Two worlds of words: who has words of one has no others."""
    words = {side: [f"{side}{i}" for i in range(12)] for side in "ab"}
    tree = Taxonomy.from_parents({"all": None, "a": "all", "b": "all"} | {w: side for side in "ab" for w in words[side]})
    rng = np.random.default_rng(2)
    rest, owners, codes = [], [], []
    names = sorted(words["a"] + words["b"])
    for person in range(60):
        drawn = [str(w) for w in rng.choice(words["ab"[person % 2]], 5, replace=False)]
        rest.append(drawn[1:])
        owners.append(person)
        codes.append(names.index(drawn[0]))
    original = on_nodes(on(tree, rest), tree)
    hidden = HiddenWords(original.bags, np.array(owners), np.array(codes), pl.Series(names))
    told = Release.of_bags(
        on(tree, [["a"]] * 3 + [["b"]] * 3), np.full(6, 10), secret=Secret(np.arange(60) // 2 % 3 + 3 * (np.arange(60) % 2))
    )
    untold = Release.of_bags(on(tree, [["all"]] * 6), np.full(6, 10), secret=Secret(np.arange(60) % 6))
    good, bad = guess_hidden(told, original, hidden), guess_hidden(untold, original, hidden)
    assert good is not None
    assert bad is not None
    assert good.gain > 0.7  # at most one bit, which side it is
    assert good.beats_popularity
    assert abs(bad.gain) < 0.1
    assert not bad.beats_popularity


def test_compare_says_where_popularity_is_as_good(shell: Shell):
    """Words are drawn by chance, so no release can tell more."""
    rng = np.random.default_rng(3)
    shell.file("b.txt", "\n".join(" ".join(f"w{i}" for i in rng.choice(40, 4, replace=False)) for _ in range(80)) + "\n")
    how = ("--format", "transactions", "--taxonomy", "generated", "--methods", "clump", "--k", "4", "--targets", "10")
    answer = shell("compare", "b.txt", "--out", "found", *how, "--json")
    assert answer.code == 0, answer.err
    (row,) = json.loads(answer.out)
    assert row["hidden_gain_low"] <= row["hidden_gain"] <= row["hidden_gain_high"]
    assert 0 <= row["hidden_recall_low"] <= 1
    assert "no better than popularity alone" in answer.err
    page = (shell.directory / "found" / "comparison.html").read_text()
    assert "no better than popularity alone" in page
    assert "Hidden items" in page
