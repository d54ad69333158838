"""From typed records to an Original: on the nodes of a taxonomy, or with the names as they were typed; every step is counted.

Unknown terms (brands, names: half of a real log) are kept under one extra child of the root, so that a term shared by a whole group
survives; or dropped, as the papers do; or refused. The tree may be cut down to what the data uses, as in the papers, or stay whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Bags, Ints, Small, Vocabulary
from shoal.data.column_storage import IN_MEMORY, Shelf, renamed
from shoal.data.node_loss import PEOPLE
from shoal.data.original import Original, Steps
from shoal.data.taxonomy import Floor, Taxonomy
from shoal.errors import InputError, option
from shoal.taxonomy.people_below import people_below
from shoal.taxonomy.wordnet import noun_places
from shoal.text.terms import in_one_case
from shoal.util.wording import counted

Unknown = Literal["keep", "drop", "refuse"]
Scope = Literal["used", "whole"]

NO_FLOOR = Floor(level=1)
UNLISTED = "(unlisted)"
ANYTHING = "(anything)"


def place_terms(
    bags: Bags,
    taxonomy: Taxonomy,
    *,
    unknown: Unknown = "keep",
    scope: Scope = "used",
    as_sets: bool = False,
    fold: bool = False,
    stop_words: int = 0,
    joined: int = 0,
    related: bool = False,
    floor: Floor = NO_FLOOR,
    shelf: Shelf = IN_MEMORY,
) -> Original:
    """Records of terms become records of taxonomy nodes. With `as_sets` a node counts once a record.

    With `fold` words are brought to lower case first; `stop_words` were left out before, and `joined` words are parts of terms of several.
    With `related`, those that WordNet places by a related noun are counted apart. What is above the floor is not to be published. The new
    records are kept on the shelf.
    """
    typed = bags.vocabulary
    terms, term = in_lower_case(typed) if fold else (typed, np.arange(len(typed), dtype=np.int32))
    often = np.bincount(term, weights=bags.item_counts(), minlength=len(terms)).astype(np.int64)
    placed = _placed(terms, often, taxonomy, unknown, scope, floor)
    items = placed.nodes[term]
    placed_bags = renamed(bags, items, placed.tree.names, shelf, as_sets=as_sets)
    by_related = placed.known & (noun_places(terms.names) < 0) if related else np.zeros(len(terms), bool)
    spelling = _spelling(bags, terms.names.gather(term), placed.tree.names, items, placed.known[term], by_related[term])
    steps = Steps(
        **spelling,
        stop_words=stop_words,
        joined=joined,
        unknown_terms=placed.unknown_terms,
        repeats_dropped=int(often[placed.nodes >= 0].sum()) - placed_bags.occurrences,
    )
    tree = with_people(placed.tree, placed_bags)
    return Original(placed_bags, tree, bags, items, steps, tree)


def with_people(tree: Taxonomy, bags: Bags) -> Taxonomy:
    """Return the tree with the number of people below each node, where its node loss needs it."""
    return tree if tree.loss_name != PEOPLE else replace(tree, parent=tree.parent.copy(), people=people_below(bags, tree))


def as_typed(
    bags: Bags,
    taxonomy: Taxonomy | None = None,
    *,
    as_sets: bool = False,
    stop_words: int = 0,
    joined: int = 0,
    shelf: Shelf = IN_MEMORY,
) -> Original:
    """Return the records with every name as it was typed, all directly below one root; a taxonomy only says what lies under its nodes."""
    root = ANYTHING
    while bags.vocabulary.codes([root])[0] >= 0:
        root = f"({root})"
    # In the order of their names, so that the tree does not depend on the order of the records.
    by_name = bags.vocabulary.names.arg_sort().to_numpy()
    names = Vocabulary(pl.concat([pl.Series("item", [root]), bags.vocabulary.names.gather(by_name)]))
    items = np.empty(len(by_name), np.int32)
    items[by_name] = 1 + np.arange(len(by_name), dtype=np.int32)
    parent = np.zeros(len(names), np.int32)
    parent[0] = -1
    tree = Taxonomy(names, parent)
    placed = renamed(bags, items, names, shelf, as_sets=as_sets)
    steps = Steps(as_typed=bags.occurrences, stop_words=stop_words, joined=joined, repeats_dropped=bags.occurrences - placed.occurrences)
    return Original(placed, tree, bags, items, steps, taxonomy)


def in_lower_case(words: Vocabulary) -> tuple[Vocabulary, Small]:
    """Return the words in lower case, and the number that each word has there."""
    folded = in_one_case(words.names)
    vocabulary = Vocabulary(folded.unique(maintain_order=True))
    return vocabulary, vocabulary.codes(folded)


@dataclass(frozen=True, eq=False)
class _Placed:
    """The node of each term on the fitted tree, which terms the taxonomy knew, and how many used ones it did not."""

    tree: Taxonomy
    nodes: Small
    known: npt.NDArray[np.bool_]
    unknown_terms: int


def _placed(terms: Vocabulary, often: Ints, taxonomy: Taxonomy, unknown: Unknown, scope: Scope, floor: Floor) -> _Placed:
    """Return the terms on the tree, each of which occurs so often."""
    nodes = taxonomy.nodes(terms.names)
    known = nodes >= 0
    strange = np.flatnonzero(~known & (often > 0))
    if unknown == "refuse" and len(strange):
        raise InputError(
            f"{counted(len(strange), 'term')} ({counted(int(often[strange].sum()), 'occurrence')}) not in the taxonomy",
            code="terms-not-in-taxonomy",
            hint=f"keep them with {option('unknown', 'keep')}, drop them with {option('unknown', 'drop')}",
        )
    fitted, above = taxonomy, floor.bars(taxonomy)
    if scope == "used":
        fitted, renumbered = restricted(taxonomy, nodes[known & (often > 0)])
        above = above[renumbered >= 0]
        nodes = np.where(known, renumbered[nodes], -1).astype(np.int32)
    if unknown == "keep" and len(strange):
        fitted, nodes = _hang_unlisted(fitted, nodes, strange, terms, taken=taxonomy.names)
    return _Placed(_barring(fitted, above, floor), nodes, known, len(strange))


def _spelling(
    bags: Bags, folded: pl.Series, names: Vocabulary, items: Small, known: npt.NDArray[np.bool_], related: npt.NDArray[np.bool_]
) -> dict[str, int]:
    """Occurrences by the outcome of the words: their own name, their name in lower case, another one, a related noun's, or unknown."""
    frequency = bags.item_counts()
    typed = bags.vocabulary.names
    item = names.names.gather(np.maximum(items, 0))
    same, lower = (item == typed).to_numpy(), (item == folded).to_numpy()
    held = items >= 0
    found = {
        "as_typed": known & same,
        "lower_cased": known & ~same & lower,
        "renamed": known & ~same & ~lower & ~related,
        "related": known & ~same & ~lower & related,
        "unknown_kept": ~known & held,
        "unknown_dropped": ~known & ~held,
    }
    return {step: int(frequency[mask].sum()) for step, mask in found.items()}


