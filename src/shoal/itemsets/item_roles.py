"""Public, private and other items, from the user's parameters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Vocabulary
from shoal.data.items import Items
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError
from shoal.itemsets.itemset_support import OTHER, PRIVATE, PUBLIC, Parts
from shoal.util.wording import listed

Mask = npt.NDArray[np.bool_]


def parts_of(names: Vocabulary, private: Items | None, public: Items | None, taxonomy: Taxonomy | None = None) -> Parts:
    """Return the role of every item. Items not named public or private are public if only private items are named, private if only public
    items are named, and neither if both are; without any names all are public. Raise for names that are not items.
    """
    hidden = chosen(names, private, "private", taxonomy)
    known = chosen(names, public, "public", taxonomy)
    if hidden is not None and known is not None and (both := np.flatnonzero(hidden & known)).size:
        listed = [repr(names[int(i)]) for i in both]
        raise ParameterError(
            f"{len(both):,} items are named both public and private",
            code="item-role-conflict",
            hint="an item is one or the other",
            rare=listed,
        )
    if known is None:
        return np.where(hidden, PRIVATE, PUBLIC).astype(np.uint8) if hidden is not None else np.full(len(names), PUBLIC, np.uint8)
    rest = np.where(hidden, PRIVATE, OTHER) if hidden is not None else np.full(len(names), PRIVATE)
    return np.where(known, PUBLIC, rest).astype(np.uint8)


def published_parts(published: Bags, parts: Parts) -> dict[str, Items | None]:
    """Return private and public items for a claim, from which `parts_of` derives the same roles for all published items.

    Only published items are named: the names of suppressed items stay secret.
    """
    shown = np.bincount(published.items, minlength=len(parts)) > 0
    names, others = published.vocabulary, bool((parts == OTHER).any())

    def named(part: int) -> Items:
        return Items(names=frozenset(names[int(i)] for i in np.flatnonzero(shown & (parts == part))))

    private = named(PRIVATE) if others or (parts == PRIVATE).any() else None
    return {"private": private, "public": named(PUBLIC) if others else None}


def chosen(names: Vocabulary, items: Items | None, what: str, taxonomy: Taxonomy | None) -> Mask | None:
    """Return which items were named; None if none were. Raise for names that are not items, calling them `what`."""
    if items is None:
        return None
    mask = np.zeros(len(names), bool)
    if items.under is not None:
        if taxonomy is None:
            raise ParameterError(f"{what} items under {items.under!r} need the taxonomy", code="needs-taxonomy", hint="name them in a file")
        node = _known(taxonomy.names, [items.under], f"the node of the {what} items")[0]
        nodes = np.arange(len(names)) if names is taxonomy.names else taxonomy.nodes(names.names)
        return np.asarray((nodes >= node) & (nodes < taxonomy.end[node]))
    if items.names is None:
        raise ParameterError(
            f"the file of {what} items was not read", code="file-not-read", hint="shoal.io.read.parameter_files.with_files_read reads it"
        )
    mask[_known(names, sorted(items.names), f"{what} items", taxonomy if taxonomy is not None and names is taxonomy.names else None)] = True
    return mask


def _known(names: Vocabulary, wanted: list[str], what: str, taxonomy: Taxonomy | None = None) -> npt.NDArray[np.int32]:
    codes = names.codes(wanted)
    strange = [name for name, code in zip(wanted, codes, strict=True) if code < 0]
    if strange:
        verb = "is" if len(strange) == 1 else "are"
        raise ParameterError(
            f"{what}: {listed(strange)} {verb} not in the data",
            code="items-not-in-data",
            hint=_other_names(taxonomy, strange) or "check the spelling",
            items=strange,
        )
    return codes


def _other_names(taxonomy: Taxonomy | None, wanted: list[str]) -> str:
    """Return what the taxonomy calls these words, if it has another name for them."""
    if taxonomy is None:
        return ""
    from shoal.itemsets.sensitive_nodes import wordnet_synonyms

    found = zip(wanted, wordnet_synonyms(taxonomy, wanted), strict=True)
    return "; ".join(f"{word!r} is {taxonomy.names[node]!r} in this taxonomy" for word, node in list(found)[:3] if node >= 0)
