"""Methods: how a release is made. Adding one is a file here, a line in `METHODS` and a page in the docs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Literal

from shoal.parameters import Declared
from shoal.registry import Table

if TYPE_CHECKING:
    from shoal.data.original import Original
    from shoal.data.release import Release
    from shoal.privacy import Model


Kind = Literal["sets", "bags"]


class Method(Declared, ABC):
    """Frozen parameters and one step: an original in, a release out.

    `takes` are the kinds of records that it can work on, `kind` is what it publishes. The pipeline holds a method to all it says here.
    """

    paper: ClassVar[str]
    must_tell: ClassVar[tuple[str, ...]] = ("name", "paper")
    takes: ClassVar[frozenset[Kind]] = frozenset({"sets", "bags"})
    kind: ClassVar[Kind] = "bags"
    guarantees_nothing: ClassVar[bool] = False

    @property
    def needs_taxonomy(self) -> bool:
        """Whether records must be put on a taxonomy. Otherwise names stay as they were typed."""
        return True

    @property
    def deterministic(self) -> bool:
        """Whether the same input and parameters give the same release on every machine."""
        return True

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
