"""Xu, Wang, Fu and Yu (KDD'08), section 4: distortion and runtime of (h,k,p)-coherence over k, p and the share of public items.

Items below 0.1% support are removed first, a random share delta of the others is public, numbers are means over five choices, with their
spread. A file of the user is read completely, or a random sample of it. Where there are fewer transactions than the paper had, k is smaller
in proportion. What the paper leaves open: its private items (the most frequent
item of some record that is not public) are mostly held by more than the share h on Connect, and then nothing gives coherence (its
Theorem 1); here only items that at most h/2 of the records hold can be private.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from shoal.data.bags import Bags
from shoal.errors import InputError
from shoal.evaluate.reproduce.experiment_page import Experiment, Figure, Lines, PaperFinding, Row
from shoal.evaluate.reproduce.measuring import ExperimentProgress
from shoal.evaluate.reproduce.paper import ExperimentSize, Paper
from shoal.evaluate.reproduce.trends import cells_below, falls, of_all, path, rises, span, values
from shoal.io.experiment_files import data_set
from shoal.io.read.dispatch import read
from shoal.io.read.options import ReadOptions
from shoal.itemsets.hitting_set import greedy
from shoal.itemsets.itemset_support import PRIVATE, PUBLIC, Parts, Power, minimal_moles
from shoal.methods.tds import specialize
from shoal.synthetic.baskets import Baskets, Board
from shoal.util.numbers import distinct
from shoal.util.wording import percent

# -- statements of the paper, compared with the results


Rows = Sequence[Row]
TDS = "k-anonymity"
METHODS = ("RmAll", TDS, "MM", "1/IL", "MM/IL")
AXES = ("k", "p", "delta %")
CONNECT, RETAIL, T40 = "Connect", "Retail", "T40I10D100K"
PUBLISHED_RMALL, PUBLISHED_GAP = 41.94, 8.0
NEAR_POINTS = 2.0
HIGHER = 1.5  # times as much is significantly higher
LITTLE = 5.0  # points that are no major impact
LOW = 2.0  # percent that is a low distortion
QUICKLY = 1.3  # times as much time is quickly more
HARDLY = 1.25  # times as much time is hardly more


def findings(rows: Rows, own: Collection[str]) -> Iterator[PaperFinding]:
    """Return all statements in the order of the text; `own` names the data sets that are the paper's."""
    yield from _connect([row for row in rows if row["set"] == CONNECT], CONNECT in own)
    yield from _retail(rows, RETAIL in own)
    yield from _t40(rows)
    yield from _runtime(rows)


def _connect(rows: Rows, own: bool) -> Iterator[PaperFinding]:
    place = "Figure 8, Connect"
    most = sum(row["RmAll"] >= max(row[name] for name in METHODS) for row in rows)
    yield PaperFinding(place, "RmAll has the highest distortion", of_all(most, len(rows)), most == len(rows))
    drawn = _at_defaults(rows, CONNECT)["RmAll draws"]
    statement = "RmAll distorts 41.94%"
    yield PaperFinding(place, statement, f"{_spread(drawn)}%", abs(float(np.mean(drawn)) - PUBLISHED_RMALL) <= NEAR_POINTS if own else None)
    distorting = [row for row in rows if row["MM"] > 0]
    factor = [row[TDS] / max(row["MM"], row["MM/IL"], row["1/IL"]) for row in distorting]
    measured = f"{span(factor, 1)} times the highest of the three" if factor else "nothing was suppressed"
    yield PaperFinding(
        place, "k-anonymity distorts significantly more than MM, MM/IL and 1/IL", measured, min(factor, default=0.0) >= HIGHER
    )
    lower = sum(max(row["MM/IL"], row["1/IL"]) < row["MM"] for row in distorting)
    yield PaperFinding(place, "MM distorts more than MM/IL and 1/IL", of_all(lower, len(distorting)), lower == len(distorting))
    moved = [*values(rows, "MM/IL", along="k"), *values(rows, "MM/IL", along="p")]
    yield PaperFinding(place, "k and p have no major impact", f"MM/IL {span(moved, 1)}%", max(moved) - min(moved) <= LITTLE)
    lines = {name: values(rows, name, along="delta %") for name in ("RmAll", TDS, "MM/IL")}
    grown = {name: line[-1] - line[0] for name, line in lines.items()}
    measured = ", ".join(f"{name} by {points:.1f}" for name, points in grown.items()) + " points from the least to the greatest delta"
    yield PaperFinding(place, "RmAll and k-anonymity grow more with delta", measured, min(grown["RmAll"], grown[TDS]) > grown["MM/IL"])


