"""Original: the prepared input of methods, models and metrics, with counted preparation steps.

`AnyOriginal` is the base class of all kinds of input; `Original` has records of items, the other classes rows of logs and tables.

Preparation may rename words: WordNet maps *automobile* to the node *car*. So an Original contains its records twice: as `typed`, and as
`bags` over the working vocabulary, with the item for each typed name. A release is compared with an original in one vocabulary only:
`aligned` translates it by names, or rejects it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal import _kernels, kernels
from shoal.data.accounting import Ledger, changed, gone, kept
from shoal.data.bags import Bags, Ints, Small
from shoal.data.input_shapes import Shape
from shoal.data.log import Log
from shoal.data.table import Table
from shoal.data.tables.access_log import COLUMNS
from shoal.errors import InputError, option
from shoal.util.numbers import distinct

if TYPE_CHECKING:
    from shoal.data.release import Release
    from shoal.data.taxonomy import Taxonomy


SUPPRESSED = "*"  # what most tools write for any item

# Parts of the ledger of words, for preparation.
NOT_IN_TAXONOMY = "dropped: not in the taxonomy"
REPEATED = "dropped: repeated in its record"
STOP_WORDS = "dropped: stop words and single letters"
FEW_PEOPLE = "dropped: too few people have the item"
UNKNOWN_KEPT = "not in the taxonomy"
JOINED = "joined to the word before"  # in an item of several words
BY_RELATED = "placed by a related noun"


@dataclass(frozen=True)
class Steps:
    """Effects of preparation on the words of the input, in occurrences. Every word belongs to exactly one of the first eight or to
    `few_people`.
    """

    as_typed: int
    lower_cased: int = 0
    renamed: int = 0
    unknown_kept: int = 0
    unknown_dropped: int = 0
    stop_words: int = 0
    joined: int = 0
    related: int = 0
    unknown_terms: int = 0
    repeats_dropped: int = 0
    few_people: int = 0
    rare_items: int = 0

    @property
    def ledger(self) -> Ledger:
        """Return the ledger of the words by effect of preparation."""
        parts = {
            "unchanged": kept(self.as_typed),
            "lower-cased": changed(self.lower_cased),
            "under another name": changed(self.renamed),
            UNKNOWN_KEPT: kept(self.unknown_kept),
            NOT_IN_TAXONOMY: gone(self.unknown_dropped),
            STOP_WORDS: gone(self.stop_words),
            FEW_PEOPLE: gone(self.few_people),
        }
        parts |= {name: changed(n) for name, n in ((JOINED, self.joined), (BY_RELATED, self.related)) if n}
        return Ledger(sum(part.n for part in parts.values()), parts)


class AnyOriginal(ABC):
    """The input of a method of any shape: records, rows of a log, rows of a table."""

    @property
    @abstractmethod
    def shape(self) -> Shape:
        """The input shape that a method must support."""

    @property
    @abstractmethod
    def n_owners(self) -> int:
        """The number of distinct people."""

    @abstractmethod
    def to_account(self) -> dict[str, int]:
        """Return the totals that a release must account for, by ledger."""

    def columns(self) -> dict[str, list[str]]:
        """Return the columns by role for the manifest."""
        return {}

    @property
    def on_taxonomy(self) -> bool:
        """Whether items were placed on a taxonomy."""
        return False

    @property
    def renamed(self) -> int:
        """The number of words changed by preparation, which are therefore not published as typed."""
        return 0

    def aligned(self, release: Release) -> Release:
        """Return the release in the vocabulary of this original, if it has one."""
        return release


@dataclass(frozen=True, eq=False)
class Original(AnyOriginal):
    """Records as a method takes them, as typed, and the mapping between the two.

    `bags` are over the names of `tree`; `items` has the item of `tree` for each name of `typed`, -1 if it was dropped. `taxonomy` is the
    requested one, or None. If records were placed on it, `tree` is the taxonomy itself; otherwise names stay as typed, `tree` has them all
    directly below its root, and the taxonomy is used only to look up what lies below a node. `people` are the user IDs by user number, kept
    only if private items differ by person; they are never published.
    """

    bags: Bags
    tree: Taxonomy
    typed: Bags
    items: Small
    steps: Steps
    taxonomy: Taxonomy | None = None
    people: pl.Series | None = field(default=None, repr=False)

    @classmethod
    def on(cls, bags: Bags, taxonomy: Taxonomy) -> Original:
        """Make an original of records that are bags of taxonomy nodes already, and were typed so."""
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
        """The shape: sets or bags."""
        return "sets" if self.as_sets else "bags"

    @property
    def n_owners(self) -> int:
        """The number of distinct users."""
        return self.bags.n_owners

    def to_account(self) -> dict[str, int]:
        """Return the totals of records and item occurrences."""
        return {"records": len(self.bags), "occurrences": self.bags.occurrences}

    @property
    def renamed(self) -> int:
        """The number of words that are not as typed."""
        return self.steps.renamed + self.steps.lower_cased + self.steps.related

    @property
    def on_taxonomy(self) -> bool:
        """Whether records were placed on a taxonomy, so that items can be generalized."""
        return self.taxonomy is self.tree

    @cached_property
    def as_sets(self) -> bool:
        """Whether no record has a repeated item."""
        return int(self.bags.counts.max(initial=1)) == 1

    @cached_property
    def _spelled_codes(self) -> Small | None:
        """The item with exactly the name of each typed name, or -1; None if all names are equal."""
        named = self.tree.names.names.gather(np.maximum(self.items, 0))
        same = (named == self.typed.vocabulary.names).to_numpy() & (self.items >= 0)
        return None if same.all() else np.where(same, self.items, -1).astype(np.int32)

    @cached_property
    def spelled(self) -> Bags:
        """The number of occurrences of `bags` that were typed exactly as their item is named; in a set, one such word is enough."""
        codes = self._spelled_codes
        return self.bags if codes is None else self._spelled(self.typed, codes)

    def _spelled(self, typed: Bags, codes: Small) -> Bags:
        kept = typed.relabelled(codes, self.tree.names)
        return kept.as_sets() if self.as_sets else kept

    def misspelled(self, published: Bags, rows: Ints) -> int:
        """Count the occurrences that are published as their own item under another name than typed; `rows` has the published row of each
        record.
        """
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
        """Return the number of names in published records that are not names of this original. Models compare other tables."""
        if not release.of_records:
            return 0
        return int((self.codes(release)[distinct(release.published.items)] < 0).sum())

    def aligned(self, release: Release) -> Release:
        """Return the release in the vocabulary of this original. Raise if it contains other names.

        `*` represents any item: it is the root, unless it is a name of the original.
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
        """Whether `*` is published and interpreted as the root."""
        if not release.of_records:
            return False
        return bool(release.published.vocabulary.codes([SUPPRESSED])[0] >= 0 and self.bags.vocabulary.codes([SUPPRESSED])[0] < 0)

    def codes(self, release: Release) -> Small:
        """Return the item of this original for each name in a release's records, -1 if there is none."""
        names = release.published.vocabulary.names
        codes = self.bags.vocabulary.codes(names)
        return np.where((codes < 0) & (names == SUPPRESSED).to_numpy(), 0, codes).astype(np.int32)


