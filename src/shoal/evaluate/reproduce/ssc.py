"""Liu and Wang (ICDM'10), section VI: SSC compared with LG(bag) over k, by the loss of bags and the frequent patterns that are still found.

The paper's figures are in a technical report that is not available; its text describes what they show, and section I the outcome of one
user. SSC is run as printed (any term may be elected, seeds in the order of length alone) and with shoal's defaults; LG is Partition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from shoal.data.original import Original
from shoal.data.release import Release
from shoal.evaluate.reproduce.experiment_page import Experiment, Figure, Lines, PaperFinding, Row
from shoal.evaluate.reproduce.inputs import on_wordnet, query_log
from shoal.evaluate.reproduce.measuring import ExperimentProgress, released
from shoal.evaluate.reproduce.paper import ExperimentSize, Paper
from shoal.evaluate.reproduce.trends import cells_below, of_all, span, values
from shoal.methods import Method
from shoal.methods.coherence import Cohesion
from shoal.methods.partition import Partition
from shoal.methods.ssc import SSC
from shoal.metrics import measure
from shoal.metrics.patterns import Patterns, closed_patterns, distance_of, recall_of
from shoal.taxonomy.distance import SemanticDistance
from shoal.util.wording import percent

KS, K = (2, 5, 10, 20), 5
PRINTED, OURS, WIDER, LG = "SSC as printed", "SSC", "SSC, eps = 8", "LG(bag)"
MEASURES = {"blm_subtree": "bLM, smallest subtree", "blm_distinct": "bLM, distinct terms", "recall": "Recall", "sdist": "sDist"}
PATTERNS = 500
TERMS, GENERAL = 181, 21  # of the user in Table I, before and after LG
SUPPRESSED = 0.9


def run(size: ExperimentSize) -> Experiment:
    """Run the comparison with LG(bag), and the user of Table I."""
    log, source = query_log(size)
    bags = on_wordnet(log, as_sets=False)
    steps = ExperimentProgress("ssc", len(KS) * 4 + 2)
    theirs = closed_patterns(bags.bags, PATTERNS)
    rows = [steps.done(_measured(name, method, bags, theirs)) for k in KS for name, method in _methods(k).items()]
    sets = on_wordnet(log, as_sets=True)
    user, suppressed = steps.done(_one_user(sets)), steps.done(_suppressed(sets))
    long = [
        {"measure": title, "k": row["k"], "method": row["method"], "value": row[name]} for name, title in MEASURES.items() for row in rows
    ]
    times = [{name: row[name] for name in ("k", "method", "processor seconds", "times LG(bag)")} for row in _with_times_of_lg(rows)]
    figures = (
        Figure("utility", "Utility of SSC and LG(bag)", tuple(long), Lines("k", "value", "method", "measure", own_scale=True)),
        Figure("runtime", "Runtime", tuple(times), Lines("k", "processor seconds", "method")),
        Figure("user", "Table I: one user's vocabulary", (user,)),
    )
    mean = bags.bags.occurrences / len(bags.bags)
    data = f"{source}: {len(bags.bags):,} vocabularies of {mean:.1f} occurrences of WordNet nouns"
    return Experiment("ssc", TITLE, CITATION, data, figures, tuple(findings(rows, user, suppressed)), NOTES)


def _methods(k: int) -> dict[str, Method]:
    return {
        PRINTED: SSC(k=k, min_owners=1, promising=0),
        OURS: SSC(k=k),
        WIDER: SSC(k=k, min_owners=1, promising=0, eps=8),
        LG: Partition(k=k, publish_as="bag", tries=1, leftover="keep"),
    }


def _measured(name: str, method: Method, original: Original, theirs: Patterns) -> dict[str, Any]:
    """Return the loss of bags, and how much of the original's frequent patterns (`theirs`) is found again."""
    release, seconds = released(method, original)
    found = measure(release, original, ["blm_subtree", "blm_distinct"])
    ours = closed_patterns(release.published, PATTERNS, weights=release.copies)
    apart = distance_of(theirs.bags, ours.bags, SemanticDistance(original.tree))
    found |= {"recall": recall_of(theirs.bags, ours.bags), "sdist": apart}
    return {"k": method.k, "method": name, **found, "processor seconds": seconds}  # type: ignore[attr-defined]


def _with_times_of_lg(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    for row in rows:
        (least,) = values(rows, "processor seconds", k=row["k"], method=LG)
        yield {**row, "times LG(bag)": row["processor seconds"] / max(least, 1e-9)}


def _one_user(original: Original) -> dict[str, Any]:
    """Return the vocabulary whose size is nearest to that of Table I, and how many distinct terms LG keeps of it."""
    row = int(np.argmin(np.abs(original.bags.lengths - TERMS)))
    release, _ = released(Partition(k=K, publish_as="set", tries=1, leftover="keep"), original)
    return {"k": K, "different terms": int(original.bags.lengths[row]), "general terms after LG": _left(release, row)}


def _left(release: Release, row: int) -> int:
    assert release.secret is not None
    return int(release.published.lengths[release.secret.rows()[row]])


def _suppressed(original: Original) -> float:
    """Return the share of occurrences removed by global suppression, if an attacker knows three terms of a user."""
    release, _ = released(Cohesion(h=1.0, k=K, p=3, score="mm/il"), original)
    return measure(release, original, ["suppressed"])["suppressed"]


def findings(rows: Sequence[Row], user: Row, suppressed: float) -> Iterator[PaperFinding]:
    """Compare the statements of sections I and VI with the results."""
    for method, (name, title) in product((PRINTED, WIDER), MEASURES.items()):
        mine, rival = values(rows, name, method=method), values(rows, name, method=LG)
        better = cells_below(rival, mine) if name == "recall" else cells_below(mine, rival)
        statement = f"SSC retains much more than LG(bag): {title}"
        yield PaperFinding(
            f"Section VI ({method})",
            statement,
            f"better {of_all(better, len(mine), 'k')}; {span(mine)} against {span(rival)}",
            better == len(mine),
        )
    before, after = user["different terms"], user["general terms after LG"]
    yield PaperFinding(
        "Table I", f"LG leaves {GENERAL} general terms of {TERMS}", f"{after} of {before}", after / max(1, before) <= 2 * GENERAL / TERMS
    )
    measured = f"{percent(suppressed)}, if an attacker knows three terms"
    yield PaperFinding("Section I", "suppression takes over 90% of the terms", measured, suppressed > SUPPRESSED)


TITLE = "Enforcing vocabulary k-anonymity by semantic similarity based clustering (SSC)"
CITATION = "Liu and Wang, ICDM 2010, sections I and VI"
NOTES = (
    "the paper used AOL's log and WordNet; its figures are in a technical report, its text only describes them",
    f"Recall and sDist are of the top {PATTERNS} closed patterns; the loss of bags (bLM) is given in both readings of section V.A",
    f"“{PRINTED}” elects any term, also one that a single person typed; “{OURS}” only those that two people of a group hold",
    "the threshold eps of relevant terms is not stated; it is 4 edges of WordNet here, as in the paper's example, and 8 in a separate line",
)
PAPER = Paper("ssc", "people in the log", 5_000, 100, run)
