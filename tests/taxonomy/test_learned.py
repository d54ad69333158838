"""Topics: found where they were planted, the same for any order of the data, and named by words of enough people."""

from __future__ import annotations

import numpy as np
import pytest

import shoal
from helpers.errors import refuses
from shoal import kernels
from shoal.data.bags import Bags
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy import company, learned
from shoal.taxonomy.company import company_of
from shoal.taxonomy.hybrid import hybrid
from shoal.taxonomy.learned import learn_topics
from shoal.taxonomy.topic_names import MORE, OTHERS, RARE_ROOT, ROOT, SEPARATOR, topic_names
from shoal.taxonomy.wordnet import wordnet

TOPICS = {
    "music": ["song", "lyrics", "guitar", "band", "concert"],
    "homes": ["house", "rent", "mortgage", "garden", "sale"],
    "travel": ["flight", "hotel", "map", "beach", "airline"],
    "food": ["recipe", "cake", "soup", "oven", "sugar"],
}


def sessions(seed: int, people: int = 120, rare: bool = True) -> tuple[list[list[str]], list[int]]:
    """Each person searches for two topics, in sessions of one topic each; some words are used by one person alone."""
    random = np.random.default_rng(seed)
    rows, owners = [], []
    for person in range(people):
        for topic in random.choice(list(TOPICS), 2, replace=False):
            for _ in range(3):
                words = random.choice(TOPICS[topic], 3, replace=False).tolist()
                rows.append([*words, f"{topic}{person}"] if rare and random.random() < 0.2 else words)
                owners.append(person)
    return rows, owners


def planted(seed: int = 1) -> Bags:
    return Bags.from_lists(*sessions(seed))


def edges(tree: Taxonomy) -> dict[str, str]:
    return {tree.names[n]: tree.names[int(above)] for n, above in enumerate(tree.parent) if above >= 0}


def ancestors(tree: Taxonomy, name: str) -> list[str]:
    return tree.path(int(tree.names.codes([name])[0]))[1:-1]


@pytest.mark.parametrize("seed", range(5))
def test_words_of_a_planted_topic_lie_below_one_node_that_holds_no_others(seed: int):
    tree = learn_topics(planted(seed)).taxonomy()
    for words in TOPICS.values():
        shared = set.intersection(*(set(ancestors(tree, word)) for word in words))
        others = [word for topic in TOPICS.values() if topic is not words for word in topic]
        assert any(not any(node in ancestors(tree, other) for other in others) for node in shared), words


def test_a_word_of_one_person_lies_below_its_topic():
    tree = learn_topics(planted()).taxonomy()
    rare = [name for name in tree.names.names if name.startswith("music") and name != "music"]
    assert rare
    near = [set(ancestors(tree, name)) & set(ancestors(tree, "song")) for name in rare]
    assert sum(bool(found) for found in near) >= 0.9 * len(rare)


@pytest.mark.parametrize(("threads", "enough"), [(1, company.ENOUGH), (2, company.ENOUGH), (2, 40)])
def test_order_names_and_threads_do_not_matter(threads: int, enough: int, monkeypatch: pytest.MonkeyPatch):
    """Nor where of each word only some contexts are counted."""
    monkeypatch.setattr(company, "ENOUGH", enough)
    rows, owners = sessions(7)
    expected = edges(learn_topics(Bags.from_lists(rows, owners)).taxonomy())
    random = np.random.default_rng(3)
    order = random.permutation(len(rows))
    numbers = random.permutation(1000)
    shuffled = Bags.from_lists([list(random.permutation(rows[i])) for i in order], [int(numbers[owners[i]]) for i in order])
    with kernels.using(threads):
        assert edges(learn_topics(shuffled).taxonomy()) == expected


