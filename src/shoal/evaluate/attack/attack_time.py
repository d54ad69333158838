"""Expected duration of attacks: measured on a few people, and on the run that reproduced the release."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from shoal.attacks import RecordAttack
from shoal.attacks.draw import Draw
from shoal.attacks.logs import LinkingAttack
from shoal.attacks.logs.linking import Personas
from shoal.attacks.scenarios import ScenarioAttack, attack_called
from shoal.data.log import Log
from shoal.data.original import LogOriginal, Original
from shoal.evaluate.attack.case import Case, facing_release
from shoal.evaluate.attack.scenario import enough
from shoal.evaluate.attack.stage import stage_of
from shoal.evaluate.attack.targets import record_outcomes
from shoal.methods import Method

FEW, SOME = 5, 25  # people who are attacked to measure how long one takes
CONTROLS = 2  # a control group is attacked in the original and in a release as the targets are


def expected_seconds(case: Case, names: Sequence[str], draw: Draw, one_run: float) -> float:
    """Return about how many seconds these attacks take.

    Args:
        case: The release and its original.
        names: The attacks.
        draw: How many people are attacked.
        one_run: The seconds that it took to make the release again.
    """
    original = case.prepared.original
    if not isinstance(original, Original | LogOriginal):
        return 0.0
    attacks = [attack_called(name)() for name in names]
    runs = _runs(attacks, case.method, case, draw) if case.method is not None else 0
    return one_run * runs + _on_records([one for one in attacks if isinstance(one, RecordAttack)], facing_release(case), draw)


def _runs(attacks: Sequence[object], method: Method, case: Case, draw: Draw) -> int:
    """Return how often the release is made again: without the control group, for attacks on logs, and by scenarios."""
    original = case.prepared.original
    runs = (1 if draw.control else 0) + sum(_remakes(one, case) for one in attacks if isinstance(one, LinkingAttack))
    if not isinstance(original, Original):
        return runs
    few = min(enough(draw.remakes, len(original.bags)), draw.targets)
    k = int(method.values().get("k", 2))
    return runs + sum(one.runs(few, original.n_owners, k) for one in attacks if isinstance(one, ScenarioAttack))


def _remakes(attack: LinkingAttack, case: Case) -> bool:
    """Whether an attack on a log makes the release again: of a later period, or of everybody if the pseudonyms of people are not known."""
    if isinstance(attack, Personas):
        return case.release.secret is None and isinstance(case.prepared.original, LogOriginal)
    data = case.source.reading.data
    return isinstance(data, Log) and data.timed and data.all_timed


def _on_records(attacks: Sequence[RecordAttack], case: Case, draw: Draw) -> float:
    """Return the seconds of attacks on records: a constant part, and the part per person."""
    if not attacks:
        return 0.0
    targets = len(stage_of(case.prepared.original, case.release).drawn(draw.seed, draw.targets))
    first, second = (_timed(attacks, case, replace(draw, targets=people)) for people in (FEW, SOME))
    each = max(0.0, second - first) / (SOME - FEW)
    return (1 + (CONTROLS - 1) * bool(draw.control)) * (first + each * max(0, targets - FEW))


def _timed(attacks: Sequence[RecordAttack], case: Case, draw: Draw) -> float:
    begun = time.perf_counter()
    record_outcomes(attacks, case, None, draw)
    return time.perf_counter() - begun
