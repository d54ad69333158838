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


def remake_release(manifest: Mapping[str, Any], read_back: Release, original: AnyOriginal, items: Items | None = None) -> Release | None:
    """Apply the manifest's method to this original again. Returns None unless the result equals the release that was read.

    The results differ if the original differs, if the manifest only describes items that are not available, or if another version made the
    release.
    """
    try:
        again = made_by(method_again(manifest, items), original)
    except (ParameterError, Infeasible):
        return None
    return None if rows_differing(again.tables, read_back.tables) else again


def method_again(manifest: Mapping[str, Any], items: Items | None = None) -> Method:
    """Return the method that a manifest names. Items that it only describes are taken from `items`, or from the claim that lists them."""
    method = method_of(manifest)
    parameters = [pair for claim in claims_of(manifest) for pair in claim.values().items()]
    at_hand = {name: value for name, value in parameters if isinstance(value, Items) and (value.names or value.under)}
    at_hand |= {} if items is None else dict.fromkeys(SENSITIVE, items)
    items_by_name = {name: value for name in described_items(method) if (value := at_hand.get(name)) is not None}
    return replace(method, **items_by_name) if items_by_name else method  # type: ignore[type-var]


def described_items(method: Method) -> list[str]:
    """Return the parameters whose items the manifest only describes."""
    return [name for name, value in method.values().items() if isinstance(value, Items) and not value.known]
