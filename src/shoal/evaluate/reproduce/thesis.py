"""Milani Fard's thesis (SFU 2010), chapter 6: Clump1, Clump2 and Partition over k, r and the number of transactions.

Clump is run as printed, where each record is generalized by BUIG together with the current generalization of its cluster; and with the
printed criterion and order but the exact least common generalization. They are compared with settings of shoal: Clump by the increase of
loss, and Partition's groups with their least common generalizations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from shoal.data.original import Original
from shoal.evaluate.reproduce.experiment_page import Experiment, Figure, Lines, PaperFinding, Row
from shoal.evaluate.reproduce.inputs import first_records, on_wordnet, query_log
from shoal.evaluate.reproduce.measuring import ExperimentProgress, released
from shoal.evaluate.reproduce.paper import ExperimentSize, Paper
from shoal.evaluate.reproduce.trends import cells_below, falls, of_all, path, rises, span, values
from shoal.methods import Method
from shoal.methods.clump import Clump
from shoal.methods.partition import Partition
from shoal.metrics import measure
from shoal.util.wording import percent

# -- statements of chapter 6, compared with the results


# Names of the lines that the figures of the thesis have, and what is measured of each.


PRINTED1, PRINTED2 = "Clump1 as printed", "Clump2 as printed"
CLUMP1, CLUMP2 = "Clump1, exact LCG", "Clump2, exact LCG"
PARTITION, PARTITION_LCG = "Partition", "Partition, LCG"
INCREASE = "Clump by increase"
MEASURES = ("loss", "mean_length", "mean_level")


Rows = Sequence[Row]
PUBLISHED_REDUCTION, NEAR = 0.30, 0.05
SMALL = 0.05  # a relative difference that counts as very small
LONGER = 1.5  # significantly longer
LINEAR = 2.0  # most by which the time for each transaction may grow over the sizes


def findings(losses: Rows, over_r: Rows, times: Rows, densities: Rows) -> Iterator[PaperFinding]:
    """Return all statements in the order of the text."""
    yield from _loss(losses, PRINTED1, PRINTED2)
    yield from _loss(losses, CLUMP1, CLUMP2)
    yield from _shape(losses)
    yield from _of_r(over_r)
    yield from _runtime(times)
    yield _density_finding(densities)


def _loss(rows: Rows, one: str, two: str) -> Iterator[PaperFinding]:
    place = f"Figure 6.1 ({one})"
    mine, rival = values(rows, "loss", method=one), values(rows, "loss", method=PARTITION)
    less = cells_below(mine, rival)
    yield PaperFinding(place, "Clump loses less than Partition", f"less {of_all(less, len(mine))}", less == len(mine))
    cut = [1 - a / b for a, b in zip(mine, rival, strict=True)]
    yield PaperFinding(place, "by as much as 30%", f"by at most {percent(max(cut))}", abs(max(cut) - PUBLISHED_REDUCTION) <= NEAR)
    apart = [b / a - 1 for a, b in zip(mine, values(rows, "loss", method=two), strict=True)]
    measured = f"Clump2 loses {percent(min(apart))} to {percent(max(apart))} more"
    yield PaperFinding(place, "Clump1 and Clump2 differ very little in loss", measured, max(apart) <= SMALL)
    yield _improvement(rows, one, "k", "the improvement gets smaller as the database grows", place)
    yield _improvement(rows, one, "transactions", "the improvement gets smaller as k grows", place)


def _improvement(rows: Rows, one: str, fixed: str, statement: str, place: str) -> PaperFinding:
    """Return how the reduction of loss changes along one parameter, for each value of the other."""
    lines = []
    for value in dict.fromkeys(row[fixed] for row in rows):
        mine, rival = (values(rows, "loss", method=method, **{fixed: value}) for method in (one, PARTITION))
        lines.append([100 * (1 - a / b) for a, b in zip(mine, rival, strict=True)])
    falling = sum(falls(line) for line in lines)
    measured = f"falls {of_all(falling, len(lines), 'lines')}; at the first: {path(lines[0], 1)}%"
    return PaperFinding(place, statement, measured, falling == len(lines))


def _shape(rows: Rows) -> Iterator[PaperFinding]:
    lengths = {name: values(rows, "mean_length", method=name) for name in (PRINTED1, PRINTED2, PARTITION)}
    factor = [a / max(b, c) for a, b, c in zip(*lengths.values(), strict=True)]
    statement = "Clump1's transactions are significantly longer than Clump2's and Partition's"
    yield PaperFinding("Figure 6.2", statement, f"{span(factor, 1)} times as long as the longer of both", min(factor) >= LONGER)
    levels = {name: values(rows, "mean_level", method=name) for name in (PRINTED1, PARTITION, PRINTED2)}
    first, middle, last = levels.values()
    ordered = sum(a < b < c for a, b, c in zip(first, middle, last, strict=True))
    measured = f"{of_all(ordered, len(first))}; Clump1 {span(first)}, Partition {span(middle)}, Clump2 {span(last)}"
    yield PaperFinding("Figure 6.3", "items lie deepest in Clump2, then in Partition, then in Clump1", measured, ordered == len(first))


def _of_r(rows: Rows) -> Iterator[PaperFinding]:
    line, rs = values(rows, "loss", method=PRINTED1), values(rows, "r", method=PRINTED1)
    measured = f"loss at r = {', '.join(map(str, rs))}: {path(line, 3)}"
    yield PaperFinding("Figure 6.4", "a larger r does not always give a better result", measured, not falls(line))
    at_ten, best = line[rs.index(10)], min(line)
    yield PaperFinding(
        "Figure 6.4", "r = 10 achieves a good result", f"{percent(at_ten / best - 1)} above the best r", at_ten <= (1 + SMALL) * best
    )


def _runtime(rows: Rows) -> Iterator[PaperFinding]:
    times = values(rows, "times Partition", method="Clump")
    measured = f"Clump takes {span(times, 1)} times as long"
    yield PaperFinding("Figure 6.5", "Clump takes longer than Partition", measured, min(times) > 1)
    each = values(rows, "microseconds each", method="Clump")
    measured = f"{path(each, 1)} microseconds for each transaction, from the smallest data to the largest"
    yield PaperFinding("Figure 6.5", "Clump scales linearly with the data", measured, each[-1] <= LINEAR * each[0])


def _density_finding(rows: Rows) -> PaperFinding:
    line = values(rows, "density %")
    measured = f"{path(line, 3)}%"
    agrees = falls(line) and not rises(line)
    return PaperFinding("Table 6.1", "the database gets sparser as it grows", measured, agrees)


# -- the experiment


KS, RS, R, K = (5, 7, 10, 15), (5, 10, 30, 50, 100), 10, 5
PUBLISHED_SIZES = (1_000, 10_000, 20_000, 30_000, 40_000, 53_058)
COMPARED = (1_000, 10_000)  # sizes whose loss is compared, in addition to the largest
REPEATS = 3
ORDER = (PRINTED1, PRINTED2, PARTITION, CLUMP1, CLUMP2, INCREASE, PARTITION_LCG)


def run(size: ExperimentSize) -> Experiment:
    """Return all figures of chapter 6."""
    log, source = query_log(size, like="thesis")
    whole = on_wordnet(log, as_sets=True)
    sizes = compared_sizes(len(whole.bags))
    steps = ExperimentProgress("thesis", len(sizes) * (len(KS) + 1) + len(RS))
    losses = [row for n in sizes for k in KS for row in steps.done(_qualities(first_records(whole, n), k))]
    over_r = [row for r in RS for row in steps.done(_over_r(whole, r))]
    times = [row for n in sizes for row in steps.done(_times(first_records(whole, n)))]
    densities = [_density(first_records(whole, n)) for n in _all_sizes(len(whole.bags))]
    figures = (
        _figure(
            "loss", "Figure 6.1: information loss (group generalization distortion per item)", losses, Lines("k", "loss", "method", "data")
        ),
        _figure("length", "Figure 6.2: average length of published transactions", losses, Lines("k", "mean_length", "method", "data")),
        _figure("level", "Figure 6.3: average level of published items", losses, Lines("k", "mean_level", "method", "data")),
        Figure("r", f"Figure 6.4: effect of r (k = {K})", tuple(over_r), Lines("r", "loss", "method")),
        Figure("runtime", f"Figure 6.5: runtime (k = {K}, r = {R})", tuple(times), Lines("transactions", "processor seconds", "method")),
        Figure("density", "Table 6.1: density of the first transactions", tuple(densities)),
    )
    mean = whole.bags.occurrences / len(whole.bags)
    data = f"{source}: {len(whole.bags):,} transactions of {mean:.1f} WordNet nouns, {len(whole.tree):,} nodes in the taxonomy"
    return Experiment("thesis", TITLE, CITATION, data, figures, tuple(findings(losses, over_r, times, densities)), NOTES)


def compared_sizes(n: int) -> tuple[int, ...]:
    """Return the sizes of the thesis up to this many transactions, or else a quarter and a half of them; and all."""
    smaller = COMPARED if n >= 2 * COMPARED[-1] else (n // 4, n // 2)
    return (*smaller, n)


def _all_sizes(n: int) -> list[int]:
    return sorted({*(size for size in PUBLISHED_SIZES if size < n), *compared_sizes(n)})


def _figure(name: str, title: str, rows: list[Row], lines: Lines) -> Figure:
    """Return the rows with the one measure that is drawn."""
    return Figure(name, title, tuple({c: row[c] for c in ("data", "k", "method", lines.y)} for row in rows), lines)


def _qualities(original: Original, k: int) -> list[Row]:
    """Return the loss of every method, and the length and level of what it publishes."""
    methods = {
        **_clumps(k, R),
        CLUMP2: Clump(k=k, r=R, criterion="total", ties="given", distinct=True),
        PARTITION: Partition(k=k, publish_as="set", tries=1, leftover="keep"),
        PARTITION_LCG: Partition(k=k, publish_as="lcg", tries=1),
    }
    found = _measured(methods, original)
    n = len(original.bags)
    return [{"data": f"{n:,} transactions", "transactions": n, "k": k, "method": name, **found[name]} for name in ORDER]


def _clumps(k: int, r: int) -> dict[str, Method]:
    """Return Clump as printed; with the printed criterion and the exact least common generalization; and with shoal's criterion."""
    printed = Clump(k=k, r=r, criterion="total", ties="given", lcg="printed")
    return {
        PRINTED1: printed,
        PRINTED2: replace(printed, distinct=True),
        CLUMP1: replace(printed, lcg="exact"),
        INCREASE: Clump(k=k, r=r),
    }


