"""Attacks on logs beside chances worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.data import on, tree
from shoal.attacks.attacker_view import Owned, People, Scene
from shoal.attacks.known_items import KnownItems
from shoal.attacks.logs import LOG_ATTACKS
from shoal.attacks.logs.corpus import Corpus, Hashed
from shoal.attacks.logs.linking import Linkable, Personas, ProfileOverTime
from shoal.attacks.logs.tokens import Tokens
from shoal.attacks.matching import Matcher

FLAT = tree([-1] + [0] * 9)  # n1 to n9 below n0


def scene(*records: str) -> Scene:
    return Scene.of_world(on(FLAT, [record.split() for record in records]), FLAT)


def records(*held: str):
    return on(FLAT, [record.split() for record in held])


def test_whoever_asks_the_same_later_is_found_with_the_chance_of_all_who_do():
    """n1 is asked by two of four, n2 by one, and the fourth shares nothing with what is known: a guess among all four."""
    later = scene("n1 n3", "n1 n4", "n2", "n5")
    people = People(records("n1 n3", "n1 n4", "n2", "n5"), np.arange(4))
    known = records("n1", "n1", "n2", "n9")
    (trial,) = ProfileOverTime().trials({"earlier": Linkable(later, people, known)})
    assert trial.success.tolist() == [0.5, 0.5, 1.0, 0.25]
    assert trial.baseline == 0.25


def test_somebody_who_guesses_finds_people_of_several_rows_more_often():
    """Two of four rows are the first person's, one is the second's: a row drawn at random is theirs with 1/2 and 1/4."""
    people = People(records("n1 n2", "n3"), Owned(np.array([0, 2, 3]), np.array([0, 1, 2])))
    assert {trial.baseline for trial in KnownItems().trials(scene("n1", "n2", "n3", "n4"), people, 0)} == {3 / 8}


def test_a_long_record_is_not_more_like_for_its_length():
    """Both records hold all that is known; the cosine is larger where little else is held."""
    likeness = Matcher(scene("n1 n2 n3 n4 n5", "n1 n2", "n6")).likeness(records("n1 n2")).matrix.toarray()[0]
    assert likeness[1] > likeness[0] > likeness[2] == 0
    # Weights: n1 and n2 in two of three records, log2(3/2); the others in one, log2(3).
    common, rare = np.log2(1.5), np.log2(3)
    assert likeness[0] / likeness[1] == pytest.approx(np.hypot(common, common) / np.sqrt(2 * common**2 + 3 * rare**2), rel=1e-4)


def test_two_parts_of_a_person_are_joined_by_what_only_they_share():
    """Person 0 has rows 0 and 1, person 1 rows 2 and 3. What is known itself is no answer."""
    parts = scene("n1 n2", "n1 n3", "n4", "n5", "n6")
    people = People(records("n1 n2", "n4"), Owned(np.array([0, 1, 2]), np.array([1, 3])))
    linkable = Linkable(parts, people, records("n1 n2", "n4"), own=np.array([0, 2]))
    (trial,) = Personas().trials({"words": linkable})
    assert trial.success.tolist() == [1.0, 0.25]  # the second shares nothing with the other four: one of them is drawn
    assert trial.baseline == 1 / 4


def test_a_person_with_several_pseudonyms_is_found_by_any_of_them():
    """n1 stands in three rows, of which two are the person's."""
    rows = scene("n1 n2", "n1 n3", "n1 n4", "n5")
    people = People(records("n1"), Owned(np.array([0, 2]), np.array([0, 1])))
    trial = KnownItems().trials(rows, people, seed=0)[0]
    assert trial.success.tolist() == pytest.approx([2 / 3])


def test_how_often_an_item_is_held_tells_more():
    """Three people have n1: once, twice, twice. Whoever has it twice is one of two; once is enough to know the first."""
    held = scene("n1 n2", "n1 n1", "n1 n1", "n3")
    people = People(records("n1", "n1 n1"), np.array([0, 1]))
    trials = {trial.knowledge: trial for trial in KnownItems().trials(held, people, seed=0)}
    assert trials["1 random item"].success.tolist() == pytest.approx([1 / 3, 1 / 3])
    assert trials["1 random item, and how often"].success.tolist() == pytest.approx([1.0, 0.5])
    assert trials["1 random item, and how often"].known is None  # no model promises anything about it


def test_counts_are_not_asked_for_where_records_are_sets():
    trials = KnownItems().trials(scene("n1 n2", "n3"), People(records("n1 n2"), np.array([0])), seed=0)
    assert not any("how often" in trial.knowledge for trial in trials)


def test_a_record_that_has_an_item_more_often_than_the_person_does_not_fit():
    held = scene("n1 n1 n1", "n1", "n2")
    people = People(records("n1 n1"), np.array([1]))  # published once of two
    trials = {trial.knowledge: trial for trial in KnownItems().trials(held, people, seed=0)}
    assert trials["1 random item, and how often"].success.tolist() == [1.0]


def corpus(texts: list[list[int]], n: int, owners: list[int] | None = None) -> Corpus:
    starts = np.cumsum([0, *map(len, texts)])
    flat = np.array([word for text in texts for word in text], np.int64)
    return Corpus(starts, flat, n, None if owners is None else np.array(owners))


def test_tokens_are_told_by_how_often_they_occur():
    """Word i occurs 2^i times, each time alone: ranks tell everything."""
    texts = [[word] for word in range(8) for _ in range(2**word)]
    mixed = np.random.default_rng(1).permutation(8)
    hashed = Hashed(corpus([[int(mixed[w])] for (w,) in texts], 8), corpus(texts, 8), np.argsort(mixed))
    (trial,) = Tokens().trials(hashed)
    assert trial.success.tolist() == [1.0] * 8
    assert trial.baseline == 1.0  # ranks are enough


def test_tokens_that_occur_equally_often_are_told_by_their_company():
    """Words 1 and 2 are as frequent as one another; 1 stands beside 0 thirty times, 2 beside 3."""
    texts = [[0]] * 90 + [[0, 1]] * 30 + [[3, 2]] * 30 + [[3]] * 10
    swapped = [1, 2, 3, 0]  # the token of each word
    hashed = Hashed(corpus([[swapped[w] for w in text] for text in texts], 4), corpus(texts, 4), np.argsort(swapped))
    (trial,) = Tokens().trials(hashed)
    assert trial.success.tolist() == [1.0] * 4


def test_a_token_of_a_word_that_the_other_log_does_not_have_is_not_read():
    hashed = Hashed(corpus([[0], [0], [1]], 2), corpus([[0], [0]], 1), np.array([0, -1]))
    (trial,) = Tokens().trials(hashed)
    assert trial.success.tolist() == [1.0]  # one word to choose from: one token is assigned


@pytest.mark.parametrize("name", [name for name in LOG_ATTACKS if name != "tokens"])
def test_nobody_to_link_and_nothing_published(name: str):
    attack = LOG_ATTACKS[name]()
    nobody = Linkable(scene("n1"), People(records(), np.zeros(0, np.int64)), records())
    nothing = Linkable(scene(), People(records("n1"), np.array([-1])), records("n1"))
    assert attack.trials({"": nobody})[0].success.tolist() == []
    assert attack.trials({"": nothing})[0].success.tolist() == [0.0]


def test_no_tokens():
    (trial,) = Tokens().trials(Hashed(corpus([], 0), corpus([], 0), np.zeros(0, np.int64)))
    assert trial.success.tolist() == []
