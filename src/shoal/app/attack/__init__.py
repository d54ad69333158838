"""Attacking a release with its original at hand: how things are read and made again, what is attacked, and what came out."""

from shoal.app.attack.answer import Attacked
from shoal.app.attack.case import Case, Source
from shoal.app.attack.run import Tell, attacked, attacks_on, refuse_other_kinds
from shoal.app.attack.subjects import Draw

__all__ = ["Attacked", "Case", "Draw", "Source", "Tell", "attacked", "attacks_on", "refuse_other_kinds"]
