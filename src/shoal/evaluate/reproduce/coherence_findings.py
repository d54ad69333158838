"""What section 4 of the coherence paper says, and whether the numbers say it too."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from shoal.evaluate.reproduce.page import Finding, Row
from shoal.evaluate.reproduce.trends import cells_below, falls, of_all, path, rises, span, values

Rows = Sequence[Row]
TDS = "k-anonymity"
METHODS = ("RmAll", TDS, "MM", "1/IL", "MM/IL")
AXES = ("k", "p", "delta %")
CONNECT, RETAIL, T40 = "Connect", "Retail", "T40I10D100K"
PUBLISHED_RMALL, PUBLISHED_GAP = 41.94, 8.0
NEAR_POINTS = 2.0
HIGHER = 1.5  # times as much is significantly higher
LITTLE = 5.0  # points that are no major impact
QUICKLY = 1.3  # times as much time is quickly more
HARDLY = 1.25  # times as much time is hardly more


def findings(rows: Rows, own: Collection[str]) -> Iterator[Finding]:
    """All statements in the order of the text; `own` names the data sets that are the paper's."""
    yield from _connect([row for row in rows if row["set"] == CONNECT], CONNECT in own)
    yield from _retail(rows, RETAIL in own)
    yield from _t40(rows)
    yield from _runtime(rows)


def _connect(rows: Rows, own: bool) -> Iterator[Finding]:
    place = "Figure 8, Connect"
    most = sum(row["RmAll"] >= max(row[name] for name in METHODS) for row in rows)
    yield Finding(place, "RmAll has the highest distortion", of_all(most, len(rows)), most == len(rows))
    at = values(rows, "RmAll", along="k")[0]
    yield Finding(place, "RmAll distorts 41.94 %", f"{at:.2f} %", abs(at - PUBLISHED_RMALL) <= NEAR_POINTS if own else None)
    distorting = [row for row in rows if row["MM"] > 0]
    factor = [row[TDS] / max(row["MM"], row["MM/IL"], row["1/IL"]) for row in distorting]
    seen = f"{span(factor, 1)} times the highest of the three" if factor else "nothing was suppressed"
    yield Finding(place, "k-anonymity distorts significantly more than MM, MM/IL and 1/IL", seen, min(factor, default=0.0) >= HIGHER)
    lower = sum(max(row["MM/IL"], row["1/IL"]) < row["MM"] for row in distorting)
    yield Finding(place, "MM distorts more than MM/IL and 1/IL", of_all(lower, len(distorting)), lower == len(distorting))
    moved = [*values(rows, "MM/IL", along="k"), *values(rows, "MM/IL", along="p")]
    yield Finding(place, "k and p have no major impact", f"MM/IL {span(moved, 1)} %", max(moved) - min(moved) <= LITTLE)
    lines = {name: values(rows, name, along="delta %") for name in ("RmAll", TDS, "MM/IL")}
    grown = {name: line[-1] - line[0] for name, line in lines.items()}
    seen = ", ".join(f"{name} by {points:.1f}" for name, points in grown.items()) + " points from the least to the greatest delta"
    yield Finding(place, "RmAll and k-anonymity grow more with delta", seen, min(grown["RmAll"], grown[TDS]) > grown["MM/IL"])


def _gaps(rows: Rows, name: str, along: str) -> list[float]:
    """How many points MM/IL is below RmAll."""
    mine, most = (values(rows, method, set=name, along=along) for method in ("MM/IL", "RmAll"))
    return [b - a for a, b in zip(mine, most, strict=True)]


def _retail(rows: Rows, own: bool) -> Iterator[Finding]:
    place = "Figure 9, Retail"
    spent = max(values(rows, f"{TDS} seconds", set=RETAIL))
    yield Finding(place, "k-anonymity did not finish within the time limit", f"at most {spent:.2f} processor seconds", False)
    at = _gaps(rows, RETAIL, "k")[2]
    seen = f"{at:.1f} points lower at the paper's defaults"
    yield Finding(place, "MM/IL and 1/IL are about 8 % lower than RmAll", seen, abs(at - PUBLISHED_GAP) <= NEAR_POINTS if own else None)
    line = _gaps(rows, RETAIL, "delta %")
    yield Finding(place, "the gap increases with delta", f"{path(line, 1)} points", rises(line))
    dense = _gaps(rows, CONNECT, "k")[1]
    yield Finding(place, "the gap is smaller than on Connect", f"{at:.1f} against {dense:.1f} points", at < dense)


def _t40(rows: Rows) -> Iterator[Finding]:
    place = "Figure 10, T40I10D100K"
    here, there = (values(rows, "MM/IL", set=name, along="k")[2] for name in (T40, RETAIL))
    yield Finding(place, "distortion is smaller than on Retail", f"MM/IL {here:.1f} % against {there:.1f} %", here < there)
    for along in ("k", "p"):
        line = values(rows, "MM/IL", set=T40, along=along)
        yield Finding(place, f"distortion becomes high as {along} increases", f"MM/IL {path(line, 1)} %", rises(line))


def _runtime(rows: Rows) -> Iterator[Finding]:
    times = {(name, along): values(rows, "TotalTime", set=name, along=along) for name in (CONNECT, RETAIL, T40) for along in AXES}
    for name in (CONNECT, RETAIL, T40):
        line = times[name, "delta %"]
        yield Finding(f"Figure 11, {name}", "runtime increases quickly with delta", _told(line), line[-1] >= QUICKLY * line[0])
    line = times[CONNECT, "k"]
    yield Finding(f"Figure 12, {CONNECT}", "a larger k does not reduce the runtime", _told(line), line[-1] >= line[0] / HARDLY)
    for name in (RETAIL, T40):
        line = times[name, "k"]
        yield Finding(f"Figure 12, {name}", "the runtime drops with k", _told(line), falls(line))
    line = times[CONNECT, "p"]
    yield Finding(f"Figure 13, {CONNECT}", "the runtime is boosted by p", _told(line), line[-1] >= 2 * line[0])
    for name, turn in ((RETAIL, 3), (T40, 5)):
        line = times[name, "p"]
        says = f"p beyond {turn} hardly has an effect on the runtime"
        yield Finding(f"Figure 13, {name}", says, _told(line), max(line[turn - 1 :]) <= HARDLY * line[turn - 1])
    yield _finding_dominates(rows)


def _finding_dominates(rows: Rows) -> Finding:
    dense = [row for row in rows if row["set"] == CONNECT]
    shares = [100 * row["FindMole"] / max(row["TotalTime"], 1e-9) for row in dense]
    half = cells_below([50.0] * len(shares), shares)
    says = "the search for minimal moles dominates the runtime"
    return Finding(f"Figure 11, {CONNECT}", says, f"{span(shares, 0)} % of the time", half == len(shares))


def _told(line: Sequence[float]) -> str:
    """Times beside the first."""
    return f"{path([value / max(line[0], 1e-9) for value in line], 2)} times the first of {line[0]:.3f} s"
