"""Verification of the names of topics on a cluster.

Workers find published names that nobody holds, and count the people with each word of a name. Each published record is stored in the
partition of its people, next to their original records, so the worker has what these people typed. The driver gets names of topics and
numbers of people, and the model evaluates them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.cluster.arrow_schemas import bags_of, lists_of, records_in, words_in
from shoal.cluster.exchange import Step, collected_words
from shoal.cluster.judge_records import Pairing
from shoal.cluster.spark import Cluster
from shoal.data.bags import Bags
from shoal.data.claims import Verdict
from shoal.privacy.evidence.cluster_judging import JudgesNames


@dataclass(frozen=True, eq=False)
class WordCounting:
    """The records as they were stored, and the words whose people are counted."""

    pairing: Pairing
    words: tuple[str, ...]


def judge_names(cluster: Cluster, shown: Step, pairing: Pairing, claims: Sequence[JudgesNames]) -> tuple[list[Verdict], list[Verdict]]:
    """Return the verdicts on published names: with the original, and from the files alone."""
    if not claims:
        return [], []
    names = sorted({name for word in collected_words(cluster, shown, names_nobody_holds, pairing) for name in json.loads(word)})
    words = tuple(sorted({word for claim in claims for word in claim.words_to_count(names)}))
    people: Counter[str] = Counter()
    records: Counter[str] = Counter()
    for word in collected_words(cluster, shown, people_of_words, WordCounting(pairing, words)):
        held, published = json.loads(word)
        people.update(held)
        records.update(published)
    made = [claim.judge_names(names, people) for claim in claims]
    return made, [claim.judge_published_names(names, records) for claim in claims]


def names_nobody_holds(pairing: Pairing, part: int, table: pa.Table) -> Iterator[str]:
    """Return the names that are published for people of this partition, and that none of them holds."""
    published = set(_items(table).unique().to_list())
    bags = _originals(pairing, part)
    held = set() if bags is None else set(bags.vocabulary.names.gather(np.unique(bags.items)).to_list())
    yield json.dumps(sorted(published - held))


def people_of_words(counting: WordCounting, part: int, table: pa.Table) -> Iterator[str]:
    """Return how many people of this partition hold each word, and in how many published records it is an item."""
    shown = _items(table)
    published = Counter(shown.filter(shown.is_in(list(counting.words))).to_list())  # an item is in a record once
    bags, people = _originals(counting.pairing, part), Counter[str]()
    if bags is not None:
        rows = pl.DataFrame({"item": bags.items, "owner": np.repeat(bags.owners, np.diff(bags.indptr))}).unique()
        counts = rows.group_by("item").len()
        names = bags.vocabulary.names.gather(counts["item"])
        published_here = names.is_in(list(counting.words))
        people.update(dict(zip(names.filter(published_here).to_list(), counts["len"].filter(published_here).to_list(), strict=True)))
    yield json.dumps([people, published])


def _items(table: pa.Table) -> pl.Series:
    """Return all items of published records."""
    if not len(table):
        return pl.Series([], dtype=pl.String)
    found = pl.from_arrow(lists_of(table, "items")[1])
    assert isinstance(found, pl.Series)
    return found.cast(pl.String)


def _originals(pairing: Pairing, part: int) -> Bags | None:
    """Return the original records of a partition, if there are any."""
    records = records_in(pairing.records.part(part))
    return bags_of(records, pairing.fitted, pairing.fitted.with_words(words_in(records))) if len(records) else None