def shared_occurrences(bags: Bags, published: Bags, rows: Ints) -> int:
    """Count the item occurrences that are published unchanged in the row of their record (-1: not published)."""
    shared: int = kernels.run(_kernels.shared_occurrences, bags.view, published.view, rows, kernels.threads())
    return shared


# Originals whose rows are published as rows: a log, an access log, and a table of microdata.


QUASI, KEPT = "quasi_identifiers", "left_as_they_are"  # what a manifest calls them


@dataclass(frozen=True, eq=False)
class LogOriginal(AnyOriginal):
    """A log with its further columns as read; a taxonomy may describe its words."""

    log: Log
    taxonomy: Taxonomy | None = None

    @property
    def on_taxonomy(self) -> bool:
        """Whether there is a taxonomy."""
        return self.taxonomy is not None

    @property
    def shape(self) -> Shape:
        """The shape: a log."""
        return "log"

    @property
    def n_owners(self) -> int:
        """The number of distinct users."""
        return self.log.n_owners

    def to_account(self) -> dict[str, int]:
        """Return the total of rows."""
        return {"rows": len(self.log)}


@dataclass(frozen=True, eq=False)
class BasketOriginal(LogOriginal):
    """Baskets as a log of items: its rows are not rows of the input."""

    def to_account(self) -> dict[str, int]:
        """Return the total of item occurrences."""
        return {"occurrences": len(self.log)}