def _measured(methods: Mapping[str, Method], original: Original) -> dict[str, dict[str, float]]:
    return {name: measure(released(method, original)[0], original, list(MEASURES)) for name, method in methods.items()}


def _over_r(original: Original, r: int) -> list[Row]:
    return [{"r": r, "method": name, "loss": numbers["loss"]} for name, numbers in _measured(_clumps(K, r), original).items()]


def _times(original: Original) -> list[Row]:
    """Return the minimum processor time of a few runs of each, taken in turn, relative to Partition's."""
    methods = {
        "Partition": Partition(k=K, publish_as="set", tries=1, leftover="keep"),
        "Clump": Clump(k=K, r=R, criterion="total", ties="given", lcg="printed"),
        CLUMP1: Clump(k=K, r=R, criterion="total", ties="given"),
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
    f"“{PRINTED1}” runs the printed routine BUIG on each record and the current generalization of its cluster; “{CLUMP1}” takes their"
    " least common generalization",
    f"“{INCREASE}” and “{PARTITION_LCG}” are settings of shoal that the thesis does not have",
    "in the generated log early people ask more, about 53 nouns for the first thousand and 8 for the last ten thousand, which gives the"
    " densities of Table 6.1",
    "with 100,000 people or more, Clump forms its clusters range by range, as in every release of that size",
)
PAPER = Paper("thesis", "people in the log", PUBLISHED_SIZES[-1], 120, run)
