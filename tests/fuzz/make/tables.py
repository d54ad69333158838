"""Commands of the methods on microdata, access logs and documents."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

from fuzz.case import FRAMES, Case, Draw
from fuzz.make.inputs import NOUNS, table_file

TOWNS = {"ulm": "south", "passau": "south", "kiel": "north", "husum": "north", "south": "land", "north": "land", "land": None}
SHOP: dict[str, str | None] = {
    "shop": None, "fruit": "shop", "pear": "fruit", "plum": "fruit", "drink": "shop", "tea": "drink", "juice": "drink", "ale": "drink",
    "soap": "shop",
}  # fmt: skip
LEVELS = ["low", "middle", "high"]
PAGES = ["/", "/a", "/a/b", "/a/c?x=1", "/a/c?x=2", "/z/deep/path.html", "/z/deep/other.html"]
AGENTS = [
    "Mozilla/5.0 (X11; Linux x86_64; rv:24.0) Gecko/20100101 Firefox/24.0",
    "Mozilla/5.0 (X11; Linux x86_64; rv:25.0) Gecko/20100101 Firefox/25.0",
    "Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/32.0.1700.107 Safari/537.36",
    "-",
    "bot/1.0",
]
REFERRERS = ["-", "-", "http://search.example/?q=tea", "http://shop.example/a/b", "http://shop.example/a/c"]
BEGIN = datetime(2015, 5, 17, 10)


def afterwards(draw: Draw, case: Case) -> None:
    """What is typed after a release."""
    if draw.chance(0.15):
        case.then.append("audit")
    elif draw.chance(0.03):
        case.then.append("twice")
    elif draw.method in {"mdav", "microaggregation", "kkm"} and draw.chance(0.15):
        case.then.append("shuffled")


# -- microdata


PRESENCE = "delta-presence(delta_max=1, public=public.csv, columns=note)"
# Claims about the column `note` that hold of every table, so that only their levels can be wrong.
LEVELS = [
    "t-closeness(t=1, sensitive=note)",
    "alpha-k-anonymity(alpha=1, k=1, sensitive=note)",
    "rho1-rho2-privacy(rho1=0.3, rho2=1, sensitive=note)",
    'confidence-bounding(templates="age>note=t1:1;age>note:1")',
    PRESENCE,
]


def made_microdata(draw: Draw) -> Case:
    """A table of numbers and perhaps of other kinds of columns."""
    case, rng = Case(draw.number, draw.method, "microdata", []), draw.rng
    case.said["k"] = draw.one(["2", "2", "3", "3", "5", "12"])
    if draw.method == "perturbation":
        case.said |= {"no-guarantee": True, "technique": draw.one(["noise", "swap", "condense", "permute"])}
        draw.options(case, {"amount": ["0.01", "0.1", "1"]}, 0.5)
    if draw.method == "microaggregation":
        draw.options(case, {"effort": ["fast", "balanced", "thorough"], "seed": ["0", "5"]}, 0.4)
    n = rng.choice([3, 6, 10, 20, 40])
    columns: dict[str, list[Any]] = {}
    for name in ("age", "income")[: rng.choice([1, 2, 2])]:
        scale, least = rng.choice([1, 1, 0.1, 1000, 1e9, 0.001]), rng.choice([0, 0, -20])
        columns[name] = [round((least + rng.randrange(rng.choice([3, 40]))) * scale, 3) for _ in range(n)]
    columns |= {"constant": [7] * n} if draw.chance(0.2) else {}
    _kinds(draw, case, columns, n)
    if draw.chance(0.3) or case.said.get("technique") == "permute":
        columns["note"] = [f"t{rng.randrange(4)}" for _ in range(n)]
        case.said["keep-column"] = "note"
    if draw.chance(0.2):
        columns["extra"] = [f"e{rng.randrange(4)}" for _ in range(n)]
        case.said["drop-column"] = "extra"
    if draw.chance(0.4):
        several = rng.choice([1, 1, 2])
        case.owners = draw.people(n // several + 1)
        columns["person"] = [case.owners[i // several] for i in range(n)]
        case.said["user"] = "person"
    if draw.method == "perturbation":
        case.said |= {"sensitive": "note"} if case.said["technique"] == "permute" else {}
    elif "note" in columns and draw.chance(0.3) and len(set(columns["note"])) > 1:
        case.said |= {"sensitive": "note", "l": "2"} if "user" in case.said or draw.chance(0.5) else {"sensitive": "note", "t": "0.3"}
    elif draw.chance(0.2):
        k = case.number_of("k", 3)
        draw.options(case, {"most": [str(k), str(2 * k), str(k + 9)], "apart": [True]}, 0.7)
    elif "note" in columns and "user" not in case.said and draw.chance(0.5):
        case.said["claim"] = draw.one(LEVELS)
        if case.said["claim"] == PRESENCE:
            known = [*columns["note"], *(f"t{rng.randrange(5)}" for _ in range(rng.randrange(9)))]
            draw.file("public.csv", "name,note\n" + "".join(f"p{i},{note}\n" for i, note in enumerate(known)))
    case.said["format"] = "microdata"
    rows = [{name: values[i] for name, values in columns.items()} for i in range(n)]
    rng.shuffle(rows)
    case.inputs = [_not_json(draw, rows)]
    draw.output(case, FRAMES)
    afterwards(draw, case)
    return case


def made_item_table(draw: Draw) -> Case:
    """A table with attributes of some kinds and a set of items in each row."""
    case, rng = Case(draw.number, draw.method, "microdata", []), draw.rng
    case.said["k"] = draw.one(["2", "2", "3", "5"])
    draw.options(case, {"m": ["1", "2", "3"], "delta": ["0", "0.3", "0.6", "1"], "aim": ["loss", "words"]}, 0.6)
    n = rng.choice([3, 6, 10, 20, 40])
    scale = rng.choice([1, 1, 0.1, 1000])
    columns: dict[str, list[Any]] = {"age": [round(rng.randrange(rng.choice([3, 40])) * scale, 3) for _ in range(n)]}
    _kinds(draw, case, columns, n)
    leaves = [item for item in SHOP if item not in SHOP.values()]
    names = leaves if draw.chance(0.6) else [item for item in SHOP if item != "shop"]
    most = rng.choice([1, 3, 5])
    columns["basket"] = ["|".join(rng.sample(names, rng.randint(0, min(most, len(names))))) for _ in range(n)]
    case.said["item-sets"] = "basket=" + draw.file("shop.csv", "".join(f"{item},{above or ''}\n" for item, above in SHOP.items()))
    if draw.chance(0.3):
        columns["note"] = [f"t{rng.randrange(4)}" for _ in range(n)]
        case.said["keep-column"] = "note"
    if draw.chance(0.3):
        case.owners = draw.people(n // 2 + 1)
        columns["person"] = [case.owners[i // 2] for i in range(n)]
        case.said["user"] = "person"
    case.said["format"] = "microdata"
    rows = [{name: values[i] for name, values in columns.items()} for i in range(n)]
    rng.shuffle(rows)
    case.inputs = [_not_json(draw, rows)]
    draw.output(case, FRAMES)
    afterwards(draw, case)
    return case


def _kinds(draw: Draw, case: Case, columns: dict[str, list[Any]], n: int) -> None:
    """Columns that are nominal, ordinal or nodes of a hierarchy, which only one of the methods takes."""
    if draw.method != "mdav" and not draw.chance(0.1):
        return
    if draw.chance(0.25):
        columns["job"] = [draw.one(["baker", "smith", "clerk"]) for _ in range(n)]
        case.said["nominal"] = "job"
    if draw.chance(0.25):
        columns["school"] = [draw.one(LEVELS) for _ in range(n)]
        case.said["ordinal"] = "school=" + "|".join(LEVELS)
    if draw.chance(0.25):
        columns["town"] = [draw.one([town for town in TOWNS if town != "land"]) for _ in range(n)]
        edges = "".join(f"{town},{above or ''}\n" for town, above in TOWNS.items())
        case.said["hierarchy"] = "town=" + draw.file("towns.csv", edges)


def _not_json(draw: Draw, rows: list[dict[str, Any]]) -> str:
    """Microdata is read from CSV, TSV and Parquet."""
    while (name := table_file(draw, "input", rows)).endswith("jsonl"):
        (draw.directory / name).unlink()
    return name


# -- access logs


def made_access(draw: Draw) -> Case:
    """Requests of people to a web server."""
    case, rng = Case(draw.number, draw.method, "accesslog", []), draw.rng
    case.said["k"] = draw.one(["2", "2", "3", "3", "5"])
    draw.options(case, {"per": ["owner", "session", "row"], "min-owners": ["1", "2", "2", "3"], "gap": ["1m", "30m", "5h"]}, 0.5)
    weights = ("time", "address", "page", "referrer", "agent", "method", "status", "size")
    draw.options(case, {f"weight-{name}": ["0", "0.5", "4"] for name in weights}, 0.15)
    if case.said.get("per") == "row":
        draw.options(case, {"session": [True, False], "weight-session": ["0", "8"]}, 0.4)
    combined = draw.chance(0.75)
    people = [_address(draw, i) for i in range(rng.choice([3, 6, 10, 16]))]
    case.owners = people
    if draw.chance(0.15):
        case.said["user"] = draw.one(["auth", "address+agent"] if combined else ["auth"])
    names = {person: f"zqauth{draw.rng.randrange(10**6):06}x" for person in people}
    auth = case.said.get("user") == "auth" or draw.chance(0.1)
    lines = [line for person in people for line in _requests(draw, person, names[person] if auth else "-", combined)]
    if auth:
        case.owners = [*people, *names.values()]
    case.inputs = [draw.file("input.log", "\n".join(lines) + "\n")]
    if draw.chance(0.15):
        case.said["threads"] = draw.one(["1", "2"])
    afterwards(draw, case)
    return case


def _address(draw: Draw, number: int) -> str:
    kind = draw.rng.random()
    if kind < 0.7:
        return f"198.51.{number}.{draw.rng.randint(100, 250)}"
    return f"2001:db8:77::{number + 1:x}" if kind < 0.85 else f"zqhost{draw.rng.randrange(10**6):06}.example.org"


def _requests(draw: Draw, person: str, auth: str, combined: bool) -> list[str]:
    rng = draw.rng
    agent = rng.choice(AGENTS)
    lines = []
    for _ in range(rng.choice([1, 1, 2, 3, 5])):
        time = draw.begin(BEGIN) + timedelta(hours=rng.choice([0, 0, 3]), seconds=rng.randrange(3000))
        page = rng.choice(PAGES)
        request = f"{rng.choice(['GET', 'GET', 'POST'])} {page} HTTP/1.{rng.choice([0, 1])}" if rng.random() < 0.97 else "\\x16\\x03"
        status, size = rng.choice([200, 200, 304, 404]), rng.choice([5120, 5120, 900, 17, "-"])
        zone = rng.choice([0, 0, 0, 2, -5])
        local = f"{time + timedelta(hours=zone):%d/%b/%Y:%H:%M:%S} {'-' if zone < 0 else '+'}{abs(zone):02}00"
        line = f'{person} - {auth} [{local}] "{request}" {status} {size}'
        lines.append(f'{line} "{rng.choice(REFERRERS)}" "{agent if rng.random() < 0.9 else rng.choice(AGENTS)}"' if combined else line)
    return lines


# -- documents


def made_documents(draw: Draw) -> Case:
    """Short texts, of one author each or of some with several."""
    case, rng = Case(draw.number, draw.method, "documents", []), draw.rng
    case.said["k"] = draw.one(["2", "2", "3", "4"])
    words = rng.sample(NOUNS, rng.randint(3, 8)) + [f"qwxz{i}k" for i in range(rng.randint(0, 3))]
    if draw.chance(0.5):
        case.said["unknown"] = draw.one(["keep", "keep", "drop"])
    if draw.chance(0.4):
        case.said["terms"] = draw.one(["1", "3", "10"])
    texts = [" ".join(rng.choice(words) for _ in range(rng.choice([0, 3, 6, 12]))) for _ in range(rng.choice([3, 6, 10]))]
    if draw.chance(0.5):
        folder = draw.directory / "documents"
        folder.mkdir()
        case.owners = draw.people(len(texts))
        for name, text in zip(case.owners, texts, strict=True):
            (folder / f"{name}.txt").write_text(text, encoding="utf-8")
        case.inputs, case.said["format"] = ["documents"], "documents"
    else:
        case.owners = draw.people(rng.choice([len(texts), 3]))
        rows = [{"author": case.owners[i % len(case.owners)], "text": text} for i, text in enumerate(texts)]
        case.inputs = [draw.file("input.jsonl", "".join(json.dumps(row) + "\n" for row in rows))]
        case.said |= {"format": "documents", "user": "author", "text": "text"}
    draw.output(case, FRAMES, layouts=True)
    afterwards(draw, case)
    return case
