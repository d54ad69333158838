"""Properties of the utility of a release: what it can be compared with without knowing the best release."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from fuzz.audits import RELEASE, typed
from fuzz.case import Case
from helpers.checker import Release, read_table

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
    path, k = directory / case.inputs[0], case.number_of("k", 5)
    if OTHER_LOSSES & case.said.keys() or len(case.inputs) > 1 or case.text("taxonomy", "").startswith(("generated", "topics")):
        return []
    if case.form == "lines":
        lines = path.read_text(encoding="utf-8").splitlines()
        copies, name = [line for line in lines for _ in range(k)], "copies.txt"
        (directory / name).write_text("\n".join(copies) + "\n", encoding="utf-8")
    elif case.form in {"table", "querylog"} and path.suffix != ".txt" and not {"owners", "terms", "malformed"} & case.said.keys():
        rows = read_table(path)
        if any("user" not in row for row in rows):
            return []
        copies, name = [json.dumps({**row, "user": f"{row['user']} {n}"}) for row in rows for n in range(k)], "copies.jsonl"
        (directory / name).write_text("\n".join(copies) + "\n", encoding="utf-8")
    else:
        return []
    if len(copies) > MOST_COPIES:
        return []
    answer = typed([*replace(case, inputs=[name]).words, "--out", "copied"])
    if answer.code:
        return [f"exit code {answer.code}: {answer.err.splitlines()[-1:]}"]
    lost = _metrics(directory / "copied")["added_loss"]
    return [f"{lost} is lost although {k} people have each record"] if abs(lost) > ROUNDED else []


UTILITY = {"effort": more_effort, "copied": copied}