@dataclass(frozen=True, eq=False)
class AccessOriginal(LogOriginal):
    """A log read from a web access log, with all its fields."""

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
        """The shape: an access log."""
        return "access log"


@dataclass(frozen=True, eq=False)
class TableOriginal(AnyOriginal):
    """A table of microdata as read."""

    table: Table

    @property
    def shape(self) -> Shape:
        """The shape: a table, with or without item sets."""
        return "table with items" if self.table.item_sets else "table"

    @property
    def n_owners(self) -> int:
        """The number of distinct users."""
        return self.table.n_owners

    def to_account(self) -> dict[str, int]:
        """Return the totals of rows, and of items if the table has item sets."""
        items = {"occurrences": sum(sets.occurrences for sets in self.item_sets)} if self.item_sets else {}
        return {"rows": len(self.table)} | items

    @cached_property
    def item_sets(self) -> tuple[Bags, ...]:
        """The records of each column of item sets."""
        return tuple(attribute.item_sets(self.table.owners) for attribute in self.table.item_sets)

    def columns(self) -> dict[str, list[str]]:
        """Return the quasi-identifiers, and the columns that stay unchanged."""
        kept = [attribute.name for attribute in self.table.attributes if not attribute.quasi]
        return {QUASI: [attribute.name for attribute in self.table.attributes if attribute.quasi], **({KEPT: kept} if kept else {})}


# Documents as an original: each is the vector of its most frequent terms with relative weights; dropped words are counted.


LESS_FREQUENT = "dropped: less frequent terms"
SHORT_WORDS = "dropped: words shorter than 3 letters"
ONLY_STOP_WORDS = "dropped: stop words"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DocumentOriginal(AnyOriginal):
    """Documents as bags of at most `most_terms` terms.

    `places` has the WordNet noun of each term, or its label in another `taxonomy`; -1 for a word that is kept although it is not there.
    `totals` are the occurrences of all terms of a document, including less frequent ones: weights are shares of these. `words` is the
    ledger of all words.
    """

    vectors: Bags
    places: Small
    totals: Ints
    words: Ledger
    most_terms: int
    less_frequent: int = 0
    taxonomy: Taxonomy | None = None  # None is WordNet

    @property
    def shape(self) -> Shape:
        """The shape: documents."""
        return "documents"

    @property
    def n_owners(self) -> int:
        """The number of distinct users."""
        return self.vectors.n_owners

    def to_account(self) -> dict[str, int]:
        """Return the totals of documents and of occurrences of the terms in their vectors."""
        return {"records": len(self.vectors), "terms": self.vectors.occurrences}

    @property
    def weights(self) -> Floats:
        """Return the weight of every entry of the vectors."""
        return np.asarray(self.vectors.counts / np.repeat(self.totals, np.diff(self.vectors.indptr)))

    def content_order(self) -> Ints:
        """Return the document numbers ordered by content, independent of the input order."""
        ranks = np.lexsort((self.vectors.owner_ranks(), self.totals))
        ties = np.empty(len(ranks), np.int64)
        same = np.stack([self.totals, self.vectors.owner_ranks()])[:, ranks]
        ties[ranks] = np.concatenate([[0], np.cumsum((np.diff(same) != 0).any(axis=0))])[: len(ranks)]
        return self.vectors.content_order(ties)
