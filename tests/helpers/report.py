"""A small real release with its manifest, for the tests of the report."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.methods.clump import Clump
from shoal.pipeline.contract import whole_account
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import Prepared
from shoal.taxonomy.place_terms import place_terms


def food_tree(branches: int = 4, twigs: int = 4, leaves: int = 5) -> Taxonomy:
    parents: dict[str, str | None] = {"goods": None}
    for b in range(branches):
        parents[f"aisle {b}"] = "goods"
        for t in range(twigs):
            parents[f"shelf {b}.{t}"] = f"aisle {b}"
            parents.update({f"item {b}.{t}.{i}": f"shelf {b}.{t}" for i in range(leaves)})
    return Taxonomy.from_parents(parents)


def baskets(n: int, seed: int = 0, tree: Taxonomy | None = None) -> Original:
    rng = np.random.default_rng(seed)
    tree = tree or food_tree()
    leaves = [tree.names[i] for i in np.flatnonzero(tree.leaves == 1).tolist()]
    lengths = 1 + rng.geometric(0.22, n)
    popular = 1 / np.arange(1, len(leaves) + 1)
    records = [rng.choice(leaves, size=m, p=popular / popular.sum()).tolist() for m in lengths]
    return place_terms(Bags.from_lists(records), tree, as_sets=True)


def example(n: int = 800, k: int = 5, seed: int = 0) -> tuple[dict[str, Any], Release, Original]:
    """Clump on random baskets, and the manifest that the pipeline would write."""
    original = baskets(n, seed)
    release = Clump(k=k).apply(original)
    assert release.accounting is not None
    verdicts = [claim.check(release, original) for claim in release.claims]  # type: ignore[attr-defined]
    return manifest_of(release, original, [v.as_dict() for v in verdicts]), release, original


def manifest_of(release: Release, original: Original, claims: list[dict[str, Any]]) -> dict[str, Any]:
    assert release.accounting is not None
    weight = np.repeat(release.copies, np.diff(release.published.indptr)) * release.published.counts
    told = float((original.taxonomy.loss[release.published.items] * weight).sum())
    ggd = told + original.bags.occurrences - int(weight.sum())
    account = whole_account(release, Prepared(original, {}, Preparation(), None, ())).as_dict()
    shown = release.tables["records"]
    return {
        "shoal": "0.1.0",
        "method": release.method,
        "parameters": dict(release.parameters),
        "input": {
            "format": "transactions",
            "per": "user",
            "records_as": "sets",
            "rows": len(original.bags) + 3,
            "records": len(original.bags),
            "owners": original.bags.n_owners,
            "items": len(np.unique(original.bags.items)),
            "taxonomy": "aisles.tsv",
            "unknown": "keep",
        },
        "claims": claims,
        "accounting": {
            "rows": {"in": len(original.bags) + 3, "used": len(original.bags), "blank": 3},
            **account,
        },
        "metrics": {
            "ggd": ggd,
            "loss": ggd / original.bags.occurrences,
            "bound": 0.4 * ggd / original.bags.occurrences,
            "ncp": 0.312,
            "mean_length": float(weight.sum() / release.n_records),
            "mean_level": 2.61,
        },
        "files": [
            {"name": "records.parquet", "table": "records", "kind": shown.kind, **shown.facts(), "sha256": "9f86d081" * 8},
            {"name": "manifest.json", "rows": None, "sha256": "60303ae2" * 8},
        ],
    }
