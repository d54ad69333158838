"""Items of a log by a product table: their readable names, the taxonomy above them, and the level at which they are published.

The taxonomy is built from the levels as `shoal taxonomy build` does (`levels`). An item takes its name; two items of one name, and an item
that is called like a group, have their key behind it. At a level, an item is replaced by its group there, or by the next one above where
the table has none. Items that the table lacks keep their key, and are on no taxonomy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.accounting import Ledger, changed, kept
from shoal.data.bags import Bags, Ints, Small, Vocabulary
from shoal.data.column_storage import IN_MEMORY, Shelf, renamed
from shoal.data.taxonomy import Taxonomy
from shoal.errors import InputError
from shoal.taxonomy.item_columns import ItemColumns
from shoal.taxonomy.levels import LevelTree, summary_of, tree_of_levels
from shoal.taxonomy.place_terms import restricted
from shoal.util.wording import counted

KEY, ITEM, NODE = "(key)", "(item)", "(node)"  # columns of a ladder that are no levels
# Parts of the account of items.
NAMED = "named by the items table"
AT_LEVEL = "replaced by the item level"
ABSENT = "not in the items table"
UNLISTED = "(unlisted)"


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The items of a product table.

    Attributes:
        columns: The columns that were used.
        level: The level at which items are published; None for the items themselves.
        taxonomy: The tree of the published items and of all levels above them.
        ladder: A row for each item: its key, its name, and for every level the name of its node there.
        notes: What was found in the table: conflicts and gaps.
    """

    columns: ItemColumns
    level: str | None
    taxonomy: Taxonomy
    ladder: pl.DataFrame
    notes: tuple[str, ...] = ()

    @property
    def rungs(self) -> tuple[str | None, ...]:
        """The levels at which items may be published, from the items themselves (None) to the coarsest."""
        return (None, *self.columns.levels)


@dataclass(frozen=True, eq=False)
class ItemTree:
    """The items of a product table by all its levels, before one is chosen: the tree, and for every item its node at each level."""

    columns: ItemColumns
    built: LevelTree
    steps: Sequence[Small]
    ladder: pl.DataFrame
    notes: tuple[str, ...]

    def at(self, level: str | None) -> Catalogue:
        """Return the catalogue of items that are published at a level.

        Raises:
            InputError: The level has fewer than two groups.
        """
        if level is None:
            return Catalogue(self.columns, None, self.built.taxonomy, self.ladder, self.notes)
        place = len(self.columns.levels) - 1 - self.columns.levels.index(level)
        lacking = _lacking(self.built, self.steps[place], place, level)
        return Catalogue(self.columns, level, _down_to(self.built, place), self.ladder, (*lacking, *self.notes))


def item_tree(table: pl.DataFrame, columns: ItemColumns) -> ItemTree:
    """Return the items in a table of texts.

    Raises:
        InputError: The table has fewer than two items, or names that cannot be distinguished.
    """
    rows = table.filter(pl.col(columns.key).is_not_null())
    names, notes = _item_names(rows, columns)
    named = rows.select(pl.col(columns.key).alias(KEY), *reversed(columns.levels)).join(names, on=KEY, how="left", maintain_order="left")
    order = [*reversed(columns.levels), ITEM]
    built = tree_of_levels(named.select(order), order)
    steps = _steps(built, len(order))
    whole = built.taxonomy.names.names
    nodes = pl.DataFrame({ITEM: whole, **{name: whole.gather(steps[at]) for at, name in enumerate(order[:-1])}})
    ladder = names.join(nodes, on=ITEM, how="left", maintain_order="left")
    return ItemTree(columns, built, steps, ladder, (*notes, *summary_of(built.conflicts), *_of_rows(table, columns)))


