"""Milani Fard's thesis (SFU 2010), chapter 6: Clump1, Clump2 and Partition over k, r and the number of transactions.

Clump is run with the printed criterion and order. What its clusters are published as is measured twice: by BUIG as printed, and by the
exact least common generalization. Beside them stand shoal's own settings: Clump by the increase of loss, and Partition's groups with their
least common generalizations.
"""

from __future__ import annotations

from typing import Any

from shoal.data.original import Original
from shoal.evaluate.reproduce.buig import printed
from shoal.evaluate.reproduce.inputs import first_records, on_wordnet, query_log
from shoal.evaluate.reproduce.measuring import Steps, released
from shoal.evaluate.reproduce.page import Experiment, Figure, Lines, Row
from shoal.evaluate.reproduce.paper import Asked, Paper
from shoal.evaluate.reproduce.thesis_findings import (
    CLUMP1,
    CLUMP2,
    INCREASE,
    MEASURES,
    PARTITION,
    PARTITION_LCG,
    PRINTED1,
    PRINTED2,
    findings,
)
from shoal.methods.clump import Clump
from shoal.methods.partition import Partition
from shoal.metrics import measure

KS, RS, R, K = (5, 7, 10, 15), (5, 10, 30, 50, 100), 10, 5
PUBLISHED_SIZES = (1_000, 10_000, 20_000, 30_000, 40_000, 53_058)
COMPARED = (1_000, 10_000)  # sizes whose loss is compared, beside the largest
REPEATS = 3
ORDER = (PRINTED1, PRINTED2, PARTITION, CLUMP1, CLUMP2, INCREASE, PARTITION_LCG)


def run(asked: Asked) -> Experiment:
    """All figures of chapter 6."""
    log, told = query_log(asked)
    whole = on_wordnet(log, as_sets=True)
    sizes = compared_sizes(len(whole.bags))
    steps = Steps("thesis", len(sizes) * (len(KS) + 1) + len(RS))
    losses = [row for n in sizes for k in KS for row in steps.done(_qualities(first_records(whole, n), k))]
    over_r = [row for r in RS for row in steps.done(_over_r(whole, r))]
    times = [row for n in sizes for row in steps.done(_times(first_records(whole, n)))]
    densities = [_density(first_records(whole, n)) for n in _all_sizes(len(whole.bags))]
    figures = (
        _figure("loss", "Figure 6.1: information loss (GGD for each item)", losses, Lines("k", "loss", "method", "data")),
        _figure("length", "Figure 6.2: average length of published transactions", losses, Lines("k", "mean_length", "method", "data")),
        _figure("level", "Figure 6.3: average level of published items", losses, Lines("k", "mean_level", "method", "data")),
        Figure("r", f"Figure 6.4: effect of r (k = {K})", tuple(over_r), Lines("r", "loss", "method")),
        Figure("runtime", f"Figure 6.5: runtime (k = {K}, r = {R})", tuple(times), Lines("transactions", "processor seconds", "method")),
        Figure("density", "Table 6.1: density of the first transactions", tuple(densities)),
    )
    mean = whole.bags.occurrences / len(whole.bags)
    data = f"{told}: {len(whole.bags):,} transactions of {mean:.1f} WordNet nouns, {len(whole.tree):,} nodes in the taxonomy"
    return Experiment("thesis", TITLE, CITATION, data, figures, tuple(findings(losses, over_r, times, densities)), NOTES)


def compared_sizes(n: int) -> tuple[int, ...]:
    """The sizes of the thesis as far as there are this many transactions, or else a quarter and a half of them; and all."""
    smaller = COMPARED if n >= 2 * COMPARED[-1] else (n // 4, n // 2)
    return (*smaller, n)


def _all_sizes(n: int) -> list[int]:
    return sorted({*(size for size in PUBLISHED_SIZES if size < n), *compared_sizes(n)})


def _figure(name: str, title: str, rows: list[Row], lines: Lines) -> Figure:
    """The rows with the one measure that is drawn."""
    return Figure(name, title, tuple({c: row[c] for c in ("data", "k", "method", lines.y)} for row in rows), lines)


def _qualities(original: Original, k: int) -> list[Row]:
    """What every method loses, and the length and level of what it publishes."""
    methods = {
        CLUMP2: Clump(k=k, r=R, criterion="total", ties="given", distinct=True),
        PARTITION: Partition(k=k, publish_as="set", tries=1, leftover="keep"),
        PARTITION_LCG: Partition(k=k, publish_as="lcg", tries=1),
    }
    found = _clusters(original, k, R)
    for name, method in methods.items():
        found[name] = measure(released(method, original)[0], original, list(MEASURES))
    n = len(original.bags)
    return [{"data": f"{n:,} transactions", "transactions": n, "k": k, "method": name, **found[name]} for name in ORDER]


def _clusters(original: Original, k: int, r: int) -> dict[str, dict[str, float]]:
    """Clump by the printed criterion, published by BUIG and by the least common generalization; and by shoal's criterion."""
    release, _ = released(Clump(k=k, r=r, criterion="total", ties="given"), original)
    assert release.secret is not None
    clusters = printed(original.bags, original.tree, release.secret.rows())
    ours, _ = released(Clump(k=k, r=r), original)
    exact, increase = (measure(one, original, list(MEASURES)) for one in (release, ours))
    return {PRINTED1: clusters.numbers(), PRINTED2: clusters.distinct().numbers(), CLUMP1: exact, INCREASE: increase}


def _over_r(original: Original, r: int) -> list[Row]:
    return [{"r": r, "method": name, "loss": numbers["loss"]} for name, numbers in _clusters(original, K, r).items()]


def _times(original: Original) -> list[Row]:
    """The least processor time of a few runs of each, taken in turn, and beside Partition's."""
    methods = {
        "Partition": Partition(k=K, publish_as="set", tries=1, leftover="keep"),
        "Clump": Clump(k=K, r=R, criterion="total", ties="given"),
    }
    best = dict.fromkeys(methods, float("inf"))
    for _ in range(REPEATS):
        for name, method in methods.items():
            best[name] = min(best[name], released(method, original)[1])
    n, least = len(original.bags), max(best["Partition"], 1e-9)
    return [
        {
            "transactions": n,
            "method": name,
            "processor seconds": spent,
            "times Partition": spent / least,
            "microseconds each": 1e6 * spent / n,
        }
        for name, spent in best.items()
    ]


def _density(original: Original) -> dict[str, Any]:
    leaves = int((original.tree.end - 1 == range(len(original.tree))).sum())
    n, items = len(original.bags), original.bags.occurrences
    return {"transactions": n, "items each": items / n, "leaves": leaves, "density %": 100 * items / (n * leaves)}


TITLE = "Clustering-based web query log anonymization (Clump)"
CITATION = "Milani Fard, thesis, Simon Fraser University, 2010, chapter 6; Milani Fard and Wang, SECRYPT 2010, section 5"
NOTES = (
    "the thesis used 53,058 users of AOL's log, 20.93 nouns each, and a WordNet tree of 25,645 items and height 18",
    "its figures can be read as curves only; what is compared are the statements of its text",
    f"“{PRINTED1}” publishes the clusters of our run by the printed routine BUIG; “{CLUMP1}” by their least common generalization",
    f"“{INCREASE}” and “{PARTITION_LCG}” are settings of shoal that the thesis does not have",
    "with 100,000 people or more, Clump forms its clusters range by range, as in every release of that size",
)
PAPER = Paper("thesis", "people in the log", PUBLISHED_SIZES[-1], 120, run)
