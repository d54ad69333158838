"""Commands of the methods on the rows of a log: thresholds, histories, noisy counts, and what guarantees nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from fuzz.case import FRAMES, Case, Draw
from fuzz.make.inputs import odd_tree, table_file, written_tree

WORDS = ["rain", "Rain", "maps", "tea", "green", "kyoto", "zug", "fähre", "x7", "c++", "the", "a", "qy1canary", "qy2canary"]
FURTHER = ["call 555-123-4567", "mail zed@example.org", "4111 1111 1111 1111", "12 elm street", "", "  "]
PAGES = ["http://www.alpha.com", "http://www.alpha.com/x/1", "http://www.alpha.com/x/2", "http://beta.org/y", "http://beta.org/z?q=1"]
BEGIN = datetime(2006, 3, 1)
NO_GUARANTEE = {"old-remedies", "secret-sharing", "split-personality"}
CLICKS = {"user-microaggregation", "category-microaggregation"}


def made(draw: Draw) -> Case:
    """A command of one of these methods."""
    case = Case(draw.number, draw.method, "querylog", [])
    OPTIONS[draw.method](draw, case)
    if draw.method in NO_GUARANTEE and not draw.chance(0.03):
        case.said["no-guarantee"] = True
    _written(draw, case)
    draw.output(case, FRAMES)
    if draw.method == "secret-sharing" and draw.chance(0.5):
        case.then.append("decode")
    elif draw.chance(0.1):
        case.then.append("audit")
    elif draw.method in {"threshold", "infrequent", "query-cores"} and draw.chance(0.15):
        case.then.append(draw.one(["shuffled", "shuffled", "previous"]))
    elif draw.chance(0.03):
        case.then.append("twice")
    return case


# -- the options of each method


def _infrequent(draw: Draw, case: Case) -> None:
    case.said["k"] = draw.one(["2", "2", "3", "3", "5", "1000"])


def _cores(draw: Draw, case: Case) -> None:
    case.said["k"] = draw.one(["2", "2", "3", "3", "5", "1000"])
    thetas: list[str | bool] = ["0.1", "0.3", "0.5", "0.666667", "0.8", "1"]
    draw.options(case, {"theta": thetas, "longest": ["1", "2", "10"], "word-people": ["2", "4"]}, 0.5)


PRESETS = ["queries-of-30", "queries-of-30-a-month", "clicks-of-30", "words-of-50"]


def _threshold(draw: Draw, case: Case) -> None:
    said = case.said
    if draw.chance(0.04):
        said |= {"preset": draw.one(PRESETS), "k": "2"}
        return
    said["k"] = draw.one(["2", "2", "3", "3", "5", "1000"])
    unit = draw.one(["query", "query", "term", "term", "term", "query+url", "url", "query+time", "query+rank", "time+query+url"])
    if unit != "query" or draw.chance(0.2):
        said["unit"] = unit
    if unit == "term":
        draw.options(case, {"rare": ["drop", "omit", "generalize"]}, 0.7)
    if draw.chance(0.3):
        said["window"] = draw.one(["hour", "day", "month"])
    if "time" in unit or draw.chance(0.4):
        said["times"] = str(said.get("window") or draw.one(["hour", "day", "month"]))
    if draw.chance(0.3):
        said["words"] = draw.one(["1", "2", "3"])
    if draw.chance(0.4):
        said["link"] = draw.one(["person", "person", "day", "gap:30m", "gap:2d", "rows:2", "none"])
    if draw.chance(0.35):
        beside = [f"{name}{draw.one(ways)}" for name, ways in BESIDE.items() if name not in unit and draw.chance(0.7)]
        if beside:
            said["columns"] = ", ".join(beside)
            if draw.chance(0.4):
                said["group"] = draw.one(["2", "3", "5"])


BESIDE = {"url": ["=prefix", ""], "rank": ["=ranges", ""]}


def _histories(draw: Draw, case: Case) -> None:
    case.said["k"] = draw.one(["2", "2", "3", "3", "5"])
    draw.options(case, {"min-owners": ["1", "2", "2", "3"], "block": ["1", "4", "256"]}, 0.4)
    if case.method == "category-microaggregation":
        draw.options(case, {"depth": ["1", "2", "5"], "seed": ["0", "4"]}, 0.3)
        return
    weights: list[str | bool] = ["0", "0.5", "3"]
    table = {f"{name}-weight": weights for name in ("text", "time", "click", "rank", "host")}
    draw.options(case, {"compare": ["words", "letters"], "compared": ["1", "3", "64"], **table}, 0.2)


def _noisy(draw: Draw, case: Case) -> None:
    case.said |= {"epsilon": draw.one(["1", "3", "8", "15", "20"]), "delta": draw.one(["1e-6", "0.001", "0.01"])}
    draw.options(
        case,
        {
            "mechanism": ["policy", "weighted", "korolova"],
            "cap": ["1", "2", "10", "64"],
            "count-cap": ["1", "10"],
            "guide": ["0", "0.2", "0.5"],
            "counts": ["0", "0.2", "0.7"],
        },
        0.4,
    )
    if draw.chance(0.4):
        case.said["unit"] = draw.one(["query", "term", "pair", "item"])
    elif draw.chance(0.3):
        case.said["clicks"] = draw.one(["0.2", "0.5"])


def _divided(draw: Draw, case: Case) -> None:
    case.said["epsilon"] = draw.one(["1", "3", "8", "20"])
    draw.options(
        case,
        {
            "cap": ["1", "2", "10"],
            "fanout": ["2", "3", "10"],
            "counts": ["0.1", "0.5", "0.9"],
            "spurious": ["0.001", "2"],
            "generalized": [True],
        },
        0.4,
    )


def _runs(draw: Draw, case: Case) -> None:
    case.said |= {"epsilon": draw.one(["1", "8", "20"]), "delta": draw.one(["1e-6", "0.01"])}
    draw.options(case, {"longest": ["1", "2", "5"], "cap": ["1", "10"], "count-cap": ["1", "3"], "counts": ["0.1", "0.7"]}, 0.4)


def _remedies(draw: Draw, case: Case) -> None:
    ids: list[str | bool] = ["none", "person", "day", "gap:30m", "rows:2"]
    draw.options(case, {"ids": ids, "queries": ["typed", "hash", "hash-words"], "scrub": [True]}, 0.5)
    if draw.chance(0.2):
        case.said["since"] = draw.one(["2006-03-02", "2006-03-01 12:00:00", "1999-01-01"])
    if case.flag("scrub") and draw.chance(0.4):
        case.chosen["names"] = ["kyoto", "zug"]
        case.said["names"] = draw.file("names.txt", "kyoto\nzug\n")
    _key(draw, case)


def _shares(draw: Draw, case: Case) -> None:
    case.said["k"] = draw.one(["2", "2", "3", "5"])
    _key(draw, case)


def _key(draw: Draw, case: Case) -> None:
    if draw.chance(0.25):
        case.said["key"] = draw.file("key.txt", f"{draw.rng.getrandbits(256):064x}\n")


def _split(draw: Draw, case: Case) -> None:
    draw.options(case, {"level": ["2", "3", "5"]}, 0.8)


OPTIONS: dict[str, Callable[[Draw, Case], None]] = {
    "infrequent": _infrequent,
    "threshold": _threshold,
    "query-cores": _cores,
    "user-microaggregation": _histories,
    "category-microaggregation": _histories,
    "diffpart": _divided,
    "dp-ngrams": _runs,
    "dp-queries": _noisy,
    "old-remedies": _remedies,
    "secret-sharing": _shares,
    "split-personality": _split,
}


# -- the log


def _written(draw: Draw, case: Case) -> None:
    """The log, in AOL's columns or others; where a method needs a taxonomy, one of its words."""
    words = WORDS
    if case.method in {"category-microaggregation", "diffpart", "split-personality"} or case.said.get("rare") == "generalize":
        tree, names, parent = odd_tree(draw, odd=False)
        case.said["taxonomy"] = written_tree(draw, tree, parent)
        words = [*names, "qy1canary", "qy2canary"]
    if case.method == "dp-queries" and "clicks" not in case.said and draw.chance(0.3):
        return _baskets(draw, case)
    if case.method in {"threshold", "query-cores"} and not {"unit", "columns", "words", "preset"} & case.said.keys() and draw.chance(0.25):
        return _items(draw, case)
    clicks = case.method in CLICKS or "clicks" in case.said or _asks_clicks(case)
    rows = list(_rows(draw, case, words))
    if draw.chance(0.5):
        case.inputs = [draw.file("input.txt", _aol(rows))]
        return None
    named = [{"user": row["user"], "time": row["time"], "query": row["query"]} for row in rows]
    if clicks:
        named = [{**one, "rank": row["rank"], "url": row["url"]} for one, row in zip(named, rows, strict=True)]
        case.said |= {"rank": "rank", "url": "url"}
    case.said["format"] = "querylog"
    case.inputs = [table_file(draw, "input", named)]
    return None


