"""One run of an experiment: a method is applied and timed, and its release is verified before it is measured."""

from __future__ import annotations

import time
from typing import Any

from shoal import kernels
from shoal.data.original import AnyOriginal
from shoal.data.release import Release
from shoal.methods import Method
from shoal.pipeline.contract import made_by
from shoal.pipeline.run import insist


def released(method: Method, original: AnyOriginal) -> tuple[Release, float]:
    """Return a release whose claims all hold, and the processor seconds of the method without verification."""
    begun = time.process_time()
    release = made_by(method, original)
    seconds = time.process_time() - begun
    insist([claim.check(release, original) for claim in release.claims])
    return release, seconds


class ExperimentProgress:
    """Reports the progress of an experiment."""

    def __init__(self, label: str, total: int) -> None:
        self._label, self._total, self._done = label, total, 0

    def done(self, result: Any = None) -> Any:
        """Count one more finished run, and return its result."""
        self._done += 1
        kernels.report(self._label, self._done, self._total)
        return result