def test_names_are_of_words_that_enough_people_use_and_no_name_is_used_twice():
    contexts = planted()
    people = dict(zip(contexts.vocabulary.names, contexts.people_per_item.tolist(), strict=True))
    tree = learn_topics(contexts, fewest=12).taxonomy()
    inner = sorted(set(tree.parent[1:].tolist()) - {0})
    assert inner
    words = [tree.names[n].split(SEPARATOR) for n in inner]
    assert all(2 <= len(name) <= 3 for name in words)
    assert all(people[word.split(" (")[0]] >= 12 for name in words for word in name if word != MORE)
    assert len({frozenset(name) for name in words}) == len(words)


def test_narrow_topics_put_words_of_the_same_people_apart():
    """Each of many topics has two pairs of words, and each of its people uses one pair, and seldom a word of the other."""
    random = np.random.default_rng(5)
    rows, owners = [], []
    for person in range(480):
        topic, pair = person % 24, int(random.integers(2))
        words = [f"t{topic:02}{letter}" for letter in ("ab", "cd")[pair]]
        rows += [words, [*words, f"t{topic:02}{random.choice(list(('cd', 'ab')[pair]))}"] if random.random() < 0.3 else words]
        owners += [person, person]
    tree = learn_topics(Bags.from_lists(rows, owners)).taxonomy()
    near = 0
    for one, other in (pair for topic in range(24) for pair in ((f"t{topic:02}a", f"t{topic:02}b"), (f"t{topic:02}c", f"t{topic:02}d"))):
        above, besides = ancestors(tree, one), {*ancestors(tree, other)}
        assert above[0] not in besides, one
        shared = next((node for node in above if node in besides), ROOT)
        near += int(tree.leaves[tree.names.codes([shared])[0]]) <= 12
    assert near >= 36  # of 48 lie in one topic, or in two or three that are not wider together


@pytest.mark.parametrize(
    ("words_of_each", "narrow"), [([3] * 12, 3), ([12, 12], 1), ([1] * 40, 3), ([100, 0, 100, 100], 2), ([12] * 5000, 2000)]
)
def test_a_narrow_topic_has_few_of_all_holders_and_fewer_than_there_are_people(words_of_each: list[int], narrow: int):
    """A twelfth of the holders of all words, a person counted once for each; three quarters of the people who have words; and 2,000."""
    holders = np.repeat(np.arange(len(words_of_each), dtype=np.int32), words_of_each)
    assert learned._narrow(holders) == narrow


def test_words_of_fewer_people_are_left_out_of_a_public_tree():
    topics = learn_topics(planted())
    public, private = topics.taxonomy(fewest=10), topics.taxonomy()
    assert "music3" not in "".join(public.names.names)
    assert {*public.names.names} - {ROOT} < {*private.names.names} - {RARE_ROOT}
    assert {word for words in TOPICS.values() for word in words} <= {*public.names.names}


def test_every_word_has_a_topic_and_none_has_more_than_a_few_words():
    """Also where few words can name topics, and for words that occur with no other."""
    rows, owners = sessions(4)
    alone = [[f"solo{n:02}"] for n in range(30)]
    contexts = Bags.from_lists(rows + alone, owners + list(range(len(alone))))
    topics = learn_topics(contexts, fewest=56)  # each topic is of about 60 people
    tree = topics.taxonomy()
    assert {tree.names[n] for n in np.flatnonzero(tree.end == np.arange(len(tree)) + 1)} == {*contexts.vocabulary.names}
    directly = np.bincount(tree.parent[1:][tree.end[1:] == np.arange(1, len(tree)) + 1])
    assert directly.max() <= 4  # three, or one more that is a topic of its own
    assert len({*tree.names.names}) == len(tree)
    assert all(ancestors(tree, word[0])[-1] == OTHERS for word in alone)
    assert not any(OTHERS in ancestors(tree, word) for words in TOPICS.values() for word in words)


