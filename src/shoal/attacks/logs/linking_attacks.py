"""Personas: rows of one person stand under several pseudonyms, or under none; the attacker joins them again.

Adar, "User 4XXXXX9: anonymizing query logs", WWW 2007 workshop on Query Log Analysis, splits people by topics; others give a new pseudonym
for each session or day, or delete ids. What is left to an attacker is what the parts have in common: words, and times that are published.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.attacks.logs import LinkingAttack


@dataclass(frozen=True)
class Personas(LinkingAttack):
    """Somebody who has the rows of one pseudonym looks for another pseudonym of the same person."""

    name = "personas"
    test = "linking"
    story = (
        "A person's rows are published under several pseudonyms, or each row for itself. A reader takes the rows of one, and looks for the "
        "other one that is most like it: in its words, and in the minutes in which something was asked."
    )
