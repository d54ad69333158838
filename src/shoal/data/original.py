"""Original: what was read, after preparation, and the counted steps that led there. What methods, models and metrics see.

`AnyOriginal` is what all kinds of input have in common; `Original` are records of items, rows of logs and tables are in `original_rows`.

Preparation may rename words: WordNet takes *automobile* for the node *car*. So an Original holds its records twice: as `typed`, and as
`bags` over the working vocabulary, with the item that each typed name became. A release is compared with an original in one vocabulary
only: `aligned` brings it there by names, or refuses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.accounting import Ledger, changed, gone, kept
from shoal.data.bags import Bags, Ints, Small
from shoal.data.input_shapes import Shape
from shoal.data.log import Log
from shoal.data.table import Table
from shoal.data.tables.access_log import COLUMNS
from shoal.errors import InputError, option

if TYPE_CHECKING:
    from shoal.data.release import Release
    from shoal.data.taxonomy import Taxonomy


SUPPRESSED = "*"  # what most tools write for any item

# Parts of an account that tell what preparation did.
NOT_IN_TAXONOMY = "dropped: not in the taxonomy"
REPEATED = "dropped: repeated in its record"
STOP_WORDS = "dropped: stop words and single letters"
UNKNOWN_KEPT = "unknown, kept"


@dataclass(frozen=True)
class Steps:
    """What preparation did to the words of the input, in occurrences. Every word falls into exactly one of the first six."""

    as_typed: int
    lower_cased: int = 0
    renamed: int = 0
    unknown_kept: int = 0
    unknown_dropped: int = 0
    stop_words: int = 0
    unknown_terms: int = 0
    repeats_dropped: int = 0

    @property
    def ledger(self) -> Ledger:
        """The words of the input, by what preparation made of them."""
        parts = {
            "as typed": kept(self.as_typed),
            "lower-cased": changed(self.lower_cased),
            "renamed": changed(self.renamed),
            UNKNOWN_KEPT: kept(self.unknown_kept),
            NOT_IN_TAXONOMY: gone(self.unknown_dropped),
            STOP_WORDS: gone(self.stop_words),
        }
        return Ledger(sum(part.n for part in parts.values()), parts)


class AnyOriginal(ABC):
    """What a method is given, whatever its shape: records, rows of a log, rows of a table."""

    @property
    @abstractmethod
    def shape(self) -> Shape:
        """What a method must take to work on this."""

    @property
    @abstractmethod
    def n_owners(self) -> int:
        """How many different people are in it."""

    @abstractmethod
    def to_account(self) -> dict[str, int]:
        """What a release must account for: the total of each ledger."""

    def columns(self) -> dict[str, list[str]]:
        """The columns by role that a manifest lists."""
        return {}

    @property
    def on_taxonomy(self) -> bool:
        """Whether items were put on a taxonomy."""
        return False

    @property
    def renamed(self) -> int:
        """How many words preparation changed, so that they are not published as they were typed."""
        return 0

    def aligned(self, release: Release) -> Release:
        """The release in the vocabulary of this original, where it has one."""
        return release


@dataclass(frozen=True, eq=False)
class Original(AnyOriginal):
    """Records as a method takes them, as they were typed, and how the one became the other.

    `bags` are over the names of `tree`; `items` has the item of `tree` that each name of `typed` became, -1 where it was dropped.
    `taxonomy` is what was requested: None, or a taxonomy. It is `tree` itself where records were put on it; otherwise names stay as they
    were typed, `tree` has them all directly below its root, and the taxonomy only says what lies under a node.
    """

    bags: Bags
    tree: Taxonomy
    typed: Bags
    items: Small
    steps: Steps
    taxonomy: Taxonomy | None = None

    @classmethod
    def on(cls, bags: Bags, taxonomy: Taxonomy) -> Original:
        """Records that are bags of taxonomy nodes already, and were typed so."""
        if not bags.vocabulary.names.equals(taxonomy.names.names):
            raise InputError(
                "these records do not belong to this taxonomy",
                code="taxonomy-mismatch",
                hint="see shoal.taxonomy.place_terms.place_terms",
            )
        bags = replace(bags, vocabulary=taxonomy.names)
        return cls(bags, taxonomy, bags, np.arange(len(taxonomy), dtype=np.int32), Steps(as_typed=bags.occurrences), taxonomy)

    @property
    def shape(self) -> Shape:
        """Sets or bags."""
        return "sets" if self.as_sets else "bags"

    @property
    def n_owners(self) -> int:
        """How many different people own the records."""
        return self.bags.n_owners

    def to_account(self) -> dict[str, int]:
        """Records and item occurrences."""
        return {"records": len(self.bags), "occurrences": self.bags.occurrences}

    @property
    def renamed(self) -> int:
        """How many words are not as they were typed."""
        return self.steps.renamed + self.steps.lower_cased

    @property
    def on_taxonomy(self) -> bool:
        """Whether records were put on a taxonomy, so that items can be generalized."""
        return self.taxonomy is self.tree

    @cached_property
    def as_sets(self) -> bool:
        """Whether no item is repeated in its record."""
        return int(self.bags.counts.max(initial=1)) == 1

    @cached_property
    def _spelled_codes(self) -> Small | None:
        """The item of each typed name that is called just so, -1 for other names; None if all are."""
        named = self.tree.names.names.gather(np.maximum(self.items, 0))
        same = (named == self.typed.vocabulary.names).to_numpy() & (self.items >= 0)
        return None if same.all() else np.where(same, self.items, -1).astype(np.int32)

    @cached_property
    def spelled(self) -> Bags:
        """The occurrences of `bags` that were typed just as their item is called; in a set one such word is enough."""
        codes = self._spelled_codes
        return self.bags if codes is None else self._spelled(self.typed, codes)

    def _spelled(self, typed: Bags, codes: Small) -> Bags:
        kept = typed.relabelled(codes, self.tree.names)
        return kept.as_sets() if self.as_sets else kept

    def misspelled(self, published: Bags, rows: Ints) -> int:
        """Occurrences that are published as their own item, whose name is not what was typed; `rows` has each record's published row."""
        codes, found = self._spelled_codes, 0
        if codes is None:
            return 0
        for begin, end in self.bags.blocks():
            some, spelled = self.bags.part(begin, end), self._spelled(self.typed.part(begin, end), codes)
            here = rows[begin:end]
            found += shared_occurrences(some, published, here) - shared_occurrences(spelled, published, here)
        return found

    # -- one vocabulary

    def foreign(self, release: Release) -> int:
        """How many names of published records are not among the names of this original; other tables are compared by their models."""
        if not release.of_records:
            return 0
        return int((self.codes(release)[np.unique(release.published.items)] < 0).sum())

    def aligned(self, release: Release) -> Release:
        """The release in the vocabulary of this original; one that holds other names is refused.

        `*` represents any item: where it is not a name of its own, it is the root.
        """
        if not release.of_records or release.published.vocabulary is self.bags.vocabulary:
            return release
        strange = self.foreign(release)
        if strange:
            raise InputError(
                f"{strange:,} published items are not names from the original",
                code="release-not-of-original",
                hint="give the original and the taxonomy that the release was made with",
                foreign=strange,
            )
        return release.republished(release.published.relabelled(self.codes(release), self.bags.vocabulary))

    def reads_stars(self, release: Release) -> bool:
        """Whether `*` is published and taken for the root."""
        if not release.of_records:
            return False
        return bool(release.published.vocabulary.codes([SUPPRESSED])[0] >= 0 and self.bags.vocabulary.codes([SUPPRESSED])[0] < 0)

    def codes(self, release: Release) -> Small:
        """The item of this original that each name of a release's records is, -1 where it is none."""
        names = release.published.vocabulary.names
        codes = self.bags.vocabulary.codes(names)
        return np.where((codes < 0) & (names == SUPPRESSED).to_numpy(), 0, codes).astype(np.int32)


