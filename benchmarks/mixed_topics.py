"""Topics whose fine levels are random: are fine topics worth the bits that they cost?

Topics are learned as usual, but only those down to a level are split by co-occurrence (down to level 4: 32 topics), or only those with
enough holders (a person counted once for each word). The words of others are halved in the order of a hash or of the alphabet.
Bits per record, and bits gained per hidden word, of `shoal` at k = 5 are printed for each variant.

Run `python benchmarks/mixed_topics.py [--sets Excite,groceries] [--levels 4] [--holders 500] [--orders hash,alphabet]`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from hashlib import sha256

import numpy as np

from common import show
from shoal.data.taxonomy import Taxonomy
from shoal.methods import METHODS
from topics import LEARNED, OWN, Data, cases, halve

ORDERS: dict[str, Callable[[str], bytes]] = {"hash": lambda word: sha256(word.encode()).digest(), "alphabet": str.encode}


def mixed(tree: Taxonomy, holders: dict[str, int], level: int, fewest: int, order: Callable[[str], bytes]) -> Taxonomy:
    """The same topics down to `level`, and with at least `fewest` holders; the words of others are halved in this order."""
    below = np.zeros(len(tree), np.int64)
    leaf = tree.end == np.arange(len(tree)) + 1
    below[leaf] = [holders.get(tree.names[n], 0) for n in np.flatnonzero(leaf).tolist()]
    below = tree.sum_up(below)
    parents: dict[str, str | None] = {tree.names[0]: None}
    node = 1
    while node < len(tree):
        parents[tree.names[node]] = tree.names[int(tree.parent[node])]
        end = int(tree.end[node])
        if leaf[node] or (tree.depth[node] <= level and below[node] >= fewest):
            node += 1
            continue
        words = [tree.names[n] for n in range(node, end) if leaf[n]]
        halve(parents, tree.names[node], sorted(words, key=order), holders)
        node = end
    return Taxonomy.from_parents(parents)


def main() -> None:
    """Print a table for each data set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default="")
    parser.add_argument("--levels", default="4")
    parser.add_argument("--holders", default="500")
    parser.add_argument("--orders", default="hash")
    options = parser.parse_args()
    limits = [(int(level), 0) for level in options.levels.split(",") if level]
    limits += [(10_000, int(holders)) for holders in options.holders.split(",") if holders]
    for name, case in cases():
        if options.sets and name not in options.sets.split(","):
            continue
        data = Data(case)
        words = data.whole.folded
        holders = dict(zip(words.vocabulary.names.to_list(), words.people_per_item.tolist(), strict=True))
        for level, fewest in limits:
            for order in options.orders.split(","):
                first, second = (mixed(tree, holders, level, fewest, ORDERS[order]) for tree in data.trees[LEARNED] if tree)
                data.trees[f"{order}, {f'fewer than {fewest} holders' if fewest else f'below level {level}'}"] = (first, second)
        method = METHODS["shoal"](k=5)
        kinds = [kind for kind in data.trees if kind in (OWN, LEARNED) or "," in kind]
        show(name, [{"taxonomy": kind, **data.row(method, "information", kind)} for kind in kinds])


if __name__ == "__main__":
    main()
