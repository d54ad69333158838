"""A tree from a table of levels: one row an item, one column a level, such as department, category, type, product.

The rules:

* an item keeps its name, because the data use it. An item below several groups is placed below the lowest group that holds them
  all, so that whatever it is generalized to is true of it;
* two groups are the same if all levels above them are. Of different groups with one name the highest keeps it, if it is alone on its level
  and no item has that name; the others are called `name (group above)`, and where that is no help either, by their whole path;
* an empty cell is a level that the item does not have: its content is placed below the next level that is filled. A row without
  an item is left out and counted;
* the only group of the highest level is the root; several get a root of their own, `(root)`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from shoal.data.node_loss import DEFAULT_LOSS
from shoal.data.taxonomy import Taxonomy
from shoal.errors import TaxonomyError
from shoal.taxonomy.category_paths import IMPLIED_ROOT, Parents
from shoal.util.wording import counted

Group = tuple[tuple[int, str], ...]
"""A group by its path: level and label of itself, last, and of all groups above it."""

CONTROL = r"[\x00-\x1f\x7f]"

# Kinds of conflicts, and what became of them.
SAME_NAME, GROUP_AND_ITEM, SEVERAL_PARENTS = "same name", "group and item", "several parents"
RESOLVED = {
    SAME_NAME: ("name", "of several groups", "each group has the name of its parent in brackets"),
    GROUP_AND_ITEM: ("name", "of a group and an item", "the group has the name of its parent in brackets"),
    SEVERAL_PARENTS: ("item", "below several groups", "placed below the lowest group above all of them"),
}
EXAMPLES = 3  # of each kind of conflict


@dataclass(frozen=True)
class Conflict:
    """A name with several parents in the table: its parents, and where it was placed."""

    name: str
    below: tuple[str, ...]
    now: tuple[str, ...]
    kind: str = ""

    def __str__(self) -> str:
        return f"{self.name!r} has the parents {', '.join(map(repr, self.below))}: {', '.join(self.now)}"


@dataclass(frozen=True, eq=False)
class LevelTree:
    """A taxonomy from a table of levels, all conflicts between its names, and what else is worth knowing."""

    taxonomy: Taxonomy
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    level_of: Mapping[str, int] = field(default_factory=dict)  # the column that each node is from, counted from 0; a root of its own: -1


def summary_of(conflicts: Sequence[Conflict]) -> list[str]:
    """Return a line for each kind of conflict: its number, how it was resolved, and a few examples."""
    by_kind: dict[str, list[Conflict]] = {}
    for one in conflicts:
        by_kind.setdefault(one.kind, []).append(one)
    lines = []
    for kind, some in by_kind.items():
        what, which, outcome = RESOLVED[kind]
        lines.append(f"{counted(len(some), what)} {which}, such as {_examples(some)}: {outcome}")
    return lines


def _examples(conflicts: Sequence[Conflict]) -> str:
    return ", ".join(f"{one.name!r} ({', '.join(one.below[:EXAMPLES])})" for one in conflicts[:EXAMPLES])


def tree_of_levels(frame: pl.DataFrame, levels: Sequence[str], loss: str = DEFAULT_LOSS) -> LevelTree:
    """Return the taxonomy in these columns of a frame, given from the highest level to the items."""
    rows = _labels(frame, levels)
    filled = rows.filter(pl.col(levels[-1]).is_not_null())
    above: dict[str, list[Group]] = {}
    for *labels, item in filled.unique(maintain_order=True).iter_rows():
        above.setdefault(item, []).append(tuple((at, label) for at, label in enumerate(labels) if label is not None))
    if len(above) < 2:
        raise TaxonomyError(
            f"the column {levels[-1]!r} names {counted(len(above), 'item')}, but a taxonomy has two or more", code="too-few-items"
        )
    placed = {item: _shared(groups) for item, groups in above.items()}
    names = _names(placed, levels)
    root, parents = _rooted(placed, names)
    conflicts = (*_of_groups(names, placed, root), *_of_items(above, placed, names, root))
    notes = _notes(frame, rows, levels, above, placed)
    level_of = {root: -1, **{name: group[-1][0] for group, name in names.items()}, **dict.fromkeys(placed, len(levels) - 1)}
    return LevelTree(Taxonomy.from_parents(parents, loss), conflicts, tuple(notes), level_of)


def _labels(frame: pl.DataFrame, levels: Sequence[str]) -> pl.DataFrame:
    """Return the columns of the levels as text without blanks at the ends; null if a cell is empty."""
    if len(levels) < 2 or len(set(levels)) < len(levels):
        raise TaxonomyError("levels are two or more different columns, from the highest to the items", code="invalid-levels")
    texts = frame.select(_text(frame[name]) for name in levels)
    odd = [name for name in levels if texts[name].str.contains(CONTROL).any()]
    if odd:
        raise TaxonomyError(
            f"the column {odd[0]!r} has labels with line ends, tabs or control characters",
            code="taxonomy-label-invalid",
            hint="remove them first",
        )
    return texts


def _text(cells: pl.Series) -> pl.Series:
    """Labels of a column; whole numbers as they are written, whatever the type that holds them."""
    if cells.dtype.is_float() and (cells.drop_nulls().drop_nans() == cells.drop_nulls().drop_nans().round()).all():
        cells = cells.fill_nan(None).cast(pl.Int64)
    if not (cells.dtype.is_integer() or cells.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)):
        raise TaxonomyError(
            f"the column {cells.name!r} is of type {cells.dtype}, but labels are text or whole numbers", code="wrong-column-type"
        )
    named = cells.cast(pl.String).str.strip_chars()
    return pl.select(pl.when(named != "").then(named).alias(cells.name)).to_series()


def _shared(groups: Sequence[Group]) -> Group:
    """Return the lowest group that holds all of these; the empty path is the root."""
    if len(groups) == 1:
        return groups[0]
    first, last = min(groups), max(groups)
    same = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), min(len(first), len(last)))
    return first[:same]


# -- names


def _names(placed: Mapping[str, Group], levels: Sequence[str]) -> dict[Group, str]:
    """Return a name for every group that holds an item, unlike all others and unlike the items."""
    groups = sorted({path[: at + 1] for path in placed.values() for at in range(len(path))})
    alike: dict[str, list[Group]] = {}
    for group in groups:
        alike.setdefault(_label(group), []).append(group)
    names: dict[Group, str] = {}
    for label, those in alike.items():
        highest = Counter(group[-1][0] for group in those)
        top = min(highest)
        for group in those:
            plain = label not in placed and (len(those) == 1 or (group[-1][0] == top and highest[top] == 1))
            if plain:
                names[group] = label
    taken = {*placed, *names.values()}
    wanted = {group: _called(group, levels) for group in groups if group not in names}
    often = Counter(wanted.values())
    for group, name in wanted.items():
        chosen = name if often[name] == 1 and name not in taken else _by_path(group, taken)
        names[group] = chosen
        taken.add(chosen)
    return names


def _label(group: Group) -> str:
    return group[-1][1]


def _called(group: Group, levels: Sequence[str]) -> str:
    """Return a name by the group above; by the level where that has the same name or there is none."""
    above = _label(group[:-1]) if len(group) > 1 else ""
    return f"{_label(group)} ({above})" if above not in {"", _label(group)} else f"{_label(group)} ({levels[group[-1][0]]})"


def _by_path(group: Group, taken: Iterable[str]) -> str:
    whole = f"{_label(group)} ({' > '.join(label for _, label in group[:-1]) or 'group'})"
    name, n = whole, 1
    while name in taken:
        n += 1
        name = f"{whole} #{n}"
    return name


# -- the tree


def _rooted(placed: Mapping[str, Group], names: Mapping[Group, str]) -> tuple[str, Parents]:
    """Return every node's parent, and the root's name."""
    tops = [group for group in names if len(group) == 1]
    if len(tops) == 1 and () not in placed.values():
        root = names[tops[0]]
    else:
        root = IMPLIED_ROOT
        while root in placed or root in names.values():
            root = f"({root})"
    parents: Parents = {root: None}
    for group, name in sorted(names.items()):
        if name != root:
            parents[name] = names[group[:-1]] if len(group) > 1 else root
    parents |= {item: names[path] if path else root for item, path in placed.items()}
    return root, parents


# -- notes


def _of_groups(names: Mapping[Group, str], placed: Mapping[str, Group], root: str) -> list[Conflict]:
    """Names of several groups, or of a group and an item."""
    alike: dict[str, list[Group]] = {}
    for group in sorted(names):
        alike.setdefault(_label(group), []).append(group)
    found = []
    for label, groups in alike.items():
        if len(groups) > 1 or label in placed:
            own = [names[placed[label]] if placed[label] else root] if label in placed else []
            below = [names[group[:-1]] if len(group) > 1 else root for group in groups if names[group] != root] + own
            now = [f"group {names[group]!r}" for group in groups] + [f"item {label!r}"] * len(own)
            found.append(Conflict(label, tuple(below), tuple(now), GROUP_AND_ITEM if own else SAME_NAME))
    return found


def _of_items(above: Mapping[str, Sequence[Group]], placed: Mapping[str, Group], names: Mapping[Group, str], root: str) -> list[Conflict]:
    """Items below several groups."""
    found = []
    for item, groups in above.items():
        if len(groups) > 1:
            below = tuple(" > ".join(label for _, label in group) or root for group in sorted(groups))
            place = names[placed[item]] if placed[item] else root
            found.append(Conflict(item, below, (f"placed below {place!r}, the lowest node above all parents",), SEVERAL_PARENTS))
    return found


def _notes(
    frame: pl.DataFrame, rows: pl.DataFrame, levels: Sequence[str], above: Mapping[str, Sequence[Group]], placed: Mapping[str, Group]
) -> list[str]:
    """Rows and groups that were left out, and levels that items lack."""
    notes = []
    without = int(rows[levels[-1]].is_null().sum())
    if without:
        notes.append(f"{counted(without, 'row')} of {len(frame):,} skipped: no {levels[-1]}")
    filled = rows.filter(pl.col(levels[-1]).is_not_null())
    for level in levels[:-1]:
        empty = int(filled[level].is_null().sum())
        if empty:
            notes.append(f"{counted(empty, 'row has', 'rows have')} no {level}: its descendants are placed below the next level above")
    before = {group[: at + 1] for groups in above.values() for group in groups for at in range(len(group))}
    after = {path[: at + 1] for path in placed.values() for at in range(len(path))}
    if len(before) > len(after):
        notes.append(f"{counted(len(before) - len(after), 'group')} dropped: all its items have other parents")
    return notes
