"""Equivalence classes of published records, for the k-anonymity models.

Classes are formed from what is published, not from the method's bookkeeping. With the original, an explicit matching shows that every
published record generalizes the record that it represents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data import patience
from shoal.data.bags import Bags, Ints
from shoal.data.claims import Verdict, verified_if
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.data.taxonomy import Taxonomy
from shoal.util.wording import counted

# -- identical records, determined by a kernel that no method calls


def identical_records(bags: Bags) -> Ints:
    """Return a number for each record that exactly the identical ones share, from 0 in order of first occurrence."""
    label: Ints = patience.run(_kernels.row_classes, bags.view, kernels.threads(), label="", what="comparing records with one another")
    return label


# -- the original records that a published record may represent
#
# Needed where only a file is at hand, and nobody knows the mapping from records to groups.
#
# Every published record must generalize an original record of its own. That is a matching problem: each class of identical published
# records requires as many originals as it has copies, and each original can serve once. Where there are too many pairs to examine, the
# number left undecided is reported.


MOST_PAIRS = 20_000_000  # with a patience of up to 1; a larger one allows more
PAIRS_AT_ONCE = 4_000_000
STEPS_A_CLASS = 20_000


@dataclass(frozen=True, eq=False)
class Origins:
    """The result of matching: the number of published records without an original, and of classes that were too costly to decide."""

    unmatched: int
    undecided_classes: int


@dataclass(frozen=True, eq=False)
class Fitting:
    """Pairs of a class of published records and an original record that it generalizes; the records of each class; and skipped classes."""

    classes: Ints
    records: Ints
    wanted: Ints
    undecided: Ints


def find_origins(release: Release, original: Original) -> Origins:
    """Match as many published records as possible to originals that they generalize."""
    fit = fitting(release, original)
    matched = _largest_matching(fit.classes, fit.records, fit.wanted, len(original.bags))
    n_wanted = int(fit.wanted.sum() - fit.wanted[fit.undecided].sum())
    return Origins(unmatched=n_wanted - matched, undecided_classes=len(fit.undecided))


def fitting(release: Release, original: Original) -> Fitting:
    """Return the originals that each class of identical published records generalizes."""
    label = identical_records(release.published)
    _, row, place = np.unique(label, return_index=True, return_inverse=True)
    wanted = np.bincount(place, weights=release.copies).astype(np.int64)
    classes, records, undecided = _pairs(release, original, row)
    return Fitting(classes, records, wanted, undecided)


def _pairs(release: Release, original: Original, row: Ints) -> tuple[Ints, Ints, Ints]:
    """Return pairs (class, original record) where the class generalizes the original, and the classes skipped as too costly."""
    candidates = Candidates(original)
    sizes = np.array([len(candidates.of(release, int(r))) for r in row], np.int64)
    cheap = np.argsort(sizes, kind="stable")
    within = np.cumsum(sizes[cheap]) <= MOST_PAIRS * max(1.0, patience.patience())
    decided, undecided = cheap[within], cheap[~within]
    found = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    batches = np.cumsum(sizes[decided]) // PAIRS_AT_ONCE
    for batch in np.split(decided, np.flatnonzero(np.diff(batches)) + 1) if len(decided) else []:
        found.append(_generalized(release, original, row, batch, candidates))
        patience.insist_on_room(sum(len(classes) for classes, _ in found), "matching published records to originals")
    classes, records = (np.concatenate(side) for side in zip(*found, strict=True))
    return classes, records, undecided


def _generalized(release: Release, original: Original, row: Ints, batch: Ints, candidates: Candidates) -> tuple[Ints, Ints]:
    """Return the pairs of these classes."""
    several = [candidates.of(release, int(row[c])) for c in batch]
    classes, records = np.repeat(batch, [len(one) for one in several]).astype(np.int64), np.concatenate(several).astype(np.int64)
    views = original.bags.view, release.published.view, records, row[classes].astype(np.int64), original.tree.view
    what = "comparing published records with the originals that they may stem from"
    found = patience.run(_kernels.generalizes_pairs, *views, kernels.threads(), label="looking for originals", what=what)
    good = found.astype(bool)
    return classes[good], records[good]


class Candidates:
    """Original records that may lie below a published record: those with its rarest item that are long enough.

    Items are numbered in preorder, so the occurrences below a node are contiguous among all occurrences sorted by item.
    """

    def __init__(self, original: Original) -> None:
        bags = original.bags
        by_item = np.argsort(bags.items, kind="stable")
        self._items = bags.items[by_item]
        self._records = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))[by_item]
        self._end = original.tree.end
        self._lengths = bags.lengths

    def of(self, release: Release, row: int) -> Ints:
        """Return the records that may lie below this published row."""
        published = release.published
        nodes = published.items[published.indptr[row] : published.indptr[row + 1]]
        length = published.lengths[row]
        if not len(nodes):
            return np.flatnonzero(self._lengths >= length)
        first, last = np.searchsorted(self._items, nodes), np.searchsorted(self._items, self._end[nodes])
        rarest = np.argmin(last - first)
        span = int(last[rarest] - first[rarest])
        patience.spend(STEPS_A_CLASS + 8 * span, "looking for the originals that published records may stem from")
        found = np.unique(self._records[first[rarest] : last[rarest]])
        return np.asarray(found[self._lengths[found] >= length], np.int64)


def _largest_matching(classes: Ints, records: Ints, wanted: Ints, n_records: int) -> int:
    """Return the maximum number of published records that can be matched to distinct originals."""
    what = "giving each published record an original of its own"
    found = patience.run(_kernels.largest_matching, classes, records, wanted, n_records, label="matching", what=what)
    return int(found)


# -- equivalence classes


GROUP_WORDS = {
    "records": "records in the smallest equivalence class",
    "people": "minimum number of people per published record",
}


GROUP_SENTENCES = {
    "people": "{every} published record belongs to {least} {people}",
    "records": "{every} published record occurs {least} {times}",
}


@dataclass(frozen=True, eq=False)
class Classes:
    """Classes of identical published rows, and the number of records in each."""

    label: Ints
    sizes: Ints

    @property
    def smallest(self) -> int:
        """The number of records in the smallest class; 0 if nothing is published."""
        return int(self.sizes.min(initial=np.iinfo(np.int64).max)) if len(self.sizes) else 0


@dataclass(frozen=True)
class ClassCounts:
    """Classes of identical published records as counted on a cluster: the smallest in records and in people, and those that are too small.

    `untrue` counts published records that do not generalize what they represent; people are None without the original.
    """

    smallest: int
    fewest: int | None
    short: int
    short_records: int
    empty: int
    untrue: int = 0


def judge_counts(claim: str, k: int, counted: ClassCounts) -> Verdict:
    """Verify counts as `judge_classes` verifies tables."""
    achieved = {"records": counted.smallest}
    broken = _short_classes(k, counted.short, counted.short_records, counted.smallest)
    if counted.fewest is not None:
        achieved["people"] = counted.fewest
        broken += _few_people(achieved, k)
    broken += untruthful_message(counted.untrue)
    return Verdict(claim, verified_if(not broken), achieved, tuple(broken), (_note_on(counted.empty),))


def classes_of(release: Release) -> Classes:
    """Return the classes of identical published records."""
    label = identical_records(release.published)
    sizes = np.bincount(label, weights=release.copies).astype(np.int64)
    held = sizes > 0
    renumbered = np.cumsum(held) - 1
    return Classes(np.where(held[label], renumbered[label], -1), sizes[held])


def judge_classes(claim: str, k: int, release: Release, original: Original | None, *, people: bool, truthful: bool) -> Verdict:
    """Verify that all classes have at least k records; with the original, at least k people (`people`) and only generalizations
    (`truthful`).
    """
    classes = classes_of(release)
    achieved = {"records": classes.smallest}
    notes = [_note_on_empty(release)]
    short = classes.sizes < k
    broken = _short_classes(k, int(short.sum()), int(classes.sizes[short].sum()), classes.smallest)
    if original is not None and release.secret is not None:
        rows = release.secret.rows()
        lost = _lost_records(release, original, rows)
        if lost:  # whose records the published ones are is then not known
            return Verdict(claim, "fails", achieved, (*broken, *lost), tuple(notes))
        if people and len(classes.sizes):
            shown = np.flatnonzero(rows >= 0)
            achieved["people"] = fewest_people(Classes(classes.label[rows[shown]], classes.sizes), original.bags.owners[shown])
            broken += _few_people(achieved, k)
        if truthful:
            broken += _untruthful(release, original, rows)
    elif original is None and people and release.published.owners_repeat:
        achieved["people"] = fewest_people(classes, release.published.owners)
        broken += _few_people(achieved, k)
    elif original is not None:
        broken += _too_many(release, original)
        if truthful:
            unmatched, undecided = _without_origin(release, original)
            broken += unmatched
            notes += undecided
        if people and original.bags.owners_repeat:
            notes.append(people_not_counted("records"))
    return Verdict(claim, verified_if(not broken), achieved, tuple(broken), tuple(notes))


def people_not_counted(unit: str) -> str:
    """Return the note for a claim whose records or rows were counted because their users are unknown."""
    what = f"{unit} were counted, not people: some people have several {unit}, and the files do not show which {unit} belong to one person"
    return f"{what}, so fewer people may share one"


def truthful_or_not(release: Release, original: Original) -> tuple[list[str], list[str]]:
    """Return faults if published records do not generalize distinct originals, and notes on what could not be decided."""
    if release.secret is None:
        unmatched, undecided = _without_origin(release, original)
        return [*_too_many(release, original), *unmatched], undecided
    rows = release.secret.rows()
    return _lost_records(release, original, rows) or _untruthful(release, original, rows), []


def _without_origin(release: Release, original: Original) -> tuple[list[str], list[str]]:
    """Return, without the record-to-group mapping, the published records that generalize no original, and the unmatched classes."""
    found = find_origins(release, original)
    records = counted(found.unmatched, "published record matches", "published records match")
    broken = [f"{records} no remaining original record"] if found.unmatched else []
    many = f"{found.undecided_classes:,} classes match too many originals to be assigned individually"
    return broken, [many] if found.undecided_classes else []


def _note_on_empty(release: Release) -> str:
    return _note_on(int(release.copies[release.published.lengths == 0].sum()))


def _note_on(empty: int) -> str:
    return f"{empty:,} empty records were counted as ordinary records" if empty else "no record is empty"


def _short_classes(k: int, short: int, records: int, smallest: int) -> list[str]:
    message = f"{records:,} records are in {short:,} classes of fewer than {k:,}; the smallest has {smallest:,}"
    return [message] if short else []


def _too_many(release: Release, original: Original) -> list[str]:
    excess = release.n_records - len(original.bags)
    return [f"{release.n_records:,} records are published of only {len(original.bags):,}"] if excess > 0 else []


def _lost_records(release: Release, original: Original, rows: Ints) -> list[str]:
    if len(rows) != len(original.bags):
        return [f"the release refers to {len(rows):,} records, but the original has {len(original.bags):,}"]
    known = rows.max(initial=-1) < len(release.copies)
    shown = np.bincount(rows[rows >= 0], minlength=len(release.copies))
    return [] if known and np.array_equal(shown, release.copies) else ["records were lost or added without being accounted for"]


def _few_people(achieved: Mapping[str, int], k: int) -> list[str]:
    """Return a fault if fewer than k people own the records of a class, unless too few records were already reported."""
    people = achieved["people"]
    few = people < min(k, achieved["records"])
    return [f"the records of a class belong to only {counted(people, 'person', 'people')}"] if few else []


def fewest_people(classes: Classes, owners: Ints) -> int:
    """Return the minimum number of distinct users of a class."""
    by_class = np.lexsort((owners, classes.label))
    label, owner = classes.label[by_class], owners[by_class]
    first = np.ones(len(label), bool)
    first[1:] = (label[1:] != label[:-1]) | (owner[1:] != owner[:-1])
    return int(np.bincount(label[first], minlength=len(classes.sizes)).min())


def untruthful_records(records: Bags, published: Bags, rows: Ints, tree: Taxonomy) -> int:
    """Count the records that the published row representing them does not generalize."""
    views, what = (records.view, published.view, rows, tree.view), "comparing each published record with its original"
    good = patience.run(_kernels.generalizes, *views, kernels.threads(), label="judging", what=what)
    return int(len(good) - good.sum())


def _untruthful(release: Release, original: Original, rows: Ints) -> list[str]:
    return untruthful_message(untruthful_records(original.bags, release.published, rows, original.tree))


def untruthful_message(records: int) -> list[str]:
    """Return the message about published records that are not true of their originals."""
    return [f"{records:,} published records do not generalize their original"] if records else []


# Identical published vectors: the same terms with the same weights.


def classes_of_vectors(table: WeightedBagTable) -> tuple[Ints, Ints]:
    """Return a number for each record that identical ones share, and the number of records in each class."""
    records = pl.DataFrame({"record": np.arange(table.n_rows, dtype=np.uint32)})
    sorted_lists = table.flat.group_by("record", maintain_order=True).agg("item", "weight")
    whole = records.join(sorted_lists, on="record", how="left", maintain_order="left")
    label = whole.select(pl.struct("item", "weight").rank("dense")).to_series().to_numpy().astype(np.int64) - 1
    return label, np.bincount(label)
