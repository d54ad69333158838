"""Commands on excerpts of the sample files, which are then mutated: bits flipped, lines cut, repeated and joined."""

from __future__ import annotations

import gzip
import random
import re
from pathlib import Path

from fuzz.case import FRAMES, Case, Draw
from fuzz.make.oddities import Sheet, mutated

SAMPLES = Path(__file__).resolve().parents[3] / "src" / "shoal" / "samples"
SHARE = 0.04  # of the cases of these methods
RECORDS = {"shoal", "clump", "partition", "km", "apriori", "hghs", "local", "vertical", "direct"}
METHODS = RECORDS | {"threshold", "accesslog-mdav", "mdav", "microaggregation"}


def takes_sample(number: int, method: str) -> bool:
    """Whether the case of this number is made of a sample."""
    return method in METHODS and random.Random(f"sample {number}").random() < SHARE


def made(draw: Draw) -> Case:
    """A command on a mutated excerpt."""
    case = Case(draw.number, draw.method, "", [])
    case.said["k"] = draw.one(["2", "2", "3"])
    if draw.method == "accesslog-mdav":
        case.form, name, head = "accesslog", "access.log", ""
    elif draw.method in {"mdav", "microaggregation"}:
        case.form, name, head = "microdata", "people.csv", "age,distance,income"
    elif draw.method == "threshold" and draw.chance(0.5):
        case.form, name, head = "querylog", "queries.tsv.gz", "user\tquery\ttime"
    else:
        case.form, name, head = "table", "baskets.csv", "user,basket,item"
    case.said["format"] = case.form
    lines = _excerpt(draw, name)
    if name in {"baskets.csv", "queries.tsv.gz"}:
        lines = _with_names(draw, case, lines, "," if name == "baskets.csv" else "\t")
    if name == "queries.tsv.gz":
        lines = ["\t".join(line.split("\t")[:3]) for line in lines]
    if draw.method in RECORDS:
        case.said["taxonomy"] = draw.one(["generated", "generated:2", "generated:3"])
    if case.form == "accesslog":
        case.owners = sorted({line.split(" ")[0] for line in lines})
    case.inputs = [draw.file({"table": "input.csv", "microdata": "input.csv", "accesslog": "input.log"}.get(case.form, "input.tsv"),
                             "".join(f"{line}\n" for line in ([head] if head else []) + lines))]  # fmt: skip
    for _ in range(draw.one([1, 1, 2, 5])):
        mutated(Sheet(case, draw.directory, draw.rng))
    if case.form != "microdata" and draw.chance(0.7):
        case.said["malformed"] = "0.9"
    if "accesslog" not in draw.method:
        draw.output(case, FRAMES)
    case.twist = "sample"
    return case


def _excerpt(draw: Draw, name: str) -> list[str]:
    """Some lines of a sample, without its header."""
    data = (SAMPLES / name).read_bytes()
    _, *lines = (gzip.decompress(data) if name.endswith(".gz") else data).decode().splitlines()
    start = draw.rng.randrange(len(lines) - 200)
    return lines[start : start + draw.one([6, 20, 60, 150])]


def _with_names(draw: Draw, case: Case, lines: list[str], separator: str) -> list[str]:
    """The lines with names of people that stand nowhere else."""
    typed = sorted({line.split(separator)[0] for line in lines})
    case.owners = draw.people(len(typed))
    names = dict(zip(typed, case.owners, strict=True))
    return [re.sub(f"^[^{separator}]*", lambda found: names[found[0]], line) for line in lines]
