"""Profile over time: the attacker holds what a person asked earlier, and looks for the person in a release of a later period."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.attacks.logs import LinkingAttack


@dataclass(frozen=True)
class ProfileOverTime(LinkingAttack):
    """Somebody who knows what people did earlier finds them again in a release of a later period."""

    name = "profile-over-time"
    test = "linking"
    story = (
        "An employer has the log of his network from some months ago, with names. A release covers the months after. For each person he "
        "looks for the published record that is most like the old one. Or he has one day only, the last of each person."
    )
