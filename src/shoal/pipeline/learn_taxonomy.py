"""Learns a taxonomy of topics from data: reads it, uses sessions or records as contexts, and counts the people behind every name.

The count is made by code that shares nothing with the learning: a name of a topic may be published, so each of its words must belong to
enough people.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from shoal.data.bags import Bags
from shoal.data.log import Log, Per
from shoal.data.taxonomy import Taxonomy
from shoal.errors import GuaranteeNotMet, ParameterError, option
from shoal.io.read.paths import Paths
from shoal.pipeline.events import PREPARING, READING, stage
from shoal.pipeline.options import NO_TAXONOMY, TOPICS, Preparation
from shoal.pipeline.prepare import SESSIONS, Records, by_sessions, read_records, records_of, topics_and_wordnet, topics_of
from shoal.taxonomy.learned import FEWEST_PEOPLE
from shoal.taxonomy.topic_names import MORE, NUMBER, OTHERS, ROOT, SEPARATOR
from shoal.util.numbers import distinct
from shoal.util.wording import counted

ALL_WORDS = 1


@dataclass(frozen=True, eq=False)
class LearnedTaxonomy:
    """A learned taxonomy of topics, with statistics.

    Attributes:
        taxonomy: The tree.
        topics: How many topics it has.
        words: How many different words the data has.
        placed: How many of them are below a topic.
        left_out: How many of these are not in the tree, because too few people use them.
        contexts: What was taken as context: sessions, records or events.
        notes: How the data was read.
    """

    taxonomy: Taxonomy
    topics: int
    words: int
    placed: int
    left_out: int
    contexts: str
    notes: tuple[str, ...] = ()


def learn_taxonomy(
    data: Paths | Any,
    preparation: Preparation,
    people: int = FEWEST_PEOPLE,
    *,
    all_words: bool = False,
    per: Per | None = None,
    with_wordnet: bool = False,
) -> LearnedTaxonomy:
    """Learn topics from words that people use together.

    Args:
        data: Files, or data in memory.
        preparation: How to read it.
        people: The number of people who use each word that names a topic, and each word of the tree.
        all_words: Whether the tree also has the words of fewer people.
        per: What is a context. Default: sessions where there are times, else records.
        with_wordnet: Whether words that occur with no widely held word lie where WordNet has them, as far as it lists them.

    Returns:
        The taxonomy.

    Raises:
        ParameterError: `people` is below 2, or WordNet is requested without all words.
        TaxonomyError: Too few words occur together.
    """
    if people < 2:
        raise ParameterError(f"the number of people must be at least 2, not {people}", code="out-of-range", argument="people", value=people)
    if with_wordnet and not all_words:
        raise ParameterError(
            "WordNet places items that occur with no other, but only items of many people are kept",
            code="option-not-applicable",
            hint=f"add {option('all-words')}",
        )
    records, preparation, notes = _records_of(data, _fitted_to_topics(preparation, per))
    topics, hybrid = topics_and_wordnet(records, people) if with_wordnet else (topics_of(records, people), None)
    learned = topics.taxonomy(fewest=ALL_WORDS if all_words else people)
    _insist_on_holders(learned, records.contexts, people)
    tree = learned if hybrid is None else hybrid
    placed = int((topics.topic >= 0).sum())
    kept = learned.n_leaves
    called = SESSIONS if by_sessions(records, preparation) else _called(preparation.per)
    return LearnedTaxonomy(tree, len(learned) - kept - 1, len(topics.words), placed, placed - kept, called, notes)


def _fitted_to_topics(preparation: Preparation, per: Per | None) -> Preparation:
    """Return the preparation of a release on topics, so that they are learned from the same contexts; or from those that are requested
    alone.
    """
    if per is not None:
        return replace(preparation, per=per, taxonomy=NO_TAXONOMY)
    return replace(preparation, taxonomy=TOPICS, follows=frozenset({"per"}))


def _records_of(data: Paths | Any, preparation: Preparation) -> tuple[Records, Preparation, tuple[str, ...]]:
    """Records of the words, with sessions where topics are learned from them; the preparation that fits the data; and notes."""
    stage(READING)
    if isinstance(data, Log | Bags):
        stage(PREPARING)
        return records_of(data, preparation), preparation, ()
    records, reading, preparation, fitting = read_records(data, preparation)
    return records, preparation, (*reading.notes, *fitting)


def _called(per: Per) -> str:
    return "whole records" if per == "user" else f"{per}s"


def _insist_on_holders(tree: Taxonomy, contexts: Bags, people: int) -> None:
    """Raise if a word in the name of a topic is used by too few people."""
    topics = tree.names.names.gather(distinct(tree.parent[1:])[1:])
    parts = pl.Series(sorted({part for name in topics for part in name.split(SEPARATOR)}), dtype=pl.String)
    unknown = contexts.vocabulary.codes(parts) < 0
    words = {NUMBER.sub("", part) if lacks else part for part, lacks in zip(parts, unknown, strict=True)}
    named = pl.DataFrame({"word": sorted(words)}, schema={"word": pl.String})
    held = pl.DataFrame({"item": contexts.items, "owner": np.repeat(contexts.owners, np.diff(contexts.indptr))})
    names = pl.DataFrame({"word": contexts.vocabulary.names}).with_row_index("item").with_columns(pl.col("item").cast(pl.Int32))
    counted_people = held.join(names.join(named, on="word"), on="item").group_by("word").agg(pl.col("owner").n_unique())
    few = named.filter(~pl.col("word").is_in([MORE, ROOT, OTHERS])).join(counted_people, on="word", how="left")
    few = few.filter(pl.col("owner").fill_null(0) < people)
    if len(few):
        what = f"{counted(len(few), 'word')} in names of topics would belong to fewer than {people:,} people"
        raise GuaranteeNotMet(what, code="claim-fails", hint="nothing was written")
