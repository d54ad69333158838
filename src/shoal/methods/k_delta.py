"""k-delta-anonymity: groups of people with similar items, whose records are brought within a distance of each other.

Hong, He, Vaidya, Adam and Atluri, "Effective anonymization of query logs", CIKM 2009. A record and the k-1 most similar records form a
group; items are added to its records and removed from them until each is within Jaccard distance delta of k-1 others.

Guarantee: every published record has k-1 records of other people within delta of it; with delta = 0 they are identical. For delta > 0 it
does not bound the probability of linking a person. Time: for each group one scan of the lists of records with an item of its first record;
then items and members of each group.

Deviations from the paper: the poster gives the definition and a sketch. Here similarity is Jaccard's on items, distances are compared as
fractions, people are counted if they own several records, and the price of an added item determines how removed and added items are
weighed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal import kernels
from shoal.data.accounting import kept
from shoal.data.bags import Bags, Ints, Small
from shoal.data.claims import Model
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.errors import Infeasible, ParameterError
from shoal.itemsets.similar_groups import like_groups
from shoal.itemsets.within_distance import Mask, by_holders, closed
from shoal.methods import Method
from shoal.methods.bases.grouping import content_order
from shoal.methods.bases.release_builder import RecordOutcomes, build_release, present_records
from shoal.parameters import param
from shoal.privacy.k_delta import LARGEST_DELTA, MOST_DECIMALS, KDeltaAnonymity
from shoal.util.numbers import distinct
from shoal.util.wording import counted, percent


@dataclass(frozen=True)
class KDelta(Method):
    """Adds and removes items in groups of similar people until each record is within a given distance of k-1 others."""

    name = "k-delta"
    paper = "Hong, He, Vaidya, Adam and Atluri, CIKM 2009"
    takes = frozenset({"sets"})
    publishes = "sets"

    k: int = param(5, minimum=2, help="minimum number of people whose records are within delta of each other")
    delta: float = param(0.5, minimum=0, maximum=LARGEST_DELTA, help="largest Jaccard distance between such records")
    price: float = param(1.0, minimum=0, maximum=1000, help="cost of adding an item, relative to removing one")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in (("delta", self.delta), ("price", self.price)):
            if Fraction(str(value)).denominator > 10**MOST_DECIMALS:
                raise ParameterError(f"{name} has at most {MOST_DECIMALS} decimals, unlike {value}", code="too-many-decimals", value=value)

    @property
    def needs_taxonomy(self) -> bool:
        """False: items stay as typed."""
        return False

    def claims(self) -> tuple[Model, ...]:
        """Claim k-delta-anonymity."""
        return (KDeltaAnonymity(k=self.k, delta=self.delta),)

    def apply(self, original: Original) -> Release:
        """Group the non-empty records, bring those of each group together, and account for all items."""
        present = present_records(original.bags, self.k)
        records = present.records
        published, rows = self._published(records, like_groups(records, content_order(records), self.k))
        if not len(published):
            hint = "a smaller k, a larger delta, or a smaller price of added items"
            raise Infeasible(
                "nothing is left to publish: in every group, removing all items costs least", code="nothing-to-publish", hint=hint
            )
        own = _own_words(records, published, rows)
        added = published.occurrences - own
        note = f"{counted(added, 'item was', 'items were')} added to records of people who did not have them: "
        note += f"{percent(added / published.occurrences)} of all published items"
        return build_release(self, original, present, RecordOutcomes(published, rows, {"kept": kept(own)}, self.claims(), (note,)))

    def _published(self, records: Bags, groups: list[Ints]) -> tuple[Bags, Ints]:
        """Return the published records, and the row of each record; records of a group with nothing left are suppressed."""
        delta, price = Fraction(str(self.delta)), Fraction(str(self.price))
        rows = np.full(len(records), -1, np.int64)
        sizes: list[int] = [0]
        items: list[Small] = [np.zeros(0, np.int32)]
        for number, members in enumerate(groups):
            kernels.report("bringing together", number + 1, len(groups))
            words, held = _incidence(records, members)
            repeat = len(distinct(records.owners[members])) < len(members)
            shown = closed(held, self.k, delta, price, all_pairs=repeat)
            if shown.any():
                rows[members] = len(sizes) - 1 + np.arange(len(members))
                sizes += shown.sum(axis=1).tolist()
                items.append(words[np.nonzero(shown)[1]])
        every = np.concatenate(items)
        return Bags.from_rows(np.cumsum(sizes), every, np.ones(len(every), np.int32), records.vocabulary), rows


def _incidence(records: Bags, members: Ints) -> tuple[Small, Mask]:
    """Return the items of these records, the most frequent first, and which member has which."""
    held = [records.items[records.indptr[member] : records.indptr[member + 1]] for member in members]
    words, place = np.unique(np.concatenate(held), return_inverse=True)
    matrix = np.zeros((len(members), len(words)), bool)
    matrix[np.repeat(np.arange(len(members)), [len(one) for one in held]), place] = True
    order = by_holders(matrix)
    return words[order], matrix[:, order]


def _own_words(records: Bags, published: Bags, rows: Ints) -> int:
    """Count the published items that the people of the records typed themselves."""
    width = len(records.vocabulary)
    typed = np.repeat(rows, np.diff(records.indptr)) * width + records.items
    shown = np.repeat(np.arange(len(published)), np.diff(published.indptr)) * width + published.items
    return len(np.intersect1d(typed, shown))
