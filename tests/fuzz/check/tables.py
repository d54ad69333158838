"""Recounts of microdata, access logs and vectors of documents."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

from fuzz.case import Case
from fuzz.check.raw import read_raw
from helpers.checker import Release, Row, items_in, read_table, read_tree

# -- microdata


def recount_microdata(case: Case, directory: Path, release: Release, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    """Rows alike in the columns of the claim are k or more; means, kept columns and numbers of rows are those of the table."""
    raw, published, k = read_raw(case, directory).rows, release.tables["microdata"], int(values["k"])
    listed = {name: str(case.said.get(name, "")).split(",") for name in ("keep-column", "drop-column", "user")}
    apart = {name for names in listed.values() for name in names if name}
    quasi = [name for name in raw[0] if name not in apart]
    kept = [name for name in listed["keep-column"] if name]
    wrong = []
    if "columns" in values and sorted(values["columns"].split(",")) != sorted(quasi):
        wrong.append("the claim is about other columns")
    if set(published[0]) != {*quasi, *kept} or len(published) != len(raw):
        return [*wrong, "other columns or rows than those of the table"]
    sizes = Counter(tuple(row[name] for name in quasi) for row in published)
    smallest = min(sizes.values())
    if smallest < k or smallest != achieved["records"]:
        wrong.append(f"a class of {smallest}, {achieved['records']} are stated")
    if Counter(tuple(str(row[n]) for n in kept) for row in published) != Counter(tuple(str(row[n]) for n in kept) for row in raw):
        wrong.append("kept columns are changed")
    owners = {row[str(case.said["user"])] for row in raw} if "user" in case.said else set(range(len(raw)))
    if not k <= achieved.get("people", k) <= len(owners):
        wrong.append("other numbers of people")
    return wrong + [line for name in quasi for line in _column(case, directory, name, raw, published, k)]


def recount_limits(case: Case, directory: Path, release: Release, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    """No class is too large; or there are enough classes to keep the rows of each user apart, and enough users for each class."""
    raw, published = read_raw(case, directory).rows, release.tables["microdata"]
    sizes = Counter(tuple(row[name] for name in values["columns"].split(",")) for row in published)
    largest = max(sizes.values())
    if "most" in values:
        return [] if largest <= int(values["most"]) and largest == achieved["most"] else [f"a class of {largest}"]
    rows = Counter(row[str(case.said["user"])] if "user" in case.said else str(number) for number, row in enumerate(raw))
    return [] if max(rows.values()) <= len(sizes) and largest <= len(rows) else ["two rows of one user share a class"]


def _column(case: Case, directory: Path, name: str, raw: list[Row], published: list[Row], k: int) -> list[str]:
    """What a column of each kind may hold."""
    kinds = {str(case.said.get(kind, "")).split("=")[0]: kind for kind in ("nominal", "ordinal", "hierarchy")}
    typed, shown = [row[name] for row in raw], [row[name] for row in published]
    kind = kinds.get(name)
    if kind is None:
        numbers, told = [Fraction(float(value)) for value in typed], [Fraction(value) for value in shown]
        rounded = max(map(abs, numbers)) * len(numbers) * Fraction(1, 10**12)
        if not all(min(numbers) - rounded <= value <= max(numbers) + rounded for value in told):
            return [f"a value of {name} outside of those of the table"]
        return [] if abs(sum(told) - sum(numbers)) <= rounded else [f"another mean of {name}"]
    if kind == "hierarchy":
        tree = read_tree(directory / str(case.said["hierarchy"]).split("=")[1])
        few = [value for value in set(shown) if sum(value in tree.path(one) for one in typed) < k]
    else:
        few = [value for value in set(shown) if value not in typed]
    return [f"a value of {name} that too few rows have"] if few else []


# -- microdata with item sets


def recount_item_table(case: Case, directory: Path, release: Release, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    """Each class and each set of up to m items in it has k rows; ranges, values and nodes are true of enough rows of the table."""
    raw, published, k, m = read_raw(case, directory).rows, release.tables["microdata"], int(values["k"]), int(values["m"])
    apart = {str(case.said.get(name, "")) for name in ("keep-column", "user")} - {""}
    quasi = [name for name in raw[0] if name not in apart and name != "basket"]
    kept = [name for name in [str(case.said.get("keep-column", ""))] if name]
    if set(published[0]) != {*quasi, *kept, "basket"} or len(published) != len(raw):
        return ["other columns or rows than those of the table"]
    holders: Counter[tuple[Any, ...]] = Counter()
    for row in published:
        items = [item for item in str(row["basket"] or "").split("|") if item]
        if len(set(items)) < len(items):
            return ["an item is repeated in its row"]
        for size in range(min(m, len(items)) + 1):
            holders.update((tuple(str(row[name]) for name in quasi), some) for some in combinations(sorted(items), size))
    fewest = min(holders.values())
    wrong = [] if fewest >= k and fewest == achieved["records"] else [f"a set of {fewest} rows, {achieved['records']} are stated"]
    if Counter(tuple(str(row[n]) for n in kept) for row in published) != Counter(tuple(str(row[n]) for n in kept) for row in raw):
        wrong.append("kept columns are changed")
    wrong += [line for name in quasi for line in _true_texts(case, directory, name, raw, published)]
    return wrong + _items(directory, case, raw, published)


def _true_texts(case: Case, directory: Path, name: str, raw: list[Row], published: list[Row]) -> list[str]:
    """Each published text is true of as many rows of the table as it is published for."""
    kinds = {str(case.said.get(kind, "")).split("=")[0]: kind for kind in ("nominal", "ordinal", "hierarchy")}
    kind, typed = kinds.get(name), [str(row[name]) for row in raw]
    levels = str(case.said.get("ordinal", "")).partition("=")[2].split("|")
    for text, times in Counter(str(row[name]) for row in published).items():
        if kind == "nominal":
            true = [value in text.split("|") for value in typed]
        elif kind == "hierarchy":
            tree = read_tree(directory / str(case.said["hierarchy"]).split("=")[1])
            true = [text in tree.path(value) for value in typed]
        else:
            low, _, high = text.partition("..")
            ranks = levels.index if kind == "ordinal" else Fraction
            true = [ranks(low) <= ranks(value) <= ranks(high or low) for value in typed]
        if sum(true) < times:
            return [f"a text of {name} that is true of too few rows"]
    return []


def _items(directory: Path, case: Case, raw: list[Row], published: list[Row]) -> list[str]:
    """Each node is published for at most as many rows as have an item below it; the root never."""
    tree = read_tree(directory / str(case.said["item-sets"]).split("=")[1])
    below = Counter(n for row in raw for n in {n for item in str(row["basket"] or "").split("|") if item for n in tree.path(item)})
    shown = Counter(item for row in published for item in str(row["basket"] or "").split("|") if item)
    return ["an item of too few rows"] if any(n > below[item] for item, n in shown.items()) or shown["shop"] else []


# -- sensitive columns of microdata


def recount_sensitive(model: str, release: Release, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    """The level of a model of sensitive columns, by its definition; distances of t-closeness where all values are equally far apart."""
    rows = release.tables["microdata"]
    names = {name: values[name].split(",") for name in ("sensitive", "columns", "x", "y") if name in values}
    hidden = names.get("y") or names.get("sensitive") or []
    known = names.get("x") or names.get("columns") or [name for name in rows[0] if name not in hidden]
    classes: dict[tuple[Any, ...], Counter[tuple[Any, ...]]] = defaultdict(Counter)
    for row in rows:
        classes[tuple(row[name] for name in known)][tuple(row[name] for name in hidden)] += 1
    found = list(classes.values())
    total = sum(found, Counter[tuple[Any, ...]]())
    shares = {one: max(counts.values()) / counts.total() for one, counts in enumerate(found)}
    apart = [sum(abs(counts[v] / counts.total() - total[v] / len(rows)) for v in total) / 2 for counts in found]
    least = min(map(len, found))
    rare = [v for v in total if total[v] / len(rows) <= float(values.get("rho1", 0))]
    belief = max((counts[v] / counts.total() for counts in found for v in rare), default=0)
    holds, told = {
        "l-diversity": lambda: (least >= int(values["l"]), {"l": least}),
        "t-closeness": lambda: (max(apart) <= float(values["t"]) + 1e-9, {"t": max(apart)}),
        "alpha-k-anonymity": lambda: (
            max(shares.values()) <= float(values["alpha"]) and min(c.total() for c in found) >= int(values["k"]),
            {"records": min(c.total() for c in found), "alpha": max(shares.values())},
        ),
        "rho1-rho2-privacy": lambda: (belief <= float(values["rho2"]), {"rho2": belief}),
        "confidence-bounding": lambda: _templates(rows, values["templates"]),
        "xy-anonymity": lambda: (least >= int(values["k"]), {"values": least}),
    }[model]()
    wrong = [] if holds else ["the claim does not hold"]
    stated = all(abs(achieved.get(name, -1) - level) <= 2e-6 for name, level in told.items())
    return wrong if stated else [*wrong, f"{told} is achieved, {achieved} is stated"]


def check_perturbed(case: Case, directory: Path, release: Release) -> list[str]:
    """Columns that are not perturbed, and values that only change places, are those of the table; no row is lost."""
    raw, published, technique = read_raw(case, directory).rows, release.tables["microdata"], case.text("technique", "noise")
    apart = {name for key in ("drop-column", "user") for name in str(case.said.get(key, "")).split(",")}
    kept = str(case.said.get("keep-column", "")).split(",")
    wrong = [] if not release.manifest["claims"] and "no_guarantee" in release.manifest else ["a guarantee is claimed"]
    if set(published[0]) != set(raw[0]) - apart or len(published) != len(raw):
        return [*wrong, "other columns or rows than those of the table"]
    for name in published[0]:
        sides = [[row[name] for row in rows] for rows in (raw, published)]
        if name in kept:
            same = Counter(map(str, sides[0])) == Counter(map(str, sides[1]))
        elif technique in {"swap", "permute"}:
            same = sorted(_comparable(one) for one in sides[0]) == sorted(_comparable(one) for one in sides[1])
        else:
            continue
        wrong += [] if same else [f"the values of {name} are not those of the table"]
    return wrong


def _comparable(value: Any) -> tuple[float, str]:
    """A number as such, a text as such."""
    try:
        return float(value), ""
    except ValueError:
        return 0.0, str(value)


def recount_presence(case: Case, directory: Path, release: Release, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    """How many of the people with each value of a column that is published as it is are in the release."""
    column = values["columns"]
    inside = Counter(str(row[column]) for row in release.tables["microdata"])
    outside = Counter(str(row[column]) for row in read_table(directory / "public.csv"))
    shares = [inside[value] / n for value, n in outside.items()]
    wrong = [] if float(values["delta_min"]) <= min(shares) and max(shares) <= float(values["delta_max"]) else ["the claim does not hold"]
    if abs(achieved["delta_min"] - min(shares)) > 2e-6 or abs(achieved["delta_max"] - max(shares)) > 2e-6:
        wrong.append(f"between {min(shares)} and {max(shares)} are present, {achieved} is stated")
    return wrong


def _templates(rows: list[Row], written: str) -> tuple[bool, dict[str, Any]]:
    """The confidence of each rule, as a share of the rows that are alike in the columns before it."""
    found = []
    for one in written.split(";"):
        known, _, rest = one.partition(">")
        column, _, limit = rest.rpartition(":")
        name, _, value = column.partition("=")
        of: dict[tuple[Any, ...], Counter[Any]] = defaultdict(Counter)
        for row in rows:
            of[tuple(row[key] for key in known.split(","))][str(row[name])] += 1
        shares = [counts[v] / counts.total() for counts in of.values() for v in ([value] if value else counts)]
        found.append((max(shares), float(limit)))
    kept = sum(share <= limit + 1e-9 for share, limit in found)
    return kept == len(found), {"h": max(share for share, _ in found), "templates": kept}


# -- access logs

LINE = re.compile(r'(\S+) (\S+) (\S+) \[([^\]]+)\] "((?:[^"\\]|\\.)*)" (\d+) (\S+)(?: "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)")?')


def access_rows(lines: list[str]) -> list[Row]:
    """The fields of the lines of an access log."""
    found = []
    for line in lines:
        fields = LINE.fullmatch(line)
        assert fields, "a line that is none of an access log"
        address, ident, auth, time, request, status, size, referrer, agent = fields.groups()
        when = datetime.strptime(time, "%d/%b/%Y:%H:%M:%S %z").astimezone(UTC)
        words = request.split(" ")
        page = words[1] if len(words) == 3 else "(broken request)" if request != "-" else None
        found.append(
            {"address": address, "ident": ident, "auth": auth, "time": when, "request": request, "page": page}
            | {"status": status, "size": size, "referrer": referrer, "agent": agent}
        )
    return found


def recount_access(case: Case, directory: Path, release: Release, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    k, least, per = int(values["k"]), int(values["min_owners"]), values["per"]
    raw = read_raw(case, directory).rows
    published = access_rows([row["line"] for row in release.tables["access"]])
    by = str(case.said.get("user", "address"))
    owner = [row["address"] + (f" {row['agent']}" if "agent" in by else "") if by != "auth" else row["auth"] for row in raw]
    wrong = []
    if any(row["ident"] != "-" or row["auth"] != "-" or not row["address"].startswith("10.") for row in published):
        wrong.append("names or addresses of people")
    alike = ["time", "request", "status", "size", "referrer", "agent"]
    if per == "row":
        sizes = Counter(tuple(row[name] for name in alike) for row in published)
    else:
        of: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for row in published:
            of[row["address"]].append(tuple(row[name] for name in alike))
        sizes = Counter(frozenset(Counter(rows).items()) for rows in of.values())
        units = len(set(owner)) if per == "owner" else _sessions(raw, owner, case.text("gap", "30m"))
        if len(of) != units:
            wrong.append(f"{len(of)} addresses for {units}")
    smallest = min(sizes.values(), default=0)
    if smallest < k or smallest != achieved["records"]:
        wrong.append(f"a profile of {smallest}, {achieved['records']} are stated")
    if per != "row" and achieved["people"] < k:
        wrong.append("a profile of too few people")
    times = [row["time"] for row in raw]
    longest = timedelta(seconds=1)
    if not all(min(times) - longest <= row["time"] <= max(times) + _pauses(case) for row in published):
        wrong.append("a time far outside of those of the log")
    for name in ("page", "referrer", "agent"):
        wrong += _of_enough(name, raw, owner, published, 1 if per == "row" else least)
    return wrong


def _pauses(case: Case) -> timedelta:
    """Rows come after the beginning of a session as they do in the mean, so that a profile may end after the log."""
    return timedelta(hours=24)


def _sessions(raw: list[Row], owner: list[str], gap: str) -> int:
    """Sessions of one owner, address and agent, up to a pause."""
    pause = timedelta(seconds=int(gap[:-1]) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[gap[-1]])
    of: dict[tuple[Any, ...], list[datetime]] = defaultdict(list)
    for row, person in zip(raw, owner, strict=True):
        of[person, row["address"], row["agent"]].append(row["time"])
    return sum(1 + sum(b - a > pause for a, b in pairwise(times)) for times in map(sorted, of.values()))


def _of_enough(name: str, raw: list[Row], owner: list[str], published: list[Row], least: int) -> list[str]:
    """Each published value belongs to enough people, as it is or as something that it stands above."""
    people: dict[str, set[str]] = defaultdict(set)
    for row, person in zip(raw, owner, strict=True):
        if row[name] is not None:
            people[row[name]].add(person)
    for value in {row[name] for row in published} - {None, "-"}:
        if name == "agent" and value not in people:
            continue  # the family of a browser; which agents it stands for is not told here
        held = {person for typed, owners in people.items() for person in owners if _above(value, typed)}
        if len(held) < least:
            return [f"a {name} of {len(held)} people"]
    return []


def _above(value: str, typed: str) -> bool:
    if value.endswith("*"):
        return typed.startswith(value[:-1]) or typed == value[:-2]
    return value == typed


# -- documents


def recount_vectors(case: Case, directory: Path, release: Release, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    """Vectors alike are k or more; a term that was typed belongs to k people; and there are as many vectors as documents with terms."""
    k, documents = int(values["k"]), read_documents(case, directory)
    vectors = _vectors(release)
    sizes = Counter(frozenset(vector.items()) for vector in vectors)
    smallest = min(sizes.values(), default=0)
    wrong = []
    if smallest < k or smallest != achieved["records"]:
        wrong.append(f"a class of {smallest}, {achieved['records']} are stated")
    if any(not 0 < weight <= 1 for vector in vectors for weight in vector.values()) or any(sum(v.values()) > 1 + 1e-9 for v in vectors):
        wrong.append("weights that are no shares")
    keeps = case.said.get("unknown") == "keep"
    told = [[word for word in words if keeps or not word.startswith("qwxz")] for _, words in documents]
    if len(vectors) != sum(bool(words) for words in told):
        wrong.append(f"{len(vectors)} vectors of {sum(bool(words) for words in told)} documents")
    for term in {term for vector in vectors for term in vector if term.startswith("qwxz")}:
        if len({owner for owner, words in documents if term in words}) < k or not keeps:
            wrong.append("a term of too few people")
    if not k <= achieved["people"] <= len({owner for owner, _ in documents}):
        wrong.append("other numbers of people")
    return wrong


def read_documents(case: Case, directory: Path) -> list[tuple[str, list[str]]]:
    """The documents with their owners and words."""
    if case.inputs == ["documents"]:
        return [(place.name, place.read_text().split()) for place in sorted((directory / "documents").iterdir())]
    return [(row["author"], row["text"].split()) for row in read_raw(case, directory).rows]


def _vectors(release: Release) -> list[dict[str, float]]:
    rows, fact = release.tables["vectors"], release.fact("vectors")
    if fact.get("layout") == "long":
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for row in rows:
            terms = found[str(row["record"])]  # a vector without terms has one row without an item
            terms |= {} if row["item"] in {None, ""} else {str(row["item"]): float(row["weight"])}
        return list(found.values())
    separator = fact.get("separator", "")
    cells = [(items_in(row["items"], separator), items_in(row["weights"], separator)) for row in rows]
    return [{item: float(weight) for item, weight in zip(items, weights, strict=True)} for items, weights in cells]