def _item_names(rows: pl.DataFrame, columns: ItemColumns) -> tuple[pl.DataFrame, list[str]]:
    """Return a row for each item with its key and a name that no other item and no group has; and notes on changed names."""
    called = pl.col(columns.key) if columns.name is None else pl.coalesce(columns.name, columns.key)
    every = rows.select(pl.col(columns.key).alias(KEY), called.alias(ITEM)).unique(maintain_order=True)
    names = every.unique(subset=[KEY], keep="first", maintain_order=True)
    notes = []
    if len(every) > len(names):
        several = int(every.group_by(KEY).len().filter(pl.col("len") > 1).height)
        notes.append(f"{counted(several, 'item has', 'items have')} several names: the first is used")
    groups = pl.concat([rows[level].drop_nulls().rename(ITEM) for level in columns.levels]).unique()
    taken = pl.concat([groups, names[KEY].rename(ITEM)]) if columns.name is not None else groups
    # A name that another item has as its key would be taken for that item.
    clash = pl.col(ITEM).is_duplicated() | (pl.col(ITEM).is_in(taken.implode()) & (pl.col(ITEM) != pl.col(KEY)))
    apart = names.with_columns(pl.when(clash).then(pl.format("{} ({})", ITEM, KEY)).otherwise(pl.col(ITEM)).alias(ITEM))
    changed_names = int((apart[ITEM] != names[ITEM]).sum())
    if changed_names:
        notes.append(f"{counted(changed_names, 'item has', 'items have')} a name that is not unique: the key is added in brackets")
    if apart[ITEM].n_unique() < len(apart):
        raise InputError(
            "two items have one name even with their keys", code="item-names-not-unique", hint="rename one of them in the items table"
        )
    return apart, notes


def _steps(built: LevelTree, levels: int) -> list[Small]:
    """For each level the node there, or the next one above, of every node of the tree."""
    tree, depth = built.taxonomy, _level_of_nodes(built)
    nodes, found = np.arange(len(tree), dtype=np.int32), []
    for level in reversed(range(levels)):
        while (too_fine := depth[nodes] > level).any():
            nodes[too_fine] = tree.parent[nodes[too_fine]]
        found.append(nodes.copy())
    return found[::-1]


def _level_of_nodes(built: LevelTree) -> Ints:
    return np.array([built.level_of[name] for name in built.taxonomy.names.names], np.int64)


def _lacking(built: LevelTree, nodes: Small, at: int, level: str) -> list[str]:
    """Return a note on items without a group at a level."""
    depth = _level_of_nodes(built)
    lacking = int((depth[nodes[depth == depth.max()]] < at).sum())
    items = counted(lacking, f"item has no {level} of its own", f"items have no {level} of their own")
    return [f"{items}: the next level above is used"] if lacking else []


def _down_to(built: LevelTree, level: int) -> Taxonomy:
    """Return the tree without the levels below this one."""
    used = np.flatnonzero(_level_of_nodes(built) <= level).astype(np.int32)
    if len(used) < 2:
        raise InputError("the item level has fewer than two groups", code="too-few-items", hint="choose a finer level")
    return restricted(built.taxonomy, used)[0]


def _of_rows(table: pl.DataFrame, columns: ItemColumns) -> list[str]:
    without = int(table[columns.key].is_null().sum())
    return [f"{counted(without, 'row')} of the items table skipped: no {columns.key}"] if without else []


# -- records and logs by a catalogue


@dataclass(frozen=True, eq=False)
class JoinedItems:
    """A catalogue, and what became of the items of a log by it, in occurrences."""

    catalogue: Catalogue
    ledger: Ledger
    absent: int  # different items that the table lacks

    @property
    def notes(self) -> tuple[str, ...]:
        """What is worth knowing of the join."""
        lost = self.ledger[ABSENT]
        level = self.catalogue.level
        notes = [f"items are published by their {level}" if level is not None else "items have the names of the items table"]
        absent = f"{counted(self.absent, 'item')} ({counted(lost, 'occurrence')}) not in the items table"
        return (*notes, *([absent] if lost else []), *self.catalogue.notes)


