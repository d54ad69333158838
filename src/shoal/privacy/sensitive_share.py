"""Sensitive items: at most a share h of the people behind one published record have the same sensitive item.

An attacker who links a person to a published record learns only the record's class: the people whose records were published identically. So
the share is counted in every class, over people, in their original records. A bound for the classes is a bound for any published item: if
everybody owns one record, the records with an item form some classes, and the share among them is a weighted mean of the shares of these
classes, which is at most h.

Counting needs the original and the record-to-group mapping. From a file alone only names can be compared, and the verdict says so. No
method uses this code: the judge itself matches names, finds descendants and counts people.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.items import Items
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError
from shoal.parameters import Declared, param
from shoal.privacy.evidence.equivalence_classes import classes_of, fitting
from shoal.privacy.evidence.sensitive_columns import downwards, upwards
from shoal.taxonomy.wordnet import base_nouns, wordnet

if TYPE_CHECKING:
    from shoal.data.original import Original

NO_GROUPS = "the people of a class can be counted only with the original and the groups"


@dataclass(frozen=True)
class SensitiveShare(Model):
    """At most a share h of the people behind a published record have the same sensitive item."""

    name = "sensitive-share"
    protects = (
        "An attacker who knows which published record belongs to a person infers any one of the sensitive items of that person with "
        "probability at most h."
    )
    does_not_protect = (
        "Items not listed as sensitive; that a person has at least one of several sensitive items; a person whose records are linked "
        "to each other. h bounds the probability, not its increase: a rare item may become much more likely."
    )
    limits = "It does not cover items not listed as sensitive, and does not bound by how much a release makes a rare one more likely."
    level_sentences = {  # noqa: RUF012 (never changed)
        "h": "up to a share of {n} of the people behind a record have the same sensitive item",
        "h_at_least": "a share of at least {n} of the people behind a record have the same sensitive item",
    }

    h: float = param(0.5, minimum=0, maximum=1, help="largest share of the people behind a record who may have the same sensitive item")
    items: Items | None = param(None, help="sensitive items")

    @property
    def sensitive_items(self) -> Items | None:
        """The items; without names if the claim was read from a manifest."""
        return self.items

    def ceiling(self, test: str, known: int | None) -> float | None:
        """Return h for an attacker who knows the published record of a person."""
        return self.h if test == "sensitive record" else None

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Count the holders in every class; if that is impossible, compare names and say so."""
        if self.items is None:
            raise ParameterError("no sensitive items are named", code="items-not-named", hint="write sensitive-share(h=0.5, items=FILE)")
        if not self.items.known:
            what = "the claim does not name its items" if self.items.unnamed else f"the claim has {self.items.described}, not their names"
            why = f"{what}; the option `sensitive` gives them"
            return Verdict(str(self), "not checkable", {}, unchecked=why)
        wanted = _wanted(self.items)
        if original is None:
            named = _alike(wanted, shown := _published(release))["name"].n_unique()
            return self._by_names(named, f"names of {len(shown):,} published items were compared with {len(wanted):,} sensitive ones")
        tree = original.tree
        below = _below(_alike(wanted, tree.names.names, synonyms=tree.names[0] == wordnet().names[0]), tree)
        if missing := len(wanted) - below["item"].n_unique():
            raise ParameterError(
                f"{missing:,} of {len(wanted):,} sensitive items are not in the data", code="items-not-in-data", hint="check the spelling"
            )
        named = int(_published(release).is_in(_telling(below, tree).implode()).sum())
        judged = self._by_origins if release.secret is None else self._by_people
        return judged(named, release, original, below)

    def _by_origins(self, named: int, release: Release, original: Original, below: pl.DataFrame) -> Verdict:
        """Verify without the record-to-group mapping: a class must have holders if too few records without the item fit it."""
        if original.bags.owners_repeat:
            return self._by_names(named, "published items were compared with the sensitive ones and what lies below them")
        classes = _forced(release, original, below)
        broken = self._words(named)
        if over := self._over(classes):
            broken += (f"{over:,} classes fit so few records without a sensitive item that more than {self.h:g} of their people have it",)
        achieved = {"h_at_least": downwards(_greatest(classes)), "named": named}
        note = f"of {len(classes):,} classes the fewest possible holders were counted, from all records that match it"
        return _without_groups(str(self), achieved, broken, note)

    def _by_names(self, named: int, note: str) -> Verdict:
        broken = self._words(named)
        return _without_groups(str(self), {"named": named}, broken, note)

    def _by_people(self, named: int, release: Release, original: Original, below: pl.DataFrame) -> Verdict:
        assert release.secret is not None
        rows = release.secret.rows()
        shown = np.bincount(rows[rows >= 0], minlength=len(release.copies))
        if len(rows) != len(original.bags) or not np.array_equal(shown, release.copies):
            return Verdict(str(self), "fails", {"named": named}, ("records were lost or added without being accounted for",))
        classes = _counted(release, original, below, rows)
        broken = self._words(named)
        if over := self._over(classes):
            broken += (f"in {over:,} of {len(classes):,} classes more than {self.h:g} of the people have the same sensitive item",)
        note = f"people were counted in {len(classes):,} equivalence classes"
        return Verdict(str(self), verified_if(not broken), {"h": upwards(_greatest(classes)), "named": named}, broken, (note,))

    def _words(self, named: int) -> tuple[str, ...]:
        """Return faults for published sensitive items, unless h allows anything."""
        return (f"{named:,} published items name a sensitive item, or can mean nothing else",) if named and self.h < 1 else ()

    def _over(self, classes: pl.DataFrame) -> int:
        """Count the classes in which too many people have an item; h is taken as a decimal: 29 of 100 is not more than 0.29."""
        share = Fraction(repr(self.h))
        return sum(holders > share * people for holders, people in classes.select("holders", "people").iter_rows())

    def keeps(self, promise: Declared) -> bool:
        """Whether this claim is the promised one. If both know their items, these must be equal."""
        promise_known = isinstance(promise, SensitiveShare) and promise.items is not None and promise.items.known
        if promise_known and self.items is not None and self.items.known:
            return self == promise
        return super().keeps(promise)

    def disclosable_values(self) -> dict[str, Any]:
        """Return the parameters without the sensitive items, which may disclose what somebody searched for.

        A digest would disclose it too: an attacker could test guessed words against it.
        """
        return self.values() | ({"items": str(self.items.withheld)} if self.items else {})


