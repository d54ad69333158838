"""The recount of noisy counts: what the recorded noise gives away, computed from the definitions of Gaussian and Laplace mechanisms."""

from __future__ import annotations

import csv
import math
from typing import Any

from fuzz.check.logs import Log
from helpers.checker import Release, Tree

Step = dict[str, Any]
SLACK = 1e-6  # of delta as a share: the rounding of floating-point numbers, here and there


def normal(x: float) -> float:
    """The distribution function of the normal distribution, exact in both tails."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


def profile(epsilon: float, mu: float) -> float:
    """The delta of a Gaussian mechanism whose sensitivity is mu standard deviations."""
    if mu <= 0:
        return 0.0
    return max(0.0, normal(mu / 2 - epsilon / mu) - math.exp(epsilon) * normal(-mu / 2 - epsilon / mu))


def passing(step: Step, weight: float, values: int) -> float:
    """The chance that one of so many values of this weight reaches the threshold of a selection."""
    tail = normal(-(step["threshold"] - weight) / step["scale"])
    return -math.expm1(values * math.log1p(-tail)) if tail < 1 else 1.0


def gaussian_delta(steps: list[Step], epsilon: float) -> float:
    """A lower bound of the delta of these steps; the first choice is taken at the worst of many shares of a person's own weight."""
    squares = sum((step["sensitivity"] / step["scale"]) ** 2 for step in steps)
    first, *others = [step for step in steps if step["purpose"] == "selection"]
    rest = sum(max(passing(step, 1 / math.sqrt(n), n) for n in range(1, step["cap"] + 1)) for step in others)
    if steps[0]["purpose"] != "selection":
        worst = max(passing(first, 1 / math.sqrt(n), n) for n in range(1, first["cap"] + 1))
        return profile(epsilon, math.sqrt(squares)) + worst + rest
    worst = profile(epsilon, math.sqrt(squares))
    for n in range(1, first["cap"] + 1):
        for share in (n / first["cap"], (n / first["cap"] + 1) / 2, 1.0):
            left = math.sqrt(max(0.0, squares - share / first["scale"] ** 2))
            worst = max(worst, profile(epsilon, left) + passing(first, math.sqrt(share / n), n))
    return worst + rest


def laplace_loss(steps: list[Step]) -> tuple[float, float]:
    """Epsilon adds up; delta is the chance that a value of one person alone passes."""
    epsilon = sum(step["sensitivity"] / step["scale"] for step in steps)
    delta = 0.0
    for step in steps:
        if step["purpose"] == "selection":
            alone = [(step["cap"], 1), (1, step["cap"])]
            delta += max(values * 0.5 * math.exp(-(step["threshold"] - count) / step["scale"]) for count, values in alone)
    return epsilon, delta


LEAST = {  # by how much one person may move the numbers of a step
    ("guide", "gaussian", "equal"): lambda cap: 1.0,
    ("selection", "gaussian", "policy"): lambda cap: 1.0,
    ("selection", "gaussian", "equal"): lambda cap: 1.0,
    ("counts", "gaussian", "whole"): math.sqrt,
    ("selection", "laplace", "whole"): float,
    ("counts", "laplace", "whole"): float,
    ("divisions", "laplace", "whole"): float,
}


def recount_noise(release: Release, log: Log, values: dict[str, str], tree: Tree | None = None) -> list[str]:
    """The budget of the recorded noise, what is said beside it, and that every published value was typed by somebody."""
    epsilon, delta = float(values["epsilon"]), float(values["delta"])
    steps: list[Step] = release.manifest.get("mechanism", [])
    wrong = []
    for step in steps:
        least = LEAST.get((step["purpose"], step["noise"], step["weights"]))
        if least is None or step["sensitivity"] < least(step.get("cap", 1)) - 1e-12 or step["scale"] <= 0:
            wrong.append(f"the {step['purpose']} has too small a sensitivity or unknown noise")
    if {step["table"] for step in steps} != set(release.tables):
        wrong.append("noise is recorded for other tables")
    if wrong:
        return wrong
    if {step["noise"] for step in steps} == {"laplace"}:
        spent, chance = laplace_loss(steps)
    else:
        spent, chance = epsilon, gaussian_delta(steps, epsilon)
    if spent > epsilon * (1 + 1e-9) or chance > delta * (1 + SLACK):
        wrong.append(f"the noise gives epsilon {spent} and delta {chance}")
    return wrong + _nothing_exact(release.manifest) + (_of_tree(release, tree) if tree else _typed(release, log))


def _nothing_exact(manifest: dict[str, Any]) -> list[str]:
    told = {"rows", "records", "owners", "items", "occurrences"} & manifest["input"].keys()
    if told or manifest["accounting"] or manifest["metrics"]:
        return [f"exact numbers are told: {sorted(told)}"]
    return []


def _of_tree(release: Release, tree: Tree) -> list[str]:
    """Published sets have names of the hierarchy below its root, each once, and at least one person."""
    wrong = []
    for row in (row for rows in release.tables.values() for row in rows):
        items = row["items"] if isinstance(row["items"], list) else next(csv.reader([row["items"]], delimiter=";"))
        if not items or len(set(items)) < len(items) or not all(tree.parent.get(item) is not None for item in items):
            wrong.append("a set with names that the hierarchy does not have below its root, or twice")
        if int(row["count"]) < 1:
            wrong.append("a set of nobody is counted")
    return wrong


def _typed(release: Release, log: Log) -> list[str]:
    """Published values stand in the log."""
    texts = {row["text"] for row in log.rows}
    words = {word for text in texts for word in log.words(text)}
    pages = {row["url"] for row in log.rows}
    known = {"query": texts, "item": texts, "term": words, "url": pages, "first": words | texts, "second": words | texts}
    known |= {f"step{place}": texts for place in range(1, 6)}
    cells = [(name, value) for rows in release.tables.values() for row in rows for name, value in row.items() if name != "count"]
    strange = [name for name, value in cells if value not in known[name]]
    return [f"{len(strange)} values that nobody typed, as {strange[0]}"] if strange else []
