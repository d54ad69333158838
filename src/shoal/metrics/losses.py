"""What records lose: the loss charged to every original occurrence, and the shares of occurrences by the form of their publication.

NCP, the normalised certainty penalty of He and Naughton and of Terrovitis, charges each original occurrence the share of all leaves below
the published node that represents it (0 for a leaf), and 1 where none does. In this reading of the literature one published node may
represent several occurrences of its record; GGD charges those.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data import occurrence_forms as forms
from shoal.data.bags import Bags, Ints, Small
from shoal.data.occurrence_forms import CATEGORY, PARENT, RENAMED, TAKEN_APART, TOP, TYPED, Forms, forms_of
from shoal.data.original import Original, shared_occurrences
from shoal.data.release import Release, Relevance
from shoal.data.tables import groups
from shoal.data.tables.chunks import ChunkTable
from shoal.data.tables.column_types import ITEMS
from shoal.data.tables.groups import GroupTable
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError
from shoal.metrics import Metric
from shoal.taxonomy.bound import loss_lower_bound
from shoal.taxonomy.distance import LARGEST, SemanticDistance
from shoal.util.numbers import distinct


def ncp(release: Release, original: Original) -> float:
    """Return the mean penalty of the original's item occurrences.

    Occurrences are counted by the nodes that speak for them, block by block: the sum depends neither on blocks nor on the order of records.
    """
    if release.secret is None:
        raise ParameterError("NCP needs the record-to-group mapping, which release files do not contain", code="mapping-not-recorded")
    bags, tree, rows = original.bags, original.tree, release.secret.rows()
    spoken_for = np.zeros(len(tree), np.int64)
    for begin, end in bags.blocks():
        some, published = bags.part(begin, end), release.published.view
        cover = kernels.run(_kernels.covering_nodes, some.view, published, rows[begin:end], tree.view, kernels.threads())
        covered = cover >= 0
        spoken_for += np.bincount(cover[covered], weights=some.counts[covered], minlength=len(tree)).astype(np.int64)
    for_none = bags.occurrences - int(spoken_for.sum())
    return float((tree.ncp @ spoken_for + for_none) / max(1, bags.occurrences))


NCP = Metric("ncp", "normalized certainty penalty per item occurrence", "lower", ncp, highest=1.0, needs_groups=True)


# Distortion: the papers' group generalization distortion (GGD) and what derives from it.
#
# GGD charges every published item its node loss, once for each record that bears it, and one for every item occurrence that is not
# published.
# Loss is GGD per item occurrence: 0 if all is published as it was, 1 if nothing is published. Neither applies to a release that
# adds
# items to records: an added one would make up for one that is not published.


def ggd(release: Release, original: Original) -> float:
    """Return the group generalization distortion of the whole release."""
    return _units_lost(release, original) / original.tree.units


def loss(release: Release, original: Original) -> float:
    """GGD per item occurrence."""
    return ggd(release, original) / max(1, original.bags.occurrences)


def added_loss(release: Release, original: Original) -> float:
    """Loss beyond what the original's own inner nodes cost: 0 if nothing was changed."""
    unavoidable = int(original.tree.unit_losses.astype(np.int64) @ original.bags.item_counts())
    return (_units_lost(release, original) - unavoidable) / (original.tree.units * max(1, original.bags.occurrences))


def loss_with_dropped(release: Release, original: Original) -> float:
    """Loss where an item dropped as unknown is charged like a suppressed one."""
    dropped = original.steps.unknown_dropped
    return (ggd(release, original) + dropped) / max(1, original.bags.occurrences + dropped)


def _units_lost(release: Release, original: Original) -> int:
    """GGD in whole units, so that what loses nothing loses exactly nothing.

    A release that publishes more occurrences than it was given, has suppressed none of them, and the surplus is no gain.
    """
    published = int((release.published.lengths * release.copies).sum())
    suppressed = max(0, original.bags.occurrences - published)
    return _node_losses(release.published, release.copies, original.tree) + suppressed * original.tree.units


def _node_losses(bags: Bags, copies: Ints, taxonomy: Taxonomy) -> int:
    per_entry = taxonomy.unit_losses[bags.items] * bags.counts
    return int((per_entry * np.repeat(copies, np.diff(bags.indptr))).sum())


GGD = Metric("ggd", "group generalization distortion (GGD): node losses plus suppressed items", "lower", ggd, with_additions=False)
LOSS = Metric("loss", "group generalization distortion (GGD) per item", "lower", loss, with_additions=False)
ADDED_LOSS = Metric(
    "added_loss", "loss minus the loss of the unchanged original (its inner nodes)", "lower", added_loss, lowest=None, with_additions=False
)
LOSS_WITH_DROPPED = Metric(
    "loss_with_dropped", "loss if unknown items that were dropped count as suppressed", "lower", loss_with_dropped, with_additions=False
)


# The lower bound on the loss: what no release with the same k can stay below, whoever makes it. docs/bound.md has the proof.