def _greatest(classes: pl.DataFrame) -> Fraction:
    counts = classes.select("holders", "people").iter_rows()
    return max((Fraction(holders, people) for holders, people in counts if people), default=Fraction(0))


def _wanted(items: Items) -> pl.Series:
    names = {items.under} if items.under is not None else items.listed("sensitive")
    return pl.Series("item", sorted(names), dtype=pl.String)


def _published(release: Release) -> pl.Series:
    """Return the names of all items in published records."""
    shown = np.repeat(release.copies > 0, np.diff(release.published.indptr))
    return release.published.vocabulary.names.gather(np.unique(release.published.items[shown]))


# -- equivalent names


def _alike(wanted: pl.Series, names: pl.Series, *, synonyms: bool = False) -> pl.DataFrame:
    """Return pairs of a sensitive `item` and an equivalent `name`; with `synonyms`, names are nodes of WordNet."""
    pairs = _keys(wanted).rename({"name": "item"}).join(_keys(names), on="key").select("item", "name")
    if not synonyms:
        return pairs.unique()
    nouns = wordnet()
    synset = nouns.nodes(wanted)
    meant = pl.DataFrame({"item": wanted.filter(pl.Series(synset >= 0)), "name": nouns.names.names.gather(synset[synset >= 0])})
    return pl.concat([pairs, meant.filter(pl.col("name").is_in(names.implode()))]).unique()


def _keys(names: pl.Series) -> pl.DataFrame:
    """Return each name with its keys for comparison: its letters, those of its singular, and its base noun."""
    bare = (
        pl.col("name").str.replace(r"(\s*\(unlisted\))+$", "").str.normalize("NFKD").str.replace_all(r"[\p{Mn}\p{Cc}\p{Cf}\p{Z}_.'’-]", "")
    )
    table = pl.DataFrame({"name": names}).with_columns(key=bare.str.to_uppercase().str.to_lowercase())
    endings = {"s$": "", "es$": "", "ies$": "y"}
    stems = [
        table.filter(pl.col("key").str.contains(end)).with_columns(pl.col("key").str.replace(end, instead))
        for end, instead in endings.items()
    ]
    singular = pl.concat(stems).filter(pl.col("key").str.len_chars() >= 3)
    noun = table.select("name", key="noun " + pl.Series(base_nouns(names))).drop_nulls()
    return pl.concat([table, singular, noun]).unique()


