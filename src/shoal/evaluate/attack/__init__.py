"""Attacking a release with its original at hand: how things are read and made again, what is attacked, and what came out."""

from shoal.attacks.draw import Draw
from shoal.evaluate.attack.case import Case, Source
from shoal.evaluate.attack.result import Attacked
from shoal.evaluate.attack.run import Tell, attacked, attacks_on, refuse_other_kinds

__all__ = ["Attacked", "Case", "Draw", "Source", "Tell", "attacked", "attacks_on", "refuse_other_kinds"]
