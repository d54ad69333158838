"""How many people of a group may be asked to share what is published: no more than every group is sure to hold."""

from __future__ import annotations

from shoal.errors import ParameterError


def at_most_k_owners(min_owners: int, k: int) -> None:
    """Raise where more people are to share a published value than the smallest group holds."""
    if min_owners > k:
        raise ParameterError(
            f"min_owners must be at most k = {k:,}, not {min_owners:,}",
            hint="a group is sure to hold k people, no more",
            value=min_owners,
            limit=k,
        )
