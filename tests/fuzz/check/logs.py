"""Recounts of published rows of a log: support, histories, and what methods without a guarantee publish."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from fuzz.case import Case
from fuzz.check.raw import read_raw
from helpers.checker import Release, Row, Tree, duration, read_tree

PRIME = 2**127 - 1
NAMES = {"AnonID": "user", "Query": "text", "QueryTime": "time", "ItemRank": "rank", "ClickURL": "url", "query": "text", "item": "text"}
BEGINNINGS = {"hour": "%Y-%m-%d %H:00:00", "day": "%Y-%m-%d 00:00:00", "month": "%Y-%m-01 00:00:00"}
FIRST_OF_NONE = {"text": "", "time": "", "rank": "", "url": ""}


Staying = list[tuple[Row, tuple[Any, ...]]]


@dataclass
class Log:
    """The rows of the raw log: user, time, text, rank, url; without repeated clicks, where clicks are not read."""

    rows: list[Row]
    payload: str  # the published column of the text
    raw: int  # rows of the file

    @staticmethod
    def words(text: str) -> list[str]:
        """Runs of letters and digits."""
        return re.findall(r"[^\W_]+", text)


def read_log(case: Case, directory: Path) -> Log:
    """The log as its file has it."""
    raw = read_raw(case, directory)
    n = len(raw.rows) + len(raw.defects) + raw.blank
    if case.form == "lines":
        held = [(str(number), item) for number, row in enumerate(raw.rows) for item in row["items"]]
        return Log([{**FIRST_OF_NONE, "user": owner, "text": item} for owner, item in held], "item", n)
    rows = [{**FIRST_OF_NONE, **{NAMES.get(name, name): value for name, value in row.items()}} for row in raw.rows]
    for row in rows:
        row["text"] = row["text"].strip()
        row["rank"] = str(row["rank"])
    if case.form == "querylog" and not reads_clicks(case):
        rows = list({(row["user"], row["time"] or number, row["text"]): row for number, row in enumerate(rows)}.values())
    return Log(rows, "item" if case.form == "table" else "query", n)


def reads_clicks(case: Case) -> bool:
    """Whether the method looks at clicks, so that rows of one query are kept apart."""
    asked = f"{case.said.get('unit', '')} {case.said.get('columns', '')} {case.said.get('preset', '')}"
    return "microaggregation" in case.method or "clicks" in case.said or any(word in asked for word in ("url", "rank", "clicks"))


# -- support


def recount_support(case: Case, release: Release, log: Log, values: dict[str, str], tree: Tree | None) -> list[str]:
    """The rows that stay are computed anew, and compared with the published ones; then every value beside them is counted."""
    k, unit, published = int(values["k"]), values.get("unit", "query"), release.tables["log"]
    columns = [log.payload if name in {"query", "term"} else name for name in unit.split("+")]
    stays = staying(log, values)
    if values.get("rare") == "generalize":
        assert tree is not None
        wrong = _general_words(published, short_enough(log, values), log, k, tree)
    else:
        wrong = _compared(case, published, stays, columns)
    group = int(values.get("group", k))
    beside = [one.split("=") for one in values.get("columns", "").split(", ") if one]
    if "times" in values and "time" not in unit:
        beside.append(["time"])
    expected = {*columns, *(name for name, *_ in beside), *(["user"] if "pseudonyms" in values else [])}
    if {name for row in published for name in row} != expected:
        wrong.append("further or missing columns")
    kept = [row for row, _ in stays] if values.get("rare") != "generalize" else short_enough(log, values)
    return wrong + [line for name, *_ in beside for line in _beside(published, kept, name, group, values)]


def short_enough(log: Log, values: dict[str, str]) -> list[Row]:
    """The rows without those of too many words."""
    return [row for row in log.rows if "words" not in values or len(row["text"].split()) <= int(values["words"])]


def staying(log: Log, values: dict[str, str]) -> Staying:
    """The rows of which k people have the unit, each with its unit as it is published."""
    k, unit, window = int(values["k"]), values.get("unit", "query"), values.get("window")
    rows = short_enough(log, values)
    if unit == "term":
        return _frequent_words(rows, k, values.get("rare", "drop"), window)
    return _frequent_units(rows, k, [_cell(name, values) for name in unit.split("+")], window, query="query" in unit)


def _cell(name: str, values: dict[str, str]) -> Callable[[Row], Any]:
    """A column of the unit as it is published."""
    if name == "time":
        return lambda row: datetime.fromisoformat(row["time"]).strftime(BEGINNINGS[values["times"]])
    return lambda row: row["text" if name == "query" else name] or None


def _window_of(row: Row, window: str | None) -> str:
    return datetime.fromisoformat(row["time"]).strftime(BEGINNINGS[window]) if window else ""


def _frequent_units(rows: list[Row], k: int, cells: list[Callable[[Row], Any]], window: str | None, *, query: bool) -> Staying:
    people: dict[object, set[str]] = defaultdict(set)
    told = [(row, tuple(cell(row) for cell in cells)) for row in rows]
    told = [(row, unit) for row, unit in told if (row["text"] if query else any(unit))]
    for row, unit in told:
        people[unit, _window_of(row, window)].add(row["user"])
    return [(row, unit) for row, unit in told if len(people[unit, _window_of(row, window)]) >= k]


def _frequent_words(rows: list[Row], k: int, rare: str, window: str | None) -> Staying:
    """Rows whose words are each of k people; for `drop` until that is so in the rows that stay, for `omit` without the other words."""
    left = [(row, row["text"].split()) for row in rows if row["text"].split()]
    while True:
        people: dict[object, set[str]] = defaultdict(set)
        for row, words in left:
            for word in words:
                people[word, _window_of(row, window)].add(row["user"])
        common = {key for key, owners in people.items() if len(owners) >= k}
        if rare == "drop":
            after = [(row, words) for row, words in left if all((word, _window_of(row, window)) in common for word in words)]
        else:
            kept = [(row, [word for word in words if (word, _window_of(row, window)) in common]) for row, words in left]
            after = [(row, words) for row, words in kept if words]
        if after == left or rare != "drop":
            return [(row, (row["text"] if rare == "drop" else " ".join(words),)) for row, words in after]
        left = after


def _compared(case: Case, published: list[Row], stays: Staying, columns: list[str]) -> list[str]:
    """The published units are those that stay, each as often, and so are those of each pseudonym."""
    shown = [tuple(row[name] for name in columns) for row in published]
    shown = [tuple(None if cell is None else str(cell) for cell in unit) for unit in shown]
    wrong = [] if Counter(shown) == Counter(unit for _, unit in stays) else ["other rows than those of k people"]
    link = case.text("link", "none")
    if link == "none" or link.startswith("rows:"):
        return wrong
    parts = parts_of([(row, unit) for row, unit in stays], link)
    of: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for row, unit in zip(published, shown, strict=True):
        of[row["user"]].append(unit)
    if Counter(frozenset(Counter(units).items()) for units in of.values()) != Counter(frozenset(Counter(u).items()) for u in parts):
        wrong.append("pseudonyms do not stand for people, or for their parts")
    return wrong + numbered(of)


def numbered(pseudonyms: Iterable[int]) -> list[str]:
    """Pseudonyms are the numbers from 1 on."""
    found = sorted(pseudonyms)
    return [] if found == list(range(1, len(found) + 1)) else ["pseudonyms are not the numbers from 1 on"]


def parts_of(told: Staying, link: str) -> list[list[tuple[Any, ...]]]:
    """What each pseudonym stands for: a person, a day of one, or rows without a long pause between them."""
    found: dict[object, list[tuple[Any, ...]]] = defaultdict(list)
    part: dict[str, int] = defaultdict(int)
    last: dict[str, datetime] = {}
    for row, unit in sorted(told, key=lambda one: one[0]["time"]):
        owner = row["user"]
        if link == "person":
            found[owner].append(unit)
            continue
        time = datetime.fromisoformat(row["time"])
        if link == "day":
            found[owner, time.date()].append(unit)
            continue
        part[owner] += owner in last and time - last[owner] > duration(link.removeprefix("gap:"))
        last[owner] = time
        found[owner, part[owner]].append(unit)
    return list(found.values())


def _general_words(published: list[Row], rows: list[Row], log: Log, k: int, tree: Tree) -> list[str]:
    """Every published word is that of k people, itself or something below it."""
    people: dict[str, set[str]] = defaultdict(set)
    typed = {word for row in rows for word in row["text"].split()}
    for row in rows:
        for word in row["text"].split():
            forms = {word, *(tree.path(word.lower()) if word.lower() in tree.parent else [word.lower()])}
            for form in forms | {f"{form}_" for form in forms & typed}:  # a node is called so beside a word of its name
                people[form].add(row["user"])
    words = {word for row in published for word in str(row[log.payload]).split()}
    rare = sum(len(people[word]) < k for word in words)
    wrong = [f"{rare} words of too few people"] if rare else []
    return [*wrong, "more rows than there were"] if len(published) > len(rows) else wrong


def _beside(published: list[Row], kept: list[Row], name: str, group: int, values: dict[str, str]) -> list[str]:
    """Every published value of a further column is that of enough people, in the rows that stay."""
    wrong = []
    for value in {row[name] for row in published if row[name] is not None}:
        owners = {row["user"] for row in kept if row[name] != "" and _stands_for(str(value), name, str(row[name]), values)}
        if len(owners) < group:
            wrong.append(f"a value of {name} of {len(owners)} people")
        pseudonyms = {row["user"] for row in published if row[name] == value} if values.get("pseudonyms") == "people" else None
        if pseudonyms is not None and len(pseudonyms) < group:
            wrong.append(f"a value of {name} of {len(pseudonyms)} pseudonyms")
    return wrong


def _stands_for(value: str, name: str, typed: str, values: dict[str, str]) -> bool:
    """Whether a published value is a typed one, or lies above it."""
    if name == "time":
        return datetime.fromisoformat(typed).strftime(BEGINNINGS[values["times"]]) == value
    if value.endswith("*"):
        return typed.startswith(value[:-1]) or typed == value[:-2]
    if found := re.fullmatch(r"(\d+) to (\d+)", value):
        return int(found[1]) <= int(typed) <= int(found[2])
    return typed == value


# -- histories


def recount_histories(release: Release, log: Log, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    k, least = int(values["k"]), int(values["min_owners"])
    published = release.tables["log"]
    of: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for row in published:
        of[row["user"]].append(tuple(sorted((name, value) for name, value in row.items() if name != "user" and value is not None)))
    smallest = min(Counter(frozenset(Counter(rows).items()) for rows in of.values()).values(), default=0)
    wrong = numbered(of)
    if smallest < k or smallest != achieved["records"]:
        wrong.append(f"a history of {smallest} pseudonyms, {achieved['records']} are stated")
    if len(of) > len({row["user"] for row in log.rows}):
        wrong.append("more pseudonyms than people")
    people: dict[object, set[str]] = defaultdict(set)
    for row in log.rows:
        for key in [("query", row["text"]), ("url", row["url"]), *(("word", word) for word in row["text"].split())]:
            people[key].add(row["user"])
    shown = {("query", row[log.payload]) for row in published} | {("url", row["url"]) for row in published if row.get("url")}
    shown |= {("word", word) for row in published for word in str(row[log.payload] or "").split()}
    rare = sum(len(people[key]) < least for key in shown)
    if rare:
        wrong.append(f"{rare} queries, words or URLs of too few people")
    times = sorted(row["time"] for row in log.rows)
    if any(not times[0] <= row["time"] <= times[-1] for row in published if row.get("time")):
        wrong.append("a time outside of those of the log")
    return wrong


# -- methods that guarantee nothing


def check_unguaranteed(case: Case, release: Release, log: Log) -> list[str]:
    """They say so, and publish what their options say."""
    wrong = [] if not release.manifest["claims"] else ["a claim is made"]
    if "no_guarantee" not in release.manifest or not (release.directory / "NO-GUARANTEE.txt").exists():
        wrong.append("it is not said that nothing is guaranteed")
    return wrong + {"old-remedies": _remedies, "secret-sharing": _shares, "split-personality": _split}[case.method](case, release, log)


def _remedies(case: Case, release: Release, log: Log) -> list[str]:
    published, queries = release.tables["log"], case.text("queries", "typed")
    since = case.text("since", "1900-01-01")
    rows = [row for row in log.rows if row["time"] >= since]
    if len(published) != len(rows):
        return [f"{len(published)} rows of {len(rows)}"]
    texts = Counter((row["time"], row[log.payload] or "") for row in published)
    wrong = []
    if queries == "typed" and not case.flag("scrub") and texts != Counter((row["time"], row["text"]) for row in rows):
        wrong.append("rows are not as typed")
    if queries == "hash" and not case.flag("scrub"):
        wrong += _one_to_one(rows, published, log.payload)
    if case.flag("scrub"):
        hidden = ["555-123-4567", "zed@example", "4111 1111", "12 elm street", *case.chosen.get("names", [])]
        told = " ".join(str(row[log.payload]) for row in published).lower()
        wrong += ["something that was to be scrubbed is published"] if any(text in told for text in hidden) else []
    ids = case.text("ids", "person")
    if ids == "none":
        return wrong + (["there are pseudonyms"] if any("user" in row for row in published) else [])
    if ids.startswith("rows:") or "key" in case.said:
        return wrong
    parts = parts_of([(row, (row["time"],)) for row in rows], ids)
    of: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for row in published:
        of[row["user"]].append((row["time"],))
    if Counter(tuple(sorted(part)) for part in parts) != Counter(tuple(sorted(part)) for part in of.values()):
        wrong.append("pseudonyms do not stand for people, or for their parts")
    return wrong + numbered(of)


def _one_to_one(rows: list[Row], published: list[Row], payload: str) -> list[str]:
    """Equal texts have equal tokens and others have others: the numbers of rows per text and per token agree."""
    typed = Counter(row["text"] for row in rows if row["text"])
    shown = Counter(row[payload] for row in published if row[payload])
    wrong = [] if sorted(typed.values()) == sorted(shown.values()) else ["tokens are not one to one with texts"]
    return [*wrong, "a query is published as typed"] if any(text in shown for text in typed) else wrong


def _shares(case: Case, release: Release, log: Log) -> list[str]:
    """Each person has one point for a query; k points give a polynomial on which all others lie."""
    k, published = case.number_of("k", 5), release.tables["log"]
    rows = [row for row in log.rows if row["text"]]
    wrong = _one_to_one(rows, published, "query")
    points: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for row in published:
        points[row["query"]].add((int(row["x"], 16), int(row["y"], 16)))
    people: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        people[row["text"]].add(row["user"])
    if sorted(len(shares) for shares in points.values()) != sorted(len(owners) for owners in people.values()):
        wrong.append("not one share for each person and query")
    for shares in points.values():
        first, others = sorted(shares)[:k], sorted(shares)[k:]
        if len(first) == k and any(_interpolated(first, x) != y for x, y in others):
            wrong.append("shares of one query that do not fit together")
    return wrong


def _interpolated(points: list[tuple[int, int]], at: int) -> int:
    total = 0
    for x, y in points:
        above, below = 1, 1
        for other, _ in points:
            if other != x:
                above, below = above * (at - other) % PRIME, below * (x - other) % PRIME
        total += y * above * pow(below, -1, PRIME)
    return total % PRIME


def _split(case: Case, release: Release, log: Log) -> list[str]:
    """All rows, and no pseudonym with rows of two people."""
    published = release.tables["log"]
    wrong = []
    if Counter((row["time"], row[log.payload] or "") for row in published) != Counter((row["time"], row["text"]) for row in log.rows):
        wrong.append("rows are not as typed")
    of: dict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    held: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for row in published:
        of[row["user"]][row["time"], row[log.payload] or ""] += 1
    for row in log.rows:
        held[row["user"]][row["time"], row["text"]] += 1
    if not all(any(part <= whole for whole in held.values()) for part in of.values()):
        wrong.append("a pseudonym of rows of two people")
    return wrong + numbered(of)


def tree_beside(case: Case, directory: Path) -> Tree | None:
    """The hierarchy of words, where one is given."""
    given = case.said.get("taxonomy")
    return read_tree(directory / given) if isinstance(given, str) else None


def readable(log: Log, k: int) -> Iterator[tuple[str, int, int]]:
    """The queries of k people or more, with how many people and rows they have."""
    for text in sorted({row["text"] for row in log.rows if row["text"]}):
        rows = [row for row in log.rows if row["text"] == text]
        people = len({row["user"] for row in rows})
        if people >= k:
            yield text, people, len(rows)
