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
        "A person's rows are published under several pseudonyms, or without any. An attacker takes the rows of one pseudonym and looks for "
        "the most similar other one, by words and by the minutes of its queries."
    )


# Profile over time: the attacker holds what a person asked earlier, and looks for the person in a release of a later period.


@dataclass(frozen=True)
class ProfileOverTime(LinkingAttack):
    """An attacker who knows what people did earlier finds them again in a release of a later period."""

    name = "profile-over-time"
    test = "linking"
    story = (
        "An employer has the log of his network from some months ago, with names. A release covers the months after. For each person he "
        "looks for the published record that is most similar to the old one. Or he has only one day, the last of each person."
    )
