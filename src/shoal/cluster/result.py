"""A release of a frame of Spark, in Python: it is made where it is written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.cluster.run import release_on_cluster
from shoal.methods import Method
from shoal.pipeline.options import Preparation, Target


@dataclass(frozen=True, eq=False)
class ClusterRelease:
    """What is to be made of a frame of Spark. Nothing is made before it is written, because it may not fit this machine."""

    frame: Any
    how: Preparation
    method: Method

    def write(self, directory: str | Path, *, force: bool = False) -> dict[str, Any]:
        """Make the release on the cluster, judge it and write it; raises rather than writing one that fails. Returns the manifest.

        The directory must be one that the driver and all workers see.
        """
        return release_on_cluster(self.frame, self.how, self.method, Target(Path(directory), force=force)).manifest

    def __repr__(self) -> str:
        return f"<{self.method.name} on Spark, not made yet: .write(directory) makes it>"
