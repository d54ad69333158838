"""What chapter 6 of the thesis says, and whether the numbers say it too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shoal.evaluate.reproduce.page import Finding, Row
from shoal.evaluate.reproduce.trends import cells_below, falls, of_all, path, rises, span, values
from shoal.util.wording import percent

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


def findings(losses: Rows, over_r: Rows, times: Rows, densities: Rows) -> Iterator[Finding]:
    """All statements in the order of the text."""
    yield from _loss(losses, PRINTED1, PRINTED2)
    yield from _loss(losses, CLUMP1, CLUMP2)
    yield from _shape(losses)
    yield from _of_r(over_r)
    yield from _runtime(times)
    yield _density(densities)


def _loss(rows: Rows, one: str, two: str) -> Iterator[Finding]:
    place = f"Figure 6.1 ({one})"
    mine, rival = values(rows, "loss", method=one), values(rows, "loss", method=PARTITION)
    less = cells_below(mine, rival)
    yield Finding(place, "Clump loses less than Partition", f"less {of_all(less, len(mine))}", less == len(mine))
    cut = [1 - a / b for a, b in zip(mine, rival, strict=True)]
    yield Finding(place, "by as much as 30 %", f"by at most {percent(max(cut))}", abs(max(cut) - PUBLISHED_REDUCTION) <= NEAR)
    apart = [b / a - 1 for a, b in zip(mine, values(rows, "loss", method=two), strict=True)]
    seen = f"Clump2 loses {percent(min(apart))} to {percent(max(apart))} more"
    yield Finding(place, "Clump1 and Clump2 differ very little in loss", seen, max(apart) <= SMALL)
    yield _improvement(rows, one, "k", "the improvement gets smaller as the database grows", place)
    yield _improvement(rows, one, "transactions", "the improvement gets smaller as k grows", place)


def _improvement(rows: Rows, one: str, fixed: str, says: str, place: str) -> Finding:
    """How the reduction of loss moves along one parameter, at each value of the other, which is fixed."""
    lines = []
    for value in dict.fromkeys(row[fixed] for row in rows):
        mine, rival = (values(rows, "loss", method=method, **{fixed: value}) for method in (one, PARTITION))
        lines.append([100 * (1 - a / b) for a, b in zip(mine, rival, strict=True)])
    falling = sum(falls(line) for line in lines)
    seen = f"falls {of_all(falling, len(lines), 'lines')}; at the first: {path(lines[0], 1)} %"
    return Finding(place, says, seen, falling == len(lines))


def _shape(rows: Rows) -> Iterator[Finding]:
    lengths = {name: values(rows, "mean_length", method=name) for name in (PRINTED1, PRINTED2, PARTITION)}
    factor = [a / max(b, c) for a, b, c in zip(*lengths.values(), strict=True)]
    says = "Clump1's transactions are significantly longer than Clump2's and Partition's"
    yield Finding("Figure 6.2", says, f"{span(factor, 1)} times as long as the longer of both", min(factor) >= LONGER)
    levels = {name: values(rows, "mean_level", method=name) for name in (PRINTED1, PARTITION, PRINTED2)}
    first, middle, last = levels.values()
    ordered = sum(a < b < c for a, b, c in zip(first, middle, last, strict=True))
    seen = f"{of_all(ordered, len(first))}; Clump1 {span(first)}, Partition {span(middle)}, Clump2 {span(last)}"
    yield Finding("Figure 6.3", "items lie deepest in Clump2, then in Partition, then in Clump1", seen, ordered == len(first))


def _of_r(rows: Rows) -> Iterator[Finding]:
    line, rs = values(rows, "loss", method=PRINTED1), values(rows, "r", method=PRINTED1)
    seen = f"loss at r = {', '.join(map(str, rs))}: {path(line, 3)}"
    yield Finding("Figure 6.4", "a larger r does not always give a better result", seen, not falls(line))
    at_ten, best = line[rs.index(10)], min(line)
    yield Finding(
        "Figure 6.4", "r = 10 achieves a good result", f"{percent(at_ten / best - 1)} above the best r", at_ten <= (1 + SMALL) * best
    )


def _runtime(rows: Rows) -> Iterator[Finding]:
    beside = values(rows, "times Partition", method="Clump")
    seen = f"Clump takes {span(beside, 1)} times as long"
    yield Finding("Figure 6.5", "Clump takes longer than Partition", seen, min(beside) > 1)
    each = values(rows, "microseconds each", method="Clump")
    seen = f"{path(each, 1)} microseconds for each transaction, from the smallest data to the largest"
    yield Finding("Figure 6.5", "Clump scales linearly with the data", seen, each[-1] <= LINEAR * each[0])


def _density(rows: Rows) -> Finding:
    line = values(rows, "density %")
    seen = f"{path(line, 3)} %"
    agrees = falls(line) and not rises(line)
    return Finding("Table 6.1", "the database gets sparser as it grows", seen, agrees)