def shared_occurrences(bags: Bags, published: Bags, rows: Ints) -> int:
    """How many item occurrences are published as themselves in the row of their record (-1: not published)."""
    shared: int = kernels.run(_kernels.shared_occurrences, bags.view, published.view, rows, kernels.threads())
    return shared


# Originals whose rows are published as rows: those of a log, of an access log, and of a table of microdata.


QUASI, KEPT = "quasi_identifiers", "left_as_they_are"  # what a manifest calls them


@dataclass(frozen=True, eq=False)
class LogOriginal(AnyOriginal):
    """A log with its further columns, just as it was read; a taxonomy may tell what its words are about."""

    log: Log
    taxonomy: Taxonomy | None = None

    @property
    def on_taxonomy(self) -> bool:
        """Whether a taxonomy is at hand."""
        return self.taxonomy is not None

    @property
    def shape(self) -> Shape:
        """A log."""
        return "log"

    @property
    def n_owners(self) -> int:
        """How many different people the events belong to."""
        return self.log.n_owners

    def to_account(self) -> dict[str, int]:
        """Rows."""
        return {"rows": len(self.log)}


@dataclass(frozen=True, eq=False)
class BasketOriginal(LogOriginal):
    """Baskets as a log of items: its rows are not rows of what was read."""

    def to_account(self) -> dict[str, int]:
        """Item occurrences."""
        return {"occurrences": len(self.log)}


@dataclass(frozen=True, eq=False)
class AccessOriginal(LogOriginal):
    """A log that was read from a web access log, with all its fields."""

    def __post_init__(self) -> None:
        missing = [name for name in COLUMNS if name not in self.log.frame.columns]
        if missing:
            raise InputError(
                f"an access log has a column {missing[0]!r}, but this log has none",
                code="missing-column",
                hint=f"see {option('format', 'accesslog')}",
            )

    @property
    def shape(self) -> Shape:
        """An access log."""
        return "access log"


@dataclass(frozen=True, eq=False)
class TableOriginal(AnyOriginal):
    """A table of microdata, just as it was read."""

    table: Table

    @property
    def shape(self) -> Shape:
        """A table."""
        return "table"

    @property
    def n_owners(self) -> int:
        """How many different people own the rows."""
        return self.table.n_owners

    def to_account(self) -> dict[str, int]:
        """Rows."""
        return {"rows": len(self.table)}

    def columns(self) -> dict[str, list[str]]:
        """Quasi-identifiers, and the columns that are left as they are."""
        kept = [attribute.name for attribute in self.table.attributes if not attribute.quasi]
        return {QUASI: [attribute.name for attribute in self.table.quasi], **({KEPT: kept} if kept else {})}


# Documents as an original: each the vector of its most frequent terms, with relative weights, and the words left out, counted.


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
