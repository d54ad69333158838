"""The graph of affine queries, and its largest generalized core.

The affinity of two queries is twice the weight of the concepts of both, divided by the sum of the weights of each; equal ones have 1. They
are affine if it is at least theta = a/b, which is compared in whole numbers. Affine queries share the share c = a / (2b - a) of the weight
of each at least: from 2b * shared >= a * (one + other) and other >= shared follows (2b - a) * shared >= a * one. So if the concepts of all
queries are sorted alike, rarest first, the first that two affine queries share is followed, in each of them, by concepts (itself included)
of at least that share of its weight. Only queries that meet in such a concept are compared.

A core is a set of queries each of which at least k people asked, or asked a query of the set that is affine to it. The union of two cores
is a core, because a query keeps its neighbours and their people in a larger set. So there is one largest core, the union of all. Removing
queries with too few people never removes one of a core: as long as the core is in the rest, its queries have enough people there. What is
left at the end is a core, so it is the largest, in whatever order queries were removed (Batagelj and Zaversnik, "Generalized cores", 2002).
The same is true with a second condition that only grows with the set: at least n people use each word of a query, in queries of the set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from shoal import kernels
from shoal.data.bags import Ints, Small
from shoal.errors import Infeasible
from shoal.text.query_concepts import Concepts

if TYPE_CHECKING:
    import scipy.sparse as sp

Mask = npt.NDArray[np.bool_]
PAIRS_AT_ONCE = 200_000
MOST_PAIRS = 100_000_000
MEETINGS_AT_ONCE = 10_000_000  # entries of a product of sparse matrices, about


def affine_queries(concepts: Concepts, theta: Fraction) -> sp.csr_array:
    """Return the graph of affine queries as a symmetric matrix of ones; every query is affine to itself."""
    import scipy.sparse as sp

    shape = (concepts.n_queries, len(concepts.weights))
    whole = sp.csr_array((concepts.weights[concepts.numbers], (concepts.queries, concepts.numbers)), shape=shape)
    totals = np.bincount(concepts.queries, whole.data, minlength=shape[0]).astype(np.int64)
    ones = sp.csr_array((np.ones_like(whole.data), whole.indices, whole.indptr), shape=shape)
    first = _telling_concepts(concepts, totals, theta)
    itself = np.arange(shape[0], dtype=np.int32)
    holding, found, pairs = first.T.tocsr(), [(itself, itself)], 0
    for at, end in _blocks(first, np.diff(holding.indptr)):
        kernels.report("comparing queries", end, shape[0])
        met = (first[at:end] @ holding).tocoo()
        one, other = (met.coords[0] + at).astype(np.int32), met.coords[1].astype(np.int32)
        later = other > one
        near = list(_affine_pairs(whole, ones, totals, one[later], other[later], theta))
        found, pairs = found + near, pairs + sum(len(side) for side, _ in near)
        if pairs > MOST_PAIRS:
            raise _too_many_pairs()
    one, other = (np.concatenate(side) for side in zip(*found, strict=True))
    apart = one != other
    both = np.concatenate([one, other[apart]]), np.concatenate([other, one[apart]])
    return sp.csr_array((np.ones(len(both[0]), np.int32), both), shape=(shape[0], shape[0]))


def _too_many_pairs() -> Infeasible:
    return Infeasible(
        f"more than {MOST_PAIRS:,} pairs of queries are similar, too many to keep in memory",
        code="too-many-pairs",
        hint="raise theta, or take a part of the log",
        limit=MOST_PAIRS,
    )


def _telling_concepts(concepts: Concepts, totals: Ints, theta: Fraction) -> sp.csr_array:
    """Return the rarest concepts of each query: two affine queries have one of these in common."""
    import scipy.sparse as sp

    holders = np.bincount(concepts.numbers, minlength=len(concepts.weights))
    order = np.lexsort((concepts.numbers, holders[concepts.numbers], concepts.queries))
    queries, numbers = concepts.queries[order], concepts.numbers[order]
    weights = concepts.weights[numbers]
    before = np.cumsum(weights) - weights
    before -= np.repeat(before[np.searchsorted(queries, np.arange(len(totals)))], np.bincount(queries, minlength=len(totals)))
    rest = totals[queries] - before
    stays = rest * (2 * theta.denominator - theta.numerator) >= theta.numerator * totals[queries]
    there = queries[stays], numbers[stays]
    return sp.csr_array((np.ones(len(there[0]), np.int32), there), shape=(len(totals), len(concepts.weights)))


def _affine_pairs(
    whole: sp.csr_array, ones: sp.csr_array, totals: Ints, one: Small, other: Small, theta: Fraction
) -> Iterator[tuple[Small, Small]]:
    """Yield the affine ones of these pairs of queries; `whole` has the weights of their concepts, `ones` has ones in their place."""
    for at in range(0, len(one), PAIRS_AT_ONCE):
        left, right = one[at : at + PAIRS_AT_ONCE], other[at : at + PAIRS_AT_ONCE]
        shared = np.asarray(whole[left].multiply(ones[right]).sum(axis=1)).ravel().astype(np.int64)
        near = 2 * theta.denominator * shared >= theta.numerator * (totals[left] + totals[right])
        yield left[near], right[near]


@dataclass(frozen=True, eq=False)
class CoreRules:
    """What a core must have: k people around each query, and `word_people` for each word of it, if that is a number."""

    k: int
    word_people: int | None = None


def largest_core(affine: sp.csr_array, issued: sp.csr_array, words: sp.csr_array, rules: CoreRules) -> Mask:
    """Return a mask of the queries in the largest core.

    Args:
        affine: The graph: a row and a column for each query.
        issued: The people who issued each query, as ones.
        words: The words of each query, as ones.
        rules: What a core must have.
    """
    stays, holding = np.ones(affine.shape[0], bool), words.T.tocsr()
    unsure = np.flatnonzero(stays)
    while True:
        kernels.report("removing queries", int((~stays).sum()), 0)
        few = unsure[_distinct_people(affine[unsure], _rows_where(issued, stays)) < rules.k]
        stays[few] = False
        if rules.word_people is not None:
            rare = _distinct_people(holding, _rows_where(issued, stays)) < rules.word_people
            wordy = np.flatnonzero(stays & (words @ rare.astype(np.int64) > 0))
            stays[wordy] = False
            few = np.concatenate([few, wordy])
        if not len(few):  # words are counted again after every removal: queries that are not affine may share one
            return stays
        near = np.zeros(len(stays), bool)
        near[affine[few].indices] = True
        unsure = np.flatnonzero(near & stays)


def _rows_where(matrix: sp.csr_array, stays: Mask) -> sp.csr_array:
    """Return a matrix without the entries of the other rows."""
    import scipy.sparse as sp

    sizes = np.where(stays, np.diff(matrix.indptr), 0)
    kept = matrix.indices[np.repeat(stays, np.diff(matrix.indptr))]
    return sp.csr_array((np.ones(len(kept), np.int32), kept, np.append(0, np.cumsum(sizes))), shape=matrix.shape)


def _distinct_people(rows: sp.csr_array, issued: sp.csr_array) -> Ints:
    """Count the different people who issued one of the queries of each row."""
    counts = [np.zeros(0, np.int64)]
    for at, end in _blocks(rows, np.diff(issued.indptr)):
        kernels.checkpoint()
        counts.append(np.diff((rows[at:end] @ issued).indptr).astype(np.int64))
    return np.concatenate(counts)


def _blocks(rows: sp.csr_array, sizes: Ints) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows whose product with a matrix, whose rows have these sizes, fits into memory."""
    work = np.append(0, np.cumsum(sizes[rows.indices].astype(np.int64)))[rows.indptr]
    block = work[1:] // MEETINGS_AT_ONCE
    ends = np.append(np.flatnonzero(np.diff(block)) + 1, rows.shape[0])
    at = 0
    for end in ends[ends > 0].tolist():
        yield at, end
        at = end
