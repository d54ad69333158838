"""Methods: how a release is made. Adding one is a file here, a line in `METHODS` and a page in the docs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from shoal.parameters import Declared
from shoal.registry import Table

if TYPE_CHECKING:
    from shoal.data.original import Original
    from shoal.data.release import Release
    from shoal.privacy import Model


class Method(Declared, ABC):
    """Frozen parameters and one step: an original in, a release out."""

    paper: ClassVar[str]
    must_tell: ClassVar[tuple[str, ...]] = ("name", "paper")
    supports: ClassVar[frozenset[str]] = frozenset({"sets", "bags"})

    @abstractmethod
    def claims(self) -> tuple[Model, ...]:
        """The models that every release of this method promises to satisfy."""

    @abstractmethod
    def apply(self, original: Original) -> Release:
        """A release of these records. The input is not changed."""


METHODS: Table[type[Method]] = Table(
    "method",
    {
        "shoal": "shoal.methods.shoal:Shoal",
        "clump": "shoal.methods.clump:Clump",
        "partition": "shoal.methods.partition:Partition",
        "coherence": "shoal.methods.coherence:Cohesion",
        "tds": "shoal.methods.tds:TopDownSpecialization",
        "ssc": "shoal.methods.ssc:SSC",
    },
)