def bound(release: Release, original: Original) -> float:
    """Return the least loss of any k-anonymous release of these records, as far as it can be proved."""
    sizes = [claim.generalized_groups for claim in release.claims if claim.generalized_groups is not None]
    if not sizes:
        what = "which this release does not claim" if release.claims else "and nothing is claimed of these records"
        raise ParameterError(
            f"the bound is one for k-anonymity, {what}", code="metric-not-applicable", hint="shoal bound computes it for any k"
        )
    return loss_lower_bound(original.bags, original.tree, max(sizes), effort="fast").normalised


BOUND = Metric(
    "bound", "lower bound on the loss of any k-anonymous release", "neither", bound, highest=1.0, routine=False, needs_taxonomy=True
)


# bLM, the loss of bags (Liu and Wang, ICDM'10, section V.A): the cost of a published term depends on all the terms it represents.
#
# In each group a published term represents a bag of original occurrences, at most one of each record for each of its copies. Every one of
# them is charged the loss of that bag; an occurrence that nothing represents is charged one. The paper leaves open what the loss of a bag
# is;
# both readings are here: the loss of the smallest subtree that holds the bag, or the share of all other terms in use that the bag holds.
#
# A term represents itself first, then a node for what lies below it, then a term for one that is relevant to it (under the release's own
# relevance, where its method has such).


Floats = np.typing.NDArray[np.float64]
LossOfBags = Callable[[pl.DataFrame, Original], Floats]


def blm_subtree(release: Release, original: Original) -> float:
    """bLM where a bag loses what the smallest subtree around it loses."""
    return _blm(release, original, _subtree)


def blm_distinct(release: Release, original: Original) -> float:
    """bLM where a bag loses the share of the other items in use that it holds."""
    return _blm(release, original, _distinct)


def represented(release: Release, original: Original) -> pl.DataFrame:
    """Return which published item (of which published row) represents which original item, in how many occurrences."""
    if release.secret is None:
        raise ParameterError("bLM needs the record-to-group mapping, which release files do not contain", code="mapping-not-recorded")
    relevance = release.relevance or Relevance("path", LARGEST["path"])
    semantics = SemanticDistance(
        original.tree,
        relevance.distance,
        relevance.eps,
        omega=1,
    )
    arguments = semantics.kernel(), original.bags.view, release.published.view, release.secret.rows()
    found = kernels.run(_kernels.represent, *arguments, label="representing")
    frame = pl.DataFrame(dict(zip(("row", "published", "original", "times"), found, strict=True)))
    return frame.group_by("row", "published", "original").agg(pl.col("times").sum())


def _blm(release: Release, original: Original, loss_of: LossOfBags) -> float:
    bags = (
        represented(release, original)
        .group_by("row", "published")
        .agg(
            pl.col("original").min().alias("first"),
            pl.col("original").max().alias("last"),
            pl.col("original").n_unique().alias("distinct"),
            pl.col("times").sum(),
        )
    )
    times = bags["times"].to_numpy().astype(np.int64)
    suppressed = original.bags.occurrences - int(times.sum())
    return float((loss_of(bags, original) * times).sum() + suppressed) / max(1, original.bags.occurrences)


def _subtree(bags: pl.DataFrame, original: Original) -> Floats:
    tree = original.tree
    return tree.loss[_lowest_common(bags["first"].to_numpy(), bags["last"].to_numpy(), tree)]


def _distinct(bags: pl.DataFrame, original: Original) -> Floats:
    in_use = len(distinct(original.bags.items))
    return np.asarray((bags["distinct"].to_numpy() - 1) / max(1, in_use - 1))


def _lowest_common(first: Small, last: Small, tree: Taxonomy) -> Small:
    """Return the lowest node above both; as numbers are in preorder it is above everything between them."""
    node = first.copy()
    while len(low := np.flatnonzero(tree.end[node] <= last)):
        node[low] = tree.parent[node[low]]
    return node


BLM_SUBTREE = Metric(
    "blm_subtree",
    "bag loss metric by the smallest subtree of the items that a published item represents",
    "lower",
    blm_subtree,
    highest=1.0,
    needs_groups=True,
    routine=False,
    needs_taxonomy=True,
)
BLM_DISTINCT = Metric(
    "blm_distinct",
    "bag loss metric by the number of items that a published item represents",
    "lower",
    blm_distinct,
    highest=1.0,
    needs_groups=True,
    routine=False,
    needs_taxonomy=True,
)


# -- shares of occurrences by the form in which they are published


BAGS: frozenset[str] = frozenset({"bags"})


def _share(
    name: str, summary: str, better: Literal["lower", "higher", "neither"], *parts: str, routine: bool = True, kinds: frozenset[str] = BAGS
) -> Metric:
    """Return the share of occurrences that fell into these parts of the account."""

    def measure(release: Release, original: Original) -> float:
        if release.accounting is None:
            raise ParameterError("a release read from a file has no account of its occurrences", code="accounting-not-recorded")
        ledger = release.accounting.occurrences
        return sum(ledger[part] for part in parts) / max(1, original.bags.occurrences)

    return Metric(name, summary, better, measure, highest=1.0, needs_groups=True, routine=routine, shares=parts, kinds=kinds)