def test_neighbours_in_the_alphabet_are_together_where_words_occur_with_no_other():
    rows, owners = sessions(4, rare=False)
    alone = [f"{word}{ending}" for word in ("honda", "zebra") for ending in ("", "s", "x", "y", "z")]
    tree = learn_topics(Bags.from_lists(rows + [[word] for word in alone], owners + list(range(10)))).taxonomy()
    near = [set(ancestors(tree, word)) - {OTHERS} for word in alone]
    assert set.intersection(*near[:5])
    assert set.intersection(*near[5:])
    assert not near[0] & near[5]


def test_a_part_without_words_of_enough_people_is_called_after_the_topic_above():
    above = [-1, 0, 1, 1, 0, 4, 4, 0, 7, 7]
    titles = [(), ("a", "b", "c", "d"), (), ("a", "b", "c", "e"), ("a",), ("a",), (), (), (), ("f",)]
    assert topic_names(above, titles, others=7) == [
        "a / b / c",
        "a / b / c (2)",
        "a / b / e",
        "a / ...",
        "a (2) / ...",
        "a (3) / ...",
        "(other words)",
        "(other words) (2)",
        "f / ...",
    ]
    assert topic_names([-1, 0, 0, 2], [(), (), (), ("x", "y")], others=4) == ["(any topic) (1)", "(any topic) (2)", "x / y"]


@pytest.mark.parametrize("odd", ["bread / rolls", "/ / rolls", OTHERS, f"{OTHERS} (2)", ROOT])
def test_words_like_names_of_topics_are_refused(odd: str):
    rows, owners = sessions(3)
    with refuses("items-like-topics"):
        learn_topics(Bags.from_lists([*rows, [odd]], [*owners, 0]))


@pytest.mark.parametrize("odd", ["bread /", "/ rolls", "/"])
def test_a_word_that_begins_or_ends_with_a_slash_is_in_no_name(odd: str):
    """The page `/` is in most logs of web servers."""
    rows, owners = sessions(3)
    rows = [[odd if word == "song" else word for word in row] for row in rows]
    people = len({owner for row, owner in zip(rows, owners, strict=True) if odd in row})
    topics = learn_topics(Bags.from_lists(rows, owners))
    assert people >= topics.fewest
    assert odd in topics.taxonomy().names.names.to_list()
    assert not any(odd in part for name in topics.names for part in name.split(SEPARATOR))


def test_a_rare_word_like_a_numbered_topic_is_refused():
    """Whether `a (2) / ...` shows it could not be decided. Of a word that many people have it does not matter."""
    rows, owners = sessions(3)
    names = learn_topics(Bags.from_lists(rows, owners)).names
    (numbered, *_) = [part for name in names for part in name.split(SEPARATOR) if part.endswith("(2)")]
    with refuses("items-like-topics"):
        learn_topics(Bags.from_lists([*rows, [numbered]], [*owners, 0]))


def test_words_that_end_with_a_number_are_learned():
    years = {word: f"{word} ({1950 + n})" for n, word in enumerate(word for words in TOPICS.values() for word in words)}
    rows, owners = sessions(3, rare=False)
    tree = shoal.learn_taxonomy(Bags.from_lists([[years[word] for word in row] for row in rows], owners))
    assert set(years.values()) <= set(tree.names.names)


def test_holders_are_people_and_not_sessions():
    contexts = Bags.from_lists([["a", "b"], ["a"], ["a", "c"]], [4, 4, 9])
    assert dict(zip(contexts.vocabulary.names, contexts.people_per_item.tolist(), strict=True)) == {"a": 2, "b": 1, "c": 1}


