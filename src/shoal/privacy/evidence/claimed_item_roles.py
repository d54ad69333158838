"""Roles of published items as a claim names them: which an attacker may know, and which must not be inferred.

The judge derives them from the claim alone, independently of how a method interprets its parameters.
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
    """For every item of a vocabulary, whether it is public and whether it is private. No item is both; some may be neither."""

    public: Mask
    private: Mask
    notes: tuple[str, ...] = ()


def roles_of(names: Vocabulary, private: Items | None, public: Items | None, taxonomy: Taxonomy | None, *, strict: bool) -> Roles:
    """Return the roles that a claim gives these items. Items that it does not name are public; private if only public items are named;
    neither if both are named. `strict` rejects unknown names; otherwise they are noted, and at least one must exist.
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
    """Return sensitive items as private and all others as public. Raise if the claim names none."""
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
    """Return which items are a node or below it; words as typed are looked up in the taxonomy."""
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
    """Return a note on named items that do not occur. A release may lack some of them, but if it lacks all, the claim is probably wrong."""
    if items is None or not items.names:
        return ()
    missing = len(items.names - set(names.names.to_list()))
    if missing == len(items.names) and len(names):
        raise ParameterError(f"none of the {missing:,} {what} items is in the release", code="items-not-in-data", hint="check the spelling")
    return (f"{missing:,} of {len(items.names):,} named {what} items do not occur",) if missing else ()
