"""Which published items an attacker may know and which must not be inferred, as a claim names them.

Read from the claim by the judge alone; how a method reads its own parameters does not enter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Vocabulary
from shoal.data.items import Items
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Roles:
    """For every item of a vocabulary: is it public, is it private? No item is both; some may be neither."""

    public: Mask
    private: Mask
    notes: tuple[str, ...] = ()


def roles_of(names: Vocabulary, private: Items | None, public: Items | None, taxonomy: Taxonomy | None, *, strict: bool) -> Roles:
    """The roles that a claim gives these items: what it does not name is public, or private where only public items are named, or
    neither where both are. `strict` refuses names that are no items; otherwise they are noted, and at least one must be there.
    """
    hidden = _named(names, private, "private", taxonomy, strict)
    known = _named(names, public, "public", taxonomy, strict)
    notes = (*_absent(names, private, "private"), *_absent(names, public, "public"))
    if known is None:
        hidden = np.zeros(len(names), bool) if hidden is None else hidden
        return Roles(~hidden, hidden, notes)
    if hidden is None:
        return Roles(known, ~known, notes)
    both = int((known & hidden).sum())
    if both:
        raise ParameterError(
            f"{both:,} items are named both public and private", code="item-role-conflict", hint="an item is one or the other"
        )
    return Roles(known, hidden, notes)


def sensitive_items(names: Vocabulary, sensitive: Items | None, taxonomy: Taxonomy | None, *, strict: bool) -> Roles:
    """Items that a claim calls sensitive as private ones, all others as public ones; a claim that names none is refused."""
    hidden = _named(names, sensitive, "sensitive", taxonomy, strict)
    if hidden is None:
        raise ParameterError("the claim names no sensitive items", code="items-not-named", hint="sensitive=FILE or sensitive=under:NODE")
    return Roles(~hidden, hidden, _absent(names, sensitive, "sensitive"))


def _named(names: Vocabulary, items: Items | None, what: str, taxonomy: Taxonomy | None, strict: bool) -> Mask | None:
    if items is None:
        return None
    if items.under is not None:
        return _below(names, taxonomy, items.under, what)
    wanted = items.names
    if wanted is None:
        raise ParameterError(
            f"the file of {what} items was not read", code="file-not-read", hint="shoal.io.read.parameter_files.with_files_read reads it"
        )
    listed = names.names.to_list()
    missing = len(wanted - set(listed))
    if strict and missing:
        raise ParameterError(f"{missing:,} {what} items are not in the data", code="items-not-in-data", hint="check the spelling")
    return np.fromiter((name in wanted for name in listed), bool, len(listed))


def _below(items: Vocabulary, taxonomy: Taxonomy | None, node: str, what: str) -> Mask:
    """Which items are a node or below it; words as they were typed are those that the taxonomy takes for it."""
    if taxonomy is None:
        raise ParameterError(f"{what} items under {node!r} need the taxonomy", code="needs-taxonomy", hint="name them in a file")
    names = taxonomy.names.names.to_list()
    if node not in names:
        raise ParameterError(
            f"the node {node!r} of the {what} items is not in the taxonomy", code="unknown-node", hint="check the spelling"
        )
    inside = np.zeros(len(names), bool)
    inside[names.index(node)] = True
    for number, parent in enumerate(taxonomy.parent.tolist()):
        inside[number] |= parent >= 0 and inside[parent]
    if items is taxonomy.names:
        return inside
    nodes = taxonomy.nodes(items.names)
    return np.asarray((nodes >= 0) & inside[nodes])


def _absent(names: Vocabulary, items: Items | None, what: str) -> tuple[str, ...]:
    """A note on named items that are not there. A release need not hold them all, but one that holds none was asked a wrong question."""
    if items is None or not items.names:
        return ()
    missing = len(items.names - set(names.names.to_list()))
    if missing == len(items.names) and len(names):
        raise ParameterError(f"none of the {missing:,} {what} items is in the release", code="items-not-in-data", hint="check the spelling")
    return (f"{missing:,} of {len(items.names):,} named {what} items do not occur",) if missing else ()
