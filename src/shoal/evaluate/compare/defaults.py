"""Defaults of a comparison. The command's help shows them without loading numpy."""

from __future__ import annotations

DEFAULT_K = (2, 5, 10, 25)
DEFAULT_KNOWN = (1, 2, 3)
USER = "user"
QUICK_K, QUICK_KNOWN = (5,), (2,)  # where a quick answer is wanted
QUICK_PEOPLE, QUICK_TARGETS = 1000, 50
DEFAULT_SECONDS, QUICK_SECONDS = 1800, 120  # of the clock for one cell
NOT_ATTACKED = "not_attacked"  # why a cell has no attack
GRAINS = (USER, "session", "event")  # what can become one record
