"""Forms in which the words of records are published, from as typed to suppressed. Every occurrence has exactly one form.

Every published item represents at most one occurrence of its record that equals it or lies below it. Of all such assignments the most
specific one counts: as many occurrences as possible are assigned to their own item, then as many as possible to their parents, then as many
as possible to other ancestors. These numbers do not depend on the choice of the assignment: an occurrence can always move to a nearer
published item at no cost, because whatever that item represented lies below it, and so below the item that the occurrence leaves.

A word that is published at its own node under another spelling (a synonym, a singular, lower case) is not published as typed; it is
`renamed`, and is counted with those one level up. The root, and the node above all terms that the taxonomy lacks, give no information
about a word: they never count as a parent or a category.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, ref

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.accounting import Part, changed, kept
from shoal.data.bags import Bags, Ints
from shoal.data.original import Original

if TYPE_CHECKING:
    from shoal.data.taxonomy import Taxonomy

# Parts of the ledger of occurrences.
TYPED = "kept"
RENAMED = "renamed"
PARENT = "as the parent"
CATEGORY = "as categories"
TOP = "at the root or unlisted"
GENERALIZED = (PARENT, CATEGORY, TOP)
# Parts of an account of records that were taken apart. Words are published as typed, in their cluster: with others of their record, in a
# chunk by themselves, or only as occurring there.
TOGETHER, ALONE, TERM_CHUNK = "together with others", "alone in a chunk", "in a term chunk"
TAKEN_APART = (TOGETHER, ALONE, TERM_CHUNK)


@dataclass(frozen=True)
class Forms:
    """Occurrences of an original by the form in which they are published; all others are suppressed."""

    typed: int
    renamed: int
    parent: int
    category: int
    top: int

    @property
    def published(self) -> int:
        """The number of occurrences that are published in some form."""
        return self.typed + self.renamed + self.parent + self.category + self.top

    def parts(self) -> dict[str, Part]:
        """Return the parts of a ledger."""
        return {
            TYPED: kept(self.typed),
            RENAMED: changed(self.renamed),
            PARENT: changed(self.parent),
            CATEGORY: changed(self.category),
            TOP: changed(self.top),
        }


_KNOWN: WeakKeyDictionary[Bags, tuple[ref[Original], ref[Ints], Forms]] = WeakKeyDictionary()  # of published records, the last answer


def forms_of(original: Original, published: Bags, rows: Ints) -> Forms:
    """Return the forms of all occurrences; `published` is over the names of the original, `rows` has the published row of each record or
    -1.

    The accounting and several metrics need them, so the last result is cached as long as its arguments exist.
    """
    known = _KNOWN.get(published)
    if known is not None and known[0]() is original and known[1]() is rows:
        return known[2]
    found = _counted(original, published, rows)
    if not rows.flags.writeable:
        _KNOWN[published] = ref(original), ref(rows), found
    return found


def _counted(original: Original, published: Bags, rows: Ints) -> Forms:
    tree = original.tree
    own, parent, higher, top = kernels.run(
        _kernels.published_forms, original.bags.view, published.view, rows, tree.view, top_nodes(tree), kernels.threads()
    )
    renamed = original.misspelled(published, rows)
    return Forms(own - renamed, renamed, parent, higher, top)


def top_nodes(tree: Taxonomy) -> npt.NDArray[np.uint8]:
    """Return a mask of the nodes without information about a word: the root, and the one above terms that the taxonomy lacks."""
    top = np.zeros(len(tree), np.uint8)
    top[0] = 1
    if tree.unlisted is not None:
        top[tree.unlisted] = 1
    return top
