"""What names of topics tell about who was in the data, by an attack with a control group."""

from __future__ import annotations

import numpy as np

from helpers.topic_membership import attacked, words_of_enough
from shoal.data.bags import Bags


def searches(people: int = 60, words: int = 25, topics: int = 6) -> Bags:
    """Two topics a person, in two sessions each; a few words of a topic are frequent, and many are rare."""
    rng = np.random.default_rng(4)
    rows, owners = [], []
    for person in range(people):
        for topic in rng.choice(topics, 2, replace=False):
            for _ in range(2):
                ranks = np.minimum(rng.zipf(1.4, 4) - 1, words - 1)
                rows.append([f"w{topic}x{rank}" for rank in set(ranks.tolist())])
                owners.append(person)
    return Bags.from_lists(rows, owners)


def test_names_tell_no_more_about_members_than_the_words_that_as_many_people_use():
    people = searches()
    names, frequent = attacked(people, 8, 15, 25), attacked(people, 8, 15, 25, published=words_of_enough)
    assert names.low <= frequent.high
    assert names.high < 0.7


def test_the_attack_finds_members_where_names_have_rare_words():
    """Were names made of any word, most people could be told."""
    assert attacked(searches(), 1, 15, 15).low > 0.7
