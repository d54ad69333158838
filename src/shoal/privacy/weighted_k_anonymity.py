"""k-anonymity of weighted bags: identical published vectors of terms and weights.

The classes are counted from what is published. With the original, people are counted, and every published term is compared with its
documents: it must be a term of each of them, or lie above a sense of one, and weigh no more than these do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.data import patience
from shoal.data.bags import Ints
from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.original import DocumentOriginal
from shoal.data.release import Release, Secret
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.errors import ParameterError
from shoal.parameters import param
from shoal.privacy.evidence.equivalence_classes import classes_of_vectors
from shoal.taxonomy.senses import SenseGraph, senses_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.original import AnyOriginal
    from shoal.data.tables import PublishedTable


# -- whether vectors of terms represent their documents
#
# Counted in plain joins, by the graph of senses alone. A document carries a name if one of its terms has that name, or means something at
# or below the node of that name. A vector represents a document that carries all its names, and a class of documents if none of its
# weights is above the mean weight with which they carry it.


STEPS_A_PAIR = 100
ROUNDING = 1e-9  # by which a sum of weights may be off


@dataclass(frozen=True)
class DocumentComparison:
    """The faults, the minimum number of people per vector if known, and notes on how it was counted."""

    defects: list[str]
    people: int | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Carried:
    """The published names that documents have, with the weight of the terms below each: document, name, weight."""

    original: DocumentOriginal
    published: frozenset[str]
    graph: SenseGraph

    @cached_property
    def names_of_terms(self) -> pl.DataFrame:
        """Return for each term the published names that represent it."""
        rows = []
        for term, (word, place) in enumerate(zip(self.original.vectors.vocabulary.names, self.original.places.tolist(), strict=True)):
            rows += [(term, name) for name in self._names(word, place) & self.published]
        return pl.DataFrame(rows, schema={"term": pl.Int64, "name": pl.String}, orient="row")

    def _names(self, word: str, place: int) -> set[str]:
        pending = list(self.graph.senses[place]) if place >= 0 else []
        above: set[int] = set()
        while pending:
            node = pending.pop()
            if node not in above:
                above.add(node)
                pending.extend(self.graph.above[node])
        return {word, *(self.graph.names[node] for node in above)}

    @cached_property
    def table(self) -> pl.DataFrame:
        """Return one row per document and name."""
        vectors = self.original.vectors
        document = np.repeat(np.arange(len(vectors)), np.diff(vectors.indptr))
        entries = pl.DataFrame({"document": document, "term": vectors.items.astype(np.int64), "weight": self.original.weights})
        return entries.join(self.names_of_terms, on="term").group_by("document", "name").agg(pl.col("weight").sum())


def compared(table: WeightedBagTable, label: Ints, original: DocumentOriginal, secret: Secret | None) -> DocumentComparison:
    """Compare published vectors with the documents; without the mapping, with all documents that they could represent."""
    empty = int((original.vectors.lengths == 0).sum())
    if table.n_rows != len(original.vectors) - empty:
        return DocumentComparison(
            [f"{table.n_rows:,} vectors are published of {len(original.vectors) - empty:,} documents with terms"], None
        )
    carried = Carried(original, frozenset(table.flat["item"]), senses_of(original.taxonomy))
    if secret is None:
        return _standing_alone(table, label, carried)
    rows = secret.rows()
    shown = np.flatnonzero(rows >= 0)
    if not np.array_equal(np.sort(rows[shown]), np.arange(table.n_rows)):
        return DocumentComparison(["documents were lost or added without being accounted for"], None)
    classes = pl.DataFrame({"document": shown, "class": label[rows[shown]], "owner": original.vectors.owners[shown]})
    people = classes.group_by("class").agg(pl.col("owner").n_unique())["owner"]
    return DocumentComparison(list(_defects(_vectors(table, label), classes, carried)), _fewest(people))


def _vectors(table: WeightedBagTable, label: Ints) -> pl.DataFrame:
    """Return the distinct vectors, one row per term: class, name, weight."""
    first = np.unique(label, return_index=True)[1]
    numbered = pl.DataFrame({"record": first.astype(np.uint32), "class": label[first]})
    return table.flat.join(numbered, on="record").select("class", pl.col("item").alias("name"), pl.col("weight").alias("published"))


def _defects(vectors: pl.DataFrame, classes: pl.DataFrame, carried: Carried) -> Iterable[str]:
    sizes = classes.group_by("class").len("members")
    held = carried.table.join(classes, on="document").group_by("class", "name").agg(pl.len().alias("bearers"), pl.col("weight").sum())
    compared = vectors.join(sizes, on="class").join(held, on=["class", "name"], how="left")
    foreign = int((compared["bearers"].fill_null(0) < compared["members"]).sum())
    if foreign:
        yield f"{foreign:,} published terms represent no term of some document in their group"
    heavier = compared["published"] > compared["weight"].fill_null(0.0) / compared["members"] + ROUNDING
    light = compared["published"] < 0
    if (heavier | light).any():
        yield f"{int((heavier | light).sum()):,} published weights are not means of weights in their group"


def _standing_alone(table: WeightedBagTable, label: Ints, carried: Carried) -> DocumentComparison:
    """Return the minimum over vectors of the number of people with documents that have all names of the vector."""
    vectors = _vectors(table, label)
    wanted = vectors.group_by("class").len("terms")
    met = vectors.group_by("name").len("vectors").join(carried.table.group_by("name").len("documents"), on="name")
    pairs = int(met.select(pl.col("vectors").cast(pl.Int64) * pl.col("documents")).to_series().sum())
    what = "comparing vectors with documents"
    patience.spend(pairs * STEPS_A_PAIR, what)
    patience.insist_on_room(pairs, what)
    bearers = vectors.join(carried.table, on="name").group_by("class", "document").len("terms")
    whole = bearers.join(wanted, on=["class", "terms"])
    owners = pl.DataFrame({"document": np.arange(len(carried.original.vectors)), "owner": carried.original.vectors.owners})
    people = whole.join(owners, on="document").group_by("class").agg(pl.col("owner").n_unique())
    fewest = _fewest(wanted.join(people, on="class", how="left")["owner"].fill_null(0))
    note = "the people of all documents that a vector may represent were counted, because the mapping is not in the files"
    return DocumentComparison(list(_impossible_weights(vectors, label, carried)), fewest, (note,))


def _impossible_weights(vectors: pl.DataFrame, label: Ints, carried: Carried) -> Iterable[str]:
    """Return weights above the mean of the largest of as many documents, or below the smallest of any represented term."""
    members = pl.DataFrame({"class": label}).group_by("class").len("members")
    ranked = carried.table.sort("weight", descending=True).with_columns(place=pl.int_range(pl.len()).over("name"))
    compared = vectors.join(members, on="class")
    heaviest = (
        compared.join(ranked, on="name")
        .filter(pl.col("place") < pl.col("members"))
        .group_by("class", "name")
        .agg(most=pl.col("weight").mean())
    )
    lightest = float(carried.original.weights.min()) if len(carried.original.weights) else 0.0
    both = compared.join(heaviest, on=["class", "name"], how="left").with_columns(pl.col("most").fill_null(0.0))
    wrong = (both["published"] > both["most"] + ROUNDING) | (both["published"] < lightest - ROUNDING)
    if wrong.any():
        yield f"{int(wrong.sum()):,} published weights are not means of weights in the original"


def _fewest(people: pl.Series) -> int | None:
    return int(people.to_numpy().min()) if len(people) else None


# -- the model


@dataclass(frozen=True)
class WeightedKAnonymity(Model):
    """At least k people share each published vector of terms and weights."""

    name = "weighted-k-anonymity"
    protects = (
        "An attacker who knows the terms of a document links it to a published vector with probability at most 1/k. A published term "
        "represents terms of all documents in its group: no term of only some of them is published."
    )
    does_not_protect = (
        "What all documents of a group have in common is published, even a rare word if all of them use it. Weights are means: with k "
        "= 2 the author of one document can compute the weights of the other."
    )
    limits = "It does not hide what all documents of a group have in common, including a rare word that all of them use."
    judges = frozenset({"weighted bags"})
    level_words = {  # noqa: RUF012 (never changed)
        "records": "vectors in the smallest equivalence class",
        "people": "different people behind the rarest vector",
    }
    level_sentences = {  # noqa: RUF012 (never changed)
        "people": "{every} published vector belongs to {least} {people}",
        "records": "{every} published vector occurs {least} {times}",
    }

    k: int = param(3, minimum=2, help="minimum number of people per published vector")

    @property
    def group_size(self) -> int:
        """The size of groups: k."""
        return self.k

    @property
    def generalized_groups(self) -> int:
        """The number of people whose vectors a vector generalizes: k."""
        return self.k

    def not_checked(self, table: PublishedTable, *, with_original: bool) -> Mapping[str, str]:
        """Return what remains open: the file shows k identical vectors; neither it nor the original shows the documents of a vector."""
        if with_original:
            return {"weights": "only that documents which carry the terms have weights as small and as large"}
        return {"items": "whether documents hold them", "weights": ""}

    def judge(self, release: Release, original: AnyOriginal | None) -> Verdict:
        """Count identical vectors; with the original, count people and compare terms and weights with what they represent."""
        table = release.only(WeightedBagTable)
        label, sizes = classes_of_vectors(table)
        achieved = {"records": int(sizes.min(initial=len(label)))}
        rare = int((sizes < self.k).sum())
        broken = [f"{rare:,} vectors are shared by fewer than {self.k:,} records"] if rare else []
        if original is None:
            return Verdict(str(self), verified_if(not broken), achieved, tuple(broken))
        if not isinstance(original, DocumentOriginal):
            raise ParameterError(
                f"vectors are compared with documents, but the original was read as {original.shape}", code="wrong-kind-of-original"
            )
        found: DocumentComparison = compared(table, label, original, release.secret)
        broken += found.defects
        if found.people is not None:
            achieved["people"] = found.people
            if found.people < self.k:
                broken.append(f"a vector represents documents of only {found.people:,} people")
        return Verdict(str(self), verified_if(not broken), achieved, tuple(broken), found.notes)
