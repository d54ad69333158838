"""Local recoding for k^m-anonymity: the best of several searches, for all records together or for each of several groups of them.

Items are generalized from above (`km_recoding.py`) and from below (`km_from_below.py`); the result with the least loss, or the most items
as typed, is taken.
"""

from __future__ import annotations

import numpy as np

from shoal.data.bags import Bags, Ints, Small
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets.km_from_below import NOTHING, Mask, RecordsHere, both_ways, most_words
from shoal.itemsets.km_recoding import RecodingSteps, coherent_items, places_loss, recoded_places, recoding_in_background
from shoal.util.numbers import distinct, members_of

LOSS, WORDS = "loss", "words"
FROM_ABOVE = RecodingSteps("by size", undo=True, local=True)
SMALL = 1_000  # records for which a second thread takes longer than it saves


def local_recoding(records: Bags, taxonomy: Taxonomy, k: int, m: int, aim: str) -> Small:
    """Return the published node of each occurrence, negative if suppressed: the best search by loss, or by words of those from below."""
    if aim == WORDS:
        return most_words(_from_below(records, taxonomy, k, m)).shown()
    if len(records) <= SMALL:
        ways = [way.shown() for way in _from_below(records, taxonomy, k, m)]
        return min([*ways, recoded_places(records, taxonomy, k, m, FROM_ABOVE)], key=lambda places: places_loss(places, taxonomy))
    with recoding_in_background(records, taxonomy, k, m, FROM_ABOVE) as from_above:
        ways = [way.shown() for way in _from_below(records, taxonomy, k, m)]
        return min([*ways, from_above()], key=lambda places: places_loss(places, taxonomy))


def _from_below(records: Bags, taxonomy: Taxonomy, k: int, m: int) -> list[RecordsHere]:
    """Return the results of both searches from below."""
    settled = np.zeros(len(taxonomy), bool)
    settled[coherent_items(records, k, m)] = True

    def begin(first: Mask | None) -> RecordsHere:
        return RecordsHere(records, taxonomy, k, m, first)

    return both_ways(begin, settled)


def recoding_in_groups(records: Bags, taxonomy: Taxonomy, group: Ints, k: int, m: int, aim: str) -> Small:
    """Do the same for each group of records by itself; records may be empty. Groups are numbered from 0 without gaps."""
    places = np.full(len(records.items), NOTHING, np.int32)
    for rows in members_of(group):
        filled = rows[records.lengths[rows] > 0]
        some = records.select(filled)
        if some.n_owners < k:  # every set is held by fewer than k people
            continue
        here = np.concatenate([np.arange(records.indptr[row], records.indptr[row + 1]) for row in filled])
        tree, nodes = taxonomy.only(distinct(some.items.astype(np.int64)))
        numbers = np.searchsorted(nodes, np.arange(len(taxonomy))).astype(np.int32)
        found = local_recoding(some.renumbered(numbers, tree.names), tree, k, m, aim)
        places[here] = np.where(found >= 0, nodes[np.maximum(found, 0)], NOTHING)
    return places