def restricted(taxonomy: Taxonomy, used: Small) -> tuple[Taxonomy, Small]:
    """Return the tree of the used nodes and their ancestors, and the new number of each old node (-1 for those left out)."""
    found = np.zeros(len(taxonomy), np.int64)
    found[used] = 1
    keep = taxonomy.sum_up(found) > 0
    keep[0] = True
    renumbered = np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32)
    parent = taxonomy.parent[keep]
    parent = np.where(parent >= 0, renumbered[parent], -1).astype(np.int32)
    names = Vocabulary(taxonomy.names.names.filter(pl.Series(keep)))
    unlisted = None if taxonomy.unlisted is None or not keep[taxonomy.unlisted] else int(renumbered[taxonomy.unlisted])
    return Taxonomy(names, parent, loss_name=taxonomy.loss_name, unlisted=unlisted), renumbered


def _hang_unlisted(taxonomy: Taxonomy, nodes: Small, strange: Ints, vocabulary: Vocabulary, taken: Vocabulary) -> tuple[Taxonomy, Small]:
    """Return the tree with unknown terms below a node of their own, under names that no node of the whole taxonomy (`taken`) has."""
    if taxonomy.unlisted is not None:
        raise InputError(
            "this taxonomy contains unlisted terms already", code="invalid-taxonomy", hint="place records on the taxonomy as it was read"
        )
    # In the order of their names, so that the tree does not depend on the order of the records.
    terms = vocabulary.names.gather(strange)
    by_name = terms.arg_sort().to_numpy()
    unlisted = len(taxonomy)
    nodes = nodes.copy()
    nodes[strange[by_name]] = unlisted + 1 + np.arange(len(strange), dtype=np.int32)
    # A word that was typed keeps its name; the node for unknown terms takes one that is free.
    fresh = _distinct_from(taken, pl.concat([terms.gather(by_name).rename(""), pl.Series([UNLISTED])]))
    names = pl.concat([taxonomy.names.names, fresh[-1:].rename("item"), fresh[:-1].rename("item")])
    parent = np.concatenate([taxonomy.parent, [0], np.full(len(strange), unlisted)]).astype(np.int32)
    return Taxonomy(Vocabulary(names), parent, loss_name=taxonomy.loss_name, unlisted=unlisted), nodes


