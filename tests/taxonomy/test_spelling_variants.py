"""Misspelt words are found by one edit, put next to the word that they vary if their company agrees, and left where they are if not."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from helpers.spelling_variants import VariantRules, company_of_words, near_pairs, one_edit, place_variants, spelling_variants
from shoal.data.bags import Bags
from shoal.taxonomy.company import Company
from shoal.taxonomy.learned import Topics, learn_topics
from shoal.taxonomy.topic_names import SEPARATOR

TOPICS = {
    "music": ["britney", "lyrics", "guitar", "concert"],
    "cars": ["honda", "engine", "dealer", "wheels"],
    "food": ["recipes", "sugar", "oven", "soup"],
    "places": ["island", "beach", "hotel", "flight"],
}


def contexts(seed: int = 1) -> Bags:
    """Sessions of one topic each; one person writes brittney with words of music, and one writes hondo with words of islands."""
    random = np.random.default_rng(seed)
    rows = [random.choice(words, 3, replace=False).tolist() for words in TOPICS.values() for _ in range(30)]
    rows += [["brittney", "lyrics", "concert"], ["hondo", "island", "beach"], ["honda2", "engine", "dealer"]]
    return Bags.from_lists(rows, list(range(len(rows))))


def found_in(bags: Bags) -> dict[str, str]:
    words = bags.vocabulary.names.to_list()
    pairs = spelling_variants(words, company_of_words(bags, None), VariantRules())
    return {words[variant]: words[word] for variant, word in pairs.items()}


def topic_of(topics: Topics, word: str) -> int:
    return int(topics.topic[topics.words.index(word)])


def within_one_edit(word: str, letters: str) -> set[str]:
    """All words that one edit makes of a word, one by one."""
    cuts = [(word[:n], word[n:]) for n in range(len(word) + 1)]
    found = {a + letter + b for a, b in cuts for letter in letters} | {a + b[1:] for a, b in cuts if b}
    found |= {a + letter + b[1:] for a, b in cuts if b for letter in letters} | {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1}
    return found - {word}


def lonely_company(people: list[int]) -> Company:
    """One tie for each word."""
    n = len(people)
    return Company(np.arange(n + 1), np.zeros(n, np.int32), np.ones(n, np.int32), 1, np.array(people, np.int64))


def test_one_edit_is_that_of_brute_force():
    words = ["".join(letters) for length in range(5) for letters in product("abc", repeat=length)]
    for word in words:
        near = within_one_edit(word, "abc")
        assert {other for other in words if one_edit(word, other)} == near & {*words}


@pytest.mark.parametrize("seed", range(4))
def test_all_pairs_within_one_edit_are_found(seed: int):
    random = np.random.default_rng(seed)
    words = sorted({"".join(random.choice(list("aé字"), size)) for size in random.integers(4, 8, 300)})
    people = random.choice([1, 2, 4, 9, 40], len(words)).tolist()
    rules = VariantRules()
    expected = {
        (a, b)
        for a, b in product(range(len(words)), repeat=2)
        if min(len(words[a]), len(words[b])) >= 5
        and people[a] < rules.rare
        and people[b] >= max(rules.common, rules.ratio * people[a])
        and words[b] in within_one_edit(words[a], "aé字")
    }
    assert len(expected) > 20
    assert {*map(tuple, near_pairs(words, lonely_company(people), rules).tolist())} == expected


def test_a_variant_that_agrees_is_next_to_its_word_and_a_near_word_that_disagrees_stays():
    bags = contexts()
    assert found_in(bags) == {"brittney": "britney"}  # neither hondo, with words of islands, nor a word with a digit
    before = learn_topics(bags)
    after = place_variants(before, found_in(bags))
    assert topic_of(after, "brittney") == topic_of(after, "britney")
    assert [w for w, a, b in zip(before.words, before.topic, after.topic, strict=True) if a != b] in ([], ["brittney"])
    assert topic_of(after, "hondo") != topic_of(after, "honda")


def test_a_disagreeing_word_would_be_taken_if_company_did_not_count():
    bags = contexts()
    words = bags.vocabulary.names.to_list()
    pairs = spelling_variants(words, company_of_words(bags, None), VariantRules(tenths=0))
    assert {words[a]: words[b] for a, b in pairs.items()} == {"brittney": "britney", "hondo": "honda"}


def test_placing_changes_no_name_and_moves_only_variants_with_variants_of_variants():
    topics = learn_topics(contexts())
    placed = place_variants(topics, {"hondo": "soup", "soup": "britney"})
    assert topic_of(placed, "hondo") == topic_of(placed, "soup") == topic_of(topics, "britney")
    assert placed.titles == topics.titles
    assert not any("hondo" in name for name in placed.taxonomy().names.names if SEPARATOR in name)


def test_order_of_rows_and_names_of_people_do_not_matter():
    bags = contexts()
    names, rows = bags.vocabulary.names.to_list(), np.split(bags.items, bags.indptr[1:-1])
    order = np.random.default_rng(5).permutation(len(rows))
    shuffled = Bags.from_lists([[names[item] for item in rows[n][::-1]] for n in order], (order * 7 % 1000).tolist())
    assert found_in(shuffled) == found_in(bags)


def test_of_words_that_agree_alike_the_most_widely_held_and_then_the_first_by_name_is_chosen():
    words = ["grape", "graves", "grapes", "graver", "gravel"]
    company = lonely_company([1, 9, 9, 20, 20])
    assert spelling_variants(["grave", *words[1:]], company, VariantRules()) == {0: 4}  # gravel comes before graver
    assert spelling_variants(words, company, VariantRules()) == {0: 2}
