"""Learning a taxonomy from data."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

from shoal.api.argument_types import checked
from shoal.api.data_options import DataOptions, prepared_as
from shoal.api.messages import log_notes, spoken_in_python, using
from shoal.data.taxonomy import Taxonomy
from shoal.parameters import Param
from shoal.pipeline.learn_taxonomy import learn_taxonomy as learn
from shoal.pipeline.options import NO_TAXONOMY, TOPICS, Preparation
from shoal.taxonomy.learned import FEWEST_PEOPLE

__all__ = ["learn_taxonomy"]

_PEOPLE = Param("people", int, FEWEST_PEOPLE, "", minimum=2)


@checked
def learn_taxonomy(
    data: str | Path | Any,
    *,
    people: int = FEWEST_PEOPLE,
    all_words: bool = False,
    with_wordnet: bool = False,
    threads: int | None = None,
    **options: Unpack[DataOptions],
) -> Taxonomy:
    """Learn a taxonomy of topics: words that people use together come below the same topic.

    Args:
        data: A path, a frame, a column of lists, or lists of items, as in `shoal.anonymize`.
        people: Number of people who use each word of the taxonomy, and so each word that names a topic.
        all_words: Whether the taxonomy also has words of fewer people, below the topics that fit them. Such a taxonomy is private.
        with_wordnet: Whether words that occur with no other lie where WordNet has them. Use it with `all_words`.
        threads: Number of threads. Default: all cores.
        **options: How to read the data, as keywords of `shoal.anonymize`: format, user, time, text, item, record, count, rank, url, owners,
            sep, header, strict, malformed, per, gap.

    Returns:
        The taxonomy, for the argument `taxonomy` of `shoal.anonymize`.

    Raises:
        ParameterError: An argument is not allowed.
        InputError: The data cannot be read.
        TaxonomyError: Too few words of enough people occur together.

    Example:
        >>> rows = [["bread", "milk"], ["milk", "butter"], ["nails", "hammer"], ["hammer", "saw"], ["bread", "butter"], ["nails", "saw"]]
        >>> tree = shoal.learn_taxonomy(rows * 2, people=2)
        >>> sorted(tree.names[n] for n in tree.children(0))
        ['bread / butter / milk', 'hammer / nails / saw']
    """
    with spoken_in_python(), using(threads):
        _PEOPLE.check(people)
        taxonomy = TOPICS if options.get("per") is None and options.get("items_table") is None else NO_TAXONOMY
        preparation, _ = prepared_as({"taxonomy": taxonomy, **options}, Preparation())
        learned = learn(data, preparation, people, all_words=all_words, per=options.get("per"), with_wordnet=with_wordnet)
        log_notes(learned.notes)
        return learned.taxonomy