def fitted_tree(taxonomy: Taxonomy, used: Ints, strange: int, floor: Floor) -> tuple[Taxonomy, Small]:
    """Return the tree that records would be put on which use these nodes and this many unknown terms, and the new numbers of the taxonomy's
    nodes.

    One leaf represents all unknown terms, whose names are not shown; losses are those of the tree with all of them.
    """
    fitted, renumbered = restricted(taxonomy, used.astype(np.int32))
    above = floor.bars(taxonomy)[renumbered >= 0]
    if strange:
        one = Vocabulary([UNLISTED * 2])
        fitted = _hang_unlisted(fitted, np.full(1, -1, np.int32), np.zeros(1, np.int64), one, taken=taxonomy.names)[0]
        fitted = replace(fitted, parent=fitted.parent.copy(), unseen=strange - 1)
    return _barring(fitted, above, floor), renumbered


def _barring(fitted: Taxonomy, above: npt.NDArray[np.bool_], floor: Floor) -> Taxonomy:
    """Return the fitted tree with the nodes above the floor not to be published, nor the node of unlisted terms, which carries no
    information.
    """
    barred = np.zeros(len(fitted), bool)
    barred[: len(above)] = above
    if fitted.unlisted is not None and not floor.lets_all_pass:
        barred[[0, fitted.unlisted]] = True
    return fitted.barring(barred)


def _distinct_from(others: Vocabulary, terms: pl.Series) -> pl.Series:
    """Return the terms, marked where another node already bears that name."""
    clashing = (terms.is_in(others.names.implode()) | ~terms.is_first_distinct()).arg_true()
    if clashing.is_empty():
        return terms
    names, taken = terms.to_list(), {*others.names, *terms}
    for i in clashing:
        while names[i] in taken:
            names[i] = f"{names[i]} {UNLISTED}"
        taken.add(names[i])
    return pl.Series(names, dtype=pl.String)


def frequent_unknown_terms(bags: Bags, taxonomy: Taxonomy, people: int = 1) -> Sequence[tuple[str, int]]:
    """Return the terms of at least `people` people that the taxonomy lacks, with their occurrences, the most frequent first."""
    nodes = taxonomy.nodes(bags.vocabulary.names)
    table = pl.DataFrame({"term": bags.vocabulary.names, "n": bags.item_counts(), "node": nodes, "people": bags.people_per_item})
    missing = table.filter((pl.col("node") < 0) & (pl.col("people") >= people)).sort("n", "term", descending=[True, False])
    return [(row[0], row[1]) for row in missing.iter_rows()]