def _at_defaults(rows: Rows, name: str) -> Row:
    """Return the row of a data set at the paper's defaults."""
    return next(row for row in rows if row["set"] == name and row["along"] == "k" and row["at defaults"])


def _spread(draws: Sequence[float]) -> str:
    """Return e.g. `2.1 (1.5 to 2.8 over 5 choices of public items)`."""
    return f"{np.mean(draws):.2f} ({span(draws)} over {len(draws)} choices of public items)"


def _gaps(rows: Rows, name: str, along: str) -> list[float]:
    """Return by how many points MM/IL is below RmAll."""
    mine, most = (values(rows, method, set=name, along=along) for method in ("MM/IL", "RmAll"))
    return [b - a for a, b in zip(mine, most, strict=True)]


def _retail(rows: Rows, own: bool) -> Iterator[PaperFinding]:
    place = "Figure 9, Retail"
    spent = max(values(rows, f"{TDS} seconds", set=RETAIL))
    yield PaperFinding(place, "k-anonymity did not finish within the time limit", f"at most {spent:.2f} processor seconds", None)
    row = _at_defaults(rows, RETAIL)
    gaps = [most - mine for most, mine in zip(row["RmAll draws"], row["MM/IL draws"], strict=True)]
    at = float(np.mean(gaps))
    measured = f"{_spread(gaps)} points lower at the paper's defaults"
    yield PaperFinding(
        place, "MM/IL and 1/IL are about 8% lower than RmAll", measured, abs(at - PUBLISHED_GAP) <= NEAR_POINTS if own else None
    )
    line = _gaps(rows, RETAIL, "delta %")
    yield PaperFinding(place, "the gap increases with delta", f"{path(line, 1)} points", rises(line))
    dense = _at_defaults(rows, CONNECT)
    dense = dense["RmAll"] - dense["MM/IL"]
    yield PaperFinding(place, "the gap is smaller than on Connect", f"{at:.1f} against {dense:.1f} points", at < dense)


def _t40(rows: Rows) -> Iterator[PaperFinding]:
    place = "Figure 10, T40I10D100K"
    here, there = (_at_defaults(rows, name)["MM/IL"] for name in (T40, RETAIL))
    yield PaperFinding(place, "distortion is smaller than on Retail", f"MM/IL {here:.1f}% against {there:.1f}%", here < there)
    for along in ("k", "p"):
        line = values(rows, "MM/IL", set=T40, along=along)
        yield PaperFinding(place, f"distortion becomes high as {along} increases", f"MM/IL {path(line, 1)}%", rises(line))
    strict, loose = values(rows, "MM/IL", set=T40, along=ALONG_H)
    statement = f"distortion is low for small k and p, say k = {SMALL_K} and p = {SMALL_P}"
    measured = f"MM/IL {strict:.2f}% at h = {percent(H, 0)}, {loose:.2f}% at h = 100%"
    yield PaperFinding(place, statement, measured, strict <= LOW)