def _asks_clicks(case: Case) -> bool:
    return any(
        word in f"{case.said.get('unit', '')} {case.said.get('columns', '')} {case.said.get('preset', '')}"
        for word in ("url", "rank", "clicks")
    )


def _rows(draw: Draw, case: Case, words: list[str]) -> list[dict[str, Any]]:
    """Queries of people, many of them shared; with clicks, and now and then the same click again."""
    rng = draw.rng
    people = draw.people(rng.choice([2, 4, 8, 15, 25]))
    case.owners = people
    longest = rng.choice([1, 2, 4])
    usual = [" ".join(rng.choice(words) for _ in range(rng.randint(1, longest))) for _ in range(rng.choice([2, 5, 9]))]
    odd = FURTHER if case.method == "old-remedies" else FURTHER[-2:]
    rows: list[dict[str, Any]] = []
    for owner in people:
        for _ in range(rng.choice([1, 2, 3, 5])):
            text = rng.choice(usual) if rng.random() < 0.8 else " ".join(rng.choice(words) for _ in range(rng.randint(1, longest + 1)))
            if rng.random() < 0.05:
                text = rng.choice(odd)
            clicked = rng.random() < 0.5
            row = {
                "user": owner,
                "time": str(
                    draw.begin(BEGIN) + timedelta(days=rng.choice([0, 0, 1, 33]), hours=rng.choice([8, 9, 20]), minutes=rng.randrange(60))
                ),
                "query": text,
                "rank": str(rng.choice([1, 2, 3, 14, 140])) if clicked else "",
                "url": rng.choice(PAGES) if clicked else "",
            }
            rows.append(row)
            if clicked and rng.random() < 0.1:
                rows.append({**row, "rank": "7", "url": rng.choice(PAGES)})
    if draw.twist == "one owner":
        rows = [{**row, "user": people[0]} if number % 3 == 0 else row for number, row in enumerate(rows)]
    if draw.twist == "identical":
        rows = [{**row, "query": rows[0]["query"]} for row in rows]
    return rows


