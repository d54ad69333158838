"""Changes of a taxonomy: a node is moved, renamed or added. Each returns a new tree; the old one stays as it is."""

from __future__ import annotations

from shoal.data.taxonomy import Taxonomy
from shoal.errors import TaxonomyError
from shoal.util.wording import several_nearest

UNPRINTABLE = ("\t", "\n", "\r", "\0")


def moved(tree: Taxonomy, node: str, parent: str) -> Taxonomy:
    """Return the tree with a node, and all that is below it, below another node.

    Args:
        tree: The taxonomy.
        node: The node to move; not the root.
        parent: Its new parent.

    Raises:
        TaxonomyError: There is no such node, it is the root, or its new parent is below it.
    """
    place, above = number_of(tree, node), number_of(tree, parent)
    if place == 0:
        raise TaxonomyError("the root cannot be moved", code="taxonomy-root-fixed")
    if place <= above < tree.end[place]:
        raise TaxonomyError(f"{parent!r} is below {node!r}, so {node!r} cannot be moved there", code="taxonomy-cycle", nodes=[node, parent])
    return Taxonomy.from_parents({**_parents(tree), node: parent}, tree.loss_name)


def renamed(tree: Taxonomy, node: str, name: str) -> Taxonomy:
    """Return the tree with another name for a node.

    Raises:
        TaxonomyError: There is no such node, or the name is empty or that of another node.
    """
    number_of(tree, node)
    name = _free_name(tree, name, node)
    called = {node: name}
    parents = {called.get(one, one): called.get(up, up) if up is not None else None for one, up in _parents(tree).items()}
    return Taxonomy.from_parents(parents, tree.loss_name)


def added(tree: Taxonomy, name: str, parent: str) -> Taxonomy:
    """Return the tree with a new node.

    Raises:
        TaxonomyError: There is no such parent, or the name is empty or that of a node.
    """
    number_of(tree, parent)
    return Taxonomy.from_parents({**_parents(tree), _free_name(tree, name): parent}, tree.loss_name)


def number_of(tree: Taxonomy, node: str) -> int:
    """Return the number of a node.

    Raises:
        TaxonomyError: There is none of this name.
    """
    found = int(tree.names.codes([node])[0])
    if found < 0:
        near = several_nearest(node, tree.names.names, 3)
        hint = f"did you mean {', '.join(map(repr, near))}?" if near else ""
        raise TaxonomyError(f"the taxonomy has no node {node!r}", code="unknown-node", hint=hint, value=node)
    return found


def _free_name(tree: Taxonomy, name: str, instead: str | None = None) -> str:
    plain = name.strip()
    if not plain or any(character in plain for character in UNPRINTABLE):
        raise TaxonomyError("a node needs a name in one line", code="empty-name")
    if plain != instead and int(tree.names.codes([plain])[0]) >= 0:
        raise TaxonomyError(f"there is a node {plain!r} already", code="taxonomy-name-taken", value=plain)
    return plain


def _parents(tree: Taxonomy) -> dict[str, str | None]:
    names = tree.names.names.to_list()
    return {name: None if up < 0 else names[up] for name, up in zip(names, tree.parent.tolist(), strict=True)}
