"""rho-uncertainty by suppression alone and with generalization: items and words that are left, at rho 0.3, 0.5 and 0.7.

Every tenth item by frequency is sensitive, beginning with the fifth. Every release is judged by the model rho-uncertainty, with the
original at hand. `printed` is SuppressControl as its paper has it. Seconds are of the processor: of the method, and of the judge; megabytes
are the most that the method held beyond what was held before.

Run:  SHOAL_DATA=... python benchmarks/rho.py [any] [few]      any number of items known, or few of them; both by default
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

from common import show
from datasets import clicks, groceries, lastfm, numbered_items
from km import by_lm, timed
from shoal.data.original import Original
from shoal.methods import METHODS

DATA = {
    "BMS-WebView-1": lambda: numbered_items("BMS-WebView-1.dat.gz"),
    "BMS-WebView-2": clicks,
    "groceries": groceries,
    "last.fm tags": lastfm,
}
WAYS: list[tuple[str, dict[str, Any]]] = [
    ("suppress-control", {"choice": "printed"}),
    ("suppress-control", {}),
    ("td-control", {}),
]


def sensitive_items(original: Original) -> list[str]:
    """The names of every tenth item by frequency, of equals in the order of the taxonomy."""
    occurrences = np.bincount(original.bags.items, minlength=len(original.tree))
    ranked = np.argsort(-occurrences, kind="stable")[: int((occurrences > 0).sum())]
    return [original.tree.names[int(item)] for item in ranked[4::10]]


def measured(original: Original, name: str, values: dict[str, Any]) -> dict[str, Any]:
    """What is left and what it took; an error where the judge does not agree."""
    method = METHODS[name](**values)
    release, seconds, megabytes = timed(method, original)
    started = time.process_time()
    (verdict,) = [claim.check(release, original) for claim in release.claims]
    judged = time.process_time() - started
    assert verdict.holds, verdict
    assert release.accounting is not None
    ledger = release.accounting.occurrences
    shown = set(np.unique(release.published.items).tolist())
    hidden = original.tree.names.codes(values["sensitive"]).tolist()
    others = set(np.unique(original.bags.items).tolist()) - set(hidden)
    return {
        "sensitive kept": f"{len(shown & set(hidden))} of {len(hidden)}",
        "others as they are": f"{len(shown & others)} of {len(others)}",
        "as typed %": 100 * ledger["kept"] / ledger.total,
        "general %": 100 * (ledger["generalized"] + ledger["merged"]) / ledger.total,
        "suppressed %": 100 * ledger["suppressed"] / ledger.total,
        "certainty": verdict.achieved["certainty"],
        "s": seconds,
        "judge s": judged,
        "MB": round(megabytes),
    }


def compare(name: str, original: Original, cases: list[dict[str, Any]]) -> None:
    """A table of all ways in all cases."""
    names, rows = sensitive_items(original), []
    for case in cases:
        for method, more in WAYS:
            line = {"method": method + (" (printed)" if more else ""), **{key: value for key, value in case.items() if value is not None}}
            rows.append(line | measured(original, method, {"sensitive": names, **case, **more}))
            print(name, rows[-1], flush=True)
    show(f"{name}: {len(original.bags):,} records", rows)


CASES: dict[str, list[dict[str, Any]]] = {
    "any": [{"rho": rho, "weight": weight} for weight in (1, 10, 100) for rho in (0.3, 0.5, 0.7)],
    "few": [{"rho": rho, "antecedent": most, "weight": 10} for most in (1, 2) for rho in (0.3, 0.5, 0.7)],
}

if __name__ == "__main__":
    for part in sys.argv[1:] or CASES:
        for name, read in DATA.items():
            original = read()
            if original is not None:
                compare(name, by_lm(original), CASES[part])
