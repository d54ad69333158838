"""One cell: a method is applied, its release judged, measured and attacked."""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.app.comparison.grid import Cell
from shoal.app.pipeline import Judged, anonymize
from shoal.app.prepare import Prepared
from shoal.attacks import ATTACKS
from shoal.attacks.intervals import wilson
from shoal.attacks.scene import People, Scene
from shoal.data.bags import Bags, Ints
from shoal.data.original import Original, shared_occurrences
from shoal.data.tables.bags import BagTable
from shoal.errors import ShoalError
from shoal.metrics import METRICS, measure

TASKS = ("pattern_recall", "count_error_1", "count_error_2", "count_error_3")
HEAD, TORSO = 0.01, 0.001  # shares of people who use a term, at least


@dataclass(frozen=True)
class Effort:
    """How many people are attacked in each cell, and the seed by which they are drawn."""

    targets: int = 200
    seed: int = 0


def worked(cell: Cell, prepared: Prepared, effort: Effort) -> dict[str, Any]:
    """What came out: numbers, or why the method refused. Seconds are of the processor, and of the method and its judge alone."""
    begun = time.process_time()
    try:
        judged = anonymize(prepared, cell.made())
    except ShoalError as error:
        return {"refused": error.message}
    seconds = time.process_time() - begun
    found = {"claims": [str(claim) for claim in judged.release.claims], "seconds": seconds, **judged.metrics}
    if isinstance(judged.original, Original) and judged.release.kinds == {BagTable.kind}:
        found |= {**_tasks(judged), **_coverage(judged, judged.original), **_attacked(judged, judged.original, effort)}
    return {**found, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def _tasks(judged: Judged) -> dict[str, float]:
    """What somebody who works with the release still gets right."""
    original = judged.original
    fit = [name for name in TASKS if METRICS[name].applies(judged.release.kinds, original.shape)]
    return measure(judged.release, original, fit)


def _coverage(judged: Judged, original: Original) -> dict[str, float]:
    """Different terms that are published somewhere, people with something left, and words as typed by how many people use them."""
    release, bags = judged.release, original.spelled
    assert release.secret is not None
    rows, published = release.secret.rows(), release.published
    used, kept = np.unique(bags.items), np.unique(published.items[np.isin(published.items, bags.items)])
    something = (rows >= 0) & (published.lengths[np.maximum(rows, 0)] > 0) if len(published) else np.zeros(len(bags), bool)
    people = len(np.unique(bags.owners[something])) / max(1, bags.n_owners)
    found = {"terms_kept": len(kept) / max(1, len(used)), "people_left": people}
    for name, part in _by_users(bags).items():
        whole = part.occurrences
        found[f"kept_{name}"] = shared_occurrences(part, published, rows) / whole if whole else 0.0
    return found


def _by_users(bags: Bags) -> dict[str, Bags]:
    """The records with the terms alone that many, some or few people use."""
    share = _users(bags) / max(1, bags.n_owners)
    classes = {"head": share >= HEAD, "torso": (share < HEAD) & (share >= TORSO), "tail": share < TORSO}
    same = np.arange(len(share), dtype=np.int32)
    return {name: bags.relabelled(np.where(wanted, same, -1).astype(np.int32), bags.vocabulary) for name, wanted in classes.items()}


def _users(bags: Bags) -> Ints:
    """How many people use each item."""
    owner = np.unique(bags.owners, return_inverse=True)[1][np.repeat(np.arange(len(bags)), np.diff(bags.indptr))]
    pairs = np.unique(bags.items.astype(np.int64) * (int(owner.max(initial=0)) + 1) + owner)
    return np.bincount(pairs // (int(owner.max(initial=0)) + 1), minlength=len(bags.vocabulary))


def _attacked(judged: Judged, original: Original, effort: Effort) -> dict[str, Any]:
    """The attack that goes worst for people: its rate, and the upper end of its interval. Guessed items are left to `shoal attack`."""
    assert judged.release.secret is not None
    rows = judged.release.secret.rows()
    there = np.flatnonzero((rows >= 0) & (original.bags.lengths > 0))
    chosen = np.random.default_rng(effort.seed).permutation(there)[: effort.targets]
    scene, people = Scene.of_release(judged.release, original), People(original.bags.select(chosen), rows[chosen])
    worst = (0.0, 0.0, "")
    for attack in (kind() for kind in ATTACKS.values() if kind.test != "inference"):
        for trial in attack.trials(scene, people, effort.seed):
            rate = wilson(float(trial.success.sum()), len(people))
            worst = max(worst, (rate.high, rate.rate, f"{attack.name}, {trial.knowledge}"), key=lambda one: one[0])
    return {"worst_attack": worst[2], "attack_rate": worst[1], "attack_high": worst[0]}
