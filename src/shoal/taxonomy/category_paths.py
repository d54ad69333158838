"""A tree from paths `item, group, ..., root`, the form in which most hierarchies of this field are written.

Labels are not always as unique as a tree wants them. The rules:

* the first label of a path is an item, the others are groups; a group's label repeated at once represents
  one group;
* an item whose label returns among its own groups is still an item of its own. Where the group right above it
  holds nothing else the two are one node; otherwise the group is called `label (group)`, so that the item can
  be published as itself and still be distinguished from its group;
* an item that is elsewhere a group with the same parent is that group: items may be inner nodes;
* any other label in two places is an error;
* paths that end in different labels get a root of their own, `(root)`, unless one of them ends in `*`, which
  means a root already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from shoal.errors import TaxonomyError
from shoal.util.wording import listed

IMPLIED_ROOT = "(root)"
STAR = "*"
GROUP_MARK = " (group)"

Parents = dict[str, str | None]


@dataclass
class _Table:
    """What the paths say about each item and of each group; None if no path says what lies above."""

    items: Parents = field(default_factory=dict)
    groups: Parents = field(default_factory=dict)
    below: dict[str, set[str]] = field(default_factory=dict)
    own_group: dict[str, bool] = field(default_factory=dict)

    def add(self, path: Sequence[str]) -> None:
        item, groups = path[0], [label for label, _ in groupby(path[1:])]
        _place(self.items, item, groups[0] if groups else None)
        for group, above in pairwise([*groups, None]):
            if group is not None:
                _place(self.groups, group, above)
        for lower, upper in pairwise([item, *groups]):
            self.below.setdefault(upper, set()).add(lower)
        if item in groups:
            self.own_group[item] = groups[0] == item

    def one_node(self, item: str) -> bool:
        """Whether the group of the item's own name holds nothing but the item."""
        return self.own_group[item] and self.below[item] == {item}


def parents_of_paths(paths: Iterable[Sequence[str]]) -> tuple[Parents, list[str]]:
    """Return every node's parent, and notes on what was read into the labels."""
    table = _Table()
    for path in paths:
        table.add(path)
    renamed = _renamed_groups(table)
    parents: Parents = {}
    for item, above in table.items.items():
        if item in table.groups and item not in renamed and above != item:
            _place(table.groups, item, above)
        elif item not in table.groups or item in renamed:
            _place(parents, item, _called(above, renamed))
    for group, above in table.groups.items():
        _place(parents, renamed.get(group, group), _called(above, renamed))
    notes = []
    if renamed:
        names = listed(list(renamed.values()), most=5)
        notes.append(f"{len(renamed):,} groups have the same name as an item below them and are renamed to {names}")
    return _rooted(parents, notes), notes


def two_parents(node: str, one: str | None, other: str | None) -> TaxonomyError:
    """Return the error for a label in two places."""
    first, second = (repr(name) if name is not None else "nothing" for name in (one, other))
    return TaxonomyError(f"{node!r} has two parents, {first} and {second}", code="taxonomy-two-parents", nodes=[node, one, other])


def _place(parents: Parents, node: str, above: str | None) -> None:
    known = parents.setdefault(node, above)
    if known is None:
        parents[node] = above
    elif above is not None and above != known:
        raise two_parents(node, known, above)


def _renamed_groups(table: _Table) -> dict[str, str]:
    taken = table.items.keys() | table.groups.keys()
    renamed = {}
    for item in table.own_group:
        if not table.one_node(item):
            name = item + GROUP_MARK
            while name in taken:
                name += GROUP_MARK
            renamed[item] = name
    return renamed


def _called(label: str | None, renamed: dict[str, str]) -> str | None:
    return None if label is None else renamed.get(label, label)


def _rooted(parents: Parents, notes: list[str]) -> Parents:
    tops = [node for node, above in parents.items() if above is None]
    if len(tops) <= 1:
        return parents
    if STAR in tops:
        others = [node for node in tops if node != STAR]
        raise TaxonomyError(f"some paths end in {STAR!r} and others in {listed(others, most=5)}", code="taxonomy-several-roots", nodes=tops)
    root = IMPLIED_ROOT
    while root in parents:
        root = f"({root})"
    notes.append(f"the paths end in {len(tops):,} different labels; a root {root!r} was put above them")
    return {root: None, **{node: root if above is None else above for node, above in parents.items()}}
