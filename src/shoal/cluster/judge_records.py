"""Verification of published records on a cluster.

The judge does not use the method's mapping. It forms classes from the published items, takes users from the original records, and compares
every published record with its original by the kernel that one machine uses. The driver gets sums.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from shoal import _kernels, kernels
from shoal.cluster.arrow_schemas import PUBLISHED, SHOWN, SUMS, Fitted, bags_of, lists_of, records_in, words_in
from shoal.cluster.exchange import Step
from shoal.cluster.write_files import random_places
from shoal.data.bags import Bags, Ints
from shoal.data.occurrence_forms import top_nodes
from shoal.data.original import shared_occurrences
from shoal.data.taxonomy import Taxonomy
from shoal.errors import GuaranteeNotMet
from shoal.privacy.evidence.equivalence_classes import ClassCounts, untruthful_records

NOTHING_WRITTEN = "nothing was written"
UNACCOUNTED = "records were lost or added without being accounted for"
ANSWER = ["items", "withheld"]
NO_ANSWER = -1  # nothing says whether the record is withheld


@dataclass(frozen=True, eq=False)
class Pairing:
    """The tree of the records, and where they are stored."""

    fitted: Fitted
    records: Step


def pass_on(nothing: None, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Pass the outcomes of records on."""
    yield table


