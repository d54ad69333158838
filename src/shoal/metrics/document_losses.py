"""What document vectors lose: sums of squared distances within groups (SSE), between them (SSA), and of all documents (SST).

SST is computed directly, as distances to the vector of all documents together. For vectors that are made by generalization it is not the
sum of SSE and SSA; the literature's L is 100 SSE / SST.
"""

from __future__ import annotations

import math

from shoal.data.input_shapes import Shape
from shoal.data.original import DocumentOriginal
from shoal.data.release import Release
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.metrics import Metric
from shoal.microaggregation.document_space import DocumentSpace, space_of

_KINDS: frozenset[str] = frozenset({"weighted bags"})
_TAKES: frozenset[Shape] = frozenset({"documents"})


def sse(release: Release, original: DocumentOriginal) -> float:
    """Squared distances of documents to the vectors that are published for them."""
    space = space_of(original)
    return math.fsum(space.to_published(row, names) ** 2 for row, names in enumerate(_published(release, space)))


def ssa(release: Release, original: DocumentOriginal) -> float:
    """Squared distances of the published vectors to the vector of all documents."""
    space = space_of(original)
    middle = space.middle()
    return math.fsum(space.between(names, middle) ** 2 for names in _published(release, space))


def sst(release: Release, original: DocumentOriginal) -> float:
    """Squared distances of documents to the vector of all of them; the same for every release."""
    space = space_of(original)
    middle = space.middle()
    return math.fsum(space.to_published(row, middle) ** 2 for row in range(len(space)))


def semantic_loss(release: Release, original: DocumentOriginal) -> float:
    """SSE / SST; 0 if all documents are alike and nothing can be lost."""
    total = sst(release, original)
    return sse(release, original) / total if total else 0.0


def _published(release: Release, space: DocumentSpace) -> list[list[str]]:
    """Return the names published for each document of the space."""
    table = release.only(WeightedBagTable)
    assert release.secret is not None
    return table.frame["items"].gather(release.secret.rows()[space.documents]).to_list()


SEMANTIC_LOSS = Metric(
    "semantic_loss",
    "SSE / SST: distance of documents to their published vectors, relative to their distance to the overall mean",
    "lower",
    semantic_loss,
    needs_groups=True,
    kinds=_KINDS,
    takes=_TAKES,
)
SSE = Metric(
    "sse", "sum of squared distances of documents to their published vectors", "lower", sse, needs_groups=True, kinds=_KINDS, takes=_TAKES
)
SSA = Metric(
    "ssa",
    "sum of squared distances of published vectors to the overall mean vector",
    "higher",
    ssa,
    needs_groups=True,
    kinds=_KINDS,
    takes=_TAKES,
)
SST = Metric(
    "sst", "sum of squared distances of documents to the overall mean vector", "neither", sst, needs_groups=True, kinds=_KINDS, takes=_TAKES
)