def added(release: Release, original: Original) -> float:
    """Return the share of published occurrences whose item is not in the record that they represent."""
    if release.secret is None:
        raise ParameterError("added needs the record-to-group mapping, which release files do not contain", code="mapping-not-recorded")
    published = int((release.published.lengths * release.copies).sum())
    return 1 - shared_occurrences(original.bags, release.published, release.secret.rows()) / published if published else 0.0


GENERALIZED = _share("generalized", "share of occurrences published as an ancestor", "neither", "generalized", *forms.GENERALIZED)
SUPPRESSED = _share("suppressed", "share of occurrences not published", "lower", "suppressed", "in withheld records", "merged")
PER_GROUP = _share(
    "counted_per_group",
    "share of occurrences published as counts per group instead of in records",
    "lower",
    groups.PER_GROUP,
    kinds=frozenset({"groups"}),
)
REPLACED = _share("replaced", "share of occurrences represented by another item", "neither", "replaced", routine=False)
ADDED = Metric(
    "added",
    "share of published items that were not in the original record",
    "lower",
    added,
    highest=1.0,
    needs_groups=True,
    with_additions=True,
)


# In which form words are published, as shares of the occurrences that a method was given. Together with what was replaced by other
# terms and what was not published they make up the whole. `data/occurrence_forms.py` has the definition.


def _form(name: str, summary: str, better: Literal["lower", "higher", "neither"], number: Callable[[Forms], int], *parts: str) -> Metric:
    """Return the share of occurrences that are published in a form."""

    def measure(release: Release, original: Original) -> float:
        if release.secret is None:
            raise ParameterError(
                f"{name} needs the record-to-group mapping, which release files do not contain", code="mapping-not-recorded"
            )
        return number(forms_of(original, release.published, release.secret.rows())) / max(1, original.bags.occurrences)

    return Metric(name, summary, better, measure, highest=1.0, needs_groups=True, shares=parts)


def _kept_in_rows(release: Release, original: Original) -> float:
    """Where rows of groups are records without some of their items: the share of what they hold."""
    table = release.only(GroupTable)
    return int(table.rows[ITEMS].list.len().sum()) / max(1, original.bags.occurrences) if table.of_items else 0.0


def _kept_apart(release: Release, original: Original) -> float:
    """Where records were taken apart: the share of items that are published in the cluster of their record."""
    if release.accounting is None:
        raise ParameterError("a release read from a file has no account of its occurrences", code="accounting-not-recorded")
    return sum(release.accounting.occurrences[part] for part in TAKEN_APART) / max(1, original.bags.occurrences)


def _kept(release: Release, original: Original) -> float:
    """Return the share of items as typed, as the kind of the published table has them."""
    by_kind = {GroupTable.kind: _kept_in_rows, ChunkTable.kind: _kept_apart}
    return by_kind.get(min(release.kinds), _AS_TYPED.formula)(release, original)


_AS_TYPED = _form("kept", "share of occurrences published unchanged", "higher", lambda forms: forms.typed, TYPED)
KEPT = replace(
    _AS_TYPED,
    formula=_kept,
    kinds=_AS_TYPED.kinds | {GroupTable.kind, ChunkTable.kind},
    shares=(TYPED, *TAKEN_APART),
)
ONE_LEVEL = _form(
    "one_level",
    "share of occurrences published with another spelling, or as the parent node",
    "neither",
    lambda forms: forms.renamed + forms.parent,
    RENAMED,
    PARENT,
)
CATEGORIES = _form(
    "categories", "share of occurrences generalized by two or more levels", "neither", lambda forms: forms.category, CATEGORY
)
AT_ROOT = _form(
    "at_root",
    "share of occurrences published as the root or as the node of items that the taxonomy lacks",
    "lower",
    lambda forms: forms.top,
    TOP,
)


# The shape of what is published: how long records are and how deep their items lie.


def mean_length(release: Release, original: Original) -> float:
    """Mean number of items per published record."""
    return float((release.published.lengths * release.copies).sum() / max(1, release.n_records))


def mean_level(release: Release, original: Original) -> float:
    """Return the level of a published item, on average; the root is level 1."""
    rows = release.published
    weight = np.repeat(release.copies, np.diff(rows.indptr)) * rows.counts
    levels = original.tree.depth[rows.items] + 1
    return float((levels * weight).sum() / max(1, weight.sum()))


MEAN_LENGTH = Metric("mean_length", "mean number of items per published record", "higher", mean_length)
MEAN_LEVEL = Metric("mean_level", "mean level of published items (the root is level 1)", "higher", mean_level, needs_taxonomy=True)
