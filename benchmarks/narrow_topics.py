"""Where topics should be divided by people instead of co-occurrence, and how much a record can tell at most.

A topic is narrow if it has a twelfth of all holders at most (a person counted once for each word), and of them no more than a share of the
people. Narrow topics are divided so that people have words on both sides. For several shares, from 0 (co-occurrence down to the end) to
all topics divided by people, this prints of releases by `shoal`: bits, joint bits, told bits, and bits gained per hidden word.

Told bits are what records tell of their people, exactly: log2 of all people over those of whom all nodes of the record are true.
These are k people or more, so no taxonomy has more told bits than log2 of all people over k.

Run `python benchmarks/narrow_topics.py [--sets Excite,last.fm] [--k 5] [--shares 0,0.25,0.5,0.75,1.5,all]`.
"""

from __future__ import annotations

import argparse
from typing import Any
from unittest.mock import patch

import numpy as np

from common import show
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.methods import METHODS
from shoal.metrics import measure
from shoal.metrics.hidden_words import guess_hidden
from shoal.pipeline.contract import made_by
from shoal.pipeline.prepare import prepare_records, topics_of
from shoal.taxonomy import learned
from shoal.taxonomy.learned import FEWEST_PEOPLE
from topics import OWN, RANDOM, Data, cases

EVERYTHING = "all"
EVERYBODY = 10**9


def told_bits(release: Release, original: Original) -> float:
    """What records tell exactly; the mean over the original's records, an unpublished one of which tells nothing."""
    records, tree, bags = release.published, original.tree, original.bags
    owners, owner = np.unique(bags.owners, return_inverse=True)
    person, order = np.repeat(owner, np.diff(bags.indptr)), np.argsort(bags.items, kind="stable")
    begin, person = np.searchsorted(bags.items[order], np.arange(len(tree) + 1)), person[order]
    total = 0.0
    for row, copies in enumerate(release.copies.tolist()):
        true = np.ones(len(owners), bool)
        for node in records.items[records.indptr[row] : records.indptr[row + 1]].tolist():
            true &= np.bincount(person[begin[node] : begin[tree.end[node]]], minlength=len(owners)) > 0
        total += copies * float(np.log2(len(owners) / true.sum()))
    return total / len(bags)


def trees(data: Data, share: str) -> tuple[Any, Any]:
    """Topics of the whole data, and without the hidden words, where those are narrow that this share of the people could have."""
    narrow, held = (1, EVERYBODY) if share == EVERYTHING else (learned.NARROW, float(share))
    with patch.multiple(learned, NARROW=narrow, HELD=held):
        whole, rest = (topics_of(some, FEWEST_PEOPLE).taxonomy() for some in data.learned_from)
    return whole, rest


def row(data: Data, k: int, kind: str) -> dict[str, Any]:
    """One line of the table."""
    method, (tree, rest_tree) = METHODS["shoal"](k=k), data.trees[kind]
    whole = prepare_records(data.whole, data.preparation, tree).records
    release = made_by(method, whole)
    found = {"taxonomy": kind, **measure(release, whole, ["bits", "joint_bits"]), "told": told_bits(release, whole)}
    rest = prepare_records(data.rest, data.preparation, rest_tree)
    fixed = rest.taxonomy if data.preparation.taxonomy != "paths" or rest_tree is not None else None
    guessed = guess_hidden(made_by(method, rest.records), rest.records, data.hidden, fixed)
    gain = f"{guessed.gain:+.3f} [{guessed.gain_low:+.3f}, {guessed.gain_high:+.3f}]" if guessed else ""
    return {**found, "most": float(np.log2(whole.n_owners / k)), "hidden gain": gain}


def main() -> None:
    """Print a table for each data set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default="")
    parser.add_argument("--k", default="5")
    parser.add_argument("--shares", default="0,0.25,0.5,0.75,1.5,all")
    options = parser.parse_args()
    for name, case in cases():
        if options.sets and name not in options.sets.split(","):
            continue
        data = Data(case)
        kinds = [OWN, RANDOM]
        for share in options.shares.split(","):
            kinds.append(f"narrow: {share}")
            data.trees[kinds[-1]] = trees(data, share)
        for k in map(int, options.k.split(",")):
            show(f"{name}, k = {k}", [row(data, k, kind) for kind in kinds])


if __name__ == "__main__":
    main()
