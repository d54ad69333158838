"""Properties of the utility of a release: what it can be compared with without knowing the best release."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isclose
from pathlib import Path
from typing import Any

from fuzz.audits import RELEASE, of_original, typed
from fuzz.case import Case
from fuzz.check.page import wrong_page
from helpers.checker import Release, everything_in, read_table

EFFORTS = ["fast", "balanced", "thorough"]
MOST_COPIES = 400  # people with all their copies
ROUNDED = 1e-9
OTHER_LOSSES = {"sensitive", "outliers", "floor", "unknown", "min-support", "publish-as", "seconds", "private-report", "bound", "memory"}


def _metrics(place: Path) -> dict[str, Any]:
    metrics: dict[str, Any] = Release.read(place).manifest["metrics"]
    return metrics


def more_effort(case: Case, directory: Path) -> list[str]:
    """More effort never loses more."""
    usual = case.text("effort", "balanced")
    if "seconds" in case.said or usual == EFFORTS[-1]:
        return []
    said = {**case.said, "effort": EFFORTS[EFFORTS.index(usual) + 1]}
    said.pop("private-report", None)
    answer = typed([*replace(case, said=said).words, "--out", "further"])
    if answer.code:
        return [f"exit code {answer.code}: {answer.err.splitlines()[-1:]}"]
    before, after = _metrics(directory / RELEASE)["loss"], _metrics(directory / "further")["loss"]
    return [f"{usual} loses {before}, and more effort {after}"] if after > before + ROUNDED else []


def copied(case: Case, directory: Path) -> list[str]:
    """If k people have each record, then nothing has to be changed: groups of identical records, and no set of items is rare."""
    k = case.number_of("k", 5)
    if OTHER_LOSSES & case.said.keys() or case.text("taxonomy", "").startswith(("generated", "topics")):
        return []
    if case.method == "partition" and case.flag("bag"):  # it splits by the nodes of records, not by how often they have them
        return []
    if not (name := with_copies(case, directory, k)):
        return []
    answer = typed([*replace(case, inputs=[name]).words, "--out", "copied"])
    if answer.code:
        return [f"exit code {answer.code}: {answer.err.splitlines()[-1:]}"]
    lost = _metrics(directory / "copied")["added_loss"]
    return [f"{lost} is lost although {k} people have each record"] if abs(lost) > ROUNDED else []


def with_copies(case: Case, directory: Path, copies: int) -> str:
    """A file with so many people for each person, all of them alike; empty if that cannot be written, or is too large."""
    path = directory / case.inputs[0]
    if len(case.inputs) > 1:
        return ""
    if case.form == "lines":
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() for _ in range(copies)]
    elif case.form in {"table", "querylog"} and not {"owners", "terms", "malformed", "private-of"} & case.said.keys():
        rows = [{AOL.get(name, name): value for name, value in row.items()} for row in read_table(path)]
        if any("user" not in row for row in rows):
            return ""
        lines = [json.dumps({**row, "user": f"{row['user']} {n}"}) for row in rows for n in range(copies)]
    else:
        return ""
    name = "copies.txt" if case.form == "lines" else "copies.jsonl"
    (directory / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return name if len(lines) <= MOST_COPIES else ""


def doubled(case: Case, directory: Path) -> list[str]:
    """A second person with the same data for each person never loses more, where the method takes the best of all releases or all
    that enough people share: what was published before may be published again.
    """
    if OTHER_LOSSES & case.said.keys() or case.text("taxonomy", "").startswith(("generated", "topics")):
        return []
    if not (name := with_copies(case, directory, 2)):
        return []
    answer = typed([*replace(case, inputs=[name]).words, *(AOL_AS_JSON if "format" not in case.said else []), "--out", "doubled"])
    if answer.code:
        return [f"exit code {answer.code}: {answer.err.splitlines()[-1:]}"]
    before, after = _metrics(directory / RELEASE), _metrics(directory / "doubled")
    # Where items of a record become one, the loss counts more than what `optimal` minimizes, and equally good cuts may differ in it.
    losses = [] if _merges(directory / RELEASE) or _merges(directory / "doubled") else ["loss"]
    wrong = [f"{loss} {before[loss]} becomes {after[loss]}" for loss in losses if loss in before and after[loss] > before[loss] + ROUNDED]
    kept = [name for name in ("rows_kept", "queries_kept", "people_kept") if name in before]
    return wrong + [f"{name} {before[name]} becomes {after[name]}" for name in kept if after[name] < before[name] - ROUNDED]


def _merges(place: Path) -> bool:
    account = Release.read(place).manifest.get("accounting", {}).get("occurrences", {})
    return bool(account.get("merged", 0))


def measured(case: Case, directory: Path) -> list[str]:
    """The metrics that are computed from the files are those of the manifest."""
    answer = typed(["measure", RELEASE, *of_original(case, directory), "--json"])
    if answer.code:
        return [f"exit code {answer.code}: {answer.err.splitlines()[-1:]}"]
    stated, found = _metrics(directory / RELEASE), json.loads(answer.out)
    return [f"{name} is {found[name]}, and the manifest has {stated[name]}" for name in sorted(stated.keys() & found.keys())
            if not isclose(found[name], stated[name], rel_tol=ROUNDED, abs_tol=ROUNDED)]  # fmt: skip


def page(case: Case, directory: Path) -> list[str]:
    """The report has the numbers of the manifest; and a page that is not for publication is not in the release, nor named there."""
    release = Release.read(directory / RELEASE)
    wrong = wrong_page((directory / RELEASE / "report.html").read_text(encoding="utf-8"), release.manifest)
    private = case.text("private-report", "")
    if private and not (directory / private).is_file():
        wrong.append("there is no private page")
    for place, text in everything_in(directory / RELEASE):
        if private and (private in text or "NOT FOR PUBLICATION" in text):
            wrong.append(f"the private page is in {place}, or named there")
    return wrong


AOL = {"AnonID": "user", "Query": "query", "QueryTime": "time", "ItemRank": "rank", "ClickURL": "url"}
AOL_AS_JSON = ["--format", "querylog"]
UTILITY = {"effort": more_effort, "copied": copied, "doubled": doubled, "measured": measured, "page": page}