def names_by(catalogue: Catalogue, items: pl.Series, level: str | None) -> tuple[pl.Series, Ints]:
    """Return what each of these different items is called at a level, and whether the table has it (0 or 1).

    An item that the table lacks keeps its own name, unless a node of the taxonomy is called so.
    """
    published = catalogue.ladder.select(KEY, pl.col(ITEM if level is None else level).alias(NODE))
    found = pl.DataFrame({KEY: items}).join(published, on=KEY, how="left", maintain_order="left")[NODE]
    known = found.is_not_null()
    strange = items.filter(~known)
    clashing = strange.filter(strange.is_in(catalogue.taxonomy.names.names.implode()))
    fresh = {name: _free(name, {*catalogue.taxonomy.names.names, *items}) for name in clashing}
    own = items.replace(list(fresh), list(fresh.values())) if fresh else items
    names = pl.DataFrame({"found": found, "own": own}).select(pl.coalesce("found", "own")).to_series()
    return names, known.cast(pl.Int64).to_numpy()


def _free(name: str, taken: Sequence[str] | set[str]) -> str:
    while name in taken:
        name = f"{name} {UNLISTED}"
    return name


def joined_bags(bags: Bags, catalogue: Catalogue, shelf: Shelf = IN_MEMORY) -> tuple[Bags, JoinedItems]:
    """Records of the published items of a catalogue, kept on a shelf, and the account of it."""
    names, known = names_by(catalogue, bags.vocabulary.names, catalogue.level)
    vocabulary = Vocabulary(names.unique(maintain_order=True))
    joined = renamed(bags, vocabulary.codes(names), vocabulary, shelf)
    return joined, _account(catalogue, bags.item_counts(), known)


def joined_column(items: pl.Series, counts: Ints, catalogue: Catalogue) -> tuple[pl.Series, JoinedItems]:
    """Return a column of items, each with its number of occurrences, as the catalogue publishes them; and the account of it."""
    different = items.unique(maintain_order=True)
    names, known = names_by(catalogue, different, catalogue.level)
    place = Vocabulary(different).codes(items)
    often = np.bincount(place, weights=counts, minlength=len(different)).astype(np.int64)
    return names.gather(place).rename(items.name), _account(catalogue, often, known)


def _account(catalogue: Catalogue, often: Ints, known: Ints) -> JoinedItems:
    found, lost = int(often[known > 0].sum()), int(often[known == 0].sum())
    parts = {NAMED: kept(found)} if catalogue.level is None else {AT_LEVEL: changed(found)}
    ledger = Ledger(found + lost, {**parts, ABSENT: kept(lost)})
    return JoinedItems(catalogue, ledger, int(((known == 0) & (often > 0)).sum()))


# -- what each level would give


@dataclass(frozen=True)
class LevelFacts:
    """What is known of a log whose items are published at a level.

    Attributes:
        level: The column of the product table; None for the items themselves.
        items: Number of different items in the log.
        people: Number of people who have an item, the median over all items.
        shared: Share of the occurrences whose item at least `fewest` people have.
        fewest: The number of people.
    """

    level: str | None
    items: int
    people: float
    shared: float
    fewest: int


def level_facts(bags: Bags, catalogue: Catalogue, fewest: int) -> tuple[LevelFacts, ...]:
    """Return facts about each level for these records, whose items are keys of the catalogue."""
    found = []
    for level in catalogue.rungs:
        names, _ = names_by(catalogue, bags.vocabulary.names, level)
        vocabulary = Vocabulary(names.unique(maintain_order=True))
        some = bags.relabelled(vocabulary.codes(names), vocabulary)
        often, people = some.item_counts(), some.people_per_item
        held = often > 0
        shared = float(often[held & (people >= fewest)].sum() / max(1, often.sum()))
        found.append(LevelFacts(level, int(held.sum()), float(np.median(people[held])) if held.any() else 0.0, shared, fewest))
    return tuple(found)