def _runtime(rows: Rows) -> Iterator[PaperFinding]:
    times = {(name, along): values(rows, "TotalTime", set=name, along=along) for name in (CONNECT, RETAIL, T40) for along in AXES}
    for name in (CONNECT, RETAIL, T40):
        line = times[name, "delta %"]
        yield PaperFinding(f"Figure 11, {name}", "runtime increases quickly with delta", _times_text(line), line[-1] >= QUICKLY * line[0])
    line = times[CONNECT, "k"]
    yield PaperFinding(f"Figure 12, {CONNECT}", "a larger k does not reduce the runtime", _times_text(line), line[-1] >= line[0] / HARDLY)
    for name in (RETAIL, T40):
        line = times[name, "k"]
        yield PaperFinding(f"Figure 12, {name}", "the runtime drops with k", _times_text(line), falls(line))
    line = times[CONNECT, "p"]
    yield PaperFinding(f"Figure 13, {CONNECT}", "the runtime is boosted by p", _times_text(line), line[-1] >= 2 * line[0])
    for name, turn in ((RETAIL, 3), (T40, 5)):
        line = times[name, "p"]
        statement = f"p beyond {turn} hardly has an effect on the runtime"
        yield PaperFinding(f"Figure 13, {name}", statement, _times_text(line), max(line[turn - 1 :]) <= HARDLY * line[turn - 1])
    yield _finding_dominates(rows)


def _finding_dominates(rows: Rows) -> PaperFinding:
    dense = [row for row in rows if row["set"] == CONNECT]
    shares = [100 * row["FindMole"] / max(row["TotalTime"], 1e-9) for row in dense]
    half = cells_below([50.0] * len(shares), shares)
    statement = "the search for minimal moles dominates the runtime"
    return PaperFinding(f"Figure 11, {CONNECT}", statement, f"{span(shares, 0)}% of the time", half == len(shares))


def _times_text(line: Sequence[float]) -> str:
    """Format times relative to the first."""
    return f"{path([value / max(line[0], 1e-9) for value in line], 2)} times the first of {line[0]:.3f} s"


# -- the experiment


H, CHOICES, LEAST_SUPPORT = 0.4, 5, 0.001
SMALL_K, SMALL_P = 5, 2
ALONG_H = f"h % (k = {SMALL_K}, p = {SMALL_P})"


@dataclass(frozen=True)
class CoherenceRun:
    """A run: the varied parameter and its value, and delta, h, k and p."""

    along: str
    value: float
    delta: float
    h: float
    k: int
    p: int


@dataclass(frozen=True)
class Setting:
    """A data set of the paper: its name and size, its replacement, the paper's defaults, and the values of each parameter."""

    name: str
    records: int
    made: Callable[[int, int], Bags]
    delta: float
    k: int
    p: int
    deltas: tuple[float, ...]
    ks: tuple[int, ...]
    ps: tuple[int, ...]

    small: bool = False  # also run with small k and p, at the paper's h and without a bound on private items

    def points(self) -> list[CoherenceRun]:
        """Return all runs of this data set."""
        along_k = [CoherenceRun("k", float(k), self.delta, H, k, self.p) for k in self.ks]
        along_p = [CoherenceRun("p", float(p), self.delta, H, self.k, p) for p in self.ps]
        along_h = [CoherenceRun(ALONG_H, 100 * h, self.delta, h, SMALL_K, SMALL_P) for h in (H, 1.0)] if self.small else []
        return [*along_k, *along_p, *(CoherenceRun("delta %", 100 * d, d, H, self.k, self.p) for d in self.deltas), *along_h]


def _board(n: int, seed: int) -> Bags:
    return Board(n).bags(seed)


def _baskets(n: int, seed: int, *, like: Baskets) -> Bags:
    return Baskets(n, like.length, like.pattern, like.items, like.patterns, like.skew).bags(seed)


SETTINGS = (
    Setting("Connect", 67_557, _board, 0.40, 100, 5, (0.2, 0.3, 0.4, 0.5, 0.6), (50, 100, 200, 400), (1, 2, 3, 4, 5, 6)),
    Setting(
        "Retail",
        88_162,
        partial(_baskets, like=Baskets(0, 8, 4, 2_500, 4_000, 0.7)),
        *(0.20, 20, 4, (0.1, 0.2, 0.3, 0.4, 0.5), (5, 10, 20, 40), (1, 2, 3, 4, 5, 6)),
    ),
    Setting(
        "T40I10D100K",
        100_000,
        partial(_baskets, like=Baskets(0, 40, 10, 1_000, 2_000)),
        *(0.15, 30, 4, (0.05, 0.1, 0.15, 0.2, 0.25), (5, 10, 30, 50), (1, 2, 3, 4, 5, 6)),
        small=True,
    ),
)


