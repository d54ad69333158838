"""The common ground of all methods that publish one record per group.

A subclass says how to group and what to publish for a group; withholding, accounting and claims are done here once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from shoal import _kernels, kernels
from shoal.data.accounting import Accounting, Ledger
from shoal.data.bags import Bags, Ints
from shoal.data.choice import plain_values
from shoal.data.original import Original, shared_occurrences
from shoal.data.release import Release, Secret
from shoal.errors import Infeasible
from shoal.methods import Method
from shoal.taxonomy.tree import Taxonomy


class GroupingMethod(Method):
    """A method that puts every record in a group of at least k people and publishes one record for all of them."""

    k: int

    @abstractmethod
    def form_groups(self, bags: Bags, taxonomy: Taxonomy) -> tuple[Ints, Bags]:
        """A group label from 0 for every record, none of which is empty, and the published record of each group."""

    def apply(self, original: Original) -> Release:
        """Withhold empty records, group the others, publish one record a group, and account for all."""
        bags, taxonomy = original.bags, original.tree
        present, used = present_records(bags, self.k)
        groups, published = self.form_groups(used, taxonomy)
        rows = np.full(len(bags), -1, np.int64)
        rows[present] = groups
        return Release(
            published=published,
            copies=np.bincount(groups, minlength=len(published)).astype(np.int64),
            claims=self.claims(),
            accounting=account(bags, published, rows),
            method=self.name,
            parameters=plain_values(self.values()),
            secret=Secret(rows),
        )


def present_records(bags: Bags, k: int) -> tuple[Ints, Bags]:
    """The numbers of the records that are not empty, and these records; refuses where fewer than k people own them."""
    present = np.flatnonzero(bags.lengths > 0)
    used = bags if len(present) == len(bags) else bags.select(present)
    if used.n_owners < k:
        raise Infeasible(
            f"{used.n_owners:,} people cannot be hidden in groups of {k:,}",
            hint="lower k, or give more data",
            value=used.n_owners,
            limit=k,
        )
    return present, used


def account(bags: Bags, published: Bags, rows: Ints) -> Accounting:
    """Where records and occurrences went, from the published row of each record (-1: withheld as empty)."""
    shown = rows >= 0
    kept, remaining = shared_occurrences(bags, published, rows), int(published.lengths[rows[shown]].sum())
    withheld = int(bags.lengths[~shown].sum())
    suppressed = bags.occurrences - withheld - remaining
    return Accounting(
        records=Ledger(len(bags), {"published": int(shown.sum()), "withheld: empty": int((~shown).sum())}),
        occurrences=Ledger(
            bags.occurrences,
            {"kept": kept, "generalized": remaining - kept, "suppressed": suppressed, "in withheld records": withheld},
        ),
    )


def content_order(bags: Bags) -> Ints:
    """Records by falling length, equals by content: an order that does not depend on how the records arrived."""
    return bags.content_order(bags.owner_ranks())


def run_grouping(kernel: Callable[..., Any], *arguments: Any, k: int, label: str) -> Any:
    """A grouping kernel's answer; that no k people can be brought together becomes an error for users. Any other error is a bug's."""
    try:
        return kernels.run(kernel, *arguments, label=label)
    except _kernels.Infeasible as error:
        raise Infeasible(f"groups of {k:,} people cannot be formed from these records", hint=str(error)) from None
