"""The checker without the judges: a method that promises more than it does is found by the recount alone.

Methods work with weaker parameters than those that they claim. First the judges look on, which refuse such a release; then they are made to
pass everything, and the checker must object to the very releases that the judges refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from campaign.figures import OF_A_SEED
from fuzz.make.every import numbers_from
from fuzz.running import Outcome, fresh, run_number
from shoal.data.claims import Model, Verdict
from shoal.data.release import Release
from shoal.methods import Method
from shoal.pipeline import run as pipeline

WEAK: dict[str, Any] = {"k": 2, "rho": 0.9, "delta": 0.95}
ASKED = (*WEAK, "p")
METHODS = (
    *("shoal", "clump", "partition", "ssc", "km", "apriori", "hghs", "local", "coherence", "tds", "k-delta", "disassociation"),
    *("suppress-control", "td-control", "cahd", "infrequent", "threshold", "query-cores", "mdav", "microaggregation", "kkm"),
    *("accesslog-mdav", "user-microaggregation", "category-microaggregation", "document-vectors"),
)
SOUGHT, TRIED, SEED = 1, 80, 5


def weakened(method: Method) -> Method:
    values = method.values()
    weak = {name: value for name, value in WEAK.items() if values.get(name) is not None}
    return replace(method, **weak, **({"p": 2} if method.name == "cahd" else {}))  # type: ignore[type-var]


def promising(claim: Model, method: Method) -> Model:
    """The claim as the method was asked for it."""
    own = {name: value for name, value in method.values().items() if name in ASKED and name in claim.values()}
    return replace(claim, **own)  # type: ignore[type-var]


@pytest.fixture
def weak_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    made_by = pipeline.made_by

    def made(method: Method, original: Any, work: Any = None) -> Release:
        release = made_by(weakened(method), original, work)
        told = {name: value for name, value in method.values().items() if name in ASKED}
        claims = tuple(promising(claim, method) for claim in release.claims)
        return replace(release, claims=claims, parameters={**release.parameters, **told})

    monkeypatch.setattr(pipeline, "made_by", made)


def passing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judges that find nothing wrong."""
    check = Model.check

    def lenient(self: Model, *given: Any) -> Verdict:
        found = check(self, *given)
        return replace(found, standing="verified", witnesses=(), rare=()) if found.standing == "fails" else found

    monkeypatch.setattr(Model, "check", lenient)


def unsuited(outcome: Outcome) -> bool:
    """Excel does not hold every number, and a separator may be part of a name. Of td-control's records, files do not tell the owners."""
    several_records = " --per event" in outcome.command or " --per session" in outcome.command
    return "xlsx" in outcome.command or "--to-sep" in outcome.command or (outcome.method == "td-control" and several_records)


def refused(method: str, place: Path) -> Iterator[int]:
    """Runs whose release the judges refuse, and that the recount can judge."""
    for number in numbers_from(SEED * OF_A_SEED, TRIED, [method]):
        with fresh(place / str(number)) as directory:
            outcome = run_number(number, directory)
        if outcome.code == 3 and not unsuited(outcome):
            yield number


@pytest.mark.usefixtures("weak_methods")
@pytest.mark.parametrize("method", METHODS)
def test_the_recount_finds_what_the_judges_find(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = list(islice(refused(method, tmp_path), SOUGHT))
    passing(monkeypatch)
    assert numbers
    for number in numbers:
        with fresh(tmp_path / f"{number} passed") as directory:
            outcome = run_number(number, directory)
        assert outcome.code == 0, f"run {number}: {outcome.command}: {outcome.refusal}"
        assert outcome.wrong, f"run {number}: {outcome.command}"
