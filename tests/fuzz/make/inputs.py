"""Random hierarchies, people with records of items, and the files that hold them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from fuzz.case import Case, Draw

ODD = ["=SUM(1)", "+1", "a;b", 'q"x', "ü ö", "@x", "0", "007", "1.0", "NULL", "true", "|", "<b>", "-"]
NOUNS = ["dog", "cat", "house", "tree", "river", "guitar", "piano", "bread", "cheese", "tennis", "hammer", "table"]
FOLDERS = ["/a", "/a/b", "/c", "/c/d/e", ""]
BEGIN = datetime(2020, 1, 1, 9)


@dataclass
class People:
    """People, their records, and the items of these; a row of a file is one item of a record."""

    names: list[str]
    records: list[list[list[str]]]
    pool: list[str]
    nodes: list[str] = field(default_factory=list)  # the names of the hierarchy, the root first

    @property
    def occurring(self) -> list[str]:
        """All items that somebody holds."""
        return sorted({item for records in self.records for record in records for item in record})

    @property
    def plain(self) -> list[str]:
        """The same without names that could be written in several ways."""
        return [item for item in self.occurring if item.isalnum() and not item.isdigit()] or self.occurring


def odd_tree(draw: Draw, odd: bool = True) -> tuple[dict[str, Any], list[str], dict[str, str | None]]:
    """A small hierarchy with chains, inner nodes of one child, and names that mean something elsewhere; all its names; their parents."""
    rng = draw.rng
    names = [f"{draw.script(i)}n{i}" for i in range(rng.choice([1, 2, 3, 6, 6, 10, 10, 14, 20, 40]))]
    if odd and len(names) > 1 and draw.chance(0.2):
        names[rng.randrange(1, len(names))] = draw.one(["(unlisted)", *ODD])
    children: dict[str, list[str]] = {name: [] for name in names}
    parent: dict[str, str | None] = {names[0]: None}
    for number in range(1, len(names)):
        above = number - 1 if rng.random() < 0.3 else rng.randrange(number)
        children[names[above]].append(names[number])
        parent[names[number]] = names[above]

    def drawn(name: str) -> dict[str, Any]:
        return {name: {k: v for child in children[name] for k, v in drawn(child).items()}}

    return drawn(names[0]), names, parent


def written_tree(draw: Draw, tree: dict[str, Any], parent: dict[str, str | None]) -> str:
    """The file of a hierarchy, as nested objects or as a table of edges."""
    plain = all(name.isalnum() for name in parent)
    if plain and len(parent) > 2 and draw.chance(0.15):
        edges = [(child, above) for child, above in parent.items() if above is not None]
        return draw.file("tree.tsv", "child\tparent\n" + "".join(f"{child}\t{above}\n" for child, above in edges))
    return draw.file("tree.json", json.dumps(tree, ensure_ascii=draw.chance(0.5)))


def records_of(draw: Draw, pool: Sequence[str]) -> list[list[list[str]]]:
    """People, their records and items: repeated ones, inner nodes, unknown ones; many people are alike, so that releases exist."""
    rng = draw.rng
    people = rng.choice([1, 4, 6, 8, 12, 12, 16, 20, 25, 30]) if rng.random() < 0.98 else 120
    longest = rng.choice([1, 2, 3, 4, 6, 8])
    alike = rng.choice([0.0, 0.5, 0.7])
    usual = [[rng.choice(pool) for _ in range(rng.randint(1, longest))] for _ in range(rng.choice([1, 2, 3]))]

    def record() -> list[str]:
        if rng.random() < alike:
            found = list(rng.choice(usual))
            return [*found, rng.choice(pool)] if rng.random() < 0.2 else found
        return [rng.choice(pool) for _ in range(rng.randint(1, longest))]

    several = rng.choice([(1,), (1, 1, 1, 2, 3)])
    return draw.twisted([[record() for _ in range(rng.choice(several))] for _ in range(people)])


def some_people(draw: Draw, kind: str) -> tuple[People, str]:
    """People whose items are of this kind of taxonomy, and the value of `--taxonomy`; empty where it is left out."""
    rng = draw.rng
    if kind == "wordnet":
        pool, nodes, given = rng.sample(NOUNS, rng.randint(2, 8)) + [f"qy{i}canary" for i in range(rng.randint(0, 2))], [], "wordnet"
    elif kind == "paths":
        pages = [f"{folder}/{page}" for folder in FOLDERS for page in ("x.html", "y", "z?q=1", "z?q=2", "z")]
        pool, nodes, given = rng.sample(pages, rng.randint(2, 12)), [], "paths"
    elif kind == "generated":
        numbers = draw.chance(0.3)
        pool = [str(i * 7) if numbers else f"{draw.script(i)}g{i}" for i in range(rng.randint(2, 14))]
        nodes, given = [], draw.one(["generated", "generated:2", "generated:3"])
    elif kind == "topics":
        pool = [f"t{i}" for i in range(rng.randint(3, 9))] + [f"qy{i}canary" for i in range(rng.randint(0, 4))]
        pool += [item for item in ("t1 (2)", "...", "t0/t1", "(unlisted)") if draw.chance(0.05)]
        pool += ["t0 / t1"] if draw.chance(0.02) else []
        nodes, given = [], draw.one(["topics", "topics", "topics:3", "topics:4", "topics:6", "topics+wordnet", "topics+wordnet:3"])
        pool += rng.sample(NOUNS, rng.randint(1, 8)) if "wordnet" in given else []
    else:
        tree, nodes, parent = odd_tree(draw)
        given = written_tree(draw, tree, parent)
        strange = [f"qy{i}canary" for i in range(rng.randint(0, 3))] + (["(unlisted)"] if draw.chance(0.05) else [])
        pool = rng.sample(nodes, rng.randint(1, len(nodes))) + (strange if draw.chance(0.5) else [])
        if kind == "none":
            given = ""
    records = records_of(draw, pool)
    return People(draw.people(len(records)), records, pool, nodes), given


def rows_of(draw: Draw, people: People) -> Iterator[dict[str, Any]]:
    """A row for each item of a record, with whose it is, when, in which basket and how often."""
    for owner, records in zip(people.names, people.records, strict=True):
        for number, record in enumerate(records):
            start = draw.begin(BEGIN) + timedelta(days=number, minutes=draw.rng.randrange(3))
            for at, item in enumerate(record):
                time = start + timedelta(seconds=at)
                yield {"user": owner, "item": item, "time": str(time), "basket": f"b{number}", "qty": draw.rng.choice([1, 1, 2, 3])}


def written_records(draw: Draw, people: People, case: Case, *, bags: bool = True) -> None:
    """The people in a file, and the options that say how it is read and what becomes a record."""
    case.owners = people.names
    kind = draw.one(["lines", "table", "table", "table", "querylog"])
    words = all(item.isalnum() and len(item) > 1 for item in people.occurring)
    if case.said.get("taxonomy") == "paths" and draw.chance(0.5):
        return _access_log(draw, people, case)
    if kind == "querylog" and words and case.said.get("taxonomy") != "paths":
        return _query_log(draw, people, case)
    if kind == "lines" and not any(set(item) & set(',"|') for item in people.occurring):
        return _lines(draw, people, case)
    rows = list(rows_of(draw, people))
    case.form = "table"
    if bags and draw.chance(0.1):
        case.said["count"] = "qty"
    if draw.chance(0.15):
        case.said["record"] = "basket"
    else:
        case.said["per"] = draw.one(["user", "user", "user", "session", "event"])
        topics = case.text("taxonomy", "").startswith("topics")
        if (case.said["per"] == "session" or topics) and draw.chance(0.3):
            case.said["gap"] = draw.one(["1s", "30m", "26h"])
    kept = {"user", "item", "time"} | ({"qty"} if "count" in case.said else set()) | ({"basket"} if "record" in case.said else set())
    rows = [{name: value for name, value in row.items() if name in kept} for row in rows]
    if draw.chance(0.1):
        rows.append({**rows[0], "user": ""})
        case.said["malformed"] = "0.9"
        if draw.chance(0.2):
            case.said["strict"] = True
    if draw.chance(0.05):
        _folded(draw, case, rows)
    case.said["format"] = "table"
    if len(rows) > 3 and "owners" not in case.said and draw.chance(0.06):
        half = len(rows) // 2
        case.inputs = [draw.file(f"{name}.csv", _comma_separated(part)) for name, part in (("one", rows[:half]), ("two", rows[half:]))]
    else:
        case.inputs = [table_file(draw, "input", rows)]
    return None


def _folded(draw: Draw, case: Case, rows: list[dict[str, Any]]) -> None:
    """Some names of people in capitals: one person, two, or a refusal, as the options say."""
    for row in rows:
        if draw.chance(0.3):
            row["user"] = row["user"].upper()
    case.owners = sorted({*case.owners, *(name.upper() for name in case.owners)})
    if draw.chance(0.8):
        case.said["owners"] = draw.one(["folded", "exact"])


def _lines(draw: Draw, people: People, case: Case) -> None:
    sep = draw.one([",", "|"])
    lines = [sep.join(record) for records in people.records for record in records]
    case.form, case.owners = "lines", []
    case.inputs = [draw.file("input.txt", "\n".join(lines) + "\n")]
    case.said |= {"format": "transactions", "sep": sep}


def _query_log(draw: Draw, people: People, case: Case) -> None:
    """Each record is a query, or two."""
    rows = []
    for owner, records in zip(people.names, people.records, strict=True):
        for number, record in enumerate(records):
            cut = draw.rng.randint(0, len(record))
            for part, words in enumerate((record[:cut], record[cut:])):
                if words:
                    time = draw.begin(BEGIN) + timedelta(days=number, minutes=part)
                    rows.append({"user": owner, "time": str(time), "query": " ".join(words)})
    case.form = "querylog"
    if "wordnet" not in case.text("taxonomy", "") and draw.chance(0.4):
        _word_rules(draw, case, rows)
    case.said["per"] = draw.one(["user", "user", "session", "event"])
    if draw.chance(0.1):
        case.form, case.said["format"] = "prompts", "prompts"
        case.inputs = [draw.file("input.jsonl", "".join(json.dumps(_conversation(row)) + "\n" for row in rows))]
        return
    case.said["format"] = "querylog"
    case.inputs = [table_file(draw, "input", rows)]


def _word_rules(draw: Draw, case: Case, rows: list[dict[str, Any]]) -> None:
    """Terms of several words: rules for them, and words that they join."""
    rules = [rule for rule in ("domains", "phrases", draw.one(["collocations", "collocations:2", "collocations:3"])) if draw.chance(0.6)]
    if not rules:
        return
    case.said["terms"] = ",".join(rules)
    further = ["ice cream", "birth control pills", "com", "org news", "co uk", "net", "www zap net", "birth control ice cream pools"]
    for row in rows:
        if draw.chance(0.4):
            row["query"] += f" {draw.one(further)}"


def _conversation(row: dict[str, Any]) -> dict[str, Any]:
    """A query as what somebody typed to a model."""
    turns = [{"role": "user", "content": row["query"]}, {"role": "assistant", "content": "qy9canary of a model"}]
    return {"user": row["user"], "timestamp": row["time"].replace(" ", "T") + "Z", "conversation": turns}


def _access_log(draw: Draw, people: People, case: Case) -> None:
    """Items are pages that addresses asked for."""
    case.owners = [f"198.51.{number}.{draw.rng.randint(100, 250)}" for number in range(len(people.names))]
    lines = []
    for address, records in zip(case.owners, people.records, strict=True):
        for number, record in enumerate(records):
            for at, page in enumerate(record):
                time = draw.begin(BEGIN) + timedelta(days=number, seconds=at)
                lines.append(f'{address} - - [{time:%d/%b/%Y:%H:%M:%S} +0000] "GET {page} HTTP/1.1" 200 17')
    case.form = "accesslog"
    case.said |= {"format": "accesslog", "per": draw.one(["user", "user", "session", "event"])}
    case.inputs = [draw.file("input.log", "\n".join(lines) + "\n")]


def table_file(draw: Draw, name: str, rows: list[dict[str, Any]]) -> str:
    """Rows in one of the formats that are read."""
    kind = draw.one(["csv", "csv", "csv", "tsv", "jsonl", "parquet"])
    if kind == "jsonl":
        return draw.file(f"{name}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    if kind == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = {key: [row[key] if row[key] != "" else None for row in rows] for key in rows[0]}
        pq.write_table(pa.table(columns), draw.directory / f"{name}.parquet")
        return f"{name}.parquet"
    if kind == "tsv":  # no cell holds a tab, and quotes mean nothing there
        lines = ["\t".join(rows[0]), *("\t".join(map(str, row.values())) for row in rows)]
        return draw.file(f"{name}.tsv", "\n".join(lines) + "\n")
    return draw.file(f"{name}.csv", _comma_separated(rows))


def _comma_separated(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
