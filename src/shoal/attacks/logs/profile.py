"""Profile over time: the attacker holds what a person asked earlier, and looks for the person in a release of a later period."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shoal.attacks import Trial
from shoal.attacks.logs import LinkingAttack
from shoal.attacks.logs.linking import Linkable, linked
from shoal.parameters import param


@dataclass(frozen=True)
class ProfileOverTime(LinkingAttack):
    """Somebody who knows what people did earlier finds them again in a release of a later period."""

    name = "profile-over-time"
    test = "linking"
    story = (
        "An employer has the log of his network from some months ago, with names. A release covers the months after. For each person he "
        "looks for the published record that is most like the old one. Or he has one day only, the last of each person."
    )

    eccentricity: float = param(1.5, minimum=0, help="standard deviations by which a record must lead before the attacker is sure")

    def trials(self, by_knowledge: Mapping[str, Linkable]) -> list[Trial]:
        """The whole earlier period, and one day of it."""
        return [linked(one, knowledge, self.eccentricity) for knowledge, one in by_knowledge.items()]
