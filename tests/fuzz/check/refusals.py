"""Whether a refusal is justified, where its reason can be counted."""

from __future__ import annotations

import re
from pathlib import Path

from fuzz.case import Case
from fuzz.check import affinity, logs, records
from fuzz.check.raw import must_refuse, read_raw

FEW = re.compile(r"shoal: a group needs (?P<k>\S+) people, but the data has only (?P<people>\S+) ")
EMPTY = re.compile(r"shoal: nobody has an item: every record is empty ")
# What a refusal says of the rows, and what the checker calls it.
ROWS = {
    "has no usable row": "no row can be used",
    "if capitals, blanks and the form of numbers are ignored": "user IDs differ in spelling only",
    "has malformed rows": "rows are malformed",
    "has rows that cannot be used": "rows are malformed",
    "are malformed, more than": "too many rows are malformed",
}
NOBODY = re.compile(r"shoal: no (query|url|word of a query|\S+) was used by")


def unjustified(case: Case, directory: Path, line: str) -> list[str]:
    """What a refusal says of the data, and the data do not."""
    for words, reason in ROWS.items():
        if words in line and reason not in (reasons := must_refuse(case, read_raw(case, directory))):
            return [f"it is not so that {reason}, but {reasons}"]
    if found := FEW.match(line):
        return _few(case, directory, int(found["people"].replace(",", "")), int(found["k"].replace(",", "")))
    if EMPTY.match(line) and case.form != "documents":  # which words of a document are terms is not counted here
        owners = {record.owner for record in records.facts_of(case, directory, []).originals}
        return [f"there are {len(owners)} people with an item"] if owners else []
    if NOBODY.match(line) and case.method in {"infrequent", "threshold", "secret-sharing"} and case.said.get("rare") != "generalize":
        return _nobody(case, directory)
    if case.method == "query-cores" and "no query was issued, in similar words, by" in line:
        values = {"k": case.text("k", "5"), "theta": case.text("theta", "0.5"), "longest": case.text("longest", "3")}
        values |= {"word_people": case.text("word-people", "")} if "word-people" in case.said else {}
        stays = affinity.staying(logs.read_log(case, directory), values)
        return [f"{stays} queries can be published"] if stays else []
    if case.method == "cahd" and "no groups have privacy degree" in line:
        return _degree(case, directory)
    return []


def _few(case: Case, directory: Path, people: int, k: int) -> list[str]:
    typed = case.number_of("p" if case.method == "cahd" else "k", 5)
    if case.form == "documents":
        return [] if people < k == typed else [f"{people} people are enough for {k}"]
    if case.method in {"user-microaggregation", "category-microaggregation"}:
        owners = {row["user"] for row in logs.read_log(case, directory).rows if row["text"]}
    elif case.form == "microdata":
        rows = read_raw(case, directory).rows
        owners = {row.get(case.text("user", ""), number) for number, row in enumerate(rows)}
    else:
        owners = {record.owner for record in records.facts_of(case, directory, []).originals}
    return [] if people < k == typed and people == len(owners) else [f"there are {len(owners)} people, k is {typed}"]


def _nobody(case: Case, directory: Path) -> list[str]:
    """No unit has k people."""
    if "preset" in case.said:
        return []
    typed = {name: case.text(name, "") for name in ("unit", "words", "window", "times", "rare") if name in case.said}
    values = {"k": case.text("k", "5"), **{name: value for name, value in typed.items() if value != "drop"}}
    stays = logs.staying(logs.read_log(case, directory), values)
    return [f"{len(stays)} rows are of k people"] if stays else []


def _degree(case: Case, directory: Path) -> list[str]:
    """A sensitive item is too frequent; or people own several rows, of whom a group takes one."""
    facts, p = records.facts_of(case, directory, []), case.number_of("p", 10)
    most = max(sum(bool(meant & set(bag)) for bag in facts.bags) for meant in facts.sensitive)
    return [] if most * p > len(facts.bags) or facts.owners_repeat else ["there are groups of this privacy degree"]
