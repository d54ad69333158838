"""Node losses: the information lost by publishing an item as a node, from 0 at a leaf to 1 at the root.

A loss is one function of a tree, which may have the numbers of people of the data at its nodes, and one line in `LOSSES`. Kernels use
integers, so that scores are exact and the same on every machine: `integer_losses` returns the loss of each node as a multiple of 1/scale.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from shoal.errors import ParameterError
from shoal.parameters import insist_on_text
from shoal.util.wording import there_are

if TYPE_CHECKING:  # the names of the losses are listed without loading numpy
    import numpy as np
    import numpy.typing as npt

    from shoal.data.taxonomy import Taxonomy

Loss = Callable[["Taxonomy"], "npt.NDArray[np.float64]"]

FIXED_POINT = 2**30
DEFAULT_LOSS = "information"  # keeps most words readable of all that were measured (docs/taxonomies.md)


def lm(tree: Taxonomy) -> npt.NDArray[np.float64]:
    """Iyengar's LM: the share of the other leaves from which an item becomes indistinguishable."""
    return (tree.leaves - 1) / max(1, tree.n_leaves - 1)


def information(tree: Taxonomy) -> npt.NDArray[np.float64]:
    """Loss of intrinsic information content: the share of the bits that identify a leaf which the node does not give."""
    import numpy as np

    from shoal.util.numbers import logarithm

    return np.asarray(logarithm(tree.leaves) / logarithm(max(tree.n_leaves, 2)))


def height(tree: Taxonomy) -> npt.NDArray[np.float64]:
    """Height loss: the node's height above its deepest leaf, as a share of the tree's height."""
    import numpy as np

    heights = [0] * len(tree)
    parent = tree.parent.tolist()
    for node in range(len(tree) - 1, 0, -1):
        heights[parent[node]] = max(heights[parent[node]], heights[node] + 1)
    return np.array(heights) / max(1, heights[0])


def people(tree: Taxonomy) -> npt.NDArray[np.float64]:
    """Information content: of the bits that tell one person from all others, the share that an inner node lacks; 1 if everybody has it."""
    import numpy as np

    from shoal.util.numbers import logarithm

    if tree.people is None:
        raise ParameterError(
            f"the node loss {PEOPLE} counts the people of the data, but there is only a taxonomy", code="needs-records", value=PEOPLE
        )
    counted = np.maximum(tree.people, 1)
    leaf = tree.end == np.arange(len(tree)) + 1
    return np.where(leaf, 0.0, logarithm(counted) / logarithm(max(int(counted[0]), 2)))


PEOPLE = "people"  # the loss that depends on the data
OF_A_TREE: dict[str, Loss] = {"lm": lm, "information": information, "height": height}
LOSSES: dict[str, Loss] = {**OF_A_TREE, PEOPLE: people}


def insist_on_loss(name: str) -> None:
    """Refuse what is not the name of a node loss."""
    insist_on_text("loss", name)
    if name not in LOSSES:
        raise ParameterError(f"no node loss is called {name!r}", code="unknown-node-loss", hint=there_are(name, LOSSES), value=name)


def node_loss(tree: Taxonomy, name: str) -> npt.NDArray[np.float64]:
    """Return the loss of every node under the named measure."""
    insist_on_loss(name)
    return LOSSES[name](tree)


def integer_losses(tree: Taxonomy, name: str) -> tuple[npt.NDArray[np.int64], int]:
    """Return every node's loss in integer units, and the number of units per loss of one."""
    import numpy as np

    if name == "lm":
        return (tree.leaves - 1).astype(np.int64), max(1, tree.n_leaves - 1)
    return np.rint(node_loss(tree, name) * FIXED_POINT).astype(np.int64), FIXED_POINT
