"""A release on disk made again, to know which record became which: that is never written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.app.contract import made_by
from shoal.app.promises import method_of
from shoal.data.original import AnyOriginal
from shoal.data.release import Release
from shoal.errors import Infeasible, ParameterError
from shoal.io.published import rows_differing


def made_again(manifest: Mapping[str, Any], seen: Release, original: AnyOriginal) -> Release | None:
    """What the manifest's method makes of this original, if it is the release that was seen; else None.

    It is another where the original is, where items are described in the manifest and not at hand, or where another version made it.
    """
    try:
        again = made_by(method_of(manifest), original)
    except (ParameterError, Infeasible):
        return None
    return None if rows_differing(again.tables, seen.tables) else again
