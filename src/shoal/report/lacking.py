"""A release without a guarantee, as its manifest says it: one sentence that every page and listing of such a release begins with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LACKING = "no_guarantee"  # the key of a manifest that says what is not protected


def lack_of(manifest: Mapping[str, Any] | None) -> str:
    """What a manifest says of the missing guarantee; empty where claims are made, or where there is no manifest."""
    return str(manifest.get(LACKING, "")) if manifest else ""
