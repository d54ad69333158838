"""Attacks on logs: each is given what it needs of the case, or skipped with the reason."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.attacks.logs import LinkingAttack, TokenAttack
from shoal.attacks.outcome import RELEASE, Outcome, outcome
from shoal.attacks.scenarios import Skipped
from shoal.evaluate.attack.case import Case
from shoal.evaluate.attack.linking import linking_outcomes
from shoal.evaluate.attack.periods import periods
from shoal.evaluate.attack.personas import personas
from shoal.evaluate.attack.scenario import More
from shoal.evaluate.attack.targets import Draw
from shoal.evaluate.attack.tokens import tokens

FACED = {"profile-over-time": periods, "personas": personas}


def log_outcomes(attacks: Sequence[LinkingAttack | TokenAttack], case: Case, draw: Draw, more: More) -> tuple[list[Outcome], list[str]]:
    """What each attack amounts to, and what is to be said of them."""
    outcomes: list[Outcome] = []
    notes: list[str] = []
    for attack in attacks:
        try:
            if isinstance(attack, TokenAttack):
                found, told = _of_tokens(attack, case, draw, more)
                notes.append(told)
            else:
                found = [one for subject in FACED[attack.name](case, draw) for one in linking_outcomes(attack, subject)]
            outcomes += found
        except Skipped as reason:
            notes.append(f"the attack {attack.name} was skipped: {reason}")
    return outcomes, notes


def _of_tokens(attack: TokenAttack, case: Case, draw: Draw, more: More) -> tuple[list[Outcome], str]:
    """Tokens that are read; by length, the numbers of queries that have them."""
    hashed, told = tokens(case, draw, more.reference)
    frequencies = hashed.tokens.frequencies[hashed.tokens.frequent(len(hashed.truth))]
    trials = attack.trials(hashed)
    return [outcome(RELEASE, attack, trial, frequencies[: len(trial.success)], None, None) for trial in trials], told
