"""Topics and another taxonomy as one tree: words that occur with widely held words are below topics, others where the taxonomy has them.

What a word that is searched for alone is about cannot be learned; a taxonomy such as WordNet knows. Words that it does not list stay in
their part of the other words. Categories of the taxonomy whose name is a word below a topic are renamed, so that names are unique.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.data.node_loss import DEFAULT_LOSS
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.learned import Topics
from shoal.util.numbers import distinct

KINDS = " (kinds)"  # after the name of a category that is also a word below a topic


def hybrid(topics: Topics, base: Taxonomy, loss: str = DEFAULT_LOSS) -> Taxonomy:
    """Join topics and another taxonomy in one tree.

    Args:
        topics: The learned topics.
        base: The taxonomy for words that occur with no widely held word.
        loss: The node loss.

    Returns:
        The tree.
    """
    nodes = base.nodes(pl.Series(topics.words, dtype=pl.String)).astype(np.int64)
    apart = (nodes > 0) & topics.without_company
    learned = topics.without(apart).taxonomy(loss)
    parents: dict[str, str | None] = {}
    for node, above in enumerate(learned.parent.tolist()):
        parents[learned.names[node]] = None if above < 0 else learned.names[above]
    placed = np.flatnonzero(apart)
    typed = {topics.words[word]: base.names[int(nodes[word])] for word in placed.tolist()}
    _hang(parents, base, distinct(nodes[placed]), typed)
    return Taxonomy.from_parents(parents, loss)


def _hang(parents: dict[str, str | None], base: Taxonomy, used: Ints, typed: dict[str, str]) -> None:
    """Put the used part of a taxonomy below the root of the topics, and the words `typed`, each with its node, into it."""
    taken = {*parents, *(word for word, name in typed.items() if word != name)}
    held = np.zeros(len(base), np.int64)
    held[used] = 1
    called: dict[int, str] = {0: next(iter(parents))}
    for node in np.flatnonzero(base.sum_up(held))[1:].tolist():
        name = base.names[node]
        while name in taken:
            name += KINDS
        called[node] = name
        taken.add(name)
        parents[name] = called[int(base.parent[node])]
    by_name = {base.names[node]: name for node, name in called.items() if node}
    parents |= {word: by_name[name] for word, name in typed.items() if word != by_name[name]}
