"""Builds the release of a method: non-empty records, multiplicities, accounting.

A method determines what it publishes, the published row of each non-empty record, and the outcome of the occurrences; the rest is the same
for all of them and implemented here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.data.accounting import Accounting, Ledger, Part, gone, kept
from shoal.data.bags import Bags, Ints
from shoal.data.claims import Model
from shoal.data.column_storage import in_use, selected
from shoal.data.items import plain_values
from shoal.data.original import Original
from shoal.data.release import Release, Relevance, Secret
from shoal.data.tables import PublishedTable
from shoal.data.taxonomy import Taxonomy
from shoal.errors import GuaranteeNotMet, Infeasible, ParameterError, option
from shoal.methods import Method

EMPTY, OUTLIERS, NOTHING_LEFT = "withheld: empty", "withheld: outliers", "withheld: nothing in common"  # parts of an account of records


@dataclass(frozen=True, eq=False)
class Present:
    """The non-empty records: their numbers in the original, and themselves."""

    numbers: Ints
    records: Bags


@dataclass(frozen=True, eq=False)
class RecordOutcomes:
    """What a method publishes for the non-empty records: `rows` has the published row of each.

    `outcomes` accounts for their item occurrences; those not mentioned were suppressed. Nothing published is above the floor. `outliers`
    are records that are suppressed because they would spoil their groups; their row is -1.
    """

    published: Bags
    rows: Ints
    outcomes: Mapping[str, Part]
    claims: tuple[Model, ...]
    notes: tuple[str, ...] = ()
    relevance: Relevance | None = None
    keeps_empty: bool = False
    outliers: Ints | None = None
    private_notes: tuple[str, ...] = ()


def present_records(bags: Bags, k: int) -> Present:
    """Return the non-empty records. Raise if fewer than k people own them, or nobody does."""
    numbers = np.flatnonzero(bags.lengths > 0)
    records = bags if len(numbers) == len(bags) else selected(bags, numbers, in_use())
    if not len(numbers):
        raise Infeasible("nobody has an item: every record is empty", code="too-few-people", hint="give more data", value=0, limit=k)
    if records.n_owners < k:
        raise Infeasible(
            f"a group needs {k:,} people, but the data has only {records.n_owners:,}",
            code="too-few-people",
            hint="lower k or use more data",
            value=records.n_owners,
            limit=k,
        )
    return Present(numbers, records)


def within_floor(published: Bags, taxonomy: Taxonomy) -> Bags:
    """Return the published records without nodes above the floor, which all members of a group lose in the same way."""
    if taxonomy.barred is None:
        return published
    codes = np.where(taxonomy.barred, -1, np.arange(len(taxonomy))).astype(np.int32)
    return published.relabelled(codes, published.vocabulary)


def build_release(method: Method, original: Original, present: Present, outcome: RecordOutcomes) -> Release:
    """Build the release of an outcome: every record is published in its row or suppressed, every occurrence is accounted for.

    Under a floor, empty published rows are suppressed, unless the method publishes every record (`keeps_empty`).
    """
    rows = np.full(len(original.bags), -1, np.int64)
    rows[present.numbers] = outcome.rows
    published = Bags(*outcome.published.rows, np.arange(len(outcome.published), dtype=np.int64), outcome.published.vocabulary)
    if original.tree.barred is not None and not outcome.keeps_empty:
        published, rows = _without_empty(published, rows)
    _refuse_above(published, original.tree)
    return Release.of_bags(
        published=published,
        copies=np.bincount(rows[rows >= 0], minlength=len(published)).astype(np.int64),
        claims=outcome.claims,
        accounting=account(original.bags, rows, outcome.outcomes, 0 if outcome.outliers is None else len(outcome.outliers)),
        method=method.name,
        parameters=plain_values(method.values()),
        secret=Secret(rows),
        notes=outcome.notes,
        relevance=outcome.relevance,
        private_notes=outcome.private_notes,
    )


def _without_empty(published: Bags, rows: Ints) -> tuple[Bags, Ints]:
    """Return the non-empty published rows, renumbered; records of the others get none. Raise if none is left."""
    filled = published.lengths > 0
    if filled.all():
        return published, rows
    if not filled.any():
        raise Infeasible(
            "nothing is left to publish: no group shares anything below the floor",
            code="nothing-to-publish",
            hint=f"try a smaller k, other records ({option('per')}), or {option('floor', 1)}, which publishes the root",
        )
    renumbered = np.where(filled, np.cumsum(filled) - 1, -1)
    held = published.select(filled)
    return Bags(*held.rows, np.arange(len(held), dtype=np.int64), held.vocabulary), np.where(rows >= 0, renumbered[rows], -1)


def _refuse_above(published: Bags, taxonomy: Taxonomy) -> None:
    """Raise if a method publishes a node above the floor."""
    if taxonomy.barred is not None and taxonomy.barred[published.items].any():
        raise GuaranteeNotMet("the release contains nodes above the floor", code="nodes-above-floor", hint="nothing was written")


def account(bags: Bags, rows: Ints, outcomes: Mapping[str, Part], outliers: int = 0) -> Accounting:
    """Return the outcome of records and occurrences, from the published row of each record (-1: suppressed)."""
    shown = rows >= 0
    empty = int((bags.lengths == 0).sum())
    withheld = int(bags.lengths[~shown].sum())
    suppressed = bags.occurrences - withheld - sum(part.n for part in outcomes.values())
    left = int((~shown).sum()) - empty - outliers
    parts = {"published": kept(int(shown.sum())), EMPTY: gone(empty), OUTLIERS: gone(outliers), NOTHING_LEFT: gone(left)}
    return Accounting(
        {
            "records": Ledger(len(bags), parts),
            "occurrences": Ledger(bags.occurrences, {**outcomes, "suppressed": gone(suppressed), "in withheld records": gone(withheld)}),
        }
    )


def build_row_release(
    method: Method,
    n_rows: int,
    tables: Mapping[str, PublishedTable],
    outcomes: Mapping[str, Part],
    origin: Ints | None = None,
    notes: tuple[str, ...] = (),
    ledger: str = "rows",
) -> Release:
    """Build the release of a method that takes rows: `outcomes` has the outcome of all rows, `origin` the original row of each published
    one.
    """
    secret = None
    if origin is not None:
        published = np.full(n_rows, -1, np.int64)
        published[origin] = np.arange(len(origin))
        secret = Secret(published)
    accounting = Accounting({ledger: Ledger(n_rows, outcomes)})
    return Release(tables, method.claims(), accounting, method.name, plain_values(method.values()), secret, notes)


# Maximum number of people required to share a published value: the guaranteed size of a group.


def at_most_k_owners(min_owners: int, k: int) -> None:
    """Raise if more people must share a published value than the smallest group has."""
    if min_owners > k:
        raise ParameterError(
            f"min_owners must be at most k = {k:,}, not {min_owners:,}",
            code="out-of-range",
            hint="a group is only guaranteed to have k people",
            value=min_owners,
            limit=k,
        )
