"""Attacks on a release with its original: reading, making releases again, targets, and results."""

from shoal.attacks.draw import Draw
from shoal.evaluate.attack.attack_result import Attacked
from shoal.evaluate.attack.case import Case, CaseSource
from shoal.evaluate.attack.run_attacks import NotesCallback, attacked, attacks_on, refuse_other_kinds

__all__ = ["Attacked", "Case", "CaseSource", "Draw", "NotesCallback", "attacked", "attacks_on", "refuse_other_kinds"]
