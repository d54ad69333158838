"""Which node loss keeps most: words as typed, words within one level, and patterns, by data set, loss and method.

    python benchmarks/losses.py [--users 5000] [--only NAME]

Every release is k-anonymous for the same k, under the default floor; the first line of each data set is LM without a floor. `typed first`
is tried here only: half of the loss falls due as soon as a word is not published as typed, the other half is that of information content.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from common import data_file, show
from datasets import LASTFM, LINES, generated_log
from shoal.data.node_loss import LOSSES, information
from shoal.data.occurrence_forms import forms_of
from shoal.data.original import Original
from shoal.data.taxonomy import Floor, Taxonomy
from shoal.io.read.formats import ReadOptions
from shoal.methods import Method
from shoal.methods.partition import Partition
from shoal.methods.shoal import Shoal
from shoal.metrics.patterns import recall
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare

K = 5
TYPED_FIRST = "typed first"
WAYS = (("lm", 1), ("lm", 2), ("information", 2), ("height", 2), (TYPED_FIRST, 2))


def typed_first(tree: Taxonomy) -> np.ndarray:
    """Half of the loss for every inner node, the other half by information content."""
    inner = tree.end > np.arange(len(tree)) + 1
    return np.where(inner, (1 + information(tree)) / 2, 0.0)


def inputs(users: int) -> dict[str, tuple[str, dict[str, Any]]]:
    """The file of each data set, and how it is read."""
    taxonomy = str(data_file("groceries-taxonomy.tsv"))
    return {
        "Excite": (str(data_file("excite-small.log.gz")), {}),
        "last.fm tags": (str(data_file("lastfm-tags.tsv.gz")), {"read": LASTFM}),
        "BBC news": (str(data_file("bbc-news.jsonl.gz")), {"read": ReadOptions(user="id", text="text")}),
        "groceries": (str(data_file("groceries-baskets.csv")), {"read": LINES, "taxonomy": taxonomy}),
        f"generated, {users:,} users": (str(generated_log(users)), {}),
    }


def measured(original: Original, method: Method) -> dict[str, Any]:
    """The words that one method keeps, and what mining still finds."""
    release = method.apply(original)
    assert release.secret is not None
    forms, words = forms_of(original, release.published, release.secret.rows()), original.bags.occurrences
    typed = forms.typed + forms.renamed
    return {
        "typed %": 100 * typed / words,
        "one level %": 100 * (typed + forms.parent) / words,
        "categories %": 100 * forms.category / words,
        "root %": 100 * forms.top / words,
        "terms": len(np.unique(release.published.items)),
        "recall": recall(release, original),
    }


def rows_of(name: str, read: Callable[[str, int], Original]) -> Iterator[dict[str, Any]]:
    for loss, floor in WAYS:
        original = read(loss, floor)
        for method in (Shoal(k=K), Partition(k=K)):
            yield {"data": name, "loss": loss, "floor": floor, "method": method.name, **measured(original, method)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=5000, help="users of the generated log")
    parser.add_argument("--only", help="one data set, by the start of its name")
    options = parser.parse_args()
    LOSSES[TYPED_FIRST] = typed_first
    for name, (path, how) in inputs(options.users).items():
        if path == "None" or (options.only and not name.startswith(options.only)):
            continue

        def read(loss: str, floor: int, path: str = path, how: dict[str, Any] = how) -> Original:
            return prepare(path, Preparation(loss=loss, floor=Floor(floor), **how)).records

        show(f"Node losses at k = {K}: {name}", list(rows_of(name, read)))


if __name__ == "__main__":
    main()
