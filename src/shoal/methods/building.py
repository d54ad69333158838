"""How every method's release is put together: which records are present, which copies, which account.

A method says what it publishes, in which published row each present record went, and what became of the occurrences; the rest is the same
for all of them and is done here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.data.accounting import Accounting, Ledger, Part, gone, kept
from shoal.data.bags import Bags, Ints
from shoal.data.original import Original
from shoal.data.release import Release, Secret
from shoal.data.tables import PublishedTable
from shoal.errors import Infeasible
from shoal.itemsets.choice import plain_values
from shoal.methods import Method
from shoal.privacy import Model
from shoal.taxonomy.distance import Relevance


@dataclass(frozen=True, eq=False)
class Present:
    """The records that hold something: their numbers in the original, and themselves."""

    numbers: Ints
    records: Bags


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method publishes for the records that are present: `rows` has the published row of each of them.

    `told` says what became of their item occurrences; what it does not mention was suppressed.
    """

    published: Bags
    rows: Ints
    told: Mapping[str, Part]
    claims: tuple[Model, ...]
    notes: tuple[str, ...] = ()
    relevance: Relevance | None = None


def present_records(bags: Bags, k: int) -> Present:
    """The records that are not empty; refuses where fewer than k people own them."""
    numbers = np.flatnonzero(bags.lengths > 0)
    records = bags if len(numbers) == len(bags) else bags.select(numbers)
    if records.n_owners < k:
        raise Infeasible(
            f"{records.n_owners:,} people cannot be hidden among {k:,}",
            hint="lower k, or give more data",
            value=records.n_owners,
            limit=k,
        )
    return Present(numbers, records)


def build_release(method: Method, original: Original, present: Present, outcome: Outcome) -> Release:
    """The release of an outcome: every record is published in its row or withheld as empty, every occurrence is accounted for."""
    rows = np.full(len(original.bags), -1, np.int64)
    rows[present.numbers] = outcome.rows
    published = Bags(*outcome.published.rows, np.arange(len(outcome.published), dtype=np.int64), outcome.published.vocabulary)
    return Release.of_bags(
        published=published,
        copies=np.bincount(outcome.rows, minlength=len(published)).astype(np.int64),
        claims=outcome.claims,
        accounting=account(original.bags, rows, outcome.told),
        method=method.name,
        parameters=plain_values(method.values()),
        secret=Secret(rows),
        notes=outcome.notes,
        relevance=outcome.relevance,
    )


def account(bags: Bags, rows: Ints, told: Mapping[str, Part]) -> Accounting:
    """Where records and occurrences went, from the published row of each record (-1: withheld as empty)."""
    shown = rows >= 0
    withheld = int(bags.lengths[~shown].sum())
    suppressed = bags.occurrences - withheld - sum(part.n for part in told.values())
    return Accounting(
        {
            "records": Ledger(len(bags), {"published": kept(int(shown.sum())), "withheld: empty": gone(int((~shown).sum()))}),
            "occurrences": Ledger(bags.occurrences, {**told, "suppressed": gone(suppressed), "in withheld records": gone(withheld)}),
        }
    )


def build_row_release(
    method: Method,
    n_rows: int,
    tables: Mapping[str, PublishedTable],
    told: Mapping[str, Part],
    origin: Ints | None = None,
    notes: tuple[str, ...] = (),
) -> Release:
    """The release of a method that takes rows: `told` says what became of all of them, `origin` which one each published row was."""
    secret = None
    if origin is not None:
        published = np.full(n_rows, -1, np.int64)
        published[origin] = np.arange(len(origin))
        secret = Secret(published)
    accounting = Accounting({"rows": Ledger(n_rows, told)})
    return Release(tables, method.claims(), accounting, method.name, plain_values(method.values()), secret, notes)
