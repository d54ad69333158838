"""Words that disassociation suppresses: those of fewer than k people, and those that would then be linked to others.

An attacker who knows that at least k people have every published word knows this of a word in a term chunk too. If a of the n records of a
cluster have a word of a record chunk and a + k exceeds n, both certainly occur together in some records. So words in more than n - k
records go to the term chunk, where only k are certain. Two words of a term chunk certainly meet if n is below 2k; in such small clusters
words are suppressed in the whole release instead.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Bags, Ints
from shoal.itemsets.shared_chunks import TERM_CHUNK, Chunking
from shoal.util.numbers import distinct

Mask = npt.NDArray[np.bool_]


def rare_words(bags: Bags, k: int) -> Mask:
    """Return a mask of the words that fewer than k people have."""
    holders = pl.DataFrame({"item": bags.items, "owner": np.repeat(bags.owners, np.diff(bags.indptr))}).unique()["item"].to_numpy()
    return np.asarray(np.bincount(holders, minlength=len(bags.vocabulary)) < k)


def without_words(bags: Bags, unwanted: Mask) -> Bags:
    """Return the records without these words; a record may become empty."""
    codes = np.where(unwanted, -1, np.arange(len(unwanted))).astype(np.int32)
    return bags.relabelled(codes, bags.vocabulary)


def settled(found: Chunking, k: int) -> Chunking:
    """Return the clusters with words of more than n - k of the n records moved to the term chunk, if there is one."""
    own, sizes = found.clusters[found.record], np.bincount(found.clusters)
    with_terms = np.zeros(len(sizes), bool)
    with_terms[own[found.chunks == TERM_CHUNK]] = True
    pairs = own * len(found.records.vocabulary) + found.records.items
    _, place, held = np.unique(pairs, return_inverse=True, return_counts=True)
    heavy = with_terms[own] & (held[place.ravel()] > sizes[own] - k)
    return replace(found, chunks=np.where(heavy, TERM_CHUNK, found.chunks).astype(np.int32))


def tied_words(before: Chunking, after: Chunking, k: int) -> Mask:
    """Return a mask of words to suppress, because a cluster of fewer than 2k records has several in its term chunk.

    These are the words that were there before others were added; if all words of the cluster were, all except the most frequent one.
    """
    unwanted = np.zeros(len(after.records.vocabulary), bool)
    own, sizes = after.clusters[after.record], np.bincount(after.clusters)
    items, ranks = after.records.items, after.records.vocabulary.names.rank("ordinal").to_numpy()
    for cluster in np.flatnonzero(sizes < 2 * k):
        here = own == cluster
        there = distinct(items[here & after.in_terms])
        if len(there) < 2:
            continue
        first = distinct(items[here & (before.chunks == TERM_CHUNK) & after.in_terms])
        whole = len(first) in (0, len(distinct(items[here])))
        unwanted[_but_the_first(there, items[here], ranks) if whole else first] = True
    return unwanted


def _but_the_first(words: Ints, occurring: Ints, ranks: Ints) -> Ints:
    """Return all except the most frequent of these words; of ties the first by name stays."""
    held = np.bincount(occurring, minlength=int(words.max()) + 1)[words]
    order = np.lexsort((ranks[words], -held))
    return np.asarray(words[order[1:]])