@dataclass(frozen=True, eq=False)
class Data:
    """Transactions of a data set, or of its replacement, without the rare items."""

    setting: Setting
    bags: Bags
    own: bool

    @property
    def name(self) -> str:
        """The name in tables."""
        return self.setting.name if self.own else f"like {self.setting.name}"

    def scaled(self, k: int) -> int:
        """Return k in proportion to the number of transactions."""
        return max(2, round(k * len(self.bags) / self.setting.records))


def run(size: ExperimentSize) -> Experiment:
    """Return all figures of section 4."""
    sets = [_data(setting, size) for setting in SETTINGS]
    steps = ExperimentProgress("coherence", sum(len(data.setting.points()) for data in sets) * CHOICES)
    rows = [row for data in sets for row in _along(data, steps)]
    distortion = [_drawn(row, name, "distortion %") for row in rows for name in METHODS]
    runtime = [_drawn(row, name, "processor seconds") for row in rows for name in ("FindMole", "TotalTime", TDS + " seconds")]
    figures = (
        Figure("distortion", "Figures 8 to 10: distortion", tuple(distortion), Lines("value", "distortion %", "method", "data")),
        Figure("runtime", "Figures 11 to 13: runtime of MM/IL", tuple(runtime), Lines("value", "processor seconds", "method", "data")),
        Figure("spread", f"Spread of the distortion over {CHOICES} choices of public items, at the defaults", tuple(_spreads(rows))),
        Figure("data", "Table 1: data after preprocessing", tuple(_described(data) for data in sets)),
    )
    text = "; ".join(f"{data.name}: {len(data.bags):,} transactions" for data in sets)
    own = {data.setting.name for data in sets if data.own}
    return Experiment("coherence", TITLE, CITATION, text, figures, tuple(findings(rows, own)), NOTES)


def _drawn(row: Row, name: str, value: str) -> Row:
    return {"data": f"{row['data']}, by {row['along']}", "value": row["value"], "method": name, value: row[name]}


def _spreads(rows: Rows) -> Iterator[Row]:
    for name in (CONNECT, RETAIL, T40):
        row = _at_defaults(rows, name)
        for method in METHODS:
            draws = row[f"{method} draws"]
            mean, least, most = float(np.mean(draws)), min(draws), max(draws)
            yield {"data": row["data"], "method": method, "mean %": mean, "least %": least, "most %": most}


def _data(setting: Setting, size: ExperimentSize) -> Data:
    """Return the user's file whose name begins with that of the data set, all of it or a sample; or a generated replacement."""
    path = data_set(size.data, setting.name.lower())
    if path is None:
        n_records = min(size.settled_size, setting.records)
        return Data(setting, _frequent(setting.made(n_records, size.seed)), own=False)
    found = read(path, ReadOptions(format="transactions")).data
    if not isinstance(found, Bags):
        raise InputError(f"{path.name} contains no transactions", code="no-usable-rows", hint="one line of items for each transaction")
    return Data(setting, _frequent(sampled(found.as_sets(), len(found) if size.whole else size.settled_size, size.seed)), own=True)


def sampled(bags: Bags, n: int, seed: int) -> Bags:
    """Return n random records, in their order: a file may be sorted, so that its head is not like the rest."""
    if n >= len(bags):
        return bags
    return bags.select(np.sort(np.random.default_rng(seed).choice(len(bags), n, replace=False)))


def _frequent(bags: Bags) -> Bags:
    """Remove items below the minimum support."""
    support = np.bincount(bags.items, minlength=len(bags.vocabulary))
    stays = support >= LEAST_SUPPORT * len(bags)
    code = np.where(stays, np.cumsum(stays) - 1, -1).astype(np.int32)
    return bags.relabelled(code, type(bags.vocabulary)(bags.vocabulary.names.filter(stays)))