# -- descendants and holders


def _below(meant: pl.DataFrame, taxonomy: Taxonomy) -> pl.DataFrame:
    """Return pairs of a sensitive `item` and a `node` at or below it, found by descending child by child."""
    tree = pl.DataFrame({"node": np.arange(len(taxonomy)), "parent": taxonomy.parent.astype(np.int64), "name": taxonomy.names.names})
    found = [meant.join(tree, on="name").select("item", "node")]
    while len(found[-1]):
        found.append(found[-1].join(tree, left_on="node", right_on="parent").select("item", node="node_right"))
    return pl.concat(found).unique().join(tree.select("node", "name"), on="node")


def _telling(below: pl.DataFrame, taxonomy: Taxonomy) -> pl.Series:
    """Return the names of these nodes, and of every other node except the root with only such nodes below it."""
    inside = np.zeros(len(taxonomy), bool)
    inside[below["node"].to_numpy()] = True
    open_leaf = ~inside
    open_leaf[np.unique(taxonomy.parent[1:])] = False
    spared = open_leaf.copy()
    rising = np.flatnonzero(open_leaf)
    while len(rising := np.unique(taxonomy.parent[rising[rising > 0]])):
        spared[rising] = True
    spared[0] |= not inside[0]
    return taxonomy.names.names.filter(pl.Series(~spared))


def _holders(original: Original, below: pl.DataFrame) -> pl.DataFrame:
    """Return pairs of an original `record` and a sensitive `item` in it."""
    bags = original.bags
    entries = pl.DataFrame({"record": np.repeat(np.arange(len(bags)), np.diff(bags.indptr)), "node": bags.items.astype(np.int64)})
    return entries.join(below.select("item", "node"), on="node").select("record", "item").unique()


def _forced(release: Release, original: Original, below: pl.DataFrame) -> pl.DataFrame:
    """Return for each class its `people` and the minimum number of `holders` of an item: its size minus the fitting records without it."""
    fit = fitting(release, original)
    pairs = pl.DataFrame({"class": fit.classes, "record": fit.records})
    sizes = pl.DataFrame({"class": np.arange(len(fit.wanted)), "people": fit.wanted}).join(
        pairs.group_by("class").agg(pl.len().cast(pl.Int64).alias("fit")), on="class"
    )
    holding = pairs.join(_holders(original, below), on="record").group_by("class", "item").agg(pl.len().cast(pl.Int64).alias("with"))
    fewest = pl.col("people") - (pl.col("fit") - pl.col("with"))
    forced = holding.join(sizes, on="class").group_by("class").agg(fewest.clip(0).max().alias("holders"))
    return sizes.join(forced, on="class", how="left").with_columns(pl.col("holders").fill_null(0))


def _counted(release: Release, original: Original, below: pl.DataFrame, rows: Ints) -> pl.DataFrame:
    """Return for each class its `people` and the `holders` of its most frequent item."""
    shown = np.flatnonzero(rows >= 0)
    record = pl.DataFrame({"record": shown, "class": classes_of(release).label[rows[shown]], "owner": original.bags.owners[shown]})
    held = _holders(original, below).join(record, on="record")
    holders = held.group_by("class", "item").agg(pl.col("owner").n_unique().alias("holders")).group_by("class").agg(pl.col("holders").max())
    people = record.group_by("class").agg(pl.col("owner").n_unique().alias("people"))
    return people.join(holders, on="class", how="left").with_columns(pl.col("holders").fill_null(0))


def _without_groups(claim: str, achieved: dict[str, Any], broken: tuple[str, ...], note: str) -> Verdict:
    """Return the verdict without known groups: violations are visible, but the claim cannot be verified."""
    if broken:
        return Verdict(claim, "fails", achieved, broken, (note,))
    return Verdict(claim, "not checkable", achieved, notes=(note,), unchecked=NO_GROUPS)
