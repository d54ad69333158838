"""Claims of a release, judged by everything that may be at hand."""

from __future__ import annotations

from shoal.data.claims import Verdict
from shoal.data.original import AnyOriginal
from shoal.data.release import Release


def hold_everywhere(release: Release, original: AnyOriginal) -> list[Verdict]:
    """The verdicts on every claim, of which there is one at least: with original and groups, with the original, from the tables alone."""
    assert release.claims
    alone = Release(release.tables)
    found = []
    for claim in release.claims:
        found += [claim.check(release, original), claim.check(alone, original), claim.check(alone)]
    assert all(verdict.holds for verdict in found), [verdict.witnesses for verdict in found]
    return found
