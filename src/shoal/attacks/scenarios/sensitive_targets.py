"""The sensitive items of an attack: as a claim names and counts them, or as the user does.

A claim about its items defines what an item is: one node, or everything that a name may mean. Other names from the user are interpreted as
broadly as possible, and no claim covers them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from shoal.attacks.scenarios import Scenario, Skipped
from shoal.data.bags import Bags
from shoal.data.claims import Model
from shoal.data.items import Items
from shoal.data.original import Original
from shoal.errors import ParameterError, option
from shoal.itemsets.sensitive_nodes import SensitiveNodes
from shoal.privacy.evidence.claimed_item_roles import roles_of

if TYPE_CHECKING:
    import scipy.sparse as sp


@dataclass(frozen=True, eq=False)
class SoughtItems:
    """The items to infer, and the claims that cover exactly these items."""

    items: Items
    widely: bool
    claims: tuple[Model, ...]

    @classmethod
    def of(cls, scenario: Scenario) -> SoughtItems:
        """Return the items that the user names, otherwise those of a claim. Without any, the attack is skipped."""
        sought = scenario.sensitive
        named = [(claim, items) for claim in scenario.claims if (items := claim.sensitive_items) is not None]
        if sought is None:
            known = [(claim, items) for claim, items in named if items.under is not None or items.names]
            if not known:
                raise Skipped(f"no sensitive items are listed; name them with {option('sensitive')}")
            named, sought = [one for one in known if one[1] == known[0][1]], known[0][1]
        claims = tuple(claim for claim, items in named if items.may_be(sought))
        return cls(sought, all(claim.reads_items_widely for claim in claims), claims)

    @classmethod
    def of_narrower_claim(cls, scenario: Scenario) -> SoughtItems | None:
        """Return the items of a claim that are some of the user's, for methods whose claim leaves out suppressed items."""
        sought = scenario.sensitive
        named = [items for claim in scenario.claims if (items := claim.sensitive_items) is not None and items.names]
        if sought is None or not named or any(items.may_be(sought) for items in named):
            return None
        some = sought.names is None or (named[0].names or frozenset()) < sought.names
        return cls.of(replace(scenario, sensitive=named[0])) if some else None

    def promised(self, test: str, known: int | None) -> float | None:
        """Return the lowest guaranteed probability for these items."""
        limits = [limit for claim in self.claims if (limit := claim.ceiling(test, known)) is not None]
        return min(limits, default=None)

    def meant_by(self, original: Original) -> sp.csr_matrix:
        """Return a binary matrix of nodes by sensitive items: having the node means having the item."""
        tree = original.tree
        if self.widely:
            found = SensitiveNodes.of(tree, self.items)
            pairs = [(node, item) for item, nodes in enumerate(found.nodes) for top in nodes for node in range(top, int(tree.end[top]))]
            return _ones(pairs, (len(tree), len(found.names)))
        private = np.flatnonzero(roles_of(tree.names, self.items, None, original.taxonomy, strict=False).private)
        if not len(private):
            raise ParameterError("none of the sensitive items is in the data", code="items-not-in-data", hint="check the spelling")
        return _ones([(int(node), item) for item, node in enumerate(private)], (len(tree), len(private)))


def held_in(bags: Bags, meant: sp.csr_matrix) -> sp.csr_matrix:
    """Return a binary matrix of records by sensitive items."""
    import scipy.sparse as sp

    shape = (len(bags), meant.shape[0])
    entries = sp.csr_matrix((np.ones(len(bags.items), np.int64), bags.items, bags.indptr), shape=shape)
    return sp.csr_matrix((entries @ meant > 0).astype(np.int64))


def harmless(meant: sp.csr_matrix) -> npt.NDArray[np.bool_]:
    """Return which nodes are not sensitive."""
    return np.asarray(meant.getnnz(axis=1) == 0)


def _ones(pairs: Iterable[tuple[int, int]], shape: tuple[int, int]) -> sp.csr_matrix:
    import scipy.sparse as sp

    places = np.unique(np.array(list(pairs), np.int64).reshape(-1, 2), axis=0)
    return sp.csr_matrix((np.ones(len(places), np.int64), (places[:, 0], places[:, 1])), shape=shape)
