"""Documents as an original: each the vector of its most frequent terms, with relative weights, and the words left out, counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.accounting import Ledger
from shoal.data.bags import Bags, Ints, Small
from shoal.data.input_shapes import Shape
from shoal.data.original import AnyOriginal

LESS_FREQUENT = "dropped: less frequent terms"
SHORT_WORDS = "dropped: words shorter than 3 letters"
ONLY_STOP_WORDS = "dropped: stop words"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DocumentOriginal(AnyOriginal):
    """Documents as bags of terms, at most `most_terms` of each.

    `places` has the noun of WordNet that each term is, -1 for a word that is kept although WordNet lacks it. `totals` are the occurrences
    of all terms of a document, also of those beyond the most frequent: weights are shares of these. `words` is the account of all words.
    """

    vectors: Bags
    places: Small
    totals: Ints
    words: Ledger
    most_terms: int
    less_frequent: int = 0

    @property
    def shape(self) -> Shape:
        """Documents."""
        return "documents"

    @property
    def n_owners(self) -> int:
        """How many different people own them."""
        return self.vectors.n_owners

    def to_account(self) -> dict[str, int]:
        """Documents, and occurrences of the terms in their vectors."""
        return {"records": len(self.vectors), "terms": self.vectors.occurrences}

    @property
    def weights(self) -> Floats:
        """The weight of every entry of the vectors."""
        return np.asarray(self.vectors.counts / np.repeat(self.totals, np.diff(self.vectors.indptr)))

    def content_order(self) -> Ints:
        """The documents' numbers in an order by content, whatever the order in which they arrived."""
        ranks = np.lexsort((self.vectors.owner_ranks(), self.totals))
        ties = np.empty(len(ranks), np.int64)
        same = np.stack([self.totals, self.vectors.owner_ranks()])[:, ranks]
        ties[ranks] = np.concatenate([[0], np.cumsum((np.diff(same) != 0).any(axis=0))])[: len(ranks)]
        return self.vectors.content_order(ties)
