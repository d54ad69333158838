"""Base of methods that prevent the inference of sensitive items (rho-uncertainty).

A subclass determines the recoding; the sensitive items, their weights and the claims are implemented here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Ints
from shoal.data.claims import Model
from shoal.data.items import Items
from shoal.data.original import Original
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Infeasible, ParameterError, option
from shoal.itemsets.item_roles import chosen
from shoal.itemsets.sensitive_rules import Certainty, breaching
from shoal.methods.bases.recoding import RecodingMethod
from shoal.parameters import param
from shoal.privacy.evidence.known_sets import MOST_KNOWN
from shoal.privacy.rho_uncertainty import RhoUncertainty

Mask = npt.NDArray[np.bool_]

MOST_WORTH = 1_000


@dataclass(frozen=True, eq=False)
class Sensitive:
    """The sensitive items, and the items in the records."""

    taxonomy: Taxonomy
    mask: Mask
    held: Mask

    @cached_property
    def here(self) -> Mask:
        """The sensitive items that occur in some record."""
        return self.mask & self.held

    def named(self, those: Mask) -> Items:
        """Return the sensitive ones among these items by name, for a claim."""
        names = self.taxonomy.names
        return Items(names=frozenset(names[int(item)] for item in np.flatnonzero(self.here & those)))


@dataclass(frozen=True)
class InferenceMethod(RecodingMethod):
    """A method after which no items of a record disclose one of its sensitive items with a confidence above rho."""

    k = 1  # nobody is hidden among others

    rho: float = param(0.5, minimum=0, maximum=1, help="largest accepted confidence of inferring a sensitive item")
    sensitive: Items | None = param(None, help="sensitive items, which must not be inferred")
    antecedent: int | None = param(None, minimum=0, maximum=MOST_KNOWN, help="number of items known to an attacker (default: any number)")
    weight: int = param(
        1, minimum=1, maximum=MOST_WORTH, help="loss of suppressing one sensitive occurrence, in occurrences of other items"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rho == 1:
            raise ParameterError(
                "rho must be below 1, which would allow certainty",
                code="out-of-range",
                hint="0.5 is a common choice",
                value=self.rho,
            )

    @property
    def limit(self) -> Certainty:
        """The confidence limit."""
        return Certainty(self.rho, self.antecedent)

    def claims(self) -> tuple[Model, ...]:
        """Claim rho-uncertainty for the items as named here."""
        return (RhoUncertainty(rho=self.rho, sensitive=self.sensitive, antecedent=self.antecedent),)

    def claims_of(self, sensitive: Sensitive, shown: Mask) -> tuple[Model, ...]:
        """Claim it for the sensitive items that were not suppressed: the names of suppressed ones stay secret."""
        return (RhoUncertainty(rho=self.rho, sensitive=sensitive.named(shown), antecedent=self.antecedent),)

    def sensitive_items(self, records: Bags, original: Original) -> Sensitive:
        """Return the sensitive items. Raise if none is named."""
        tree = original.tree
        hidden = chosen(tree.names, self.sensitive, "sensitive", original.taxonomy)
        if hidden is None:
            raise ParameterError(
                "no sensitive items are named",
                code="items-not-named",
                hint=f"name them with {option('sensitive', placeholder='FILE')}, or {option('sensitive', 'under:NODE')} of a taxonomy",
            )
        return Sensitive(tree, hidden, np.bincount(records.items, minlength=len(tree)) > 0)

    def suppression_note(self, records: Bags, sensitive: Sensitive, removed: Mask) -> str:
        """Return a private note: how many sensitive items were suppressed, and how many of these had to be, whatever else is known.

        Published, it would disclose that more than the share rho of all people have one of them.
        """
        lost, total = int((removed & sensitive.here).sum()), int(sensitive.here.sum())
        forced = len(breaching(records, sensitive.mask, self.limit, 0).rules)
        note = f"{lost:,} of {total:,} sensitive items were suppressed"
        if forced:
            note += f", {forced:,} of them because more than a share {self.rho:g} of all people have them"
        worth = ": a larger weight keeps some of them at the cost of other items" if forced < lost == total else ""
        return note + worth

    def refuse_nothing(self, published: Bags) -> None:
        """Raise if nothing is left to publish."""
        if not published.occurrences:
            raise Infeasible(
                f"nothing is left to publish: every item would reveal a sensitive one with a confidence above {self.rho:g}",
                code="nothing-to-publish",
                hint=f"try a larger rho, fewer sensitive items, or {option('antecedent')}, which limits what an attacker may know",
                limit=self.rho,
            )

    def worth(self, sensitive: Sensitive) -> Ints:
        """Return the weight of an occurrence of each item."""
        return np.where(sensitive.mask, self.weight, 1).astype(np.int64)