def choose(bags: Bags, delta: float, seed: int, limit: float = H / 2) -> Parts:
    """Choose random public items; private items are others of at most this frequency that are the most frequent such item of some
    record.
    """
    n = len(bags.vocabulary)
    parts = np.zeros(n, np.uint8)
    parts[np.random.default_rng(seed).choice(n, round(delta * n), replace=False)] = PUBLIC
    support = np.bincount(bags.items, minlength=n)
    able = (parts != PUBLIC) & (support <= limit * len(bags))
    record = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))
    entry = np.flatnonzero(able[bags.items])
    order = entry[np.lexsort((bags.items[entry], -support[bags.items[entry]], record[entry]))]
    first = np.concatenate([[True], np.diff(record[order]) > 0]) if len(order) else np.zeros(0, bool)
    parts[distinct(bags.items[order[first]])] = PRIVATE
    return parts


def _along(data: Data, steps: ExperimentProgress) -> list[Row]:
    """Return a row for every value of each parameter, with means over the choices of items, and the numbers of each choice."""
    rows: list[Row] = []
    for at in data.setting.points():
        power = Power(at.h, data.scaled(at.k), at.p)
        found = [steps.done(_measured(data.bags, choose(data.bags, at.delta, seed), power)) for seed in range(CHOICES)]
        means = {name: float(np.mean([one[name] for one in found])) for name in found[0]}
        draws = {f"{name} draws": [one[name] for one in found] for name in METHODS}
        defaults = (at.delta, at.h, at.k, at.p) == (data.setting.delta, H, data.setting.k, data.setting.p)
        shown = float(power.k) if at.along == "k" else at.value
        place = {"set": data.setting.name, "data": data.name, "along": at.along, "value": shown, "at defaults": defaults}
        rows.append({**place, **means, **draws})
    return rows


def _measured(bags: Bags, parts: Parts, power: Power) -> dict[str, float]:
    """Return suppressed occurrences in percent by each method, and the processor times of finding and of eliminating moles."""
    support = np.bincount(bags.items, minlength=len(parts))
    percent = 100 / max(1, bags.occurrences)
    started = time.process_time()
    moles = minimal_moles(bags, parts, power)
    found = time.process_time()
    losses = {"MM/IL": greedy(moles, support, "mm/il").loss * percent}
    done = time.process_time()
    losses |= {name: greedy(moles, support, name.lower()).loss * percent for name in ("MM", "1/IL")}
    begun = time.process_time()
    shown, _ = specialize(bags, parts, power.k)
    spent = time.process_time() - begun
    public = float(support[parts == PUBLIC].sum())
    losses |= {"RmAll": public * percent, TDS: (public - float(support[shown].sum())) * percent}
    return losses | {"FindMole": found - started, "TotalTime": done - started, TDS + " seconds": spent}


def _described(data: Data) -> dict[str, Any]:
    n = len(data.bags)
    return {"data": data.name, "transactions": n, "average length": data.bags.occurrences / n, "items": len(data.bags.vocabulary)}


TITLE = "Anonymizing transaction databases for publication ((h,k,p)-coherence)"
CITATION = "Xu, Wang, Fu and Yu, KDD 2008, section 4"
NOTES = (
    "where a data set of the paper is not given by the option `data`, something like it is generated: positions of a board game for "
    "Connect, baskets of few items of very different frequency for Retail, the generator of T40I10D100K for that",
    f"h = {percent(H, 0)}; k is smaller in proportion to the transactions that the paper had;"
    f" means over {CHOICES} random choices of public items",
    "the values on the axes of the paper's figures cannot be read from its text; those here lie around its defaults",
    "the paper does not state its time limit, so whether k-anonymity finishes within it is not comparable",
    "k-anonymity is the paper's baseline TDS; what it gains is measured in occurrences, as transactions have no class label",
)
PAPER = Paper("coherence", "transactions of each data set", 20_000, 200, run, tuple(setting.name.lower() for setting in SETTINGS))