def test_ties_are_the_logarithm_of_how_much_more_often_two_words_meet_than_by_chance():
    """By brute force over all pairs of sessions."""
    contexts = planted()
    ties = company_of(contexts)
    names = contexts.vocabulary.names.to_list()
    rows = [contexts.items[a:b].tolist() for a, b in zip(contexts.indptr[:-1], contexts.indptr[1:], strict=True)]
    features = sorted((n for n, held in enumerate(ties.people) if held >= 10), key=names.__getitem__)
    counts = np.zeros((len(names), len(features)))
    for row in rows:
        for word in row:
            for f, feature in enumerate(features):
                counts[word, f] += feature in row and feature != word
    total, often = counts.sum(), counts.sum(0)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = counts.sum(1, keepdims=True) * often**0.75 * (total / len(features)) ** 0.25
        expected = np.floor(32 * np.log2(counts * total / chance))
    found = np.zeros_like(counts)
    for word in range(len(names)):
        part = slice(ties.indptr[word], ties.indptr[word + 1])
        found[word, ties.features[part]] = ties.ties[part]
    assert (np.abs(found - np.where(expected > 0, expected, 0)) <= 1).all()
    assert (found == np.where(expected > 0, expected, 0)).mean() > 0.999


def test_of_very_frequent_words_some_contexts_are_enough(monkeypatch: pytest.MonkeyPatch):
    contexts = planted(2)
    whole = company_of(contexts)
    monkeypatch.setattr(company, "ENOUGH", 40)  # of about 100
    some = company_of(contexts)
    assert not np.array_equal(whole.ties, some.ties)
    tree = learn_topics(contexts).taxonomy()
    for words in TOPICS.values():
        assert set.intersection(*(set(ancestors(tree, word)) for word in words))


def test_the_strongest_ties_are_kept(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(company, "STRONGEST", 2)
    contexts = planted(2)
    ties = company_of(contexts)
    names = contexts.vocabulary.names.to_list()
    assert np.diff(ties.indptr).max() == 2
    song, features = names.index("song"), sorted(n for n, held in zip(names, ties.people, strict=True) if held >= 2)
    assert {features[f] for f in ties.features[ties.indptr[song] : ties.indptr[song + 1]]} < {*TOPICS["music"]}


def test_where_nothing_occurs_together_nothing_is_learned():
    with refuses("nothing-to-learn", value=0) as found:
        learn_topics(Bags.from_lists([["a"], ["b"], ["a"], ["b"]]), 2)
    assert found.value.code == "nothing-to-learn"


def test_a_release_on_topics_is_verified():
    rows, owners = sessions(2)
    whole: dict[int, set[str]] = {}
    for row, owner in zip(rows, owners, strict=True):
        whole.setdefault(owner, set()).update(row)
    tree = learn_topics(Bags.from_lists(rows, owners)).taxonomy()
    result = shoal.anonymize([sorted(words) for words in whole.values()], k=5, taxonomy=tree)
    assert all(verdict.standing == "verified" for verdict in result.verdicts)
    assert result.metrics["suppressed"] < 0.2


def test_words_that_occur_with_no_other_lie_where_a_given_taxonomy_has_them():
    """Some people search for nothing but a dog; *house* is a word below a topic and a category."""
    rows, owners = sessions(3, rare=False)
    dogs = ["poodle", "beagles", "dachshund", "whorehouse", "zqword"]
    topics = learn_topics(Bags.from_lists([*rows, *([dog] for dog in dogs)], [*owners, *range(1000, 1005)]))
    tree = hybrid(topics, wordnet())
    assert "dog" in set.intersection(*(set(ancestors(tree, dog)) for dog in ("poodle", "beagles", "dachshund")))
    assert not set(ancestors(tree, "poodle")) & {name for name in tree.names.names if SEPARATOR in name}
    assert {*ancestors(tree, "zqword")} <= {OTHERS}  # unknown to WordNet, and the only one
    assert any(SEPARATOR in name for name in ancestors(tree, "house"))
    assert {"house (kinds)", "building (kinds)", "building"} & set(ancestors(tree, "whorehouse"))
    assert set(topics.words) <= set(tree.names.names)


def test_an_item_of_dots_names_no_topic():
    rows, owners = sessions(2)
    tree = learn_topics(Bags.from_lists([[*row, MORE] for row in rows], owners)).taxonomy()
    inner = [tree.names[n].split(SEPARATOR) for n in set(tree.parent[1:].tolist()) - {0}]
    assert all(len(set(name)) == len(name) and name[0] != MORE for name in inner)