def judged_part(pairing: Pairing, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Return sums over the records of a partition and their outcomes, and published records with their users and positions."""
    answers = table if len(table) else PUBLISHED.empty_table()
    yield json.dumps({"answers": len(answers)})
    records = records_in(pairing.records.part(part))
    shown = SHOWN.empty_table()
    if len(records):
        pairs = paired(records, answers)
        for sums in compared(pairing.fitted, part, pairs):
            yield from sums.column("sums").to_pylist()
        held = pairs.filter(pairs.column("items").is_valid())
        shown = pa.table({"place": random_places(len(held)), "owner": held.column("owner"), "items": held.column("items")}, SHOWN)
    yield shown


def paired(records: pa.Table, answers: pa.Table) -> pa.Table:
    """Join records with their outcomes; outcomes without a record, or repeated ones, are left out."""
    found = pc.index_in(records.column("record"), value_set=answers.column("record").combine_chunks())
    outcomes = answers.select(ANSWER).take(found)
    for name in ANSWER:
        records = records.append_column(name, outcomes.column(name))
    return records


def compared(fitted: Fitted, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return sums over some records and what is published for them (null if nothing is): forms, losses, records not generalized."""
    tree = fitted.with_words(words_in(table))
    bags = bags_of(table, fitted, tree)
    shown = table.column("items").is_valid().to_numpy()
    published = _published(table.filter(pa.array(shown)), tree.names)
    rows = np.full(len(bags), -1, np.int64)
    rows[shown] = np.arange(len(published))
    answers = table.column("withheld").cast(pa.int8()).fill_null(NO_ANSWER).to_numpy()
    sums = compared_records(Outcomes(tree, bags, bags_of(table, fitted, tree, "spelled"), published, rows, answers))
    yield pa.table({"sums": [json.dumps(sums)]}, SUMS)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Records and their occurrences that were typed as they are named, what is published, and the published row of each record.

    A record without one is withheld, or has no answer (NO_ANSWER).
    """

    tree: Taxonomy
    bags: Bags
    spelled: Bags
    published: Bags
    rows: Ints
    answers: Any


def compared_records(outcomes: Outcomes) -> dict[str, int]:
    """Return sums over records and what is published for them: forms, losses, records not generalized."""
    tree, bags, published, rows, answers = outcomes.tree, outcomes.bags, outcomes.published, outcomes.rows, outcomes.answers
    shown = rows >= 0
    own, parent, higher, top = kernels.run(
        _kernels.published_forms, bags.view, published.view, rows, tree.view, top_nodes(tree), kernels.threads()
    )
    renamed = own - shared_occurrences(outcomes.spelled, published, rows)
    cover = kernels.run(_kernels.covering_nodes, bags.view, published.view, rows, tree.view, kernels.threads())
    sums: dict[str, Any] = {
        "records": len(bags),
        "answered": int((answers != NO_ANSWER).sum()),
        "misanswered": int((answers != np.where(bags.lengths > 0, ~shown, NO_ANSWER)).sum()),
        "nothing_left": int((answers == 1).sum()),
        "published": len(published),
        "occurrences": bags.occurrences,
        "withheld": int(bags.lengths[~shown].sum()),
        "empty": int((bags.lengths == 0).sum()),
        "empty_published": int((published.lengths == 0).sum()),
        "barred": 0 if tree.barred is None else int(tree.barred[published.items].sum()),
        "out": published.occurrences,
        "levels": int(((tree.depth[published.items] + 1).astype(np.int64) * published.counts).sum()),
        "units": int((tree.unit_losses[published.items] * published.counts).sum()),
        "units_before": int((tree.unit_losses[bags.items] * bags.counts).sum()),
        "penalty": int((np.where(cover >= 0, _shares(tree)[cover], tree.n_leaves) * bags.counts).sum()),
        "untrue": untruthful_records(bags, published, rows, tree),
        "typed": own - renamed,
        "renamed": renamed,
        "parent": parent,
        "category": higher,
        "top": top,
    }
    return {name: int(value) for name, value in sums.items()}


def _shares(tree: Taxonomy) -> Ints:
    """Return the NCP of each node in leaves of the tree: integers, whose sum does not depend on the order of the partitions."""
    return np.where(tree.leaves == 1, 0, tree.leaves)


def _published(table: pa.Table, names: Any) -> Bags:
    starts, items = lists_of(table, "items")
    named = pl.from_arrow(items)
    assert isinstance(named, pl.Series)
    codes = names.codes(named.cast(pl.String))
    if (codes < 0).any():
        raise GuaranteeNotMet("published items are not names from the original", code="release-not-of-original", hint=NOTHING_WRITTEN)
    return Bags.from_rows(starts, codes, np.ones(len(codes), np.int32), names)


def summed(rows: list[Any]) -> Counter[str]:
    """Add the sums of all partitions."""
    total: Counter[str] = Counter()
    for row in rows:
        total.update(json.loads(row[0]))
    return total


def insist_on_all(sums: Counter[str], before: Counter[str], answers: int, *, floor: bool) -> None:
    """Raise unless every non-empty record, and no other, is published or marked as suppressed, once, with all its occurrences.

    `answers` is the number of outcome rows. Without a floor no record may be suppressed; with one, nothing above it may be published.
    """
    whole = sums["records"] == before["records"] and sums["occurrences"] == before["occurrences"]
    if not whole or sums["misanswered"] or not answers == sums["answered"] == before["present"]:
        raise GuaranteeNotMet(UNACCOUNTED, code="accounting-incomplete", hint=NOTHING_WRITTEN)
    if sums["nothing_left"] and not floor:
        raise GuaranteeNotMet(
            "records are withheld as having nothing in common, but there is no floor", code="withheld-without-floor", hint=NOTHING_WRITTEN
        )
    if sums["barred"]:
        raise GuaranteeNotMet("the release contains nodes above the floor", code="nodes-above-floor", hint=NOTHING_WRITTEN)


def insist_on_shown(records: int, sums: Counter[str]) -> None:
    """Raise unless the classes contain as many records as are published."""
    if records != sums["published"]:
        raise GuaranteeNotMet(UNACCOUNTED, code="accounting-incomplete", hint=NOTHING_WRITTEN)


def counts_of(classes: Any, empty: int, untrue: int = 0, *, people: bool = True) -> ClassCounts:
    """Return the classes for the models, from the sums of `equivalence_classes.Counted`."""
    fewest = int(classes["fewest"] or 0) if people else None
    return ClassCounts(int(classes["smallest"] or 0), fewest, int(classes["short"]), int(classes["short_records"]), empty, untrue)