def _aol(rows: list[dict[str, Any]]) -> str:
    names = ("user", "query", "time", "rank", "url")
    lines = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL", *("\t".join(row[name] for name in names) for row in rows)]
    return "\n".join(lines) + "\n"


def _items(draw: Draw, case: Case) -> None:
    """A log of items, which count as queries."""
    rows = _rows(draw, case, WORDS)
    case.form, case.said["format"] = "table", "table"
    named = [{"user": row["user"], "item": row["query"].strip() or "none", "time": row["time"]} for row in rows]
    if {"window", "times", "link"} & case.said.keys():
        case.said["time"] = "time"
    case.inputs = [table_file(draw, "input", named)]


def _baskets(draw: Draw, case: Case) -> None:
    """Lines of items, or a table of them."""
    rng = draw.rng
    pool = [f"i{i}" for i in range(rng.choice([2, 5, 9]))]
    baskets = [rng.sample(pool, rng.randint(1, len(pool))) for _ in range(rng.choice([5, 15, 40]))]
    if draw.chance(0.5):
        case.form, case.said["format"], case.said["sep"] = "lines", "transactions", ","
        case.inputs = [draw.file("input.txt", "".join(",".join(basket) + "\n" for basket in baskets))]
        return
    case.form, case.said["format"], case.owners = "table", "table", draw.people(len(baskets))
    rows = [{"user": owner, "item": item} for owner, basket in zip(case.owners, baskets, strict=True) for item in basket]
    case.inputs = [draw.file("input.jsonl", "".join(json.dumps(row) + "\n" for row in rows))]
