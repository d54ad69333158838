"""Words that disassociation withholds: those of fewer than k people, and those that would be tied to others once that is known.

An attacker who knows that at least k people hold every published word knows that of a word in a term chunk too. Of the n records of a
cluster, a
hold a word of a record chunk: if a + k is more than n, both are certain to be together in some records. So words that more than n - k
records hold go to the term chunk, where only k are certain. Two words of a term chunk are certain to meet if n is below 2k; in such small
clusters words are left out of the whole release instead.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Bags, Ints
from shoal.itemsets.disassociation import TERM_CHUNK, Chunking

Mask = npt.NDArray[np.bool_]


def rare_words(bags: Bags, k: int) -> Mask:
    """Marks the words of the vocabulary that fewer than k people hold."""
    holders = pl.DataFrame({"item": bags.items, "owner": np.repeat(bags.owners, np.diff(bags.indptr))}).unique()["item"].to_numpy()
    return np.asarray(np.bincount(holders, minlength=len(bags.vocabulary)) < k)


def without_words(bags: Bags, unwanted: Mask) -> Bags:
    """The same records without these words; a record may be left empty."""
    codes = np.where(unwanted, -1, np.arange(len(unwanted))).astype(np.int32)
    return bags.relabelled(codes, bags.vocabulary)


def settled(found: Chunking, k: int) -> Chunking:
    """The same clusters; where one has a term chunk, words of more than n - k of its n records are in it too."""
    own, sizes = found.clusters[found.record], np.bincount(found.clusters)
    with_terms = np.zeros(len(sizes), bool)
    with_terms[own[found.chunks == TERM_CHUNK]] = True
    pairs = own * len(found.records.vocabulary) + found.records.items
    _, place, held = np.unique(pairs, return_inverse=True, return_counts=True)
    heavy = with_terms[own] & (held[place.ravel()] > sizes[own] - k)
    return replace(found, chunks=np.where(heavy, TERM_CHUNK, found.chunks).astype(np.int32))


def tied_words(before: Chunking, after: Chunking, k: int) -> Mask:
    """Marks words to leave out, because a cluster of fewer than 2k records has several in its term chunk.

    These are the words that were there before others joined them; if all words of the cluster were, all but the most frequent one.
    """
    unwanted = np.zeros(len(after.records.vocabulary), bool)
    own, sizes = after.clusters[after.record], np.bincount(after.clusters)
    items, ranks = after.records.items, after.records.vocabulary.names.rank("ordinal").to_numpy()
    for cluster in np.flatnonzero(sizes < 2 * k):
        here = own == cluster
        there = np.unique(items[here & after.in_terms])
        if len(there) < 2:
            continue
        first = np.unique(items[here & (before.chunks == TERM_CHUNK) & after.in_terms])
        whole = len(first) in (0, len(np.unique(items[here])))
        unwanted[_but_the_first(there, items[here], ranks) if whole else first] = True
    return unwanted


def _but_the_first(words: Ints, occurring: Ints, ranks: Ints) -> Ints:
    """All but the most frequent of these words; of equals the first by name stays."""
    held = np.bincount(occurring, minlength=int(words.max()) + 1)[words]
    order = np.lexsort((ranks[words], -held))
    return np.asarray(words[order[1:]])
