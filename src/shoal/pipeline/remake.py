"""Reproduce a release on disk to obtain the mapping from records to groups, which is never written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shoal.data.items import Items
from shoal.data.original import AnyOriginal
from shoal.data.release import Release
from shoal.errors import Infeasible, ParameterError
from shoal.kinds import rows_differing
from shoal.methods import Method
from shoal.pipeline.claims import claims_of, method_of
from shoal.pipeline.contract import made_by

SENSITIVE = ("sensitive", "private")  # parameters that name items which must not be inferred


def made_again(manifest: Mapping[str, Any], seen: Release, original: AnyOriginal, items: Items | None = None) -> Release | None:
    """What the manifest's method makes of this original, if it is the release that was seen; else None.

    It is another where the original is, where items are described in the manifest and not at hand, or where another version made it.
    """
    try:
        again = made_by(method_again(manifest, items), original)
    except (ParameterError, Infeasible):
        return None
    return None if rows_differing(again.tables, seen.tables) else again


def method_again(manifest: Mapping[str, Any], items: Items | None = None) -> Method:
    """The method that a manifest names. Items that it only describes are the sensitive ones given, or those a claim lists by that name."""
    method = method_of(manifest)
    told = [pair for claim in claims_of(manifest) for pair in claim.values().items()]
    at_hand = {name: value for name, value in told if isinstance(value, Items) and (value.names or value.under)}
    at_hand |= {} if items is None else dict.fromkeys(SENSITIVE, items)
    found = {name: value for name in described_items(method) if (value := at_hand.get(name)) is not None}
    return replace(method, **found) if found else method  # type: ignore[type-var]


def described_items(method: Method) -> list[str]:
    """The parameters of whose items a manifest has a description only."""
    return [name for name, value in method.values().items() if isinstance(value, Items) and not value.known]
